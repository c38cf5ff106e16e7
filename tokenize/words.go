package tokenize

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"

	"chaff/internal/ascii"
	"chaff/internal/evidence"
	"chaff/internal/termkey"
)

// segmentKind is what a segment of text is.
type segmentKind uint8

const (
	plainWord segmentKind = iota
	symbol                // punctuation, a sign, an emoji
	wordPart              // a part of a word that was emitted already
)

// cutter cuts text into words and signs, and emits their terms.
type cutter struct {
	*terms
	view     viewer
	segments [][]byte
	types    []int

	current lexicon
	inPairs bool     // each term forms a pair with the one before
	before  struct { // the first word of a pair
		term []byte
		hash uint64
	}
}

// putSegment emits a word or sign of the text that is cut, and the pair that it forms with the one before.
func (c *cutter) putSegment(segment []byte, kind segmentKind) {
	var word []byte
	var hash uint64
	switch {
	case kind == symbol && !c.options.Symbols:
		return
	case kind != symbol, len(segment) > c.options.MaxLength: // a line of underscores
		word, hash = c.putWord(c.current, segment)
	case c.current.known != nil:
		word, hash, _ = c.current.known.get(segment, true)
		c.putHashed(hash, word, segment)
	default:
		word, hash = c.putTagged(c.current.tag, segment, segment)
	}
	if !c.inPairs || kind == wordPart || len(word) == 0 {
		return
	}
	if c.left >= 0 { // a pair is not a token
		group := c.group
		if group == evidence.Words {
			group = evidence.Pairs
		}
		e := &c.emitted
		e.Hash, e.First, e.Second, e.Token, e.Head, e.Group = termkey.Pair(c.before.hash, hash), c.before.term, word[len(c.current.tag):], nil, false, group
		c.emit(e)
	}
	c.before.term, c.before.hash = word, hash
}

// unicodeWords emits the words of a normalised chunk of any script. In scripts without spaces, such as Chinese, Japanese and Thai, segment returns single
// characters, or letters that it has no rules for: these are counted in overlapping pairs. Korean words end in particles: they are counted whole and, from
// three syllables on, in pairs too, which the forms of a word share.
func (c *cutter) unicodeWords(text []byte) {
	var err error
	c.segments, c.types, _, err = segment.SegmentWordsDirect(text, c.segments[:0], c.types[:0])
	if err != nil {
		// Valid UTF-8 has no errors. If it ever has, the text counts as one word.
		c.putSegment(text, plainWord)
		return
	}
	run, runEnd, at := 0, 0, 0 // the characters to pair, and the segment, as offsets
	for i, s := range c.segments {
		start := at
		at += len(s)
		first, _ := utf8.DecodeRune(s)
		switch kind := c.types[i]; {
		case kind == segment.Ideo, kind == segment.Kana, kind == segment.None && (unicode.IsLetter(first) || unicode.IsMark(first)):
			if runEnd != start {
				c.pairs(text[run:runEnd], plainWord)
				run = start
			}
			runEnd = at
		case kind != segment.None && len(bytes.Trim(s, "_")) == 0:
			c.putSegment(s, symbol) // a blank to fill in
		case kind != segment.None:
			c.putSegment(s, plainWord)
			if isHangul(first) && len(s) > 2*utf8.RuneLen(first) {
				c.pairs(s, wordPart)
			}
		case !unicode.IsSpace(first) && !unicode.IsControl(first):
			c.putSegment(s, symbol)
		}
	}
	c.pairs(text[run:runEnd], plainWord)
}

// isHangul reports whether r is a Korean syllable.
func isHangul(r rune) bool { return r >= 0xac00 && r <= 0xd7a3 }

// pairs emits each two neighbouring characters of run, or its only one.
func (c *cutter) pairs(run []byte, kind segmentKind) {
	for isOnly := true; len(run) > 0; isOnly = false {
		_, first := utf8.DecodeRune(run)
		_, second := utf8.DecodeRune(run[first:])
		if second > 0 || isOnly {
			c.putSegment(run[:first+second], kind)
		}
		run = run[first:]
	}
}

// asciiWords emits the words of a chunk of ASCII without white space that segment would return (FuzzASCIIWords). Most of mail is ASCII: that saves a
// tenth of the CPU of bulk classification. The rules are WB5 to WB13b of UAX #29.
// Letters, digits and underscores join (WB5, 8, 9, 10, 13a, 13b). A colon, full stop or apostrophe joins two letters (WB6, 7), and a comma,
// semicolon, full stop or apostrophe two digits (WB11, 12). Everything else is a segment of its own (WB999).
func (c *cutter) asciiWords(text []byte) {
	const joined = alpha | digit | underline
	for len(text) > 0 {
		all := kindOf[text[0]]
		size, end := 1, len(text)
		if all&joined == 0 {
			end = 1
		}
		for ; size < end; size++ {
			k := kindOf[text[size]]
			if k&joined == 0 {
				before := kindOf[text[size-1]]
				if size+1 == len(text) || kindOf[text[size+1]] != before || before == underline ||
					before == alpha && k&midAlpha == 0 || before == digit && k&midDigit == 0 {
					break
				}
			}
			all |= k
		}
		kind := plainWord
		if all == underline || all&joined == 0 {
			kind = symbol
		}
		c.putSegment(text[:size], kind)
		text = text[size:]
	}
}

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

// kindOf has the kind of each byte.
var kindOf = func() (kinds [256]byteKind) {
	for i := range kinds {
		switch c := byte(i); {
		case c == ' ' || c >= '\t' && c <= '\r':
			kinds[i] = space
		case c >= utf8.RuneSelf, c < ' ', c == 0x7f:
			kinds[i] = nonASCII
		case ascii.IsLetter(c):
			kinds[i] = alpha
		case unicode.IsDigit(rune(c)):
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
}()

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// lengthOfPrintable returns how many bytes of printable ASCII text starts with.
func lengthOfPrintable(text []byte) int {
	for i, c := range text {
		if c-' ' >= 0x7f-' ' {
			return i
		}
	}
	return len(text)
}

// maxChunk is the length in bytes at which chunks with non-ASCII characters are cut, which bounds the memory for what they are normalised to.
const maxChunk = 1 << 14

// chunks divides text at white space, which no word crosses. Chunks with non-ASCII characters are normalised to what a reader sees.
type chunks struct {
	text []byte  // the rest
	view *viewer // normalises chunks

	isVisible bool   // text is normalised
	written   []byte // if so, the rest as written

	kinds byteKind // of the bytes of the chunk
	gap   int      // bytes of white space before the chunk
	taken int      // bytes of text, as written, that were read for the chunk
}

// next returns the next chunk, empty at the end. It is valid until the next call.
func (s *chunks) next() []byte {
	s.gap, s.taken = 0, 0
	for {
		text := s.text
		start := 0
		for start < len(text) && kindOf[text[start]] == space {
			start++
		}
		kinds := byteKind(0)
		end := start
		for ; end < len(text); end++ {
			k := kindOf[text[end]]
			if k == space || end-start >= maxChunk && (kinds|k)&nonASCII != 0 {
				break
			}
			kinds |= k
		}
		if end-start == maxChunk && kinds&nonASCII != 0 {
			end = startOfRune(text, end)
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

// startOfRune returns the offset, at most end, at which the character around the end begins.
func startOfRune(text []byte, end int) int {
	for n := 0; n < utf8.UTFMax && end < len(text) && !utf8.RuneStart(text[end]); n++ {
		end--
	}
	return end
}

// endOfOrder returns the end of the text that is normalised at once: of a chunk, or of its line if the chunk has an override.
func endOfOrder(text []byte, start, end int) int {
	if !bytes.Contains(text[start:end], []byte(rightToLeft)) {
		return end
	}
	limit := max(end, min(len(text), start+maxChunk))
	if line := bytes.IndexAny(text[end:limit], "\r\n"); line >= 0 {
		return end + line
	}
	return max(end, startOfRune(text, limit))
}
