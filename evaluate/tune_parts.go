package evaluate

import (
	"context"
	"fmt"
	"sync"

	"chaff/corpus"
	"chaff/features"
	"chaff/metrics"
	"chaff/train"
)

// divisions are one reading of the mail, divided in all ways that the trials of a rung need, each of them once.
type divisions struct {
	mail  *train.Collection
	share float64 // of the training messages
	folds int

	mu   sync.Mutex
	made map[division]func() (*train.Collection, error)
}

type division struct {
	features features.Options
	round    int
}

func newDivisions(mail *train.Collection, share float64, folds int) *divisions {
	return &divisions{mail: mail, share: share, folds: folds, made: make(map[division]func() (*train.Collection, error))}
}

// train trains a candidate and returns its figures on the development mail of each round.
func (d *divisions) train(ctx context.Context, candidate Candidate) ([]*metrics.Figures, error) {
	candidate.Options.Epoch = nil
	var rounds []*metrics.Figures
	for round := range max(d.folds, 1) {
		c, err := d.get(division{candidate.Features, round})
		if err != nil {
			return nil, err
		}
		t, err := train.Fit(ctx, c, candidate.Model, candidate.Options)
		switch {
		case err != nil && d.folds > 0:
			return nil, fmt.Errorf("fold %d of %d: %w", round+1, d.folds, err)
		case err != nil:
			return nil, err
		case t.Result.Development != nil:
			rounds = append(rounds, t.Result.Development)
		}
	}
	if len(rounds) == 0 {
		return nil, ErrNoDevelopment
	}
	return rounds, nil
}

// get returns the mail divided in one way.
func (d *divisions) get(way division) (*train.Collection, error) {
	d.mu.Lock()
	divide, isMade := d.made[way]
	if !isMade {
		divide = sync.OnceValues(func() (*train.Collection, error) { return d.divide(way) })
		d.made[way] = divide
	}
	d.mu.Unlock()
	return divide()
}

func (d *divisions) divide(way division) (*train.Collection, error) {
	mail := d.mail.WithWorkers(1) // trials run at the same time, and each is timed by its own thread
	parts := mail.Parts()
	if d.folds > 0 {
		parts = foldParts(mail, way.round, d.folds)
	}
	if d.share < 1 {
		kept := ofTraining(mail, parts, d.share)
		mail = mail.Only(func(i int) bool { return kept[i] })
		parts = selected(parts, kept)
	}
	return mail.Divided(parts, way.features)
}

// Chance decides anew, by seeds made of the collection's with these, which documents are in which fold and in which rung:
// by the seed itself the split has taken away all whose chance is high.
const (
	foldSeed    = 0x666f6c64
	halvingSeed = 0x68616c66
)

// foldParts returns the parts of one round: one fold is the development part, and all others are training.
func foldParts(c *train.Collection, round, folds int) []corpus.Part {
	parts := make([]corpus.Part, c.Len())
	for i := range parts {
		if corpus.Fold(c.Options().Seed^foldSeed, c.Key(i), round, folds) == corpus.Test {
			parts[i] = corpus.Development
		}
	}
	return parts
}

// ofTraining returns which messages remain when only a share of the training part does. Near-duplicates stay together, and a larger
// share has all messages of a smaller one.
func ofTraining(c *train.Collection, parts []corpus.Part, share float64) []bool {
	chance := corpus.SplitOptions{Train: share, Development: 1 - share}
	kept := make([]bool, len(parts))
	for i, part := range parts {
		kept[i] = part != corpus.Train || chance.ByHash(c.Options().Seed^halvingSeed, c.Key(i)) == corpus.Train
	}
	return kept
}

// selected returns the parts of the messages that are kept.
func selected(parts []corpus.Part, kept []bool) []corpus.Part {
	var some []corpus.Part
	for i, part := range parts {
		if kept[i] {
			some = append(some, part)
		}
	}
	return some
}
