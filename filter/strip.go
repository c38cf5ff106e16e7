package filter

import (
	"bytes"

	"chaff/internal/headerfield"
)

// Programs differ in where a line ends, where the header does, and what a name is, so a field that one of them does not see
// may be a verdict for the next. Two steps follow from that.
//
// First, as long as all readings agree, the X-Spam-* and X-Chaff-* fields are removed, with the lines that continue them. They
// agree on lines that end in LF or CR LF, have no control characters, and are fields or continue one.
//
// Then, up to where the header has ended in all readings, what any of them could take for such a field stays where it is,
// since in another reading it may be somebody's text, but loses its name: X-Spam-Flag becomes X_Spam-Flag.

// longLine is the length from which on programs may cut a line in two: old ones have room for 512 bytes.
const longLine = 500

// appendOthers appends raw without the verdicts on which all readings agree.
func appendOthers(dst, raw []byte) []byte {
	for atStart := true; ; {
		text, n := plainLine(raw)
		if !atStart || string(text) != spacer { // what goes on with a spacer was the beginning of the message, and is kept
			n = plainField(raw)
		}
		if n == 0 {
			return append(dst, raw...)
		}
		if field := raw[:n]; !isVerdict(field) {
			dst = append(dst, field...)
			atStart = false
		}
		raw = raw[n:]
	}
}

// plainField returns the length of the field that raw begins with and of the lines that continue it, 0 if there is none that all
// programs read alike.
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

// plainLine returns the text and the length of the line that raw begins with. There is no text if not all programs read the line
// alike: if it has no end or has control characters.
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

func isVerdict(field []byte) bool {
	for _, prefix := range headerfield.OwnPrefixes() {
		if len(field) >= len(prefix) && bytes.EqualFold(field[:len(prefix)], []byte(prefix)) {
			return true
		}
	}
	return false
}

// headerEnd returns where the header of raw has ended in all readings, and whether it has in raw. A message with lines of one kind,
// LF or CR LF, is read alike by all, since else a program could read no mail at all. If it has both, the header goes on
// for who knows only LF until two of these follow each other, and for who knows only CR LF until two of those do.
//
// Crlf says of which kind the lines before raw are. Nobody's header ends by CR alone or by CR CR LF, which to some are no line ends.
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

// disown takes their names from what any program could take for verdicts in a header. A name may begin behind every control
// character, and where a long line may be cut; and blanks and bytes beyond ASCII may stand before it, such as a byte order mark.
func disown(header []byte) {
	starts := true
	line := 0 // where it began
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

// matchName returns where the hyphen behind the X stands if b begins with a name, else 0. Blanks, control characters and folds may
// stand within it, as some programs drop them, and of bytes beyond ASCII some drop the eighth bit: mask says which bits count.
func matchName(b []byte, name string, mask byte) (hyphen int) {
	matched := 0
	for i, c := range b {
		c &= mask
		switch {
		case c == name[matched] || c|0x20 == name[matched] && 'A' <= c && c <= 'Z':
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

// goesOn reports whether some program may read the beginning of b as the continuation of a line before it: it begins with a blank, or
// does so without its bytes beyond ASCII or their eighth bit.
func goesOn(b []byte) bool {
	for len(b) > 0 && b[0] >= 0x7f && b[0]&0x7f > ' ' {
		b = b[1:]
	}
	return len(b) > 0 && b[0]&0x7f <= ' ' && !isEmptyLine(b)
}

// isIgnored reports whether a program may pass over a byte in or before a name.
func isIgnored(c byte) bool { return c <= ' ' || c >= 0x7f }
