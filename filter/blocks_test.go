package filter

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestABlockIsVerifiedWhenItIsLookedUp(t *testing.T) {
	const terms = 3*blockTerms + 5
	keys, weights := make([]byte, 4*terms), make([]byte, 8*terms)
	for i := range weights {
		weights[i] = byte(i * i)
	}
	sums := blockSums(terms, keys, weights)
	if _, err := newBlocks(terms+blockTerms, keys, weights, sums); !errors.Is(err, ErrDamaged) {
		t.Errorf("too few sums: got %v, want %v", err, ErrDamaged)
	}
	tests := []struct {
		name     string
		damage   func()
		from, to uint32
		want     string
	}{
		{"nothing is damaged", func() {}, 0, terms, ""},
		{"no term is looked up", func() { keys[0]++ }, 0, 0, ""},
		{"a key is damaged", func() { keys[0]++ }, 0, 1, "model is damaged: terms from 0 on"},
		{"a key is damaged elsewhere", func() { keys[0]++ }, blockTerms, terms, ""},
		{"a key is damaged in the last block", func() { keys[4*terms-1]++ }, terms - 1, terms, "model is damaged: terms from 192 on"},
		{"a weight is damaged", func() { weights[8*(blockTerms+1)]++ }, 2*blockTerms - 1, 2 * blockTerms, "model is damaged: terms from 64 on"},
		{"a weight is damaged in the second block of two", func() { weights[8*(blockTerms+1)]++ }, blockTerms - 1, blockTerms + 1, "model is damaged: terms from 64 on"},
		{"a weight is damaged just behind", func() { weights[8*(blockTerms+1)]++ }, 0, blockTerms, ""},
	}
	goodKeys, goodWeights := string(keys), string(weights)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			copy(keys, goodKeys)
			copy(weights, goodWeights)
			tt.damage()
			b, err := newBlocks(terms, keys, weights, sums)
			if err != nil {
				t.Fatal(err)
			}
			b.verify(tt.from, tt.to)
			b.verify(tt.from, tt.to) // what was found stays
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

func TestAModelThatIsOpenedForOneMessageSaysTheSame(t *testing.T) {
	f := spamFilter(t)
	path := filepath.Join(t.TempDir(), "spam.model")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	one, err := OpenForOne(path)
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte("Subject: hama\n\nhamb shareda spamc")
	if got, want := one.Classify(raw), f.Classify(raw); got != want || one.Err() != nil {
		t.Errorf("got %+v and %v, want %+v", got, one.Err(), want)
	}

	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := decodeSections(data)
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
	damaged, err := decode(data, true)
	if err != nil {
		t.Fatalf("the model was not opened: %v", err)
	}
	damaged.Classify(raw)
	if err := damaged.Err(); !errors.Is(err, ErrDamaged) {
		t.Errorf("after a message: got %v, want %v", err, ErrDamaged)
	}
	if _, err := damaged.Explain(raw); !errors.Is(err, ErrDamaged) {
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
	s, err = decodeSections(file)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := s.unverified("WGHT")
	if err != nil {
		t.Fatal(err)
	}
	weights[0] ^= 1
	if _, err := decode(file, true); !errors.Is(err, ErrDamaged) {
		t.Errorf("a changed bit: got %v, want %v", err, ErrDamaged)
	}
}
