package store

import (
	"context"
	"fmt"
	"slices"

	"chaff/internal/journal"
	"chaff/internal/replace"
)

// append writes a record to the end of the journal and syncs the file. If that fails it takes the record back.
func (s *Store) append(r journal.Record) error {
	if s.failed != nil {
		return s.failed
	}
	r.Tag, r.Key = tagOf(r.Meta)
	data, err := s.write(r)
	if err == nil {
		err = s.file.Sync()
	}
	if err != nil {
		return s.takeBack(err)
	}
	s.journal.Add(data)
	if s.journal.NeedsSummary() {
		err = s.summarise()
	}
	return err
}

// write writes a record behind the last one, and returns its bytes.
func (s *Store) write(r journal.Record) ([]byte, error) {
	data := journal.Append(nil, s.journal.Next(), r)
	_, err := s.file.WriteAt(data, s.end())
	return data, err
}

// takeBack removes a record that could not be written.
func (s *Store) takeBack(err error) error {
	if s.file.Truncate(s.end()) != nil {
		s.failed = fmt.Errorf("a record could neither be written nor taken back: %w", replace.Reason(err))
	}
	return replace.Reason(err)
}

// summarise appends a summary of all records, which spares readers the records before it. The journal does without
// it if there is no room.
func (s *Store) summarise() error {
	r, err := s.journal.Summary(s.filter.Terms())
	if err != nil {
		return nil // readers of all records report it
	}
	data, err := s.write(r)
	if err != nil {
		s.takeBack(err)
		return s.failed
	}
	// Where a later record is on disk and the summary before it is not, the journal is damaged.
	if err := s.file.Sync(); err != nil {
		s.takeBack(err)
		return s.failed
	}
	s.journal.Add(data)
	hint, at := s.journal.Hint()
	_, _ = s.file.WriteAt(hint, at) // readers do without the hint
	return nil
}

// foldIfLarge folds a journal that readers of all of it would read for too long. What is in the journal is learned, whether that succeeds or not:
// see [Store.Unfolded]. After an error the store is unusable.
func (s *Store) foldIfLarge() error {
	if s.journal.Len() < s.limit && s.journal.Size() < maxJournalBytes {
		return nil
	}
	s.unfolded = s.consolidate(context.Background(), nil)
	return s.failed
}

// Unfolded returns why the journal could not be folded into the base when it was due, or nil. It is tried again after the next message.
func (s *Store) Unfolded() error {
	if s.unfolded == nil {
		return nil
	}
	return fmt.Errorf("fold %s: %w", s.path+Suffix, s.unfolded)
}

// find returns the entry of a fingerprint. The newest record of the journal decides, else the base.
func (s *Store) find(fingerprint uint64) (Entry, bool, error) {
	r, ok, err := s.newest(fingerprint)
	if err != nil {
		return Entry{}, false, err
	}
	if !ok {
		_, e, known, err := s.base.find(fingerprint)
		if err == nil && !e.fits(len(s.Classes())) {
			err = s.base.damaged("MSGS")
		}
		return e, known, err
	}
	e, err := entryOf(s.journal, r, len(s.Classes()))
	what, _ := splitTag(r.Tag)
	return e, what == learn, err
}

// trusted returns the entry of a message that was not learned because the filter was sure of it.
func (s *Store) trusted(fingerprint uint64) (Entry, bool, error) {
	records, err := s.journal.Entries()
	if err != nil {
		return Entry{}, false, err
	}
	for _, r := range slices.Backward(records) {
		if what, _ := splitTag(r.Tag); r.Key == fingerprint && what == trust {
			e, err := entryOf(s.journal, r, len(s.Classes()))
			return e, err == nil, err
		} else if r.Key == fingerprint && (what == learn || what == forget) {
			return Entry{}, false, nil
		}
	}
	all, _, err := s.base.entries("SURE", len(s.Classes()))
	i := slices.IndexFunc(all, func(e Entry) bool { return e.Fingerprint == fingerprint })
	if i < 0 {
		return Entry{}, false, err
	}
	return all[i], true, err
}

// newest returns the newest record of a fingerprint, and reports whether the journal has one.
func (s *Store) newest(fingerprint uint64) (journal.Entry, bool, error) {
	records, err := s.journal.Entries()
	for _, r := range slices.Backward(records) {
		if what, _ := splitTag(r.Tag); r.Key == fingerprint && (what == learn || what == forget) {
			return r, true, nil
		}
	}
	return journal.Entry{}, false, err
}

// metaOf returns the meta of a record of a journal, which is of a message.
func metaOf(j *journal.Journal, r journal.Entry) ([]byte, error) {
	record, err := j.Record(r)
	if err != nil {
		return nil, err
	}
	_, _, meta, err := record.Rest()
	if err == nil && len(meta) < metaHead {
		err = errMeta
	}
	return meta, err
}

// entryOf returns the entry in a record of a journal, which is of a message.
func entryOf(j *journal.Journal, r journal.Entry, classes int) (Entry, error) {
	meta, err := metaOf(j, r)
	if err != nil {
		return Entry{}, err
	}
	e, _ := readEntry(meta[8:])
	if !e.fits(classes) {
		return Entry{}, errMeta
	}
	return e, nil
}
