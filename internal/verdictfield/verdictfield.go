// Package verdictfield writes the verdict of a filter into the header of a message, and takes out of it what a sender wrote to look like one.
package verdictfield

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/headerfield"
	"chaff/internal/lines"
)

// Field is a field that chaff writes into the header of a message: ASCII on one line.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// UnjudgedField returns the field of a message without a verdict.
func UnjudgedField(why string) Field { return Field{"X-Chaff-Unjudged", Text(why)} }

// Set returns the message with fields in its header in place of all verdict fields that it came with. They come first, behind a
// "From " line if there is one, with the line ends of the message. Every other byte stays as it is. It also reports whether the header has
// ended for every program: then none finds a verdict in what follows.
func Set(raw []byte, fields ...Field) (out []byte, ended bool) {
	first := fromLine(raw)
	const room = 1 << 10 // for fields
	out = appendOthers(append(make([]byte, 0, len(raw)+room), raw[:first]...), raw[first:], forgedFields(raw[first:]))
	rest, end := out[first:], "\n"
	if endsInCRLF(out) {
		end = "\r\n"
	}
	header, ended := headerEnd(rest, end == "\r\n")
	disown(rest[:header])
	var own []byte
	for _, f := range fields {
		own = append(own, f.Name+": "+f.Value+end...)
	}
	if mayContinue(rest) { // as it comes out
		own = append(own, spacer+end...)
	}
	return slices.Insert(out, first, own...), ended
}

// spacer is the last of our fields before a message that begins with a blank. Without it, the message would continue a verdict.
const spacer = "X-Chaff-Message:"

// Clean returns the header of a message as [Set] passes it on, but without new fields. What is at an offset of it, each at least the one before,
// begins at offsetOf in clean. Mail systems that take messages apart edit their fields by it.
func Clean(header []byte) (clean []byte, offsetOf func(offset int) int) {
	removed := forgedFields(header)
	clean = appendOthers(make([]byte, 0, len(header)), header, removed)
	end, _ := headerEnd(clean, endsInCRLF(clean))
	disown(clean[:end])
	gone := 0
	return clean, func(offset int) int {
		for len(removed) > 0 && removed[0][1] <= offset {
			gone += removed[0][1] - removed[0][0]
			removed = removed[1:]
		}
		if len(removed) > 0 {
			offset = min(offset, removed[0][0])
		}
		return offset - gone
	}
}

// endsInCRLF reports whether the first line end of raw is CR LF.
func endsInCRLF(raw []byte) bool {
	i := bytes.IndexByte(raw, '\n')
	return i > 0 && raw[i-1] == '\r'
}

// isEmptyLine reports whether b begins with a line that is empty for every program.
func isEmptyLine(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\n")) || bytes.HasPrefix(b, []byte("\r\n"))
}

// fromLine returns the length of the From_ line at the start of raw, or 0. Only a plain line counts: it must not hide our fields, nor contain one.
func fromLine(raw []byte) int {
	_, n := plainLine(raw)
	if n >= longLine || !lines.IsFromLine(raw[:n]) {
		return 0
	}
	return n
}

// Text returns the name of a class, which may be that of any folder, as the value of a field: as encoded words (RFC 2047), unless it is printable
// ASCII.
func Text(name string) string {
	const wordBytes = 45 // in an encoded word, which has at most 75 characters
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return name
	}
	var words []string
	for rest := name; rest != ""; {
		n := min(len(rest), wordBytes)
		for n < len(rest) && n > wordBytes-utf8.UTFMax && !utf8.RuneStart(rest[n]) { // a word has whole characters
			n--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(rest[:n]))+"?=")
		rest = rest[n:]
	}
	return strings.Join(words, " ")
}

// Mail programs differ in where a line ends, where the header ends, and what a field name is. A forged verdict that one program
// overlooks may count for the next. So incoming X-Spam-* and X-Chaff-* fields are removed in two steps:
//
//  1. While all programs agree, such fields are deleted with their continuation lines. Programs agree on lines that end in LF or
//     CR LF, have no control characters, and are fields or continue one.
//  2. From there to where the header has ended for every program, anything that one of them could take for such a field loses its
//     name: X-Spam-Flag becomes X_Spam-Flag. It is not deleted, since other programs may take it for text.

// longLine is the length from which programs may break a line: old ones have buffers of 512 bytes.
const longLine = 500

// appendOthers appends raw without some of its fields.
func appendOthers(dst, raw []byte, fields [][2]int) []byte {
	kept := 0
	for _, f := range fields {
		dst = append(dst, raw[kept:f[0]]...)
		kept = f[1]
	}
	return append(dst, raw[kept:]...)
}

// forgedFields returns where the verdict fields on which all programs agree begin and end.
func forgedFields(raw []byte) (found [][2]int) {
	own := headerfield.OwnPrefixes()
	for at, atStart := 0, true; ; {
		text, n := plainLine(raw[at:])
		if !atStart || string(text) != spacer { // a spacer at the top is ours, its continuation is the sender's
			n = plainField(raw[at:])
		}
		if n == 0 {
			return found
		}
		if slices.ContainsFunc(own[:], func(prefix string) bool { return ascii.HasPrefixFold(raw[at:at+n], prefix) }) {
			found = append(found, [2]int{at, at + n})
		} else {
			atStart = false
		}
		at += n
	}
}

// plainField returns the length of the first field of raw with its continuation lines, or 0 if programs may disagree on it.
func plainField(raw []byte) int {
	name, n := plainLine(raw)
	colon := bytes.IndexByte(name, ':')
	if colon <= 0 || bytes.ContainsAny(name[:colon], " \t") {
		return 0
	}
	for n < len(raw) && raw[n] <= ' ' && !isEmptyLine(raw[n:]) {
		text, more := plainLine(raw[n:])
		if len(bytes.Trim(text, " \t")) == 0 {
			return 0
		}
		n += more
	}
	return n
}

// plainLine returns the text of the first line of raw and its length with the line end, or nothing if it has no line end or has control characters.
func plainLine(raw []byte) (text []byte, n int) {
	i := bytes.IndexByte(raw, '\n')
	if i < 0 {
		return nil, 0
	}
	text = bytes.TrimSuffix(raw[:i], []byte("\r"))
	for _, c := range text {
		if c < ' ' && c != '\t' || c == 0x7f {
			return nil, 0
		}
	}
	return text, i + 1
}

// headerEnd returns the offset at which the header of raw has ended for every program, and whether it has ended in raw. All programs
// agree on messages with one kind of line end, LF or CR LF. With both kinds, a program that knows only LF waits for two LF in a row,
// and one that knows only CR LF for two CR LF in a row.
//
// Argument crlf is the kind of the lines before raw. CR alone and CR CR LF end no header, since some programs do not know them.
func headerEnd(raw []byte, crlf bool) (end int, ended bool) {
	sawLF, sawCRLF := !crlf, crlf
	lfEnded, crlfEnded := false, false
	for at, afterCRLF := 0, crlf; ; {
		i := bytes.IndexByte(raw[at:], '\n')
		if i < 0 {
			return len(raw), false
		}
		line := raw[at : at+i]
		at += i + 1
		if bytes.HasSuffix(line, []byte("\r")) {
			sawCRLF = true
			crlfEnded = crlfEnded || afterCRLF && len(line) == 1
			afterCRLF = true
		} else {
			sawLF = true
			lfEnded = lfEnded || len(line) == 0
			afterCRLF = false
		}
		if (lfEnded || !sawLF) && (crlfEnded || !sawCRLF) {
			return at, true
		}
	}
}

// disown renames whatever a program could take for a verdict field in a header. A name may begin behind any control character and
// wherever a long line may be broken. Blanks and non-ASCII bytes, such as a byte order mark, may precede it.
func disown(header []byte) {
	starts := true
	line := 0 // where the line begins
	for i, c := range header {
		if c&0x7f < ' ' && c != '\t' {
			starts = true
			if c == '\n' {
				line = i + 1
			}
			continue
		}
		starts = starts || i-line >= longLine
		if starts && c&0x5f == 'X' {
			for _, name := range headerfield.OwnPrefixes() {
				for _, mask := range [...]byte{0xff, 0x7f} {
					if hyphen := matchName(header[i:], name, mask); hyphen > 0 {
						header[i+hyphen] = '_'
					}
				}
			}
		}
		starts = starts && isIgnored(c)
	}
}

// matchName returns the offset of the first hyphen if b begins with a name, or 0. The name may contain blanks, control characters and
// folds, which some programs drop. Some also drop the eighth bit: mask selects the bits to compare.
func matchName(b []byte, name string, mask byte) (hyphen int) {
	matched := 0
	for i, c := range b {
		c &= mask
		switch {
		case ascii.Lower(c) == name[matched]:
			if matched == 1 {
				hyphen = i
			}
			if matched++; matched == len(name) {
				return hyphen
			}
		case matched == 0 || !isIgnored(c):
			return 0
		}
	}
	return 0
}

// mayContinue reports whether a program may take b for the continuation of a line before it: b begins with a blank, or does so when
// non-ASCII bytes or their eighth bits are dropped.
func mayContinue(b []byte) bool {
	for len(b) > 0 && b[0] >= 0x7f && b[0]&0x7f > ' ' {
		b = b[1:]
	}
	return len(b) > 0 && b[0]&0x7f <= ' ' && !isEmptyLine(b)
}

// isIgnored reports whether a program may ignore a byte in or before a name.
func isIgnored(c byte) bool { return c <= ' ' || c >= 0x7f }
