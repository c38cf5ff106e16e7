package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"chaff/internal/sections"
)

func examples() []Record {
	return []Record{
		{Meta: []byte("learned as spam"), New: []uint64{1 << 63, 5}, Texts: AppendText(AppendText(nil, []byte("one")), []byte("two")), IDs: []uint32{0, 7, 9}, Rows: []byte("abcdefghi"), Globals: []byte("global")},
		{Meta: []byte("a message without terms")},
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

// parse is [Scan] with the records as a slice.
func parse(data []byte) (records []Record, complete int, err error) {
	all, complete, err := Scan(data)
	for i := range all.Len() {
		records = append(records, all.At(i))
	}
	return records, complete, err
}

func sameRecords(x, y []Record) string {
	return cmp.Diff(x, y, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Record{}))
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
		if err := errors.Join(got[i].VerifyRows(), got[i].VerifyRest()); err != nil {
			t.Errorf("record %d: %v", i, err)
		}
	}
	if texts, err := got[0].NewTexts(); !slices.Equal(texts, []string{"one", "two"}) || err != nil {
		t.Errorf("texts %q, %v", texts, err)
	}
	if texts, err := got[3].NewTexts(); texts != nil || err != nil {
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
		case i >= len(magic) && i < BeginSize: // readers compare it with the model first: no record is one of another model
			if err != nil || len(got) != 0 {
				t.Errorf("byte %d: %d records, %v", i, len(got), err)
			}
		case i >= last: // as if it were torn
			if err != nil || complete != last || sameRecords(records[:len(records)-1], got) != "" {
				t.Errorf("byte %d: %d records in %d bytes, %v", i, len(got), complete, err)
			}
		default:
			for _, r := range got {
				err = errors.Join(err, r.VerifyRows(), r.VerifyRest())
			}
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
	base := BaseFormat().Encode([]sections.Section{{Name: "LEDG", Data: []byte("ledger")}})
	journal, _ := journalOf(examples())
	store := slices.Concat(base, journal)
	got, err := Locate(store)
	if want := (Header{Base: int64(len(base)), Model: model}); got != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
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
		"another version":    {slices.Concat(store[:8], []byte{2}, store[9:]), ErrVersion},
		"a wrong size":       {slices.Concat(store[:16], []byte{store[16] - 8}, store[17:]), ErrDamaged},
		"a size that is odd": {slices.Concat(store[:16], []byte{store[16] + 1}, store[17:]), ErrDamaged},
		"an endless base":    {slices.Concat(store[:16], bytes.Repeat([]byte{255}, 8), store[24:]), ErrTruncated},
	} {
		if h, err := Locate(tt.data); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %+v, %v, want %v", name, h, err, tt.want)
		}
	}
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
		for _, r := range records {
			if texts, err := r.NewTexts(); err == nil && texts != nil && len(texts) != len(r.New) {
				t.Errorf("%d texts of %d terms", len(texts), len(r.New))
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
