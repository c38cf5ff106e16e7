package logfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	model = 0xabcdef
	next  = 0x123456
)

// written is a log that is being written, with what its records have.
type written struct {
	data    []byte
	records []Record
	bodies  [][]byte
	own     []Rows // of each record, without those of the records before
}

func key() []byte { return bytes.Repeat([]byte{7}, KeySize) }

func (w *written) add(r Record, rows Rows, body []byte) Record {
	log := Log{Key: key()}
	r.At = int64(len(w.data))
	w.data = log.Append(w.data, r.At, r, rows.Append(nil), body)
	w.records, w.bodies = append(w.records, r), append(w.bodies, body)
	return r
}

// someLog returns a log with a message of the fit, a checkpoint, a tail of so many records and the checkpoint of a model that was never put in place.
func someLog(tail int) *written {
	w := &written{data: AppendHeader(nil, key(), []byte(`{"some":"settings"}`))}
	w.add(Record{Op: 1, Key: 5, Entry: [EntrySize]byte{1, 2, 3}}, Rows{}, []byte("a document"))
	checkpoint := w.add(Record{Op: Checkpoint, Key: model}, Rows{}, []byte("facts"))
	var lists []Record
	var listed []Rows
	for n := uint32(1); int(n) <= tail; n++ {
		own := Rows{First: 100 + 2*(n-1), New: []uint64{uint64(n), uint64(n) << 40}, IDs: []uint32{n, 100 + n}, Rows: fmt.Appendf(nil, "%03d%03d", n, 2*n), Globals: []byte{byte(n)}}
		w.own = append(w.own, own)
		rows, kept := own, len(lists)-bits.TrailingZeros32(n)
		for i := len(lists) - 1; i >= kept; i-- {
			rows = rows.After(listed[i])
		}
		r := Record{Op: 1, Reason: 2, Key: uint64(n), Model: model, Checkpoint: checkpoint.At, Number: n}
		if kept > 0 {
			r.Previous = lists[kept-1].At
		}
		lists, listed = append(lists[:kept], w.add(r, rows, fmt.Appendf(nil, "body %d", n))), append(listed[:kept], rows)
	}
	if tail > 0 {
		w.add(Record{Op: Checkpoint, Key: next, Model: model, Checkpoint: checkpoint.At, Number: uint32(tail), Previous: lists[len(lists)-1].At}, Rows{}, []byte("other facts"))
	}
	return w
}

// readAll reads all that is in a log, and returns its records.
func readAll(data []byte) (all []Record, err error) {
	l, err := Open(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	size := int64(len(data))
	if _, _, err = l.Last(size); err != nil {
		return nil, err
	}
	_, err = l.Each(l.Start, size, func(r Record) error {
		if _, err := rowsOf(l, r); err != nil {
			return err
		}
		all = append(all, r)
		return l.Verify(r)
	})
	if err != nil {
		return all, err
	}
	for _, m := range []uint64{model, next} {
		if _, _, err = l.Tail(m, size); err == nil {
			_, err = listsOf(l, m, size)
		}
		if err != nil && !errors.Is(err, ErrOtherModel) {
			return all, err
		}
	}
	return all, nil
}

// heads returns records without where their parts are and where they end.
func heads(records []Record) (all []Record) {
	for _, r := range records {
		r.rows, r.body, r.End = part{}, part{}, 0
		all = append(all, r)
	}
	return all
}

// rowsOf returns the rows of a record, read one after the other and all at once.
func rowsOf(l *Log, r Record) (Rows, error) {
	lazy, err := l.Rows(r)
	if err != nil {
		return lazy, err
	}
	var found []byte
	rows, err2 := lazy.Load()
	err1 := lazy.Find(make([]byte, 8), rows.IDs, func(_ int, row []byte) { found = append(found, row...) })
	if !errors.Is(err1, err2) && (err1 == nil || err2 == nil) {
		return rows, fmt.Errorf("read one after the other: %v; all at once: %v", err1, err2)
	}
	if err2 == nil && !bytes.Equal(found, rows.Rows) {
		return rows, fmt.Errorf("% x and % x", found, rows.Rows)
	}
	return rows, err2
}

// listsOf returns [Log.Lists] with all that is in them.
func listsOf(l *Log, model uint64, size int64) (lists []Rows, err error) {
	lists, err = l.Lists(model, size)
	for i := 0; i < len(lists) && err == nil; i++ {
		if lists[i], err = lists[i].Load(); err != nil {
			return nil, err
		}
	}
	return lists, err
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	w := someLog(6)
	all, err := readAll(w.data)
	noError(t, err)
	if diff := cmp.Diff(w.records, heads(all), cmp.AllowUnexported(Record{}, part{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	l, err := Open(bytes.NewReader(w.data))
	noError(t, err)
	if !bytes.Equal(l.Key, key()) || string(l.Settings) != `{"some":"settings"}` {
		t.Errorf("key %x, settings %s", l.Key, l.Settings)
	}
	for i, r := range all {
		body, err := l.Body(r)
		if err != nil || !bytes.Equal(body, w.bodies[i]) {
			t.Errorf("record %d has the body %q, %v", i, body, err)
		}
	}
}

func TestTheTailIsThatOfItsModel(t *testing.T) {
	for tail := range 40 {
		w := someLog(tail)
		l, err := Open(bytes.NewReader(w.data))
		noError(t, err)
		size := int64(len(w.data))
		checkpoint, records, err := l.Tail(model, size)
		if err != nil || len(records) != tail || checkpoint.Key != model {
			t.Fatalf("%d of %d records, %v", len(records), tail, err)
		}
		lists, err := listsOf(l, model, size)
		if err != nil || len(lists) != bits.OnesCount(uint(tail)) {
			t.Fatalf("%d lists of %d records, %v", len(lists), tail, err)
		}
		var got, want Rows
		for _, rows := range lists {
			got = rows.After(got)
		}
		for _, own := range w.own {
			want = own.After(want)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Rows{})); tail > 0 && (diff != "" || got.First != 100) {
			t.Errorf("%d records: new terms from %d (-want +got):\n%s", tail, got.First, diff)
		}
		if _, _, err := l.Tail(7, size); !errors.Is(err, ErrOtherModel) {
			t.Errorf("a model that the log does not know: %v", err)
		}
		if lists, err := listsOf(l, next, size); tail > 0 && (len(lists) > 0 || err != nil) {
			t.Errorf("the model of the last checkpoint has %d lists, %v", len(lists), err)
		}
	}
}

func TestARecordAfterACheckpointThatCountsForNothingGoesOn(t *testing.T) {
	w := someLog(3)
	last := w.records[len(w.records)-2]
	w.add(Record{Op: 1, Model: model, Checkpoint: last.Checkpoint, Number: 4}, w.own[0].After(w.own[2].After(w.own[1])), nil)
	l, err := Open(bytes.NewReader(w.data))
	noError(t, err)
	if _, tail, err := l.Tail(model, int64(len(w.data))); len(tail) != 4 || err != nil {
		t.Errorf("%d records, %v", len(tail), err)
	}
	if lists, err := listsOf(l, model, int64(len(w.data))); len(lists) != 1 || err != nil {
		t.Errorf("%d lists, %v", len(lists), err)
	}
	if _, _, err := l.Tail(next, int64(len(w.data))); !errors.Is(err, ErrOtherModel) {
		t.Errorf("the model that was never put in place: %v", err)
	}
}

func TestALogThatIsCutAnywhereHasTheRecordsBeforeTheCut(t *testing.T) {
	w := someLog(3)
	start := int(w.records[0].At)
	for cut := range w.data {
		all, err := readAll(w.data[:cut])
		if cut < start {
			if !errors.Is(err, ErrTruncated) && (cut >= len(Magic) || !errors.Is(err, ErrNotLog)) {
				t.Errorf("cut at %d in the header: %v", cut, err)
			}
			continue
		}
		want := 0
		for i := range w.records {
			if i+1 < len(w.records) && int(w.records[i+1].At) <= cut {
				want = i + 1
			}
		}
		if err != nil || len(all) != want {
			t.Fatalf("cut at %d: %d records, want %d; %v", cut, len(all), want, err)
		}
	}
}

func TestAChangedByteIsFound(t *testing.T) {
	w := someLog(2)
	for at := range w.data {
		for _, bit := range []byte{1, 128} {
			changed := bytes.Clone(w.data)
			changed[at] ^= bit
			_, err := readAll(changed)
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotLog) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrTruncated) {
				t.Errorf("byte %d: %v", at, err)
			}
		}
	}
}

func TestZerosAtTheEndAreNoRecordAndNoDamage(t *testing.T) {
	w := someLog(2)
	for _, zeros := range []int{100, 400, 100_000} {
		all, err := readAll(append(bytes.Clone(w.data), make([]byte, zeros)...))
		if err != nil || len(all) != len(w.records) {
			t.Errorf("%d zeros: %d records, %v", zeros, len(all), err)
		}
	}
	if _, err := readAll(append(append(bytes.Clone(w.data), make([]byte, 70_000)...), 1)); !errors.Is(err, ErrDamaged) {
		t.Errorf("zeros and a byte: %v", err)
	}
}

// A message may bring any bytes, but whoever sends it knows neither the key nor where they will be.
func TestBytesOfAMessageAreNoRecord(t *testing.T) {
	other, w := Log{Key: make([]byte, KeySize)}, someLog(0)
	l, err := Open(bytes.NewReader(w.data))
	noError(t, err)
	at := int64(len(w.data))
	for name, record := range map[string][]byte{
		"under another key":   other.Append(nil, at, Record{Op: 1}, nil, nil),
		"at another place":    l.Append(nil, at+8, Record{Op: 1}, nil, nil),
		"of another log":      w.data[w.records[0].At:w.records[1].At],
		"behind a whole size": binary.LittleEndian.AppendUint64(make([]byte, 392), 400),
	} {
		data := append(bytes.Clone(w.data), record...)
		l, err := Open(bytes.NewReader(data))
		noError(t, err)
		if r, is, err := l.At(at, int64(len(data))); is || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestSizesThatARecordClaimsTakeNoMemory(t *testing.T) {
	for at, size := range map[int]uint32{24: 1 << 31, 32: 1 << 31, 36: 1 << 30, 39: 1 << 31} {
		w := someLog(0)
		head := w.data[w.records[0].At:]
		binary.LittleEndian.PutUint32(head[at:], size)
		l := Log{Key: key()}
		binary.LittleEndian.PutUint64(head, l.sum(head, w.records[0].At))
		allocated := testing.AllocsPerRun(1, func() { readAll(w.data) })
		if _, err := readAll(w.data); allocated > 1000 {
			t.Errorf("size at %d: %v allocations, %v", at, allocated, err)
		}
	}
}

func TestRowsThatAreNoneAreDamage(t *testing.T) {
	good := someLog(1).own[0]
	for name, change := range map[string]func(data []byte) []byte{
		"cut":                   func(data []byte) []byte { return data[:len(data)-1] },
		"no header":             func(data []byte) []byte { return data[:10] },
		"more ids than rows":    func(data []byte) []byte { data[8]++; return data },
		"rows without a size":   func(data []byte) []byte { data[12] = 0; return data },
		"a size that overflows": func(data []byte) []byte { copy(data[8:], bytes.Repeat([]byte{255}, 8)); return data },
	} {
		w := someLog(0)
		l := Log{Key: key()}
		at := int64(len(w.data))
		data := l.Append(w.data, at, Record{Op: 1, Model: model, Number: 1}, change(good.Append(nil)), nil)
		log, err := Open(bytes.NewReader(data))
		noError(t, err)
		r, is, err := log.At(at, int64(len(data)))
		if !is || err != nil {
			t.Fatal(name, err)
		}
		if rows, err := rowsOf(log, r); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %+v, %v", name, rows, err)
		}
	}
}

// FuzzLog reads any bytes behind a good header, and any bytes as a log.
func FuzzLog(f *testing.F) {
	w := someLog(3)
	start := w.records[0].At
	f.Add(w.data[start:])
	f.Add(w.data[start : len(w.data)-5])
	f.Add(w.data)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, log := range [][]byte{data, slices.Concat(w.data[:start], data)} {
			if _, err := readAll(log); err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotLog) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrTruncated) {
				t.Fatal(err)
			}
		}
	})
}
