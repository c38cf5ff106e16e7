package filter

import (
	"chaff/features"
	"chaff/internal/parallel"
	"chaff/metrics"
	"chaff/models"
)

// scored is what a model says of N labelled documents.
type scored struct {
	classes             int // K
	labels, predictions []int32
	scores              []float64 // N x K, row by row
	probabilities       []float64 // N x K, once the scores are calibrated
}

func (f *Filter) score(d *features.Dataset) scored {
	s := scored{
		classes:     f.linear.Classes,
		labels:      d.Labels,
		predictions: make([]int32, d.Len()),
		scores:      make([]float64, d.Len()*f.linear.Classes),
	}
	parallel.Ranges(d.Workers, d.Len(), 256, func(_, from, to int) {
		rows := d.Rows()
		for i := from; i < to; i++ {
			row := s.scores[i*s.classes:][:s.classes]
			s.predictions[i] = int32(models.Argmax(f.linear.Scores(row, rows.Row(i))))
		}
	})
	return s
}

// margins are the scores of class 1 over class 0, for two classes, which of a spam filter is spam over ham.
func (s scored) margins() []float64 {
	z := make([]float64, len(s.labels))
	for i := range z {
		z[i] = s.scores[2*i+1] - s.scores[2*i]
	}
	return z
}

// spam says of each document whether it is truly spam.
func (s scored) spam() []bool {
	spam := make([]bool, len(s.labels))
	for i, label := range s.labels {
		spam[i] = label == spamClass
	}
	return spam
}

// measure calibrates what f says of a part and returns its figures, nil if it is empty.
func (f *Filter) measure(s scored) *metrics.Figures {
	s.probabilities = f.settings.Calibration.All(s.scores)
	return s.figures(f.isSpamFilter())
}

func (s scored) figures(isSpamFilter bool) *metrics.Figures {
	if len(s.labels) == 0 {
		return nil
	}
	figures := metrics.Measure(s.labels, s.predictions, s.classes)
	figures.MeasureScores(s.labels, s.scores, s.probabilities, s.classes)
	if isSpamFilter {
		figures.MeasureSpam(s.margins(), s.spam())
	}
	return &figures
}

// append adds what the filter of another round says of other documents.
func (s *scored) append(f *Filter, t scored) {
	s.classes = t.classes
	s.labels = append(s.labels, t.labels...)
	s.predictions = append(s.predictions, t.predictions...)
	s.scores = append(s.scores, t.scores...)
	s.probabilities = append(s.probabilities, f.settings.Calibration.All(t.scores)...)
}

func (f *Filter) countVerdicts(s scored) *VerdictCounts {
	counts := new(VerdictCounts)
	for i, z := range s.margins() {
		of := &counts.Ham
		if s.labels[i] == spamClass {
			of = &counts.Spam
		}
		switch f.decide(z) {
		case Ham:
			of.Ham++
		case Unsure:
			of.Unsure++
		case Spam:
			of.Spam++
		}
	}
	return counts
}
