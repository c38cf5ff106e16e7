// Package verdictfield writes the verdict of a filter into the header of a message, and takes out of it what a sender wrote to look like one.
package verdictfield

import (
	"bytes"
	"slices"
	"strings"
)

// Field is a field that chaff writes into the header of a message. Its name and value are ASCII on one line, except for a value that has
// the name of a class.
type Field struct{ Name, Value string }

// UnjudgedField returns the field of a message without a verdict.
func UnjudgedField(why string) Field { return Field{"X-Chaff-Unjudged", Text(why)} }

// Set returns the message with fields in its header in place of all verdict fields that it came with. They come first, behind a
// "From " line if there is one, with the line ends of the message. Every other byte stays as it is. It also reports whether the header has
// ended for every program.
func Set(raw []byte, fields ...Field) (out []byte, ended bool) {
	var own strings.Builder
	for _, f := range fields {
		own.WriteString(f.Name + ": " + f.Value + "\n")
	}
	return withFields(raw, own.String())
}

// Unjudged does for a message without a verdict, or for its beginning, what [Set] does for one with a verdict. The only
// field it writes is
//
//	X-Chaff-Unjudged: WHY
//
// Result ended reports whether the header has ended for every program that may read the message. If it has, no program finds a verdict
// in what follows.
func Unjudged(raw []byte, why string) (out []byte, ended bool) {
	return Set(raw, UnjudgedField(why))
}

// spacer is the last of our fields before a message that begins with a blank. Without it, the message would continue a verdict.
const spacer = "X-Chaff-Message:"

// withFields replaces the verdict fields of raw by the given ones, lines that end in LF. It also reports whether the header has ended
// for every program.
func withFields(raw []byte, fields string) (out []byte, ended bool) {
	first := fromLine(raw)
	maxGrowth := len(fields) + strings.Count(fields, "\n") + len(spacer) + len("\r\n")
	out = append(make([]byte, 0, len(raw)+maxGrowth), raw[:first]...)
	out = appendOthers(out, raw[first:])
	rest := out[first:]
	crlf := endsInCRLF(out)
	ended = disownHeader(rest, crlf)
	if mayContinue(rest) { // as it comes out
		fields += spacer + "\n"
	}
	if crlf {
		fields = strings.ReplaceAll(fields, "\n", "\r\n")
	}
	return slices.Insert(out, first, []byte(fields)...), ended
}

// Clean returns the header of a message as [Set] passes it on, but without new fields, and where the parts that it has
// removed begin and end. The rest has its length. Mail systems that take messages apart edit their fields by it.
func Clean(header []byte) (clean []byte, removed [][2]int) {
	for start, end := range forgedFields(header) {
		removed = append(removed, [2]int{start, end})
	}
	clean = appendOthers(make([]byte, 0, len(header)), header)
	disownHeader(clean, endsInCRLF(clean))
	return clean, removed
}

// disownHeader takes the names of verdicts from the header of raw, to where it has ended for every program, and reports whether it has.
func disownHeader(raw []byte, crlf bool) (ended bool) {
	end, ended := headerEnd(raw, crlf)
	disown(raw[:end])
	return ended
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

// fromLine returns the length of the From_ line at the start of raw, or 0. Only a plain line counts: it comes before our fields, and must
// neither hide them nor contain a field.
func fromLine(raw []byte) int {
	if !bytes.HasPrefix(raw, []byte("From ")) && !bytes.HasPrefix(raw, []byte(">From ")) {
		return 0
	}
	if text, n := plainLine(raw); text != nil && n < longLine {
		return n
	}
	return 0
}

// Text replaces control characters, so that the name of a folder cannot break the header.
func Text(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}
