package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"chaff/features"
	"chaff/internal/logfile"
	"chaff/internal/replace"
)

// Applied is what became of lessons.
type Applied struct {
	Learned int            // of other hosts, or forgotten
	Twice   int            // that came before
	Refused map[string]int // by reason
	Last    time.Time      // when the last one got its place
}

// Batch is what the stream of hosts has between two positions.
type Batch struct {
	// Host is the name of this host, by which it knows its own lessons.
	Host string
	// Stream is when the stream was made, see [Stand].
	Stream   int64
	From, To uint64
	Lessons  []Lesson
}

// ErrMoved is returned for a batch that does not begin where the log has followed the stream to.
var ErrMoved = errors.New("the log has another position in the stream")

// follower is a log that follows the stream of hosts.
type follower struct{ *Store }

// Follow learns a batch into a log. It is on disk when Follow returns, and with it the position.
func Follow(log *Store, b Batch) (a Applied, err error) {
	s := follower{log}
	defer about(&err, "learn into "+s.path+Suffix)
	a.Refused = map[string]int{}
	at := s.facts.Shared
	if at.Stream != b.Stream {
		at = Stand{}
	}
	if at.Position != b.From {
		return a, ErrMoved
	}
	numbers := map[string]uint64{} // of the last lesson of each origin in the batch
	err = s.together(func() error {
		for _, l := range b.Lessons {
			a.Last = l.Time
			number, last := l.NumberOf(s.check()), max(at.Numbers[l.Origin], numbers[l.Origin])
			if number > last {
				numbers[l.Origin] = number
			}
			switch t, err := l.read(&s.names); {
			case err != nil:
				a.Refused[err.Error()]++
			case number <= last:
				a.Twice++
			default:
				own := l.Origin == b.Host
				if err := s.apply(t, own, l.Late); err != nil {
					return err
				}
				a.Learned += int(flag(!own))
			}
		}
		if len(numbers) == 0 && (at.Position != b.To || at.Stream != b.Stream) {
			numbers[""] = 0
		}
		for origin, number := range numbers {
			if err := s.append(standRecord(b.Stream, b.To, origin, number), logfile.Rows{}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	return a, err
}

// together does what appends records, and syncs the file once.
func (s follower) together(do func() error) error {
	s.unsynced = true
	err := do()
	s.unsynced = false
	return cmp.Or(err, replace.Reason(s.file.Sync()))
}

// apply learns a lesson. One of this host that waits gets its place.
func (s follower) apply(t Taught, own, late bool) error {
	before, err := s.find(t.entry.Fingerprint)
	if err != nil {
		return err
	}
	t.entry.at = before.at
	switch waits := before.waits(); {
	case waits && own && before.isSame(t):
		if !t.isCut { // else all hosts learn the same terms
			return s.place(t.entry)
		}
	case waits && (before.Confirmed || !t.entry.Confirmed):
		return nil // what waits comes later
	case before.Confirmed && !t.entry.Confirmed, before.record() == t.entry.record():
		return nil // or it came before a crash
	case late && before.Shared && before.Origin != t.entry.Origin && !before.Learned.Before(t.entry.Learned) && before.Confirmed == t.entry.Confirmed:
		return nil
	}
	return s.enter(t, before)
}

// isSame reports whether an entry that waits is that of a lesson. The same may have been taught twice, and something else between.
func (e Entry) isSame(t Taught) bool {
	lesson := t.entry
	lesson.Learned, lesson.Origin, lesson.Shared, lesson.Doubt = t.taught, e.Origin, e.Shared, e.Doubt
	return e.what == lesson.what && bytes.Equal(appendEntry(nil, e), appendEntry(nil, lesson))
}

// place gives an entry, whose record is in the log, its place in the stream.
func (s follower) place(e Entry) error {
	r := e.record()
	r.Reason = again
	if e.what == forget {
		return s.append(r, logfile.Rows{}, nil)
	}
	return s.append(r, logfile.Rows{}, binary.LittleEndian.AppendUint64(nil, uint64(e.at)))
}

// FitShared fits a model to what the log of the model at path has of the stream, and of the training before, and saves both at out. What waits is left out, as
// are the files of mailboxes. It locks nothing, so that the host goes on.
func FitShared(ctx context.Context, path, out string, o Options, r RetrainOptions) (at Stand, err error) {
	defer about(&err, "fit the model to "+path+Suffix)
	b, err := openToRead(path)
	if err != nil {
		return at, err
	}
	defer b.file.Close()
	l, err := b.readSome(features.NewDocuments(r.Memory), nil, func(e Entry) bool { return !e.waits() })
	if err != nil {
		return at, err
	}
	if !l.facts.follows() {
		return at, errors.New("it has not followed a stream yet")
	}
	l.seen, l.facts.Options = sightings{}, o
	l.expire(o, time.Now())
	f, _, err := l.fit(ctx, r, time.Now())
	if err != nil {
		return at, err
	}
	at = l.facts.Shared
	at.Fit = at.Position
	l.facts.Shared = at
	return at, save(ctx, out, f, l, true, nil)
}

// Reasons why a model cannot be that of other hosts.
var (
	// ErrOtherMail is returned for a model that was trained on other mail than that of the host that fits.
	ErrOtherMail = errors.New("the model was trained on other mail")
	// ErrDiffers is returned for a model with another key, or other settings.
	ErrDiffers = errors.New("the model here and the shared one differ")
)

// Adopt puts the model at from, which [FitShared] has made on some host, and its log in the place of those at path. What waits here stays, as do the files of
// mailboxes. The log must have followed the stream to the position of the fit, so that nothing waits that the fit has; unless
// the stream does not reach back. What it has behind that position is to be applied again. host is the name of this host.
func Adopt(ctx context.Context, path, from, host string) (err error) {
	defer about(&err, "take over the fitted model as "+path)
	if path, err = replace.Target(path); err != nil {
		return err
	}
	s, err := OpenAsBefore(ctx, from)
	if err != nil {
		return err
	}
	defer s.Close()
	if s.remade != nil {
		return s.remade
	}
	old, err := lockFile(ctx, path, Suffix, lockWait)
	if err == nil {
		defer old.Close()
		err = follower{s}.carry(old, host)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, suffix := range []string{Suffix, ""} { // the log first, see commit
		if info, err := os.Stat(path + suffix); err == nil {
			if err := os.Chmod(from+suffix, info.Mode().Perm()); err != nil {
				return replace.Reason(err)
			}
		}
		if err := replace.Rename(from+suffix, path+suffix); err != nil {
			return replace.Reason(err)
		}
		if err := syncFolder(path); err != nil {
			return err
		}
	}
	return nil
}

// carry appends what another log, which it replaces, says of this host only. host is its name.
func (s follower) carry(old *os.File, host string) error {
	b, err := openBook(old)
	if err != nil {
		return err
	}
	l, err := b.read(nil)
	if err != nil {
		return err
	}
	mine, err := s.read(nil)
	if err != nil {
		return err
	}
	if differs := l.difference(mine.recipe); differs != "" {
		return fmt.Errorf("%w: %s", ErrDiffers, differs)
	}
	trained, missing := 0, 0
	for _, e := range l.entries {
		if e.what == learn && !e.Shared && !e.waits() {
			trained++
			missing += int(flag(!mine.knows(e.Fingerprint)))
		}
	}
	was, is := b.facts.Shared, s.facts.Shared
	isFirst := was.Stream != is.Stream || was.Fit == 0 // fit of this stream
	if isFirst && 2*missing > trained {
		return fmt.Errorf("%w: %d of %d messages are not in the shared one", ErrOtherMail, missing, trained)
	}
	stays := func(e Entry) bool {
		if e.waits() || !isFirst || !e.Shared || e.Origin != host || !e.Learned.Before(time.Unix(0, is.Stream)) {
			return e.waits()
		}
		// It had its place in a stream that was lost, maybe before the host that fits had followed that to there.
		i, known := mine.index[e.Fingerprint]
		return !known || !mine.entries[i].Shared || mine.entries[i].Learned.Before(e.Learned)
	}
	return s.together(func() error {
		for r, data := range l.sightings() {
			if err := s.append(r, logfile.Rows{}, data); err != nil {
				return err
			}
		}
		return s.enterAll(b, l.offsets(stays), true)
	})
}

// enterAll learns what the records at some offsets of another log, which this one replaces, say: again as they did, or as what waits for a place in the stream.
func (s follower) enterAll(b *book, offsets []int64, wait bool) error {
	return b.eachTaught(offsets, func(r logfile.Record, t Taught) error {
		switch op(r.Op) {
		case see, stand: // what a log learns before it follows a stream counts otherwise
			data, err := b.log.Body(r)
			if err != nil {
				return err
			}
			return s.append(logfile.Record{Op: r.Op, Key: r.Key, Entry: r.Entry}, logfile.Rows{}, data)
		case learn, forget:
		default:
			return nil
		}
		before, err := s.find(t.entry.Fingerprint)
		switch {
		case err != nil:
			return err
		case before.Confirmed && !t.entry.Confirmed && (s.facts.follows() || before.what == t.entry.what && before.Label == t.entry.Label):
			return nil
		case !wait && r.Reason == again && before.what == t.entry.what && !before.Shared: // else the fit has left it out
			t.entry.at = before.at
			return s.place(t.entry)
		case wait:
			t.entry.unshare()
		}
		return s.enter(t, before)
	})
}
