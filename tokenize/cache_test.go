package tokenize

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"chaff/features"
)

// TestTheCacheRemembersWhatAMapWould asks for words of all lengths in any order, and makes the cache forget on the way.
func TestTheCacheRemembersWhatAMapWould(t *testing.T) {
	become := func(dst, word []byte) ([]byte, *disguise) {
		if bytes.HasSuffix(word, []byte("7")) {
			return append(append(dst, word...), 's'), &disguise{mark: homoglyph, meant: string(word[:1])}
		}
		switch len(word) % 4 {
		case 0:
			return append(dst, word[:len(word)/2]...), nil // may be empty, which stands for the word itself
		case 1:
			return appendLower(dst, word[:len(word)/2]), nil
		case 2:
			return append(appendLower(dst, word[:1]), word[1:]...), nil
		}
		return append(dst, bytes.Repeat(word[:1], len(word)+1)...), nil
	}
	c := newCache(features.Key{}, "tag:", become)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 4 * maxCached {
		word := strconv.FormatInt(rng.Int64N(3*maxCached), 36)
		if n := rng.IntN(4); n < 3 { // with a capital, two or none
			word = strings.ToUpper(word[:min(n, len(word))]) + word[min(n, len(word)):]
		}
		switch rng.IntN(1000) {
		case 0:
			word = strings.Repeat(word, 1+rng.IntN(100))
		case 1:
			word = strings.Repeat(word, maxCachedWord)
		}
		made, wantDisguise := become(nil, []byte(word))
		want := string(made)
		if want == "" {
			want = word
		}
		got, hash, d := c.get([]byte(word))
		if string(got) != "tag:"+want || (d != nil) != (wantDisguise != nil) || d != nil && d.meant != wantDisguise.meant {
			t.Fatalf("%.40q: got %.40q and %v, want %.40q and %v", word, got, d, want, wantDisguise)
		}
		if hash != (features.Key{}).Hash([]byte("tag:"+want)) {
			t.Fatalf("%.40q: hash %x is not that of tag:%.40s", word, hash, want)
		}
		if known, _ := c.known([]byte(word)); len(word) <= maxCachedWord && d == nil && string(known) != "tag:"+want {
			t.Fatalf("%.40q: remembered as %.40q, want tag:%.40s", word, known, want)
		}
	}
}

func BenchmarkCache(b *testing.B) {
	c := newCache(features.Key{}, "", verbatim)
	words := make([][]byte, 1<<14)
	for i := range words {
		words[i] = fmt.Appendf(nil, "word%d", i*i)
		c.get(words[i])
	}
	for i := 0; b.Loop(); i++ {
		c.known(words[i&(len(words)-1)])
	}
}
