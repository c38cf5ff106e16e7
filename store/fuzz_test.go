package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"chaff/features"
	"chaff/internal/logfile"
	"chaff/test/corpustest"
)

// taughtLog returns the records of a log that has learned and forgotten messages and seen files, and has what earlier programs wrote, and their bodies.
func taughtLog(t testing.TB) (path string, records []logfile.Record, bodies [][]byte) {
	t.Helper()
	path = trained(t, "multinomial", corpustest.Mailbox(1, 5, "ham", "spam"))
	s := opened(t, path)
	m := mailOf(t, corpustest.Mailbox(2, 1, "spam"))[0]
	learned(t, s, m)
	_, err := s.Forget(m.Raw)
	noError(t, err)
	sure := Entry{what: trust}
	sure.Fingerprint, sure.Label = s.Fingerprint(m.Raw), 1
	noError(t, s.append(sure.record(), logfile.Rows{}, nil))
	if o, err := s.Forget(m.Raw); err != nil || o.What != Refused {
		t.Fatalf("got %v, %v, want that a record of an earlier program says nothing", o, err)
	}
	noError(t, errors.Join(s.append(logfile.Record{Op: uint8(refuse), Reason: 1}, logfile.Rows{}, nil), s.See(7, map[uint64]Sighting{1: {Fingerprint: 2, Label: 1}}, []uint64{3})))
	_, err = s.log.Each(s.log.Start, s.end, func(r logfile.Record) error {
		body, err := s.log.Body(r)
		records, bodies = append(records, r), append(bodies, body)
		return err
	})
	noError(t, err)
	return path, records, bodies
}

// FuzzRecord adds a record with any op, entry and body, under correct checksums, to a log: all that reads it takes it or says what is wrong, and a log that
// was read can be written and read again.
func FuzzRecord(f *testing.F) {
	path, records, bodies := taughtLog(f)
	for i, r := range records {
		f.Add(r.Op, r.Key, r.Entry[:], bodies[i])
		f.Add(r.Op, r.Key, r.Entry[:], bodies[i][:len(bodies[i])/2])
	}
	whole := contents(f, path+Suffix)
	f.Fuzz(func(t *testing.T, what uint8, key uint64, entry, body []byte) {
		log, err := logfile.Open(bytes.NewReader(whole))
		noError(t, err)
		last, _, err := log.Last(int64(len(whole)))
		noError(t, err)
		r := logfile.Record{Op: what, Key: key, Model: last.Model, Checkpoint: last.Checkpoint, Number: last.Number + 1, Previous: last.At}
		if what == logfile.Checkpoint {
			r.Number--
		}
		copy(r.Entry[:], entry)
		name := filepath.Join(t.TempDir(), "log")
		noError(t, os.WriteFile(name, log.Append(bytes.Clone(whole), int64(len(whole)), r, nil, body), 0o600))
		file, err := os.Open(name)
		noError(t, err)
		defer file.Close()
		b, err := openBook(file)
		var l *ledger
		if err == nil {
			b.find(key)
			b.read(nil)
			l, err = b.read(features.NewDocuments(0))
		}
		if err != nil {
			if !slices.ContainsFunc([]error{logfile.ErrDamaged, logfile.ErrTruncated, features.ErrDamaged}, func(known error) bool { return errors.Is(err, known) }) {
				t.Fatal(err)
			}
			return
		}
		noError(t, l.documents.Complete(1))
		again, err := os.Create(filepath.Join(t.TempDir(), "again"))
		noError(t, err)
		defer again.Close()
		noError(t, l.save(again, func() (uint64, error) { return 1, nil }))
		b, err = openBook(again)
		noError(t, err)
		m, err := b.read(features.NewDocuments(0))
		if err != nil || len(m.entries) != len(l.entries) || m.digest() != l.digest() {
			t.Errorf("written again it has %d messages of %d: %v", len(m.entries), len(l.entries), err)
		}
	})
}

// FuzzLesson reads any bytes as what another host sends: it is refused, or what was read is the same when it is sent on, whole and cut.
func FuzzLesson(f *testing.F) {
	path := trained(f, "votes", corpustest.Mailbox(1, 5, "ham", "spam"))
	s := opened(f, path)
	mail := mailOf(f, corpustest.Mailbox(2, 2, "spam"))
	for _, m := range mail {
		learned(f, s, m)
	}
	_, err := s.Forget(mail[0].Raw)
	noError(f, err)
	var all []Taught
	noError(f, reading(path, func(b *book) error {
		l, err := b.read(nil)
		if err != nil {
			return err
		}
		return b.eachTaught(l.offsets(Entry.waits), func(_ logfile.Record, t Taught) error {
			all = append(all, t)
			return nil
		})
	}))
	if len(all) != 2 {
		f.Fatalf("%d lessons, want that of a message and that of one forgotten", len(all))
	}
	for _, w := range all {
		f.Add(w.Lesson(1, w.Terms()))
		f.Add(w.Lesson(2, w.Terms()/2))
	}
	f.Add(all[0].Lesson(3, 0)[:lessonHead])
	f.Fuzz(func(t *testing.T, data []byte) {
		if data = bytes.Clone(data); len(data) >= 16 {
			binary.LittleEndian.PutUint64(data[8:], s.check()) // no fuzzer finds the key
		}
		first, err := Lesson{Origin: "a", Time: time.Unix(2000000000, 0), Data: data}.read(&s.names)
		if err != nil {
			return
		}
		first.check = s.check()
		for _, terms := range []int{first.Terms(), first.Terms() / 2} {
			again, err := Lesson{Origin: "a", Time: time.Unix(2000000000, 0), Data: first.Lesson(1, terms)}.read(&s.names)
			want := first.document
			if first.entry.what == learn {
				want.Terms, want.Counts, want.Marks = want.Terms[:terms], want.Counts[:terms], want.Marks[:terms]
			}
			if err != nil || entryBytes(again) != entryBytes(first) || !slices.Equal(again.document.Terms, want.Terms) || !slices.Equal(again.document.Counts, want.Counts) ||
				!slices.Equal(again.document.Marks, want.Marks) || !slices.Equal(again.document.Cells, want.Cells) {
				t.Fatalf("%d terms of %+v: got %+v, %v", terms, first, again, err)
			}
		}
	})
}

// entryBytes returns the entry as it is written: then a score that is no number equals itself.
func entryBytes(t Taught) string { return string(appendEntry(nil, t.entry)) }

// FuzzEntry checks that any bytes are an entry that is the same after it was written, except for what is zero in all files.
func FuzzEntry(f *testing.F) {
	_, records, _ := taughtLog(f)
	for _, r := range records {
		f.Add(r.Entry[:])
	}
	f.Add(bytes.Repeat([]byte{255}, entrySize))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < entrySize {
			return
		}
		e := readEntry(data)
		zero := uint64(time.Time{}.Unix()) // the one time that is written as none
		if le := binary.LittleEndian; le.Uint64(data[16:]) == zero || le.Uint64(data[24:]) == zero {
			return
		}
		want := slices.Concat(data[:61], []byte{data[61] & 3, min(data[62], 1)}, data[63:entrySize])
		if again := appendEntry(nil, e); !bytes.Equal(again, want) {
			t.Errorf("read %+v, which is written as\n% x, want\n% x", e, again, want)
		}
	})
}
