package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"chaff/internal/sections"
)

func examples() []Record {
	return []Record{
		{Tag: 7, Key: 1 << 40, Meta: []byte("learned as spam"), New: []uint64{1 << 63, 5}, Texts: AppendText(AppendText(nil, []byte("one")), []byte("two")), IDs: []uint32{0, 7, 9}, Rows: []byte("abcdefghi"), Globals: []byte("global")},
		{Key: 1, Meta: []byte("a message without terms")},
		{Meta: []byte("forgotten"), IDs: []uint32{7}, Rows: []byte("12345678")},
		{Meta: []byte("last"), New: []uint64{3}, IDs: []uint32{10}, Rows: []byte("z"), Globals: make([]byte, 100)},
	}
}

const model = 0x0123456789abcdef

// journalOf returns the journal of records, and where each of them ends.
func journalOf(records []Record) (data []byte, ends []int) {
	data = Begin(nil, model)
	for _, r := range records {
		data = Append(data, Place{model, int64(len(data))}, r)
		ends = append(ends, len(data))
	}
	return data, ends
}

// base is that of the stores of these tests.
func base() []byte {
	return BaseFormat().Encode([]sections.Section{{Name: "LEDG", Data: []byte("ledger")}})
}

// opened opens a store with a journal.
func opened(journal []byte, whole bool) (*Journal, error) {
	store := append(base(), journal...)
	return Open(bytes.NewReader(store), int64(len(store)), whole)
}

// parse reads all of a journal, and returns how many bytes its records take.
func parse(data []byte) (records []Record, complete int, err error) {
	j, err := opened(data, true)
	if err != nil {
		return nil, 0, err
	}
	records, err = recordsOf(j)
	return records, int(j.Size()), err
}

func recordsOf(j *Journal) (all []Record, err error) {
	for _, s := range j.Records() {
		r := Record{Tag: s.Tag, Key: s.Key, covers: s.Covers}
		if r.Globals, r.Texts, r.Meta, err = s.Rest(); err != nil {
			return all, err
		}
		if err := s.Hashes(func(hashes []uint64) { r.New = append(r.New, hashes...) }); err != nil {
			return all, err
		}
		err := s.Each(func(id uint32, row []byte) error {
			r.IDs, r.Rows = append(r.IDs, id), append(r.Rows, row...)
			return nil
		})
		if err != nil {
			return all, err
		}
		all = append(all, r)
	}
	return all, nil
}

// sameRecords returns how records differ, but for empty slices. cmp takes its time, even for what is equal.
func sameRecords(x, y []Record) string {
	if reflect.DeepEqual(withoutEmpty(x), withoutEmpty(y)) {
		return ""
	}
	return cmp.Diff(x, y, cmpopts.EquateEmpty(), cmp.AllowUnexported(Record{}))
}

// withoutEmpty returns records without their empty slices.
func withoutEmpty(records []Record) []Record {
	all := append([]Record{}, records...)
	for i := range all {
		for _, field := range reflect.ValueOf(&all[i]).Elem().Fields() {
			if field.Kind() == reflect.Slice && field.Len() == 0 {
				field.SetZero()
			}
		}
	}
	return all
}

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	data, ends := journalOf(examples())
	got, complete, err := parse(data)
	if diff := sameRecords(examples(), got); diff != "" || complete != len(data) || err != nil {
		t.Errorf("%d of %d bytes, error %v (-written +read):\n%s", complete, len(data), err, diff)
	}
	for i, end := range ends {
		if end%8 != 0 {
			t.Errorf("record %d ends at %d", i, end)
		}
	}
	j, err := opened(data, false)
	if err != nil {
		t.Fatal(err)
	}
	if texts, err := j.Records()[0].NewTexts(); !slices.Equal(texts, []string{"one", "two"}) || err != nil {
		t.Errorf("texts %q, %v", texts, err)
	}
	if texts, err := j.Records()[3].NewTexts(); texts != nil || err != nil {
		t.Errorf("no texts: got %q, %v", texts, err)
	}
	if got, complete, err := parse(Begin(nil, model)); len(got) > 0 || complete != BeginSize || err != nil {
		t.Errorf("no records: got %v, %d, %v", got, complete, err)
	}
}

func TestAJournalThatIsCutAnywhereHasTheRecordsBeforeTheCut(t *testing.T) {
	data, ends := journalOf(examples())
	for size := range data {
		cut := bytes.Clone(data[:size])
		if size < BeginSize {
			if _, _, err := parse(cut); !errors.Is(err, ErrTruncated) {
				t.Errorf("%d bytes: got %v", size, err)
			}
			continue
		}
		whole := 0
		for whole < len(ends) && ends[whole] <= size {
			whole++
		}
		for name, tail := range map[string][]byte{"cut": nil, "zeros": make([]byte, len(data)-size)} {
			// A file system may have made the file longer without writing what was in it.
			got, complete, err := parse(append(bytes.Clone(cut), tail...))
			want := BeginSize
			if whole > 0 {
				want = ends[whole-1]
			}
			if tail != nil && bytes.Equal(append(cut, tail...), data) {
				continue
			}
			if tail != nil && size > want && complete > want { // only zeros were cut off
				continue
			}
			if sameRecords(examples()[:whole], got) != "" || complete != want || err != nil {
				t.Errorf("%d bytes, %s: got %d records in %d bytes, error %v, want %d in %d", size, name, len(got), complete, err, whole, want)
			}
		}
	}
}

func TestAChangedByteIsFound(t *testing.T) {
	records := examples()
	data, ends := journalOf(records)
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 0x10
		got, complete, err := parse(changed)
		last := ends[len(ends)-2]
		switch {
		case i >= hintAt && i < BeginSize: // readers do without the hint
			if err != nil || len(got) != len(records) {
				t.Errorf("byte %d: %d records, %v", i, len(got), err)
			}
		case i >= len(magic) && i < BeginSize: // readers compare it with the model first: no record is one of another model
			if err != nil || len(got) != 0 {
				t.Errorf("byte %d: %d records, %v", i, len(got), err)
			}
		case i >= last: // as if it were torn
			if err != nil || complete != last || sameRecords(records[:len(records)-1], got) != "" {
				t.Errorf("byte %d: %d records in %d bytes, %v", i, len(got), complete, err)
			}
		default:
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("byte %d: got %v", i, err)
			}
		}
	}
}

func TestBytesOfAMessageAreNoRecord(t *testing.T) {
	first, ends := journalOf(examples()[:1])
	const before = 8 // bytes of the texts in front of the planted record, with the size of its text
	offset := int64(ends[0] + recordSize + before)
	for name, at := range map[string]Place{
		"the sender does not know the model":    {0, offset},
		"nor the offset":                        {model, offset - 8},
		"he copies a record from another place": {model, int64(BeginSize)},
	} {
		planted := Append(make([]byte, before-1), at, Record{Meta: []byte("planted")})
		torn := Append(first, Place{model, int64(len(first))}, Record{Texts: AppendText(nil, planted), Meta: make([]byte, 64)})
		torn = torn[:len(torn)-8]
		if sum := binary.LittleEndian.Uint64(torn[offset:]); at.mix(sum) != xxhash.Sum64(torn[offset+8:][:recordSize-8]) {
			t.Fatalf("%s: the planted record is not at %d", name, offset)
		}
		if got, complete, err := parse(torn); len(got) != 1 || complete != ends[0] || err != nil {
			t.Errorf("%s: %d records in %d bytes, %v", name, len(got), complete, err)
		}
	}
}

func TestAJournalIsFoundBehindItsBase(t *testing.T) {
	base := base()
	journal, _ := journalOf(examples())
	store := slices.Concat(base, journal)
	j, err := Open(bytes.NewReader(store), int64(len(store)), false)
	if err != nil || j.Base().Size() != int64(len(base)) || j.Model() != model || j.Size() != int64(len(journal)) || j.Len() != 4 {
		t.Errorf("got %+v, %v", j, err)
	}
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"an empty file":      {nil, ErrNotStore},
		"another file":       {bytes.Repeat([]byte("x"), 1000), ErrNotStore},
		"half a magic":       {store[:4], ErrTruncated},
		"half a header":      {store[:20], ErrTruncated},
		"half a base":        {store[:len(base)/2], ErrTruncated},
		"a base alone":       {base, ErrTruncated},
		"another version":    {slices.Concat(store[:8], []byte{store[8] + 1}, store[9:]), ErrVersion},
		"a wrong size":       {slices.Concat(store[:16], []byte{store[16] - 8}, store[17:]), ErrDamaged},
		"a size that is odd": {slices.Concat(store[:16], []byte{store[16] + 1}, store[17:]), ErrDamaged},
		"an endless base":    {slices.Concat(store[:16], bytes.Repeat([]byte{255}, 8), store[24:]), ErrDamaged},
	} {
		if j, err := Open(bytes.NewReader(tt.data), int64(len(tt.data)), false); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %+v, %v, want %v", name, j, err, tt.want)
		}
	}
	if _, err := Open(bytes.NewReader(store[:len(store)-8]), int64(len(store)), false); !errors.Is(err, ErrTruncated) {
		t.Errorf("a store that becomes shorter: got %v", err)
	}
}

// withSummaries returns the journal of records with a summary after each n of them, and where each record and summary ends.
func withSummaries(t testing.TB, records []Record, n int) (data []byte, ends []int) {
	t.Helper()
	data = Begin(nil, model)
	for i, r := range records {
		data = Append(data, Place{model, int64(len(data))}, r)
		ends = append(ends, len(data))
		if (i+1)%n > 0 {
			continue
		}
		j, err := opened(data, false)
		if err != nil {
			t.Fatal(err)
		}
		summary, err := j.Summary(9)
		if err != nil {
			t.Fatal(err)
		}
		appended := Append(nil, j.Next(), summary)
		j.Add(appended)
		data = append(data, appended...)
		hint, at := j.Hint()
		copy(data[at-j.Base().Size():], hint)
		ends = append(ends, len(data))
	}
	return data, ends
}

// sameSize are records whose rows have one size.
func sameSize() []Record {
	return []Record{
		{Tag: 1, Key: 10, New: []uint64{5, 6}, Texts: AppendText(AppendText(nil, []byte("five")), []byte("six")), IDs: []uint32{0, 9, 10}, Rows: []byte("a0a9aA"), Globals: []byte("one")},
		{Tag: 2, Key: 11, IDs: []uint32{9}, Rows: []byte("b9")},
		{Tag: 3, Key: 10, New: []uint64{7}, Texts: AppendText(nil, []byte("seven")), IDs: []uint32{3, 11}, Rows: []byte("c3cB"), Globals: []byte("two")},
		{Tag: 4, Meta: []byte("no message")},
		{Tag: 5, Key: 12, IDs: []uint32{0, 11}, Rows: []byte("d0dB")},
	}
}

func TestASummaryTakesThePlaceOfTheRecordsBeforeIt(t *testing.T) {
	data, ends := withSummaries(t, sameSize(), 2)
	for name, damage := range map[string]func([]byte){
		"whole":              func([]byte) {},
		"without a hint":     func(d []byte) { copy(d[hintAt:], make([]byte, 8)) },
		"an older hint":      func(d []byte) { binary.LittleEndian.PutUint64(d[hintAt:], uint64(ends[1])) },
		"a hint of nothing":  func(d []byte) { binary.LittleEndian.PutUint64(d[hintAt:], uint64(ends[1]+8)) },
		"a hint of a record": func(d []byte) { binary.LittleEndian.PutUint64(d[hintAt:], uint64(ends[0])) },
		"a hint behind it":   func(d []byte) { binary.LittleEndian.PutUint64(d[hintAt:], 1<<63) },
	} {
		damaged := bytes.Clone(data)
		damage(damaged)
		j, err := opened(damaged, false)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := recordsOf(j)
		if err != nil || len(got) != 2 || j.Len() != 5 {
			t.Fatalf("%s: %d records of %d, %v", name, len(got), j.Len(), err)
		}
		want := Record{
			New: []uint64{5, 6, 7}, Texts: slices.Concat(sameSize()[0].Texts, sameSize()[2].Texts), IDs: []uint32{0, 3, 9, 10, 11},
			Rows: []byte("a0c3b9aAcB"), Globals: []byte("two"), covers: 4,
		}
		got[0].Meta = nil
		if diff := sameRecords([]Record{want, sameSize()[4]}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		globals, err := j.Globals()
		if string(globals) != "two" || err != nil {
			t.Errorf("%s: globals %q, %v", name, globals, err)
		}
		entries, err := j.Entries()
		if err != nil || len(entries) != 5 {
			t.Fatalf("%s: %d entries, %v", name, len(entries), err)
		}
		for i, e := range entries {
			r, err := j.Record(e)
			if err != nil || r.Tag != uint32(i+1) || e.Tag != r.Tag || e.Key != sameSize()[i].Key || r.Key != e.Key {
				t.Errorf("%s: entry %+v of record %+v, %v", name, e, r, err)
			}
		}
	}
	all, _, err := parse(data)
	if diff := sameRecords(sameSize(), all); diff != "" || err != nil {
		t.Errorf("the whole journal: %v (-want +got):\n%s", err, diff)
	}
}

func TestAJournalWithSummariesThatIsCutAnywhereHasTheRecordsBeforeTheCut(t *testing.T) {
	records := sameSize()
	data, _ := withSummaries(t, records, 2)
	for size := BeginSize; size <= len(data); size++ {
		all, _, err := parse(data[:size])
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		j, err := opened(data[:size], false)
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if _, err := recordsOf(j); err != nil || j.Len() != len(all) {
			t.Errorf("%d bytes: %d records, want %d, %v", size, j.Len(), len(all), err)
		}
		entries, err := j.Entries()
		if err != nil || len(entries) != len(all) {
			t.Errorf("%d bytes: %d entries of %d records, %v", size, len(entries), len(all), err)
		}
	}
}

func TestADamagedSummaryIsNotUsed(t *testing.T) {
	data, ends := withSummaries(t, sameSize()[:4], 4)
	for i := ends[3]; i < ends[4]; i++ {
		damaged := bytes.Clone(data)
		damaged[i] ^= 1
		j, err := opened(damaged, false)
		if err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		got, err := recordsOf(j)
		if diff := sameRecords(sameSize()[:4], got); diff != "" || err != nil {
			t.Errorf("byte %d: %v (-want +got):\n%s", i, err, diff)
		}
	}
}

// signed returns bytes as a record whose checksums are right, apart from those of rows.
func signed(data []byte, at Place) []byte {
	data = bytes.Clone(data)
	le := binary.LittleEndian
	if len(data) < recordSize {
		return data
	}
	le.PutUint32(data[16:], mark)
	l, ok := layoutOf(data)
	if !ok || l.end > uint64(len(data)) {
		return data
	}
	if le.Uint64(data[56:]) > 0 {
		le.PutUint64(data[recordSize:], xxhash.Sum64(l.terms.of(data)))
		le.PutUint64(data[recordSize+8:], xxhash.Sum64(l.ids.of(data)))
	}
	le.PutUint64(data[8:], xxhash.Sum64(data[l.globals.start:l.meta.start+align(l.meta.size)]))
	le.PutUint64(data, at.sum(data[:l.globals.start]))
	return data
}

// FuzzRecord checks that a record of any bytes with the right checksums, which another one follows, is read or is an error.
func FuzzRecord(f *testing.F) {
	data, ends := withSummaries(f, sameSize(), 4)
	f.Add(data[BeginSize:ends[0]])
	f.Add(data[ends[3]:ends[4]])
	f.Fuzz(func(t *testing.T, record []byte) {
		data := append(Begin(nil, model), signed(record, Place{model, int64(BeginSize)})...)
		if l, ok := layoutOf(data[BeginSize:]); ok && l.end <= uint64(len(record)) {
			data = data[:BeginSize+int(l.end)]
		}
		data = Append(data, Place{model, int64(len(data))}, sameSize()[4])
		for _, whole := range []bool{false, true} {
			j, err := opened(data, whole)
			if err != nil {
				continue
			}
			ids := []uint32{0, 1, 63, 64, 100, 1<<32 - 1}
			wanted := NewWanted(ids)
			for _, r := range j.Records() {
				if r.CheckRows(2) == nil {
					r.Find(wanted, new([]byte), func(i int, row []byte) {
						if len(row) != 2 {
							t.Errorf("the row of id %d has %d bytes", ids[i], len(row))
						}
					})
				}
				terms := 0
				if err := r.Hashes(func(hashes []uint64) { terms += len(hashes) }); err == nil && terms != r.Terms() {
					t.Errorf("%d of %d terms", terms, r.Terms())
				}
				r.Each(func(uint32, []byte) error { return nil })
				r.NewTexts()
			}
			if n := j.Len(); n < len(j.Records()) {
				t.Errorf("%d records are %d", len(j.Records()), n)
			}
			j.Summary(1000)
			entries, _ := j.Entries()
			for _, e := range entries {
				j.Record(e)
			}
		}
	})
}

// FuzzScan checks that any bytes are a journal, or damage, and that what was read is read again after it was written.
func FuzzScan(f *testing.F) {
	data, ends := journalOf(examples())
	f.Add(data[BeginSize:])
	f.Add(data[BeginSize : ends[1]+3])
	f.Add(data[ends[0]:])
	f.Add(bytes.Repeat([]byte{255}, 100))
	f.Fuzz(func(t *testing.T, tail []byte) {
		data := append(Begin(nil, model), tail...)
		records, complete, err := parse(data)
		if err != nil {
			return
		}
		j, err := opened(data, false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range j.Records() {
			r := j.Records()[i]
			if texts, err := r.NewTexts(); err == nil && texts != nil && len(texts) != r.Terms() {
				t.Errorf("%d texts of %d terms", len(texts), r.Terms())
			}
		}
		again, _ := journalOf(records)
		got, size, err := parse(again)
		if sameRecords(records, got) != "" || size != len(again) || err != nil || complete > len(data) {
			t.Errorf("%d records in %d bytes, then %d in %d: %v", len(records), complete, len(got), size, err)
		}
		whole := data[:complete:complete]
		for _, r := range records {
			whole = Append(whole, Place{model, int64(len(whole))}, r)
		}
		if got, _, err := parse(whole); len(got) != 2*len(records) || err != nil {
			t.Errorf("%d records and %d more are %d: %v", len(records), len(records), len(got), err)
		}
	})
}

func TestTheCountsOfASummaryAgree(t *testing.T) {
	data, ends := withSummaries(t, sameSize(), 4)
	summary := data[ends[3]:ends[4]]
	if _, ok := layoutOf(summary); !ok {
		t.Fatal("the summary itself has no layout")
	}
	for name, change := range map[string]func(fixed []byte){
		"more rows than its index has bits":    func(d []byte) { binary.LittleEndian.PutUint32(d[24:], 65); binary.LittleEndian.PutUint32(d[28:], 0) },
		"an index without rows":                func(d []byte) { binary.LittleEndian.PutUint32(d[24:], 0) },
		"rows without an index":                func(d []byte) { binary.LittleEndian.PutUint64(d[48:], 0) },
		"an index of more ids than a uint32":   func(d []byte) { binary.LittleEndian.PutUint64(d[48:], 1<<26+1) },
		"more records than its meta describes": func(d []byte) { binary.LittleEndian.PutUint64(d[56:], 5) },
		"endless records":                      func(d []byte) { binary.LittleEndian.PutUint64(d[56:], 1<<61+4) },
	} {
		changed := bytes.Clone(summary)
		change(changed)
		if _, ok := layoutOf(changed); ok {
			t.Errorf("%s: it has a layout", name)
		}
	}
}

func TestASummaryHasNoRowsOfIDsThatTheModelLacks(t *testing.T) {
	for last, want := range map[uint32]error{11: nil, 12: ErrDamaged, 1<<32 - 1: ErrDamaged} {
		records := append(sameSize(), Record{IDs: []uint32{3, last}, Rows: []byte("e3eX")})
		data, _ := journalOf(records)
		j, err := opened(data, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Summary(9); !errors.Is(err, want) {
			t.Errorf("a row of id %d: got %v, want %v", last, err, want)
		}
	}
}

// failing is a file that cannot be read from an offset on.
type failing struct {
	*bytes.Reader
	from int64
}

var errDisk = errors.New("the disk fails")

func (f failing) ReadAt(dst []byte, at int64) (int, error) {
	if at >= f.from {
		return 0, errDisk
	}
	return f.Reader.ReadAt(dst, at)
}

func TestARecordThatCannotBeReadIsNotTorn(t *testing.T) {
	plain, _ := journalOf(sameSize()[:1])
	summarised, ends := withSummaries(t, sameSize()[:1], 1)
	for name, tt := range map[string]struct {
		journal []byte
		last    int // where the last record begins
	}{
		"a record":  {plain, BeginSize},
		"a summary": {summarised, ends[0]},
	} {
		store := append(base(), tt.journal...)
		from := int64(len(base()) + tt.last + 8) // its head is read at once
		if _, err := Open(failing{bytes.NewReader(store), from}, int64(len(store)), false); !errors.Is(err, errDisk) {
			t.Errorf("%s: got %v, want %v", name, err, errDisk)
		}
	}
}

func TestALongTailTakesNoMemory(t *testing.T) {
	data, _ := journalOf(examples())
	data = append(data, make([]byte, 16<<20)...)
	record := Append(nil, Place{model, int64(len(data))}, examples()[0])
	for name, tt := range map[string]struct {
		tail []byte
		want error
	}{"zeros": {nil, nil}, "half a record": {record[:80], nil}, "a record": {record, ErrDamaged}} {
		store := slices.Concat(base(), data, tt.tail)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(bytes.NewReader(store), int64(len(store)), false)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, tt.want) || n > 1<<20 {
			t.Errorf("%s: got %v and %d bytes, want %v", name, err, n, tt.want)
		}
	}
}

func TestRowsOfDifferentSizesTakeNoMemory(t *testing.T) {
	ids := make([]uint32, 10_000)
	for i := range ids {
		ids[i] = uint32(i)
	}
	data, _ := journalOf([]Record{{IDs: ids}, {IDs: []uint32{1}, Rows: make([]byte, 10_000)}})
	j, err := opened(data, false)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = j.Summary(len(ids))
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrDamaged) || n > 1<<20 {
		t.Errorf("got %v and %d bytes, want %v", err, n, ErrDamaged)
	}
}
