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
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/journal"
	"chaff/internal/replace"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// nextSuffix ends the name of a new model while its store is not yet in place.
const nextSuffix = ".next"

// Outputs returns the files that saving a model with its store at path replaces: of a device only that.
func Outputs(path string) []replace.Output {
	all := []replace.Output{{Path: path, Kind: filter.FileKind()}}
	target, err := replace.Target(path)
	if err != nil {
		return all
	}
	return append(all, replace.Output{Path: target + Suffix, Kind: storeKind()}, replace.Output{Path: target + nextSuffix, Kind: filter.FileKind()})
}

func storeKind() replace.Kind { return replace.Kind{Name: "store", Start: journal.BaseFormat().Magic} }

// Create begins the store of a model that was fitted to all messages of mail, and saves both. It replaces an older store; unless replacing is
// true, only one without messages that were learned since it was trained, for else the error wraps [ErrLearned]. The mail must have been read
// with [train.CollectOptions.Ledger].
func Create(ctx context.Context, path string, mail *train.Mail, f *filter.Filter, fitted train.Refitted, o Options, replacing bool) error {
	now := time.Now().UTC().Truncate(time.Second)
	l := &ledger{
		documents: mail.Documents(),
		facts:     facts{Classes: mail.Classes(), Options: o, Fitted: now.Unix(), FitSeconds: fitted.Seconds, Begun: now.Unix()},
	}
	l.entries = make([]Entry, 0, mail.Len())
	for i := range mail.Len() {
		l.entries = append(l.entries, Entry{Entry: mail.Entry(i), Learned: now, Way: ByTraining, Score: math.NaN(), Class: -1})
	}
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

// Begin begins a store without messages, and its model, which learns from one message after the other. The error wraps fs.ErrExist if
// there is a model already.
func Begin(ctx context.Context, path string, classes []string, model string, c train.CollectOptions, t train.Options, o Options) error {
	mail, f, err := train.Empty(classes, model, c, t)
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	l := &ledger{documents: mail.Documents(), facts: facts{Classes: classes, Options: o, Begun: time.Now().Unix()}}
	return save(ctx, path, f, l, func(target string) error {
		if info, err := os.Lstat(target); err == nil && info.Size() > 0 {
			return fs.ErrExist
		}
		return nil
	})
}

// BeginLike is [Begin] for a model with the classes and the settings of f.
func BeginLike(ctx context.Context, path string, f train.Made, o Options) error {
	settings := f.Settings()
	c, t, err := fittingOf(f)
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	return Begin(ctx, path, settings.Classes, settings.Model, c, t, o)
}

// fittingOf returns the settings that f was fitted with.
func fittingOf(f train.Made) (train.CollectOptions, train.Options, error) {
	p, err := train.ProvenanceOf(f)
	if err != nil {
		return train.CollectOptions{}, train.Options{}, err
	}
	settings := f.Settings()
	o := train.Options{Thresholds: p.Limits}
	o.Models, err = models.OptionsFrom(settings.Model, p.Trainer)
	return train.CollectOptions{Reading: settings.Reading(), Features: p.Features, Split: p.Split, Seed: p.Seed}, o, err
}

// save writes a model and its ledger to path, if check returns no error about what is there, once nobody else can change it.
func save(ctx context.Context, path string, f *filter.Filter, l *ledger, check func(target string) error) error {
	target, err := replace.Target(path)
	if errors.Is(err, replace.ErrDevice) { // it has no room for a store
		return f.Save(path)
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	// Where there is no store yet, only the folder can be locked against others that begin one.
	folder, err := waitForLock(ctx, func() (*os.File, error) { return os.Open(filepath.Dir(target)) })
	switch {
	case err == nil:
		defer folder.Close()
	case errors.Is(err, ErrLocked) || ctx.Err() != nil: // other errors are of systems that lock no folders
		return fmt.Errorf("save %s: %w", path, err)
	}
	old, err := lockFile(ctx, target+Suffix)
	switch {
	case err == nil:
		defer old.Close()
	case !errors.Is(err, ErrNone):
		return fmt.Errorf("save %s: %w", path+Suffix, err)
	}
	if err := check(target); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	file, err := commit(target, f, l)
	if file != nil {
		err = cmp.Or(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// Fold makes a new base and a new model of the base and the journal. The model goes on from where it is: it is not fitted again.
func (s *Store) Fold(ctx context.Context) error {
	if err := s.consolidate(ctx, nil); err != nil {
		return fmt.Errorf("fold %s: %w", s.path+Suffix, err)
	}
	return nil
}

// RetrainOptions configure how a model is fitted again. They change no result.
type RetrainOptions struct {
	Workers int
	Memory  int64
}

// doubt notes the labels that a fit to the messages of the ledger doubts.
func (l *ledger) doubt(doubtful []train.Doubt) {
	for i := range l.entries {
		l.entries[i].Doubt = 0
	}
	for _, d := range doubtful {
		l.entries[d.Message].Doubt = hundredths(d.Doubt)
	}
}

// Retrain fits the model again to all messages of the ledger, with the settings it was trained with. The result is what training on these
// messages at once gives. With [ErrTooFew], the model is as before.
func (s *Store) Retrain(ctx context.Context, o RetrainOptions) (train.Refitted, error) {
	return s.Settle(ctx, nil, o)
}

// Settle is Retrain after a person has said of learned messages, by fingerprint, whether their labels are right. They count fully from now on,
// with the other class if the label was wrong; that takes two classes.
func (s *Store) Settle(ctx context.Context, right map[uint64]bool, o RetrainOptions) (train.Refitted, error) {
	f := fitting{RetrainOptions: o, right: right}
	if err := s.consolidate(ctx, &f); err != nil {
		return f.refitted, fmt.Errorf("fit the model to %s: %w", s.path+Suffix, err)
	}
	return f.refitted, nil
}

// settle enters what a person has said of labels.
func (l *ledger) settle(right map[uint64]bool, now time.Time) {
	for fingerprint, isRight := range right {
		at, known := l.byFingerprint[fingerprint]
		if !known {
			continue
		}
		e := &l.entries[at]
		e.Confirmed = true
		if !isRight && len(l.facts.Classes) == 2 {
			e.Label, e.Relabelled, e.Way, e.Learned = 1-e.Label, true, ByHand, now.UTC().Truncate(time.Second)
		}
	}
}

// fitting is a fit in progress.
type fitting struct {
	RetrainOptions
	right    map[uint64]bool
	refitted train.Refitted
}

// consolidate makes a new base and a new model of the base and the journal. Without a fitting the model goes on from where it is.
func (s *Store) consolidate(ctx context.Context, fitting *fitting) error {
	began := cputime.Process()
	memory := int64(0)
	if fitting != nil {
		memory = fitting.Memory
	}
	l, err := s.ledger(memory)
	if err != nil {
		return err
	}
	before := l.facts.Expired
	l.facts.Options = s.options
	l.expire(s.options, s.now())
	if err := l.documents.Complete(1); err != nil {
		return err
	}
	var f *filter.Filter
	if fitting != nil {
		l.settle(fitting.right, s.now())
		f, fitting.refitted, err = fit(ctx, s.filter, l, fitting.RetrainOptions, s.now(), began)
	} else {
		f, err = carryOver(s.filter, l)
	}
	if err != nil {
		return err
	}
	file, err := commit(s.path, f, l)
	if file == nil {
		return err
	}
	s.file.Close()
	s.file, s.expired = file, s.expired+l.facts.Expired-before
	s.failed, s.unfolded = cmp.Or(err, s.load()), nil
	return s.failed
}

// fit fits a model like f to a ledger. It counts the CPU time since began.
func fit(
	ctx context.Context, f train.Made, l *ledger, o RetrainOptions, now time.Time, began time.Duration,
) (*filter.Filter, train.Refitted, error) {
	settings := f.Settings()
	reading, options, err := fittingOf(f)
	if err != nil {
		return nil, train.Refitted{}, err
	}
	reading.Workers, reading.Memory = o.Workers, o.Memory
	collection, err := l.mail().Divide(reading)
	if err != nil {
		return nil, train.Refitted{}, l.tooFew(err)
	}
	trained, err := train.Fit(ctx, collection, settings.Model, options)
	if err != nil {
		return nil, train.Refitted{}, l.tooFew(err)
	}
	fitted, refitted, err := collection.Refit(ctx, trained, options)
	if err != nil {
		return nil, train.Refitted{}, err
	}
	refitted.Seconds = (cputime.Process() - began).Seconds()
	l.facts.Fitted, l.facts.FitSeconds, l.facts.Changed = now.Unix(), refitted.Seconds, 0
	l.doubt(refitted.Doubtful)
	return fitted, refitted, nil
}

// tooFew returns [ErrTooFew] in place of errors of package train that mean it, which depend on how the messages were divided.
func (l *ledger) tooFew(err error) error {
	if !errors.Is(err, train.ErrNoMail) && !errors.Is(err, train.ErrOneClass) && !errors.Is(err, models.ErrNoDocuments) {
		return err
	}
	messages := make([]int, len(l.facts.Classes))
	for _, e := range l.entries {
		messages[e.Label]++
	}
	var have []string
	for c, class := range l.facts.Classes {
		have = append(have, fmt.Sprintf("%d of %s", messages[c], class))
	}
	return fmt.Errorf("%w: %s", ErrTooFew, strings.Join(have, ", "))
}

// mail returns the messages of a ledger.
func (l *ledger) mail() *train.Mail {
	entries := make([]train.Entry, len(l.entries))
	for i, e := range l.entries {
		entries[i] = e.Entry
	}
	return train.NewMail(l.facts.Classes, l.documents, entries)
}

// carryOver returns the model with what it has learned since the last base, over a vocabulary of the terms of the ledger.
func carryOver(f *filter.One, l *ledger) (*filter.Filter, error) {
	if _, err := f.NewLearner(); errors.Is(err, filter.ErrNotLearning) {
		return f.Filter()
	}
	p, err := train.ProvenanceOf(f)
	if err != nil {
		return nil, err
	}
	v, terms, err := train.VocabularyOf(l.documents, l.refs(), f.Kind(), p.Features)
	if err != nil {
		return nil, err
	}
	var learner models.Online
	if forgets(f) {
		learner, err = recounted(f, l, v)
	} else {
		learner, err = over(f, v)
	}
	if err != nil {
		return nil, err
	}
	linear, err := linearOf(learner)
	if err != nil {
		return nil, err
	}
	settings := f.Settings()
	l.choose(&settings, &p)
	info, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode provenance: %w", err)
	}
	return filter.New(filter.Parts{
		Settings: settings, Vocabulary: v, Linear: linear, Terms: terms, SaveTexts: p.Features.Texts, Provenance: info, Learned: learner,
	})
}

// enoughJudged is how many messages of each class the choice of thresholds takes.
const enoughJudged = 50

// choose chooses thresholds and calibration of a spam filter on the scores that messages had before they were learned, since the last fit:
// progressive validation. It leaves out messages that were learned by hand, because they are mostly those that the filter got wrong, and
// those that moved to another class, because a model before the fit may have judged them. For a model that was never fitted they are all
// there is. With few messages, thresholds and calibration are those of the fit; the probabilities of a model that was never fitted follow even
// from few, as [metrics.Calibrate] shrinks them.
func (l *ledger) choose(s *filter.Settings, p *train.Provenance) {
	if !filter.IsSpamFilter(s.Classes) {
		return
	}
	var margins, scores []float64
	var labels []int32
	var spam []bool
	var count [2]int
	for e := range l.judged {
		if l.facts.Fitted != 0 && (e.Way == ByHand || e.Relabelled || e.Learned.Unix() <= l.facts.Fitted) {
			continue
		}
		margins, scores = append(margins, e.Score), append(scores, 0, e.Score)
		labels, spam = append(labels, int32(e.Label)), append(spam, e.Label == filter.SpamClass)
		count[e.Label]++
	}
	if min(count[0], count[1]) < enoughJudged {
		if l.facts.Fitted == 0 {
			s.Calibration, _ = metrics.Calibrate(labels, scores, len(s.Classes))
		}
		if at := p.AtFit; at != nil {
			s.Thresholds, s.Calibration, p.Promise, p.AtFit = at.Thresholds, at.Calibration, at.Promise, nil
		}
		return
	}
	if p.AtFit == nil {
		p.AtFit = &train.Choice{Thresholds: s.Thresholds, Calibration: s.Calibration, Promise: p.Promise}
	}
	thresholds, _ := metrics.ChooseThresholds(margins, spam, l.scale(s.Model, p.Trainer), p.Limits)
	s.Thresholds = &thresholds
	p.Promise = nil
	if promise, ok := p.Limits.Promise(thresholds, margins, spam); ok {
		p.Promise = &promise
	}
	s.Calibration, _ = metrics.Calibrate(labels, scores, len(s.Classes))
}

// scale returns the scale of the scores of a model that has learned all messages, by its name and the settings of its trainer as JSON. It has
// no unit if these are of no trainer, as of weights by hand.
func (l *ledger) scale(model string, trainer json.RawMessage) metrics.Scale {
	o, err := models.OptionsFrom(model, trainer)
	if err != nil {
		return metrics.Scale{}
	}
	t, _, err := o.New(model, 0)
	if err != nil {
		return metrics.Scale{}
	}
	labels := make([]int32, len(l.entries))
	for i, e := range l.entries {
		labels[i] = int32(e.Label)
	}
	return train.ScaleOf(t, labels)
}

// linearOf returns the model of a learner: for counts the one that training gives.
func linearOf(l models.Online) (*models.Linear, error) {
	if counting, ok := l.(models.CountingLearner); ok {
		return counting.Fitted()
	}
	return l.Linear()
}

// commit writes a model and its store so that at any instant a reader finds a pair that belongs together: the new model waits beside
// the old one, the new store takes the place of the old one, then the new model does. It returns the new store, locked, also with an error
// if that is in place.
func commit(path string, f *filter.Filter, l *ledger) (*os.File, error) {
	for _, o := range Outputs(path) {
		if err := o.Kind.Check(o.Path); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(o.Path), err)
		}
	}
	var identity uint64
	var modelErr error
	var model sync.WaitGroup // which is written while the store is
	model.Go(func() {
		modelErr = replace.Like(path+nextSuffix, path, filter.FileKind(), filter.NewFileMode, func(file *os.File) (err error) {
			identity, err = f.SaveTo(file)
			return err
		})
	})
	file, err := replace.Locked(path+Suffix, path, storeKind(), filter.NewFileMode, func(file *os.File) error {
		size, err := l.save(file, f)
		model.Wait()
		if err = cmp.Or(err, modelErr); err != nil {
			return err
		}
		_, err = file.WriteAt(journal.Begin(nil, identity), size)
		return err
	})
	model.Wait()
	if err != nil {
		os.Remove(path + nextSuffix)
		return nil, err
	}
	// A crash of the system must not undo the first change and keep the second.
	err = syncFolder(path)
	if err == nil {
		err = os.Rename(path+nextSuffix, path)
	}
	if err == nil {
		err = syncFolder(path)
	}
	return file, replace.Reason(err)
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

// expire forgets the oldest messages beyond the limits.
func (l *ledger) expire(o Options, now time.Time) {
	date := func(e Entry) time.Time {
		if e.Time.IsZero() || e.Time.After(e.Learned) { // a sender can date a message in the future, so that it would never leave
			return e.Learned
		}
		return e.Time
	}
	oldest := make([]int, len(l.entries))
	for i := range oldest {
		oldest[i] = i
	}
	slices.SortStableFunc(oldest, func(i, j int) int { return date(l.entries[i]).Compare(date(l.entries[j])) })
	over := 0
	if o.MaxMessages > 0 {
		over = max(0, len(oldest)-o.MaxMessages)
	}
	for ; o.MaxAge > 0 && over < len(oldest) && now.Sub(date(l.entries[oldest[over]])).Hours() > 24*float64(o.MaxAge); over++ {
	}
	gone := make(map[int]bool, over)
	for _, i := range oldest[:over] {
		gone[i] = true
	}
	l.remove(func(i int) bool { return gone[i] })
	l.facts.Expired += over
	l.trusted = slices.DeleteFunc(l.trusted, func(e Entry) bool {
		return o.MaxAge > 0 && now.Sub(date(e)).Hours() > 24*float64(o.MaxAge)
	})
	if over := len(l.trusted) - o.MaxMessages; o.MaxMessages > 0 && over > 0 {
		l.trusted = l.trusted[over:]
	}
}
