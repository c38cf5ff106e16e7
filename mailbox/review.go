package mailbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/internal/parallel"
	"chaff/message"
	"chaff/models"
	"chaff/store"
	"chaff/train"
)

// Reviewed is a message of a mailbox whose folder and verdict differ.
type Reviewed struct {
	Path    string `json:"path"`
	Folder  string `json:"folder"`
	Subject string `json:"subject"`
	// Label is what the folder says; of a file that said so before, the label in the store, which may have been given by hand since. It is empty
	// if the folder says nothing.
	Label string `json:"label"`
	// Verdict, Score and Probability, that of spam, come from a model that has not learned the message: the filter, or if that has, the
	// model of a fold without it.
	Verdict     filter.Verdict `json:"verdict"`
	Score       float64        `json:"score"`
	Probability float64        `json:"probability"`
	// Learned reports whether the filter has learned the message, and Now is what the filter itself says.
	Learned bool           `json:"learned"`
	Now     filter.Verdict `json:"verdict_now"`
	// Doubtful reports whether the label may be wrong: the other class has a probability of at least 0.95.
	Doubtful bool `json:"doubtful"`

	item corpus.Item
}

// ReviewedFolder counts the verdicts on the messages of a folder.
type ReviewedFolder struct {
	Folder string `json:"folder"`
	Label  string `json:"label"` // empty for unseen mail
	train.ByVerdict
}

// Review is what a filter says of a mailbox.
type Review struct {
	Messages int              `json:"messages"`
	Folders  []ReviewedFolder `json:"folders"`
	// Learned is the number of messages that the filter has learned. Folds is the number of models that judge these messages, each by one
	// that has not learned it, or 0 if there is too little mail for that: the filter itself judges them then, and knows the answer.
	Learned int `json:"learned"`
	Folds   int `json:"folds"`
	// Contradicted is the number of learned messages on which the filter itself contradicts the label.
	Contradicted int `json:"contradicted_now"`
	// Differing are the messages whose verdict is not their label, the least probable label first. Of unseen mail it has the spam.
	Differing []Reviewed `json:"differing"`
	// Problems are messages and folders that cannot be read.
	Problems []string `json:"problems,omitempty"`
}

// Doubtful returns the messages whose labels may be wrong, the least probable label first.
func (r Review) Doubtful() []Reviewed {
	return slices.DeleteFunc(slices.Clone(r.Differing), func(m Reviewed) bool { return !m.Doubtful })
}

// ReviewOptions configure a review. They change no result.
type ReviewOptions struct {
	Workers  int
	Memory   int64
	Progress func(read, all int)
}

const (
	reviewFolds = 5
	// doubt is the least probability of a class that contradicts a label.
	doubt = 0.95
)

// Review classifies the messages of the mailbox with the filter f. Messages that the filter has learned are in view; without a store it
// is nil, and all messages of the mailbox count as learned.
func (m *Mailbox) Review(ctx context.Context, f *filter.Filter, view *store.View, o ReviewOptions) (Review, error) {
	r := Review{Differing: []Reviewed{}}
	if !filter.IsSpamFilter(f.Settings().Classes) {
		return r, ErrClasses
	}
	mail, err := m.learnedMail(ctx, f, view, o)
	if err != nil && !errors.Is(err, train.ErrNoMail) {
		return r, err
	}
	learned, unseen := map[uint64]string{}, map[uint64]outcome(nil) // labels, verdicts
	if mail != nil {
		for _, e := range mail.Entries() {
			learned[e.Fingerprint] = f.Settings().Classes[e.Label]
		}
		if unseen, err = outOfFold(ctx, f, mail, o); err != nil {
			return r, err
		}
	}
	if len(unseen) > 0 {
		r.Folds = reviewFolds
	}
	r.Problems = m.problemTexts()
	saidBefore, err := m.saidBefore(view)
	if err != nil {
		return r, err
	}
	for row, folder := range m.plan.Folders {
		if folder.Role == sources.LeftOut && !folder.Unseen() {
			continue
		}
		judged, problems, err := m.judge(ctx, f, row, func(fingerprint uint64) (outcome, bool, string) {
			u, ok := unseen[fingerprint]
			return u, ok, learned[fingerprint]
		}, o)
		if err != nil {
			return r, err
		}
		r.Problems = append(r.Problems, problems...)
		for i := range judged {
			if !saidBefore(judged[i].item, folder) {
				judged[i].Label = ""
			}
		}
		r.add(folder, judged)
	}
	slices.SortStableFunc(r.Differing, func(a, b Reviewed) int { return cmp.Compare(a.labelProbability(), b.labelProbability()) })
	return r, r.addSubjects(ctx, f.Settings().Message)
}

// saidBefore returns a function that reports whether a file was in a folder of the same class when the mailbox was last compared with the
// store.
func (m *Mailbox) saidBefore(view *store.View) (func(item corpus.Item, folder sources.PlanFolder) bool, error) {
	if view == nil {
		return func(corpus.Item, sources.PlanFolder) bool { return false }, nil
	}
	k, err := m.knowledge(view, nil)
	return func(item corpus.Item, folder sources.PlanFolder) bool {
		s, seen := k.sightings[view.NameHash(sources.UniqueName(path.Base(item.Origin)))]
		return seen && k.classes[s.Label] == folder.Role.String()
	}, err
}

// labelProbability returns the probability of the label; unseen mail counts as ham.
func (m Reviewed) labelProbability() float64 {
	if m.Label == sources.Spam.String() {
		return m.Probability
	}
	return 1 - m.Probability
}

// add counts the messages of a folder.
func (r *Review) add(folder sources.PlanFolder, judged []Reviewed) {
	counts := ReviewedFolder{Folder: folder.Name}
	if folder.Role != sources.LeftOut {
		counts.Label = folder.Role.String()
	}
	for _, m := range judged {
		if counts.Label == "" || m.Label == "" {
			m.Label = counts.Label
		}
		verdicts := train.VerdictCounts{}
		verdicts.Add(false, m.Verdict)
		counts.Ham, counts.Unsure, counts.Spam = counts.Ham+verdicts.Ham.Ham, counts.Unsure+verdicts.Ham.Unsure, counts.Spam+verdicts.Ham.Spam
		if m.Learned {
			r.Learned++
			if m.Label != "" && m.Now != filter.Unsure && string(m.Now) != m.Label {
				r.Contradicted++
			}
		}
		m.Doubtful = m.Label != "" && 1-m.labelProbability() >= doubt
		if m.Doubtful || m.Label != "" && string(m.Verdict) != m.Label || m.Label == "" && m.Verdict == filter.Spam {
			r.Differing = append(r.Differing, m)
		}
	}
	r.Messages += len(judged)
	if len(judged) > 0 {
		r.Folders = append(r.Folders, counts)
	}
}

// addSubjects reads the subjects of the messages that differ.
func (r *Review) addSubjects(ctx context.Context, o message.Options) error {
	decoder := message.NewDecoder(o)
	var raw []byte
	for i := range r.Differing {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		if raw, err = r.Differing[i].item.Read(raw); err == nil {
			r.Differing[i].Subject = string(decoder.Decode(raw).Get("subject"))
		}
	}
	return nil
}

// judge classifies the messages of a folder. of returns what is known of a message: its label is empty if the filter has not learned it.
func (m *Mailbox) judge(
	ctx context.Context, f *filter.Filter, row int, of func(fingerprint uint64) (o outcome, unseen bool, label string), o ReviewOptions,
) (judged []Reviewed, problems []string, err error) {
	var items []corpus.Item
	for item, err := range m.plan.SourceOf(row) {
		if err == nil {
			items = append(items, item)
		} else if m.problems[row] == nil || item.Content != nil {
			problems = append(problems, err.Error())
		}
	}
	all := make([]*Reviewed, len(items))
	var mutex sync.Mutex
	buffers := make([][]byte, parallel.Workers(o.Workers))
	parallel.Ranges(len(buffers), len(items), 16, func(worker, from, to int) {
		for i := from; i < to && ctx.Err() == nil; i++ {
			raw, err := items[i].Read(buffers[worker])
			if errors.Is(err, fs.ErrNotExist) {
				continue // it has moved since it was listed
			}
			if err != nil {
				mutex.Lock()
				problems = append(problems, err.Error())
				mutex.Unlock()
				continue
			}
			buffers[worker] = raw
			v := f.Classify(raw)
			r := Reviewed{Path: items[i].Origin, Folder: m.plan.Folders[row].Name, Now: v.Verdict, item: items[i]}
			without, unseen, label := of(store.Fingerprint(f, raw))
			if r.Label, r.Learned = label, label != ""; unseen {
				r.Verdict, r.Score, r.Probability = without.verdict, without.score, without.probability
			} else {
				r.Verdict, r.Score, r.Probability = v.Verdict, v.Score, v.Probability
			}
			all[i] = &r
		}
	})
	for _, r := range all {
		if r != nil {
			judged = append(judged, *r)
		}
	}
	slices.Sort(problems)
	return judged, problems, ctx.Err()
}

// learnedMail returns the messages that a filter has learned: those of its store, or without one those of the mailbox.
func (m *Mailbox) learnedMail(ctx context.Context, f *filter.Filter, view *store.View, o ReviewOptions) (*train.Mail, error) {
	if view != nil {
		return view.Mail(), nil
	}
	s := f.Settings()
	return train.Read(ctx, m.plan.Source(), s.Classes, train.ReadOptions{
		Reading: s.Reading(), Ledger: true, Workers: o.Workers, Memory: o.Memory, Progress: o.Progress,
	})
}

// outcome is what a model says of a message that it has not learned.
type outcome struct {
	verdict            filter.Verdict
	score, probability float64
}

// outOfFold judges each message by a model of the other folds, with the settings of f. Near-duplicates share a fold. It judges none if
// there is too little mail.
func outOfFold(ctx context.Context, f *filter.Filter, mail *train.Mail, o ReviewOptions) (map[uint64]outcome, error) {
	settings := f.Settings()
	p, err := train.ProvenanceOf(f)
	if err != nil {
		return nil, err
	}
	options := train.Options{Thresholds: p.Limits}
	if options.Models, err = models.OptionsFrom(settings.Model, p.Trainer); err != nil {
		return nil, err
	}
	split := corpus.DefaultSplitOptions()
	split.Method = corpus.SplitGrouped
	c, err := mail.Divide(train.CollectOptions{
		Reading: settings.Reading(), Features: p.Features, Split: split, Seed: p.Seed, Workers: o.Workers, Memory: o.Memory,
	})
	entries, all := mail.Entries(), map[uint64]outcome{}
	for round := 0; round < reviewFolds && err == nil; round++ {
		err = judgeFold(ctx, c, settings.Model, options, round, func(member int, o outcome) { all[entries[member].Fingerprint] = o })
	}
	if errors.Is(err, train.ErrOneClass) || errors.Is(err, train.ErrNoMail) || errors.Is(err, models.ErrNoDocuments) {
		return nil, nil
	}
	return all, err
}

// judgeFold judges the messages of one fold by a model of the others.
func judgeFold(ctx context.Context, c *train.Collection, model string, o train.Options, round int, judged func(member int, o outcome)) error {
	members := c.Members()
	for i, member := range members {
		members[i].Part = corpus.Fold(c.Options().Seed, member.Group, round, reviewFolds)
	}
	fold, err := c.Select(members)
	if err != nil {
		return err
	}
	trained, err := train.Fit(ctx, fold, model, o)
	if err != nil {
		return fmt.Errorf("fold %d of %d: %w", round+1, reviewFolds, err)
	}
	margins, scores := trained.Test.Margins(), trained.Test.Calibrated(trained.Result.Calibration)
	for i, member := range fold.InPart(corpus.Test) {
		judged(member, outcome{filter.VerdictOn(margins[i], *trained.Result.Thresholds), margins[i], scores.Probabilities[2*i+filter.SpamClass]})
	}
	return nil
}
