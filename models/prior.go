package models

import "math"

// The priors.
const (
	PriorLearned = "learned" // pi_c = N_c/N
	PriorUniform = "uniform" // pi_c = 1/K
)

// logPrior returns log pi_c for each class.
//
//	pi_c = N_c/N    learned; cs440 lecture 16, "Learning P(C = c)"
//	pi_c = 1/K      uniform
//
// A learned prior takes a class without documents, which only online learners have, for one with half a document.
func logPrior(prior string, documents []int) []float64 {
	log := make([]float64, len(documents))
	var N float64
	for c, Nc := range documents {
		log[c] = max(float64(Nc), 0.5)
		N += log[c]
	}
	for c := range log {
		if prior == PriorUniform {
			log[c] = -math.Log(float64(len(log)))
		} else {
			log[c] = math.Log(log[c] / N)
		}
	}
	return log
}
