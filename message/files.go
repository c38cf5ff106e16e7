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
	"time"

	"chaff/internal/ascii"
	"chaff/internal/hint"
	"chaff/internal/lines"
	"chaff/internal/pdftext"
)

// htmlEndings lists the endings of file names that browsers open as HTML or SVG.
var htmlEndings = [...]string{".htm", ".html", ".shtml", ".xhtml", ".xht", ".svg"}

// pdf sets the texts of part to those of a PDF, and adds its links to the message.
func (d *Decoder) pdf(part *Part, content []byte) {
	d.pdfLimits.Text = d.left
	text, hidden := pdftext.Extract(content, &d.pdfLimits, func(uri []byte) { d.addLink(LinkAnchor, uri) })
	if len(text)+len(hidden) > 0 {
		d.setText(part, text, false)
		part.Hidden = d.cutText(hidden, d.left)
		d.left -= len(part.Hidden)
	}
}

// kindOfFile returns how programs that open a file read it. Head is its beginning; isPage says that its name is that of a page.
//
// QUIRK: the type of a file says what it is. Mail sends HTML, calendars, PDF and whole messages under any type, and programs
// open them by name and content.
func kindOfFile(head []byte, e *entity, isPage bool) kind {
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
	switch {
	case isPage: // for browsers, whatever it begins with
		return kindHTML
	case bytes.Contains(head, []byte("%PDF-")):
		return kindPDF
	case ascii.HasPrefixFold(start, "begin:vcalendar"), ascii.HasPrefixFold(start, "begin:vcard"):
		return kindCalendar
	case isBinary(head):
		return kindFile
	case string(e.mediaType) == "image/svg+xml", hasTag(head, "html", "body", "svg"):
		return kindHTML
	case ascii.HasSuffixFold(e.filename, ".txt"), ascii.HasSuffixFold(e.filename, ".url"): // a link that Windows follows
		return kindText
	}
	return kindFile
}

// isRich reports whether text is rich text (RFC 1896), which has no tags that hide anything. Most programs show all of it as text.
func isRich(text []byte) bool {
	for {
		_, after, found := bytes.Cut(text, []byte("<"))
		if !found {
			return true
		}
		if text = bytes.TrimPrefix(after, []byte("<")); len(text) < len(after) { // a sign
			continue
		}
		var lower [maxName]byte
		name := tagName(&lower, bytes.TrimPrefix(text, []byte("/")))
		_, isRaw := rawElements[string(name)]
		rest := bytes.TrimLeft(bytes.TrimPrefix(text, []byte("/")), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
		if isRaw || traitsOf(name)&ownLook != 0 || len(name) == 0 || !bytes.HasPrefix(rest, []byte(">")) {
			return false
		}
	}
}

// sniffBytes is how much of a text is searched for signs of HTML.
const sniffBytes = 1 << 10

// hasTag reports whether a text has a tag, or the document type, of one of these elements near its start.
func hasTag(text []byte, names ...string) bool {
	text = text[:min(len(text), sniffBytes)]
	for {
		_, after, ok := bytes.Cut(text, []byte("<"))
		if !ok {
			return false
		}
		text = after
		var lower [maxName]byte
		name := tagName(&lower, text)
		if string(name) == "!doctype" {
			name = tagName(&lower, bytes.TrimLeft(text[len(name):], " \t\r\n"))
		}
		if slices.Contains(names, string(name)) {
			return true
		}
	}
}

// isBinary reports whether head has control characters that text does not have. UTF-16 begins with a mark.
func isBinary(head []byte) bool {
	return !hasOrderMark(head) && control.Index(head) < len(head)
}

// isNoise reports whether a content that should be text has a control character in 32 bytes. A file that is no text has one in ten.
// NUL does not count: UTF-16 has it, and text in which it was hidden.
//
// QUIRK: text/plain is text, and so is a part without a type. Mail has pictures under both (test/cases/26-picture-without-type), and declares base64 for
// text that is none: its letters are decoded to noise (test/cases/24-plain-under-base64). Neither the mark of a picture nor noise
// proves anything, nor do both if there are words, because a reader shows the words and no control characters.
func isNoise(content []byte) bool {
	const odd = control &^ 1
	if head := content[:min(len(content), sniffBytes)]; odd.Index(head) == len(head) {
		return false
	}
	controls := 0
	for _, c := range content {
		if odd.Has(c) {
			controls++
		}
	}
	return controls*32 > len(content)
}

// fileKinds are the kinds of files that begin with marks of their own, and are sent as text by mistake.
var fileKinds = []string{"PDF", "picture", "recording", "archive", "program", "Outlook message"}

// hasWords reports whether a quarter of what a reader sees of content is words of at least four letters of ASCII. Of noise it is one byte in a hundred.
func hasWords(content []byte) bool {
	const shortest = 4
	visible, inWords, run := 0, 0, 0
	for _, c := range content {
		switch {
		case c == 0xad, control.Has(c): // a soft hyphen
			continue
		case !ascii.IsLetter(c):
			run = 0
		default:
			if run++; run == shortest {
				inWords += shortest
			} else if run > shortest {
				inWords++
			}
		}
		visible++
	}
	return inWords*4 >= visible
}

// control is the control characters that text does not have.
const control ascii.Set = 1<<' ' - 1 - 1<<'\t' - 1<<'\n' - 1<<'\f' - 1<<'\r' - 1<<'\x1b'

const (
	// maxFileBytes is how much is read of the files of a message that are neither text nor HTML.
	maxFileBytes = 8 << 20
	// maxUnpacked is how many bytes the compressed streams of all PDFs of a message are unpacked to.
	maxUnpacked = 4 << 20
	// maxPacked is how many bytes of these streams are unpacked. A stream may have a Huffman table every twelve bytes, which
	// costs as much as a thousand bytes of text and unpacks to nothing.
	maxPacked = 512 << 10
)

// takeFiles returns text without the uuencoded files in it, and these.
//
// QUIRK: before MIME, and long after, programs wrote files into the text (uuencode.eml).
func (d *Decoder) takeFiles(text []byte) (_ []byte, files []entity) {
	var pieces [][]byte // of the text between the files
	for {
		from, lines, name, ok := findUUBegin(text)
		if !ok {
			break
		}
		pieces = append(pieces, text[:from])
		encoded := text[lines:]
		decoded, after, isWhole := appendUU(d.arena, encoded)
		if text = after; !isWhole {
			d.msg.Repairs.Add(BadUUencode)
		}
		if encoded = encoded[:len(encoded)-len(text)]; len(encoded) > maxUULine && hasWords(encoded) { // capitals that most programs show
			pieces = append(pieces, encoded)
		}
		content := d.keep(decoded)
		file := entity{mediaType: typeFile, filename: d.decodeWords(name, nil), attachment: true, content: content}
		if head := content[:min(len(content), sniffBytes)]; !isBinary(head) && kindOf(head) == "" {
			file.mediaType = typePlain
		}
		files = append(files, file)
		if len(d.msg.Parts)+len(files) >= d.options.MaxParts {
			d.msg.Repairs.Add(CutParts)
			text = nil
		}
	}
	if len(files) == 0 {
		return text, nil
	}
	return bytes.Join(append(pieces, text), nil), files
}

// calendar sets the texts of part to what a calendar or visiting card shows (RFC 5545, 6350): the values of some properties,
// each on a line. It adds the links to the message.
//
// QUIRK: the description of an event is plain text. Programs send HTML in it, and show it.
func (d *Decoder) calendar(part *Part, content, charset []byte) {
	text := d.cutText(d.toUTF8(content, charset, false), d.left)
	left := d.left - len(text)
	var lines, hidden []byte
	for len(text) > 0 {
		var property, value []byte
		property, value, text = d.cutProperty(text)
		if value = d.shownValue(property, value); len(value) == 0 {
			continue
		}
		line := Part{}
		d.setText(&line, value, bytes.Contains(value, []byte("</")) || hasTag(value, "br", "p", "html", "body"))
		part.Images += line.Images
		lines = append(append(lines, line.Text...), '\n')
		hidden = append(hidden, line.Hidden...)
	}
	part.Text, part.Hidden, d.left = lines, hidden, left
}

// cutProperty cuts the first property off text. Lines that begin with a blank continue it. The value is unfolded, but still escaped.
func (d *Decoder) cutProperty(text []byte) (property, value, rest []byte) {
	start := len(d.arena)
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	d.arena = append(d.arena, bytes.TrimSuffix(line, []byte("\r"))...)
	for isFold(rest) {
		line, rest, _ = bytes.Cut(rest[1:], []byte("\n"))
		d.arena = append(d.arena, bytes.TrimSuffix(line, []byte("\r"))...)
	}
	line = slices.Clip(d.arena[start:])
	colon := 0
	for inQuotes := false; colon < len(line) && (inQuotes || line[colon] != ':'); colon++ { // parameters may contain colons in quotes
		inQuotes = inQuotes != (line[colon] == '"')
	}
	return line[:colon], line[min(colon+1, len(line)):], rest
}

// shownValue returns the unescaped value of a property, nil if programs do not show it.
func (d *Decoder) shownValue(property, value []byte) []byte {
	name, _, _ := bytes.Cut(property, []byte(";"))
	if dot := bytes.LastIndexByte(name, '.'); dot >= 0 { // the group of a card
		name = name[dot+1:]
	}
	const maxName = 16 // longer than any below
	var lower [maxName]byte
	switch string(ascii.AppendLower(lower[:0], name, maxName)) {
	case "organizer", "attendee": // whose value is an address
		d.cutParams(property)
		return d.param("cn")
	case "summary", "description", "location", "comment", "contact", "url", "attach", "conference", "x-alt-desc",
		"x-wr-calname", "x-wr-caldesc", "fn", "note", "org", "title", "role", "label":
		return d.unescape(value, '\n')
	}
	return nil
}

// NoMail is the error about bytes that are no message.
type NoMail struct {
	// Kind is a noun for what they are, such as "PDF" or "picture".
	Kind string
}

func (e *NoMail) Error() string {
	article := "a"
	if strings.ContainsAny(e.Kind[:1], "aeiouAEIOmM") { // an mbx mailbox
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
		kinds = append(kinds, strconv.Itoa(l[kind])+" "+strings.Replace(kind+plural(l[kind], "", "s"), "boxs", "boxes", 1))
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
	switch err := CheckFormat(head); {
	case err != nil, hasMailField(head):
		return err
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
	"mtx mailbox":               "convert it to mbox or Maildir first, with mailutil or Emacs",
	"Alpine mix mailbox":        "convert it to mbox or Maildir first, with mailutil",
	"MMDF mailbox":              "convert it to mbox or Maildir first, with mailutil or Emacs",
	"Babyl mailbox":             "convert it to mbox or Maildir first, with mailutil or Emacs",
	"Dovecot mdbox file":        "export the mailbox as a Maildir first: doveadm -o namespace/inbox/separator=/ backup -u USER maildir:FOLDER",
	"Thunderbird .msf file":     "the mail is in the file of the same name without .msf",
	"archive":                   "unpack it first; chaff reads the mail in a tar or zip archive if its own path is given",
	"text":                      "a message begins with fields such as From, To and Subject; before a text alone, write the line `Subject:` and an empty one",
}

// IsNoMail returns the error about a file of that kind.
func IsNoMail(kind string) error { return hint.With(&NoMail{kind}, cmp.Or(advices[kind], advices[""])) }

// kindOf returns the kind of a file that begins with the mark of a format other than mail, or "".
func kindOf(head []byte) string {
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
	if len(head) >= 12 && bytes.HasPrefix(head, []byte("RIFF")) { // the size of the file is between two marks
		start = slices.Concat(head[:4], []byte{0}, head[8:12])
	}
	// QUIRK: each message of an mtx or tenex mailbox of Pine and UW IMAP follows a line such as " 6-Jan-2003 10:00:00 +0000,10353;000000000000".
	if date, _, _ := bytes.Cut(head[:min(len(head), 27)], []byte(",")); len(date) == 26 && date[2] == '-' {
		if _, err := time.Parse("_2-Jan-2006 15:04:05 -0700", string(date)); err == nil {
			return "mtx mailbox"
		}
	}
	for _, f := range [...]struct{ mark, kind string }{
		{"%PDF-", "PDF"},
		{"\xff\xd8\xff", "picture"}, {"\x89PNG\r\n", "picture"}, {"GIF87a", "picture"}, {"GIF89a", "picture"},
		{"II*\x00", "picture"}, {"MM\x00*", "picture"}, {"RIFF\x00WEBP", "picture"},
		{"RIFF\x00WAVE", "recording"}, {"RIFF\x00AVI ", "recording"}, {"ID3\x02", "recording"}, {"ID3\x03", "recording"}, {"ID3\x04", "recording"},
		{"OggS\x00", "recording"}, {"fLaC\x00", "recording"},
		{"PK\x03\x04", "archive"}, {"PK\x05\x06", "archive"}, {"\x1f\x8b", "archive"}, {"Rar!\x1a", "archive"}, {"7z\xbc\xaf\x27\x1c", "archive"},
		{"\x80\x04\x95", "Python pickle"}, {"\x80\x05\x95", "Python pickle"}, // of Mailman 3
		{"\x7fELF", "program"}, {"MZ\x90\x00", "program"},
		{"\xd0\xcf\x11\xe0", "Outlook message"}, {"!BDN", "Outlook .pst file"}, {"\xcf\xad\x12\xfe", "Outlook Express .dbx file"},
		{"*mbx*", "mbx mailbox"}, {"\x01\x01\x01\x01\n", "MMDF mailbox"}, {"\x01\x01\x01\x01\r\n", "MMDF mailbox"},
		{"ARCF", "Foxmail mailbox"}, {"\x10\x10\x10\x10\x10\x10\x10\x11\x11\x11\x11\x11\x11S\r\n", "Foxmail mailbox"}, {"\x06y\x19", "The Bat! mailbox"}, // behind a blank
		{"BABYL OPTIONS:", "Babyl mailbox"}, {"// <!-- <mdb:mork", "Thunderbird .msf file"},
		{"<!doctype html", "web page"}, {"<html", "web page"}, {"<head", "web page"}, {"<body", "web page"},
		{"begin:vcalendar", "calendar"}, {"begin:vcard", "visiting card"},
	} {
		if ascii.HasPrefixFold(start, f.mark) {
			return f.kind
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
	for n := 0; len(head) > 0 && n < maxJunkLines; {
		for _, mark := range [...]string{byteOrderMark, "\xff\xfe", "\xfe\xff"} {
			head = bytes.TrimPrefix(head, []byte(mark))
		}
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		switch name, _ := cutName(line); {
		case IsMailField(name):
			return true
		case n == 0 && (len(line) == 0 || lines.IsFromLine(line)), n > 0 && isFold(line):
		case len(line) == 0, bytes.HasPrefix(line, []byte("--")):
			return false
		default:
			n++
		}
	}
	return false
}

// IsMailField reports whether hardly anything but mail has a field of that name. Lists of packages, calendars and rules for robots have some of
// the fields that mail has.
func IsMailField(name []byte) bool {
	others := []string{"status", "importance", "priority", "organization", "user-agent", "lines", "path"}
	return isCommonField(name, false) && !slices.ContainsFunc(others, func(other string) bool { return ascii.EqualFold(name, other) })
}
