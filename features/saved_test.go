package features

import (
	compare "cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"chaff/internal/cputime"
	"chaff/internal/evidence"
)

// mailBags returns documents with cells and with terms of all groups.
func mailBags(seed uint64, documents, size int) []*Bag {
	bags := randomBags(seed, documents, size)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i, b := range bags {
		text := make([]byte, rng.IntN(3*size))
		for j := range text {
			text[j] = byte(rng.IntN(100))
		}
		b.AddGrams(text)
		for group := range evidence.Grams {
			term := fmt.Appendf(nil, "%v:%d", group, i%10)
			b.Add(hashOf(term), group, false)
			b.Name(term, nil)
		}
	}
	return append(bags, new(Bag))
}

// savedFile is what [Documents.Save] has passed.
type savedFile struct {
	terms   []byte
	records [][]byte
}

// saved saves documents.
func saved(t testing.TB, d *Documents, refs []Ref) (f savedFile) {
	t.Helper()
	err := d.Save(refs, func(data []byte) { f.terms = append(f.terms, data...) }, func(i int, data []byte) {
		if i != len(f.records) {
			t.Errorf("record %d after %d", i, len(f.records))
		}
		f.records = append(f.records, slices.Clone(data))
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// open returns the documents of a file, to which more can be added.
func (f savedFile) open(memory int64) (*Documents, []Ref, error) {
	d := NewDocuments(memory)
	refs, err := addFiles(d, f)
	return d, refs, err
}

// addFiles adds the documents of files.
func addFiles(d *Documents, files ...savedFile) ([]Ref, error) {
	saved := make([]Saved, len(files))
	for i, f := range files {
		var err error
		saved[i], err = d.AddSaved(func(do func(hash uint64, text []byte) error) error { return EachTerm(f.terms, do) })
		if err != nil {
			return nil, err
		}
	}
	if len(files) > 1 {
		d.SortSaved(saved)
	}
	var refs []Ref
	for i, f := range files {
		w := d.NewWriter()
		defer w.Close()
		for _, record := range f.records {
			ref, err := w.AddRecord(record, &saved[i])
			if err != nil {
				return nil, err
			}
			refs = append(refs, ref)
		}
	}
	return refs, nil
}

// hashes returns the hashes of the terms of a file.
func (f savedFile) hashes() (all []uint64, err error) {
	return all, EachTerm(f.terms, func(hash uint64, _ []byte) error {
		all = append(all, hash)
		return nil
	})
}

func restored(t testing.TB, f savedFile, memory int64) (*Documents, []Ref) {
	t.Helper()
	d, refs, err := f.open(memory)
	if err == nil {
		err = d.Complete(1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d, refs
}

// differ reports how a document differs from another one, in any order of the terms, or returns "".
func differ(want, got Document) string {
	want, got = sorted(want), sorted(got)
	if slices.Equal(want.Terms, got.Terms) && slices.Equal(want.Counts, got.Counts) && slices.Equal(want.Marks, got.Marks) &&
		slices.Equal(want.Cells, got.Cells) {
		return "" // cmp.Diff takes seconds for a quarter of a million terms
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// sorted returns a document with its terms in the order of their hashes.
func sorted(doc Document) Document {
	order := make([]int, len(doc.Terms))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return compare.Compare(doc.Terms[i], doc.Terms[j]) })
	s := Document{Cells: doc.Cells}
	for _, i := range order {
		s.Terms, s.Counts, s.Marks = append(s.Terms, doc.Terms[i]), append(s.Counts, doc.Counts[i]), append(s.Marks, doc.Marks[i])
	}
	return s
}

func TestOpenedDocumentsAreThoseThatWereSaved(t *testing.T) {
	bags := mailBags(11, 400, 200)
	d, refs := written(t, bags, 0, 3)
	file := saved(t, d, refs)
	for _, memory := range []int64{0, 1} {
		again, refs := restored(t, file, memory)
		if len(refs) != len(bags) {
			t.Fatalf("%d documents, want %d", len(refs), len(bags))
		}
		for i, b := range bags {
			hashes, err := file.hashes()
			if err != nil {
				t.Fatal(err)
			}
			single, err := SavedDocument(file.records[i], hashes)
			if err != nil {
				t.Fatal(err)
			}
			own, texts, err := ReadDocument(b.Document().Append(nil, b.Text))
			if err != nil || len(texts) != len(own.Terms) || len(texts) > 0 && string(texts[0]) != string(b.Text(0)) {
				t.Fatal(len(texts), err)
			}
			for how, got := range map[string]Document{"opened": again.Document(refs[i]), "single": single, "own": own} {
				if diff := differ(b.Document(), got); diff != "" {
					t.Fatalf("%s document %d, %d bytes of memory (-want +got):\n%s", how, i, memory, diff)
				}
			}
		}
	}
}

func TestAFileDependsOnItsDocumentsOnly(t *testing.T) {
	bags := mailBags(12, 600, 150)
	chosen := func(refs []Ref) (some []Ref) {
		for i := 0; i < len(refs); i += 3 {
			some = append(some, refs[len(refs)-1-i])
		}
		return some
	}
	var few []*Bag
	for i := 0; i < len(bags); i += 3 {
		few = append(few, bags[len(bags)-1-i])
	}
	alone, refs := written(t, few, 0, 1)
	want := (saved(t, alone, refs))
	for _, workers := range []int{1, 2, 5} {
		d, refs := written(t, bags, 0, workers)
		if !reflect.DeepEqual(want, (saved(t, d, chosen(refs)))) {
			t.Errorf("%d workers: other bytes among other documents", workers)
		}
		again, openedRefs := restored(t, saved(t, d, refs), 1)
		if !reflect.DeepEqual(want, (saved(t, again, chosen(openedRefs)))) {
			t.Errorf("%d workers: other bytes after documents were opened", workers)
		}
	}
}

func TestOpenedDocumentsGiveTheSameVocabulary(t *testing.T) {
	bags := mailBags(13, 300, 200)
	d, refs := written(t, bags, 0, 2)
	again, restoredRefs := restored(t, saved(t, d, refs), 0)
	for _, o := range []Options{{MinDocumentFrequency: 1}, {MinDocumentFrequency: 1, MaxTerms: 100}} {
		want, frequencies, err := d.Build(refs[:200], o, 2)
		if err != nil {
			t.Fatal(err)
		}
		got, again, err := again.Build(restoredRefs[:200], o, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Vocabulary.table, want.Vocabulary.table) || !slices.Equal(again, frequencies) {
			t.Errorf("%+v: other terms", o)
		}
		if !slices.Equal(textsOf(got), textsOf(want)) {
			t.Errorf("%+v: other texts", o)
		}
	}
}

// TestDocumentsAreAddedToOpenedOnes adds documents with and without a bag.
func TestDocumentsAreAddedToOpenedOnes(t *testing.T) {
	bags := mailBags(14, 200, 200)
	all, allRefs := written(t, bags, 0, 2)
	old, oldRefs := written(t, bags[:100], 0, 1)
	known := make(map[uint64]bool)
	for _, b := range bags[:100] {
		for _, hash := range b.Document().Terms {
			known[hash] = true
		}
	}
	d, refs, err := saved(t, old, oldRefs).open(0)
	if err != nil {
		t.Fatal(err)
	}
	w := d.NewWriter()
	for i, b := range bags[100:] {
		if i%2 == 0 {
			refs = append(refs, w.Add(b.Document(), b.Text))
			continue
		}
		doc := b.Document()
		refs = append(refs, w.Add(doc, func(i int) []byte {
			if known[doc.Terms[i]] {
				return nil
			}
			return b.Text(i)
		}))
	}
	w.Close()
	if err := d.Complete(1); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual((saved(t, all, allRefs)), (saved(t, d, refs))) {
		t.Error("other bytes than those of all documents at once")
	}
}

// TestFilesTogetherAreTheirDocumentsAtOnce opens files that share terms and have others, in two orders.
func TestFilesTogetherAreTheirDocumentsAtOnce(t *testing.T) {
	bags := mailBags(17, 300, 150)
	all, allRefs := written(t, bags, 0, 2)
	want := saved(t, all, allRefs)
	var files []savedFile
	for from := 0; from < len(bags); from += 60 {
		d, refs := written(t, bags[from:min(from+60, len(bags))], 0, 1)
		files = append(files, saved(t, d, refs))
	}
	for _, memory := range []int64{0, 1} {
		d := NewDocuments(memory)
		refs, err := addFiles(d, files...)
		if err != nil {
			t.Fatal(err)
		}
		if d.terms.sort(1) != nil {
			t.Error("the terms of the files have no last numbers")
		}
		if !reflect.DeepEqual(want, saved(t, d, refs)) {
			t.Errorf("%d bytes of memory: other bytes than those of all documents at once", memory)
		}
	}
	slices.Reverse(files)
	d := NewDocuments(0)
	refs, err := addFiles(d, files...)
	if err != nil {
		t.Fatal(err)
	}
	backwards := slices.Clone(allRefs)
	var order []Ref
	for end := len(bags); end > 0; {
		from := (end - 1) / 60 * 60
		order = append(order, backwards[from:end]...)
		end = from
	}
	if !reflect.DeepEqual(saved(t, all, order), saved(t, d, refs)) {
		t.Error("other bytes in another order of the files")
	}
}

// A file whose terms are in no order, as no program writes it, gives the same documents. One that has a term twice is damaged.
func TestFilesInNoOrder(t *testing.T) {
	d, refs := written(t, mailBags(18, 50, 60), 0, 1)
	good := saved(t, d, refs)
	var terms [][]byte
	err := EachTerm(good.terms, func(hash uint64, text []byte) error {
		terms = append(terms, appendTerm(nil, hash, text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	n := len(terms)
	reversed := savedFile{terms: slices.Concat(terms[1], terms[0], slices.Concat(terms[2:]...)), records: good.records}
	both := NewDocuments(0)
	got, err := addFiles(both, good, reversed)
	if err != nil {
		t.Fatal(err)
	}
	if err := both.Complete(1); err != nil {
		t.Fatal(err)
	}
	swap := map[uint64]uint64{d.terms.hashes[0]: d.terms.hashes[1], d.terms.hashes[1]: d.terms.hashes[0]}
	for i, ref := range refs {
		want := d.Document(ref)
		if diff := differ(want, both.Document(got[i])); diff != "" {
			t.Fatalf("document %d (-want +got):\n%s", i, diff)
		}
		for k, hash := range want.Terms {
			if other, swapped := swap[hash]; swapped {
				want.Terms[k] = other
			}
		}
		if diff := differ(want, both.Document(got[len(refs)+i])); diff != "" {
			t.Fatalf("document %d of the file without order (-want +got):\n%s", i, diff)
		}
	}
	twice := savedFile{terms: slices.Concat(slices.Concat(terms[:n-1]...), terms[0]), records: good.records}
	if _, err := addFiles(NewDocuments(0), good, twice); !errors.Is(err, ErrDamaged) {
		t.Errorf("a term twice, among other files: got %v", err)
	}
}

// The texts were made to share their unkeyed hash.
func TestTermsWhoseTextsShareAHashHaveTheSameIDs(t *testing.T) {
	texts := []string{"body:hama", "hidden:njegxiiaaxqlbqfub", "body:hamb", "hidden:hzrreymbtrquudnrr", "body:shareda", "hidden:hdfrvgqhouinsmwyu"}
	for i := 0; i < len(texts); i += 2 {
		if xxhash.Sum64String(texts[i]) != xxhash.Sum64String(texts[i+1]) {
			t.Fatalf("%s and %s have different hashes: the test proves nothing", texts[i], texts[i+1])
		}
	}
	backwards := slices.Clone(texts)
	slices.Reverse(backwards)
	var want []uint32
	for _, texts := range [][]string{texts, backwards} {
		d, refs := written(t, []*Bag{bagOf(texts...)}, 0, 1)
		again, refs := restored(t, saved(t, d, refs), 0)
		x, _, err := again.Build(refs, DefaultOptions(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = x.Vocabulary.table
		}
		if got := x.Vocabulary.table; !slices.Equal(got, want) {
			t.Errorf("%q: got the terms %x, want %x", texts, got, want)
		}
	}
}

func TestATermWithoutATextIsNamedAfterItsHash(t *testing.T) {
	doc := Document{Terms: []uint64{0xabc}, Counts: []uint32{1}, Marks: []byte{Mark(evidence.Links, true, 1)}}
	nothing := func(int) []byte { return nil }
	d := NewDocuments(0)
	w := d.NewWriter()
	refs := []Ref{w.Add(doc, nothing), w.Add(doc, nothing)}
	w.Close()
	if err := d.Complete(1); err != nil {
		t.Fatal(err)
	}
	if diff := differ(doc, d.Document(refs[1])); diff != "" || len(d.terms.hashes) != 1 || string(d.terms.text(0)) != "term:0000000000000abc" {
		t.Errorf("got %q: %s", d.terms.text(0), diff)
	}
}

func TestDamagedDocumentsAreErrors(t *testing.T) {
	bags := []*Bag{bagOf("a", "b", "a"), bagOf("b", "c")}
	for _, b := range bags {
		b.AddGrams([]byte("some text that has cells"))
	}
	d, refs := written(t, bags, 0, 1)
	first := len(saved(t, d, refs).records[0])
	const gaps, cells = recordHeader, recordHeader + 4 // of the two terms of the first document, whose marks and a count follow
	set := func(at int, to ...byte) func(f *savedFile) {
		return func(f *savedFile) { copy(f.records[0][at:], to) }
	}
	const ascend, count = "terms that do not ascend", "a term that occurs more than once, without its count"
	tests := []struct {
		name   string
		damage func(f *savedFile)
		want   string
	}{
		{"a term is cut", func(f *savedFile) { f.terms = f.terms[:len(f.terms)-1] }, "a term of"},
		{"half a hash", func(f *savedFile) { f.terms = append(f.terms, 1, 2) }, "half a term"},
		{"a hash is there twice", func(f *savedFile) { copy(f.terms, f.terms[10:18]) }, "a term twice"},
		{"a text was saved before", func(f *savedFile) { f.terms = append(f.terms, 1, 2, 3, 4, 5, 6, 7, 8, 0) }, "a term without a text"},
		{"a record is empty", func(f *savedFile) { f.records[0] = nil }, "a record of 0 bytes"},
		{"a record has fewer terms than it says", set(2, 1), "65538 terms in"},
		{"gaps are larger than the record", set(recordHeader-7, 9), "2 terms in"},
		{"a number is that of no term", set(gaps+2, 3), ascend},
		{"a number is there twice", set(gaps+2, 0), ascend},
		{"a group has fewer terms than it says", set(0, 1, 0, 0, 0, 1), "another group than it says"},
		{"a group does not exist", set(first-3, 7<<groupShift), "another group than it says"},
		{"a count is 1", set(first-1, 1), count},
		{"a count is missing", set(first-3, markRepeated, markRepeated), count},
		{"a count is too many", set(first-3, 0, 0), "more counts than terms"},
		{"a cell is missing", func(f *savedFile) { f.records[0][4*evidence.Grams]++ }, "cells that do not ascend"},
		{"a cell is there twice", set(cells+2, 0, 0), "cells that do not ascend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := saved(t, d, refs)
			tt.damage(&f)
			if _, _, err := f.open(0); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// FuzzOpenDocuments changes a file or cuts it. What is opened can be used, and comes back as it was.
func FuzzOpenDocuments(f *testing.F) {
	d, refs := written(f, mailBags(15, 20, 30), 0, 1)
	file := saved(f, d, refs)
	f.Add(file.terms, file.records[0], file.records[1])
	f.Fuzz(func(t *testing.T, terms, first, second []byte) {
		file := savedFile{terms, [][]byte{first, second}}
		d, refs, err := file.open(0)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if err := d.Complete(1); err != nil {
			t.Fatal(err)
		}
		hashes, err := file.hashes()
		if err != nil {
			t.Fatal(err)
		}
		again, againRefs := restored(t, saved(t, d, refs), 0)
		for i := range refs {
			single, err := SavedDocument(file.records[i], hashes)
			if err != nil {
				t.Fatal(err)
			}
			for how, got := range map[string]Document{"alone": single, "saved again": again.Document(againRefs[i])} {
				if diff := differ(d.Document(refs[i]), got); diff != "" {
					t.Fatalf("document %d %s (-want +got):\n%s", i, how, diff)
				}
			}
		}
	})
}

// FuzzReadDocument reads any bytes as a document with its own terms, which comes back as it was.
func FuzzReadDocument(f *testing.F) {
	for _, b := range mailBags(16, 3, 20) {
		f.Add(b.Document().Append(nil, b.Text))
		f.Add(b.Document().Append(nil, func(i int) []byte {
			if i%2 == 0 {
				return nil
			}
			return b.Text(i)
		}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, texts, err := ReadDocument(data)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		again, againTexts, err := ReadDocument(doc.Append(nil, func(i int) []byte { return texts[i] }))
		if diff := differ(doc, again); err != nil || diff != "" || !reflect.DeepEqual(texts, againTexts) {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// BenchmarkSaved opens 20,000 documents of 500,000 terms and saves them again.
func BenchmarkSaved(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 0))
	d := NewDocuments(0)
	w := d.NewWriter()
	var refs []Ref
	var bag Bag
	for range 20_000 {
		bag.Reset()
		for range 230 {
			add(&bag, fmt.Sprint("body:word", int(500*(1/(rng.Float64()+1e-3)-1))), true)
		}
		for n := range 25 {
			add(&bag, fmt.Sprint("body:rare", len(refs)*25+n), false)
		}
		text := make([]byte, 1500)
		for i := range text {
			text[i] = 'a' + byte(rng.IntN(12))
		}
		bag.AddGrams(text)
		refs = append(refs, w.Add(bag.Document(), bag.Text))
	}
	w.Close()
	if err := d.Complete(1); err != nil {
		b.Fatal(err)
	}
	file := saved(b, d, refs)
	for name, do := range map[string]func(b *testing.B){
		"open": func(b *testing.B) { restored(b, file, 0) },
		"save": func(b *testing.B) { saved(b, d, refs) },
	} {
		b.Run(name, func(b *testing.B) {
			began := cputime.Process()
			for b.Loop() {
				do(b)
			}
			b.ReportMetric(float64((cputime.Process()-began).Milliseconds())/float64(b.N), "CPU-ms/op")
		})
	}
}
