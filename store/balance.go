package store

import (
	"context"
	"errors"

	"chaff/train"
)

// A model learns from each message with a step that suits mail in its usual mix. After many messages of one class it gives too much mail to
// that class: fitted to 1,000 ham and 20 spam, and then taught 100 spam, passive-aggressive calls every newsletter spam. Steps on errors only,
// and ham repeated after each spam, help less than a fit, which also chooses the thresholds anew; see docs/inside/experiments.md.
//
// A class is ahead if it has learned twice as many messages since the last fit as the usual mix asks for, and a tenth of what was known of it
// then beyond that. In a few messages the mix is chance.
const (
	minAhead   = 20
	aheadShare = 0.1
)

// isUnbalanced reports whether the model should be fitted again because one class is ahead of the others in what was learned since the last
// fit. A model that was never fitted knows no mix, and calls every message unsure: it should be fitted once there are some of each class.
func (s *Store) isUnbalanced() bool {
	f := s.facts
	switch {
	case f.Changed < minAhead:
		return false
	case f.Fitted != 0:
		return isAhead(f.Known, f.Learned)
	}
	for c := range f.Known {
		if f.Known[c]+f.Learned[c] < minAhead {
			return false
		}
	}
	return true
}

// FitIfDue fits the model again if the mix of classes asks for it, and if there is nothing else to do also after [Options.RetrainAfter] messages. The result is
// zero if it was not fitted: with RetrainAfter 0, or if that is not possible yet.
func (s *Store) FitIfDue(ctx context.Context, o RetrainOptions, idle bool) (train.Refitted, error) {
	after := s.options.RetrainAfter
	if after == 0 || !s.isUnbalanced() && !(idle && s.Changed() >= after) {
		return train.Refitted{}, nil
	}
	refitted, err := s.Retrain(ctx, o)
	if errors.Is(err, ErrTooFew) {
		err = nil
	}
	return refitted, err
}

// isAhead reports whether a class is ahead, for the numbers of messages of each class that were known at the fit, and learned since.
func isAhead(known, learned []int) bool {
	allKnown, allLearned := 0, 0
	for c := range known {
		allKnown, allLearned = allKnown+known[c], allLearned+learned[c]
	}
	for c, n := range learned {
		if known[c] == allKnown {
			return false // one class only: there is nothing to fit
		}
		usual := float64(allLearned-n) * float64(known[c]) / float64(allKnown-known[c])
		if float64(n) >= 2*usual && float64(n)-usual >= max(minAhead, aheadShare*float64(known[c])) {
			return true
		}
	}
	return false
}
