package tokenize

import (
	"bytes"
	"unicode/utf8"
)

// byteKind is a set of what the bytes of a stretch of text are.
type byteKind uint8

const (
	space       byteKind = 1 << iota
	nonASCII             // part of a character beyond ASCII, or a control character
	alpha                // a letter of ASCII
	number               // a digit
	at                   // an at sign
	sign                 // a sign that may be put in place of a letter, other than the at sign
	punctuation          // any other character of ASCII
)

// byteKinds returns the kind of each byte.
func byteKinds() (kinds [256]byteKind) {
	for c := range kinds {
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			kinds[c] = space
		case c >= utf8.RuneSelf, c < ' ', c == 0x7f:
			kinds[c] = nonASCII
		case classOf(byte(c)) == letter:
			kinds[c] = alpha
		case c >= '0' && c <= '9':
			kinds[c] = number
		case c == '@':
			kinds[c] = at
		case c == '$' || c == '!' || c == '|':
			kinds[c] = sign
		default:
			kinds[c] = punctuation
		}
	}
	return kinds
}

// maxStretch is the longest stretch beyond ASCII, in bytes. What is longer holds no words, or words without spaces between
// them, of which one is cut in two; so what is made legible at a time, which may grow many times, is bounded.
const maxStretch = 1 << 14

// stretches takes text one stretch between white space at a time, since no word crosses white space. Stretches beyond ASCII
// are taken as a reader sees them, with white space where none is written.
type stretches struct {
	bytes  *[256]byteKind
	text   []byte     // what is left of the text
	reader *Tokenizer // makes stretches beyond ASCII legible; nil for the text as it is written

	legible bool   // whether text is what was made legible
	written []byte // if so, what is left of the text as it is written

	kinds byteKind // what the stretch has
	gap   int      // white space before the stretch, in bytes
	taken int      // bytes of the text as it is written that were read for the stretch
}

// stretches returns the stretches of text as a reader sees them.
func (t *Tokenizer) stretches(text []byte) stretches {
	return stretches{bytes: &t.bytes, text: text, reader: t}
}

// next returns the next stretch, nothing at the end. One that was made legible is valid until the next call.
func (s *stretches) next() []byte {
	s.gap, s.taken = 0, 0
	for {
		text := s.text
		start := 0
		for start < len(text) && s.bytes[text[start]] == space {
			start++
		}
		kinds := byteKind(0)
		end := start
		for window := text[:min(len(text), start+maxStretch)]; end < len(window); end++ {
			k := s.bytes[window[end]]
			if k == space {
				break
			}
			kinds |= k
		}
		if end == start+maxStretch {
			kinds, end = s.long(kinds, end)
		}
		s.gap += start
		switch {
		case s.legible && start == end: // nothing is left of it
			s.text, s.written, s.legible = s.written, nil, false
			continue
		case s.legible:
		case kinds&nonASCII != 0 && s.reader != nil:
			end = endOfOrder(text, start, end)
			s.taken += end
			s.text, s.written, s.legible = s.reader.legible(text[start:end]), text[end:], true
			continue
		default:
			s.taken += end
		}
		s.text, s.kinds = text[end:], kinds
		return text[start:end]
	}
}

// long returns the kinds and the end of a stretch longer than maxStretch, given those of its first bytes.
func (s *stretches) long(kinds byteKind, end int) (byteKind, int) {
	if kinds&nonASCII != 0 {
		for n := 0; n < utf8.UTFMax && end < len(s.text) && !utf8.RuneStart(s.text[end]); n++ {
			end--
		}
		return kinds, end
	}
	for ; end < len(s.text) && s.bytes[s.text[end]]&(space|nonASCII) == 0; end++ {
		kinds |= s.bytes[s.text[end]]
	}
	return kinds, end
}

// endOfOrder returns the end of what of text is made legible at once, given a stretch of it: the end of the stretch, or of
// its line if a change of direction is in it, which goes across white space.
func endOfOrder(text []byte, start, end int) int {
	if !bytes.Contains(text[start:end], []byte(leftward)) {
		return end
	}
	limit := max(end, min(len(text), start+maxStretch))
	if line := bytes.IndexAny(text[end:limit], "\r\n"); line >= 0 {
		return end + line
	}
	for n := 0; n < utf8.UTFMax && end < limit && limit < len(text) && !utf8.RuneStart(text[limit]); n++ {
		limit--
	}
	return limit
}
