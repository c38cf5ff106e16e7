package corpus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/internal/termkey"
	"chaff/test/lineartest"
)

// TestWorkIsLinearInTheSizeOfHostileInput runs each parser of this package on input that is made to be slow.
func TestWorkIsLinearInTheSizeOfHostileInput(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\n"
	for _, shape := range []struct{ name, head, unit, tail string }{
		{"an mbox of mbox lines", "", from, ""},
		{"an mbox of empty messages", "", from + "\n", ""},
		{"an mbox of lines that are nearly mbox lines", from, "\nFrom ann@example.org Thu Aug 22\n", ""},
		{"an mbox of prose", from, "\nFrom\n\nFrom \n", ""},
		{"an mbox of words of a date", from, "\nFrom Thu Thu Thu Thu Aug 22 22 22 2002\n", ""},
		{"an mbox of one endless mbox line", from + "\nFrom ", "Thu ", ""},
		{"an mbox of quoted mbox lines", from, "\n>>>>" + from, ""},
		{"an mbox of empty lines", from, "\n", ""},
		{"an mbox of CR", from, "\r", ""},
		{"an mbox without mbox lines after the first", from, "x", "\n"},
	} {
		measure(t, shape.name, shape.head, shape.unit, shape.tail, func(t *testing.T, text string) func() {
			path := filepath.Join(t.TempDir(), "mbox")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return func() { list(t, path) }
		})
	}
	messages := []struct{ name, head, unit, tail string }{
		{"no line ends", "", "x", ""},
		{"header lines without a colon", "", "x\n", ""},
		{"folds", "A: b\n", " \n", ""},
		{"folds before any field", "", " \n", ""},
		{"colons", "", ":", ""},
		{"Received fields without a date", "", "Received: by x; soon\n", ""},
		{"Received fields of semicolons", "", "Received: ;;;;;;;;;;;;;;;;;;\n", ""},
		{"one Received field of semicolons", "Received: ", ";", "\n"},
		{"one Received field of comments", "Received: ;", "(a) ", "\n"},
		{"one Received field of open comments", "Received: ;", "( ", "\n"},
		{"one Received field of days", "Received: ;", "22 Aug ", "\n"},
		{"one Received field of clocks", "Received: ;", "1:1:1:1:1:1 ", "\n"},
		{"one Date field of blanks", "Date: ", " ", "\n"},
		{"Date fields", "", "Date: Thu, 22 Aug\n", ""},
		{"mbox lines in the header", "", from, ""},
		{"quoted mbox lines in the header", "", ">From (((( Aug\n", ""},
		{"bare CR in the body", "A: b\n\n", "\r", ""},
		{"CR between letters", "A: b\n\n", "a\r", ""},
		{"CR and LF", "A: b\n\n", "\r\n\n", ""},
	}
	for _, shape := range messages {
		measure(t, "the fingerprint of "+shape.name, shape.head, shape.unit, shape.tail, func(_ *testing.T, text string) func() {
			raw := []byte(text)
			return func() { corpus.Fingerprint(raw, termkey.Key{}) }
		})
		measure(t, "the time of "+shape.name, shape.head, shape.unit, shape.tail, func(_ *testing.T, text string) func() {
			raw := []byte(text)
			return func() { corpus.DeliveryTime(raw) }
		})
	}
}

// list lists the messages of a file.
func list(t *testing.T, path string) {
	mail, err := sources.OpenLabelled(path, sources.Options{Label: "ham"})
	if err != nil || !strings.Contains(mail.Notes[0], ": mbox, ") {
		t.Fatalf("got %q, error %v: want an mbox", mail.Notes, err)
	}
	for _, err := range mail.Source {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// measure tests the work on a text of one shape. prepare returns the work.
func measure(t *testing.T, name, head, unit, tail string, prepare func(t *testing.T, text string) func()) {
	t.Run(name, func(t *testing.T) {
		lineartest.Check(t, func(size int) func() {
			return prepare(t, head+strings.Repeat(unit, size/len(unit))+tail)
		})
	})
}
