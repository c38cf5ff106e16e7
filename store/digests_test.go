package store

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"chaff/internal/journal"
	"chaff/internal/sections"
)

func TestEachFingerprintOfAStoreIsFound(t *testing.T) {
	for _, n := range []int{0, 1, digestBlock - 1, digestBlock, digestBlock + 1, 10*digestBlock + 5} {
		entries := make([]Entry, n)
		for i := range entries {
			entries[i].Fingerprint = uint64(10 * (n - i))
		}
		data := digestsOf(t, entries)
		opened := func(data []byte) *base {
			b, err := openBase(bytes.NewReader(journal.BaseFormat().Encode([]sections.Section{{Name: "DIGS", Data: data}})))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		b := opened(data)
		for i, e := range entries {
			if at, known, err := b.indexOf(e.Fingerprint); at != i || !known || err != nil {
				t.Errorf("%d of %d is %d, %t, %v", i, n, at, known, err)
			}
		}
		for _, f := range []uint64{0, 5, uint64(5*n/10*10 + 5), uint64(10*n + 1), 1 << 63} {
			if _, known, err := b.indexOf(f); known || err != nil {
				t.Errorf("%d of %d: %t, %v", f, n, known, err)
			}
		}
		for at := 0; at < len(data); at += max(1, len(data)/50) {
			changed := slices.Clone(data)
			changed[at] ^= 1
			b, found := opened(changed), 0
			for _, e := range entries {
				if _, _, err := b.indexOf(e.Fingerprint); errors.Is(err, journal.ErrDamaged) {
					found++
				}
			}
			if found == 0 {
				t.Errorf("no look-up notices byte %d of %d", at, len(data))
			}
		}
	}
}

// digestsOf returns section DIGS of messages.
func digestsOf(t *testing.T, entries []Entry) []byte {
	t.Helper()
	var file sections.Memory
	w := journal.BaseFormat().NewWriter(&file, 1)
	w.Begin("DIGS")
	(&ledger{entries: entries}).saveDigests(w)
	if _, _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := journal.BaseFormat().Open(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	data, err := r.Section("DIGS")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// openBase opens the base of a store.
func openBase(file io.ReaderAt) (*base, error) {
	s, err := journal.BaseFormat().Open(file)
	if err != nil {
		return nil, err
	}
	return baseOf(s), nil
}
