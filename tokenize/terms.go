package tokenize

import (
	"strconv"
	"unicode/utf8"

	"chaff/internal/evidence"
	"chaff/internal/termkey"
)

// Term is one term of a message. It is valid until the callback returns.
type Term struct {
	// Hash is the hash of the text under the key of the tokenizer.
	Hash uint64
	// Token is the word the term comes from, as written in the message. It is nil for a term that does not come from a word.
	Token []byte
	// Head reports whether the term is in the head of the message: its header, its links, or the first bytes of its text, as many as the
	// options say. A pair of words never is.
	Head bool
	// Group is the kind of evidence the term belongs to. It follows from Text.
	Group evidence.Group

	text   []byte // of a pair: of its first word
	second []byte // of a pair: its second word; nil for other terms
}

// Words returns the two words of a pair as they are counted, as "body:free" and "money". Of any other term, first is the text and second is
// nil. They stay as they are until the next message.
func (t *Term) Words() (first, second []byte) { return t.text, t.second }

// Text returns the term as people read it, tagged with its field: "body:free", "body:free money".
func (t *Term) Text() string {
	if t.second == nil {
		return string(t.text)
	}
	return string(t.text) + " " + string(t.second)
}

// terms makes the terms of a message and emits them.
type terms struct {
	options Options
	key     termkey.Key
	folded  *cache // the words that are not prose, in one case

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

// lexicon maps the words and signs of one tag to terms.
type lexicon struct {
	tag   string
	words *cache
	signs *cache // and other texts that are counted as they are; nil if the text is not prose
}

// unstemmed returns the lexicon of text that is not prose.
func (t *terms) unstemmed(tag string) lexicon { return lexicon{tag, t.folded, nil} }

// putHashed emits a term for a token, unless the message has too many tokens.
func (t *terms) putHashed(hash uint64, text, token []byte) {
	if t.left--; t.left >= 0 {
		e := &t.emitted
		e.Hash, e.text, e.second, e.Token, e.Head, e.Group = hash, text, nil, token, !t.beyondHead, t.group
		t.emit(e)
	}
}

// put emits a term that was made in t.made, for a token, and makes the next one behind it. It returns the hash of the term.
func (t *terms) put(text, token []byte) (hash uint64) {
	hash = t.key.Hash(text)
	t.putHashed(hash, text, token)
	if t.made = text[len(text):]; cap(t.made) < roomSize/16 {
		t.made = make([]byte, 0, roomSize)
	}
	return hash
}

// putTagged emits a term of a tag and a text. It returns the term and its hash.
func (t *terms) putTagged(tag string, text, token []byte) (term []byte, hash uint64) {
	term = append(append(t.made[:0], tag...), text...)
	return term, t.put(term, token)
}

// isFull reports whether the message has all the tokens it may have. The rest is then left out.
func (t *terms) isFull() bool {
	if t.left <= 0 {
		t.left = -1
	}
	return t.left < 0
}

// putText emits a term of a text that is counted as it is. It returns the term and its hash.
func (t *terms) putText(l lexicon, text, token []byte) (term []byte, hash uint64) {
	if l.signs == nil {
		return t.putTagged(l.tag, text, token)
	}
	term, hash, _ = l.signs.get(text)
	t.putHashed(hash, term, token)
	return term, hash
}

// putWord emits the term of a word, unless it is too short, and of a disguised one also the word that was meant. A word that is too long is
// counted by its length, as "64+". It returns the last term and its hash.
func (t *terms) putWord(l lexicon, word []byte) (term []byte, hash uint64) {
	// The number of bytes bounds the number of characters, so most words need no counting.
	if uint(len(word)-1) >= uint(t.options.MaxLength) || t.options.MinLength > 1 {
		switch n := utf8.RuneCount(word); {
		case n == 0, n < t.options.MinLength:
			return nil, 0
		case n > t.options.MaxLength:
			t.length = append(strconv.AppendInt(t.length[:0], powerOfTwo(n), 10), '+')
			return t.putText(l, t.length, word)
		}
	}
	term, hash, d := l.words.get(word)
	if l.words.tag == "" {
		term, hash = t.putTagged(l.tag, term, word)
	} else {
		t.putHashed(hash, term, word)
	}
	switch {
	case d == nil:
		return term, hash
	case d.perhaps:
		t.seen.lookAlike = true
	default:
		t.seen.add(d.mark)
	}
	if len(d.meant) == 0 {
		return term, hash
	}
	return t.putText(l, d.meant, word)
}
