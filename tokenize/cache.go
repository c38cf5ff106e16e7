package tokenize

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

const (
	maxCached = 1 << 16 // words: mail full of random words must not fill the memory
	// maxCachedWord is the longest word that is remembered, and the longest term, in bytes.
	maxCachedWord = 1 << 10
	minSlots      = 1 << 10
)

// cache remembers what became of each distinct word, since stemming costs microseconds and words repeat. It is asked for
// each word of all mail, so it is no map: a word and its term lie side by side, in two places of memory instead of four.
type cache struct {
	slots     []uint64 // the upper half of a word's hash, and 1 + where its entry starts; 0 where free
	entries   []byte   // of each word: two bytes for its length, two for that of its term, the word, the term
	count     int
	disguised map[string]*disguise // the words whose term has the length 0
	become    func(word string) (term string, d *disguise)
}

// disguise is what is behind a word that is written so as not to be recognised.
type disguise struct {
	mark  mark
	term  string // what the word is counted as
	meant string // what the word that was meant is counted as, empty if that is the term already
}

func newCache(become func(word string) (string, *disguise)) *cache {
	return &cache{slots: make([]uint64, minSlots), disguised: make(map[string]*disguise), become: become}
}

// known returns what word is counted as, nil if it is not remembered or is disguised.
func (c *cache) known(word []byte) []byte {
	hash := xxhash.Sum64(word)
	mask := uint64(len(c.slots) - 1)
	for s := hash & mask; c.slots[s] != 0; s = (s + 1) & mask {
		if slot := c.slots[s]; slot>>32 == hash>>32 {
			if known, term := c.entry(uint32(slot) - 1); string(known) == string(word) {
				return term
			}
		}
	}
	return nil
}

// entry returns the word and the term of the entry that starts there.
func (c *cache) entry(start uint32) (word, term []byte) {
	e := c.entries[start:]
	size, termSize := binary.LittleEndian.Uint16(e), binary.LittleEndian.Uint16(e[2:])
	e = e[4:]
	return e[:size:size], e[size:][:termSize]
}

// get returns what word is counted as, valid until the next call, and what is behind it, nil for nearly all words. Both
// are made once.
func (c *cache) get(word []byte) (term []byte, d *disguise) {
	if term := c.known(word); len(term) > 0 {
		return term, nil
	}
	if d, ok := c.disguised[string(word)]; ok {
		return []byte(d.term), d
	}
	made, d := c.become(string(word))
	if made == "" {
		made = string(word)
	}
	term = []byte(made)
	switch {
	case len(word) > maxCachedWord || len(term) > maxCachedWord:
	case d != nil:
		d.term = made
		c.add(word, nil)
		c.disguised[string(word)] = d
	default:
		c.add(word, term)
	}
	return term, d
}

// add remembers a word that is not remembered yet.
func (c *cache) add(word, term []byte) {
	if c.count == maxCached {
		clear(c.slots)
		clear(c.disguised)
		c.entries, c.count = c.entries[:0], 0
	}
	start := uint32(len(c.entries))
	c.entries = binary.LittleEndian.AppendUint16(c.entries, uint16(len(word)))
	c.entries = binary.LittleEndian.AppendUint16(c.entries, uint16(len(term)))
	c.entries = append(append(c.entries, word...), term...)
	c.count++
	if 2*c.count > len(c.slots) {
		c.grow()
		return
	}
	c.place(word, start)
}

// place puts the entry of a word into the first free slot for it.
func (c *cache) place(word []byte, start uint32) {
	hash := xxhash.Sum64(word)
	mask := uint64(len(c.slots) - 1)
	s := hash & mask
	for c.slots[s] != 0 {
		s = (s + 1) & mask
	}
	c.slots[s] = hash>>32<<32 | uint64(start+1)
}

// grow doubles the slots and puts all entries into them.
func (c *cache) grow() {
	c.slots = make([]uint64, 2*len(c.slots))
	for start := 0; start < len(c.entries); {
		word, term := c.entry(uint32(start))
		c.place(word, uint32(start))
		start += 4 + len(word) + len(term)
	}
}
