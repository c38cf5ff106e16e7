package filter

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/features"
	"chaff/internal/evidence"
	"chaff/internal/logfile"
)

// randomDocument returns a document of terms among the given hashes.
func randomDocument(random *rand.Rand, hashes []uint64) features.Document {
	b := new(features.Bag)
	b.Reset()
	for range 1 + random.IntN(60) {
		hash := hashes[random.IntN(len(hashes))]
		b.Add(hash, evidence.Group(hash%6), random.IntN(2) == 0) // any fixed group
	}
	return b.Document()
}

// Some of the hashes agree in all bits but the last, so that they are one term.
func TestTermsOfALogAreAsGoodAsALargerVocabulary(t *testing.T) {
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
		first := hashes[:size]
		v, err := features.NewVocabulary(slices.Clone(first))
		noError(t, err)
		o := &One{head: head{tables: tables{shift: uint(32 - encodePref(v)[0])}}}
		var later [][]uint64
		for range 20 {
			var before []uint64
			for _, list := range later {
				before = append(before, list...)
			}
			doc := randomDocument(random, hashes)
			var k knowledge
			for _, list := range later {
				k.tail = append(k.tail, logfile.Rows{New: list})
			}
			known := k.later(v.AppendKnown(nil, doc.Terms), doc.Terms, uint32(v.Len()), o.tables.shift)
			want := v.Extended(before).AppendKnown(nil, doc.Terms)
			slices.Sort(known)
			slices.Sort(want)
			if diff := cmp.Diff(want, known); diff != "" {
				t.Fatalf("%d terms and %d later ones (-vocabulary +log):\n%s", v.Len(), len(before), diff)
			}
			all, added, _ := o.appendNew(known, doc, uint32(v.Len()+len(before)))
			if len(all) != len(doc.Terms) {
				t.Fatalf("%d of %d terms have an id", len(all), len(doc.Terms))
			}
			for i, hash := range added {
				if !slices.Contains(all, uint64(v.Len()+len(before)+i)<<32|uint64(slices.Index(doc.Terms, hash))) {
					t.Fatalf("term %d of %d and %d later ones: %x", i, v.Len(), len(before), hash)
				}
			}
			later = append(later, added)
			want = v.Extended(append(before, added...)).AppendKnown(nil, doc.Terms)
			slices.Sort(all)
			slices.Sort(want)
			if diff := cmp.Diff(want, all); diff != "" {
				t.Fatalf("learned (-vocabulary +log):\n%s", diff)
			}
		}
	}
}

func TestOnlyTermsOfTheHeadAreLearnedAsHeadBits(t *testing.T) {
	doc := features.Document{Terms: []uint64{1 << 60, 2 << 60, 3 << 60}, Marks: []byte{features.Mark(0, true, 1), features.Mark(0, false, 1), features.Mark(0, true, 1)}}
	o := &One{head: head{kind: features.HeadBits}}
	known, added, _ := o.appendNew(nil, doc, 7)
	if want := []uint64{1 << 60, 3 << 60}; !slices.Equal(added, want) || len(known) != 2 {
		t.Errorf("got %v, %v, want %v", added, known, want)
	}
}
