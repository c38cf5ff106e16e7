package filter

import (
	"errors"
	"testing"
)

func TestLookUpsVerifyTheirBlocks(t *testing.T) {
	const ids, terms = 5*blockTerms + 5, 3*blockTerms + 5
	table, weights := make([]byte, 8*terms), make([]byte, 4*ids)
	for i := range weights {
		weights[i] = byte(i * i)
	}
	sums := append(blockSums(weights, ids), blockSums(table, terms)...)
	if _, err := newLazyChecksums(weights, ids, table, terms+blockTerms, sums); !errors.Is(err, ErrDamaged) {
		t.Errorf("too few sums: got %v, want %v", err, ErrDamaged)
	}
	tests := []struct {
		name     string
		damage   func()
		ids      []uint32
		from, to uint32
		want     string
	}{
		{"nothing is damaged", func() {}, []uint32{0, ids - 1}, 0, terms, ""},
		{"no term is looked up", func() { table[0]++ }, nil, 0, 0, ""},
		{"no term is looked up at the end", func() { table[8*terms-1]++ }, nil, terms, terms, ""},
		{"a term is damaged", func() { table[0]++ }, nil, 0, 1, "model is damaged: terms from 0 on"},
		{"a term of another block is damaged", func() { table[0]++ }, nil, blockTerms, terms, ""},
		{"a term is damaged in the last block", func() { table[8*terms-1]++ }, nil, terms - 1, terms, "model is damaged: terms from 96 on"},
		{"a term is damaged in the second block of two", func() { table[8*(blockTerms+1)]++ }, nil, blockTerms - 1, blockTerms + 1, "model is damaged: terms from 32 on"},
		{"a weight is damaged", func() { weights[4*(blockTerms+1)]++ }, []uint32{0, blockTerms}, 0, 0, "model is damaged: weights from 32 on"},
		{"a weight is damaged just after", func() { weights[4*(blockTerms+1)]++ }, []uint32{0, blockTerms - 1, 2 * blockTerms}, 0, terms, ""},
		{"the last weight is damaged", func() { weights[4*ids-1]++ }, []uint32{5 * blockTerms}, 0, 0, "model is damaged: weights from 160 on"},
	}
	goodTable, goodWeights := string(table), string(weights)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			copy(table, goodTable)
			copy(weights, goodWeights)
			tt.damage()
			b, err := newLazyChecksums(weights, ids, table, terms, sums)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the error persists
				b.verifyWeights(tt.ids)
				b.verifyTerms(tt.from, tt.to)
			}
			got := ""
			if b.err != nil {
				got = b.err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestClassifyAndExplainFindDamagedWeights(t *testing.T) {
	f, err := decode(withFlippedBits(t, encode(t, spamFilter(t)), 4*blockTerms, "WGHT"), true)
	if err != nil {
		t.Fatalf("the model was not opened: %v", err)
	}
	raw := []byte("Subject: hama\n\nhamb shareda spamc")
	f.Classify(raw)
	if err := f.Err(); !errors.Is(err, ErrDamaged) {
		t.Errorf("classify: got %v, want %v", err, ErrDamaged)
	}
	if _, err := f.Explain(raw); !errors.Is(err, ErrDamaged) {
		t.Errorf("explain: got %v, want %v", err, ErrDamaged)
	}
}

func TestAModelWithoutSumsIsVerifiedWhenItIsOpened(t *testing.T) {
	file := withSections(t, encode(t, spamFilter(t)), func(name string, data []byte) []byte {
		if name == "SUMS" {
			return nil
		}
		return data
	})
	if _, err := decode(file, true); err != nil {
		t.Errorf("got %v, want none", err)
	}
	if _, err := decode(withFlippedBits(t, file, 4*blockTerms, "WGHT"), true); !errors.Is(err, ErrDamaged) {
		t.Errorf("flipped bits: got %v, want %v", err, ErrDamaged)
	}
}
