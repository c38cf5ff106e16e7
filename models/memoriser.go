package models

import (
	"context"

	"chaff/features"
)

// Memoriser remembers the class of every training document, and takes any other for one of class 0. It is right about all
// of the training part and has learnt nothing: the baseline that shows why a classifier is tested on other mail. It has no
// settings and takes features.Whole, where the only term of a document is the document itself.
//
//	alpha_cw = 2 if w is of class c and c != 0, else 0
//	beta_c   = 1 if c = 0, else 0
//
// so that of two classes the score is +1 for a document remembered as class 1, and -1 for any other. Source: collins,
// "What Kind of Solution would Suffice?". Of the same document with several labels the most frequent label counts, of
// equally frequent ones the first.
type Memoriser struct{}

var _ Trainer = Memoriser{}

// Train implements [Trainer].
func (Memoriser) Train(ctx context.Context, d *features.Dataset) (*Linear, Report, error) {
	if err := wantKind("memoriser", d, features.Whole); err != nil {
		return nil, Report{}, err
	}
	n, err := count(ctx, d)
	if err != nil {
		return nil, Report{}, err
	}
	alpha, beta := newTable(len(d.Classes), d.Terms), make([]float64, len(d.Classes))
	beta[0] = 1
	labels := make([]float64, len(d.Classes))
	for w := range d.Terms {
		for c := range labels {
			labels[c] = n.terms[c][w]
		}
		if c := Argmax(labels); c != 0 {
			alpha[c][w] = 2
		}
	}
	l, err := NewLinear(beta, alpha)
	return l, Report{Warnings: warnings(d)}, err
}
