package evaluate

import (
	"slices"

	"chaff/metrics"
	"chaff/models"
)

// sureness says whether a model in a replay is sure of a message: it gives the true class a probability of at least a share. The
// calibration is that of the scores before, each of a message that the model had not learned.
type sureness struct {
	share       float64
	calibration metrics.Calibration
	labels      []int32
	scores      []float64 // N x K
	next        int       // number of messages at which the calibration is made again
	memory      []float64
}

// The calibration is made again each time that there are a tenth more messages, at first of this many.
const firstCalibration = 100

// newSureness returns the sureness of a model of K classes, from a percentage.
func newSureness(percent float64, K int) *sureness {
	return &sureness{share: percent / 100, calibration: metrics.Identity(K), next: firstCalibration}
}

// add notes the scores of a message that the model has not learned.
func (s *sureness) add(label int32, scores []float64) {
	s.labels, s.scores = append(s.labels, label), append(s.scores, scores...)
	if len(s.labels) < s.next || slices.Min(s.labels) == slices.Max(s.labels) {
		return
	}
	s.next = len(s.labels) + len(s.labels)/10
	s.calibration, _ = metrics.Calibrate(s.labels, s.scores, len(scores))
}

// isSure reports whether the model gives a message its label, and is sure of it.
func (s *sureness) isSure(label int, scores []float64) bool {
	if models.Argmax(scores) != label {
		return false
	}
	s.memory = s.calibration.Probabilities(s.memory, scores)
	return s.memory[label] >= s.share
}
