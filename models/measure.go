package models

import (
	"chaff/features"
	"chaff/internal/parallel"
)

// measurement is what a model makes of one document.
type measurement struct {
	loss    float64
	correct bool
}

// How many documents are measured before their losses are added up, and how many of them one goroutine takes at a time.
const (
	measureBatch = 1 << 14
	measureChunk = 128
)

// measure returns the mean loss of documents, each weighted by its class, and the accuracy. Several goroutines share the
// documents; the sum has one order.
func measure(v *params, d sorted, loss func(scores []float64, c int) float64, weights []float64) EpochFigures {
	var sum, all float64
	correct := 0
	m := measurer{params: v, d: d, loss: loss, scratch: make([]measureScratch, max(d.Workers, 1))}
	results := make([]measurement, min(measureBatch, d.Len()))
	for from := 0; from < d.Len(); from += measureBatch {
		documents := d.order[from:min(from+measureBatch, d.Len())]
		parallel.Ranges(d.Workers, len(documents), measureChunk, func(worker, from, to int) {
			m.measure(results[from:to], documents[from:to], worker)
		})
		for k, i := range documents {
			weight := weights[d.Labels[i]]
			sum += weight * results[k].loss
			all += weight
			if results[k].correct {
				correct++
			}
		}
	}
	return EpochFigures{Loss: sum / all, Accuracy: 100 * float64(correct) / float64(d.Len())}
}

// measurer measures documents in several goroutines.
type measurer struct {
	*params
	d       sorted
	loss    func(scores []float64, c int) float64
	scratch []measureScratch // by goroutine
}

type measureScratch struct {
	rows   *features.Rows
	scores []float64
}

func (m *measurer) measure(results []measurement, documents []int32, worker int) {
	s := &m.scratch[worker]
	if s.rows == nil {
		s.rows, s.scores = m.d.Rows(), make([]float64, m.n)
	}
	for k, i := range documents {
		c := int(m.d.Labels[i])
		s.scores = m.scores(s.scores, s.rows.Row(int(i)))
		results[k] = measurement{m.loss(s.scores, c), predicted(s.scores) == c}
	}
}
