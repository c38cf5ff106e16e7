package store

import (
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"

	"chaff/internal/logfile"
)

// Sighting is a file of a mailbox when the mailbox was last compared with the store. As long as its label is the same it says nothing
// new, even if its message was forgotten or never learned, since the filter was sure of it.
type Sighting struct {
	// Fingerprint is that of the message, or 0 if the store does not have the message.
	Fingerprint uint64
	Label       int // of the class that the folder stands for
}

// sightings are the files of each mailbox, both by [Store.NameHash].
type sightings map[uint64]map[uint64]Sighting

// note adds files to a mailbox and removes others.
func (s sightings) note(mailbox uint64, seen map[uint64]Sighting, gone []uint64) {
	if s[mailbox] == nil {
		s[mailbox] = make(map[uint64]Sighting, len(seen))
	}
	for _, name := range gone {
		delete(s[mailbox], name)
	}
	maps.Copy(s[mailbox], seen)
}

// See notes the files of a mailbox that need not be read again, and those that are gone. Mailbox and files are named by NameHash.
func (s *Store) See(mailbox uint64, seen map[uint64]Sighting, gone []uint64) error {
	return s.append(logfile.Record{Op: uint8(see), Key: mailbox}, logfile.Rows{}, appendSightings(nil, mailbox, seen, gone))
}

// Sightings returns the files of a mailbox as [Store.See] noted them.
func (b *book) Sightings(mailbox uint64) (map[uint64]Sighting, error) {
	all := sightings{}
	err := b.each(func(r logfile.Record) error {
		if op(r.Op) != see || r.Key != mailbox {
			return nil
		}
		data, err := b.log.Body(r)
		if err != nil {
			return err
		}
		return all.apply(data, len(b.Classes))
	})
	return all[mailbox], err
}

// errSightings is returned for a record about files that is none.
var errSightings = fmt.Errorf("%w: the files of a mailbox", logfile.ErrDamaged)

// The size of a file in appendSightings.
const sightingSize = 24

// appendSightings appends the body of a record about files:
//
//	u64 mailbox, u64 files seen, u64 files gone,
//	u64 name, u64 fingerprint, i64 label of each file seen, u64 name of each file gone, by ascending names
func appendSightings(dst []byte, mailbox uint64, seen map[uint64]Sighting, gone []uint64) []byte {
	le := binary.LittleEndian
	for _, number := range []uint64{mailbox, uint64(len(seen)), uint64(len(gone))} {
		dst = le.AppendUint64(dst, number)
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		dst = le.AppendUint64(dst, name)
		dst = le.AppendUint64(dst, seen[name].Fingerprint)
		dst = le.AppendUint64(dst, uint64(int64(seen[name].Label)))
	}
	for _, name := range slices.Sorted(slices.Values(gone)) {
		dst = le.AppendUint64(dst, name)
	}
	return dst
}

// apply does what the body of a record about files says.
func (s sightings) apply(data []byte, classes int) error {
	const head = 3 * 8
	if len(data) < head {
		return errSightings
	}
	le := binary.LittleEndian
	mailbox, n, m := le.Uint64(data), le.Uint64(data[8:]), le.Uint64(data[16:])
	data = data[head:]
	if size := uint64(len(data)); n > size/sightingSize || m > size/8 || n*sightingSize+m*8 != size {
		return errSightings
	}
	seen := make(map[uint64]Sighting, n)
	for ; n > 0; n-- {
		label := int64(le.Uint64(data[16:]))
		if label < 0 || label >= int64(classes) {
			return errSightings
		}
		seen[le.Uint64(data)] = Sighting{le.Uint64(data[8:]), int(label)}
		data = data[sightingSize:]
	}
	var gone []uint64
	for ; len(data) > 0; data = data[8:] {
		gone = append(gone, le.Uint64(data))
	}
	s.note(mailbox, seen, gone)
	return nil
}

// records yields a record for each mailbox. A message that the ledger does not have leaves no fingerprint.
func (s sightings) records(knows func(fingerprint uint64) bool) iter.Seq2[logfile.Record, []byte] {
	return func(yield func(logfile.Record, []byte) bool) {
		for _, mailbox := range slices.Sorted(maps.Keys(s)) {
			files := maps.Clone(s[mailbox])
			for name, f := range files {
				if !knows(f.Fingerprint) {
					files[name] = Sighting{Label: f.Label}
				}
			}
			if !yield(logfile.Record{Op: uint8(see), Key: mailbox}, appendSightings(nil, mailbox, files, nil)) {
				return
			}
		}
	}
}
