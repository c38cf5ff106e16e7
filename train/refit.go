package train

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/indices"
	"chaff/metrics"
	"chaff/models"
)

// Refitted describes a model that was fitted to all the mail.
type Refitted struct {
	Messages  int `json:"messages"`           // the number of messages of the collection, all of which the model was fitted to
	OutOfFold int `json:"out_of_fold_scores"` // the number of messages with an out-of-fold score
	Terms     int `json:"terms"`
	// Choice, Verdicts and Cost come from the out-of-fold scores, as those of [Result] from its parts.
	Choice
	Verdicts *metrics.VerdictCounts `json:"out_of_fold_verdicts,omitempty"`
	Cost     *float64               `json:"out_of_fold_cost,omitempty"`
	// Doubts are the messages whose labels may be wrong, the greatest doubt first, and Doubtful is their number. No person has confirmed these labels.
	Doubts   []metrics.Doubt `json:"-"`
	Doubtful int             `json:"doubtful"`
	Warnings []string        `json:"warnings,omitempty"`   // reasons to doubt the model, its thresholds or its calibration
	Seconds  float64         `json:"training_cpu_seconds"` // the CPU time of Refit; of a fit to a log, that of all but saving
}

// Refit fits the model of t, which [Fit] fitted to c, to all documents of c. The provenance of the filter that it returns keeps the
// figures of t and says that they belong to a model of the training part.
//
// Thresholds and calibration come from out-of-fold scores: each document is scored by a model that was not fitted to it.
//
//	documents                        scored by
//	development and test part        the model of t, fitted to the training part
//	training part                    a model fitted to the development and the test part
//
// A model of the development and the test part would be weak if they have less than a third or less than 500 of the messages of a class. Refit
// then divides the training part into two halves, by the groups of the documents, and scores each half by a model fitted to everything else.
//
// A model of less mail has scores on a smaller scale and separates the classes less well. For ham the second effect is larger: the
// greatest out-of-fold scores exceed those of new ham, so the thresholds err on the safe side. docs/inside/results.md measures how often they
// keep their guarantee.
//
// The filter has the learner of the model, which goes on from all the mail, unless the trainer has none.
//
// Documents have no score if the mail without their fold lacks a class; a warning counts them. The error comes from the trainer.
func (c *Collection) Refit(ctx context.Context, t Trained, o Options) (*filter.Filter, Refitted, error) {
	began := cputime.Process()
	name := t.Result.Model
	same := o.Models
	if same.Votes.Epochs == 0 {
		same.Votes.Epochs = t.Result.Passes // as many as in the fit that was measured
	}
	trainer, kind, err := same.New(name, c.Options.Seed)
	if err != nil {
		return nil, Refitted{}, err
	}
	scores := Scores{Classes: len(c.Classes)}
	scores.Append(t.Development)
	scores.Append(t.Test)
	scored := slices.Concat(c.InPart(corpus.Development), c.InPart(corpus.Test)) // the messages of the scores
	usual := c.usual(t)
	folds := c.trainingFolds() // c and t are out of use from here on, and their memory is free
	ReleaseMemory()
	all := *c // whose summary has the sizes of the parts
	all.parts = make([]corpus.Part, len(c.parts))
	if err := all.buildVocabulary(); err != nil {
		return nil, Refitted{}, err
	}
	d := all.Dataset(corpus.Train, kind)
	defer ReleaseMemory() // who saves the model needs the memory
	for _, fold := range folds {
		ReleaseMemory()
		outOfFold, err := o.scoreFold(ctx, trainer, d, fold)
		if err != nil {
			return nil, Refitted{}, fmt.Errorf("train %s for out-of-fold scores: %w", name, err)
		}
		if scores.Append(outOfFold); len(outOfFold.Labels) > 0 {
			scored = append(scored, fold...)
		}
	}
	ReleaseMemory()
	linear, report, err := trainer.Train(ctx, d, o.unwatched())
	if err != nil {
		return nil, Refitted{}, fmt.Errorf("train %s on all the mail: %w", name, err)
	}
	chosen, doubts := o.choose(&all, scores, scored, trainer)
	r := Refitted{
		Messages: d.Len(), OutOfFold: len(scores.Labels), Terms: all.termsOf(kind).Vocabulary.Len(), Warnings: report.Warnings, Choice: chosen,
	}
	typical := metrics.TypicalOf(scores.Labels, scores.Scores, scores.Classes)
	for _, doubt := range typical.Doubtful(scores.Labels, scores.Scores) {
		if doubt.Message = scored[doubt.Message]; !all.documents[doubt.Message].Confirmed {
			r.Doubts = append(r.Doubts, doubt)
		}
	}
	r.Doubtful = len(r.Doubts)
	if missing := len(all.documents) - r.OutOfFold; missing > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the thresholds are chosen without %d of %d messages: a class would have none left to learn from", missing, len(all.documents)))
	}
	r.Warnings = append(r.Warnings, doubts...)
	if chosen.Thresholds != nil {
		r.Verdicts = scores.Margins().Verdicts(*chosen.Thresholds)
		r.Cost = o.Thresholds.Cost(*r.Verdicts)
	}
	f, err := all.newFilter(name, linear, report.Learned, o, chosen, Provenance{
		Train: t.Result.Train, Development: t.Result.Development, Test: t.Result.Test,
		FittedTo: r.Messages, OutOfFold: r.OutOfFold, Usual: usual, Typical: typical, Verdicts: r.Verdicts,
	})
	r.Seconds = (cputime.Process() - began).Seconds()
	return f, r, errors.Join(err, d.Err())
}

const (
	// enoughToScore is the share of each class that a model must be fitted to for its scores to be used, and manyToScore the number: with fewer,
	// another model costs little, and the scores find more wrong labels.
	enoughToScore = 1. / 3
	manyToScore   = 500
	// halvesSeed changes the seed for dividing the training part into halves: under the seed itself all its documents have a low chance.
	halvesSeed = 0x68616c766573
)

// trainingFolds returns the documents of the training part, in one fold or two.
func (c *Collection) trainingFolds() [][]int {
	training := c.InPart(corpus.Train)
	others, enough := make([]int, len(c.Classes)), true // messages of each class that are not in it
	for i, d := range c.documents {
		if c.parts[i] != corpus.Train {
			others[d.Label]++
		}
	}
	for label, class := range c.summary.Classes {
		enough = enough && float64(others[label]) >= max(manyToScore, enoughToScore*float64(class.Messages))
	}
	if enough {
		return [][]int{training}
	}
	even := corpus.SplitOptions{Train: 0.5, Development: 0.5}
	folds := make([][]int, 2)
	for _, i := range training {
		half := even.ByHash(c.Options.Seed^halvesSeed, c.groups[i])
		folds[half] = append(folds[half], i)
	}
	return folds
}

// scoreFold scores the documents of a fold by a model of all other documents of d. It scores none if the others lack a class.
func (o Options) scoreFold(ctx context.Context, t models.Trainer, d *features.Dataset, fold []int) (Scores, error) {
	inFold := make([]bool, d.Len())
	for _, i := range fold {
		inFold[i] = true
	}
	others := slices.DeleteFunc(indices.Below[int](d.Len()), func(i int) bool { return inFold[i] })
	linear, _, err := t.Train(ctx, d.Subset(others), o.unwatched())
	if errors.Is(err, models.ErrNoDocuments) {
		return Scores{}, nil
	}
	if err != nil {
		return Scores{}, err
	}
	return Score(linear, d.Subset(fold)), nil
}

// some returns up to 1,000 of the messages of each class, which say what is usual. The order in which mail is found does not decide which.
func (c *Collection) some(messages []int) []int {
	c.sort(messages)
	byLabel := make([]int, len(c.Classes))
	return slices.DeleteFunc(messages, func(i int) bool {
		byLabel[c.documents[i].Label]++
		return byLabel[c.documents[i].Label] > 1000
	})
}

// usual returns how new the messages of the development and the test part are to the model of t, by the class that it gives them, or nil.
func (c *Collection) usual(t Trained) []metrics.Usual {
	if t.Filter.Kind() == features.Whole {
		return nil
	}
	held := slices.Concat(c.InPart(corpus.Development), c.InPart(corpus.Test))
	class := make(map[int]int32, len(held))
	for n, prediction := range slices.Concat(t.Development.Predictions, t.Test.Predictions) {
		class[held[n]] = prediction
	}
	held = c.some(held)
	documents, labels := c.rows(held)
	of := make([][]float64, len(c.Classes))
	for n, novelty := range c.terms.Dataset(features.Bits, c.Classes, documents, labels, c.Options.Workers).Novelty() {
		of[class[held[n]]] = append(of[class[held[n]]], novelty)
	}
	usual, known := make([]metrics.Usual, len(c.Classes)), 0
	for class, novelty := range of {
		usual[class] = metrics.NewUsual(novelty)
		known += usual[class].Messages
	}
	if known == 0 {
		return nil
	}
	return usual
}

// Quick fits the named model once, to all documents of c, which is undivided, and measures nothing: no figures, no guarantee, no doubtful labels.
//
// Thresholds and calibration come from scores of some messages of each class. Naive Bayes forgets each of them while it scores it. Other
// models have learned them, so their scores are greater than those of new messages by up to a third, and fewer of these are called spam. The
// thresholds of a model whose scores have a unit come from that ([metrics.ChooseThresholds]); what is measured on learned mail moves them seldom.
func (c *Collection) Quick(ctx context.Context, model string, o Options) (*filter.Filter, Refitted, error) {
	began := cputime.Process()
	trainer, kind, err := o.Models.New(model, c.Options.Seed)
	if err != nil {
		return nil, Refitted{}, err
	}
	defer ReleaseMemory() // who saves the model needs the memory
	d := c.Dataset(corpus.Train, kind)
	linear, report, err := trainer.Train(ctx, d, o.unwatched())
	if err != nil {
		return nil, Refitted{}, fmt.Errorf("train %s: %w", model, err)
	}
	scored := c.some(c.InPart(corpus.Train))
	scores := scoreLearned(linear, report.Learned, d.Subset(scored))
	chosen, doubts := o.choose(c, scores, scored, trainer)
	chosen.Promise = nil
	r := Refitted{Messages: d.Len(), Terms: c.termsOf(kind).Vocabulary.Len(), Warnings: slices.Concat(report.Warnings, doubts), Choice: chosen}
	if err := d.Err(); err != nil {
		return nil, Refitted{}, err
	}
	typical := metrics.TypicalOf(scores.Labels, scores.Scores, scores.Classes)
	f, err := c.newFilter(model, linear, report.Learned, o, chosen, Provenance{FittedTo: r.Messages, Typical: typical})
	r.Seconds = (cputime.Process() - began).Seconds()
	return f, r, err
}

// scoreLearned scores documents that a model has learned. A learner that can forget forgets each while it scores it, unless its class has no other.
func scoreLearned(linear *models.Linear, learned *models.Online, d *features.Dataset) Scores {
	s := Score(linear, d)
	if learned == nil || !learned.Forgets() {
		return s
	}
	ofClass := make([]int, s.Classes)
	for _, label := range d.Labels {
		ofClass[label]++
	}
	rows := d.Rows()
	for i, label := range d.Labels {
		if ofClass[label] < 2 {
			continue
		}
		x := rows.Row(i)
		learned.Forget(x, int(label))
		copy(s.Row(i), learned.Scores(nil, x))
		learned.Learn(x, int(label))
		s.Predictions[i] = int32(models.Argmax(s.Row(i)))
	}
	return s
}

// largeHeap is the size of a heap, in bytes, from which on there is enough to give back.
const largeHeap = 64 << 20

// ReleaseMemory collects garbage and returns free memory to the system, unless the heap is small. Call it between two steps that each need much
// memory: the collector would run later, when the memory of both is in use.
func ReleaseMemory() {
	var heap runtime.MemStats
	if runtime.ReadMemStats(&heap); heap.HeapAlloc >= largeHeap {
		debug.FreeOSMemory()
	}
}
