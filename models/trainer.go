package models

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chaff/features"
	"chaff/internal/fieldtags"
)

// Trainer learns a linear model from labelled documents. Its settings are the exported fields of the struct that
// implements it.
//
// Train leaves d unchanged and returns the same Linear for the same d and settings. Trainers that read the documents once ignore the
// options. Errors, which callers may test for: [ErrNoDocuments], [ErrOneClass], [ErrKind],
// [ErrDiverged], an error about the settings, and ctx.Err() when ctx is done.
type Trainer interface {
	Train(ctx context.Context, d *features.Dataset, o EpochOptions) (*Linear, Report, error)
}

// Report is what a trainer reports beside its result.
type Report struct {
	// Warnings are reasons to doubt the result, in plain words.
	Warnings []string `json:"warnings,omitempty"`
	// Epochs has the figures of each epoch, and Passes is how many there were. They are empty and 0 for naive Bayes and the baselines.
	Epochs []Epoch `json:"epochs,omitempty"`
	Passes int     `json:"passes,omitempty"`
	// Convergence is for perceptrons whose epochs are watched.
	Convergence *Convergence `json:"convergence,omitempty"`
	// Learned is what was learned, and learns on from one document after the other. Its Linear is the model that was returned, to
	// the last bit but for [Bernoulli], whose biases round in another order, and for terms that no document has. It is nil where
	// [Options.NewOnline] has no learner with these settings.
	Learned *Online `json:"-"`
}

// Errors of a data set or of what was learned from it.
var (
	// ErrNoDocuments is for a data set without documents, or with a class that has none; the text names the class.
	ErrNoDocuments = errors.New("no training messages")
	// ErrOneClass is for a data set of fewer than two classes.
	ErrOneClass = errors.New("at least two classes are needed")
	// ErrKind is for a data set of a kind of feature that the trainer does not take.
	ErrKind = errors.New("wrong kind of feature")
	// ErrNotFinite is for a weight or a bias that is infinite or NaN.
	ErrNotFinite = errors.New("not a finite number")
)

// check makes the checks that all trainers need of their settings and documents, which are of one of the given kinds, or of any if there are none. It
// returns reasons to doubt what they will learn.
func check(m settings, d *features.Dataset, kinds ...features.Kind) (warnings []string, err error) {
	if err := fieldtags.Check(m); err != nil {
		return nil, err
	}
	switch {
	case len(kinds) > 0 && !slices.Contains(kinds, d.Kind):
		return nil, fmt.Errorf("%w: the data set has %v", ErrKind, d.Kind)
	case d.Len() == 0:
		return nil, ErrNoDocuments
	case len(d.Classes) < 2:
		return nil, fmt.Errorf("one class only: %w", ErrOneClass)
	}
	for c, class := range d.Classes {
		if !slices.Contains(d.Labels, int32(c)) {
			return nil, fmt.Errorf("class %q has %w", class, ErrNoDocuments)
		}
	}
	if d.Terms == 0 {
		warnings = []string{"the vocabulary is empty: only the number of documents of each class is known"}
	}
	return warnings, nil
}
