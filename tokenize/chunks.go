package tokenize

import (
	"bytes"
	"unicode/utf8"
)

// byteKind is a set of kinds of bytes.
type byteKind uint8

const (
	space       byteKind = 1 << iota
	nonASCII             // part of a non-ASCII character, or a control character
	alpha                // an ASCII letter
	sign                 // a sign that may stand for a letter
	punctuation          // any other ASCII character
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
		case c == '@' || c == '$' || c == '!' || c == '|':
			kinds[c] = sign
		default:
			kinds[c] = punctuation
		}
	}
	return kinds
}

// maxChunk is the length in bytes at which chunks with non-ASCII characters are cut, which bounds the memory for what they are normalised
// to. Longer ones have no words, or words without spaces, one of which is cut in two.
const maxChunk = 1 << 14

// chunks divides text at white space, which no word crosses. Chunks with non-ASCII characters are normalised to what a reader sees,
// which may put white space into them.
type chunks struct {
	byteKinds *[256]byteKind
	text      []byte     // the rest
	tokenizer *Tokenizer // normalises chunks

	isVisible bool   // text is normalised
	written   []byte // if so, the rest as written

	kinds byteKind // of the bytes of the chunk
	gap   int      // bytes of white space before the chunk
	taken int      // bytes of text, as written, that were read for the chunk
}

// chunks returns the chunks of text.
func (t *Tokenizer) chunks(text []byte) chunks {
	return chunks{byteKinds: &t.byteKinds, text: text, tokenizer: t}
}

// next returns the next chunk, empty at the end. It is valid until the next call.
func (s *chunks) next() []byte {
	s.gap, s.taken = 0, 0
	for {
		text := s.text
		start := 0
		for start < len(text) && s.byteKinds[text[start]] == space {
			start++
		}
		kinds := byteKind(0)
		end := start
		for window := text[:min(len(text), start+maxChunk)]; end < len(window); end++ {
			k := s.byteKinds[window[end]]
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
			s.text, s.written, s.isVisible = s.tokenizer.visible(text[start:end]), text[end:], true
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
	for ; end < len(s.text) && s.byteKinds[s.text[end]]&(space|nonASCII) == 0; end++ {
		kinds |= s.byteKinds[s.text[end]]
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
