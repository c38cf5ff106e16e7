package main

import (
	"fmt"

	"chaff/corpus"
	"chaff/metrics"
	"chaff/train"
)

// noises are the shares of wrong labels.
func noises() []float64 { return []float64{0, 0.01, 0.05, 0.10} }

// noiseSeed derives the seed of wrong labels from that of the split.
const noiseSeed = 0x6e6f697365

// noisy is the cost of wrong labels.
type noisy struct {
	models []string
	shares []float64
	tests  [][]mean // shares x models
}

func (b protocolTest) measureNoise() (noisy, error) { return b.mislabelled(b.rivals(), noises()) }

// mislabelled trains models on SpamAssassin with shares of its labels inverted.
func (b protocolTest) mislabelled(models []string, shares []float64) (noisy, error) {
	n := noisy{models: models, shares: shares}
	mail, err := one(b.spamAssassinApart())
	if err != nil {
		return noisy{}, err
	}
	b.tell("  wrong labels on SpamAssassin")
	tests, err := overSeeds(mail, seeds, func(divided *train.Collection, seed uint64) ([][]metrics.Figures, error) {
		divided, err := b.judged(divided)
		if err != nil {
			return nil, err
		}
		var byShare [][]metrics.Figures
		for _, share := range shares {
			mislabelled, err := divided.Select(flipped(divided.Members(), share, seed))
			if err != nil {
				return nil, err
			}
			figures, err := b.testEach(mislabelled, n.models)
			if err != nil {
				return nil, err
			}
			byShare = append(byShare, figures)
		}
		return byShare, nil
	})
	if err != nil {
		return noisy{}, err
	}
	n.tests = meansOf(tests)
	return n, nil
}

// flipped returns the members with a share of wrong labels in training and development mail. A larger share includes the
// errors of a smaller one.
func flipped(members []train.Member, share float64, seed uint64) []train.Member {
	chance := corpus.SplitOptions{Train: share, Test: 1 - share}
	for i, m := range members {
		if share > 0 && m.Part != corpus.Test && chance.ByHash(seed^noiseSeed, m.SplitKey) == corpus.Train {
			members[i].Label = 1 - m.Label
		}
	}
	return members
}

func (n noisy) text() string {
	var columns []string
	for _, share := range n.shares {
		columns = append(columns, fmt.Sprintf("%.0f%%", 100*share))
	}
	return fmt.Sprintf("SpamAssassin, test accuracy by the share of wrong labels, means of %d split seeds:\n\n", seeds) +
		rivalry(n.models, columns, n.tests, byAccuracy()) +
		"\n(1-ROCA)%:\n\n" + rivalry(n.models, columns, n.tests, byROCA())
}
