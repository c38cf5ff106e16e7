package message

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"chaff/internal/ascii"
	"chaff/internal/hint"
)

// NoMail is the error about bytes that are no message.
type NoMail struct {
	// Kind is a noun for what they are, such as "PDF" or "picture".
	Kind string
}

func (e *NoMail) Error() string {
	article := "a"
	if strings.ContainsAny(e.Kind[:1], "aeiouAEIO") || strings.HasPrefix(e.Kind, "MMDF") || strings.HasPrefix(e.Kind, "mbx") {
		article = "an"
	}
	return "is no mail but " + article + " " + e.Kind
}

// noMailBytes is how much of a file decides whether it is a message.
const noMailBytes = 4 << 10

// LeftOut counts files that are no mail by their kind. The zero value is empty.
type LeftOut map[string]int

// Count counts the file that err is about, and reports whether it is no mail.
func (l *LeftOut) Count(err error) bool {
	e, is := errors.AsType[*NoMail](err)
	if is {
		if *l == nil {
			*l = LeftOut{}
		}
		(*l)[e.Kind]++
	}
	return is
}

// String returns what was left out, such as "left out 3 files that are no mail (2 PDFs, 1 picture)", or "" for nothing.
func (l LeftOut) String() string {
	var kinds []string
	all := 0
	for _, kind := range slices.SortedFunc(maps.Keys(l), func(a, b string) int { return cmp.Or(l[b]-l[a], strings.Compare(a, b)) }) {
		all += l[kind]
		kinds = append(kinds, strconv.Itoa(l[kind])+" "+kind+plural(l[kind], "", "s"))
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("left out %d %s no mail (%s)", all, plural(all, "file that is", "files that are"), strings.Join(kinds, ", "))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// CheckMail returns nil if raw is a message: it has a header field of mail in its first lines, however broken the rest is, and does not begin
// as files of another format do. Otherwise it returns a [NoMail], with a hint at what to do. Only the first 4 KiB count.
func CheckMail(raw []byte) error {
	head := raw[:min(len(raw), noMailBytes)]
	switch kind := kindOf(head); {
	case kind != "":
		return IsNoMail(kind)
	case hasMailField(head):
		return nil
	case isBinary(head):
		return IsNoMail("binary file")
	}
	return IsNoMail("text")
}

// CheckFormat returns a [NoMail] if head begins as files of a format other than mail do.
func CheckFormat(head []byte) error {
	if kind := kindOf(head); kind != "" {
		return IsNoMail(kind)
	}
	return nil
}

// advices is what to do with files that are no mail, by their kind. Others get the first.
var advices = map[string]string{
	"":                          "chaff reads messages as mail programs save them, such as .eml files",
	"Outlook message":           "save it as .eml, or drag it from Outlook into a mail program and export it from there",
	"Outlook .pst file":         "convert it to mbox first, with readpst or by importing it into Thunderbird",
	"Outlook Express .dbx file": "convert it to mbox first, with undbx or by importing it into Thunderbird",
	"mbx mailbox":               "convert it to mbox or Maildir first, with mailutil or Emacs",
	"MMDF mailbox":              "convert it to mbox or Maildir first, with mailutil or Emacs",
	"Babyl mailbox":             "convert it to mbox or Maildir first, with mailutil or Emacs",
	"Thunderbird .msf file":     "the mail is in the file of the same name without .msf",
	"archive":                   "unpack it first; chaff reads the mail in a tar or zip archive if its own path is given",
	"text":                      "a message begins with fields such as From, To and Subject; before a text alone, write the line `Subject:` and an empty one",
}

// IsNoMail returns the error about a file of that kind.
func IsNoMail(kind string) error { return hint.With(&NoMail{kind}, cmp.Or(advices[kind], advices[""])) }

// kindOf returns the kind of a file that begins with the mark of a format other than mail, or "".
func kindOf(head []byte) string {
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	for _, f := range [...]struct{ mark, kind string }{
		{"%PDF-", "PDF"},
		{"\xff\xd8\xff", "picture"}, {"\x89PNG\r\n", "picture"}, {"GIF87a", "picture"}, {"GIF89a", "picture"},
		{"II*\x00", "picture"}, {"MM\x00*", "picture"},
		{"ID3\x02", "recording"}, {"ID3\x03", "recording"}, {"ID3\x04", "recording"}, {"OggS\x00", "recording"}, {"fLaC\x00", "recording"},
		{"PK\x03\x04", "archive"}, {"PK\x05\x06", "archive"}, {"\x1f\x8b", "archive"}, {"Rar!\x1a", "archive"}, {"7z\xbc\xaf\x27\x1c", "archive"},
		{"\x7fELF", "program"}, {"MZ\x90\x00", "program"},
		{"\xd0\xcf\x11\xe0", "Outlook message"}, {"!BDN", "Outlook .pst file"}, {"\xcf\xad\x12\xfe", "Outlook Express .dbx file"},
		{"*mbx*", "mbx mailbox"}, {"\x01\x01\x01\x01\n", "MMDF mailbox"}, {"\x01\x01\x01\x01\r\n", "MMDF mailbox"},
		{"BABYL OPTIONS:", "Babyl mailbox"}, {"// <!-- <mdb:mork", "Thunderbird .msf file"},
		{"<!doctype html", "web page"}, {"<html", "web page"}, {"<head", "web page"}, {"<body", "web page"},
		{"begin:vcalendar", "calendar"}, {"begin:vcard", "visiting card"},
	} {
		if ascii.HasPrefixFold(start, f.mark) {
			return f.kind
		}
	}
	if len(head) >= 12 { // the size of the file is between the marks
		switch string(head[:4]) + string(head[8:12]) {
		case "RIFFWEBP":
			return "picture"
		case "RIFFWAVE", "RIFFAVI ":
			return "recording"
		}
	}
	return ""
}

// hasMailField reports whether one of the first lines of head is a header field that mail has.
//
// QUIRK: a message begins with its header. Mail on disk also has empty lines or an mbox line before it, the mark of a charset, or another line
// in its place; its lines may end in CR, and all of it may be UTF-16.
func hasMailField(head []byte) bool {
	if bytes.IndexByte(head[:min(len(head), 4)], 0) >= 0 {
		head = bytes.ReplaceAll(head, []byte{0}, nil) // UTF-16 or UTF-32
	}
	if bytes.IndexByte(head, '\r') >= 0 {
		head = new(texts).appendNormal(nil, head)
	}
	for lines := 0; len(head) > 0 && lines < maxJunkLines; {
		for _, mark := range [...]string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
			head = bytes.TrimPrefix(head, []byte(mark))
		}
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		switch name, _ := cutName(line); {
		case IsMailField(name):
			return true
		case lines == 0 && (len(line) == 0 || isFromLine(line)), lines > 0 && isFold(line):
		case len(line) == 0, bytes.HasPrefix(line, []byte("--")):
			return false
		default:
			lines++
		}
	}
	return false
}

// IsMailField reports whether hardly anything but mail has a field of that name. Lists of packages, calendars and rules for robots have some of
// the fields that mail has.
func IsMailField(name []byte) bool {
	for _, other := range [...]string{"status", "importance", "priority", "organization", "user-agent", "lines", "path"} {
		if ascii.EqualFold(name, other) {
			return false
		}
	}
	return isCommonField(name, false)
}
