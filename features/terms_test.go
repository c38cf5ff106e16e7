package features

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/internal/parallel"
)

func TestALongTextHasAChunkOfItsOwn(t *testing.T) {
	var s terms
	texts := []string{"short", string(make([]byte, 3*chunkSize)), "after it", string(make([]byte, chunkSize))}
	for i, text := range texts {
		if err := s.add(make([]uint32, 1), []uint64{uint64(i)}, func(int) []byte { return []byte(text) }); err != nil {
			t.Fatal(err)
		}
	}
	for i, text := range texts {
		if got := string(s.text(uint32(i))); got != text {
			t.Errorf("text %d has %d bytes, want %d", i, len(got), len(text))
		}
	}
}

// randomBags returns documents in which few terms are frequent, as in mail. Terms can repeat, and some are in the head.
func randomBags(seed uint64, documents, size int) []*Bag {
	rng := rand.New(rand.NewPCG(seed, 0))
	bags := make([]*Bag, documents)
	for i := range bags {
		bags[i] = new(Bag)
		for range rng.IntN(2*size) + i%2 {
			n := int(float64(size) * (1/(rng.Float64()+1e-4) - 1))
			add(bags[i], fmt.Sprint("body:word", n), rng.IntN(3) == 0)
		}
	}
	return bags
}

// written returns documents that so many concurrent writers have written.
func written(t testing.TB, bags []*Bag, memory int64, workers int) (*Documents, []Ref) {
	t.Helper()
	d := NewDocuments(memory)
	refs := make([]Ref, len(bags))
	parallel.Each(workers, max(workers, 1), func(worker int) {
		w := d.NewWriter()
		defer w.Close()
		for i := worker; i < len(bags); i += max(workers, 1) {
			refs[i] = w.Add(bags[i].Document(), bags[i].Text)
		}
	})
	if err := d.Complete(workers); err != nil {
		t.Fatal(err)
	}
	return d, refs
}

func TestAVocabularyIsTheSameWhateverTheWorkersAndTheMemory(t *testing.T) {
	bags := randomBags(1, 300, 200)
	build := func(memory int64, workers int, o Options) (*Vocabulary, []uint32, []string) {
		d, refs := written(t, bags, memory, workers)
		x, frequencies, err := d.Build(refs[:200], o, workers)
		if err != nil {
			t.Fatal(err)
		}
		return x.Vocabulary, frequencies, textsOf(x)
	}
	for _, o := range []Options{{MinDocumentFrequency: 1}, {MinDocumentFrequency: 3}, {MinDocumentFrequency: 1, MaxTerms: 100}} {
		want, frequencies, texts := build(0, 1, o)
		for id, text := range texts {
			if got, known := want.ID(hashOf([]byte(text))); !known || int(got) != id {
				t.Fatalf("term %d has the text %q, which has the id %d", id, text, got)
			}
		}
		for _, memory := range []int64{0, 1, 300 << 10} {
			for _, workers := range []int{1, 2, 5} {
				v, f, x := build(memory, workers, o)
				if !slices.Equal(v.table, want.table) || !slices.Equal(f, frequencies) || !slices.Equal(x, texts) {
					t.Errorf("%+v: other terms with %d workers and %d bytes of memory", o, workers, memory)
				}
			}
		}
	}
}

func TestOfTooManyTermsTheMostFrequentAreKept(t *testing.T) {
	bags := randomBags(2, 100, 50)
	d, refs := written(t, bags, 0, 2)
	_, all, err := d.Build(refs, DefaultOptions(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{1, 7, 50, len(all) - 1, len(all), len(all) + 1} {
		x, kept, err := d.Build(refs, Options{MinDocumentFrequency: 1, MaxTerms: most}, 1)
		if err != nil || x.Vocabulary.Len() != min(most, len(all)) {
			t.Fatalf("%d terms, want %d: %v", x.Vocabulary.Len(), most, err)
		}
		descending := slices.Sorted(slices.Values(all))
		slices.Reverse(descending)
		slices.Sort(kept)
		slices.Reverse(kept)
		if !slices.Equal(kept, descending[:len(kept)]) {
			t.Errorf("at most %d terms: got the frequencies %v, want %v", most, kept, descending[:len(kept)])
		}
	}
}

func TestTheMostFrequentTermsAreTheEndOfASortedList(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		count := make([]uint32, 1+rng.IntN(60))
		for i := range count {
			count[i] = rng.Uint32() >> rng.IntN(33)
		}
		least, terms := 1+rng.Uint32()>>rng.IntN(33), 1+rng.IntN(70)
		sorted := slices.DeleteFunc(slices.Sorted(slices.Values(count)), func(n uint32) bool { return n < least })
		want := sorted[max(0, len(sorted)-terms):]
		kept, admits := Admit(count, least, terms)
		got := slices.DeleteFunc(slices.Clone(count), func(n uint32) bool { return !admits(n) })
		if slices.Sort(got); !slices.Equal(got, want) || kept != len(want) {
			t.Fatalf("%d terms of %v with at least %d: got %v, want %v", terms, count, least, got, want)
		}
	}
}

// FuzzTerms compares terms with a map.
func FuzzTerms(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint16(200))
	f.Add(uint64(2), uint8(200), uint16(3))
	f.Fuzz(func(t *testing.T, seed uint64, documents uint8, size uint16) {
		bags := randomBags(seed, int(documents), 1+int(size%1000))
		var d terms
		known := make(map[string]uint32)
		for _, b := range bags {
			doc := b.Document()
			numbers := make([]uint32, len(doc.Terms))
			if err := d.add(numbers, doc.Terms, b.Text); err != nil {
				t.Fatal(err)
			}
			for i, n := range numbers {
				text := string(b.Text(i))
				if number, isKnown := known[text]; isKnown && number != n {
					t.Fatalf("%q has the numbers %d and %d", text, number, n)
				}
				known[text] = n
				if d.hashes[n] != doc.Terms[i] || string(d.text(n)) != text {
					t.Fatalf("%q has the hash %x and the text %q, want %x", text, d.hashes[n], d.text(n), doc.Terms[i])
				}
			}
		}
		numbers := d.sort(1)
		if len(d.hashes) != len(known) {
			t.Errorf("%d terms, want %d", len(d.hashes), len(known))
		}
		for text, n := range known {
			if numbers != nil {
				n = numbers[n]
			}
			if got := string(d.text(n)); got != text || d.hashes[n] != hashOf([]byte(text)) {
				t.Fatalf("sorted, %q is %q", text, got)
			}
		}
	})
}

// BenchmarkTerms adds the terms of documents, most of which are known.
func BenchmarkTerms(b *testing.B) {
	bags := randomBags(1, 200, 500)
	var d terms
	numbers := make([]uint32, 10_000)
	terms := 0
	b.ReportAllocs()
	for b.Loop() {
		terms = 0
		for _, bag := range bags {
			doc := bag.Document()
			if err := d.add(numbers[:len(doc.Terms)], doc.Terms, bag.Text); err != nil {
				b.Fatal(err)
			}
			terms += len(doc.Terms)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*terms), "ns/term")
}

// textsOf returns the texts of an index by id.
func textsOf(x *Index) (texts []string) {
	for id := range x.Vocabulary.Len() {
		texts = append(texts, string(x.Text(id)))
	}
	return texts
}

func TestMoreTextsOfTermsThanThereIsRoomForAreAnError(t *testing.T) {
	s := terms{chunks: make([][]byte, maxChunks-1)}
	add := func(hash uint64, size int) error {
		return s.add(make([]uint32, 1), []uint64{hash}, func(int) []byte { return make([]byte, size) })
	}
	if err := add(1, 3*chunkSize); err != nil {
		t.Fatal("the last chunk:", err)
	}
	if got := len(s.text(0)); got != 3*chunkSize {
		t.Errorf("a text of %d bytes, want %d", got, 3*chunkSize)
	}
	if err := add(2, 1); !errors.Is(err, ErrTooManyTerms) {
		t.Errorf("got %v, want %v", err, ErrTooManyTerms)
	}
}
