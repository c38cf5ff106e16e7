package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The priors that have a name.
const (
	PriorLearned = "learned" // pi_c = N_c/N
	PriorUniform = "uniform" // pi_c = 1/K
)

// parsePrior parses a prior such as "ham:0.7,spam:0.3". It returns nil for one that has a name.
func parsePrior(prior string) ([]classValue, error) {
	switch prior {
	case "", PriorLearned, PriorUniform:
		return nil, nil
	}
	all, err := parseClassValues(prior, "probability", "above 0 and at most 1", func(p float64) bool { return p > 0 && p <= 1 })
	var sum float64
	for _, g := range all {
		sum += g.value
	}
	if err == nil && math.Abs(sum-1) > 1e-6 {
		err = fmt.Errorf("the probabilities add up to %v and not to 1", sum)
	}
	if err != nil {
		return nil, fmt.Errorf("prior is %q: %w; must be learned, uniform, or like ham:0.7,spam:0.3", prior, err)
	}
	return all, nil
}

// classValue is the number that a setting gives to one class.
type classValue struct {
	class string
	value float64
}

// parseClassValues parses numbers for classes, such as "ham:0.7,spam:0.3". The error says what they are and their range.
func parseClassValues(text, what, inRange string, isInRange func(float64) bool) ([]classValue, error) {
	var all []classValue
	for entry := range strings.SplitSeq(text, ",") {
		// The last colon, since the name of a folder may have one.
		at := strings.LastIndexByte(entry, ':')
		if at < 0 {
			return nil, fmt.Errorf("%q has no colon", strings.TrimSpace(entry))
		}
		class := strings.TrimSpace(entry[:at])
		value, err := strconv.ParseFloat(strings.TrimSpace(entry[at+1:]), 64)
		if err != nil || !isInRange(value) {
			return nil, fmt.Errorf("the %s of %q is not %s", what, class, inRange)
		}
		if class == "" {
			return nil, errors.New("a class has no name")
		}
		if slices.ContainsFunc(all, func(g classValue) bool { return g.class == class }) {
			return nil, fmt.Errorf("class %q is named twice", class)
		}
		all = append(all, classValue{class, value})
	}
	return all, nil
}

// assignClasses writes the values to dst in the order of the classes. They must name each class, and no other.
func assignClasses(dst []float64, all []classValue, classes []string) error {
	for c, class := range classes {
		at := slices.IndexFunc(all, func(g classValue) bool { return g.class == class })
		if at < 0 {
			return fmt.Errorf("it does not name the class %q", class)
		}
		dst[c] = all[at].value
	}
	for _, g := range all {
		if !slices.Contains(classes, g.class) {
			return fmt.Errorf("there is no class %q", g.class)
		}
	}
	return nil
}

// logPrior returns log pi_c for each class.
//
//	pi_c = N_c/N    learned; cs440 lecture 16, "Learning P(C = c)"
//	pi_c = 1/K      uniform
//
// or the given probabilities. A learned prior takes a class without documents, which only online learners have, for one with
// half a document.
func logPrior(prior string, classes []string, documents []int) ([]float64, error) {
	log := make([]float64, len(classes))
	switch prior {
	case "", PriorLearned:
		var N float64
		for c, Nc := range documents {
			log[c] = max(float64(Nc), 0.5)
			N += log[c]
		}
		for c, Nc := range log {
			log[c] = math.Log(Nc / N)
		}
		return log, nil
	case PriorUniform:
		for c := range log {
			log[c] = -math.Log(float64(len(classes)))
		}
		return log, nil
	}
	all, err := parsePrior(prior)
	if err != nil {
		return nil, err
	}
	if err := assignClasses(log, all, classes); err != nil {
		return nil, fmt.Errorf("prior is %q: %w", prior, err)
	}
	for c, p := range log {
		log[c] = math.Log(p)
	}
	return log, nil
}

// checkPrior returns an error if a prior is for other classes.
func checkPrior(prior string, classes []string) error {
	_, err := logPrior(prior, classes, make([]int, len(classes)))
	return err
}
