package features_test

import (
	"bytes"
	"maps"
	"math/bits"
	"slices"
	"testing"

	"chaff/features"
)

// FuzzBag holds a bag, which is a hash table of its own, to a map.
func FuzzBag(f *testing.F) {
	f.Add([]byte("a b a"), uint8(0))
	f.Add([]byte(""), uint8(3))
	f.Add(bytes.Repeat([]byte("body:x subject:y "), 20), uint8(200))
	var bag features.Bag
	f.Fuzz(func(t *testing.T, text []byte, more uint8) {
		terms := bytes.Split(text, []byte(" "))
		for n := range 20 * int(more) { // enough to make the table grow
			terms = append(terms, []byte{byte(n), byte(n >> 8), more})
		}
		want := map[uint64]uint32{}
		bag.Reset()
		for _, term := range terms {
			hash := features.Hash(term)
			if bag.Add(hash, features.Words, true) != (want[hash] == 0) {
				t.Fatalf("term %x: first %v after %d times", hash, want[hash] > 0, want[hash])
			}
			want[hash]++
		}
		doc := bag.Document()
		if !slices.Equal(doc.Terms, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("got the terms %x, want %x", doc.Terms, slices.Sorted(maps.Keys(want)))
		}
		for i, hash := range doc.Terms {
			if doc.Counts[i] != want[hash] {
				t.Errorf("term %x: counted %d times, want %d", hash, doc.Counts[i], want[hash])
			}
		}
	})
}

// FuzzVocabulary holds the look-up of a term, by the first bits of its hash, to a search in all of them.
func FuzzVocabulary(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add([]byte{1, 2, 3, 200, 255}, uint64(1))
	f.Add([]byte{0, 0, 255}, uint64(1)<<63)
	f.Fuzz(func(t *testing.T, seeds []byte, probe uint64) {
		hashes := []uint64{probe ^ 1}
		for i, seed := range seeds {
			// Some hashes lie side by side, others far apart.
			hashes = append(hashes, features.Hash([]byte{seed}), probe+uint64(i), uint64(seed)<<56)
		}
		slices.Sort(hashes)
		hashes = slices.Compact(hashes)
		v, err := features.NewVocabulary(slices.Clone(hashes))
		if err != nil {
			t.Fatal(err)
		}
		// Of a hash there are kept the bits of the prefix, and 32 more.
		forgotten := 32 - (bits.Len(uint(len(v.Starts())-1)) - 1)
		var kept []uint64
		for _, hash := range hashes {
			kept = append(kept, hash>>forgotten)
		}
		kept = slices.Compact(kept)
		if v.Len() != len(kept) {
			t.Fatalf("%d terms, want %d", v.Len(), len(kept))
		}
		for _, hash := range append(slices.Clone(hashes), probe, probe-1, ^probe, 0, ^uint64(0)) {
			want, is := slices.BinarySearch(kept, hash>>forgotten)
			if id, known := v.ID(hash); known != is || known && int(id) != want {
				t.Errorf("hash %x: got id %d, known %v; want %d, %v", hash, id, known, want, is)
			}
		}
	})
}
