package evaluate

import (
	"context"
	"errors"
	"fmt"

	"chaff/corpus"
	"chaff/features"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// Growth is the accuracy of a model on the test part by the number of messages it was trained on. It says whether more mail would help.
type Growth struct {
	Model  string
	Tested int // messages of the test part
	// Points has the models trained on an eighth, a quarter and a half of the training part, and on all of it, the smallest first. A
	// fraction that lacks a class has no point.
	Points []GrowthPoint
	// Gain compares the first point with the last: Better counts the test messages that only the model of all the training part gets right.
	Gain metrics.McNemar
	// Advice tells users what the second half has brought, and whether more mail would help. It is empty unless all fractions have a point.
	Advice string
}

// GrowthPoint has the figures of a model trained on so many messages.
type GrowthPoint struct {
	Messages int // trained on
	Errors   int // on the test part
	// Accuracy is a percentage of the test part, with its 95% interval.
	Accuracy, AccuracyLow, AccuracyHigh float64
}

const (
	// halvings is how often the training part is halved. All models together learn from fewer messages than the one of all.
	halvings = 3
	// growthSeed changes the seed for halving the training part: under the seed itself all its documents have a low chance.
	growthSeed = 0x67726f777468
	// enoughTested is the number of test messages below which the curve says nothing.
	enoughTested = 100
	// notByChance is the probability below which chance does not explain a difference.
	notByChance = 0.05
)

// GrowthOf measures the model of t, which was fitted to c, at fractions of the training part. Each contains the smaller ones, and
// near-duplicates stay together. The models have the vocabulary of the whole training part, in which the terms that they have not met
// carry next to no weight. The curve is empty without a test part. The error comes from the trainer.
func GrowthOf(ctx context.Context, c *train.Collection, t train.Trained, o train.Options) (Growth, error) {
	if t.Result.Test == nil {
		return Growth{Model: t.Result.Model}, nil
	}
	g := Growth{Model: t.Result.Model, Tested: t.Result.Test.Messages}
	trainer, kind, err := o.Models.New(g.Model, c.Options().Seed)
	if err != nil {
		return Growth{}, err
	}
	o.Epoch, o.Unwatched = nil, true
	d, tested := c.Dataset(corpus.Train, kind), c.Dataset(corpus.Test, kind)
	var held *features.Dataset // nil unless it decided when to stop
	if n := len(t.Result.Epochs); n > 0 && t.Result.Kept < t.Result.Epochs[n-1].Epoch {
		held = c.Dataset(corpus.Development, kind)
	}
	var first []int32 // the predictions of the smallest model
	for _, rows := range halved(c) {
		linear, _, err := o.Train(ctx, trainer, g.Model, d.Subset(rows), held)
		if errors.Is(err, models.ErrNoDocuments) || errors.Is(err, models.ErrDiverged) {
			continue
		}
		if err != nil {
			return Growth{}, fmt.Errorf("train %s on a fraction of the mail: %w", g.Model, err)
		}
		s := train.Score(linear, tested)
		g.Points = append(g.Points, growthPoint(len(rows), metrics.Measure(s.Labels, s.Predictions, s.Classes)))
		if first == nil {
			first = s.Predictions
		}
	}
	g.Points = append(g.Points, growthPoint(d.Len(), *t.Result.Test))
	if len(g.Points) == halvings+1 {
		g.Gain = metrics.CompareErrors(t.Test.Labels, first, t.Test.Predictions)
		g.Advice = g.advice()
	}
	return g, errors.Join(d.Err(), tested.Err())
}

// halved returns the rows of an eighth, a quarter and a half of the training part.
func halved(c *train.Collection) [][]int {
	even := corpus.SplitOptions{Train: 0.5, Development: 0.5}
	members := c.Members()
	fractions := make([][]int, halvings)
	for row, i := range c.InPart(corpus.Train) {
		for h := range uint64(halvings) {
			if even.ByHash(c.Options().Seed^growthSeed+h, members[i].Group) != corpus.Train {
				break
			}
			at := halvings - 1 - h
			fractions[at] = append(fractions[at], row)
		}
	}
	return fractions
}

func growthPoint(messages int, f metrics.Figures) GrowthPoint {
	return GrowthPoint{messages, f.Messages - f.Confusion.Correct(), f.Accuracy, f.AccuracyLow, f.AccuracyHigh}
}

// advice puts the last three points into words. More mail will help if the errors fell with both last doublings and fell by more than
// chance in all. One doubling alone changes too few messages to tell.
func (g Growth) advice() string {
	quarter, half, all := g.Points[halvings-2].Errors, g.Points[halvings-1].Errors, g.Points[halvings].Errors
	counted := map[bool]string{true: "error", false: "errors"}[all == 1]
	seen := fmt.Sprintf("%d %s in %d test messages, against %d with half the training mail and %d with a quarter: ", all, counted, g.Tested, half, quarter)
	switch {
	case g.Tested < enoughTested:
		return seen + "too few test messages to say whether more mail would help."
	case all < half && half < quarter && g.Gain.P < notByChance:
		return seen + "more mail will probably help."
	case all < half:
		return seen + "more mail may help, but chance explains the difference too."
	}
	return seen + "more mail of this kind will hardly help."
}
