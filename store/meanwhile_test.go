//go:build darwin || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"chaff/internal/logfile"
	"chaff/internal/termkey"
	"chaff/test/corpustest"
	"chaff/train"
)

// A learner looks up what the log knows of a message after its pause, in which another process may have changed it.
func TestWhatOthersDidInAPauseCounts(t *testing.T) {
	m := mailOf(t, corpustest.Mailbox(2, 1, "spam"))[0]
	asHam := m
	asHam.Label = "ham"
	contradicts := false
	restore := func(t *testing.T, from, to string) error {
		_, err := Restore(t.Context(), from+Suffix, to, RetrainOptions{}, true)
		return err
	}
	for _, test := range []struct {
		name   string
		before func(t *testing.T, s *Store)
		other  func(t *testing.T, path string) error // in the pause
		do     func(s *Store) error
		want   func(s *Store, e Entry) bool
	}{
		{
			name:   "a message that was moved is moved back",
			before: func(t *testing.T, s *Store) { learned(t, s, m) },
			other:  func(t *testing.T, path string) error { return teach(t, path, asHam) },
			do:     func(s *Store) error { _, err := s.Learn(m); return err },
			want:   func(s *Store, e Entry) bool { return s.Classes()[e.Label] == m.Label },
		},
		{
			name: "a class has the number of the model that is there",
			other: func(t *testing.T, path string) error {
				return restore(t, begun(t, []string{"spam", "ham"}, train.DefaultCollectOptions()), path)
			},
			do:   func(s *Store) error { _, err := s.Learn(m); return err },
			want: func(s *Store, e Entry) bool { return s.Classes()[e.Label] == m.Label },
		},
		{
			name: "a message is forgotten by its fingerprint under the key that is there",
			other: func(t *testing.T, path string) error {
				o := train.DefaultCollectOptions()
				o.Reading.Key = termkey.New([16]byte{1})
				from := begun(t, []string{"ham", "spam"}, o)
				return errors.Join(teach(t, from, m), restore(t, from, path))
			},
			do:   func(s *Store) error { _, err := s.Forget(m.Raw); return err },
			want: func(_ *Store, e Entry) bool { return e.what != learn },
		},
		{
			name:  "a message that was moved to its class contradicts nothing",
			other: func(t *testing.T, path string) error { return teach(t, path, asHam, m) },
			do:    func(s *Store) (err error) { contradicts, err = s.Contradicts(m.Raw, "ham"); return err },
			want:  func(_ *Store, e Entry) bool { return contradicts == (e.what != learn) },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 20, "ham", "spam")))
			if test.before != nil {
				test.before(t, s)
			}
			other := make(chan error)
			go func() { other <- test.other(t, s.path) }()
			for isOver := false; !isOver; {
				select {
				case err := <-other:
					noError(t, err)
					isOver = true
				default:
				}
				s.locked = time.Time{}
				noError(t, test.do(s))
				e, err := s.find(s.Fingerprint(m.Raw))
				if noError(t, err); !test.want(s, e) {
					t.Fatalf("afterwards the log says %v of class %d of %q", e.what, e.Label, s.Classes())
				}
			}
		})
	}
}

// begun begins a model and returns its path.
func begun(t *testing.T, classes []string, o train.CollectOptions) string {
	path := filepath.Join(t.TempDir(), "begun")
	noError(t, Begin(t.Context(), path, classes, "multinomial", o, train.DefaultOptions(), DefaultOptions()))
	return path
}

// counted counts how many bytes of a file were read.
type counted struct {
	*os.File
	bytes int64
}

func (c *counted) ReadAt(data []byte, at int64) (int, error) {
	c.bytes += int64(len(data))
	return c.File.ReadAt(data, at)
}

func TestALogIsSearchedOnceForTheTextsOfAllThatWaits(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	before := contents(t, path+Suffix)
	s := opened(t, path)
	s.limit = 0
	var offsets []int64
	noError(t, follower{s}.together(func() error {
		for i := range 400 {
			learned(t, s, numbered(i))
			offsets = append(offsets, s.tail[i].At)
		}
		return nil
	}))
	read := func(offsets []int64) int64 {
		file := &counted{File: s.file}
		b := *s.book
		var err error
		b.log, err = logfile.Open(file)
		noError(t, err)
		n := follower{opened(t, copyStore(t, path, before))}
		noError(t, n.together(func() error { return n.enterAll(&b, offsets, false) }))
		if n.Changed() != len(offsets) {
			t.Errorf("%d lessons, want %d", n.Changed(), len(offsets))
		}
		return file.bytes
	}
	if some, all := read(offsets[:100]), read(offsets); all > 3*some {
		t.Errorf("100 lessons read %d bytes of the log, and 400 read %d", some, all)
	}
}

func TestAFitThatAnotherProcessWasFasterWithIsNone(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 20, "ham", "spam"))
	s := opened(t, path)
	for i := range 60 { // all spam
		learned(t, s, Message{Raw: numbered(i).Raw, Label: "spam"})
	}
	fit := sync.OnceFunc(func() {
		other := opened(t, path)
		retrain(t, other)
		noError(t, other.Close())
	})
	refitted, err := s.FitIfDue(t.Context(), RetrainOptions{Workers: 1, Pass: func(int, int) { fit() }}, false)
	if err != nil || refitted.Messages != 0 {
		t.Errorf("it says that it was fitted to %d messages, %v", refitted.Messages, err)
	}
}

func TestNobodyLearnsIntoALogThatIsGone(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(log string) error
	}{
		{"a log that was removed", os.Remove},
		{"a log in whose place another file is", func(log string) error { return errors.Join(os.Remove(log), os.WriteFile(log, nil, 0o600)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam")))
			noError(t, test.do(s.path+Suffix))
			s.locked = time.Time{}
			for i := range 2 {
				if o, err := s.Learn(numbered(i)); err == nil {
					t.Errorf("message %d: %s", i, o.What)
				}
			}
		})
	}
}

func TestWhatIsTaughtDuringAFitAndALabelThatIsConfirmedByItBothCount(t *testing.T) {
	for _, test := range []struct {
		name        string
		right       int // the label that the fit confirms
		follows     bool
		isConfirmed bool
	}{
		{"the same label is taught", 1, false, true},
		{"another one is taught, and is newer", 0, false, false},
		{"another one is taught, before the log follows hosts of which a confirmed label counts more", 0, true, false},
	} {
		path := trained(t, "votes", corpustest.Mailbox(1, 20, "ham", "spam"))
		m := Message{Raw: mailOf(t, corpustest.Mailbox(1, 20, "ham", "spam"))[0].Raw, Label: "spam"} // which was ham
		s := opened(t, path)
		fingerprint := s.Fingerprint(m.Raw)
		move := sync.OnceFunc(func() {
			noError(t, teach(t, path, m))
			if test.follows {
				other := opened(t, path)
				_, err := Follow(other, Batch{Stream: 1})
				noError(t, errors.Join(err, other.Close()))
			}
		})
		_, err := s.Retrain(t.Context(), map[uint64]int{fingerprint: test.right}, RetrainOptions{Workers: 1, Pass: func(int, int) { move() }})
		noError(t, err)
		e, err := s.find(fingerprint)
		if noError(t, err); s.Classes()[e.Label] != m.Label || e.Confirmed != test.isConfirmed || s.Changed() > 1 {
			t.Errorf("%s: the label is %d, confirmed: %v; %d changes", test.name, e.Label, e.Confirmed, s.Changed())
		}
	}
}

func TestALogThatIsCopiedOverDuringAFitIsFitted(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 20, "ham", "spam"))
	before := contents(t, path+Suffix)
	s := opened(t, path)
	for i := range 10 {
		learned(t, s, numbered(i))
	}
	fitBeside(t, s, func() { noError(t, os.WriteFile(path+Suffix, before, 0o600)) })
	if has := numbers(t, path, 10); len(has) > 0 {
		t.Errorf("%d messages that the log lacks", len(has))
	}
}

func TestALogThatWasHardlyBegunIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	noError(t, os.WriteFile(path+Suffix, nil, 0o600)) // as a process leaves it that is killed before it has begun
	if _, err := Open(t.Context(), path, DefaultOptions()); !errors.Is(err, ErrNone) {
		t.Errorf("got %v, want %v", err, ErrNone)
	}
	if _, err := Restore(t.Context(), path+Suffix, path, RetrainOptions{}, true); !errors.Is(err, logfile.ErrTruncated) {
		t.Errorf("got %v, want %v", err, logfile.ErrTruncated)
	}
	noError(t, Begin(t.Context(), path, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions()))
	noError(t, teach(t, path, numbered(0)))
}
