package tokenize

import (
	"bytes"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// byteKind is a set of kinds of bytes. Those of ASCII characters are Word_Break properties (UAX #29, table 3), simplified.
type byteKind uint8

const (
	space     byteKind = 0
	nonASCII  byteKind = 1 << iota >> 1 // part of a non-ASCII character, or a control character
	alpha                               // ALetter: an ASCII letter
	digit                               // Numeric
	underline                           // ExtendNumLet
	midAlpha                            // MidLetter, the colon; with midDigit MidNumLet and Single_Quote, full stop and apostrophe
	midDigit                            // MidNum: comma and semicolon
	sign                                // a sign that may stand for a letter
	other                               // any other ASCII character
)

// byteKinds returns the kind of each byte.
func byteKinds() (kinds [256]byteKind) {
	for i := range kinds {
		switch c := byte(i); {
		case c == ' ' || c >= '\t' && c <= '\r':
			kinds[i] = space
		case c >= utf8.RuneSelf, c < ' ', c == 0x7f:
			kinds[i] = nonASCII
		case ascii.IsLetter(c):
			kinds[i] = alpha
		case isDigit(c):
			kinds[i] = digit
		case c == '_':
			kinds[i] = underline
		case c == ':':
			kinds[i] = midAlpha
		case c == ',', c == ';':
			kinds[i] = midDigit
		case c == '.', c == '\'':
			kinds[i] = midAlpha | midDigit
		case c == '@', c == '$', c == '!', c == '|':
			kinds[i] = sign
		default:
			kinds[i] = other
		}
	}
	return kinds
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// maxChunk is the length in bytes at which chunks with non-ASCII characters are cut, which bounds the memory for what they are normalised
// to. Longer ones have no words, or words without spaces, one of which is cut in two.
const maxChunk = 1 << 14

// chunks divides text at white space, which no word crosses. Chunks with non-ASCII characters are normalised to what a reader sees,
// which may put white space into them.
type chunks struct {
	byteKinds *[256]byteKind
	text      []byte  // the rest
	view      *viewer // normalises chunks

	isVisible bool   // text is normalised
	written   []byte // if so, the rest as written

	kinds byteKind // of the bytes of the chunk
	gap   int      // bytes of white space before the chunk
	taken int      // bytes of text, as written, that were read for the chunk
}

// chunks returns the chunks of text.
func (c *cutter) chunks(text []byte) chunks {
	return chunks{byteKinds: &c.kinds, text: text, view: &c.view}
}

// next returns the next chunk, empty at the end. It is valid until the next call.
func (s *chunks) next() []byte {
	s.gap, s.taken = 0, 0
	kindOf := s.byteKinds
	for {
		text := s.text
		start := 0
		for start < len(text) && kindOf[text[start]] == space {
			start++
		}
		kinds := byteKind(0)
		end := start
		for window := text[:min(len(text), start+maxChunk)]; end < len(window); end++ {
			k := kindOf[window[end]]
			if k == space {
				break
			}
			kinds |= k
		}
		if end == start+maxChunk {
			kinds, end = s.long(kinds, end)
		}
		s.gap += start
		switch {
		case s.isVisible && start == end: // the normalised chunk is used up
			s.text, s.written, s.isVisible = s.written, nil, false
			continue
		case s.isVisible:
		case kinds&nonASCII != 0:
			end = endOfOrder(text, start, end)
			s.taken += end
			s.text, s.written, s.isVisible = s.view.visible(text[start:end]), text[end:], true
			continue
		default:
			s.taken += end
		}
		s.text, s.kinds = text[end:], kinds
		return text[start:end]
	}
}

// long returns the kinds and the end of a chunk longer than maxChunk, given those of its first bytes.
func (s *chunks) long(kinds byteKind, end int) (byteKind, int) {
	if kinds&nonASCII != 0 {
		for n := 0; n < utf8.UTFMax && end < len(s.text) && !utf8.RuneStart(s.text[end]); n++ {
			end--
		}
		return kinds, end
	}
	for ; end < len(s.text); end++ {
		k := s.byteKinds[s.text[end]]
		if k == space || k == nonASCII {
			break
		}
		kinds |= k
	}
	return kinds, end
}

// endOfOrder returns the end of the text that is normalised at once: of a chunk, or of its line if the chunk has an override, which
// applies across white space.
func endOfOrder(text []byte, start, end int) int {
	if !bytes.Contains(text[start:end], []byte(rightToLeft)) {
		return end
	}
	limit := max(end, min(len(text), start+maxChunk))
	if line := bytes.IndexAny(text[end:limit], "\r\n"); line >= 0 {
		return end + line
	}
	for n := 0; n < utf8.UTFMax && end < limit && limit < len(text) && !utf8.RuneStart(text[limit]); n++ {
		limit--
	}
	return limit
}
