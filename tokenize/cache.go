package tokenize

import (
	"hash/maphash"
	"math"
	"slices"

	"chaff/internal/hashtable"
	"chaff/internal/termkey"
)

const (
	// maxCachedWords is how many words a cache of words holds, so that mail full of random words does not fill the memory.
	maxCachedWords = 3 << 15
	// maxCachedSigns is how many texts a cache of signs holds.
	maxCachedSigns = 3 << 10
	// maxCachedBytes is how many bytes of terms a cache holds.
	maxCachedBytes = 1 << 22
	// maxCachedTerm is the length in bytes of the longest term that is cached.
	maxCachedTerm = 1 << 10
)

// cache holds the term of each distinct word, since words repeat and stemming is slow. A full cache is emptied.
//
// It knows words by a hash of 64 bits. The seed of the hash differs in each process, so nobody can choose two words with the same hash.
type cache struct {
	key       termkey.Key // that terms are hashed under
	size      int         // how many words it may hold
	tag       string      // of the terms; empty if the caller adds one
	normalize normalizer
	seed      maphash.Seed
	terms     hashtable.Map[cachedTerm] // by the hash of the word
	texts     []byte
	disguises []disguise
}

type cachedTerm struct {
	hash     uint64
	start    uint32 // of its text
	size     uint16
	disguise uint16 // which one is behind it, from 1; 0 if the word is not disguised
}

// normalizer appends to dst what a word is counted as. Nothing stands for the word as it is written. It also returns what is behind a
// disguised word.
type normalizer func(dst, word []byte) ([]byte, *disguise)

// disguise describes a word that is written so that filters do not recognise it.
type disguise struct {
	mark    mark
	perhaps bool   // the word may be an honest one of a rare script
	meant   []byte // what the word that was meant is counted as, empty if that is the term already
}

func newCache(key termkey.Key, size int, tag string, normalize normalizer) *cache {
	return &cache{key: key, size: size, tag: tag, normalize: normalize, seed: maphash.MakeSeed()}
}

// get returns the term that a word is counted as, with the tag of the cache, its hash, and what is behind a disguised word. The text is never
// overwritten.
func (c *cache) get(word []byte) (text []byte, hash uint64, d *disguise) {
	key := maphash.Bytes(c.seed, word)
	if t := c.terms.Get(key); t != nil {
		if t.disguise > 0 {
			d = &c.disguises[t.disguise-1]
		}
		return c.texts[t.start:][:t.size], t.hash, d
	}
	if c.terms.Len() == c.size || len(c.texts) >= maxCachedBytes || len(c.disguises) == math.MaxUint16 {
		c.terms.Reset()
		c.texts, c.disguises = make([]byte, 0, cap(c.texts)), nil
	}
	// The terms of a message keep memory that is outgrown: twice the size if it doubles, five times if it grows by a quarter, as append does.
	if cap(c.texts)-len(c.texts) < maxCachedTerm {
		c.texts = slices.Grow(c.texts, len(c.texts)+maxCachedTerm)
	}
	start := len(c.texts)
	texts, d := c.normalize(append(c.texts, c.tag...), word)
	if len(texts) == start+len(c.tag) {
		texts = append(texts, word...)
	}
	text = texts[start:]
	hash = c.key.Hash(text)
	if len(text) > maxCachedTerm {
		return slices.Clone(text), hash, d
	}
	c.texts = texts
	t := cachedTerm{hash: hash, start: uint32(start), size: uint16(len(text))}
	if d != nil {
		c.disguises = append(c.disguises, *d)
		t.disguise = uint16(len(c.disguises))
	}
	c.terms.Put(key, t)
	return text, hash, d
}
