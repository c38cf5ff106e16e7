package tokenize

import (
	"bytes"
	"math/bits"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"

	"chaff/internal/ascii"
	"chaff/internal/evidence"
	"chaff/internal/termkey"
	"chaff/message"
)

// Term is one term of a message. It is valid until the callback returns.
type Term struct {
	Hash  uint64 // the hash of the text under the key of the tokenizer
	Token []byte // the word the term comes from, as written in the message; nil if it does not come from a word
	// Head reports whether the term is in the header, in a link, or in the head of the text. A pair of words never is.
	Head  bool
	Group evidence.Group // follows from Text
	// First and Second are the words of a pair, as "body:free" and "money", or the text of any other term and nil. They are valid until the next message.
	First, Second []byte
}

// Text returns the term as people read it, tagged with its field: "body:free", "body:free money".
func (t *Term) Text() string {
	if t.Second == nil {
		return string(t.First)
	}
	return string(t.First) + " " + string(t.Second)
}

// terms makes the terms of a message and emits them.
type terms struct {
	options Options
	key     termkey.Key

	emit       func(*Term)
	emitted    Term
	left       int  // how many tokens may still be emitted, negative if some were left out
	beyondHead bool // whether the terms are beyond the head of the text
	group      evidence.Group
	seen       sightings

	room []byte // for the texts of terms that no cache has
	made []byte // the text that is made, in the room or in a larger one, behind those of the message before it
}

// roomSize is how many bytes of terms are made in one piece of memory.
const roomSize = 1 << 13

// lexicon says what the words under a tag are counted as: what one of its fields says, or what they mean, in lower case.
type lexicon struct {
	tag       string
	normalize normalizer
	known     *cache // the terms of stemmed words
	isProse   bool   // the words are written for people, one after the other
}

// putHashed emits a term for a token, unless the message has too many tokens.
func (t *terms) putHashed(hash uint64, text, token []byte) {
	if t.left--; t.left >= 0 {
		e := &t.emitted
		e.Hash, e.First, e.Second, e.Token, e.Head, e.Group = hash, text, nil, token, !t.beyondHead, t.group
		t.emit(e)
	}
}

// put emits a term that was made in t.made, for a token, and returns its hash. The next one is made behind it.
func (t *terms) put(text, token []byte) (hash uint64) {
	if t.made = text[len(text):]; cap(t.made) < roomSize/16 {
		t.made = make([]byte, 0, roomSize)
	}
	hash = t.key.Hash(text)
	t.putHashed(hash, text, token)
	return hash
}

// putTagged emits a term of a tag and a text. It returns the term and its hash.
func (t *terms) putTagged(tag string, text, token []byte) (term []byte, hash uint64) {
	term = append(append(t.made[:0], tag...), text...)
	return term, t.put(term, token)
}

// putWord emits the term of a word, unless it is empty, and the word that a disguised one means. A word that is too long is counted by its
// length, as "64+". It returns the last term and its hash.
func (t *terms) putWord(l lexicon, word []byte) (term []byte, hash uint64) {
	// The number of bytes bounds the number of characters, so most words need no counting.
	if uint(len(word)-1) >= uint(t.options.MaxLength) {
		switch n := utf8.RuneCount(word); {
		case n == 0:
			return nil, 0
		case n > t.options.MaxLength:
			term = append(strconv.AppendInt(append(t.made[:0], l.tag...), 1<<bits.Len(uint(n))>>1, 10), '+')
			return term, t.put(term, word)
		}
	}
	var d *disguise
	switch {
	case l.known != nil:
		term, hash, d = l.known.get(word, false)
		t.putHashed(hash, term, word)
	case l.normalize != nil:
		term, d = l.normalize(append(t.made[:0], l.tag...), word)
		hash = t.put(term, word)
	default:
		term, d = reveal(append(t.made[:0], l.tag...), word, appendLower)
		hash = t.put(term, word)
	}
	switch {
	case d == nil:
		return term, hash
	case d.perhaps:
		t.seen.lookAlike = true
	default:
		t.seen.marks.Add(d.mark)
	}
	if len(d.meant) == 0 {
		return term, hash
	}
	return t.putTagged(l.tag, d.meant, word)
}

// sightings is what the tokenizer has seen in a message while it cut the text into words.
type sightings struct {
	marks     message.Marks
	tagged    []byte           // letters of the block of tags, which are not shown
	wide      bool             // full-width letters
	embedding bool             // a change of direction
	lookAlike bool             // a word of a rare script whose letters all look Latin
	native    bool             // a letter of a rare script that does not look Latin
	letters   [scriptKinds]int // the number of letters of each script
}

// marks emits each mark of m and of its text once.
func (t *terms) marks(m *message.Message) {
	marks := m.Marks | t.seen.marks
	if len(t.seen.tagged) > 0 {
		marks.Add(message.HiddenText)
	}
	// Some are honest in context: full-width letters with Chinese, Japanese or Korean, a change of direction with a script from right
	// to left, and words of a rare script with others that do not look Latin.
	letters := &t.seen.letters
	if t.seen.lookAlike && !t.seen.native {
		marks.Add(message.Homoglyph)
	}
	if t.seen.wide && letters[kana]+letters[hangul]+letters[han] == 0 {
		marks.Add(message.FullWidth)
	}
	if t.seen.embedding && letters[hebrew]+letters[arabic] == 0 {
		marks.Add(message.DirectionOverride)
	}
	left := t.left
	for k := range marks.All() {
		t.left = 1 // it counts in any case
		t.putTagged("mark:"+k.String(), nil, nil)
	}
	t.left = left
}

// segmentKind is what a segment of text is.
type segmentKind uint8

const (
	plainWord segmentKind = iota
	symbol                // punctuation, a sign, an emoji
	wordPart              // a part of a word that was emitted already
)

// putSegment emits a word or sign of the text that is cut, and the pair that it forms with the one before.
func (t *Tokenizer) putSegment(segment []byte, kind segmentKind) {
	var word []byte
	var hash uint64
	switch {
	case kind == symbol && !t.options.Symbols:
		return
	case kind != symbol, len(segment) > t.options.MaxLength: // a line of underscores
		word, hash = t.putWord(t.current, segment)
	case t.current.known != nil:
		word, hash, _ = t.current.known.get(segment, true)
		t.putHashed(hash, word, segment)
	default:
		word, hash = t.putTagged(t.current.tag, segment, segment)
	}
	if !t.inPairs || kind == wordPart || len(word) == 0 {
		return
	}
	if t.left >= 0 { // a pair is not a token
		group := t.group
		if group == evidence.Words {
			group = evidence.Pairs
		}
		e := &t.emitted
		e.Hash, e.First, e.Second, e.Token, e.Head, e.Group = termkey.Pair(t.before.hash, hash), t.before.term, word[len(t.current.tag):], nil, false, group
		t.emit(e)
	}
	t.before.term, t.before.hash = word, hash
}

// unicodeWords emits the words of a normalised chunk of any script. In scripts without spaces, such as Chinese, Japanese and Thai, segment returns single
// characters, or letters that it has no rules for: these are counted in overlapping pairs. Korean words end in particles: they are counted whole and, from
// three syllables on, in pairs too, which the forms of a word share. Valid UTF-8 has no errors.
func (t *Tokenizer) unicodeWords(text []byte) {
	t.segments, t.types, _, _ = segment.SegmentWordsDirect(text, t.segments[:0], t.types[:0])
	run, runEnd, at := 0, 0, 0 // the characters to pair, and the segment, as offsets
	for i, s := range t.segments {
		start := at
		at += len(s)
		first, _ := utf8.DecodeRune(s)
		switch kind := t.types[i]; {
		case kind == segment.Ideo, kind == segment.Kana, kind == segment.None && (unicode.IsLetter(first) || unicode.IsMark(first)):
			if runEnd != start {
				t.pairs(text[run:runEnd], plainWord)
				run = start
			}
			runEnd = at
		case kind != segment.None && len(bytes.Trim(s, "_")) == 0:
			t.putSegment(s, symbol) // a blank to fill in
		case kind != segment.None:
			t.putSegment(s, plainWord)
			if scriptOf(first) == hangul && len(s) > 2*utf8.RuneLen(first) {
				t.pairs(s, wordPart)
			}
		case !unicode.IsSpace(first) && !unicode.IsControl(first):
			t.putSegment(s, symbol)
		}
	}
	t.pairs(text[run:runEnd], plainWord)
}

// pairs emits each two neighbouring characters of run, or its only one.
func (t *Tokenizer) pairs(run []byte, kind segmentKind) {
	for isOnly := true; len(run) > 0; isOnly = false {
		_, first := utf8.DecodeRune(run)
		_, second := utf8.DecodeRune(run[first:])
		if second > 0 || isOnly {
			t.putSegment(run[:first+second], kind)
		}
		run = run[first:]
	}
}

// asciiWords emits the words of a chunk of ASCII without white space that segment would return (FuzzASCIIWords). Most of mail is ASCII: that saves a
// tenth of the CPU of bulk classification. The rules are WB5 to WB13b of UAX #29.
// Letters, digits and underscores join (WB5, 8, 9, 10, 13a, 13b). A colon, full stop or apostrophe joins two letters (WB6, 7), and a comma,
// semicolon, full stop or apostrophe two digits (WB11, 12). Everything else is a segment of its own (WB999).
func (t *Tokenizer) asciiWords(text []byte) {
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
		t.putSegment(text[:size], kind)
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
			end = len(message.CutRunes(text, end))
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

// endOfOrder returns the end of the text that is normalised at once: of a chunk, or of its line if the chunk has an override.
func endOfOrder(text []byte, start, end int) int {
	if !bytes.Contains(text[start:end], []byte(rightToLeft)) {
		return end
	}
	limit := max(end, min(len(text), start+maxChunk))
	if line := bytes.IndexAny(text[end:limit], "\r\n"); line >= 0 {
		return end + line
	}
	return max(end, len(message.CutRunes(text, limit)))
}
