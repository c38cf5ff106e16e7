package models

import (
	"chaff/features"
	"chaff/internal/parallel"
)

// measured is what a model says of one document.
type measured struct {
	loss    float64
	correct bool
}

// How many documents are measured before their losses are added up, and how many of them by one goroutine at a time.
const (
	measuredAtOnce = 1 << 14
	measuredByOne  = 128
)

// measure returns the mean loss of documents, each weighted by its class, and the accuracy. Several goroutines share the
// documents; the sum is made in one order.
func measure(v *rows, d part, loss func(scores []float64, c int) float64, weights []float64) EpochFigures {
	var sum, all float64
	correct := 0
	m := measurer{rows: v, d: d, loss: loss, readers: make([]reading, max(d.Workers, 1))}
	results := make([]measured, min(measuredAtOnce, d.Len()))
	for from := 0; from < d.Len(); from += measuredAtOnce {
		documents := d.canonical[from:min(from+measuredAtOnce, d.Len())]
		parallel.Ranges(d.Workers, len(documents), measuredByOne, func(worker, from, to int) {
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
	*rows
	d       part
	loss    func(scores []float64, c int) float64
	readers []reading // by goroutine
}

// reading is what a goroutine reads rows with.
type reading struct {
	rows   *features.Rows
	scores []float64
}

func (m *measurer) measure(results []measured, documents []int32, worker int) {
	r := &m.readers[worker]
	if r.rows == nil {
		r.rows, r.scores = m.d.Rows(), make([]float64, m.n)
	}
	for k, i := range documents {
		c := int(m.d.Labels[i])
		r.scores = m.scores(r.scores, r.rows.Row(int(i)))
		results[k] = measured{m.loss(r.scores, c), predicted(r.scores) == c}
	}
}
