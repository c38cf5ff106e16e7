package features

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"chaff/internal/evidence"
)

// randomDocument returns a document of terms among the given hashes.
func randomDocument(random *rand.Rand, hashes []uint64) Document {
	b := new(Bag)
	b.Reset()
	for range 1 + random.IntN(60) {
		hash := hashes[random.IntN(len(hashes))]
		b.Add(hash, evidence.Group(hash%6), random.IntN(2) == 0) // any fixed group
	}
	b.AddGrams(fmt.Append(nil, random.Uint64()))
	return b.Document()
}

// Some of the hashes agree in all bits but the last, so that they are one term.
func TestAnExtensionIsAsGoodAsALargerVocabulary(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	var hashes []uint64
	for range 300 {
		hash := random.Uint64()
		hashes = append(hashes, hash)
		if random.IntN(8) == 0 {
			hashes = append(hashes, hash^1)
		}
	}
	for _, size := range []int{0, 1, 100} {
		v, err := NewVocabulary(slices.Clone(hashes[:size]))
		if err != nil {
			t.Fatal(err)
		}
		if restored := size / 2 * 2; restored == size { // as from a file
			if v, err = RestoreVocabulary(v.Table(), v.BucketStarts()); err != nil {
				t.Fatal(err)
			}
		}
		var e Extension
		var l Lookup
		for range 20 {
			learned := randomDocument(random, hashes)
			before := v.Extended(e.Hashes())
			_, added := l.AppendLearned(Vector{}, v, &e, learned, Bits)
			var list []uint64
			for i, term := range added {
				if int(term.ID) != v.Len()+e.Len()+i || learned.Terms[term.Index] != term.Hash {
					t.Fatalf("term %d of %d and %d later ones: %+v", i, v.Len(), e.Len(), term)
				}
				if _, known := before.ID(term.Hash); known {
					t.Fatalf("%x was known", term.Hash)
				}
				list = append(list, term.Hash)
			}
			addTo(&e, list...)
			all := v.Extended(e.Hashes())
			if all.Len() != v.Len()+e.Len() {
				t.Fatalf("%d terms are %d and %d", all.Len(), v.Len(), e.Len())
			}
			for _, doc := range []Document{learned, randomDocument(random, hashes)} {
				for _, kind := range []Kind{Bits, Counts, NormalisedBits, NormalisedCounts, Whole, HeadBits, Evidence} {
					want := new(Lookup).AppendVector(Vector{}, all, doc, kind)
					got, later := l.AppendExtended(Vector{}, v, &e, doc, kind)
					if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
						t.Fatalf("%v (-vocabulary +extension):\n%s", kind, diff)
					}
					for _, term := range later {
						if id, known := all.ID(term.Hash); !known || id != term.ID {
							t.Fatalf("%+v has the id %d", term, id)
						}
					}
				}
			}
		}
	}
}

func TestOnlyTermsOfTheHeadAreLearnedAsHeadBits(t *testing.T) {
	b := bagOf("head", "other")
	add(b, "tail", false)
	v, err := NewVocabulary(nil)
	if err != nil {
		t.Fatal(err)
	}
	x, added := new(Lookup).AppendLearned(Vector{}, v, new(Extension), b.Document(), HeadBits)
	if len(added) != 2 || !slices.Equal(x.IDs, []uint32{0, 1}) {
		t.Errorf("got %v, %v", x.IDs, added)
	}
	var e Extension
	doc := b.Document()
	_, added = new(Lookup).AppendLearned(Vector{}, v, &e, doc, Whole)
	addTo(&e, added[0].Hash)
	if x, _ := new(Lookup).AppendExtended(Vector{}, v, &e, doc, Whole); len(added) != 1 || !slices.Equal(x.IDs, []uint32{0}) {
		t.Errorf("a whole message: got %v, %v", x.IDs, added)
	}
}

func TestTermsThatNeitherTheVocabularyNorTheExtensionHasAreUnknown(t *testing.T) {
	v, err := NewVocabulary([]uint64{1 << 60, 2 << 60})
	if err != nil {
		t.Fatal(err)
	}
	var e Extension
	addTo(&e, 3<<60)
	doc := Document{Terms: []uint64{4 << 60, 3 << 60, 2 << 60, 5 << 60}}
	if got := new(Lookup).Unknown(v, &e, doc); !slices.Equal(got, []bool{true, false, false, true}) {
		t.Errorf("got %v", got)
	}
	if got := new(Lookup).Unknown(v, new(Extension), doc); !slices.Equal(got, []bool{true, true, false, true}) {
		t.Errorf("without an extension: got %v", got)
	}
}

// addTo adds a list of terms of which a few are read at a time.
func addTo(e *Extension, hashes ...uint64) {
	e.Add(len(hashes), func(do func(hashes []uint64)) {
		for some := range slices.Chunk(hashes, 3) {
			do(some)
		}
	})
}
