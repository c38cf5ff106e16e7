package tokenize

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"chaff/internal/termkey"
	"chaff/message"
)

func TestCacheReturnsWhatNormalizeMakes(t *testing.T) {
	normalize := func(dst, word []byte) ([]byte, *disguise) {
		switch {
		case bytes.HasSuffix(word, []byte("7")):
			return append(append(dst, word...), 's'), &disguise{mark: message.Homoglyph, meant: bytes.Clone(word[:1])}
		case len(word)%2 == 0:
			return append(dst, word[:len(word)/3]...), nil // may be empty, which stands for the word itself
		}
		return append(appendLower(dst, word), '!'), nil
	}
	c := newCache(termkey.Key{}, "tag:", normalize)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 * maxCachedWords {
		word := strconv.FormatInt(rng.Int64N(3*maxCachedWords), 36)
		switch rng.IntN(1000) {
		case 0:
			word = strings.Repeat(word, 1+rng.IntN(100))
		case 1:
			word = strings.Repeat(word, maxCachedTerm)
		}
		made, wantDisguise := normalize(nil, []byte(word))
		want := string(made)
		if want == "" {
			want = word
		}
		for range 2 { // when it is new or known, and when it is known
			got, hash, d := c.get([]byte(word), false)
			if string(got) != "tag:"+want || (d != nil) != (wantDisguise != nil) || d != nil && !bytes.Equal(d.meant, wantDisguise.meant) {
				t.Fatalf("%.40q: got %.40q and %v, want %.40q and %v", word, got, d, want, wantDisguise)
			}
			if hash != (termkey.Key{}).Hash([]byte("tag:"+want)) {
				t.Fatalf("%.40q: hash %x is not that of tag:%.40s", word, hash, want)
			}
			if got, hash, _ := c.get([]byte(word), true); string(got) != "tag:"+word || hash != (termkey.Key{}).Hash([]byte("tag:"+word)) {
				t.Fatalf("%.40q as a sign: got %.40q and the hash %x", word, got, hash)
			}
		}
		if c.used > maxCachedWords || len(c.texts) > maxCachedBytes+maxCachedTerm || len(c.disguises) > math.MaxUint16 {
			t.Fatalf("the cache holds %d words of %d bytes", c.used, len(c.texts))
		}
	}
}

func TestCacheOfDisguisedWordsIsEmptied(t *testing.T) {
	c := newCache(termkey.Key{}, "", func(dst, word []byte) ([]byte, *disguise) {
		return append(dst, word...), &disguise{meant: bytes.Clone(word)}
	})
	for i := range maxCachedWords {
		word := strconv.AppendInt(nil, int64(i), 10)
		for range 2 { // when it is new, and when it is known
			if _, _, d := c.get(word, false); d == nil || !bytes.Equal(d.meant, word) {
				t.Fatalf("%s: got %v", word, d)
			}
		}
	}
}

func TestCacheNormalizesAWordOnce(t *testing.T) {
	made := 0
	c := newCache(termkey.Key{}, "", func(dst, word []byte) ([]byte, *disguise) {
		made++
		return append(dst, word...), &disguise{}
	})
	for range 3 {
		c.get([]byte("again"), false)
	}
	if made != 1 {
		t.Errorf("a word was normalised %d times, want once", made)
	}
}

func BenchmarkCache(b *testing.B) {
	c := newCache(termkey.Key{}, "", func(dst, word []byte) ([]byte, *disguise) { return append(dst, word...), nil })
	words := make([][]byte, 1<<14)
	for i := range words {
		words[i] = fmt.Appendf(nil, "word%d", i*i)
		c.get(words[i], false)
	}
	for i := 0; b.Loop(); i++ {
		c.get(words[i&(len(words)-1)], false)
	}
}
