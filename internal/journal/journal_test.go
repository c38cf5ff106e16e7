package journal

import (
	"bytes"
	"errors"
	"slices"
	"testing"

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
		data = Append(data, r)
		ends = append(ends, len(data))
	}
	return data, ends
}

func sameRecords(x, y []Record) string {
	return cmp.Diff(x, y, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Record{}))
}

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	data, ends := journalOf(examples())
	got, complete, err := Parse(data)
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
	if got, complete, err := Parse(Begin(nil, model)); len(got) > 0 || complete != BeginSize || err != nil {
		t.Errorf("no records: got %v, %d, %v", got, complete, err)
	}
}

func TestAJournalThatIsCutAnywhereHasTheRecordsBeforeTheCut(t *testing.T) {
	data, ends := journalOf(examples())
	for size := range data {
		cut := bytes.Clone(data[:size])
		if size < BeginSize {
			if _, _, err := Parse(cut); !errors.Is(err, ErrTruncated) {
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
			got, complete, err := Parse(append(bytes.Clone(cut), tail...))
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
		got, complete, err := Parse(changed)
		last := ends[len(ends)-2]
		switch {
		case i >= len(magic) && i < BeginSize: // the model
			if err != nil || len(got) != len(records) {
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

// FuzzParse checks that any bytes are a journal, or damage, and that what was read is read again after it was written.
func FuzzParse(f *testing.F) {
	data, ends := journalOf(examples())
	f.Add(data[BeginSize:])
	f.Add(data[BeginSize : ends[1]+3])
	f.Add(data[ends[0]:])
	f.Add(bytes.Repeat([]byte{255}, 100))
	f.Fuzz(func(t *testing.T, tail []byte) {
		data := append(Begin(nil, model), tail...)
		records, complete, err := Parse(data)
		if err != nil {
			return
		}
		for _, r := range records {
			if texts, err := r.NewTexts(); err == nil && texts != nil && len(texts) != len(r.New) {
				t.Errorf("%d texts of %d terms", len(texts), len(r.New))
			}
		}
		again, _ := journalOf(records)
		got, size, err := Parse(again)
		if sameRecords(records, got) != "" || size != len(again) || err != nil || complete > len(data) {
			t.Errorf("%d records in %d bytes, then %d in %d: %v", len(records), complete, len(got), size, err)
		}
		whole := append(data[:complete:complete], again[BeginSize:]...)
		if got, _, err := Parse(whole); len(got) != 2*len(records) || err != nil {
			t.Errorf("%d records and %d more are %d: %v", len(records), len(records), len(got), err)
		}
	})
}
