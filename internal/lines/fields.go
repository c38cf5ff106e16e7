// Package lines splits raw messages into lines and header fields.
package lines

import (
	"bytes"

	"chaff/internal/ascii"
	"chaff/internal/headerfield"
)

// CutField splits a message after its first header field and the lines that continue the field. At an empty line or the end
// of raw there is no field, and rest is what follows that line. A line without a colon is a field too, and lines end in LF
// after any number of CRs.
func CutField(raw []byte) (field, rest []byte, ok bool) {
	end := LineEnd(raw)
	if len(bytes.TrimRight(raw[:end], "\r\n")) == 0 {
		return nil, raw[end:], false
	}
	for end < len(raw) && (raw[end] == ' ' || raw[end] == '\t') {
		end += LineEnd(raw[end:])
	}
	return raw[:end], raw[end:], true
}

// LineEnd returns the length of the first line of b, including its LF.
func LineEnd(b []byte) int {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	return len(b)
}

// FromPrefix is the beginning of a From_ line, which separates the messages of an mbox.
const FromPrefix = "From "

// NextQuotedFrom returns where the first line of text is that is "From " behind some ">", and how many these are; the end of the text and 0 if
// there is none.
func NextQuotedFrom(text []byte) (line, quotes int) {
	for line < len(text) {
		quotes = 0
		for line+quotes < len(text) && text[line+quotes] == '>' {
			quotes++
		}
		if quotes > 0 && bytes.HasPrefix(text[line+quotes:], []byte(FromPrefix)) {
			return line, quotes
		}
		next := bytes.Index(text[line:], []byte("\n>"))
		if next < 0 {
			break
		}
		line += next + 1
	}
	return len(text), 0
}

// IsFromLine reports whether a header line is the From_ line of an mbox. A From field with a blank before its colon is not.
func IsFromLine(line []byte) bool {
	line = bytes.TrimPrefix(line, []byte(">"))
	rest, ok := bytes.CutPrefix(line, []byte(FromPrefix))
	rest = bytes.TrimLeft(rest, " \t")
	return ok && (len(rest) == 0 || rest[0] != ':')
}

// NameSize is the size of the longest name that [AppendName] appends.
const NameSize = headerfield.MaxName + 1

// AppendName appends the name of a field in lower case, truncated to a length that still distinguishes all names in use. Without a colon it
// appends nothing.
func AppendName(dst, field []byte) []byte {
	colon := max(bytes.IndexByte(field, ':'), 0)
	return ascii.AppendLower(dst, bytes.TrimRight(field[:colon], " \t"), NameSize)
}
