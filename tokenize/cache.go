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
	maxCached = 1 << 16
	// maxCachedWord is the longest word that is remembered, and the longest text, in bytes.
	maxCachedWord = 1 << 10
	minSlots      = 1 << 8
	atBits        = 21 // of a key, for where the text is
	entrySize     = 6  // bytes before a text
)

// cache remembers what became of each distinct word, since stemming costs microseconds and words repeat. It is asked for
// each word of all mail, so it is no map: a word is known by a hash of 64 bits, and with it stands in one place of memory
// what the word is counted as. The hash has another seed in each process, so nobody can write two words that share it.
//
// There are two generations: when the younger one is full the older one is forgotten, and a word that is asked for moves to
// the younger. So words that are not rare are made once.
type cache struct {
	tag        string // what the terms are tagged with, empty for any tag
	seed       maphash.Seed
	young, old generation
	disguised  map[string]*disguise // the words that are written so as not to be recognised
	scratch    []byte
	become     func(word string) (term string, d *disguise)
}

// generation is a hash table with open addressing, in which the first bits of a hash are its place.
type generation struct {
	slots []remembered // a power of two, at least twice the number of words
	shift uint         // of a hash, to its place
	texts []byte       // of each word: the lower half of its hash, the length of its text in two bytes, the text
	count int
}

// remembered is what a word is counted as: four of them are in a line of memory.
type remembered struct {
	key  uint64 // the upper bits of the word's hash, and where its text is; 0 where the slot is free
	hash uint64 // of the term: tag and text
}

// disguise is what is behind a word that is written so as not to be recognised.
type disguise struct {
	mark  mark
	term  string // what the word is counted as
	meant string // what the word that was meant is counted as, empty if that is the term already
}

func newCache(tag string, become func(word string) (string, *disguise)) *cache {
	return &cache{
		tag: tag, seed: maphash.MakeSeed(), disguised: make(map[string]*disguise), become: become,
		young: newGeneration(minSlots), old: newGeneration(1),
	}
}

// newGeneration returns an empty one. No text is at 0, so that no key is 0.
func newGeneration(slots int) generation {
	return generation{slots: make([]remembered, slots), shift: uint(64 - bits.TrailingZeros(uint(slots))), texts: []byte{0}}
}

// find returns the slot of a word by its hash, or the free one where it belongs.
func (g *generation) find(word uint64) *remembered {
	mask := uint64(len(g.slots) - 1)
	for s := word >> g.shift; ; s++ {
		if slot := &g.slots[s&mask]; slot.key>>atBits == word>>atBits || slot.key == 0 {
			return slot
		}
	}
}

// known returns what a word is counted as by its hash, with the hash of the term; nil if it is not remembered.
func (g *generation) known(word uint64) (text []byte, hash uint64) {
	slot := g.find(word)
	if slot.key == 0 {
		return nil, 0
	}
	entry := g.texts[slot.key&(1<<atBits-1):]
	if binary.LittleEndian.Uint32(entry) != uint32(word) {
		return nil, 0
	}
	end := entrySize + int(binary.LittleEndian.Uint16(entry[4:]))
	return entry[entrySize:end:end], slot.hash
}

// known returns the term that word is counted as, with its tag, and the hash of it; nil if it is not remembered or is
// disguised.
func (c *cache) known(word []byte) (text []byte, hash uint64) {
	key := maphash.Bytes(c.seed, word)
	if text, hash = c.young.known(key); text != nil {
		return text, hash
	}
	if text, hash = c.old.known(key); text != nil {
		text = c.add(key, hash, text)
	}
	return text, hash
}

// get returns the term that word is counted as, with its tag, the hash of it, and what is behind the word, nil for nearly
// all words. All is made once.
func (c *cache) get(word []byte) (text []byte, hash uint64, d *disguise) {
	if text, hash := c.known(word); len(text) > 0 {
		return text, hash, nil
	}
	if d, ok := c.disguised[string(word)]; ok {
		text = []byte(c.tag + d.term)
		return text, features.Hash(text), d
	}
	key := string(word)
	made, d := c.become(key)
	if made == "" {
		made = key
	}
	c.scratch = append(append(c.scratch[:0], c.tag...), made...)
	text, hash = c.scratch, features.Hash(c.scratch)
	switch {
	case len(word) > maxCachedWord || len(text) > maxCachedWord || len(made) == 0:
	case d != nil:
		if len(c.disguised) == maxCached {
			clear(c.disguised)
		}
		d.term = made
		c.disguised[key] = d
	default:
		return c.add(maphash.Bytes(c.seed, word), hash, text), hash, nil
	}
	return bytes.Clone(text), hash, d
}

// add remembers a word that the younger generation does not, and returns its text there.
func (c *cache) add(word, hash uint64, text []byte) []byte {
	if c.young.count == maxCached || len(c.young.texts)+entrySize+maxCachedWord > 1<<atBits {
		c.old, c.young = c.young, newGeneration(len(c.young.slots))
	}
	g := &c.young
	if g.count++; 2*g.count > len(g.slots) {
		g.grow()
	}
	*g.find(word) = remembered{word>>atBits<<atBits | uint64(len(g.texts)), hash}
	g.texts = binary.LittleEndian.AppendUint32(g.texts, uint32(word))
	g.texts = binary.LittleEndian.AppendUint16(g.texts, uint16(len(text)))
	g.texts = append(g.texts, text...)
	return g.texts[len(g.texts)-len(text) : len(g.texts) : len(g.texts)]
}

// grow doubles the slots.
func (g *generation) grow() {
	old := g.slots
	g.slots, g.shift = make([]remembered, 2*len(old)), g.shift-1
	for _, slot := range old {
		if slot.key != 0 {
			*g.find(slot.key) = slot
		}
	}
}
