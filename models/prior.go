package models

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The priors that have a name.
const (
	PriorLearned = "learned" // pi_c = N_c/N
	PriorUniform = "uniform" // pi_c = 1/K
)

// given is the number that a setting gives to one class.
type given struct {
	class string
	value float64
}

// checkPrior returns what is wrong with a prior as it stands in the settings.
func checkPrior(prior string) error {
	switch prior {
	case "", PriorLearned, PriorUniform:
		return nil
	}
	_, err := parsePrior(prior)
	return err
}

// parsePrior reads a prior that is given as "ham:0.7,spam:0.3".
func parsePrior(prior string) ([]given, error) {
	wrong := func(err error) error {
		return fmt.Errorf("prior is %q: %w; must be learned, uniform, or like ham:0.7,spam:0.3", prior, err)
	}
	all, err := parseGiven(prior, "probability", "above 0 and at most 1", func(p float64) bool { return p > 0 && p <= 1 })
	if err != nil {
		return nil, wrong(err)
	}
	var sum float64
	for _, g := range all {
		sum += g.value
	}
	if math.Abs(sum-1) > 1e-6 {
		return nil, wrong(fmt.Errorf("the probabilities add up to %v and not to 1", sum))
	}
	return all, nil
}

// parseGiven reads numbers that are given to classes, as "ham:0.7,spam:0.3". What they are, and the range they must be
// in, is said in words for the error.
func parseGiven(text, what, inRange string, isInRange func(float64) bool) ([]given, error) {
	var all []given
	seen := make(map[string]bool)
	for entry := range strings.SplitSeq(text, ",") {
		// The last colon, since the name of a folder may hold one.
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
		if seen[class] {
			return nil, fmt.Errorf("class %q is named twice", class)
		}
		seen[class] = true
		all = append(all, given{class, value})
	}
	return all, nil
}

// forClasses puts the numbers given to classes in the order of the classes. Each class must be named, and no other.
func forClasses(dst []float64, all []given, classes []string) error {
	left := make(map[string]float64, len(all))
	for _, g := range all {
		left[g.class] = g.value
	}
	for c, class := range classes {
		value, named := left[class]
		if !named {
			return fmt.Errorf("it does not name the class %q", class)
		}
		dst[c] = value
		delete(left, class)
	}
	for _, g := range all { // in the order written
		if _, unused := left[g.class]; unused {
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
// or the given probabilities, which must name every class and no other.
func logPrior(prior string, classes []string, documents []int) ([]float64, error) {
	log := make([]float64, len(classes))
	switch prior {
	case "", PriorLearned:
		var N int
		for _, Nc := range documents {
			N += Nc
		}
		for c, Nc := range documents {
			log[c] = math.Log(float64(Nc) / float64(N))
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
	if err := forClasses(log, all, classes); err != nil {
		return nil, fmt.Errorf("prior is %q: %w", prior, err)
	}
	for c, p := range log {
		log[c] = math.Log(p)
	}
	return log, nil
}
