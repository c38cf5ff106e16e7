package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/evaluate"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/models"
	"chaff/train"
)

// folds is the number of folds of the cross-validation, sets the number of corpora of Enron-Spam.
const (
	folds = 10
	sets  = 6
)

// measured is mail with the results of the models trained on it, the best on development mail first.
type measured struct {
	mail   train.Summary
	models []train.Result
}

// validated is mail with the results of cross-validation.
type validated struct {
	mail   train.Summary
	models []evaluate.CrossValidation
}

// measurements are all measurements. Each runs when it is first needed, and is kept. Mail is read once for each split method,
// and once for the replay.
type measurements struct {
	spamAssassin func() (measured, error)
	counts       func() (train.Result, error) // multinomial naive Bayes on counts, in the same parts
	replay       func() ([]evaluate.Replay, error)
	// With near-duplicates apart, wherever the hash of each puts it, and together.
	foldsApart, foldsTogether func() (validated, error)
	enronApart, enronTogether func() ([]measured, error)
	// Figures of docs/inside/recipe.md and docs/inside/results.md.
	recipe     func() (recipeFigures, error)
	ablation   func() (ablation, error)
	crossings  func() (crossed, error)
	small      func() (learningCurves, error)
	noise      func() (noisy, error)
	labels     func() (namings, error)
	goodWords  func() (attacked, error)
	languages  func() (languageFigures, error)
	bogofilter func() (duel, error)
	robust     func() (robustness, error)
	verdicts   func() (verdicts, error)
	mailboxes  func() (mailboxes, error)
	counted    func() (countedMail, error)
}

// bench is the environment of a measurement.
type bench struct {
	ctx      context.Context
	corpora  string // the folder
	settings config.Config
	progress io.Writer
	part     corpus.Part // that models are judged on in protocols

	// Mail with the default settings and a split by hash, and in the order of time, each read when it is asked for first.
	spamAssassinApart func() (*train.Collection, error)
	enronApart        func() ([]*train.Collection, error)
	inOrder           func() (*train.Mail, error)
	letters           func() ([]letter, error) // of SpamAssassin
}

// measure prepares all measurements on the mail in the folder corpora. It reports progress line by line.
func measure(ctx context.Context, corpora string, progress io.Writer) measurements {
	b := newBench(ctx, corpora, progress)
	apart := b.spamAssassinApart
	together := func() (*train.Collection, error) { return b.readSpamAssassin(corpus.SplitGrouped) }
	return measurements{
		spamAssassin:  sync.OnceValues(func() (measured, error) { return b.compare(apart) }),
		counts:        sync.OnceValues(func() (train.Result, error) { return b.trainOnCounts(apart) }),
		replay:        sync.OnceValues(b.replaySpamAssassin),
		foldsApart:    sync.OnceValues(func() (validated, error) { return b.crossValidate(apart) }),
		foldsTogether: sync.OnceValues(func() (validated, error) { return b.crossValidate(together) }),
		enronApart:    sync.OnceValues(func() ([]measured, error) { return b.compareEnron(corpus.SplitByHash) }),
		enronTogether: sync.OnceValues(func() ([]measured, error) { return b.compareEnron(corpus.SplitGrouped) }),
		recipe:        sync.OnceValues(recipeTest{b}.measureRecipe),
		ablation:      sync.OnceValues(recipeTest{b}.measureAblation),
		crossings:     sync.OnceValues(crossTest{b}.measureCrossings),
		small:         sync.OnceValues(curveTest{b}.measureSmall),
		noise:         sync.OnceValues(protocolTest{b}.measureNoise),
		labels:        sync.OnceValues(labelTest{b}.measureLabels),
		goodWords:     sync.OnceValues(wordTest{b}.measureGoodWords),
		languages:     sync.OnceValues(languageTest{b}.measureLanguages),
		bogofilter:    sync.OnceValues(pairTest{b}.measureBogofilter),
		robust:        sync.OnceValues(protocolTest{b}.measureRobust),
		verdicts:      sync.OnceValues(mailboxTest{b}.measureVerdicts),
		mailboxes:     sync.OnceValues(mailboxTest{b}.measureMailboxes),
		counted:       sync.OnceValues(mailboxTest{b}.measureCounts),
	}
}

func newBench(ctx context.Context, corpora string, progress io.Writer) *bench {
	b := &bench{ctx: ctx, corpora: corpora, settings: config.Default(), progress: progress, part: corpus.Test}
	b.spamAssassinApart = sync.OnceValues(func() (*train.Collection, error) { return b.readSpamAssassin(corpus.SplitByHash) })
	b.enronApart = sync.OnceValues(func() ([]*train.Collection, error) { return b.readEnron(corpus.SplitByHash) })
	b.inOrder = sync.OnceValues(b.readInOrder)
	b.letters = sync.OnceValues(b.readLetters)
	return b
}

func (b *bench) tell(format string, args ...any) {
	screen.Printf(b.progress, "figures: "+format+"\n", args...)
}

// classes are the classes of a spam filter. In this order, the score is that of spam over ham.
func classes() []string { return []string{sources.Ham, sources.Spam} }

// spamAssassin lists the SpamAssassin public corpus.
func (b *bench) spamAssassin() (corpus.Source, error) {
	var opened []corpus.Source
	for _, folder := range []struct {
		name  string
		label string
	}{
		{"easy-ham-1", sources.Ham}, {"easy-ham-2", sources.Ham}, {"hard-ham-1", sources.Ham},
		{"spam-1", sources.Spam}, {"spam-2", sources.Spam},
	} {
		mail, err := sources.OpenLabelled(filepath.Join(b.corpora, "sa", folder.name), sources.Options{Label: folder.label})
		if err != nil {
			return nil, err
		}
		opened = append(opened, mail.Source)
	}
	return corpus.Concat(opened...), nil
}

func (b *bench) readSpamAssassin(method string) (*train.Collection, error) {
	source, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	b.tell("SpamAssassin, split %s: reading", method)
	return b.collect(source, method)
}

// collect reads mail and splits it by the given method.
func (b *bench) collect(source corpus.Source, method string) (*train.Collection, error) {
	return train.Collect(b.ctx, source, classes(), b.collectOptions(method))
}

func (b *bench) collectOptions(method string) train.CollectOptions {
	s := b.settings
	s.Split.Method = method
	return train.CollectOptions{
		ReadOptions: train.ReadOptions{Reading: filter.Reading{Message: s.Message, Tokenize: s.Tokenize}, Workers: s.Workers},
		Features:    s.Features, Split: s.Split, Seed: s.Seed,
	}
}

func (b *bench) trainOptions() train.Options {
	return train.Options{Models: b.settings.Models, Thresholds: b.settings.Thresholds}
}

// compare trains every model. A model that diverges is an error.
func (b *bench) compare(mail func() (*train.Collection, error)) (measured, error) {
	collection, err := mail()
	if err != nil {
		return measured{}, err
	}
	b.tell("  training every model")
	compared, failed, err := evaluate.Compare(b.ctx, collection, models.Names(), b.trainOptions())
	if err := errors.Join(err, errors.Join(failed...)); err != nil {
		return measured{}, err
	}
	m := measured{mail: collection.Summary()}
	for _, t := range compared {
		m.models = append(m.models, t.Result)
	}
	return m, nil
}

func (b *bench) trainOnCounts(mail func() (*train.Collection, error)) (train.Result, error) {
	collection, err := mail()
	if err != nil {
		return train.Result{}, err
	}
	o := b.trainOptions()
	o.Models.Multinomial.Features = features.Counts.String()
	t, err := train.Fit(b.ctx, collection, "multinomial", o)
	return t.Result, err
}

func (b *bench) crossValidate(mail func() (*train.Collection, error)) (validated, error) {
	collection, err := mail()
	if err != nil {
		return validated{}, err
	}
	b.tell("  training every model on each of %d folds", folds)
	results, err := evaluate.CrossValidate(b.ctx, collection, models.Names(), folds, b.trainOptions())
	return validated{collection.Summary(), results}, err
}

// enron lists corpus n of Enron-Spam.
func (b *bench) enron(n int) (corpus.Source, error) {
	mail, err := sources.OpenLabelled(filepath.Join(b.corpora, "enron", fmt.Sprintf("enron%d", n)), sources.Options{Format: sources.Subfolders})
	return mail.Source, err
}

// compareEnron compares every model on each corpus of Enron-Spam.
func (b *bench) compareEnron(method string) ([]measured, error) {
	var all []measured
	for n := 1; n <= sets; n++ {
		source, err := b.enron(n)
		if err != nil {
			return nil, err
		}
		m, err := b.compare(func() (*train.Collection, error) {
			b.tell("enron%d, split %s: reading", n, method)
			return b.collect(source, method)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// readInOrder reads the SpamAssassin public corpus in the order of time.
func (b *bench) readInOrder() (*train.Mail, error) {
	source, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	return b.collectInOrder(source)
}

// collectInOrder reads mail in the order of time.
func (b *bench) collectInOrder(source corpus.Source) (*train.Mail, error) {
	b.tell("SpamAssassin, in the order of time: reading")
	mail, err := train.Read(b.ctx, source, classes(), train.ReadOptions{
		Reading: filter.Reading{Message: b.settings.Message, Tokenize: b.settings.Tokenize}, Workers: b.settings.Workers, Copies: true,
	})
	if err != nil {
		return nil, err
	}
	return evaluate.ByTime(mail)
}

func (b *bench) replayOptions() train.Options {
	o := train.DefaultOptions()
	o.Models = b.settings.Models
	return o
}

// replay replays mail to models, in parallel.
func (b *bench) replay(mail *train.Mail, names []string) ([]evaluate.Replay, error) {
	return inParallel(len(names), func(i int) (evaluate.Replay, error) {
		return evaluate.ReplayTo(b.ctx, names[i], mail, b.replayOptions())
	})
}

// replaySpamAssassin replays the SpamAssassin public corpus to every model in the order of time.
func (b *bench) replaySpamAssassin() ([]evaluate.Replay, error) {
	mail, err := b.inOrder()
	if err != nil {
		return nil, err
	}
	b.tell("  replaying it to every model")
	return b.replay(mail, models.Names())
}
