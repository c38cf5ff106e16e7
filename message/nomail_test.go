package message

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// inUTF16 returns text in UTF-16 of either order, with or without its mark.
func inUTF16(text string, bigEndian, marked bool) string {
	var b strings.Builder
	put := func(u uint16) {
		if bigEndian {
			u = u<<8 | u>>8
		}
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	if marked {
		put(0xfeff)
	}
	for _, u := range utf16.Encode([]rune(text)) {
		put(u)
	}
	return b.String()
}

func TestBrokenMailIsMail(t *testing.T) {
	const mail = "From: ann@example.org\nTo: ben@example.net\nSubject: notes\n\nHere they are.\n"
	for about, raw := range map[string]string{
		"whole":                             mail,
		"a subject and nothing else":        "Subject: notes\n",
		"cut in its first field":            "Received: from",
		"empty lines before the header":     "\n\r\n" + mail,
		"an mbox line":                      "From ann@example.org Thu Aug 22 12:36:23 2002\n" + mail,
		"a quoted mbox line":                ">From ann@example.org Thu Aug 22 12:36:23 2002\n" + mail,
		"a field named as pictures begin":   "RIFF: a\n" + mail,
		"an mbox line and an empty one":     "From - Thu Aug 22 12:36:23 2002\n\n" + mail,
		"the mark of UTF-8":                 "\ufeff" + mail,
		"the mark after an mbox line":       "From - Thu Aug 22 12:36:23 2002\n\ufeff" + mail,
		"little-endian UTF-16":              inUTF16(mail, false, true),
		"big-endian UTF-16":                 inUTF16(mail, true, true),
		"little-endian UTF-16, no mark":     inUTF16(mail, false, false),
		"big-endian UTF-16, no mark":        inUTF16(mail, true, false),
		"CR alone":                          strings.ReplaceAll(mail, "\n", "\r"),
		"CR alone behind an mbox line":      strings.ReplaceAll("From ann@example.org Thu Aug 22 12:36:23 2002\n"+mail, "\n", "\r"),
		"one field in UTF-16":               inUTF16("Subject: notes\n", false, true),
		"CR LF":                             strings.ReplaceAll(mail, "\n", "\r\n"),
		"CR CR LF":                          strings.ReplaceAll(mail, "\n", "\r\r\n"),
		"a garbage line first":              "\x00\xff%%%\n" + mail,
		"names in odd case":                 "sUBJECT:notes\n\nx",
		"a blank before the colon":          "Subject : notes\n\nx",
		"a first field with many folds":     "Foo: a\n" + strings.Repeat(" more of it\n", 100) + mail,
		"other fields first":                "Foo: a\nBar: b\nStatus: RO\nPath: x\n" + mail,
		"fields of the content only":        "MIME-Version: 1.0\nContent-Type: text/html\n\n<html>",
		"8-bit and NUL bytes in the header": "Subject: \x00\xe9\n\nx",
		"no empty line after the header":    "Subject: a\nText of it",
		"a PDF in its text":                 "Subject: a\n\n%PDF-1.4\n",
		"a patch": "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n" +
			"From: Ann <ann@example.org>\nSubject: [PATCH] x\n\n---\n",
		"of a terse client": "X-Account-Key: account1\nX-UIDL: 1\nX-Mozilla-Status: 0001\n" + mail,
	} {
		if err := CheckMail([]byte(raw)); err != nil {
			t.Errorf("%s: it %v", about, err)
		}
	}
}

func TestFilesOfOtherFormatsAreNoMail(t *testing.T) {
	const field = "\nSubject: notes\n"
	for about, tt := range map[string]struct{ raw, kind string }{
		"a PDF":                       {"%PDF-1.4\n%\xe2\xe3" + field, "PDF"},
		"a JPEG":                      {"\xff\xd8\xff\xe0\x00\x10JFIF" + field, "picture"},
		"a PNG":                       {"\x89PNG\r\n\x1a\n" + field, "picture"},
		"a GIF":                       {"GIF89a" + field, "picture"},
		"a WebP":                      {"RIFF\x24\x00\x00\x00WEBPVP8 " + field, "picture"},
		"an MP3":                      {"ID3\x03\x00\x00" + field, "recording"},
		"a zip":                       {"PK\x03\x04" + field, "archive"},
		"a gzip":                      {"\x1f\x8b\x08" + field, "archive"},
		"an older one":                {"\x80\x04\x95\x10" + field, "Python pickle"},
		"a held message of Mailman":   {"\x80\x05\x95z\x03\x00\x8c\x15mailman.email.message" + field, "Python pickle"},
		"a program":                   {"\x7fELF\x02\x01\x01\x00" + field, "program"},
		"a message of Outlook":        {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + field, "Outlook message"},
		"a mailbox of Outlook":        {"!BDN" + field, "Outlook .pst file"},
		"a folder of Outlook Express": {"\xcf\xad\x12\xfe" + field, "Outlook Express .dbx file"},
		"mbx":                         {"*mbx*\r\n5f3a\r\n" + field, "mbx mailbox"},
		"mtx":                         {" 6-Jan-2003 10:00:00 +0000,10353;000000000000\r\nFrom: a@b.example" + field, "mtx mailbox"},
		"MMDF":                        {"\x01\x01\x01\x01\nFrom: a@b.example" + field, "MMDF mailbox"},
		"Foxmail":                     {"\x10\x10\x10\x10\x10\x10\x10\x11\x11\x11\x11\x11\x11S\r\n" + field, "Foxmail mailbox"},
		"an archive of Foxmail":       {"ARCF\x00" + field, "Foxmail mailbox"},
		"The Bat!":                    {"\x20\x06\x79\x19\x08\x0c\x00" + field, "The Bat! mailbox"},
		"Babyl":                       {"BABYL OPTIONS:\nVersion: 5" + field, "Babyl mailbox"},
		"an index of Thunderbird":     {"// <!-- <mdb:mork:z v=\"1.4\"/> -->\n" + field, "Thunderbird .msf file"},
		"a page":                      {"\ufeff\r\n <!DOCTYPE HTML>" + field, "web page"},
		"a page without a type":       {"<HTML><body>saved</body></html>", "web page"},
		"a calendar":                  {"BEGIN:VCALENDAR\r\nX-WR-CALNAME:work\r\n", "calendar"},
		"a card":                      {"BEGIN:VCARD\r\nN:Lee;Ann\r\n", "visiting card"},
		"an index":                    {"\x00\x00\x00\x0a\x00\x00\x00\x60", "binary file"},
		"a note":                      {"my notes about the mail\n", "text"},
		"a table":                     {"a,b\n1,2\n", "text"},
		"a letter without a header":   {"Dear Ann,\n\nSubject: what we said\n", "text"},
		"rules for robots":            {"User-agent: *\nDisallow: /\n", "text"},
		"a package":                   {"Package: chaff\nStatus: installed\nPriority: optional\n", "text"},
		"front matter":                {"---\ndate: 2024-01-01\n---\n", "text"},
		"JSON":                        {"{\"subject\": \"x\",\n\"from\": 1}\n", "text"},
		"addresses":                   {"https://example.org/\nhttp://example.net/\n", "text"},
		"a field far below":           {strings.Repeat("line\n", 8) + "Subject: x\n", "text"},
		"nothing but line ends":       {"\n\r\n", "text"},
		"nothing":                     {"", "text"},
		"a text in UTF-16":            {inUTF16("my notes", false, true), "text"},
	} {
		err := CheckMail([]byte(tt.raw))
		if e, is := errors.AsType[*NoMail](err); !is || e.Kind != tt.kind {
			t.Errorf("%s: got %v, want %s", about, err, tt.kind)
		}
	}
	for kind, want := range map[string]string{"MMDF mailbox": "is no mail but an MMDF mailbox", "PDF": "is no mail but a PDF", "archive": "is no mail but an archive"} {
		if got := IsNoMail(kind).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheExampleMessagesAreMail(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.eml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d example messages: %v", len(files), err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckMail(raw); err != nil {
			t.Errorf("%s %v", name, err)
		}
	}
}

func TestFilesThatAreNoMailAreCountedByKind(t *testing.T) {
	var left LeftOut
	for _, raw := range []string{"GIF89a", "%PDF-1.4", "%PDF-1.5"} {
		if !left.Count(CheckMail([]byte(raw))) {
			t.Errorf("%q is not counted", raw)
		}
	}
	if left.Count(nil) || left.Count(os.ErrNotExist) {
		t.Error("another error is counted")
	}
	if got, want := left.String(), "left out 3 files that are no mail (2 PDFs, 1 picture)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (LeftOut{"mbx mailbox": 2}).String(), "left out 2 files that are no mail (2 mbx mailboxes)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	one := LeftOut{"archive": 1}
	if got, want := one.String(), "left out 1 file that is no mail (1 archive)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := LeftOut(nil).String(); got != "" {
		t.Errorf("got %q for nothing", got)
	}
}

// FuzzCheckMail checks that only the head decides, and that a message is one with an mbox line or empty lines before it.
func FuzzCheckMail(f *testing.F) {
	for _, seed := range []string{"Subject: x\n\ny", "\r\rFrom: a", "%PDF-1.4", "F\x00r\x00o\x00m\x00:\x00", "a: b\n c\n--\n", "\ufeff\xff\xfe\n>From x\nTo:"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		err := CheckMail(raw)
		if e, is := errors.AsType[*NoMail](err); err != nil && (!is || e.Kind == "") {
			t.Fatalf("got %v", err)
		}
		if again := CheckMail(append(bytes.Clone(raw[:min(len(raw), noMailBytes)]), "\x00%PDF-"...)); len(raw) > noMailBytes && (again == nil) != (err == nil) {
			t.Errorf("what follows the head decides: %v, %v", err, again)
		}
		if len(raw) < noMailBytes/2 && err == nil {
			for _, before := range []string{"\n", "\r\n", "From ann@example.org Thu Aug 22 12:36:23 2002\n"} {
				if bytes.IndexByte(raw[:min(len(raw), 4)], 0) >= 0 {
					continue // UTF-16
				}
				if err := CheckMail(append([]byte(before), raw...)); err != nil {
					t.Errorf("after %q it %v", before, err)
				}
			}
		}
	})
}
