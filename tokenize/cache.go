package tokenize

import (
	"hash/maphash"

	"chaff/internal/hashtable"
	"chaff/internal/termkey"
)

const (
	// maxCached is how many words a cache holds, so that mail full of random words does not fill the memory.
	maxCached = 1 << 17
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
	tag       string      // of the terms; empty if the caller adds one
	normalize normalizer
	seed      maphash.Seed
	terms     hashtable.Map[cachedTerm] // by the hash of the word
	texts     []byte
	disguises []disguise
	text      []byte // the term that was made last
}

type cachedTerm struct {
	hash       uint64
	start, end uint32 // its text
	disguise   uint32 // which one is behind it, from 1; 0 if the word is not disguised
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

func newCache(key termkey.Key, tag string, normalize normalizer) *cache {
	return &cache{key: key, tag: tag, normalize: normalize, seed: maphash.MakeSeed(), text: []byte(tag)}
}

// get returns the term that a word is counted as, with the tag of the cache, its hash, and what is behind a disguised word. All are valid
// until the next call.
func (c *cache) get(word []byte) (text []byte, hash uint64, d *disguise) {
	key := maphash.Bytes(c.seed, word)
	if t := c.terms.Get(key); t != nil {
		if t.disguise > 0 {
			d = &c.disguises[t.disguise-1]
		}
		return c.texts[t.start:t.end], t.hash, d
	}
	c.text, d = c.normalize(c.text[:len(c.tag)], word)
	if len(c.text) == len(c.tag) {
		c.text = append(c.text, word...)
	}
	hash = c.key.Hash(c.text)
	if len(c.text) <= maxCachedTerm {
		c.add(key, hash, d)
	}
	return c.text, hash, d
}

// add caches the term that was made last for the word with a key.
func (c *cache) add(key, hash uint64, d *disguise) {
	if c.terms.Len() == maxCached || len(c.texts) >= maxCachedBytes {
		c.terms.Reset()
		c.texts, c.disguises = c.texts[:0], nil
	}
	t := cachedTerm{hash: hash, start: uint32(len(c.texts))}
	c.texts = append(c.texts, c.text...)
	t.end = uint32(len(c.texts))
	if d != nil {
		c.disguises = append(c.disguises, *d)
		t.disguise = uint32(len(c.disguises))
	}
	c.terms.Put(key, t)
}
