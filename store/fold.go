package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/journal"
	"chaff/internal/replace"
	"chaff/train"
)

// nextSuffix is what the name of a model has that waits for the store to be in place.
const nextSuffix = ".next"

// Create begins the store of a model that was fitted to all messages of mail, and saves both. An older store is replaced. The mail must have been read with
// [train.CollectOptions] that keep a ledger.
func Create(ctx context.Context, path string, mail *train.Mail, f *filter.Filter, fitSeconds float64) error {
	target, err := replace.Target(path)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	s := &Store{path: target, now: time.Now}
	if old, err := lockFile(ctx, target+Suffix); err == nil {
		defer old.Close()
	} else if !errors.Is(err, ErrNone) {
		return fmt.Errorf("save %s: %w", path, err)
	}
	now := s.now().UTC().Truncate(time.Second)
	l := &ledger{documents: mail.Documents(), facts: facts{Classes: mail.Classes(), Fitted: now.Unix(), FitSeconds: fitSeconds, Begun: now.Unix()}}
	for _, e := range mail.Entries() {
		l.entries = append(l.entries, Entry{Entry: e, Learned: now, Way: ByTraining, Score: nan(), Class: -1})
	}
	l.hasTexts = f.SavesTexts()
	if err := s.commit(f, l); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return s.file.Close()
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

// Retrain fits the model again to all messages of the ledger, with the settings it was trained with. The result is what training on these messages at once gives.
func (s *Store) Retrain(ctx context.Context, o RetrainOptions) (train.Refitted, error) {
	f := fitting{RetrainOptions: o}
	if err := s.consolidate(ctx, &f); err != nil {
		return f.refitted, fmt.Errorf("fit the model to %s: %w", s.path+Suffix, err)
	}
	return f.refitted, nil
}

// fitting is a fit in progress.
type fitting struct {
	RetrainOptions
	refitted train.Refitted
}

// consolidate makes a new base and a new model of the base and the journal. Without a fitting the model goes on from where it is.
func (s *Store) consolidate(ctx context.Context, fit *fitting) error {
	l, err := s.ledger()
	if err != nil {
		return err
	}
	l.expire(s.options, s.now())
	if err := s.prepare(); err != nil {
		return err
	}
	var f *filter.Filter
	if fit != nil {
		f, err = s.fit(ctx, l, fit)
	} else {
		f, err = s.carryOver(l)
	}
	if err != nil {
		return err
	}
	old := s.file
	if err := s.commit(f, l); err != nil {
		return err
	}
	old.Close()
	return s.load()
}

// fit fits the model to the ledger.
func (s *Store) fit(ctx context.Context, l *ledger, fit *fitting) (*filter.Filter, error) {
	began := cputime.Process()
	settings := s.filter.Settings()
	p, err := train.ProvenanceOf(s.filter)
	if err != nil {
		return nil, err
	}
	options := train.Options{Thresholds: p.Limits}
	if options.Models, err = train.ModelOptions(settings.Model, p.Trainer); err != nil {
		return nil, err
	}
	entries := make([]train.Entry, len(l.entries))
	for i, e := range l.entries {
		entries[i] = e.Entry
	}
	collection, err := train.NewMail(settings.Classes, l.documents, entries).Divide(train.CollectOptions{
		Reading: settings.Reading(), Features: p.Features, Split: p.Split, Seed: p.Seed, Workers: fit.Workers, Memory: fit.Memory,
	})
	if err != nil {
		return nil, err
	}
	trained, err := train.Fit(ctx, collection, settings.Model, options)
	if err != nil {
		return nil, err
	}
	f, refitted, err := collection.Refit(ctx, trained, options)
	if err != nil {
		return nil, err
	}
	fit.refitted = refitted
	l.facts.Fitted, l.facts.FitSeconds, l.facts.Changed = s.now().Unix(), (cputime.Process() - began).Seconds(), 0
	return f, nil
}

// carryOver returns the model with what it has learned since the last base, over a vocabulary of the terms of the ledger.
func (s *Store) carryOver(l *ledger) (*filter.Filter, error) {
	p, err := train.ProvenanceOf(s.filter)
	if err != nil {
		return nil, err
	}
	refs := make([]features.Ref, len(l.entries))
	for i, e := range l.entries {
		refs[i] = e.Terms
	}
	v, terms, err := train.VocabularyOf(l.documents, refs, s.filter.Kind(), p.Features, 1)
	if err != nil {
		return nil, err
	}
	learner, err := s.state.over(v)
	if err != nil {
		return nil, err
	}
	linear, err := learner.Linear()
	if err != nil {
		return nil, err
	}
	info, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return filter.New(filter.Parts{
		Settings: s.filter.Settings(), Vocabulary: v, Linear: linear, Terms: terms, SaveTexts: p.Features.Texts, Provenance: info, Learned: learner,
	})
}

// commit writes the model and the store so that at any instant a reader finds a pair that belongs together: the new model waits beside the old one, the
// new store takes the place of the old one, then the new model does. On success s.file is the new store, locked.
func (s *Store) commit(f *filter.Filter, l *ledger) error {
	model, err := f.Encode()
	if err != nil {
		return err
	}
	identity, err := filter.IdentityOf(model)
	if err != nil {
		return err
	}
	base, err := l.encode(1)
	if err != nil {
		return err
	}
	if err := replace.Like(s.path+nextSuffix, s.path, model, filter.NewFileMode); err != nil {
		return err
	}
	file, err := replace.Locked(s.path+Suffix, journal.Begin(base, identity), filter.NewFileMode)
	if err != nil {
		os.Remove(s.path + nextSuffix)
		return err
	}
	s.file = file
	return withoutPath(os.Rename(s.path+nextSuffix, s.path))
}

// expire forgets the oldest messages beyond the limits.
func (l *ledger) expire(o Options, now time.Time) {
	date := func(e Entry) time.Time {
		if e.Time.IsZero() {
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
	for ; o.MaxAge > 0 && over < len(oldest) && now.Sub(date(l.entries[oldest[over]])) > time.Duration(o.MaxAge)*24*time.Hour; over++ {
	}
	gone := make(map[int]bool, over)
	for _, i := range oldest[:over] {
		gone[i] = true
	}
	l.remove(func(i int) bool { return gone[i] })
	l.facts.Expired += over
}
