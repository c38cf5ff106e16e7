package tokenize

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"chaff/features"
)

const (
	// maxCached is how many words a generation holds: mail full of random words must not fill the memory.
	maxCached = 1 << 17
	// maxCachedWord is the longest word that is remembered, and the longest text, in bytes.
	maxCachedWord = 1 << 10
	// maxTexts is how many bytes of terms a generation holds. Most terms take none.
	maxTexts = 1 << 22
	// maxDisguises is how many disguised words are remembered, with what is behind each.
	maxDisguises = 1 << 14
	minSlots     = 1 << 5
)

// cache remembers what became of each distinct word, since stemming takes long and words repeat. It is asked for each word of
// all mail, and what it says of rare words lies in memory that has to be waited for. So it is no map: a word is known by a hash
// of 64 bits, and beside it lies the hash of its term and how its text follows from the word, which most do by cutting the
// end off. The hash has another seed in each process, so nobody can write two words that share it.
//
// There are two generations: when the younger one is full the older one is forgotten, and a word that is asked for moves to
// the younger. So words that are not rare are made once.
type cache struct {
	key        features.Key // that terms are hashed under
	tag        string       // what the terms are tagged with, empty for any tag
	seed       maphash.Seed
	young, old generation
	disguised  map[string]*disguise // the words that are written so as not to be recognised
	text       []byte               // of the term asked for last: the tag, and what the word is counted as
	become     becomes
}

// becomes appends to dst what a word is counted as, nothing if that is the word itself, and returns what is behind the word.
type becomes func(dst, word []byte) ([]byte, *disguise)

// generation is a hash table with open addressing, in which the first bits of a hash are its place.
type generation struct {
	slots []slot // a power of two
	shift uint   // of a hash, to its slot
	texts []byte // of the terms that do not follow from their words: each after its hash and its length in two bytes
	count int
}

// slot is a word that is remembered.
type slot struct {
	word uint64 // the hash of the word, in whose last bits is its form; 0 if the slot is free
	term uint64 // the hash of the term, or where it is in the texts
}

// form is how the text of a term follows from the word: it is its first bytes, so many, perhaps in lower case.
type form uint16

const (
	formBits       = 16
	lower     form = 1 << 15 // letters of ASCII
	elsewhere form = 1<<15 - 1
)

// formOf returns the form of a text.
func formOf(word, text []byte) form {
	f := form(len(text))
	switch {
	case len(text) == 0:
		return elsewhere
	case bytes.HasPrefix(word, text):
		return f
	case len(text) > len(word):
		return elsewhere
	}
	for i, c := range text {
		if c != lowerASCII(word[i]) {
			return elsewhere
		}
	}
	return f | lower
}

// disguise is what is behind a word that is written so as not to be recognised.
type disguise struct {
	mark    mark
	perhaps bool   // whether it may be an honest word of a rare script
	term    string // what the word is counted as
	meant   string // what the word that was meant is counted as, empty if that is the term already
}

func newCache(key features.Key, tag string, become becomes) *cache {
	return &cache{
		key: key, tag: tag, seed: maphash.MakeSeed(), disguised: make(map[string]*disguise), text: []byte(tag), become: become,
		young: newGeneration(minSlots), old: newGeneration(1),
	}
}

// newGeneration returns an empty one.
func newGeneration(slots int) generation {
	return generation{slots: make([]slot, slots), shift: uint(64 - bits.TrailingZeros(uint(slots)))}
}

// find returns the slot of a word by its hash, one that is free if it is not remembered.
func (g *generation) find(word uint64) *slot {
	mask := uint64(len(g.slots) - 1)
	for i := word >> g.shift; ; i++ {
		if s := &g.slots[i&mask]; s.word == 0 || (s.word^word)>>formBits == 0 {
			return s
		}
	}
}

// known returns the term that word is counted as, with its tag, and the hash of it; nil if it is not remembered or is
// disguised. The text is valid until the next word.
func (c *cache) known(word []byte) (text []byte, hash uint64) {
	key := maphash.Bytes(c.seed, word)
	if s := c.young.find(key); s.word != 0 {
		return c.term(&c.young, s, word)
	}
	s := c.old.find(key)
	if s.word == 0 {
		return nil, 0
	}
	text, hash = c.term(&c.old, s, word)
	c.add(key, word, hash)
	return text, hash
}

// term returns the term of a word that g remembers.
func (c *cache) term(g *generation, s *slot, word []byte) (text []byte, hash uint64) {
	c.text = c.text[:len(c.tag)]
	hash = s.term
	switch f := form(s.word); {
	case f == elsewhere:
		entry := g.texts[s.term:]
		hash = binary.LittleEndian.Uint64(entry)
		c.text = append(c.text, entry[entryHeader:][:binary.LittleEndian.Uint16(entry[8:])]...)
	case f&lower != 0:
		c.text = appendLowerASCII(c.text, word[:f&^lower])
	default:
		c.text = append(c.text, word[:f]...)
	}
	return c.text, hash
}

// get returns the term that word is counted as, with its tag, the hash of it, and what is behind the word, nil for nearly
// all words. All is made once. The text is valid until the next word.
func (c *cache) get(word []byte) (text []byte, hash uint64, d *disguise) {
	if text, hash = c.known(word); text != nil {
		return text, hash, nil
	}
	return c.unknown(word)
}

// unknown is get for a word that is not known.
func (c *cache) unknown(word []byte) (text []byte, hash uint64, d *disguise) {
	c.text = c.text[:len(c.tag)]
	if d, ok := c.disguised[string(word)]; ok {
		c.text = append(c.text, d.term...)
		return c.text, c.key.Hash(c.text), d
	}
	c.text, d = c.become(c.text, word)
	if len(c.text) == len(c.tag) {
		c.text = append(c.text, word...)
	}
	hash = c.key.Hash(c.text)
	switch {
	case len(word) > maxCachedWord || len(c.text) > maxCachedWord || len(word) == 0:
	case d != nil:
		if len(c.disguised) == maxDisguises {
			clear(c.disguised)
		}
		d.term = string(c.text[len(c.tag):])
		c.disguised[string(word)] = d
	default:
		c.add(maphash.Bytes(c.seed, word), word, hash)
	}
	return c.text, hash, d
}

// entryHeader is how many bytes stand before a text of a generation.
const entryHeader = 10

// add remembers that a word, which the younger generation does not know, has the term in c.text.
func (c *cache) add(key uint64, word []byte, hash uint64) {
	if c.young.count == maxCached || len(c.young.texts) >= maxTexts {
		c.old, c.young = c.young, newGeneration(len(c.young.slots))
	}
	g := &c.young
	if g.count++; 4*g.count > 3*len(g.slots) {
		g.grow()
	}
	text := c.text[len(c.tag):]
	f := formOf(word, text)
	if f == elsewhere {
		place := len(g.texts)
		g.texts = binary.LittleEndian.AppendUint64(g.texts, hash)
		g.texts = binary.LittleEndian.AppendUint16(g.texts, uint16(len(text)))
		g.texts = append(g.texts, text...)
		hash = uint64(place)
	}
	*g.find(key) = slot{word: key>>formBits<<formBits | uint64(f), term: hash}
}

// grow doubles the slots.
func (g *generation) grow() {
	old := g.slots
	g.slots, g.shift = make([]slot, 2*len(old)), g.shift-1
	for _, s := range old {
		if s.word != 0 {
			*g.find(s.word) = s
		}
	}
}
