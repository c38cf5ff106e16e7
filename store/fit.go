package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
	"chaff/train"
)

// Outputs returns the files that saving a model with its log at path replaces: of a device only that.
func Outputs(path string) []replace.Output {
	all := []replace.Output{{Path: path, Kind: filter.FileKind()}}
	target, err := replace.Target(path)
	if err != nil {
		return all
	}
	return append(all, replace.Output{Path: target + Suffix, Kind: LogKind()})
}

// LogKind is the kind of logs.
func LogKind() replace.Kind { return replace.Kind{Name: "log", Start: logfile.Magic} }

// Create begins the log of a model that was fitted to all messages of mail, and saves both. It replaces an older log; unless replacing is
// true, only one in which nothing was taught but by training, for else the error wraps [ErrLearned]. The mail must have been read
// with [train.CollectOptions.Ledger].
func Create(ctx context.Context, path string, mail *train.Mail, f *filter.Filter, fitted train.Refitted, o Options, replacing bool) error {
	r, err := recipeOf(f)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	l := newLedger(r, facts{Options: o, Fitted: now.Unix(), FitSeconds: fitted.Seconds}, mail.Documents())
	l.entries = make([]Entry, 0, mail.Len())
	for i := range mail.Len() {
		l.put(Entry{Entry: mail.Entry(i), Learned: now, Way: ByTraining, Score: math.NaN(), Class: -1})
	}
	l.count()
	l.doubt(fitted.Doubtful)
	return save(ctx, path, f, l, func(target string) error {
		if replacing {
			return nil
		}
		n, err := later(target)
		if n > 0 {
			return ErrLearned
		}
		if errors.Is(err, ErrNone) {
			return nil
		}
		return err
	})
}

// Begin begins a log without messages, and its model, which learns from one message after the other. The error wraps fs.ErrExist if
// there is a model already.
func Begin(ctx context.Context, path string, classes []string, model string, c train.CollectOptions, t train.Options, o Options) error {
	l, f, err := empty(classes, model, c, t, o)
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	return save(ctx, path, f, l, func(target string) error {
		if info, err := os.Lstat(target); err == nil && info.Size() > 0 {
			return fs.ErrExist
		}
		return nil
	})
}

// empty returns a model that knows nothing, and its ledger.
func empty(classes []string, model string, c train.CollectOptions, t train.Options, o Options) (*ledger, *filter.Filter, error) {
	mail, f, err := train.Empty(classes, model, c, t)
	if err != nil {
		return nil, nil, err
	}
	r, err := recipeOf(f)
	l := newLedger(r, facts{Options: o}, mail.Documents())
	l.count()
	return l, f, err
}

// BeginLike is [Begin] for a model with the classes and the settings of f.
func BeginLike(ctx context.Context, path string, f train.Made, o Options) error {
	r, err := recipeOf(f)
	var c train.CollectOptions
	var t train.Options
	if err == nil {
		c, t, err = r.settings()
	}
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	return Begin(ctx, path, r.Classes, r.Model, c, t, o)
}

// save writes a model and its log to path, if check returns no error about what is there, once nobody else can change it.
func save(ctx context.Context, path string, f *filter.Filter, l *ledger, check func(target string) error) error {
	target, err := replace.Target(path)
	if errors.Is(err, replace.ErrDevice) { // it has no room for a log
		return f.Save(path)
	}
	if err == nil {
		err = saveLocked(ctx, target, f, l, check)
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

func saveLocked(ctx context.Context, target string, f *filter.Filter, l *ledger, check func(target string) error) error {
	for _, o := range Outputs(target) {
		if err := o.Kind.Check(o.Path); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(o.Path), err)
		}
	}
	// Whoever begins a log locks it before it has a byte.
	begun, err := replace.Open(target+Suffix, os.O_RDWR, filter.NewFileMode)
	if err != nil {
		return replace.Reason(err)
	}
	begun.Close()
	old, err := lockFile(ctx, target+Suffix, os.O_RDWR)
	if err != nil {
		return err
	}
	defer old.Close()
	if err = check(target); err == nil {
		var file *os.File
		if file, err = commit(target, f, l); file != nil {
			err = cmp.Or(err, file.Close())
		}
	}
	if info, e := old.Stat(); err != nil && e == nil && info.Size() == 0 {
		os.Remove(target + Suffix)
	}
	return err
}

// SaveAlone saves a model without a log, and removes the log of the model that it replaces.
func SaveAlone(ctx context.Context, path string, f *filter.Filter) error {
	target, err := replace.Target(path)
	if errors.Is(err, replace.ErrDevice) {
		return f.Save(path)
	}
	var log *os.File
	if err == nil {
		log, err = lockFile(ctx, target+Suffix, os.O_RDWR)
	}
	switch {
	case errors.Is(err, ErrNone):
		return f.Save(path)
	case err != nil:
		return fmt.Errorf("save %s: %w", path, err)
	}
	defer log.Close() // nobody learns while it is removed
	if err := LogKind().Check(target + Suffix); err != nil {
		return fmt.Errorf("save %s: %w", path+Suffix, err)
	}
	if err := f.Save(path); err != nil {
		return err
	}
	return os.Remove(target + Suffix)
}

// commit writes a log, and a model that has learned all of it: the log takes the place of the old one first. Whoever opens it before the model is in its
// place makes that anew. It returns the new log, locked, also with an error if that is in place.
func commit(path string, f *filter.Filter, l *ledger) (log *os.File, err error) {
	l.facts.Terms = f.Vocabulary().Len()
	err = replace.Written(path, filter.FileKind(), filter.NewFileMode, func(file *os.File) error {
		identity, err := f.SaveTo(file, true)
		if err == nil {
			err = file.Sync() // so that the new log waits for its model no longer than it must
		}
		if err != nil {
			return err
		}
		log, err = replace.Locked(path+Suffix, path, LogKind(), filter.NewFileMode, func(file *os.File) error { return l.save(file, identity) })
		if err != nil {
			return err
		}
		return syncFolder(path) // a crash of the system must not undo the first change and keep the second
	})
	if err == nil {
		err = syncFolder(path)
	}
	return log, replace.Reason(err)
}

// syncFolder syncs the folder of a file.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" { // which cannot
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) { // some file systems cannot either
		return err
	}
	return nil
}

// fold writes the model with all that it has learned, so that readers need not read the tail. It is not fitted again. The checkpoint says what the new model
// has learned before it is in its place; readers of the old one go on.
func (s *writer) fold() error {
	if len(s.tail) == 0 {
		return nil
	}
	facts, err := s.facts()
	if err != nil {
		return err
	}
	messages, err := s.newest()
	if err != nil {
		return err
	}
	index := make([]digest, 0, len(messages))
	for _, r := range messages {
		index = append(index, digest{r.Key, r.At})
	}
	body, err := checkpointBody(facts, index)
	if err != nil {
		return err
	}
	if !s.learns { // readers of the model do without the tail
		if err := s.writeCheckpoint(s.checkpoint.Key, body); err != nil {
			return err
		}
		s.failed = s.load()
		return s.failed
	}
	f, err := filter.OpenLearned(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.LogErr(); err != nil {
		return err
	}
	if f, err = s.decide(f); err != nil {
		return err
	}
	err = replace.Written(s.path, filter.FileKind(), filter.NewFileMode, func(file *os.File) error {
		identity, err := f.SaveTo(file, true)
		if err == nil {
			err = s.writeCheckpoint(identity, body)
		}
		return err
	})
	if err == nil {
		err = syncFolder(s.path)
	}
	if err != nil {
		return replace.Reason(err)
	}
	s.failed = s.load()
	return s.failed
}

func (s *writer) writeCheckpoint(identity uint64, body []byte) error {
	return s.write(logfile.Record{Op: logfile.Checkpoint, Key: identity}, logfile.Rows{}, body)
}

// RetrainOptions configure how a model is fitted again. They change no result.
type RetrainOptions struct {
	Workers int
	Memory  int64
}

// Retrain fits the model again to all messages of the log, with the settings it was trained with, and writes the log without what was forgotten. The result
// is what training on these messages at once gives. With [ErrTooFew], the model is as before.
func (s *Store) Retrain(ctx context.Context, o RetrainOptions) (train.Refitted, error) {
	return s.Settle(ctx, nil, o)
}

// Settle is Retrain after a person has said of learned messages, by fingerprint, whether their labels are right. They count fully from now on,
// with the other class if the label was wrong; that takes two classes.
func (s *Store) Settle(ctx context.Context, right map[uint64]bool, o RetrainOptions) (train.Refitted, error) {
	refitted, err := s.settle(ctx, right, o)
	if err != nil {
		err = fmt.Errorf("fit the model to %s: %w", s.path+Suffix, err)
	}
	return refitted, err
}

func (s *Store) settle(ctx context.Context, right map[uint64]bool, o RetrainOptions) (train.Refitted, error) {
	began := cputime.Process()
	l, err := s.ledger(o.Memory)
	if err != nil {
		return train.Refitted{}, err
	}
	l.facts.Options = s.options
	before := l.facts.Expired
	l.expire(s.options, s.now())
	if err := l.documents.Complete(1); err != nil {
		return train.Refitted{}, err
	}
	l.settle(right, s.now())
	f, refitted, err := l.fit(ctx, o, s.now(), began)
	if err != nil {
		return refitted, err
	}
	s.expired += l.facts.Expired - before
	return refitted, s.replace(f, l)
}

// replace puts a model and its ledger in the place of what is there.
func (s *writer) replace(f *filter.Filter, l *ledger) error {
	log, err := commit(s.path, f, l)
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

// replay returns a model that has learned all messages one after the other.
func (l *ledger) replay() (*filter.Filter, error) {
	c, t, err := l.recipe.settings()
	if err != nil {
		return nil, err
	}
	_, f, err := empty(l.recipe.Classes, l.recipe.Model, c, t, l.facts.Options)
	if err != nil {
		return nil, err
	}
	learner, kind, err := t.Models.NewOnline(l.recipe.Model, l.recipe.Classes)
	if err != nil {
		return nil, err
	}
	v, terms, err := train.VocabularyOf(l.documents, l.refs(), kind, l.recipe.Features)
	if err != nil {
		return nil, err
	}
	learner.Grow(f.FirstTerm() + v.Len())
	labels := l.labels()
	d := train.DatasetOf(kind, v, l.recipe.Classes, l.documents, l.refs(), labels, 1)
	rows := d.Rows()
	for i, label := range labels {
		learner.Learn(rows.Row(i), int(label))
	}
	linear, err := learner.Linear()
	if err = cmp.Or(err, d.Err()); err != nil {
		return nil, err
	}
	info, err := f.Provenance()
	if err != nil {
		return nil, err
	}
	return filter.New(filter.Parts{
		Settings: f.Settings(), Vocabulary: v, Linear: linear, Terms: terms, SaveTexts: l.recipe.Features.Texts, Provenance: info, Learned: learner,
	})
}

// count sets Known and Learned at a fit.
func (l *ledger) count() {
	l.facts.Changed = 0
	l.facts.Known, l.facts.Learned = make([]int, len(l.recipe.Classes)), make([]int, len(l.recipe.Classes))
	for _, e := range l.entries {
		l.facts.Known[e.Label]++
	}
}

// fit fits a model to the ledger. It counts the CPU time since began.
func (l *ledger) fit(ctx context.Context, o RetrainOptions, now time.Time, began time.Duration) (*filter.Filter, train.Refitted, error) {
	reading, options, err := l.recipe.settings()
	if err != nil {
		return nil, train.Refitted{}, err
	}
	reading.Workers, reading.Memory = o.Workers, o.Memory
	collection, err := l.mail().Divide(reading)
	if err != nil {
		return nil, train.Refitted{}, l.tooFew(err)
	}
	trained, err := train.Fit(ctx, collection, l.recipe.Model, options)
	if err != nil {
		return nil, train.Refitted{}, l.tooFew(err)
	}
	fitted, refitted, err := collection.Refit(ctx, trained, options)
	if err != nil {
		return nil, train.Refitted{}, err
	}
	refitted.Seconds = (cputime.Process() - began).Seconds()
	l.recipe.Terms = tokenize.Version
	l.facts.Fitted, l.facts.FitSeconds = now.Unix(), refitted.Seconds
	l.count()
	l.doubt(refitted.Doubtful)
	return fitted, refitted, nil
}

// tooFew returns [ErrTooFew] in place of errors of package train that mean it, which depend on how the messages were divided.
func (l *ledger) tooFew(err error) error {
	if !errors.Is(err, train.ErrNoMail) && !errors.Is(err, train.ErrOneClass) && !errors.Is(err, models.ErrNoDocuments) {
		return err
	}
	messages := make([]int, len(l.recipe.Classes))
	for _, e := range l.entries {
		messages[e.Label]++
	}
	var have []string
	for c, class := range l.recipe.Classes {
		have = append(have, fmt.Sprintf("%d of %s", messages[c], class))
	}
	return fmt.Errorf("%w: %s", ErrTooFew, strings.Join(have, ", "))
}

// enoughJudged is how many messages of each class the choice of thresholds takes.
const enoughJudged = 50

// decide chooses thresholds and calibration of a spam filter on the scores that messages had before they were learned, since the last fit:
// progressive validation. It leaves out messages that were learned by hand, because they are mostly those that the filter got wrong, and
// those that moved to another class, because a model before the fit may have judged them. For a model that was never fitted they are all
// there is. With few messages, thresholds and calibration are those of the fit; the probabilities of a model that was never fitted follow even
// from few, as [metrics.Calibrate] shrinks them.
func (s *writer) decide(f *filter.Filter) (*filter.Filter, error) {
	p, err := train.ProvenanceOf(f)
	if err != nil {
		return nil, err
	}
	settings := f.Settings()
	if filter.IsSpamFilter(settings.Classes) {
		if err := s.choose(&settings, &p); err != nil {
			return nil, err
		}
	}
	info, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode provenance: %w", err)
	}
	return f.Decide(settings.Thresholds, settings.Calibration, info), nil
}

func (s *writer) choose(settings *filter.Settings, p *train.Provenance) error {
	facts, err := s.facts()
	if err != nil {
		return err
	}
	all, trusted, err := s.entries()
	if err != nil {
		return err
	}
	var margins, scores []float64
	var labels, known []int32
	var spam []bool
	var count [2]int
	for i, e := range append(all, trusted...) {
		if i < len(all) {
			known = append(known, int32(e.Label))
		}
		if !e.isJudged() || facts.Fitted != 0 && (e.Way == ByHand || e.Relabelled || e.Learned.Unix() <= facts.Fitted) {
			continue
		}
		margins, scores = append(margins, e.Score), append(scores, 0, e.Score)
		labels, spam = append(labels, int32(e.Label)), append(spam, e.Label == filter.SpamClass)
		count[e.Label]++
	}
	if min(count[0], count[1]) < enoughJudged {
		if facts.Fitted == 0 {
			settings.Calibration, _ = metrics.Calibrate(labels, scores, len(settings.Classes))
		}
		if at := p.AtFit; at != nil {
			settings.Thresholds, settings.Calibration, p.Promise, p.AtFit = at.Thresholds, at.Calibration, at.Promise, nil
		}
		return nil
	}
	if p.AtFit == nil {
		p.AtFit = &train.Choice{Thresholds: settings.Thresholds, Calibration: settings.Calibration, Promise: p.Promise}
	}
	thresholds, _ := metrics.ChooseThresholds(margins, spam, s.scale(known), p.Limits)
	settings.Thresholds = &thresholds
	p.Promise = p.Limits.Promise(thresholds, margins, spam)
	settings.Calibration, _ = metrics.Calibrate(labels, scores, len(settings.Classes))
	return nil
}

// scale returns the scale of the scores of the model, which has learned messages with these labels.
func (r recipe) scale(labels []int32) metrics.Scale {
	_, o, err := r.settings()
	if err != nil {
		return metrics.Scale{}
	}
	t, _, err := o.Models.New(r.Model, 0)
	if err != nil {
		return metrics.Scale{}
	}
	return train.ScaleOf(t, labels)
}
