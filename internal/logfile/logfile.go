// Package logfile reads and writes the log of a model: a header with the settings of the model, and a record for each thing that its user has taught.
// docs/inside/formats.md describes it byte by byte.
package logfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/hint"
)

// Reasons why a file cannot be used as a log.
var (
	// ErrNotLog is returned for a file of another kind.
	ErrNotLog = errors.New("not a chaff log")
	// ErrTruncated is returned for a log whose header has no end, or that became shorter while it was read.
	ErrTruncated = hint.With(errors.New("log is truncated"), Anew)
	// ErrDamaged is returned for a log whose bytes have changed since they were written.
	ErrDamaged = hint.With(errors.New("log is damaged"), Anew)
	// ErrVersion is returned for a log of a later version of the program.
	ErrVersion = hint.With(errors.New("log is of a later version"), "install the version of chaff that wrote it, or a later one")
	// ErrOtherModel is returned for the log of another model, or of a later one.
	ErrOtherModel = errors.New("the log belongs to another model")
)

// Anew is a hint at what to do about a log that is lost.
const Anew = "chaff restore --replace makes the model anew from a backup, chaff train --replace from your mail"

const (
	// Magic begins a log.
	Magic   = "\x89CHLOG\r\n"
	version = 1
	// KeySize is the size of the key of a log in bytes.
	KeySize    = 16
	headerSize = len(Magic) + 8 + KeySize // before the settings
	// maxSettings is more than the settings of any model take.
	maxSettings = 1 << 24
)

// AppendHeader appends the header of a log.
func AppendHeader(dst, key, settings []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(append(dst, Magic...), version)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(settings)))
	dst = pad(append(append(dst, key...), settings...), start)
	return binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(dst[start:]))
}

// Log is an open log, or one with a key only, for [Log.Append].
type Log struct {
	Key, Settings []byte
	// Start is the offset of the first record.
	Start int64
	file  io.ReaderAt
}

// Open reads the header of a log.
func Open(file io.ReaderAt) (*Log, error) {
	head := make([]byte, 4<<10)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch head = head[:n]; {
	case string(head[:min(n, len(Magic))]) != Magic[:min(n, len(Magic))]:
		return nil, ErrNotLog
	case n < headerSize:
		return nil, ErrTruncated
	}
	le := binary.LittleEndian
	if v := le.Uint32(head[8:]); v != version {
		return nil, fmt.Errorf("%w: its format is %d, this program reads up to %d", ErrVersion, v, version)
	}
	settings := le.Uint32(head[12:])
	if settings > maxSettings {
		return nil, fmt.Errorf("%w: header", ErrDamaged)
	}
	end := align(headerSize + int(settings))
	if more := end + 8 - len(head); more > 0 {
		if err := readInto(file, make([]byte, 8), int64(end)); err != nil { // a size that is claimed takes no memory
			return nil, err
		}
		head = append(head, make([]byte, more)...)
		if err := readInto(file, head[n:], int64(n)); err != nil {
			return nil, err
		}
	}
	if le.Uint64(head[end:]) != xxhash.Sum64(head[:end]) {
		return nil, fmt.Errorf("%w: header", ErrDamaged)
	}
	return &Log{Key: head[headerSize-KeySize : headerSize], Settings: head[headerSize:][:settings], Start: int64(end + 8), file: file}, nil
}

// EntrySize is the size of the entry of a record in bytes.
const EntrySize = 72

// Record is a record without its rows and its body.
type Record struct {
	// Op is what it says, for the caller, as are Reason, Key and Entry. The Key of a [Checkpoint] is the identity of a model.
	Op, Reason uint8
	Key        uint64
	Entry      [EntrySize]byte
	// Model is the identity of the model whose tail the record is in, Checkpoint the offset of the checkpoint of that model, and Number its place in
	// the tail, from 1; 0 for a record that was learned before there was a checkpoint. Another [Checkpoint] in a tail has the number of the record before.
	Model      uint64
	Checkpoint int64
	Number     uint32
	// Previous is the offset of the record whose rows are those before, see [Log.Lists]; 0 for none.
	Previous int64

	At, End    int64 // where it is in the file
	rows, body part
}

// Checkpoint is the Op of a record that says what the model with the identity Key has learned: all that is before it.
const Checkpoint = 255

// part is a part of a record in the file.
type part struct {
	at, size int64
	end      int64  // with its padding
	sum      uint64 // of all that
}

const (
	recordSize  = 152 // of the fixed part
	trailerSize = 8
)

// sum returns the checksum of the fixed part of a record at an offset. It depends on the key, so that no bytes within a record are another one: a message
// could bring bytes that are a whole record.
func (l *Log) sum(head []byte, at int64) uint64 {
	return xxhash.Sum64(head[8:recordSize]) ^ (xxhash.Sum64(l.Key) + uint64(at))
}

// Append appends a record that will be at the offset at of the file.
func (l *Log) Append(dst []byte, at int64, r Record, rows, body []byte) []byte {
	le, start := binary.LittleEndian, len(dst)
	dst = append(dst, make([]byte, recordSize)...)
	dst = pad(append(dst, rows...), start)
	end := len(dst)
	dst = pad(append(dst, body...), start)
	head := dst[start:]
	le.PutUint64(head[8:], xxhash.Sum64(dst[start+recordSize:end]))
	le.PutUint64(head[16:], xxhash.Sum64(dst[end:]))
	le.PutUint32(head[24:], uint32(len(rows)))
	le.PutUint32(head[28:], r.Number)
	le.PutUint64(head[32:], uint64(len(body)))
	le.PutUint64(head[40:], r.Model)
	le.PutUint64(head[48:], uint64(r.Checkpoint))
	le.PutUint64(head[56:], uint64(r.Previous))
	le.PutUint64(head[64:], r.Key)
	head[72], head[73] = r.Op, r.Reason
	copy(head[80:], r.Entry[:])
	le.PutUint64(head, l.sum(head, at))
	return le.AppendUint64(dst, uint64(len(dst)-start+trailerSize))
}

// At returns the record at an offset of a log of so many bytes, and reports whether there is one: a crash may leave the beginning of a record at
// the end. What is no record is damage.
func (l *Log) At(at, size int64) (r Record, is bool, err error) {
	if at < l.Start || size-at < recordSize+trailerSize {
		return r, false, nil
	}
	var head [recordSize]byte
	if err := readInto(l.file, head[:], at); err != nil {
		return r, false, err
	}
	le := binary.LittleEndian
	if le.Uint64(head[:]) != l.sum(head[:], at) {
		zeros, err := l.isZero(at, size)
		if err == nil && !zeros {
			err = fmt.Errorf("%w: at byte %d", ErrDamaged, at)
		}
		return r, false, err
	}
	r = Record{Op: head[72], Reason: head[73], Key: le.Uint64(head[64:]), At: at}
	r.Model, r.Checkpoint, r.Previous, r.Number = le.Uint64(head[40:]), int64(le.Uint64(head[48:])), int64(le.Uint64(head[56:])), le.Uint32(head[28:])
	copy(r.Entry[:], head[80:])
	r.rows = part{at: at + recordSize, size: int64(le.Uint32(head[24:])), sum: le.Uint64(head[8:])}
	r.rows.end = r.rows.at + align(r.rows.size)
	r.body = part{at: r.rows.end, size: int64(le.Uint64(head[32:])), sum: le.Uint64(head[16:])}
	r.body.end = r.body.at + align(r.body.size)
	if r.End = r.body.end + trailerSize; r.body.size < 0 || r.body.size > size || r.End > size {
		return Record{}, false, nil
	}
	return r, true, nil
}

// isZero reports whether all bytes from an offset on are zero: some file systems leave zeros for what was written before the power failed.
func (l *Log) isZero(at, size int64) (bool, error) {
	rest := bufio.NewReader(io.NewSectionReader(l.file, at, size-at))
	for {
		b, err := rest.ReadByte()
		if err == io.EOF {
			return true, nil
		}
		if err != nil || b != 0 {
			return false, err
		}
	}
}

// Each yields the records from an offset on, of a log of so many bytes. It returns where the last one ends.
func (l *Log) Each(from, size int64, yield func(Record) error) (end int64, err error) {
	for end = from; ; {
		r, is, err := l.At(end, size)
		if err != nil || !is {
			return end, err
		}
		if err := yield(r); err != nil {
			return end, err
		}
		end = r.End
	}
}

// Last returns the last record of a log of so many bytes, and reports whether there is one. It reads no more than that, unless a crash left half a
// record behind it.
func (l *Log) Last(size int64) (last Record, is bool, err error) {
	var trailer [trailerSize]byte
	if size-trailerSize >= l.Start {
		if err := readInto(l.file, trailer[:], size-trailerSize); err != nil {
			return last, false, err
		}
		if r, is, _ := l.At(size-int64(binary.LittleEndian.Uint64(trailer[:])), size); is && r.End == size {
			return r, true, nil
		}
	}
	_, err = l.Each(l.Start, size, func(r Record) error {
		last, is = r, true
		return nil
	})
	return last, is, err
}

// newest returns the last record of a log, if it is the checkpoint of the model with an identity or in its tail. Otherwise the error is [ErrOtherModel].
func (l *Log) newest(model uint64, size int64) (r Record, err error) {
	r, is, err := l.Last(size)
	if err == nil && !(is && (r.Op == Checkpoint && r.Key == model || r.Model == model && (r.Op == Checkpoint || r.Number > 0))) {
		err = ErrOtherModel
	}
	return r, err
}

// Tail returns the records that were written since the model with an identity was: those that a reader applies to it. checkpoint is that of the
// model. The error is [ErrOtherModel] for a log that does not know the model, or a later one only.
func (l *Log) Tail(model uint64, size int64) (checkpoint Record, tail []Record, err error) {
	last, err := l.newest(model, size)
	if err != nil || last.Op == Checkpoint && last.Key == model {
		return last, nil, err
	}
	if checkpoint, _, err = l.At(last.Checkpoint, size); err != nil {
		return checkpoint, nil, err
	}
	_, err = l.Each(checkpoint.End, last.End, func(r Record) error {
		if r.Op != Checkpoint {
			tail = append(tail, r)
		}
		if r.Model != model || int(r.Number) != len(tail) {
			return fmt.Errorf("%w: at byte %d", ErrDamaged, r.At)
		}
		return nil
	})
	return checkpoint, tail, err
}

// Lists returns what was learned since the model with an identity was written, from the oldest to the newest. Record n has the rows of as many records as the
// lowest bit of n says, itself the last of them, so there are few lists. The error is that of [Log.Tail] for a log that does not know the model.
func (l *Log) Lists(model uint64, size int64) (lists []Rows, err error) {
	r, err := l.newest(model, size)
	if err != nil || r.Op == Checkpoint && r.Key == model {
		return nil, err
	}
	for n := r.Number; n > 0; n &= n - 1 {
		if r.Op == Checkpoint || len(lists) > 0 {
			if r, _, err = l.At(r.Previous, size); err != nil {
				return nil, err
			}
		}
		rows, err := l.Rows(r)
		if err != nil {
			return nil, err
		}
		lists = append(lists, rows)
	}
	slices.Reverse(lists)
	return lists, nil
}

// Body returns the body of a record, verified.
func (l *Log) Body(r Record) ([]byte, error) { return l.read(r.body) }

// read returns a part of a record, verified.
func (l *Log) read(p part) ([]byte, error) {
	data := make([]byte, p.end-p.at)
	if err := readInto(l.file, data, p.at); err != nil {
		return nil, err
	}
	if xxhash.Sum64(data) != p.sum {
		return nil, fmt.Errorf("%w: at byte %d", ErrDamaged, p.at)
	}
	return data[:p.size:p.size], nil
}

// Kept returns the size of a record without what is there for readers of a model only: its rows, or all of a [Checkpoint].
func (r Record) Kept() int64 {
	if r.Op == Checkpoint {
		return 0
	}
	return r.End - r.At - (r.rows.end - r.rows.at)
}

// BodySize returns the size of the body of a record.
func (r Record) BodySize() int64 { return r.body.size }

// BodyPart returns n bytes of the body of a record from an offset on, which are not verified.
func (l *Log) BodyPart(r Record, from, n int64) ([]byte, error) {
	if from+n > r.body.size {
		return nil, fmt.Errorf("%w: at byte %d", ErrDamaged, r.body.at)
	}
	data := make([]byte, n)
	return data, readInto(l.file, data, r.body.at+from)
}

// Verify reads all of a record.
func (l *Log) Verify(r Record) error {
	for _, p := range []part{r.rows, r.body} {
		if _, err := l.read(p); err != nil {
			return err
		}
	}
	var trailer [trailerSize]byte
	err := readInto(l.file, trailer[:], r.body.end)
	if err == nil && int64(binary.LittleEndian.Uint64(trailer[:])) != r.End-r.At {
		err = fmt.Errorf("%w: at byte %d", ErrDamaged, r.body.end)
	}
	return err
}

// readInto reads a part of a file. The error is [ErrTruncated] if the file ends before.
func readInto(file io.ReaderAt, dst []byte, at int64) error {
	n, err := file.ReadAt(dst, at)
	switch {
	case n == len(dst):
		return nil
	case err == io.EOF:
		return ErrTruncated
	}
	return err
}

func pad(dst []byte, start int) []byte {
	n := len(dst) - start
	return append(dst, make([]byte, align(n)-n)...)
}

func align[T int | int64](n T) T { return (n + 7) &^ 7 }
