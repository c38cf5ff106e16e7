package tokenize

import (
	"math/bits"
	"strconv"
	"unicode/utf8"

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

	room   []byte // for the texts of terms that no cache has
	made   []byte // the text that is made, in the room or in a larger one, behind those of the message before it
	length []byte // the class of a long word
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
			t.length = append(strconv.AppendInt(t.length[:0], 1<<bits.Len(uint(n))>>1, 10), '+')
			return t.putTagged(l.tag, t.length, word)
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
