package corpus

import "bytes"

// cutField cuts the first header field, with the lines that continue it, from the
// start of a message. At an empty line or the end of raw there is no field, and
// body is what follows that line. The walk is tolerant: a line without a colon is
// a field of its own, and lines end in LF after any number of CRs.
func cutField(raw []byte) (field, rest []byte, ok bool) {
	end := lineEnd(raw)
	if len(trimLineEnd(raw[:end])) == 0 {
		return nil, raw[end:], false
	}
	for end < len(raw) && (raw[end] == ' ' || raw[end] == '\t') {
		end += lineEnd(raw[end:])
	}
	return raw[:end], raw[end:], true
}

// lineEnd returns the length of the first line of b with its LF.
func lineEnd(b []byte) int {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	return len(b)
}

func trimLineEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimRight(line, "\r")
}

// isFromLine reports whether a header line is the From_ line of an mbox, and not
// a From field with a blank before its colon.
func isFromLine(line []byte) bool {
	line = bytes.TrimPrefix(line, []byte(">"))
	rest, ok := bytes.CutPrefix(line, []byte(fromPrefix))
	rest = bytes.TrimLeft(rest, " \t")
	return ok && (len(rest) == 0 || rest[0] != ':')
}

// A fieldName is the name of a header field in lower case, cut after as many
// bytes as are needed to tell the names this package knows from others.
type fieldName struct {
	bytes [28]byte
	n     int
}

// nameOf returns the name of a field; a field without a colon has none.
func nameOf(field []byte) (name fieldName) {
	i := bytes.IndexByte(field, ':')
	if i < 0 {
		return name
	}
	name.n = copy(name.bytes[:], bytes.TrimRight(field[:i], " \t"))
	for j, c := range name.bytes[:name.n] {
		if 'A' <= c && c <= 'Z' {
			name.bytes[j] = c | 0x20
		}
	}
	return name
}
