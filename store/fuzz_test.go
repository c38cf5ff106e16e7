package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"chaff/corpus/corpustest"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/journal"
	"chaff/internal/sections"
)

// learnedStore returns the bytes of a store that has learned, forgotten and refused messages, and what its base and its records have.
func learnedStore(t testing.TB) (base []sections.Section, records [][]byte) {
	t.Helper()
	path := trained(t, "multinomial", corpustest.Mailbox(1, 5, "ham", "spam"))
	s := opened(t, path)
	m := mailOf(t, corpustest.Mailbox(2, 1, "spam"))[0]
	learned(t, s, m)
	if _, err := s.Forget(m.Raw); err != nil {
		t.Fatal(err)
	}
	s.options.OnError, s.options.Sure = true, 50
	if o, err := s.Learn(m); err != nil || o.What != Sure {
		t.Fatalf("got %v, %v, want a message that the filter is sure of", o, err)
	}
	if err := errors.Join(s.Refuse(TooLarge), s.See(7, map[uint64]Sighting{1: {2, 1}}, []uint64{3})); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.journal.Records() {
		_, _, meta, err := r.Rest()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, meta)
	}
	for _, name := range []string{"FACT", "MSGS", "DIGS", "SEEN", "SURE", "SKCH", "HASH", "TEXT", "DOCS", "ENDS"} {
		data, err := s.base.sections.Section(name)
		if err != nil {
			t.Fatal(err)
		}
		base = append(base, sections.Section{Name: name, Data: bytes.Clone(data)})
	}
	return base, records
}

// FuzzReadMeta checks that any bytes are the meta of a record or an error, that what was read is read again after it was written, and that a
// ledger takes it or refuses it.
func FuzzReadMeta(f *testing.F) {
	base, records := learnedStore(f)
	for _, data := range records {
		f.Add(data)
		f.Add(data[:len(data)-1])
	}
	f.Add(bytes.Repeat([]byte{255}, metaHead))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := readMeta(data); err == nil {
			again := appendMeta(nil, m)
			n, err := readMeta(again)
			if err != nil {
				t.Fatalf("written again it is damaged: %v", err)
			}
			if !bytes.Equal(appendMeta(nil, n), again) || !reflect.DeepEqual(n.document, m.document) || !reflect.DeepEqual(n.texts, m.texts) {
				t.Error("written again it is another one")
			}
		}
		b, err := openBase(bytes.NewReader(journal.BaseFormat().Encode(base)))
		if err != nil {
			t.Fatal(err)
		}
		l, err := b.ledger(0)
		if err != nil {
			t.Fatal(err)
		}
		store := journal.Begin(journal.BaseFormat().Encode(nil), 1)
		store = journal.Append(store, journal.Place{Model: 1, Offset: int64(journal.BeginSize)}, journal.Record{Meta: data})
		all, err := journal.Open(bytes.NewReader(store), int64(len(store)), true)
		if err != nil || all.Len() != 1 {
			t.Fatalf("%d records: %v", all.Len(), err)
		}
		before := len(l.entries)
		if err := l.apply(all); err == nil && (len(l.entries) < before-1 || len(l.entries) > before+1) {
			t.Errorf("one record makes %d messages of %d", len(l.entries), before)
		}
	})
}

// FuzzEntry checks that any bytes are an entry that is the same after it was written, except for what is zero in all files.
func FuzzEntry(f *testing.F) {
	base, _ := learnedStore(f)
	f.Add(base[1].Data[:entrySize])
	f.Add(bytes.Repeat([]byte{255}, entrySize))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < entrySize {
			return
		}
		e, extra := readEntry(data)
		zero := uint64(time.Time{}.Unix()) // the one time that is written as none
		if le := binary.LittleEndian; le.Uint64(data[16:]) == zero || le.Uint64(data[24:]) == zero {
			return
		}
		want := slices.Concat(data[:61], []byte{min(data[61], 1), min(data[62], 1)}, data[63:entrySize])
		if again := appendEntry(nil, e, extra); !bytes.Equal(again, want) {
			t.Errorf("read %+v, which is written as\n% x, want\n% x", e, again, want)
		}
		e.Label &= 1<<24 - 1
		tag, fingerprint := tagOf(appendMeta(nil, &meta{change: learn, entry: e}))
		if what, label := splitTag(tag); what != learn || label != e.Label || fingerprint != e.Fingerprint {
			t.Errorf("the tag says change %d of label %d, and the entry has label %d", what, label, e.Label)
		}
	})
}

// FuzzBase checks that a base with any bytes as one of its sections, and the right checksums, is a ledger or an error, and that a ledger that was
// read can be written and read again.
func FuzzBase(f *testing.F) {
	base, _ := learnedStore(f)
	for i, section := range base {
		f.Add(uint8(i), section.Data)
		f.Add(uint8(i), section.Data[:len(section.Data)/2])
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		changed := make([]sections.Section, len(base))
		copy(changed, base)
		changed[int(which)%len(changed)].Data = data
		b, err := openBase(bytes.NewReader(journal.BaseFormat().Encode(changed)))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+digestSize <= len(base[2].Data); i += digestSize {
			b.find(binary.LittleEndian.Uint64(base[2].Data[i:]))
		}
		l, err := b.ledger(0)
		if err != nil {
			known := []error{journal.ErrDamaged, journal.ErrVersion, features.ErrDamaged, errMeta}
			for _, k := range known {
				if errors.Is(err, k) {
					return
				}
			}
			t.Fatalf("the error is %v", err)
		}
		if err := l.documents.Complete(1); err != nil {
			t.Fatal(err)
		}
		var file sections.Memory
		if _, err := l.save(&file, new(filter.Filter)); err != nil {
			t.Fatal(err)
		}
		if b, err = openBase(bytes.NewReader(file)); err != nil {
			t.Fatal(err)
		}
		again, err := b.ledger(0)
		if err != nil {
			t.Fatalf("written again it is damaged: %v", err)
		}
		if len(again.entries) != len(l.entries) {
			t.Errorf("%d messages, then %d", len(l.entries), len(again.entries))
		}
	})
}
