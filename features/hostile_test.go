package features

import (
	"math/rand/v2"
	"testing"
)

// chosenHashes returns so many hashes of each kind that someone could choose who knows the key and the code of a table.
func chosenHashes(n int) map[string][]uint64 {
	random := rand.New(rand.NewPCG(1, 0))
	chosen := make(map[string][]uint64)
	for range n {
		i, r := uint64(len(chosen["the first bits are the same"])), random.Uint64()
		for name, hash := range map[string]uint64{
			"the first bits are the same":         0xabc<<52 | r>>12,
			"the last bits are the same":          r<<20 | 0xabcde,
			"they follow one another":             i,
			"they follow one another from above":  ^i,
			"only bits in the middle differ":      i << 24,
			"only the first bits differ":          i << 44,
			"the products with a constant agree":  (0xabc<<52 | r>>12) * 0xf1de83e19937733d, // the inverse of 0x9e3779b97f4a7c15
			"they are at the same distance apart": i * 0x123456789abcdef1,
		} {
			chosen[name] = append(chosen[name], hash)
		}
	}
	return chosen
}

// TestNoChoiceOfHashesMakesAVocabularySlow looks up terms that share their first bits, or whose keys are not evenly spaced. A slow lookup
// would exceed the time limit of the tests.
func TestNoChoiceOfHashesMakesAVocabularySlow(t *testing.T) {
	for name, hashes := range chosenHashes(100_000) {
		t.Run(name, func(t *testing.T) {
			v, err := NewVocabulary(hashes)
			if err != nil {
				t.Fatal(err)
			}
			for id, hash := range hashes {
				got, known := v.ID(hash)
				if !known || v.Shared() == 0 && got != uint32(id) {
					t.Fatalf("%x: got id %d, known %v; want %d", hash, got, known, id)
				}
			}
		})
	}
}

func TestAModelWithoutTermsTellsThoseOfOneKeyApart(t *testing.T) {
	v, err := NewVocabulary(nil)
	if err != nil {
		t.Fatal(err)
	}
	const hash, beside = 0x0123456789abcdef, 0x0123456788abcdef // their first 32 bits are the same
	if v.identifying(hash) == v.identifying(beside) {
		t.Error("two terms that are learned before the first fit are one")
	}
}
