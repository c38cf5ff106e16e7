package features

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func snapshotOf(t testing.TB, d *Documents, refs []Ref, texts bool, workers int) *Snapshot {
	t.Helper()
	s, err := d.Snapshot(refs, texts, workers)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func restored(t testing.TB, s *Snapshot, memory int64) (*Documents, []Ref) {
	t.Helper()
	d, refs, err := RestoreDocuments(s, memory)
	if err != nil {
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

func TestRestoredDocumentsAreThoseOfTheSnapshot(t *testing.T) {
	bags := mailBags(11, 400, 200)
	d, refs := written(t, bags, 0, 3)
	for _, texts := range []bool{true, false} {
		s := snapshotOf(t, d, refs, texts, 2)
		if s.Len() != len(bags) || s.Texts != texts {
			t.Fatalf("%d documents with texts %v, want %d with %v", s.Len(), s.Texts, len(bags), texts)
		}
		for _, memory := range []int64{0, 1} {
			again, refs := restored(t, s, memory)
			if err := again.Complete(); err != nil {
				t.Fatal(err)
			}
			for i, b := range bags {
				single, err := s.Document(i)
				if err != nil {
					t.Fatal(err)
				}
				for how, got := range map[string]Document{"restored": again.Document(refs[i]), "single": single} {
					if diff := differ(b, got); diff != "" {
						t.Fatalf("%s document %d, texts %v, %d bytes of memory (-want +got):\n%s", how, i, texts, memory, diff)
					}
				}
			}
		}
	}
}

func TestASnapshotDependsOnItsDocumentsOnly(t *testing.T) {
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
		want := snapshotOf(t, alone, refs, texts, 1)
		for _, workers := range []int{1, 2, 5} {
			d, refs := written(t, bags, 0, workers)
			if !reflect.DeepEqual(want, snapshotOf(t, d, chosen(refs), texts, workers)) {
				t.Errorf("texts %v, %d workers: other bytes among other documents", texts, workers)
			}
			again, restoredRefs := restored(t, snapshotOf(t, d, refs, texts, workers), 1)
			if !reflect.DeepEqual(want, snapshotOf(t, again, chosen(restoredRefs), texts, workers)) {
				t.Errorf("texts %v, %d workers: other bytes after documents were restored", texts, workers)
			}
		}
	}
}

func TestRestoredDocumentsGiveTheSameVocabulary(t *testing.T) {
	bags := mailBags(13, 300, 200)
	d, refs := written(t, bags, 0, 2)
	for _, texts := range []bool{true, false} {
		again, restoredRefs := restored(t, snapshotOf(t, d, refs, texts, 2), 0)
		if err := again.Complete(); err != nil || again.HasTexts() != texts {
			t.Fatalf("texts %v, error %v, want texts %v", again.HasTexts(), err, texts)
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
			wantTexts := want.Texts(1)
			if !texts {
				wantTexts = make([]string, len(wantTexts))
			}
			if !slices.Equal(got.Texts(1), wantTexts) {
				t.Errorf("texts %v, %+v: other texts", texts, o)
			}
		}
	}
}

// TestDocumentsAddedToRestoredOnes adds documents with and without a bag, and compares the snapshot with that of documents that were all
// written at once.
func TestDocumentsAddedToRestoredOnes(t *testing.T) {
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
		d, refs := restored(t, snapshotOf(t, old, oldRefs, texts, 1), 0)
		w := d.NewWriter()
		for i, b := range bags[100:] {
			if i%2 == 0 {
				refs = append(refs, w.Add(b))
				continue
			}
			doc, err := DecodeDocument(b.Document().Append(nil))
			if err != nil {
				t.Fatal(err)
			}
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
		if !reflect.DeepEqual(snapshotOf(t, all, allRefs, texts, 1), snapshotOf(t, d, refs, texts, 1)) {
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
			again, refs := restored(t, snapshotOf(t, d, refs, kept, 1), 0)
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

func TestDamagedSnapshotsAreErrors(t *testing.T) {
	bags := []*Bag{bagOf("a", "b", "a"), bagOf("b", "c")}
	for _, b := range bags {
		b.AddGrams([]byte("some text that has cells"))
	}
	d, refs := written(t, bags, 0, 1)
	valid := snapshotOf(t, d, refs, true, 1)
	textless := snapshotOf(t, d, refs, false, 1)
	if _, _, err := RestoreDocuments(valid, 0); err != nil {
		t.Fatal(err)
	}
	first := int(binary.LittleEndian.Uint64(valid.Ends))
	tests := []struct {
		name   string
		of     *Snapshot
		damage func(s *Snapshot)
		want   string
	}{
		{"a hash is cut", valid, func(s *Snapshot) { s.Hashes = s.Hashes[:23] }, "23 bytes are no whole number of hashes"},
		{"a hash is missing", valid, func(s *Snapshot) { s.Hashes = s.Hashes[8:] }, "groups of 3 terms of 2"},
		{"a hash is there twice", valid, func(s *Snapshot) { copy(s.Hashes, s.Hashes[8:16]) }, "a term twice"},
		{"a group does not exist", valid, func(s *Snapshot) { s.Groups[1] = evidence.Groups }, "term 1 has the group 7"},
		{"a text is cut", valid, func(s *Snapshot) { s.Names = s.Names[:len(s.Names)-1] }, "the texts end at term 2 of 3"},
		{"a text is missing", valid, func(s *Snapshot) { s.Names = s.Names[:4] }, "the texts end at term 2 of 3"},
		{"a text is too many", valid, func(s *Snapshot) { s.Names = append(s.Names, 0) }, "more bytes than the texts of 3 terms"},
		{"an order hash is cut", textless, func(s *Snapshot) { s.Names = s.Names[:23] }, "23 bytes are not the names of 3 terms"},
		{"an end is cut", valid, func(s *Snapshot) { s.Ends = s.Ends[:9] }, "9 bytes are no whole number of ends"},
		{"an end is beyond the records", valid, func(s *Snapshot) { s.Ends[9] = 1 }, "the record of document 1 is from"},
		{"ends do not ascend", valid, func(s *Snapshot) { s.Ends[8] = 1 }, "the record of document 1 is from"},
		{"records are not all of documents", valid, func(s *Snapshot) { s.Ends = s.Ends[:8] }, "bytes of records"},
		{"a record is empty", valid, func(s *Snapshot) { s.Ends[0] = 0 }, "document 0 has a record of 0 bytes"},
		{"a record has fewer terms than it says", valid, func(s *Snapshot) { s.Records[2] = 1 }, "document 0 has 32770 terms"},
		{"a number is that of no term", valid, func(s *Snapshot) { s.Records[documentHeader] = 9 }, "document 0 has term 9 of 3"},
		{"a number is there twice", valid, func(s *Snapshot) { copy(s.Records[documentHeader:], s.Records[documentHeader+narrow:][:narrow]) }, "document 0 has a term twice"},
		{"a bit of no term is set", valid, func(s *Snapshot) { s.Records[documentHeader+2*narrow] |= 4 }, "document 0 has more bits than terms"},
		{"a count is 0", valid, func(s *Snapshot) { s.Records[documentHeader+2*narrow+2] = 0 }, "document 0 has a term that occurs more than once, without its count"},
		{"a cell is missing", valid, func(s *Snapshot) { s.Records[4]++ }, "document 0 has cells that do not ascend"},
		{"a cell is there twice", valid, func(s *Snapshot) { clear(s.Records[first-2 : first]) }, "document 0 has cells that do not ascend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := cloneSnapshot(tt.of)
			tt.damage(s)
			_, _, err := RestoreDocuments(s, 0)
			if !errors.Is(err, ErrDamaged) || !bytes.Contains([]byte(err.Error()), []byte(tt.want)) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func cloneSnapshot(s *Snapshot) *Snapshot {
	c := *s
	for _, b := range []*[]byte{&c.Hashes, &c.Groups, &c.Names, &c.Records, &c.Ends} {
		*b = slices.Clone(*b)
	}
	return &c
}

// FuzzSnapshot changes a byte of each part of a snapshot or cuts it. What is restored can be used, and comes back as it was.
func FuzzSnapshot(f *testing.F) {
	d, refs := written(f, mailBags(15, 20, 30), 0, 1)
	valid := snapshotOf(f, d, refs, true, 1)
	f.Add(valid.Hashes, valid.Groups, valid.Names, valid.Records, valid.Ends, true)
	textless := snapshotOf(f, d, refs[3:], false, 1)
	f.Add(textless.Hashes, textless.Groups, textless.Names, textless.Records, textless.Ends, false)
	f.Fuzz(func(t *testing.T, hashes, groups, names, records, ends []byte, texts bool) {
		s := &Snapshot{Hashes: hashes, Groups: groups, Names: names, Records: records, Ends: ends, Texts: texts}
		single := make([]Document, s.Len())
		whole := true
		for i := range single {
			var err error
			single[i], err = s.Document(i)
			whole = whole && err == nil
		}
		d, refs, err := RestoreDocuments(s, 0)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if !whole {
			t.Fatal("a document of restored documents cannot be read on its own")
		}
		for i, ref := range refs {
			if got := d.Document(ref); !slices.Equal(single[i].Terms, got.Terms) || !slices.Equal(single[i].Counts, got.Counts) ||
				!slices.Equal(single[i].Groups, got.Groups) || !slices.Equal(single[i].Cells, got.Cells) {
				t.Fatalf("document %d on its own is %v, restored %v", i, single[i], got)
			}
		}
		once := snapshotOf(t, d, refs, texts, 2)
		again, refs := restored(t, once, 0)
		if twice := snapshotOf(t, again, refs, texts, 1); !reflect.DeepEqual(once, twice) {
			t.Errorf("a snapshot of restored documents is %+v, want %+v", twice, once)
		}
		x, _, err := again.Build(refs, DefaultOptions(), 1)
		if err != nil {
			t.Fatal(err)
		}
		rows := x.Dataset(Evidence, nil, refs, make([]int32, len(refs)), 1).Rows()
		for i := range refs {
			rows.Row(i)
		}
	})
}

// FuzzDecodeDocument decodes any bytes. A document has one form only.
func FuzzDecodeDocument(f *testing.F) {
	for _, b := range mailBags(16, 3, 20) {
		f.Add(b.Document().Append(nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := DecodeDocument(data)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if again := doc.Append(nil); !bytes.Equal(again, data) {
			t.Errorf("got %x, want %x", again, data)
		}
	})
}

// BenchmarkSnapshot restores 20,000 documents of 500,000 terms and makes the snapshot again.
func BenchmarkSnapshot(b *testing.B) {
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
	s := snapshotOf(b, d, refs, true, 1)
	b.Logf("%d terms, %d bytes of names, %d of records", len(s.Groups), len(s.Names), len(s.Records))
	for name, do := range map[string]func(b *testing.B){
		"restore":  func(b *testing.B) { restored(b, s, 0) },
		"snapshot": func(b *testing.B) { snapshotOf(b, d, refs, true, 1) },
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
