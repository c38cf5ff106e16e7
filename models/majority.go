package models

import (
	"context"

	"chaff/features"
)

// Majority always predicts the class with the most training documents, of equal ones the first. It is the baseline that
// a classifier has to beat. It has no settings and takes either kind of feature.
//
//	alpha_cw = 0
//	beta_c   = log(N_c/N)
type Majority struct{}

var _ Trainer = Majority{}

// Train implements [Trainer].
func (Majority) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	if err := ctx.Err(); err != nil {
		return nil, Report{}, err
	}
	documents, err := countDocuments(d)
	if err != nil {
		return nil, Report{}, err
	}
	beta, err := logPrior(PriorLearned, d.Classes, documents)
	if err != nil {
		return nil, Report{}, err
	}
	l, err := NewLinear(beta, newTable(len(d.Classes), d.Terms))
	return l, Report{}, err
}
