package logfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"runtime"
	"testing"

	"chaff/test/testmain"
)

// reason reports whether an error is one that a reader of a log may return.
func reason(err error) bool {
	return errors.Is(err, ErrDamaged) || errors.Is(err, ErrNotLog) || errors.Is(err, ErrVersion) || errors.Is(err, ErrTruncated)
}

// Each way to read is tried alone: one that finds the damage must not hide another that returns a wrong record.
func TestNoWayToReadAChangedLogReturnsAnythingElse(t *testing.T) {
	w := someLog(5)
	size := int64(len(w.data))
	good, err := Open(bytes.NewReader(w.data))
	noError(t, err)
	var records []Record
	_, err = good.Each(good.Start, size, func(r Record) error {
		records = append(records, r)
		return nil
	})
	noError(t, err)
	last, _, err := good.Last(size)
	noError(t, err)
	type read struct {
		rows Rows
		body []byte
	}
	var parts []read
	for _, r := range records {
		rows, err1 := rowsOf(good, r)
		body, err2 := good.Body(r)
		noError(t, errors.Join(err1, err2))
		parts = append(parts, read{rows, body})
	}
	type tail struct {
		checkpoint Record
		tail       []Record
		lists      []Rows
		isOther    bool
	}
	tails := func(l *Log, of uint64) (all tail, err error) {
		var err1, err2 error
		all.checkpoint, all.tail, err1 = l.Tail(of, size)
		all.lists, err2 = listsOf(l, of, size)
		if all.isOther = errors.Is(err1, ErrOtherModel) && errors.Is(err2, ErrOtherModel); all.isOther {
			return all, nil
		}
		return all, errors.Join(err1, err2)
	}
	for at := range w.data {
		for bit := range 8 {
			if !testmain.IsLong() && bit != at%8 {
				continue
			}
			changed := bytes.Clone(w.data)
			changed[at] ^= 1 << bit
			l, err := Open(bytes.NewReader(changed))
			if int64(at) < good.Start {
				if !reason(err) {
					t.Fatalf("byte %d of the header: %v", at, err)
				}
				continue
			}
			noError(t, err)
			got, is, err := l.Last(size)
			if err == nil && (!is || got != last) || err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d: the last record is %+v, %v, %v", at, got, is, err)
			}
			n := 0
			end, err := l.Each(l.Start, size, func(r Record) error {
				if r != records[n] {
					t.Fatalf("byte %d: record %d is %+v", at, n, r)
				}
				n++
				return nil
			})
			if err == nil && (n != len(records) || end != size) || err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatalf("byte %d: %d records up to %d, %v", at, n, end, err)
			}
			for i, r := range records {
				rows, err := rowsOf(l, r)
				if err == nil && !reflect.DeepEqual(rows, parts[i].rows) || err != nil && !errors.Is(err, ErrDamaged) {
					t.Fatalf("byte %d: the rows of record %d are %+v, %v", at, i, rows, err)
				}
				body, err := l.Body(r)
				if err == nil && !bytes.Equal(body, parts[i].body) || err != nil && !errors.Is(err, ErrDamaged) {
					t.Fatalf("byte %d: the body of record %d is %q, %v", at, i, body, err)
				}
				err = l.Verify(r)
				if within := int64(at) >= r.At+recordSize && int64(at) < r.End; within && !errors.Is(err, ErrDamaged) || !within && err != nil {
					t.Fatalf("byte %d: record %d at %d to %d is verified: %v", at, i, r.At, r.End, err)
				}
			}
			for _, m := range []uint64{model, next, 7} {
				want, err := tails(good, m)
				noError(t, err)
				got, err := tails(l, m)
				if err == nil && !reflect.DeepEqual(got, want) || err != nil && !errors.Is(err, ErrDamaged) {
					t.Fatalf("byte %d: the tail of model %x is %+v, %v", at, m, got, err)
				}
			}
		}
	}
}

// A cut leaves torn bytes only at the end; a whole length whose bytes are others is damage, however it came about.
func TestOnlyWhatReachesBeyondTheEndIsTorn(t *testing.T) {
	w := someLog(2)
	l := Log{Key: key()}
	at := int64(len(w.data))
	record := l.Append(nil, at, Record{Op: 1, Model: model, Number: 1}, Rows{IDs: []uint32{1}, Rows: []byte("row")}.Append(nil), []byte("a body"))
	nonsense := bytes.Repeat([]byte{0xa5}, len(record))
	for name, tt := range map[string]struct {
		more []byte
		want error
	}{
		"nothing":                            {nil, nil},
		"a byte":                             {nonsense[:1], nil},
		"a byte less than a record":          {nonsense[:recordSize+trailerSize-1], nil},
		"as much as a record":                {nonsense[:recordSize+trailerSize], ErrDamaged},
		"the fixed part alone":               {record[:recordSize], nil},
		"all but the last byte":              {record[:len(record)-1], nil},
		"a fixed part with another number":   {flipped(record, 28), ErrDamaged},
		"a fixed part that claims more rows": {flipped(record, 27), ErrDamaged},
		"a fixed part that claims more body": {flipped(record, 38), ErrDamaged},
	} {
		data := append(bytes.Clone(w.data), tt.more...)
		log, err := Open(bytes.NewReader(data))
		noError(t, err)
		last, is, err := log.Last(int64(len(data)))
		if !errors.Is(err, tt.want) || tt.want == nil && (err != nil || !is || last.At != w.records[len(w.records)-1].At) {
			t.Errorf("%s: record at %d, %v, %v", name, last.At, is, err)
		}
		_, tail, err := log.Tail(model, int64(len(data)))
		if !errors.Is(err, tt.want) || tt.want == nil && (err != nil || len(tail) != 2) {
			t.Errorf("%s: %d records, %v", name, len(tail), err)
		}
	}
}

// Half a record may end with bytes that look like the size of all from an older record on: that must not hide the records between.
func TestATornEndThatPointsToAnOlderRecordHidesNothing(t *testing.T) {
	w := someLog(3)
	for _, older := range w.records {
		data := append(bytes.Clone(w.data), make([]byte, 8)...)
		data = binary.LittleEndian.AppendUint64(data, uint64(int64(len(data))+trailerSize-older.At))
		l, err := Open(bytes.NewReader(data))
		noError(t, err)
		last, is, err := l.Last(int64(len(data)))
		if err != nil || !is || last.At != w.records[len(w.records)-1].At {
			t.Errorf("it points to byte %d: the last record is at %d, %v, %v", older.At, last.At, is, err)
		}
	}
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 1
	return data
}

// allocated returns how many bytes a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// The number of allocations says nothing of their size.
func TestSizesThatAreClaimedTakeNoBytes(t *testing.T) {
	const enough = 1 << 20
	for _, at := range []int{27, 36, 38, 39} {
		w := someLog(2)
		i := len(w.records) - 1
		head := w.data[w.records[i].At:]
		head[at] ^= 0x7f
		l := Log{Key: key()}
		binary.LittleEndian.PutUint64(head, l.sum(head, w.records[i].At))
		if n := allocated(func() { readAll(w.data) }); n > enough {
			t.Errorf("a record whose byte %d is changed: %d bytes", at, n)
		}
	}
	for _, size := range []uint32{1 << 16, maxSettings, maxSettings + 1, 1<<32 - 1} {
		data := AppendHeader(nil, key(), []byte("{}"))
		binary.LittleEndian.PutUint32(data[12:], size)
		var err error
		if n := allocated(func() { _, err = Open(bytes.NewReader(data)) }); n > enough || !reason(err) {
			t.Errorf("settings of %d bytes in a file of %d: %d bytes, %v", size, len(data), n, err)
		}
	}
	rows := Rows{New: []uint64{1}, IDs: []uint32{1}, Rows: []byte("row"), Globals: []byte{1}}.Append(nil)
	for at := 4; at < rowsHeader; at += 4 {
		changed := bytes.Clone(rows)
		binary.LittleEndian.PutUint32(changed[at:], 1<<31)
		w := someLog(0)
		l := Log{Key: key()}
		from := int64(len(w.data))
		data := l.Append(w.data, from, Record{Op: 1}, changed, nil)
		log, err := Open(bytes.NewReader(data))
		noError(t, err)
		r, is, err := log.At(from, int64(len(data)))
		if err != nil || !is {
			t.Fatal(is, err)
		}
		if n := allocated(func() { _, err = rowsOf(log, r) }); n > enough || !errors.Is(err, ErrDamaged) {
			t.Errorf("rows that claim 2 GB at %d: %d bytes, %v", at, n, err)
		}
	}
}

// A checkpoint may follow the one of the model at once: a fit whose model is never put in place.
func TestACheckpointRightBehindThatOfTheModelLeavesItKnown(t *testing.T) {
	w := someLog(0)
	checkpoint := w.records[len(w.records)-1]
	w.add(Record{Op: Checkpoint, Key: next, Model: model, Checkpoint: checkpoint.At}, Rows{}, nil)
	l, err := Open(bytes.NewReader(w.data))
	noError(t, err)
	size := int64(len(w.data))
	for _, m := range []uint64{model, next} {
		_, tail, err := l.Tail(m, size)
		lists, err2 := listsOf(l, m, size)
		if !errors.Is(err, err2) || !errors.Is(err2, err) || len(tail) > 0 || len(lists) > 0 {
			t.Errorf("model %x: %d records, %v; %d lists, %v", m, len(tail), err, len(lists), err2)
		}
	}
}

// shrinking is a file that becomes shorter while it is read.
type shrinking struct {
	data []byte
	left int // reads before it does
}

func (s *shrinking) ReadAt(dst []byte, at int64) (int, error) {
	if s.left--; s.left < 0 {
		return 0, io.EOF
	}
	return bytes.NewReader(s.data).ReadAt(dst, at)
}

func TestALogThatBecomesShorterWhileItIsReadIsTruncated(t *testing.T) {
	w := someLog(3)
	size := int64(len(w.data))
	for reads := 1; ; reads++ {
		file := &shrinking{data: w.data, left: reads}
		l, err := Open(file)
		noError(t, err)
		_, _, err = l.Tail(model, size)
		if err == nil && file.left >= 0 {
			break
		}
		if !errors.Is(err, ErrTruncated) {
			t.Fatalf("after %d reads: %v", reads, err)
		}
	}
}
