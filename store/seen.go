package store

import (
	"encoding/binary"
	"maps"
	"slices"

	"chaff/internal/journal"
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
	if err := s.append(journal.Record{Meta: appendSightings(nil, mailbox, seen, gone)}); err != nil {
		return err
	}
	return s.foldIfLarge()
}

// Sightings returns the files of a mailbox as [Store.See] noted them.
func (s *Store) Sightings(mailbox uint64) (map[uint64]Sighting, error) {
	all, err := s.base.sightings(len(s.Classes()))
	if err != nil {
		return nil, err
	}
	records, err := s.journal.Entries()
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if what, _ := splitTag(r.Tag); what != see {
			continue
		}
		record, err := s.journal.Record(r)
		if err != nil {
			return nil, err
		}
		_, _, data, err := record.Rest()
		if err == nil {
			err = all.apply(data, len(s.Classes()))
		}
		if err != nil {
			return nil, err
		}
	}
	return all[mailbox], nil
}

// Sightings is that of the store.
func (v *View) Sightings(mailbox uint64) (map[uint64]Sighting, error) {
	return v.ledger.seen[mailbox], nil
}

// The size of a file in appendSightings.
const sightingSize = 24

// appendSightings appends the meta of a record about files:
//
//	u8 change, 7 zero bytes, u64 mailbox, u64 files seen, u64 files gone,
//	u64 name, u64 fingerprint, i64 label of each file seen, u64 name of each file gone, by ascending names
func appendSightings(dst []byte, mailbox uint64, seen map[uint64]Sighting, gone []uint64) []byte {
	le := binary.LittleEndian
	dst = append(dst, byte(see), 0, 0, 0, 0, 0, 0, 0)
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

// apply does what the meta of a record about files says.
func (s sightings) apply(data []byte, classes int) error {
	const head = 4 * 8
	if len(data) < head {
		return errMeta
	}
	le := binary.LittleEndian
	mailbox, n, m := le.Uint64(data[8:]), le.Uint64(data[16:]), le.Uint64(data[24:])
	data = data[head:]
	if size := uint64(len(data)); n > size/sightingSize || m > size/8 || n*sightingSize+m*8 != size {
		return errMeta
	}
	seen := make(map[uint64]Sighting, n)
	for ; n > 0; n-- {
		label := int64(le.Uint64(data[16:]))
		if label < 0 || label >= int64(classes) {
			return errMeta
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

// encode returns section SEEN: for each mailbox u64 size and a meta of appendSightings. A message that the ledger does not have leaves no
// fingerprint.
func (s sightings) encode(knows func(fingerprint uint64) bool) []byte {
	var dst []byte
	for _, mailbox := range slices.Sorted(maps.Keys(s)) {
		files := maps.Clone(s[mailbox])
		for name, f := range files {
			if !knows(f.Fingerprint) {
				files[name] = Sighting{Label: f.Label}
			}
		}
		meta := appendSightings(nil, mailbox, files, nil)
		dst = append(binary.LittleEndian.AppendUint64(dst, uint64(len(meta))), meta...)
	}
	return dst
}

// sightings reads section SEEN.
func (b *base) sightings(classes int) (sightings, error) {
	all := sightings{}
	data, err := b.sections.Section("SEEN")
	if err != nil {
		return nil, err
	}
	for len(data) > 0 {
		if len(data) < 8 {
			return nil, b.damaged("SEEN")
		}
		size := binary.LittleEndian.Uint64(data)
		data = data[8:]
		if size > uint64(len(data)) || all.apply(data[:size], classes) != nil {
			return nil, b.damaged("SEEN")
		}
		data = data[size:]
	}
	return all, nil
}
