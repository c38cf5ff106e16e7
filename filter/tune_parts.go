package filter

import (
	"context"
	"fmt"
	"sync"

	"chaff/corpus"
	"chaff/features"
	"chaff/metrics"
)

// divisions are one reading of the mail, divided in all ways that the trials of a rung need, each of them once.
type divisions struct {
	mail  *Collection
	share float64 // of the training messages
	folds int

	mu   sync.Mutex
	made map[division]func() (*Collection, error)
}

type division struct {
	features features.Options
	round    int
}

func newDivisions(mail *Collection, share float64, folds int) *divisions {
	return &divisions{mail: mail, share: share, folds: folds, made: make(map[division]func() (*Collection, error))}
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
		_, result, err := Train(ctx, c, candidate.Model, candidate.Options)
		switch {
		case err != nil && d.folds > 0:
			return nil, fmt.Errorf("fold %d of %d: %w", round+1, d.folds, err)
		case err != nil:
			return nil, err
		case result.Development != nil:
			rounds = append(rounds, result.Development)
		}
	}
	if len(rounds) == 0 {
		return nil, ErrNoDevelopment
	}
	return rounds, nil
}

// get returns the mail divided in one way.
func (d *divisions) get(way division) (*Collection, error) {
	d.mu.Lock()
	divide, isMade := d.made[way]
	if !isMade {
		divide = sync.OnceValues(func() (*Collection, error) { return d.divide(way) })
		d.made[way] = divide
	}
	d.mu.Unlock()
	return divide()
}

func (d *divisions) divide(way division) (*Collection, error) {
	mail := *d.mail
	mail.options.Workers = 1 // trials run at the same time, and each is timed by its own thread
	if d.folds > 0 {
		mail.parts = mail.foldParts(way.round, d.folds)
	}
	if d.share == 1 {
		return mail.divided(mail.parts, way.features)
	}
	part := mail.ofTraining(d.share)
	return part.divided(part.parts, way.features)
}

// Chance decides anew, by seeds made of the collection's with these, which documents are in which fold and in which rung:
// by the seed itself the split has taken away all whose chance is high.
const (
	foldSeed    = 0x666f6c64
	halvingSeed = 0x68616c66
)

// foldParts returns the parts of one round: a fold is for development, and all others are for training.
func (c *Collection) foldParts(round, folds int) []corpus.Part {
	parts := make([]corpus.Part, len(c.keys))
	for i, key := range c.keys {
		if corpus.Fold(c.options.Seed^foldSeed, key, round, folds) == corpus.Test {
			parts[i] = corpus.Development
		}
	}
	return parts
}

// ofTraining returns the collection with a share of its training part, near-duplicates together: with a larger share
// there are the same ones and more.
func (c *Collection) ofTraining(share float64) *Collection {
	chance := corpus.SplitOptions{Train: share, Development: 1 - share}
	return c.only(func(i int) bool {
		return c.parts[i] != corpus.Train || chance.ByHash(c.options.Seed^halvingSeed, c.keys[i]) == corpus.Train
	})
}
