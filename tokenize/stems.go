package tokenize

import (
	"bytes"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"

	"chaff/internal/termkey"
	"chaff/message"
)

const noLanguage = "none"

// stemmers has the stemmer of each language that has one.
var stemmers = map[string]func(word string, stemStopWords bool) string{
	"english": stemEnglish, "french": french.Stem, "hungarian": hungarian.Stem, "norwegian": norwegian.Stem, "russian": stemRussian,
	"spanish": spanish.Stem, "swedish": swedish.Stem,
}

// stemEnglish stems an English word. The last letters of half of them say that no rule applies.
func stemEnglish(word string, stemStopWords bool) string {
	const quote = 0xe2 // the first byte of other apostrophes
	n := len(word)
	if n < 2 || strings.IndexByte(word, '\'') >= 0 || strings.IndexByte(word, quote) >= 0 {
		return english.Stem(word, stemStopWords)
	}
	switch word[max(0, n-3):] {
	case "ing", "ion", "ism", "ant", "ent", "ful", "tor":
		return english.Stem(word, stemStopWords)
	}
	switch word[n-2:] {
	case "ed", "er", "ic", "al", "ll":
		return english.Stem(word, stemStopWords)
	}
	switch word[n-1] {
	case 's', 'e', 'i', 'y':
		return english.Stem(word, stemStopWords)
	}
	return word
}

// stemRussian stems a Russian word.
//
// QUIRK: most Russian is written with е for ё. With ё, one word in twenty would have another stem.
func stemRussian(word string, stemStopWords bool) string {
	return russian.Stem(strings.ReplaceAll(word, "ё", "е"), stemStopWords)
}

// Languages returns the languages with a stemmer, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(stemmers)) }

// stems returns what makes stems of the words of prose, stop words too, and finds the words behind disguised ones.
func stems(language string) normalizer {
	stem := stemmers[language]
	normalize := func(dst, word []byte) []byte {
		start := len(dst)
		dst = appendLower(dst, word)
		lower := dst[start:]
		if stem == nil || bytes.ContainsAny(lower, "0123456789_") { // a code or a name has no stem
			return dst
		}
		return append(dst[:start], stem(string(lower), true)...)
	}
	return func(dst, word []byte) ([]byte, *disguise) {
		if meant := restoreLetters(word); meant != nil {
			return normalize(dst, word), &disguise{mark: message.LetterDigit, meant: normalize(nil, meant)}
		}
		start := len(dst)
		dst, d := reveal(dst, word, normalize)
		if d != nil && len(d.meant) == 0 { // the word may also have digits for letters
			if meant := restoreLetters(dst[start:]); meant != nil {
				d.meant = normalize(nil, meant)
			}
		}
		return dst, d
	}
}

const (
	// maxCachedWords is how many words a cache of words holds, so that mail full of random words does not fill the memory.
	maxCachedWords = 3 << 15
	// maxCachedBytes is how many bytes of terms a cache holds.
	maxCachedBytes = 1 << 22
	// maxCachedTerm is the length in bytes of the longest term that is cached.
	maxCachedTerm = 1 << 10
)

// cache holds the term of each distinct word, since words repeat and stemming is slow. A full cache is emptied.
//
// It is a hash table with linear probing, which knows words by a hash of 64 bits. The seed of the hash differs in each process, so nobody can choose two
// words with the same hash.
type cache struct {
	key       termkey.Key // that terms are hashed under
	tag       string      // of the terms; empty if the caller adds one
	normalize normalizer
	seed      maphash.Seed
	slots     []cachedTerm // a power of two
	used      int
	texts     []byte
	disguises []disguise
}

type cachedTerm struct {
	word     uint64 // its hash; 0 if the slot is free
	hash     uint64
	start    uint32 // of its text
	size     uint16
	disguise uint16 // which one is behind it, from 1; 0 if the word is not disguised
}

// normalizer appends to dst what a word is counted as, nothing if that is the word itself, and returns what is behind a disguised word.
type normalizer func(dst, word []byte) ([]byte, *disguise)

// disguise describes a word that is written so that filters do not recognise it.
type disguise struct {
	mark    message.Mark
	perhaps bool   // the word may be an honest one of a rare script
	meant   []byte // what the word that was meant is counted as, empty if that is the term already
}

func newCache(key termkey.Key, tag string, normalize normalizer) *cache {
	return &cache{key: key, tag: tag, normalize: normalize, seed: maphash.MakeSeed(), slots: make([]cachedTerm, 64)}
}

// get returns the term that a word is counted as, which is never overwritten, its hash, and what is behind a disguised word. A sign is counted as it is.
func (c *cache) get(word []byte, isSign bool) (text []byte, hash uint64, d *disguise) {
	key := maphash.Bytes(c.seed, word)
	if isSign {
		key = ^key
	}
	t := c.slot(key)
	if t.word == key {
		if t.disguise > 0 {
			d = &c.disguises[t.disguise-1]
		}
		return c.texts[t.start:][:t.size], t.hash, d
	}
	switch {
	case c.used == maxCachedWords || len(c.texts) >= maxCachedBytes || len(c.disguises) == math.MaxUint16:
		clear(c.slots)
		c.used, c.texts, c.disguises = 0, make([]byte, 0, cap(c.texts)), nil
		t = c.slot(key)
	case 4*c.used >= 3*len(c.slots):
		old := c.slots
		c.slots = make([]cachedTerm, 2*len(old))
		for _, t := range old {
			*c.slot(t.word) = t // nothing changes for a free one
		}
		t = c.slot(key)
	}
	// The terms of a message keep memory that is outgrown: twice the size if it doubles, five times if it grows by a quarter, as append does.
	if cap(c.texts)-len(c.texts) < maxCachedTerm {
		c.texts = slices.Grow(c.texts, len(c.texts)+maxCachedTerm)
	}
	start := len(c.texts)
	texts := append(c.texts, c.tag...)
	if !isSign {
		texts, d = c.normalize(texts, word)
	}
	if len(texts) == start+len(c.tag) {
		texts = append(texts, word...)
	}
	text = texts[start:]
	hash = c.key.Hash(text)
	if len(text) > maxCachedTerm {
		return slices.Clone(text), hash, d
	}
	c.texts = texts
	*t = cachedTerm{word: key, hash: hash, start: uint32(start), size: uint16(len(text))}
	c.used++
	if d != nil {
		c.disguises = append(c.disguises, *d)
		t.disguise = uint16(len(c.disguises))
	}
	return text, hash, d
}

// slot returns the slot of a word by its hash, or the free one where it belongs.
func (c *cache) slot(word uint64) *cachedTerm {
	for at := word; ; at++ {
		if t := &c.slots[at&uint64(len(c.slots)-1)]; t.word == word || t.word == 0 {
			return t
		}
	}
}
