package features

import (
	"bytes"
	compare "cmp"
	"encoding/binary"
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
	"chaff/internal/sections"
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

var errDamagedFile = errors.New("damaged file")

func fileFormat() sections.Format {
	return sections.Format{Magic: "\x89TESTS\r\n", Version: 1, ErrForeign: errDamagedFile, ErrTruncated: errDamagedFile, ErrDamaged: errDamagedFile, ErrVersion: errDamagedFile}
}

// saved returns a file with documents.
func saved(t testing.TB, d *Documents, refs []Ref) *sections.Reader {
	t.Helper()
	var file sections.Memory
	w := fileFormat().NewWriter(&file, SavedSections)
	if err := d.Save(w, refs); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return fileOf(t, file)
}

func fileOf(t testing.TB, data []byte) *sections.Reader {
	t.Helper()
	file, err := fileFormat().Open(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// sectionsOf returns the sections of a file with documents, in their order.
func sectionsOf(t testing.TB, file *sections.Reader) (all []sections.Section) {
	t.Helper()
	for _, name := range []string{"DOCS", "ENDS", "HASH", "TEXT"} {
		data, err := file.Section(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sections.Section{Name: name, Data: data})
	}
	return all
}

func restored(t testing.TB, file *sections.Reader, memory int64) (*Documents, []Ref) {
	t.Helper()
	d, refs, err := OpenDocuments(file, memory)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Complete(1); err != nil {
		t.Fatal(err)
	}
	return d, refs
}

// differ reports how a document differs from another one, in any order of the terms, or returns "".
func differ(want, got Document) string {
	return cmp.Diff(sorted(want), sorted(got), cmpopts.EquateEmpty())
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
		s.Terms, s.Counts = append(s.Terms, doc.Terms[i]), append(s.Counts, doc.Counts[i])
		s.InHead, s.Groups = append(s.InHead, doc.InHead[i]), append(s.Groups, doc.Groups[i])
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
			single, err := SavedDocument(file, i)
			if err != nil {
				t.Fatal(err)
			}
			for how, got := range map[string]Document{"opened": again.Document(refs[i]), "single": single} {
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
	want := sectionsOf(t, saved(t, alone, refs))
	for _, workers := range []int{1, 2, 5} {
		d, refs := written(t, bags, 0, workers)
		if !reflect.DeepEqual(want, sectionsOf(t, saved(t, d, chosen(refs)))) {
			t.Errorf("%d workers: other bytes among other documents", workers)
		}
		again, openedRefs := restored(t, saved(t, d, refs), 1)
		if !reflect.DeepEqual(want, sectionsOf(t, saved(t, again, chosen(openedRefs)))) {
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
		if !slices.Equal(got.Vocabulary().Hashes(), want.Vocabulary().Hashes()) || !slices.Equal(again, frequencies) {
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
	d, refs, err := OpenDocuments(saved(t, old, oldRefs), 0)
	if err != nil {
		t.Fatal(err)
	}
	w := d.NewWriter()
	for i, b := range bags[100:] {
		if i%2 == 0 {
			refs = append(refs, w.Add(b))
			continue
		}
		doc := b.Document()
		refs = append(refs, w.AddDocument(doc, func(i int) []byte {
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
	if !reflect.DeepEqual(sectionsOf(t, saved(t, all, allRefs)), sectionsOf(t, saved(t, d, refs))) {
		t.Error("other bytes than those of all documents at once")
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
	var want []uint64
	for _, texts := range [][]string{texts, backwards} {
		d, refs := written(t, []*Bag{bagOf(texts...)}, 0, 1)
		again, refs := restored(t, saved(t, d, refs), 0)
		x, _, err := again.Build(refs, DefaultOptions(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = x.Vocabulary().Hashes()
		}
		if got := x.Vocabulary().Hashes(); !slices.Equal(got, want) {
			t.Errorf("%q: got the terms %x, want %x", texts, got, want)
		}
	}
}

func TestATermWithoutATextIsNamedAfterItsHash(t *testing.T) {
	doc := Document{Terms: []uint64{0xabc}, Counts: []uint32{1}, InHead: []bool{true}, Groups: []evidence.Group{evidence.Links}}
	nothing := func(int) []byte { return nil }
	d := NewDocuments(0)
	w := d.NewWriter()
	refs := []Ref{w.AddDocument(doc, nothing), w.AddDocument(doc, nothing)}
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
	first := int(binary.LittleEndian.Uint64(sectionsOf(t, saved(t, d, refs))[1].Data))
	const records, ends, hashes, texts = 0, 1, 2, 3
	const gaps, cells = recordHeader, recordHeader + 4 // of the two terms of the first document, whose marks and a count follow
	cut := func(section, n int) func(all []sections.Section) {
		return func(all []sections.Section) { all[section].Data = all[section].Data[:len(all[section].Data)-n] }
	}
	set := func(section, at int, to ...byte) func(all []sections.Section) {
		return func(all []sections.Section) { copy(all[section].Data[at:], to) }
	}
	const ascend, count = "terms that do not ascend", "document 0 has a term that occurs more than once, without its count"
	tests := []struct {
		name   string
		damage func(all []sections.Section)
		want   string
	}{
		{"a hash is cut", cut(hashes, 1), "bytes of hashes"},
		{"a hash is there twice", func(all []sections.Section) { copy(all[hashes].Data, all[hashes].Data[8:16]) }, "a term twice"},
		{"a text is cut", cut(texts, 1), "the texts end at term 2 of 3"},
		{"a text is too many", func(all []sections.Section) { all[texts].Data = append(all[texts].Data, 0) }, "1 bytes more than the texts of 3 terms"},
		{"an end is cut", cut(ends, 7), "9 bytes are no whole number of ends"},
		{"an end is beyond the records", set(ends, 9, 1), "the record of document 1 is from"},
		{"ends do not ascend", set(ends, 8, 1, 0), "the record of document 1 is from"},
		{"records are not all of documents", cut(ends, 8), "bytes of records that are in no document"},
		{"a record is empty", set(ends, 0, 0, 0), "document 0 has a record of 0 bytes"},
		{"a record has fewer terms than it says", set(records, 2, 1), "document 0 has 65538 terms in"},
		{"gaps are larger than the record", set(records, recordHeader-7, 9), "document 0 has 2 terms in"},
		{"a number is that of no term", set(records, gaps+2, 3), ascend},
		{"a number is there twice", set(records, gaps+2, 0), ascend},
		{"a group has fewer terms than it says", set(records, 0, 1, 0, 0, 0, 1), "document 0 has another group than it says"},
		{"a group does not exist", set(records, first-3, 7<<groupShift), "document 0 has another group than it says"},
		{"a count is 1", set(records, first-1, 1), count},
		{"a count is missing", set(records, first-3, markRepeated, markRepeated), count},
		{"a count is too many", set(records, first-3, 0, 0), "document 0 has more counts than terms"},
		{"a cell is missing", func(all []sections.Section) { all[records].Data[4*evidence.Grams]++ }, "document 0 has cells that do not ascend"},
		{"a cell is there twice", set(records, cells+2, 0, 0), "document 0 has cells that do not ascend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all := sectionsOf(t, saved(t, d, refs))
			tt.damage(all)
			_, _, err := OpenDocuments(fileOf(t, fileFormat().Encode(all)), 0)
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestChangedBytesOfSavedDocumentsAreDamage(t *testing.T) {
	d, refs := written(t, mailBags(17, 30, 50), 0, 1)
	var good []byte
	w := fileFormat().NewWriter((*sections.Memory)(&good), SavedSections)
	if err := d.Save(w, refs); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for i, s := range sectionsOf(t, fileOf(t, good)) {
		at := bytes.Index(good, s.Data)
		for _, byteOf := range []int{at, at + len(s.Data)/2, at + len(s.Data) - 1} {
			changed := slices.Clone(good)
			changed[byteOf] ^= 64
			if _, _, err := OpenDocuments(fileOf(t, changed), 0); !errors.Is(err, errDamagedFile) {
				t.Errorf("section %d, byte %d: got %v", i, byteOf, err)
			}
		}
	}
}

// FuzzOpenDocuments changes a section of a file or cuts it. What is opened can be used, and comes back as it was.
func FuzzOpenDocuments(f *testing.F) {
	d, refs := written(f, mailBags(15, 20, 30), 0, 1)
	all := sectionsOf(f, saved(f, d, refs))
	f.Add(all[0].Data, all[1].Data, all[2].Data, all[3].Data)
	f.Fuzz(func(t *testing.T, records, ends, hashes, texts []byte) {
		file := fileOf(t, fileFormat().Encode([]sections.Section{{Name: "DOCS", Data: records}, {Name: "ENDS", Data: ends}, {Name: "HASH", Data: hashes}, {Name: "TEXT", Data: texts}}))
		single := make([]Document, len(ends)/8)
		whole := true
		for i := range single {
			var err error
			single[i], err = SavedDocument(file, i)
			whole = whole && err == nil
		}
		d, refs, err := OpenDocuments(file, 0)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if err := d.Complete(1); err != nil {
			t.Fatal(err)
		}
		if !whole {
			t.Fatal("a document cannot be read on its own")
		}
		once := saved(t, d, refs)
		again, againRefs := restored(t, once, 0)
		if !reflect.DeepEqual(sectionsOf(t, once), sectionsOf(t, saved(t, again, againRefs))) {
			t.Fatal("saved twice, the documents have other bytes")
		}
		for i, ref := range refs {
			for how, got := range map[string]Document{"opened": d.Document(ref), "saved again": again.Document(againRefs[i])} {
				if diff := differ(single[i], got); diff != "" {
					t.Fatalf("document %d on its own, and %s: %s", i, how, diff)
				}
			}
		}
		x, _, err := d.Build(refs, DefaultOptions(), 1)
		if err != nil {
			t.Fatal(err)
		}
		rows := x.Dataset(Evidence, nil, refs, make([]int32, len(refs)), 1).Rows()
		for i := range refs {
			rows.Row(i)
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
		refs = append(refs, w.Add(&bag))
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
