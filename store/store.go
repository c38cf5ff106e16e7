package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"time"

	"chaff/filter"
	"chaff/internal/fieldtags"
	"chaff/internal/hint"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/metrics"
)

// Suffix is appended to the path of a model to name its log.
const Suffix = filter.LogSuffix

// Reasons why a log cannot be used.
var (
	// ErrNone is returned for a model without a log.
	ErrNone = hint.With(errors.New("the model has no log"), logfile.Anew)
	// ErrLocked is returned if another process does not stop writing.
	ErrLocked = hint.With(errors.New("another process is learning"), "try again when it is done")
	// ErrLearned is returned instead of replacing a log that has learned or forgotten messages meanwhile.
	ErrLearned = hint.With(errors.New("messages were learned meanwhile"), "run it again, so that they are not lost")
)

// ErrTooFew is returned if a model cannot be fitted yet. Copies of a message count as one.
var ErrTooFew = hint.With(errors.New("too few different messages of a class"), "learn messages of each class first: chaff learn --ham PATH, chaff learn --spam PATH")

// Options are the limits of a log, and what it learns.
type Options struct {
	// MaxMessages is how many messages of each class the log keeps; of more, those that were learned first are forgotten, when the model is next
	// fitted. 0 is no limit. At least 0.
	// Default 100000.
	MaxMessages int `json:"max_messages" range:"at least 0" default:"100000"`
	// MaxAge is for how many days after it was learned a message is known; 0 is for ever. At least 0. Default 0.
	MaxAge int `json:"max_age" range:"at least 0"`
	// RetrainAfter is after how many messages learned or forgotten chaff watch and chaff serve fit the model again, when
	// there is nothing else to do; chaff serve also does so after an hour, and chaff learn after ten times as many and a tenth of all. All do so earlier if one
	// class has learned twice its usual share. 0 is never. At least 0. Default 100.
	RetrainAfter int `json:"retrain_after" range:"at least 0" default:"100"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options { return fieldtags.Default[Options]() }

// The model is written anew when its log has so many records or bytes since, of which readers of the model read the rows: after maxOpen records while a
// process learns many messages, and when it ends if there are maxRecords.
const (
	maxRecords   = 64
	maxOpen      = 512
	maxTailBytes = 16 << 20
)

// lockWait is how long a writer waits for another one.
const lockWait = 30 * time.Second

// Store is the log of a model, open for learning and locked, with its model. It belongs to one goroutine, and to one process at a time.
type Store struct {
	*book
	ctx      context.Context // of [Open]: it ends a fit that makes the model anew, too
	path     string          // of the model
	options  Options
	now      func() time.Time
	locked   time.Time // when others could last learn
	limit    int       // of records of the tail; 0 is none
	filter   *filter.One
	reader   *filter.Reader
	lists    []logfile.Rows   // of the tail
	typical  *metrics.Typical // of the filter, read when they are first needed
	failed   error            // a write that failed and could not be taken back, or a log that could not be read again
	unfolded error            // why the last model that was due could not be written
	unshrunk error            // why a log that was due could not be written anew without what it needs no more
	remade   error            // why the model was made anew
	expired  int              // messages that this process has dropped
	unsynced bool             // records are synced later, see follower
}

// about adds what an error, if there is one, is about.
func about(err *error, what string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", what, *err)
	}
}

// Open opens the log of the model at path and locks it. It waits for a while for another process to finish. A model that the log does not go with is made
// anew, see [Store.Finish]. The error wraps [ErrNone] or [ErrLocked], or is about a file.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	return open(ctx, path, &o)
}

// OpenAsBefore is [Open] with the options that the log was begun, or last fitted, with.
func OpenAsBefore(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, nil)
}

func open(ctx context.Context, path string, o *Options) (s *Store, err error) {
	defer about(&err, "open the log "+path+Suffix)
	if path, err = replace.Target(path); err != nil {
		return nil, err
	}
	turned := HasEarlier(path)
	if turned {
		if err := convert(ctx, path); err != nil {
			return nil, err
		}
	}
	file, err := lockFile(ctx, path, Suffix, lockWait)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNone
	}
	if err != nil {
		return nil, err
	}
	s = &Store{book: &book{file: file}, ctx: ctx, path: path, now: time.Now, locked: time.Now(), limit: maxOpen}
	if err = s.load(); err == nil {
		if s.options = s.facts.Options; o != nil {
			s.options = *o
		}
		if turned && s.remade == nil {
			s.remade = errTurned
		}
		if s.filter == nil {
			err = s.remake()
		}
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// lockFile opens and locks the log of a model, which only its owner may open.
func lockFile(ctx context.Context, model, suffix string, wait time.Duration) (*os.File, error) {
	path := model + suffix
	for deadline := time.Now().Add(wait); ; {
		file, _, err := replace.OpenRegular(path, model, os.O_RDWR)
		if err != nil {
			return nil, err
		}
		locked, err := replace.Lock(file)
		if err == nil && locked {
			mine, err1 := file.Stat()
			there, err2 := os.Stat(path)
			if err = cmp.Or(err1, err2); err == nil && os.SameFile(mine, there) { // else another process has replaced it
				return file, nil
			}
		}
		file.Close()
		switch {
		case err != nil:
			return nil, fmt.Errorf("lock: %w", err)
		case time.Now().After(deadline):
			return nil, ErrLocked
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// load reads the log, and opens the model that it goes with; without that the filter is nil and remade says why. It cuts off half a record that a crash has
// left.
func (s *Store) load() error {
	b, err := openBook(s.file)
	if err != nil {
		return err
	}
	s.closeFilter()
	s.book, s.lists, s.typical, s.reader = b, nil, nil, nil // another process may have trained a model that reads mail in its own way
	if err := s.file.Truncate(s.end); err != nil {
		return replace.Reason(err)
	}
	f, err := filter.OpenToLearn(s.path)
	if err == nil {
		s.filter = f
		if err = s.use(f.Identity()); err == nil { // the lists are those of this model, and of no use for a new one
			s.lists, err = s.log.Lists(f.Identity(), s.end)
		}
		if err == nil {
			err = s.filter.Know(s.lists)
		}
	}
	if isDamage(err) {
		s.closeFilter()
		s.remade, err = err, nil
	}
	return err
}

// Expired returns how many messages have left the log since it was opened, because they were the oldest.
func (s *Store) Expired() int { return s.expired }

// Close unlocks the log.
func (s *Store) Close() error {
	s.closeFilter()
	return s.file.Close()
}

func (s *Store) closeFilter() {
	if s.filter != nil {
		s.filter.Close()
		s.filter = nil
	}
}

// Filter returns the model, which is valid until the store is closed or its model is written anew.
func (s *Store) Filter() *filter.One { return s.filter }

// Classes returns the names of the classes.
func (s *Store) Classes() []string { return s.names.Classes }

// Changed returns how many messages were learned or forgotten since the model was last fitted.
func (s *Store) Changed() int { return s.facts.Changed }

// append writes a record to the end of the log and syncs the file. If that fails it takes the record back. It writes a new model if one is due; what is in
// the log is learned, whether that succeeds or not: see [Store.Finish].
func (s *Store) append(r logfile.Record, rows logfile.Rows, body []byte) error {
	if s.failed != nil {
		return s.failed
	}
	err := s.write(r, rows, body)
	if err != nil && len(rows.IDs) == 0 {
		if err = s.heal(err); err == nil {
			err = s.write(r, rows, body)
		}
	}
	if err == nil {
		err = s.filter.Know(s.lists)
	}
	if err != nil {
		return err
	}
	if s.limit > 0 && (len(s.tail) >= s.limit || s.end-s.checkpoint.End >= maxTailBytes) {
		s.unfolded = s.fold()
	}
	return s.failed
}

// write writes a record behind the last one, whose rows take the place of those of the lists that they end, see [logfile.Log.Lists].
func (s *Store) write(r logfile.Record, rows logfile.Rows, body []byte) error {
	var err error
	r.Model, r.Checkpoint, r.Number = s.checkpoint.Key, s.checkpoint.At, uint32(len(s.tail))
	kept := len(s.lists)
	if r.Op != logfile.Checkpoint {
		r.Number++
		for range bits.TrailingZeros32(r.Number) {
			kept--
			if s.lists[kept], err = s.lists[kept].Load(); err != nil {
				return err
			}
			rows = rows.After(s.lists[kept])
		}
	}
	if kept > 0 {
		r.Previous = s.lists[kept-1].At
	}
	data := s.log.Append(nil, s.end, r, rows.Append(nil), body)
	_, err = s.file.WriteAt(data, s.end)
	if err == nil && (!s.unsynced || r.Op == logfile.Checkpoint) { // the model of a checkpoint must not be there first
		err = s.file.Sync()
	}
	end := s.end + int64(len(data))
	if err == nil {
		r, _, err = s.log.At(s.end, end)
	}
	if err != nil {
		if s.file.Truncate(s.end) != nil {
			s.failed = fmt.Errorf("a record could neither be written nor taken back: %w", replace.Reason(err))
		}
		return replace.Reason(err)
	}
	rows.At = r.At
	if s.end = end; r.Op != logfile.Checkpoint {
		s.facts.add(r)
		s.tail, s.lists = append(s.tail, r), append(s.lists[:kept], rows)
	}
	return nil
}

// Finish ends learning: it writes the model if readers would read too many records. It returns what the user should know though nothing was lost, or nil: that
// the model was made anew when the log was opened, or that it could not be written when that was due, which is tried again the next time.
func (s *Store) Finish() error {
	if len(s.tail) >= min(maxRecords, s.limit) && s.failed == nil && s.filter != nil {
		s.unfolded = s.fold()
	}
	switch {
	case s.unfolded != nil:
		return fmt.Errorf("the log has what was learned and forgotten, but the model %s could not be written: %w", s.path, s.unfolded)
	case s.unshrunk != nil:
		return fmt.Errorf("the log %s has what was learned and forgotten, but could not be shortened: %w", s.path+Suffix, s.unshrunk)
	case s.remade != nil:
		return fmt.Errorf("made the model %s anew from its log: %w", s.path, s.remade)
	}
	return nil
}
