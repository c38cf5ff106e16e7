package features

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
func saved(t testing.TB, d *Documents, refs []Ref, texts bool) *sections.Reader {
	t.Helper()
	var file sections.Memory
	w := fileFormat().NewWriter(&file, SavedSections)
	if err := d.Save(w, refs, texts); err != nil {
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
	names := "ORDR"
	if file.Has("TEXT") {
		names = "TEXT"
	}
	for _, name := range []string{"DOCS", "ENDS", "HASH", "GRPS", names} {
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
	if err := d.Complete(); err != nil {
		t.Fatal(err)
	}
	return d, refs
}

// differ reports how a document differs from that of a bag, or returns "".
func differ(b *Bag, got Document) string {
	want := b.Document()
	if slices.Equal(want.Terms, got.Terms) && slices.Equal(want.Counts, got.Counts) && slices.Equal(want.InHead, got.InHead) &&
		slices.Equal(want.Groups, got.Groups) && slices.Equal(want.Cells, got.Cells) {
		return ""
	}
	return cmp.Diff(want, got)
}

func TestOpenedDocumentsAreThoseThatWereSaved(t *testing.T) {
	bags := mailBags(11, 400, 200)
	d, refs := written(t, bags, 0, 3)
	for _, texts := range []bool{true, false} {
		file := saved(t, d, refs, texts)
		if file.Has("TEXT") != texts || file.Has("ORDR") == texts {
			t.Fatalf("texts %v, order hashes %v, want %v", file.Has("TEXT"), file.Has("ORDR"), texts)
		}
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
					if diff := differ(b, got); diff != "" {
						t.Fatalf("%s document %d, texts %v, %d bytes of memory (-want +got):\n%s", how, i, texts, memory, diff)
					}
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
	for _, texts := range []bool{true, false} {
		alone, refs := written(t, few, 0, 1)
		want := sectionsOf(t, saved(t, alone, refs, texts))
		for _, workers := range []int{1, 2, 5} {
			d, refs := written(t, bags, 0, workers)
			if !reflect.DeepEqual(want, sectionsOf(t, saved(t, d, chosen(refs), texts))) {
				t.Errorf("texts %v, %d workers: other bytes among other documents", texts, workers)
			}
			again, openedRefs := restored(t, saved(t, d, refs, texts), 1)
			if !reflect.DeepEqual(want, sectionsOf(t, saved(t, again, chosen(openedRefs), texts))) {
				t.Errorf("texts %v, %d workers: other bytes after documents were opened", texts, workers)
			}
		}
	}
}

func TestOpenedDocumentsGiveTheSameVocabulary(t *testing.T) {
	bags := mailBags(13, 300, 200)
	d, refs := written(t, bags, 0, 2)
	for _, texts := range []bool{true, false} {
		again, restoredRefs := restored(t, saved(t, d, refs, texts), 0)
		if again.HasTexts() != texts {
			t.Fatalf("texts %v, want %v", again.HasTexts(), texts)
		}
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
				t.Errorf("texts %v, %+v: other terms", texts, o)
			}
			wantTexts := textsOf(want)
			if !texts {
				wantTexts = make([]string, len(wantTexts))
			}
			if !slices.Equal(textsOf(got), wantTexts) {
				t.Errorf("texts %v, %+v: other texts", texts, o)
			}
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
	for _, texts := range []bool{true, false} {
		d, refs, err := OpenDocuments(saved(t, old, oldRefs, texts), 0)
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
				switch {
				case known[doc.Terms[i]]:
					return nil
				case texts:
					return b.Text(i)
				}
				return binary.LittleEndian.AppendUint64(nil, OrderHash(b.Text(i)))
			}))
		}
		w.Close()
		if err := d.Complete(); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(sectionsOf(t, saved(t, all, allRefs, texts)), sectionsOf(t, saved(t, d, refs, texts))) {
			t.Errorf("texts %v: other bytes than those of all documents at once", texts)
		}
	}
}

// The texts were made to share their OrderHash.
func TestTermsOfOneOrderHashHaveTheSameIDsWithAndWithoutTexts(t *testing.T) {
	texts := []string{"body:hama", "hidden:njegxiiaaxqlbqfub", "body:hamb", "hidden:hzrreymbtrquudnrr", "body:shareda", "hidden:hdfrvgqhouinsmwyu"}
	for i := 0; i < len(texts); i += 2 {
		if OrderHash([]byte(texts[i])) != OrderHash([]byte(texts[i+1])) {
			t.Fatalf("%s and %s have different order hashes: the test proves nothing", texts[i], texts[i+1])
		}
	}
	backwards := slices.Clone(texts)
	slices.Reverse(backwards)
	var want []uint64
	for _, texts := range [][]string{texts, backwards} {
		d, refs := written(t, []*Bag{bagOf(texts...)}, 0, 1)
		for _, kept := range []bool{true, false} {
			again, refs := restored(t, saved(t, d, refs, kept), 0)
			x, _, err := again.Build(refs, DefaultOptions(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = x.Vocabulary().Hashes()
			}
			if got := x.Vocabulary().Hashes(); !slices.Equal(got, want) {
				t.Errorf("%q, texts %v: got the terms %x, want %x", texts, kept, got, want)
			}
		}
	}
}

func TestATermWithoutATextIsNamedAfterItsHash(t *testing.T) {
	doc := Document{Terms: []uint64{0xabc}, Counts: []uint32{1}, InHead: []bool{true}, Groups: []evidence.Group{evidence.Links}}
	nothing := func(int) []byte { return nil }
	var orders []uint64
	for _, textless := range []bool{false, true} {
		d := newDocuments(0, textless)
		w := d.NewWriter()
		refs := []Ref{w.AddDocument(doc, nothing), w.AddDocument(doc, nothing)}
		w.Close()
		if err := d.Complete(); err != nil {
			t.Fatal(err)
		}
		if got := d.Document(refs[1]); !slices.Equal(got.Terms, doc.Terms) || termCount(d.dictionary) != 1 || got.Groups[0] != evidence.Links {
			t.Errorf("textless %v: got %+v", textless, got)
		}
		d.dictionary.each(1, func(number uint32) { orders = append(orders, d.dictionary.order(number)) })
	}
	if want := OrderHash([]byte("term:0000000000000abc")); !slices.Equal(orders, []uint64{want, want}) {
		t.Errorf("its order hash is %x, want %x with and without texts", orders, want)
	}
}

func TestATextIsNoNameInDocumentsWithoutTexts(t *testing.T) {
	d := newDocuments(0, true)
	w := d.NewWriter()
	b := bagOf("word")
	w.AddDocument(b.Document(), b.Text)
	w.Close()
	if err := d.Complete(); !errors.Is(err, errNoOrderHash) {
		t.Errorf("got %v, want %v", err, errNoOrderHash)
	}
}

func TestDamagedDocumentsAreErrors(t *testing.T) {
	bags := []*Bag{bagOf("a", "b", "a"), bagOf("b", "c")}
	for _, b := range bags {
		b.AddGrams([]byte("some text that has cells"))
	}
	d, refs := written(t, bags, 0, 1)
	first := int(binary.LittleEndian.Uint64(sectionsOf(t, saved(t, d, refs, true))[1].Data))
	const records, ends, hashes, groups, names = 0, 1, 2, 3, 4
	cut := func(section, n int) func(all []sections.Section) {
		return func(all []sections.Section) { all[section].Data = all[section].Data[:len(all[section].Data)-n] }
	}
	set := func(section, at int, to ...byte) func(all []sections.Section) {
		return func(all []sections.Section) { copy(all[section].Data[at:], to) }
	}
	tests := []struct {
		name   string
		texts  bool
		damage func(all []sections.Section)
		want   string
	}{
		{"a hash is cut", true, cut(hashes, 1), "bytes of hashes for "},
		{"a group is missing", true, cut(groups, 1), "bytes of hashes for "},
		{"a hash is there twice", true, func(all []sections.Section) { copy(all[hashes].Data, all[hashes].Data[8:16]) }, "a term twice"},
		{"a group does not exist", true, set(groups, 1, 7), "term 1 has the group 7"},
		{"a text is cut", true, cut(names, 1), "the texts end at term 2 of 3"},
		{"a text is too many", true, func(all []sections.Section) { all[names].Data = append(all[names].Data, 0) }, "1 bytes more than the texts of 3 terms"},
		{"an order hash is cut", false, cut(names, 1), "the texts end at term 2 of 3"},
		{"an end is cut", true, cut(ends, 7), "9 bytes are no whole number of ends"},
		{"an end is beyond the records", true, set(ends, 9, 1), "the record of document 1 is from"},
		{"ends do not ascend", true, set(ends, 8, 1, 0), "the record of document 1 is from"},
		{"records are not all of documents", true, cut(ends, 8), "bytes of records that are in no document"},
		{"a record is empty", true, set(ends, 0, 0, 0), "document 0 has a record of 0 bytes"},
		{"a record has fewer terms than it says", true, set(records, 2, 1), "document 0 has 32770 terms"},
		{"a number is that of no term", true, set(records, documentHeader, 9), "document 0 has term 9 of 3"},
		{"a number is there twice", true, func(all []sections.Section) {
			copy(all[records].Data[documentHeader:], all[records].Data[documentHeader+narrow:][:narrow])
		}, "document 0 has a term twice"},
		{"a bit of no term is set", true, set(records, documentHeader+2*narrow, 4), "document 0 has more bits than terms"},
		{"a count is 0", true, set(records, documentHeader+2*narrow+2, 0), "document 0 has a term that occurs more than once, without its count"},
		{"a cell is missing", true, func(all []sections.Section) { all[records].Data[4]++ }, "document 0 has cells that do not ascend"},
		{"a cell is there twice", true, set(records, first-2, 0, 0), "document 0 has cells that do not ascend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			all := sectionsOf(t, saved(t, d, refs, tt.texts))
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
	for _, texts := range []bool{true, false} {
		var good []byte
		w := fileFormat().NewWriter((*sections.Memory)(&good), SavedSections)
		if err := d.Save(w, refs, texts); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all := sectionsOf(t, fileOf(t, good))
		for i, s := range all {
			at := bytes.Index(good, s.Data)
			for _, byteOf := range []int{at, at + len(s.Data)/2, at + len(s.Data) - 1} {
				changed := slices.Clone(good)
				changed[byteOf] ^= 64
				if _, _, err := OpenDocuments(fileOf(t, changed), 0); !errors.Is(err, errDamagedFile) {
					t.Errorf("texts %v, section %d, byte %d: got %v", texts, i, byteOf, err)
				}
			}
		}
	}
}

// FuzzOpenDocuments changes a section of a file or cuts it. What is opened can be used, and comes back as it was.
func FuzzOpenDocuments(f *testing.F) {
	d, refs := written(f, mailBags(15, 20, 30), 0, 1)
	for _, texts := range []bool{true, false} {
		all := sectionsOf(f, saved(f, d, refs, texts))
		f.Add(all[0].Data, all[1].Data, all[2].Data, all[3].Data, all[4].Data, texts)
	}
	f.Fuzz(func(t *testing.T, records, ends, hashes, groups, names []byte, texts bool) {
		last := "ORDR"
		if texts {
			last = "TEXT"
		}
		file := fileOf(t, fileFormat().Encode([]sections.Section{{Name: "DOCS", Data: records}, {Name: "ENDS", Data: ends}, {Name: "HASH", Data: hashes}, {Name: "GRPS", Data: groups}, {Name: last, Data: names}}))
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
		if err := d.Complete(); err != nil {
			t.Fatal(err)
		}
		if !whole {
			t.Fatal("a document cannot be read on its own")
		}
		once := saved(t, d, refs, texts)
		again, againRefs := restored(t, once, 0)
		if !reflect.DeepEqual(sectionsOf(t, once), sectionsOf(t, saved(t, again, againRefs, texts))) {
			t.Fatal("saved twice, the documents have other bytes")
		}
		for i, ref := range refs {
			for how, got := range map[string]Document{"opened": d.Document(ref), "saved again": again.Document(againRefs[i])} {
				if !slices.Equal(single[i].Terms, got.Terms) || !slices.Equal(single[i].Counts, got.Counts) ||
					!slices.Equal(single[i].Groups, got.Groups) || !slices.Equal(single[i].Cells, got.Cells) {
					t.Fatalf("document %d on its own is %v, %s %v", i, single[i], how, got)
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
	if err := d.Complete(); err != nil {
		b.Fatal(err)
	}
	file := saved(b, d, refs, true)
	for name, do := range map[string]func(b *testing.B){
		"open": func(b *testing.B) { restored(b, file, 0) },
		"save": func(b *testing.B) { saved(b, d, refs, true) },
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
