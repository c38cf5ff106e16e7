package store

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"chaff/internal/logfile"
)

// Sighting is a file of a mailbox when the mailbox was last compared with the log. As long as its label is the same it says nothing
// new, even if its message was forgotten or never learned. Its fields are those of a record in a log, in the same order.
type Sighting struct {
	// Fingerprint is that of the message, or 0 if the log does not have the message, and the file says nothing that may still count.
	Fingerprint uint64
	Label       int32 // of the class that the folder stands for
	State       SightingState
	// Folder is the folder, by [Store.NameHash].
	Folder uint64
	// Since is when the message was first seen read, in seconds, for [ReadOnly] and [LearnedAsRead].
	Since int64
}

// SightingState is what a file says.
type SightingState uint32

// The states, in the order of their numbers in files.
const (
	Said          SightingState = iota // the label
	Unread                             // nothing: nobody has read the message
	ReadOnly                           // not yet: somebody has read it, and done nothing else
	LearnedAsRead                      // the label, since it was read long enough ago
	Filed                              // nothing: the filter put it there
	sightingStates
)

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
func (s *Store) See(mailbox uint64, seen map[uint64]Sighting, gone []uint64) (err error) {
	defer about(&err, "note the files of a mailbox in "+s.path+Suffix)
	return s.append(logfile.Record{Op: uint8(see), Key: mailbox}, logfile.Rows{}, appendSightings(nil, mailbox, seen, gone))
}

// Known returns the messages of the log, in the order in which they were first learned, without documents, and the files of a mailbox, 0 for none, as [Store.See]
// noted them.
func (b *book) Known(mailbox uint64) ([]Entry, map[uint64]Sighting, error) {
	l, err := b.read(nil)
	if err != nil {
		return nil, nil, err
	}
	return l.entries[:l.learned], l.seen[mailbox], nil
}

// Entries returns the messages as [Store.Known] does.
func (s *Store) Entries() ([]Entry, error) {
	entries, _, err := s.Known(0)
	return entries, err
}

// seenFile is a file in a record, behind the mailbox, the number of these, and that of the names of files that are gone, which follow.
type seenFile struct {
	Name uint64
	Sighting
}

// appendSightings appends the body of a record about files.
func appendSightings(dst []byte, mailbox uint64, seen map[uint64]Sighting, gone []uint64) []byte {
	files := make([]seenFile, 0, len(seen))
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		files = append(files, seenFile{name, seen[name]})
	}
	for _, part := range []any{[]uint64{mailbox, uint64(len(seen)), uint64(len(gone))}, files, slices.Sorted(slices.Values(gone))} {
		dst, _ = binary.Append(dst, binary.LittleEndian, part) // no error: all have a size
	}
	return dst
}

// apply does what the body of a record about files says.
func (s sightings) apply(data []byte, classes int) error {
	var head struct{ Mailbox, Seen, Gone uint64 }
	damaged := fmt.Errorf("%w: the files of a mailbox", logfile.ErrDamaged)
	n, err := binary.Decode(data, binary.LittleEndian, &head)
	data = data[n:]
	if size := uint64(len(data)); err != nil || head.Seen > size || head.Gone > size || head.Seen*uint64(binary.Size(seenFile{}))+head.Gone*8 != size {
		return damaged
	}
	files, gone := make([]seenFile, head.Seen), make([]uint64, head.Gone)
	n, _ = binary.Decode(data, binary.LittleEndian, files) // no errors: the sizes are right
	_, _ = binary.Decode(data[n:], binary.LittleEndian, gone)
	seen := make(map[uint64]Sighting, len(files))
	for _, f := range files {
		if uint32(f.Label) >= uint32(classes) || f.State >= sightingStates {
			return damaged
		}
		seen[f.Name] = f.Sighting
	}
	s.note(head.Mailbox, seen, gone)
	return nil
}
