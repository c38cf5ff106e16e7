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
	minSlots      = 1 << 8
)

// cache remembers what became of each distinct word, since stemming costs microseconds and words repeat. It is asked for
// each word of all mail, so it is no map: a word is known by a hash of 64 bits, and all that is counted of it lies side by
// side. The hash has another seed in each process, so nobody can write two words that share it.
//
// There are two generations: when the younger one is full the older one is forgotten, and a word that is asked for moves to
// the younger. So words that are not rare are made once.
type cache struct {
	tag        string // what the terms are tagged with, empty for any tag
	seed       maphash.Seed
	young, old generation
	disguised  map[string]*disguise // the words that are written so as not to be recognised
	scratch    []byte
	become     becomes
}

// becomes appends to dst what a word is counted as, nothing if that is the word itself, and returns what is behind the word.
type becomes func(dst, word []byte) ([]byte, *disguise)

// generation is a hash table with open addressing, in which the first bits of a hash are its place. The entries lie in the
// order in which the words came, so the frequent ones are together, in few lines of memory.
type generation struct {
	slots   []uint32 // the last bits of a hash, and below them where its entry is; 0 where free. A power of two
	shift   uint     // of a hash, to its slot
	entries []byte
	count   int
}

// An entry is
//
//	8 bytes   the hash of the word
//	8 bytes   the hash of the term
//	2 bytes   the length of the term's text, and the text
//
// and begins at a multiple of 8.
const (
	textStarts = 18
	placeBits  = 21
	placeMask  = 1<<placeBits - 1
	maxEntries = 8 * placeMask // bytes
)

// disguise is what is behind a word that is written so as not to be recognised.
type disguise struct {
	mark  mark
	term  string // what the word is counted as
	meant string // what the word that was meant is counted as, empty if that is the term already
}

func newCache(tag string, become becomes) *cache {
	return &cache{
		tag: tag, seed: maphash.MakeSeed(), disguised: make(map[string]*disguise), become: become,
		young: newGeneration(minSlots), old: newGeneration(1),
	}
}

// newGeneration returns an empty one. No entry is at 0, so that no slot is 0.
func newGeneration(slots int) generation {
	return generation{slots: make([]uint32, slots), shift: uint(64 - bits.TrailingZeros(uint(slots))), entries: make([]byte, 8)}
}

// known returns the term that a word is counted as by its hash, with the hash of it; nil if it is not remembered.
func (g *generation) known(word uint64) (text []byte, hash uint64) {
	mask := uint64(len(g.slots) - 1)
	for i := word >> g.shift; ; i++ {
		slot := g.slots[i&mask]
		if slot == 0 {
			return nil, 0
		}
		if slot>>placeBits != uint32(word)>>placeBits {
			continue
		}
		entry := g.entries[8*int(slot&placeMask):]
		if binary.LittleEndian.Uint64(entry) != word {
			continue
		}
		end := textStarts + int(binary.LittleEndian.Uint16(entry[16:]))
		return entry[textStarts:end:end], binary.LittleEndian.Uint64(entry[8:])
	}
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
	if text, hash = c.known(word); text != nil {
		return text, hash, nil
	}
	return c.unknown(word)
}

// unknown is get for a word that is not known.
func (c *cache) unknown(word []byte) (text []byte, hash uint64, d *disguise) {
	if d, ok := c.disguised[string(word)]; ok {
		text = []byte(c.tag + d.term)
		return text, features.Hash(text), d
	}
	text, d = c.become(append(c.scratch[:0], c.tag...), word)
	if len(text) == len(c.tag) {
		text = append(text, word...)
	}
	c.scratch, hash = text, features.Hash(text)
	switch {
	case len(word) > maxCachedWord || len(text) > maxCachedWord || len(word) == 0:
	case d != nil:
		if len(c.disguised) == maxCached {
			clear(c.disguised)
		}
		d.term = string(text[len(c.tag):])
		c.disguised[string(word)] = d
	default:
		return c.add(maphash.Bytes(c.seed, word), hash, text), hash, nil
	}
	return bytes.Clone(text), hash, d
}

// add remembers a word that the younger generation does not, and returns its text there.
func (c *cache) add(word, hash uint64, text []byte) []byte {
	if c.young.count == maxCached || len(c.young.entries)+2*maxCachedWord > maxEntries {
		c.old, c.young = c.young, newGeneration(len(c.young.slots))
	}
	g := &c.young
	if g.count++; 4*g.count > 3*len(g.slots) {
		g.grow()
	}
	place := len(g.entries)
	g.entries = binary.LittleEndian.AppendUint64(g.entries, word)
	g.entries = binary.LittleEndian.AppendUint64(g.entries, hash)
	g.entries = binary.LittleEndian.AppendUint16(g.entries, uint16(len(text)))
	g.entries = append(g.entries, text...)
	end := len(g.entries)
	for len(g.entries)%8 != 0 {
		g.entries = append(g.entries, 0)
	}
	g.put(word, place)
	return g.entries[place+textStarts : end : end]
}

// put gives a word the first free slot for it.
func (g *generation) put(word uint64, place int) {
	mask := uint64(len(g.slots) - 1)
	i := word >> g.shift
	for g.slots[i&mask] != 0 {
		i++
	}
	g.slots[i&mask] = uint32(word)>>placeBits<<placeBits | uint32(place/8)
}

// grow doubles the slots.
func (g *generation) grow() {
	old := g.slots
	g.slots, g.shift = make([]uint32, 2*len(old)), g.shift-1
	for _, slot := range old {
		if slot != 0 {
			place := 8 * int(slot&placeMask)
			g.put(binary.LittleEndian.Uint64(g.entries[place:]), place)
		}
	}
}
