package metrics

import "math"

// The objectives by which settings are compared.
const (
	ByAccuracy     = "accuracy"       // higher is better
	ByOneMinusROCA = "one_minus_roca" // lower is better, as for the following
	ByLAM          = "lam"
	ByLogLoss      = "log_loss"
)

// Objectives returns the names of all objectives.
func Objectives() []string { return []string{ByAccuracy, ByOneMinusROCA, ByLAM, ByLogLoss} }

// Outcome is the figures by which settings are compared, or their means over several rounds.
type Outcome struct {
	Accuracy float64 `json:"accuracy"`
	SpamFigures
	LogLoss *float64 `json:"log_loss,omitempty"`
}

// MeanOutcome returns the mean of each figure over the rounds in which it is defined.
func MeanOutcome(rounds []*Figures) Outcome {
	mean := func(of func(*Figures) *float64) *float64 {
		sum, n := 0.0, 0.0
		for _, f := range rounds {
			if x := of(f); x != nil {
				sum += *x
				n++
			}
		}
		return orNil(sum/n, n > 0)
	}
	o := Outcome{
		SpamFigures: SpamFigures{
			HM:           mean(func(f *Figures) *float64 { return f.HM }),
			SM:           mean(func(f *Figures) *float64 { return f.SM }),
			LAM:          mean(func(f *Figures) *float64 { return f.LAM }),
			OneMinusROCA: mean(func(f *Figures) *float64 { return f.OneMinusROCA }),
		},
		LogLoss: mean(func(f *Figures) *float64 { return f.LogLoss }),
	}
	if accuracy := mean(func(f *Figures) *float64 { return &f.Accuracy }); accuracy != nil {
		o.Accuracy = *accuracy
	}
	return o
}

// Cost returns the number that a search by the given objective minimises. It is infinite for a figure that is not defined.
func (o Outcome) Cost(objective string) float64 {
	figure := (*float64)(nil)
	switch objective {
	case ByAccuracy:
		return -o.Accuracy
	case ByOneMinusROCA:
		figure = o.OneMinusROCA
	case ByLAM:
		figure = o.LAM
	case ByLogLoss:
		figure = o.LogLoss
	}
	if figure == nil {
		return math.Inf(1)
	}
	return *figure
}
