package filter

import (
	"errors"
	"testing"
)

func TestABlockIsVerifiedWhenItIsLookedUp(t *testing.T) {
	const ids, terms = 5*blockTerms + 5, 3*blockTerms + 5
	table, weights := make([]byte, 8*terms), make([]byte, 4*ids)
	for i := range weights {
		weights[i] = byte(i * i)
	}
	sums := newLazyChecksums(ids, terms, weights, table).sums()
	if err := newLazyChecksums(ids, terms+blockTerms, weights, table).expect(sums); !errors.Is(err, ErrDamaged) {
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
		{"a term is damaged elsewhere", func() { table[0]++ }, nil, blockTerms, terms, ""},
		{"a term is damaged in the last block", func() { table[8*terms-1]++ }, nil, terms - 1, terms, "model is damaged: terms from 96 on"},
		{"a term is damaged in the second block of two", func() { table[8*(blockTerms+1)]++ }, nil, blockTerms - 1, blockTerms + 1, "model is damaged: terms from 32 on"},
		{"a weight is damaged", func() { weights[4*(blockTerms+1)]++ }, []uint32{0, blockTerms}, 0, 0, "model is damaged: weights from 32 on"},
		{"a weight is damaged just behind", func() { weights[4*(blockTerms+1)]++ }, []uint32{0, blockTerms - 1, 2 * blockTerms}, 0, terms, ""},
		{"the last weight is damaged", func() { weights[4*ids-1]++ }, []uint32{5 * blockTerms}, 0, 0, "model is damaged: weights from 160 on"},
	}
	goodTable, goodWeights := string(table), string(weights)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			copy(table, goodTable)
			copy(weights, goodWeights)
			tt.damage()
			b := newLazyChecksums(ids, terms, weights, table)
			if err := b.expect(sums); err != nil {
				t.Fatal(err)
			}
			for range 2 { // what was found stays
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

// damagedWeights changes a bit of the weights of each block.
func damagedWeights(t *testing.T, file []byte) []byte {
	t.Helper()
	s, err := decodeSections(file)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := s.unverified("WGHT")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(weights); i += 4 * blockTerms {
		weights[i] ^= 1
	}
	return file
}

func TestDamageOfWhatAMessageIsLookedUpInIsFoundAfterIt(t *testing.T) {
	f, err := decode(damagedWeights(t, encode(t, spamFilter(t))), true)
	if err != nil {
		t.Fatalf("the model was not opened: %v", err)
	}
	raw := []byte("Subject: hama\n\nhamb shareda spamc")
	f.Classify(raw)
	if err := f.Err(); !errors.Is(err, ErrDamaged) {
		t.Errorf("after a message: got %v, want %v", err, ErrDamaged)
	}
	if _, err := f.Explain(raw); !errors.Is(err, ErrDamaged) {
		t.Errorf("explain: got %v, want %v", err, ErrDamaged)
	}
}

func TestAModelWithoutSumsByBlockIsVerifiedAsAWhole(t *testing.T) {
	s, err := decodeSections(encode(t, spamFilter(t)))
	if err != nil {
		t.Fatal(err)
	}
	var all []section
	for _, name := range s.names {
		data, err := s.get(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "SUMS" {
			all = append(all, section{name, data})
		}
	}
	file := encodeSections(all)
	if _, err := decode(file, true); err != nil {
		t.Errorf("got %v, want none", err)
	}
	if _, err := decode(damagedWeights(t, file), true); !errors.Is(err, ErrDamaged) {
		t.Errorf("changed bits: got %v, want %v", err, ErrDamaged)
	}
}
