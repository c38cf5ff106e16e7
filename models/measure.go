package models

import "chaff/internal/parallel"

// measureChunk is how many documents a goroutine measures at a time.
const measureChunk = 512

// measure returns the mean loss of documents, each weighted by its class, and the accuracy. Several goroutines share the
// documents; the sum has one order.
func measure(v *params, d sorted, loss func(scores []float64, c int) float64, weights []float64) EpochFigures {
	losses, correct := make([]float64, d.Len()), make([]bool, d.Len())
	parallel.Ranges(d.Workers, d.Len(), measureChunk, func(_, from, to int) {
		rows, scores := d.Rows(), make([]float64, v.n)
		for k := from; k < to; k++ {
			i := int(d.order[k])
			c := int(d.Labels[i])
			scores = v.scores(scores, rows.Row(i))
			losses[k], correct[k] = loss(scores, c), predicted(scores) == c
		}
	})
	var sum, all float64
	right := 0
	for k, i := range d.order {
		weight := weights[d.Labels[i]]
		sum += weight * losses[k]
		all += weight
		if correct[k] {
			right++
		}
	}
	return EpochFigures{Loss: sum / all, Accuracy: 100 * float64(right) / float64(d.Len())}
}
