package sources

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"chaff/test/lineartest"
)

func TestListingIsLinearInTheSizeOfHostileInput(t *testing.T) {
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n"
	scan := func(text []byte) { scanAll(t, bytes.NewReader(text)) }
	unquote := func(text []byte) { unquoteFrom(bytes.Clone(text)) }
	decode := func(text []byte) { readable(string(text)) }
	flags := func(text []byte) { cutFlags(string(text)) }
	for _, shape := range []struct {
		name, head, unit string
		work             func([]byte)
	}{
		{"empty messages", "", from + "\n", scan},
		{"lines that could begin a message", from + "\n", "x\n" + from, scan},
		{"dates of many numbers", from, "\nFrom a@b.example" + strings.Repeat(" 12:30 2002", 90) + "\n", scan},
		{"lines that end in CR", "", strings.ReplaceAll(from+"\n", "\n", "\r"), scan},
		{"patches in a letter", from + "\n", "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\na: b\n\n", scan},
		{"labels of Gmail", "", from + "X-Gmail-Labels: " + strings.Repeat("a,", 3000) + "\n\n", scan},
		{"folds of labels", from + "X-Gmail-Labels: \n", " =?UTF-8?Q?a,?=\n", scan},
		{"words of a date", from, "From a@b.example" + strings.Repeat(" Thu", 200) + "\n", scan},
		{"a From_ line that does not end", from + "\nFrom ", "Thu ", scan},
		{"empty lines", from, "\n", scan},
		{"quotes", "\n", ">From \n", unquote},
		{"quotes of quotes", "\n", ">", unquote},
		{"quotes of nothing", "\n", ">\n", unquote},
		{"a header that does not end", "", "a: b\n", unquote},
		{"ampersands", "", "&", decode},
		{"ampersands with base64", "", "&APw", decode},
		{"encoded parts", "", "&APw-a", decode},
		{"a Maildir name of flags", "1204680122.a.host:2,", "S", flags},
		{"a Maildir name of info parts", "1204680122.a.host", ":2,", flags},
		{"a Maildir name of half info parts", "1204680122.a.host", "2,", flags},
		{"a Maildir name of colons", "1204680122.a.host", ":", flags},
		{"a Maildir name of digits", "", "2", func(text []byte) { maildirTime(string(text)) }},
		{"digits", "", "9", func(text []byte) { cutEmlx(bytes.Clone(text)) }},
	} {
		t.Run(shape.name, func(t *testing.T) {
			lineartest.Check(t, func(size int) func() {
				text := []byte(shape.head + strings.Repeat(shape.unit, size/len(shape.unit)))
				return func() { shape.work(text) }
			})
		})
	}
}

func TestWorkIsLinearInTheSizeOfHostileArchives(t *testing.T) {
	for _, shape := range []struct {
		name   string
		make   func(testing.TB, ...entry) string
		member func(i int) entry
	}{
		{"one name", makeZip, func(int) entry { return entry{name: "a"} }},
		{"names that become one", makeTar, func(i int) entry { return entry{name: strings.Repeat("./", i%40) + fmt.Sprintf("../%d/../a", i)} }},
		{"deep names", makeTar, func(i int) entry { return entry{name: strings.Repeat("a/", 500) + fmt.Sprint(i)} }},
		{"a folder in place of a file", makeTar, func(i int) entry { return entry{name: "a" + strings.Repeat("/a", i%50) + fmt.Sprint(i%7)} }},
		{"a file in place of a folder", makeZip, func(i int) entry { return entry{name: []string{"a", "a/b"}[i%2]} }},
		{"links to one file", makeZip, func(i int) entry { return entry{name: fmt.Sprint(i), link: "0"} }},
		{"links in a chain", makeTar, func(i int) entry { return entry{name: fmt.Sprint(i), link: fmt.Sprint(i + 1)} }},
	} {
		t.Run(shape.name, func(t *testing.T) {
			lineartest.Check(t, func(size int) func() {
				var entries []entry
				for i := range size / 64 {
					entries = append(entries, shape.member(i))
				}
				archive := shape.make(t, entries...)
				return func() { listing(t, archive) }
			})
		})
	}
}

func TestWorkIsLinearInTheSizeOfHostileTables(t *testing.T) {
	for _, shape := range []struct {
		comma      byte
		name, unit string
	}{
		{',', "open quotes", "\"\n"},
		{',', "quotes that open in the next line", "p\",q,\"r\n"},
		{',', "doubled quotes", "\"\"\"\n"},
		{',', "a cell that never ends", "\"\""},
		{',', "cells", ","},
		{'\t', "lines", "\n"},
		{',', "lone quotes", "a\n\"b\n"},
		{',', "cells of many lines", "\"a\n\n\n\"\n"},
	} {
		t.Run(shape.name, func(t *testing.T) {
			lineartest.Check(t, func(size int) func() {
				text := "\"x" + strings.Repeat(shape.unit, size/len(shape.unit))
				return func() {
					rows, _ := allRows((&table{text: []byte(text), comma: shape.comma}).rows)
					for _, r := range rows {
						cellsOf(r.bytes, shape.comma)
					}
				}
			})
		})
	}
}

func BenchmarkUnquoteFrom(b *testing.B) {
	var message bytes.Buffer
	message.WriteString("From ann@example.org Thu Aug 22 12:36:23 2002\nSubject: a\n\n")
	for i := range 1000 {
		fmt.Fprintf(&message, "> The text of a letter, line %d, in lines of about seventy bytes each.\n", i)
	}
	message.WriteString(">From here on.\n")
	b.SetBytes(int64(message.Len()))
	b.ReportAllocs()
	buf := make([]byte, message.Len())
	for b.Loop() {
		copy(buf, message.Bytes())
		unquoteFrom(buf)
	}
}
