package features

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/internal/evidence"
)

func TestADocumentComesBackAsItWas(t *testing.T) {
	bags := randomBags(3, 100, 300)
	many := new(Bag)
	for range 1000 {
		add(many, "body:often", true)
	}
	huge := new(Bag) // larger than a page
	for n := range 3 * pageSize / 8 {
		add(huge, fmt.Sprint(n), n%7 == 0)
	}
	bags = append(bags, many, new(Bag), huge)
	for _, memory := range []int64{0, 1, 300 << 10} {
		d, refs := written(t, bags, memory, 3)
		if d.records.places[refs[len(refs)-1]].size <= pageSize {
			t.Fatal("the largest document fits in a page")
		}
		for i, b := range bags {
			if diff := differ(b.Document(), d.Document(refs[i])); diff != "" {
				t.Fatalf("%d bytes of memory, document %d (-want +got):\n%s", memory, i, diff)
			}
		}
		wholes := d.As(Whole)
		for i, b := range bags {
			if diff := differ(b.Document().As(Whole), wholes.Document(refs[i])); diff != "" {
				t.Fatalf("%d bytes of memory, document %d as a whole (-want +got):\n%s", memory, i, diff)
			}
		}
		if err := d.Err(); err != nil {
			t.Error(err)
		}
	}
}

// TestLargeNumbersComeBack stores a document as if there were millions of terms.
func TestLargeNumbersComeBack(t *testing.T) {
	d := NewDocuments(0)
	w := d.NewWriter()
	numbers := []uint32{5, 1<<numberBits - 1}
	want := Document{Counts: []uint32{1, 300}, Marks: []byte{Mark(evidence.Fields, false, 1), Mark(evidence.Words, true, 300)}, Cells: []uint32{3}}
	w.encode(numbers, want, want.sizes(), appendGaps(nil, want.Cells))
	ref := w.write(0, w.record)
	w.Close()
	r := documentReader{of: d}
	r.read(ref)
	r.readNumbers()
	r.readCounts()
	r.readCells()
	if diff := cmp.Diff(want, r.doc); diff != "" || !slices.Equal(r.numbers, numbers) {
		t.Errorf("got the numbers %v (-want +got):\n%s", r.numbers, diff)
	}
}

func TestRowsOfDocumentsAreThoseOfTheirHashes(t *testing.T) {
	bags := randomBags(4, 150, 100)
	for _, memory := range []int64{0, 1} {
		d, refs := written(t, bags, memory, 2)
		// The vocabulary has only terms of the first documents.
		x, _, err := d.Build(refs[:100], Options{MinDocumentFrequency: 2}, 2)
		if err != nil {
			t.Fatal(err)
		}
		other := d.Index(x.Vocabulary, 2)
		for _, kind := range []Kind{Bits, Counts, NormalisedBits, NormalisedCounts, HeadBits} {
			data, again := x.Dataset(kind, nil, refs, make([]int32, len(refs)), 2), other.Dataset(kind, nil, refs, make([]int32, len(refs)), 1)
			rows, others := data.Rows(), again.Rows()
			for i, b := range bags {
				want := new(Lookup).AppendVector(Vector{IDs: []uint32{}, Values: []float32{}}, x.Vocabulary, b.Document(), kind)
				for _, got := range []Vector{rows.Row(i), data.Row(i), others.Row(i)} {
					if !slices.Equal(got.IDs, want.IDs) || !slices.Equal(got.Values, want.Values) {
						t.Fatalf("%v, row %d: got %v, want %v", kind, i, got, want)
					}
				}
			}
		}
	}
}

func TestAFullDiskIsAnError(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere/at/all")
	if runtime.GOOS == "windows" {
		t.Skip("the folder of temporary files has another name there")
	}
	d := NewDocuments(1)
	w := d.NewWriter()
	bag := randomBags(1, 1, 100)[0]
	ref := w.Add(bag.Document(), bag.Text)
	w.Close()
	if d.Complete(1) == nil || d.Err() == nil {
		t.Error("no error, though there is no folder for temporary files")
	}
	if doc := d.Document(ref); len(doc.Terms) != 0 {
		t.Errorf("a document that was not kept has %d terms", len(doc.Terms))
	}
}

// A disk that is full after a while has some documents, and no other is read in the place of one that it lacks.
func TestADiskThatBecomesFullIsAnError(t *testing.T) {
	d := NewDocuments(1)
	var last Ref
	for _, bag := range randomBags(7, 12, 3000) {
		w := d.NewWriter()
		last = w.Add(bag.Document(), bag.Text)
		w.Close()
		if int(last) == 6 { // as if nothing more fitted
			written, err := io.ReadAll(io.NewSectionReader(d.records.file, 0, d.records.end))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "full")
			if err := os.WriteFile(path, written, 0o400); err != nil {
				t.Fatal(err)
			}
			if d.records.file, err = os.Open(path); err != nil {
				t.Fatal(err)
			}
			defer d.records.file.Close()
		}
	}
	if d.Complete(1) == nil {
		t.Error("no error")
	}
	if doc := d.Document(last); len(doc.Terms) != 0 {
		t.Errorf("a document that was not written has %d terms", len(doc.Terms))
	}
}

// TestDocumentsTakeLittleMemory checks the memory for a term of a document and for a distinct term.
func TestDocumentsTakeLittleMemory(t *testing.T) {
	bags := randomBags(6, 500, 400)
	tokens, text := 0, 0
	for _, b := range bags {
		tokens += len(b.Document().Terms)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d, refs := written(t, bags, 0, 1)
	runtime.GC()
	runtime.ReadMemStats(&after)
	terms := len(d.terms.hashes)
	for _, chunk := range d.terms.chunks {
		text += len(chunk)
	}
	got := int(after.HeapAlloc) - int(before.HeapAlloc) - text
	// 4 bytes for a term of a document, 12 for a distinct term, and slices that are not full.
	want := 4*tokens + 12*terms + chunkSize + 2*pageSize
	if got > want {
		t.Errorf("%d documents with %d terms, %d distinct, take %d bytes beside the texts, want at most %d", len(refs), tokens, terms, got, want)
	}
	runtime.KeepAlive(d)
}

// TestBeyondTheLimitDocumentsTakeNoMemory checks that documents beyond the limit are on disk.
func TestBeyondTheLimitDocumentsTakeNoMemory(t *testing.T) {
	bags := randomBags(7, 200, 400)
	d := NewDocuments(1 << 20)
	w := d.NewWriter()
	for range 20 { // the same documents, so that there are no new terms
		for _, b := range bags {
			w.Add(b.Document(), b.Text)
		}
	}
	w.Close()
	if err := d.Complete(2); err != nil {
		t.Fatal(err)
	}
	if used := d.records.used; used > 1<<20 || d.records.end < 1<<20 {
		t.Errorf("%d bytes in memory and %d in the file, want at most a megabyte and more than one", used, d.records.end)
	}
	if _, err := os.Stat(d.records.file.Name()); err == nil && runtime.GOOS == "linux" {
		t.Error("the temporary file has a name")
	}
}

func TestATextIsKnownByItsPairs(t *testing.T) {
	d := NewDocuments(0)
	w := d.NewWriter()
	document := func(groups map[evidence.Group]int) Ref {
		var doc Document
		for g, n := range groups {
			for i := range n {
				doc.Terms, doc.Counts = append(doc.Terms, uint64(g)<<32|uint64(i)), append(doc.Counts, 1)
				doc.Marks = append(doc.Marks, Mark(g, false, 1))
			}
		}
		return w.Add(doc, func(i int) []byte {
			return fmt.Appendf(nil, "%s %d", evidence.Group(doc.Marks[i]>>groupShift), uint32(doc.Terms[i]))
		})
	}
	short := document(map[evidence.Group]int{evidence.Words: 9, evidence.Pairs: 8, evidence.Subject: 3, evidence.Fields: 5})
	noPairs := document(map[evidence.Group]int{evidence.Words: 9, evidence.Subject: 3, evidence.Links: 2})
	noText := document(map[evidence.Group]int{evidence.Subject: 3, evidence.Links: 2})
	long := document(map[evidence.Group]int{evidence.Words: 900, evidence.Pairs: 1000, evidence.Subject: 8})
	longer := document(map[evidence.Group]int{evidence.Words: 900, evidence.Pairs: 2000, evidence.Subject: 8})
	endless := document(map[evidence.Group]int{evidence.Words: 9000})
	empty := document(nil)
	w.Close()
	limit, of := d.Texts()
	sizes := map[Ref]int{short: 8, noPairs: 9, noText: 3, empty: 0, endless: 1024}
	for ref, want := range sizes {
		if got := of(ref); len(got) != want || !slices.IsSorted(got) {
			t.Errorf("document %d has %d numbers, want %d", ref, len(got), want)
		}
	}
	some := slices.Clone(of(long))
	all := of(longer)
	if n := len(some); n < 200 || n > 300 || int(all[len(all)-1]) >= limit {
		t.Errorf("of 1,000 pairs %d are known", n)
	}
	for _, number := range some {
		if _, known := slices.BinarySearch(all, number); !known {
			t.Errorf("a longer text is not known by %d", number)
		}
	}
}

func TestWhichTermsOfALongTextCountDoesNotDependOnOtherMail(t *testing.T) {
	known := func(others int) (texts []string) {
		d := NewDocuments(0)
		w := d.NewWriter()
		long := func(from, n int) Ref {
			var doc Document
			for i := range n {
				doc.Terms, doc.Counts = append(doc.Terms, uint64(from+i)<<20|1), append(doc.Counts, 1)
				doc.Marks = append(doc.Marks, Mark(evidence.Pairs, false, 1))
			}
			return w.Add(doc, func(i int) []byte { return fmt.Appendf(nil, "pair %d", from+i) })
		}
		if others > 0 {
			long(5000, others)
		}
		ref := long(0, 300)
		w.Close()
		_, of := d.Texts()
		for _, number := range of(ref) {
			texts = append(texts, string(d.terms.text(number)))
		}
		slices.Sort(texts)
		return texts
	}
	alone, among := known(0), known(900)
	if len(alone) < 40 || len(alone) > 110 || !slices.Equal(alone, among) {
		t.Errorf("%d terms count alone, and %d among others, not the same ones", len(alone), len(among))
	}
}
