package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/models"
	"chaff/tokenize"
	"chaff/train"
)

// fold writes the model with all that it has learned, so that readers need not read the tail. It is not fitted again: thresholds stay. The
// checkpoint says what the new model has learned before it is in its place; readers of the old one go on. A log of which more than half is of no use now
// is then written anew.
func (s *Store) fold() error {
	l, err := s.read(nil)
	if err == nil {
		err = s.foldModel(l)
	}
	if err != nil {
		return err
	}
	if s.failed = s.load(); s.failed == nil && s.end > 2*l.kept {
		s.unshrunk = s.shrink(l)
	}
	return s.failed
}

// shrink writes the log, which has no tail, anew without what was there for readers of earlier models, unless the model is being fitted: that fit would be
// to another log.
func (s *Store) shrink(l *ledger) error {
	unlock, err := lockFit(s.ctx, s.path)
	if err != nil {
		return nil
	}
	defer unlock()
	log, err := replace.Locked(s.path+Suffix, s.path, LogKind(), filter.NewFileMode, func(file *os.File) error { return l.copy(s.book, file) })
	if err != nil {
		return replace.Reason(err)
	}
	s.file.Close()
	s.file = log
	s.failed = s.load()
	return cmp.Or(s.failed, syncFolder(s.path))
}

// foldModel writes the model, and that it has learned what is in the ledger.
func (s *Store) foldModel(l *ledger) error {
	checkpoint := func(identity uint64) error {
		return s.write(logfile.Record{Op: logfile.Checkpoint, Key: identity}, logfile.Rows{}, l.checkpoint())
	}
	if !s.filter.Learns() { // readers of the model do without the tail
		return checkpoint(s.checkpoint.Key)
	}
	f, err := filter.OpenLearned(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.LogErr(); err != nil {
		return filter.AboutLog(s.path, err)
	}
	err = replace.Written(s.path, filter.FileKind(), filter.NewFileMode, func(file *os.File) error {
		identity, err := f.SaveTo(file, true)
		if err == nil {
			err = checkpoint(identity)
		}
		return err
	})
	if err == nil {
		err = syncFolder(s.path)
	}
	return replace.Reason(err)
}

// RetrainOptions configure how a model is fitted again. They change no result.
type RetrainOptions struct {
	Workers int
	Memory  int64
	Pass    func(pass, all int) // see [train.Options]
}

// Retrain fits the model again to all messages of the log, with the settings it was trained with, and writes the log without what was forgotten. The result
// is what training on these messages at once gives, apart from what was learned meanwhile. With [ErrTooFew], the model is as before.
//
// labels are those that a person has said are right, by the fingerprints of learned messages, which count fully from now on. They are also entered in a log
// that takes the place of this one meanwhile.
func (s *Store) Retrain(ctx context.Context, labels map[uint64]int, o RetrainOptions) (refitted train.Refitted, err error) {
	if unlock, err := lockFit(ctx, s.path); err == nil {
		defer unlock()
	}
	for {
		if refitted, err = s.fitOnce(ctx, labels, o); !errors.Is(err, errReplaced) {
			return refitted, err
		}
	}
}

// errReplaced is returned for a fit to a log that another process has replaced.
var errReplaced = errors.New("another process has written the log anew")

// fitOnce is [Store.Retrain], with the right labels, unless another process writes the log anew meanwhile: then the error is errReplaced. The log is not locked
// while the model is fitted, which takes minutes for much mail: others learn, and the new model learns their messages one by one before it is in its place.
func (s *Store) fitOnce(ctx context.Context, labels map[uint64]int, o RetrainOptions) (refitted train.Refitted, err error) {
	defer about(&err, "fit the model to "+s.path+Suffix)
	l, err := s.read(features.NewDocuments(o.Memory))
	if err != nil {
		return refitted, err
	}
	l.facts.Options = s.options
	before := l.facts.Expired
	l.expire(s.options, s.now())
	l.settle(labels, s.now())
	read := s.end
	err = s.aside(ctx, func(lock func() error) (err error) {
		var f *filter.Filter
		if f, refitted, err = l.fit(ctx, o, s.now()); err != nil {
			return err
		}
		return s.replace(f, l, func(model string, log *os.File) error {
			if err := lock(); err != nil {
				return err
			}
			return s.replay(ctx, read, model, log)
		})
	})
	if err != nil {
		return train.Refitted{}, err
	}
	s.expired += l.facts.Expired - before
	return refitted, nil
}

// aside unlocks the log and does something. That may lock the log again, and read what others have appended, before it ends.
func (s *Store) aside(ctx context.Context, do func(lock func() error) error) (err error) {
	file, info, err := replace.OpenRegular(s.path+Suffix, s.path, os.O_RDONLY)
	if err != nil {
		return err
	}
	if mine, err := s.file.Stat(); err != nil || !os.SameFile(mine, info) {
		file.Close()
		return cmp.Or(err, errors.New("another file has taken its place"))
	}
	s.file, file = file, s.file
	lock := sync.OnceValue(func() error {
		var locked *os.File
		var err error
		for err == nil && locked == nil { // for as long as it must wait, since a fit took longer
			if locked, err = lockFile(ctx, s.path, Suffix, lockWait); errors.Is(err, ErrLocked) {
				err = nil
			}
		}
		if err != nil {
			s.failed = err
			return err
		}
		s.file.Close()
		s.file, s.locked = locked, time.Now()
		s.failed = s.load()
		there, err := locked.Stat()
		if s.failed == nil && (err != nil || !os.SameFile(info, there)) {
			return cmp.Or(err, errReplaced)
		}
		return s.failed
	})
	defer func() {
		if lock(); s.failed == nil && s.filter == nil { // another process was killed before its model was in its place
			s.failed = s.remake()
			err = cmp.Or(err, s.failed)
		}
	}()
	if err := replace.Unlock(file); err != nil {
		return err
	}
	return do(lock)
}

// pause lets others learn, each second. Only what changes one message after the other calls it: a mailbox decides by the log as it has read it.
func (s *Store) pause() error {
	if time.Since(s.locked) > time.Second && s.failed == nil && s.unfolded == nil {
		err := s.aside(s.ctx, func(func() error) error { // a log that was written anew is as good
			time.Sleep(10 * time.Millisecond) // who waits looks each 2 ms, see lockFile
			return nil
		})
		s.failed = cmp.Or(s.failed, err)
	}
	return s.failed
}

// replay lets a new model and its log, which still have temporary names, learn what this log has behind an offset.
func (b *book) replay(ctx context.Context, from int64, model string, log *os.File) error {
	if b.end == from {
		return nil
	}
	n := &Store{book: &book{file: log}, ctx: ctx, path: model, now: time.Now}
	if err := n.load(); err != nil {
		return err
	}
	if n.filter == nil {
		return n.remade
	}
	defer n.closeFilter()
	var offsets []int64
	end, err := b.log.Each(from, b.end, func(r logfile.Record) error {
		offsets = append(offsets, r.At)
		return nil
	})
	if err == nil && end != b.end { // an older log was copied over it
		err = errReplaced
	}
	if err != nil {
		return err
	}
	return follower{n}.together(func() error { return follower{n}.enterAll(b, offsets, false) })
}

func (s *Store) remake() (err error) {
	defer about(&err, "make the model anew from it, since "+s.remade.Error())
	l, err := s.read(features.NewDocuments(0))
	if err != nil {
		return err
	}
	f, _, err := l.make(s.ctx, RetrainOptions{}, s.now())
	if err != nil {
		return err
	}
	return s.replace(f, l, nil)
}

// heal makes the model anew if the error, which it returns else, is about rows that are damaged in the model or in the tail: nothing else reads them.
func (s *Store) heal(err error) error {
	if s.remade != nil || !isDamage(err) {
		return err
	}
	s.remade = err
	if err = s.remake(); err != nil {
		s.remade = nil
	}
	return err
}

// replace puts a model and its ledger in the place of what is there, see [commit].
func (s *Store) replace(f *filter.Filter, l *ledger, last func(model string, log *os.File) error) error {
	log, err := commit(s.path, f, l, last)
	if log == nil {
		return err
	}
	s.file.Close()
	s.file = log
	if err == nil {
		err = s.load()
	}
	if s.failed, s.unfolded = err, nil; err == nil && s.filter == nil {
		s.failed = s.remade
	}
	return s.failed
}

// make makes the model of a log by a fit, or if there is too little mail for one, the model that knows nothing: it would be unsure of everything anyway.
func (l *ledger) make(ctx context.Context, o RetrainOptions, now time.Time) (*filter.Filter, train.Refitted, error) {
	f, refitted, err := l.fit(ctx, o, now)
	if errors.Is(err, ErrTooFew) {
		l.count()
		l.facts.Fitted = 0
		refitted = train.Refitted{Messages: l.learned}
		_, f, err = l.empty()
	}
	return f, refitted, err
}

// fit fits a model to the ledger.
func (l *ledger) fit(ctx context.Context, o RetrainOptions, now time.Time) (fitted *filter.Filter, refitted train.Refitted, err error) {
	reading, options, err := l.settings()
	if err != nil {
		return nil, refitted, err
	}
	reading.Workers, reading.Memory, options.Pass = o.Workers, o.Memory, o.Pass
	collection, err := l.mail().Divide(reading)
	var trained train.Trained
	if err == nil {
		trained, err = train.Fit(ctx, collection, l.Model, options)
	}
	if err != nil {
		return nil, refitted, l.tooFew(err)
	}
	if fitted, refitted, err = collection.Refit(ctx, trained, options); err != nil {
		return nil, train.Refitted{}, err
	}
	refitted.Seconds = (cputime.Process() - l.began).Seconds()
	l.Terms = tokenize.Version
	for i := range l.entries { // those of parts have no time
		if e := &l.entries[i]; e.Learned.IsZero() {
			e.Learned = now.UTC().Truncate(time.Second)
		}
	}
	l.facts.Fitted, l.facts.FitSeconds = now.Unix(), refitted.Seconds
	l.count()
	l.doubt(refitted.Doubts)
	return fitted, refitted, nil
}

// tooFew returns [ErrTooFew] in place of errors of package train that mean it, which depend on how the messages were divided.
func (l *ledger) tooFew(err error) error {
	if !errors.Is(err, train.ErrNoMail) && !errors.Is(err, train.ErrOneClass) && !errors.Is(err, models.ErrNoDocuments) {
		return err
	}
	var have []string
	for c, n := range l.perClass() {
		have = append(have, fmt.Sprintf("%d of %s", n, l.Classes[c]))
	}
	return fmt.Errorf("%w: %s", ErrTooFew, strings.Join(have, ", "))
}

// A model learns from each message with a step that suits mail in its usual mix. After many messages of one class it gives too much mail to
// that class: fitted to 1,000 ham and 20 spam, and then taught 100 spam, passive-aggressive calls every newsletter spam. Steps on errors only,
// and ham repeated after each spam, help less than a fit, which also chooses the thresholds anew; see docs/inside/experiments.md.
//
// A class is ahead if it has learned twice as many messages since the last fit as the usual mix asks for, and a tenth of what was known of it
// then beyond that. In a few messages the mix is chance.
const (
	minAhead   = 20
	aheadShare = 0.1
)

// isUnbalanced reports whether the model should be fitted again because one class is ahead of the others in what was learned since the last
// fit. A model that was never fitted knows no mix, and calls every message unsure: it should be fitted once there are some of each class.
func (f facts) isUnbalanced() bool {
	switch {
	case f.Changed < minAhead:
		return false
	case f.Fitted != 0:
		return isAhead(f.Known, f.Learned)
	}
	for c := range f.Known {
		if f.Known[c]+f.Learned[c] < minAhead {
			return false
		}
	}
	return true
}

// hasGrown reports whether so much has changed since the last fit that the model should be fitted again though there may be something else to do. Without a
// fit nothing expires, and the log takes more than twice as much for a message as with one.
func (f facts) hasGrown(after int) bool {
	known := 0
	for _, n := range f.Known {
		known += n
	}
	return f.Fitted != 0 && f.Changed/10 >= after && float64(f.Changed) >= aheadShare*float64(known)
}

// fitSuffix is appended to the path of a model to name the file that is locked while the model is fitted.
const fitSuffix = Suffix + ".fit"

// lockFit locks that file: who learns while the model is fitted shall not fit it, too, nor write the log anew. A file that is removed before another
// process locks it costs no more than a fit.
func lockFit(ctx context.Context, path string) (unlock func(), err error) {
	file, err := replace.Open(path+fitSuffix, os.O_RDWR, filter.NewFileMode)
	if err != nil {
		return nil, replace.Reason(err)
	}
	file.Close()
	if file, err = lockFile(ctx, path, fitSuffix, 0); err != nil {
		return nil, err
	}
	return func() {
		if info, err := file.Stat(); err == nil && info.Size() == 0 { // else it is a file of somebody else
			replace.Remove(path + fitSuffix)
		}
		file.Close()
	}, nil
}

// FitIfDue fits the model again if the mix of classes asks for it, and if there is nothing else to do also after [Options.RetrainAfter] messages,
// else after many more. The result is zero if it was not fitted: with RetrainAfter 0, or if that is not possible yet.
func (s *Store) FitIfDue(ctx context.Context, o RetrainOptions, idle bool) (train.Refitted, error) {
	after := s.options.RetrainAfter
	if after == 0 || !s.facts.isUnbalanced() && !(idle && s.Changed() >= after) && !s.facts.hasGrown(after) {
		return train.Refitted{}, nil
	}
	unlock, err := lockFit(ctx, s.path)
	if errors.Is(err, ErrLocked) || errors.Is(err, fs.ErrNotExist) {
		return train.Refitted{}, nil
	}
	if err != nil {
		return train.Refitted{}, fmt.Errorf("fit %s: %w", s.path, err)
	}
	defer unlock()
	refitted, err := s.fitOnce(ctx, nil, o)
	if errors.Is(err, ErrTooFew) || errors.Is(err, errReplaced) { // mostly by another fit
		err = nil
	}
	return refitted, err
}

// FitWhenIdle is [Store.FitIfDue] for the model at a path when there is nothing else to do.
func FitWhenIdle(ctx context.Context, path string, o Options, r RetrainOptions) (train.Refitted, error) {
	if o.RetrainAfter == 0 || ctx.Err() != nil {
		return train.Refitted{}, ctx.Err()
	}
	s, err := Open(ctx, path, o)
	if err != nil {
		return train.Refitted{}, err
	}
	defer s.Close()
	return s.FitIfDue(ctx, r, true)
}

// isAhead reports whether a class is ahead, for the numbers of messages of each class that were known at the fit, and learned since.
func isAhead(known, learned []int) bool {
	allKnown, allLearned := 0, 0
	for c := range known {
		allKnown, allLearned = allKnown+known[c], allLearned+learned[c]
	}
	for c, n := range learned {
		if known[c] == allKnown {
			return false // one class only: there is nothing to fit
		}
		usual := float64(allLearned-n) * float64(known[c]) / float64(allKnown-known[c])
		if float64(n) >= 2*usual && float64(n)-usual >= max(minAhead, aheadShare*float64(known[c])) {
			return true
		}
	}
	return false
}
