package train

import (
	"fmt"
	"slices"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/parallel"
	"chaff/metrics"
	"chaff/models"
)

// Scores are the scores of a model on N labelled documents of K classes.
type Scores struct {
	Classes             int // K
	Labels, Predictions []int32
	Scores              []float64 // N x K, row by row
	Probabilities       []float64 // N x K, empty until the scores are calibrated
}

// Score returns the scores of all documents of a data set.
func Score(linear *models.Linear, d *features.Dataset) Scores {
	s := Scores{
		Classes:     linear.Classes,
		Labels:      d.Labels,
		Predictions: make([]int32, d.Len()),
		Scores:      make([]float64, d.Len()*linear.Classes),
	}
	parallel.Ranges(d.Workers, d.Len(), 256, func(_, from, to int) {
		rows := d.Rows()
		for i := from; i < to; i++ {
			s.Predictions[i] = int32(models.Argmax(linear.Scores(s.Row(i), rows.Row(i))))
		}
	})
	return s
}

// Row returns the K scores of document i.
func (s Scores) Row(i int) []float64 { return s.Scores[i*s.Classes:][:s.Classes] }

// Margins returns the score of class 1 over class 0 of each document. For a spam filter that is spam over ham.
func (s Scores) Margins() []float64 {
	z := make([]float64, len(s.Labels))
	for i := range z {
		z[i] = s.Scores[2*i+1] - s.Scores[2*i]
	}
	return z
}

// Spam returns for each document whether its label is spam.
func (s Scores) Spam() []bool {
	spam := make([]bool, len(s.Labels))
	for i, label := range s.Labels {
		spam[i] = label == filter.SpamClass
	}
	return spam
}

// Calibrated returns s with calibrated probabilities.
func (s Scores) Calibrated(c metrics.Calibration) Scores {
	s.Probabilities = c.All(s.Scores)
	return s
}

// Figures returns the figures of calibrated scores, or nil without documents.
func (s Scores) Figures(isSpamFilter bool) *metrics.Figures {
	if len(s.Labels) == 0 {
		return nil
	}
	figures := metrics.Measure(s.Labels, s.Predictions, s.Classes)
	figures.MeasureScores(s.Labels, s.Scores, s.Probabilities, s.Classes)
	if isSpamFilter {
		figures.MeasureSpam(s.Margins(), s.Spam())
	}
	return &figures
}

// learnedLittle returns a warning if there are more than half as many errors as when all documents are given the most frequent class.
func (s Scores) learnedLittle() string {
	errors, of := 0, make([]int, s.Classes)
	for i, label := range s.Labels {
		of[label]++
		if s.Predictions[i] != label {
			errors++
		}
	}
	if len(of) == 0 || errors == 0 {
		return ""
	}
	others := len(s.Labels) - slices.Max(of)
	if 2*errors <= others {
		return ""
	}
	return fmt.Sprintf("the model has learned little: %d of %d held-out messages have the wrong class, and %d would have it if all were given the most frequent one; check its settings",
		errors, len(s.Labels), others)
}

// Append appends the scores of other documents. Another model of the same classes may have scored them.
func (s *Scores) Append(t Scores) {
	s.Classes = max(s.Classes, t.Classes)
	s.Labels = append(s.Labels, t.Labels...)
	s.Predictions = append(s.Predictions, t.Predictions...)
	s.Scores = append(s.Scores, t.Scores...)
	s.Probabilities = append(s.Probabilities, t.Probabilities...)
}

// VerdictCounts counts the messages of each class by the verdict of a spam filter.
type VerdictCounts struct {
	Ham  ByVerdict `json:"ham"`
	Spam ByVerdict `json:"spam"`
}

// ByVerdict counts messages by verdict.
type ByVerdict struct {
	Ham    int `json:"ham"`
	Unsure int `json:"unsure"`
	Spam   int `json:"spam"`
}

// Messages returns the sum over the verdicts.
func (b ByVerdict) Messages() int { return b.Ham + b.Unsure + b.Spam }

// Verdicts counts the verdicts of a spam filter with thresholds t.
func (s Scores) Verdicts(t metrics.Thresholds) *VerdictCounts {
	counts := new(VerdictCounts)
	for i, z := range s.Margins() {
		counts.Add(s.Labels[i] == filter.SpamClass, filter.VerdictOn(z, t))
	}
	return counts
}

// Add counts one message.
func (c *VerdictCounts) Add(isSpam bool, v filter.Verdict) {
	of := &c.Ham
	if isSpam {
		of = &c.Spam
	}
	switch v {
	case filter.Ham:
		of.Ham++
	case filter.Unsure:
		of.Unsure++
	case filter.Spam:
		of.Spam++
	}
}
