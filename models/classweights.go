package models

import "fmt"

// The class weights that have a name.
const (
	WeightsNone     = "none"     // 1
	WeightsBalanced = "balanced" // N / (K N_c)
)

// maxClassWeight is the maximum weight, and its inverse the minimum, so that no step overflows.
const maxClassWeight = 1e6

// parseClassWeights parses weights such as "ham:10,spam:1". It returns nil for those that have a name.
func parseClassWeights(weights string) ([]classValue, error) {
	switch weights {
	case "", WeightsNone, WeightsBalanced:
		return nil, nil
	}
	inRange := fmt.Sprintf("from %v to %v", 1/maxClassWeight, maxClassWeight)
	all, err := parseClassValues(weights, "weight", inRange, func(w float64) bool { return w >= 1/maxClassWeight && w <= maxClassWeight })
	if err != nil {
		return nil, fmt.Errorf("class_weights is %q: %w; must be none, balanced, or like ham:10,spam:1", weights, err)
	}
	return all, nil
}

// classWeights returns how much a document of each class counts.
func classWeights(weights string, classes []string, documents []int) ([]float64, error) {
	all := make([]float64, len(classes))
	switch weights {
	case "", WeightsNone:
		for c := range all {
			all[c] = 1
		}
		return all, nil
	case WeightsBalanced:
		var N int
		for _, Nc := range documents {
			N += Nc
		}
		for c, Nc := range documents {
			all[c] = float64(N) / float64(len(classes)*Nc)
		}
		return all, nil
	}
	parsed, err := parseClassWeights(weights)
	if err != nil {
		return nil, err
	}
	if err := assignClasses(all, parsed, classes); err != nil {
		return nil, fmt.Errorf("class_weights is %q: %w", weights, err)
	}
	return all, nil
}
