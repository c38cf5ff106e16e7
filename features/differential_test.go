package features_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/features"
	"chaff/internal/evidence"
	"chaff/internal/termkey"
)

// FuzzBag compares a bag with a map.
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
			hash := termkey.Key{}.Hash(term)
			if bag.Add(hash, evidence.Words, true) != (want[hash] == 0) {
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

// FuzzVocabulary compares lookups in a vocabulary with a map.
func FuzzVocabulary(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add([]byte{1, 2, 3, 200, 255}, uint64(1))
	f.Add([]byte{0, 0, 255}, uint64(1)<<63)
	f.Fuzz(func(t *testing.T, seeds []byte, probe uint64) {
		hashes := []uint64{probe ^ 1}
		for i, seed := range seeds {
			// Some hashes are neighbours, others far apart.
			hashes = append(hashes, termkey.Key{}.Hash([]byte{seed}), probe+uint64(i), uint64(seed)<<56)
		}
		slices.Sort(hashes)
		hashes = slices.Compact(hashes)
		rand.New(rand.NewPCG(probe, 0)).Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
		v, err := features.NewVocabulary(hashes)
		if err != nil {
			t.Fatal(err)
		}
		// The table distinguishes hashes by the bits of the prefix and 32 more.
		_, starts := v.Table()
		forgotten := 32 - (bits.Len(uint(len(starts)-1)) - 1)
		first := map[uint64]uint32{} // id by these bits
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

// FuzzDamagedTables looks hashes up in arbitrary tables, as in a crafted model file. Every id that it finds must be in the vocabulary.
func FuzzDamagedTables(f *testing.F) {
	f.Add([]byte{}, []byte{}, uint64(0))
	f.Add([]byte{1, 0, 0, 0, 9, 0, 0, 0}, []byte{0, 1}, uint64(1)<<32)
	f.Add(bytes.Repeat([]byte{1, 2, 3, 4}, 512), []byte{0, 200, 100, 255}, uint64(1)<<63)
	f.Fuzz(func(t *testing.T, data, ends []byte, hash uint64) {
		var table []uint32
		for ; len(data) >= 4; data = data[4:] {
			table = append(table, binary.LittleEndian.Uint32(data))
		}
		starts := []uint32{0}
		for _, end := range ends {
			starts = append(starts, min(starts[len(starts)-1]+uint32(end), uint32(len(table)/2)))
		}
		starts[len(starts)-1] = uint32(len(table) / 2)
		v, err := features.RestoreVocabulary(table, starts)
		if err != nil {
			return
		}
		hashes := []uint64{0, hash, ^hash, ^uint64(0)}
		for i := range uint64(40) { // more than are looked up at a time
			hashes = append(hashes, hash+i<<32, hash<<i)
		}
		doc := features.Document{Terms: hashes, Counts: make([]uint32, len(hashes)), Marks: make([]byte, len(hashes))}
		x := new(features.Lookup).AppendVector(features.Vector{}, v, doc, features.Bits)
		for _, id := range x.IDs {
			if int(id) >= v.Len() {
				t.Fatalf("id %d of %d terms", id, v.Len())
			}
		}
		if !slices.IsSorted(x.IDs) {
			t.Errorf("ids %d are not in order", x.IDs)
		}
	})
}
