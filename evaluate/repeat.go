package evaluate

import (
	"context"
	"math"

	"chaff/metrics"
	"chaff/train"
)

// Repeated is the accuracy of one model as means over several splits of the same mail.
type Repeated struct {
	Model       string `json:"model"`
	Kind        string `json:"features"`
	Train       Mean   `json:"train"`
	Development Mean   `json:"development"`
	Test        Mean   `json:"test"`
}

// Mean is the mean accuracy over splits and its standard deviation, in percent. Splits without messages in the part do not count.
type Mean struct {
	Splits    int     `json:"splits"` // that count
	Mean      float64 `json:"accuracy"`
	Deviation float64 `json:"accuracy_deviation"`
}

// Repeat divides c by so many seeds, from its own on, and fits each model to each training part. The error comes from a trainer, or is about an unknown name.
func Repeat(ctx context.Context, c *train.Collection, models []string, splits int, o train.Options) ([]Repeated, error) {
	rounds := make([][]train.Result, len(models))
	divide := func(split int) (*train.Collection, error) { return c.WithSeed(c.Options().Seed + uint64(split)) }
	if err := fitRounds(ctx, "split", splits, divide, models, o, func(m int, t train.Trained) { rounds[m] = append(rounds[m], t.Result) }); err != nil {
		return nil, err
	}
	results := make([]Repeated, len(models))
	for m, of := range rounds {
		results[m] = Repeated{
			Model: models[m], Kind: of[0].Kind,
			Train:       meanOf(of, func(r train.Result) *metrics.Figures { return r.Train }),
			Development: meanOf(of, func(r train.Result) *metrics.Figures { return r.Development }),
			Test:        meanOf(of, func(r train.Result) *metrics.Figures { return r.Test }),
		}
	}
	return results, nil
}

// meanOf returns the mean accuracy on a part over rounds, and the standard deviation of a population that they are a sample of; 0 for fewer
// than two.
func meanOf(rounds []train.Result, part func(train.Result) *metrics.Figures) (m Mean) {
	var all []float64
	for _, r := range rounds {
		if f := part(r); f != nil {
			all = append(all, f.Accuracy)
		}
	}
	m.Splits = len(all)
	for _, x := range all {
		m.Mean += x / float64(len(all))
	}
	squares := 0.
	for _, x := range all {
		squares += (x - m.Mean) * (x - m.Mean)
	}
	m.Deviation = math.Sqrt(squares / float64(max(1, len(all)-1)))
	return m
}
