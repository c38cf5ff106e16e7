package features

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/internal/evidence"
	"chaff/internal/fieldtags"
	"chaff/internal/termkey"

	"github.com/google/go-cmp/cmp"
)

func bagOf(terms ...string) *Bag {
	b := new(Bag)
	b.Reset()
	for _, t := range terms {
		add(b, t, true)
	}
	return b
}

// hashOf returns the hash of a term under the zero key.
func hashOf(term []byte) uint64 { return termkey.Key{}.Hash(term) }

// add adds a term and names it.
func add(b *Bag, term string, start bool) {
	if b.Add(hashOf([]byte(term)), evidence.Words, start) {
		b.Name([]byte(term), nil)
	}
}

// marksOf returns the marks of terms of these groups, each of which occurs once.
func marksOf(groups ...evidence.Group) (marks []byte) {
	for _, g := range groups {
		marks = append(marks, Mark(g, false, 1))
	}
	return marks
}

func TestABagCountsItsTermsInTheOrderInWhichTheyCome(t *testing.T) {
	doc := bagOf("who", "saw", "who", "with", "who").Document()
	want := []uint64{hashOf([]byte("who")), hashOf([]byte("saw")), hashOf([]byte("with"))}
	if !slices.Equal(doc.Terms, want) || !slices.Equal(doc.Counts, []uint32{3, 1, 1}) {
		t.Errorf("got the terms %x, so often: %d; want %x", doc.Terms, doc.Counts, want)
	}
}

func TestABagForgetsWhatWasBeforeReset(t *testing.T) {
	b := bagOf("spam", "ham")
	b.Document()
	b.Reset()
	add(b, "ham", true)
	doc := b.Document()
	if diff := cmp.Diff(Document{Terms: []uint64{hashOf([]byte("ham"))}, Counts: []uint32{1}, Marks: []byte{Mark(evidence.Words, true, 1)}}, doc); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	b.Reset()
	if doc := b.Document(); len(doc.Terms) != 0 {
		t.Errorf("an empty bag has %d terms", len(doc.Terms))
	}
}

func TestABagGrowsWithItsTerms(t *testing.T) {
	b := new(Bag)
	b.Reset()
	const distinct, times = 5000, 3
	for range times {
		for i := range distinct {
			add(b, fmt.Sprint("term", i), true)
		}
	}
	doc := b.Document()
	if len(doc.Terms) != distinct {
		t.Fatalf("%d distinct terms, want %d", len(doc.Terms), distinct)
	}
	for i, n := range doc.Counts {
		if n != times {
			t.Fatalf("count %d of term %d, want %d", n, i, times)
		}
	}
}

// vocabularyOf returns the vocabulary of documents, given their terms.
func vocabularyOf(t testing.TB, o Options, documents ...[]string) (*Vocabulary, []uint32) {
	t.Helper()
	bags := make([]*Bag, len(documents))
	for i, terms := range documents {
		bags[i] = bagOf(terms...)
	}
	all, refs := written(t, bags, 0, 1)
	x, frequency, err := all.Build(refs, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	return x.Vocabulary, frequency
}

func TestTheVocabularyKeepsFrequentTerms(t *testing.T) {
	documents := [][]string{{"a", "b", "b"}, {"a", "b"}, {"a", "c"}}
	tests := []struct {
		name string
		o    Options
		want map[string]uint32 // term -> document frequency
	}{
		{"all terms that are in one document", Options{MinDocumentFrequency: 1}, map[string]uint32{"a": 3, "b": 2, "c": 1}},
		{"terms in two documents, not with two tokens", Options{MinDocumentFrequency: 2}, map[string]uint32{"a": 3, "b": 2}},
		{"the most frequent when there are too many", Options{MinDocumentFrequency: 1, MaxTerms: 1}, map[string]uint32{"a": 3}},
		{"none if none is frequent", Options{MinDocumentFrequency: 4}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, frequency := vocabularyOf(t, tt.o, documents...)
			if v.Len() != len(tt.want) {
				t.Fatalf("%d terms, want %d", v.Len(), len(tt.want))
			}
			for term, df := range tt.want {
				id, known := v.ID(hashOf([]byte(term)))
				if !known || frequency[id] != df {
					t.Errorf("%s: known %v with document frequency %d, want %d", term, known, frequency[id], df)
				}
			}
		})
	}
}

func TestEveryTermIsFoundAndNoOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 3, 7, 8, 100, 10_000} {
		hashes := make([]uint64, 0, n)
		for range n {
			hashes = append(hashes, rng.Uint64())
		}
		if n > 2 { // the ends of the range, and neighbours
			hashes[0], hashes[1], hashes[2] = 0, ^uint64(0), hashes[3%n]+1<<32
		}
		slices.Sort(hashes)
		hashes = slices.Compact(hashes)
		rng.Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
		v, err := NewVocabulary(hashes)
		if err != nil {
			t.Fatal(err)
		}
		for want, hash := range hashes {
			if id, known := v.ID(hash); !known || int(id) != want {
				t.Fatalf("of %d terms, %x: got id %d, known %v; want id %d", n, hash, id, known, want)
			}
		}
		for range 1000 {
			hash := rng.Uint64()
			if _, known := v.ID(hash); known != slices.Contains(hashes, hash) {
				t.Fatalf("of %d terms, %x: known is %v", n, hash, known)
			}
		}
	}
}

func TestHashesMustDiffer(t *testing.T) {
	if _, err := NewVocabulary([]uint64{5, 6, 5}); err == nil {
		t.Error("no error")
	}
}

// sharers returns hashes. The second and the third have the same prefix and key, and are one term.
func sharers(t *testing.T) []uint64 {
	t.Helper()
	const n = 100 // so 3 bits of prefix and 32 of the key
	hashes := []uint64{7 << 32, 7<<32 + 1}
	for i := range uint64(n) {
		hashes = append(hashes, i<<57)
	}
	slices.Sort(hashes)
	return hashes
}

func TestHashesWithOnePrefixAndKeyAreOneTerm(t *testing.T) {
	hashes := sharers(t)
	x, y := hashes[1], hashes[2]
	var bags []*Bag
	for _, hash := range hashes {
		bags = append(bags, new(Bag))
		bags[len(bags)-1].Add(hash, evidence.Words, true)
		bags[len(bags)-1].Name(fmt.Append(nil, hash), nil)
	}
	two := new(Bag)
	for i, hash := range []uint64{x, x, y, y, y} {
		if two.Add(hash, evidence.Words, i > 1) {
			two.Name(fmt.Append(nil, hash), nil)
		}
	}
	both := two.Document()
	d, refs := written(t, append(bags, two), 0, 1)
	index, frequency, err := d.Build(refs, DefaultOptions(), 1)
	if err != nil {
		t.Fatal(err)
	}
	v := index.Vocabulary
	of, known := v.ID(x)
	if id, _ := v.ID(y); !known || id != of {
		t.Fatalf("the ids are %d and %d, want the same", of, id)
	}
	if text := string(index.Text(int(of))); text != fmt.Sprint(x) {
		t.Errorf("%q stands for both, want %d", text, x)
	}
	if v.Len() != len(hashes) || v.Shared() != 1 || len(frequency) != v.Len() || !slices.Contains(frequency, 0) {
		t.Fatalf("%d terms of %d hashes, %d of which are another, frequencies %d", v.Len(), len(hashes), v.Shared(), frequency)
	}
	if frequency[of] != 3 {
		t.Errorf("the term is in 3 documents, one of which has both hashes: got %d", frequency[of])
	}
	unit := float32(1 / math.Sqrt(2))
	units := float32(2/math.Sqrt(13)) + float32(3/math.Sqrt(13))
	before := Vector{IDs: []uint32{of}, Values: []float32{9}} // of another document, which must not change
	for kind, want := range map[Kind]float32{Bits: 1, Counts: 5, NormalisedBits: unit, NormalisedCounts: units, HeadBits: 1} {
		got := new(Lookup).AppendVector(Vector{IDs: slices.Clone(before.IDs), Values: slices.Clone(before.Values)}, v, both, kind)
		if row := index.Dataset(kind, nil, refs, make([]int32, len(refs)), 1).Row(len(refs) - 1); !slices.Equal(row.IDs, got.IDs[1:]) ||
			!slices.Equal(row.Values, got.Values[1:]) {
			t.Errorf("%v: the row of a document with both is %v", kind, row)
		}
		if diff := cmp.Diff(Vector{IDs: []uint32{of, of}, Values: []float32{9, want}}, got); diff != "" {
			t.Errorf("%v: a document with both (-want +got):\n%s", kind, diff)
		}
	}
}

func TestARestoredVocabularyMustFit(t *testing.T) {
	v, err := NewVocabulary([]uint64{1, 1 << 62, 3 << 62})
	if err != nil {
		t.Fatal(err)
	}
	again, err := RestoreVocabulary(v.table, v.bucketStarts)
	if err != nil {
		t.Fatalf("its own tables: %v", err)
	}
	for want, hash := range []uint64{1, 1 << 62, 3 << 62} {
		if id, known := again.ID(hash); !known || int(id) != want {
			t.Errorf("%x: got id %d, known %v; want id %d", hash, id, known, want)
		}
	}
	tests := []struct {
		name          string
		table, starts []uint32
	}{
		{"no prefixes", v.table, nil},
		{"prefixes that no bits make", v.table, []uint32{0, 1, 2, 3}},
		{"prefixes for fewer terms", v.table, []uint32{0, 2}},
		{"prefixes for more terms", v.table[:4], v.bucketStarts},
		{"prefixes out of order", v.table, []uint32{0, 3, 3, 2, 3}},
		{"a key without an id", v.table[:5], v.bucketStarts},
		{"prefixes that begin late", v.table, []uint32{1, 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := RestoreVocabulary(tt.table, tt.starts); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestVectorsHaveBitsOrCountsOfKnownTerms(t *testing.T) {
	v, _ := vocabularyOf(t, Options{MinDocumentFrequency: 1}, []string{"who", "saw"})
	doc := bagOf("who", "saw", "who", "else").Document()
	who, _ := v.ID(hashOf([]byte("who")))
	unit, units := 1/math.Sqrt(3), 2/math.Sqrt(1+1+4) // the unknown term is part of the length
	for kind, want := range map[Kind]float32{Bits: 1, Counts: 2, NormalisedBits: float32(unit), NormalisedCounts: float32(units)} {
		x := new(Lookup).AppendVector(Vector{}, v, doc, kind)
		if len(x.IDs) != 2 || !slices.IsSorted(x.IDs) {
			t.Fatalf("%v: ids %v, want two in ascending order", kind, x.IDs)
		}
		if got := x.Values[slices.Index(x.IDs, who)]; got != want {
			t.Errorf("%v: value of a term that occurs twice is %v, want %v", kind, got, want)
		}
	}
}

func TestHeadBitsAreTermsThatOccurInTheHead(t *testing.T) {
	v, _ := vocabularyOf(t, Options{MinDocumentFrequency: 1}, []string{"early", "late", "both"})
	var b Bag
	add(&b, "both", true)
	add(&b, "late", false)
	add(&b, "both", false)
	add(&b, "early", true)
	x := new(Lookup).AppendVector(Vector{}, v, b.Document(), HeadBits)
	var want []uint32
	for _, term := range []string{"early", "both"} {
		id, _ := v.ID(hashOf([]byte(term)))
		want = append(want, id)
	}
	slices.Sort(want)
	if diff := cmp.Diff(Vector{IDs: want, Values: []float32{1, 1}}, x); diff != "" {
		t.Errorf("vector (-want +got):\n%s", diff)
	}
}

func TestADatasetHoldsTheVectorsOfItsDocuments(t *testing.T) {
	v, _ := vocabularyOf(t, Options{MinDocumentFrequency: 1}, []string{"a", "b", "c"})
	documents := [][]string{{"a", "a", "b"}, {}, {"c", "unknown"}}
	d := &Dataset{Kind: Counts, Classes: []string{"ham", "spam"}, Terms: v.Len()}
	for i, terms := range documents {
		d.Append(new(Lookup).AppendVector(Vector{}, v, bagOf(terms...).Document(), Counts), int32(i%2))
	}
	if d.Len() != 3 || d.Terms != 3 {
		t.Fatalf("%d documents and %d terms, want 3 and 3", d.Len(), d.Terms)
	}
	for i, terms := range documents {
		want := new(Lookup).AppendVector(Vector{}, v, bagOf(terms...).Document(), Counts)
		if diff := cmp.Diff(want, d.Row(i)); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
	if diff := cmp.Diff([]int32{0, 1, 0}, d.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func TestKindsAreKnownByTheirNames(t *testing.T) {
	for _, kind := range []Kind{Bits, Counts} {
		if got, err := ParseKind(kind.String()); err != nil || got != kind {
			t.Errorf("%v: got %v, %v", kind, got, err)
		}
	}
	if _, err := ParseKind("bytes"); err == nil {
		t.Error("bytes is a kind of feature")
	}
}

func TestOptionsSayWhatIsWrong(t *testing.T) {
	if err := fieldtags.Check(DefaultOptions()); err != nil {
		t.Error(err)
	}
	if err := fieldtags.Check(Options{MinDocumentFrequency: 0, MaxTerms: -1}); err == nil ||
		err.Error() != "min_document_frequency is 0: must be at least 1\nmax_terms is -1: must be at least 0" {
		t.Errorf("got %v", err)
	}
}

func ExampleLookup_AppendVector() {
	var bag Bag
	bag.Reset()
	for _, term := range []string{"subject:offer", "body:offer", "body:offer"} {
		bag.Add(hashOf([]byte(term)), evidence.Words, true)
	}
	doc := bag.Document()
	vocabulary, err := NewVocabulary(doc.Terms)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := new(Lookup).AppendVector(Vector{}, vocabulary, doc, Counts)
	fmt.Println(x.IDs, x.Values)
	// Output: [0 1] [1 2]
}

func BenchmarkBag(b *testing.B) {
	terms := make([]uint64, 1000)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range terms {
		terms[i] = hashOf(fmt.Appendf(nil, "body:word%d", rng.IntN(400)))
	}
	var bag Bag
	b.ReportAllocs()
	for b.Loop() {
		bag.Reset()
		for _, t := range terms {
			bag.Add(t, evidence.Words, true)
		}
		bag.Document()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(terms)), "ns/token")
}

func BenchmarkLookUp(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	hashes := make([]uint64, 500_000)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	v, err := NewVocabulary(hashes)
	if err != nil {
		b.Fatal(err)
	}
	doc := Document{Terms: make([]uint64, 300), Counts: make([]uint32, 300)}
	for i := range doc.Terms {
		doc.Terms[i] = hashes[rng.IntN(len(hashes))]
	}
	slices.Sort(doc.Terms)
	var x Vector
	b.ReportAllocs()
	for b.Loop() {
		x = new(Lookup).AppendVector(Vector{IDs: x.IDs[:0], Values: x.Values[:0]}, v, doc, Counts)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(doc.Terms)), "ns/term")
}

func TestASubsetHasTheRowsOfItsDocuments(t *testing.T) {
	plain := &Dataset{Kind: Counts, Classes: []string{"ham", "spam"}, Terms: 3}
	plain.Append(Vector{IDs: []uint32{0, 2}, Values: []float32{1, 4}}, 0)
	plain.Append(Vector{}, 1)
	plain.Append(Vector{IDs: []uint32{1}, Values: []float32{2}}, 1)

	documents := NewDocuments(0)
	w := documents.NewWriter()
	var refs []Ref
	for _, terms := range [][]string{{"a", "c", "c"}, {"b"}, {"c", "b", "a"}} {
		var b Bag
		for _, term := range terms {
			if b.Add(hashOf([]byte(term)), evidence.Words, false) {
				b.Name([]byte(term), nil)
			}
		}
		refs = append(refs, w.Add(b.Document(), b.Text))
	}
	w.Close()
	if err := documents.Complete(1); err != nil {
		t.Fatal(err)
	}
	index, _, err := documents.Build(refs, DefaultOptions(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*Dataset{
		"rows that were appended": plain,
		"rows of documents":       index.Dataset(Counts, []string{"ham", "spam"}, refs, []int32{0, 1, 1}, 1),
	} {
		t.Run(name, func(t *testing.T) {
			order := []int{2, 0}
			s := d.Subset(order)
			if s.Len() != 2 || s.Terms != d.Terms || s.Kind != d.Kind || !slices.Equal(s.Classes, d.Classes) {
				t.Fatalf("%+v", s)
			}
			for n, i := range order {
				got, want := s.Row(n), d.Row(i)
				if !slices.Equal(got.IDs, want.IDs) || !slices.Equal(got.Values, want.Values) || s.Labels[n] != d.Labels[i] {
					t.Errorf("document %d: got %v, %d, want %v, %d", n, got, s.Labels[n], want, d.Labels[i])
				}
			}
			if none := d.Subset(nil); none.Len() != 0 || none.Err() != nil {
				t.Errorf("of no documents: %d, %v", none.Len(), none.Err())
			}
		})
	}
}
