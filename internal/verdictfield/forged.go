package verdictfield

import (
	"bytes"
	"iter"
	"slices"

	"chaff/internal/ascii"
	"chaff/internal/headerfield"
)

// Mail programs differ in where a line ends, where the header ends, and what a field name is. A forged verdict that one program
// overlooks may count for the next. So incoming X-Spam-* and X-Chaff-* fields are removed in two steps:
//
//  1. While all programs agree, such fields are deleted with their continuation lines. Programs agree on lines that end in LF or
//     CR LF, have no control characters, and are fields or continue one.
//  2. From there to where the header has ended for every program, anything that one of them could take for such a field loses its
//     name: X-Spam-Flag becomes X_Spam-Flag. It is not deleted, since other programs may take it for text.

// longLine is the length from which programs may break a line: old ones have buffers of 512 bytes.
const longLine = 500

// appendOthers appends raw without the verdict fields on which all programs agree.
func appendOthers(dst, raw []byte) []byte {
	kept := 0
	for start, end := range forgedFields(raw) {
		dst = append(dst, raw[kept:start]...)
		kept = end
	}
	return append(dst, raw[kept:]...)
}

// forgedFields yields where the verdict fields on which all programs agree begin and end.
func forgedFields(raw []byte) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		atStart := true
		for at := 0; ; {
			text, n := plainLine(raw[at:])
			if !atStart || string(text) != spacer { // a spacer at the top is ours, its continuation is the sender's
				n = plainField(raw[at:])
			}
			if n == 0 {
				return
			}
			if !isVerdict(raw[at : at+n]) {
				atStart = false
			} else if !yield(at, at+n) {
				return
			}
			at += n
		}
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

// plainLine returns the text of the first line of raw and its length with the line end. Both are zero if programs may disagree on it:
// if it has no line end or has control characters.
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

// isVerdict reports whether a field has a name that only chaff may write.
func isVerdict(field []byte) bool {
	own := headerfield.OwnPrefixes()
	return slices.ContainsFunc(own[:], func(prefix string) bool { return ascii.HasPrefixFold(field, prefix) })
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
