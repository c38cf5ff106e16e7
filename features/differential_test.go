package features_test

import (
	"bytes"
	"maps"
	"math/bits"
	"math/rand/v2"
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
			hash := features.Key{}.Hash(term)
			if bag.Add(hash, features.Words, true) != (want[hash] == 0) {
				t.Fatalf("term %x: first %v after %d times", hash, want[hash] > 0, want[hash])
			}
			want[hash]++
		}
		doc := bag.Document()
		if got := slices.Sorted(slices.Values(doc.Terms)); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("got the terms %x, want %x", got, slices.Sorted(maps.Keys(want)))
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
			hashes = append(hashes, features.Key{}.Hash([]byte{seed}), probe+uint64(i), uint64(seed)<<56)
		}
		slices.Sort(hashes)
		hashes = slices.Compact(hashes)
		rand.New(rand.NewPCG(probe, 0)).Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
		v, err := features.NewVocabulary(hashes)
		if err != nil {
			t.Fatal(err)
		}
		// Of a hash there are kept the bits of the prefix, and 32 more.
		forgotten := 32 - (bits.Len(uint(len(v.Starts())-1)) - 1)
		first := map[uint64]uint32{} // id of what is kept
		for id, hash := range hashes {
			if _, seen := first[hash>>forgotten]; !seen {
				first[hash>>forgotten] = uint32(id)
			}
		}
		if v.Len() != len(hashes) || v.Shared() != len(hashes)-len(first) {
			t.Fatalf("%d terms, %d of them another: want %d and %d", v.Len(), v.Shared(), len(hashes), len(hashes)-len(first))
		}
		for _, hash := range append(slices.Clone(hashes), probe, probe-1, ^probe, 0, ^uint64(0)) {
			want, is := first[hash>>forgotten]
			if id, known := v.ID(hash); known != is || known && id != want {
				t.Errorf("hash %x: got id %d, known %v; want %d, %v", hash, id, known, want, is)
			}
		}
	})
}
