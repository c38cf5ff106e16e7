package models

import (
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

// given is the probability that a setting gives to one class.
type given struct {
	class       string
	probability float64
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
	wrong := func(why string) error {
		return fmt.Errorf("prior is %q: %s; must be learned, uniform, or like ham:0.7,spam:0.3", prior, why)
	}
	var all []given
	var sum float64
	seen := make(map[string]bool)
	for entry := range strings.SplitSeq(prior, ",") {
		// The last colon, since the name of a folder may hold one.
		at := strings.LastIndexByte(entry, ':')
		if at < 0 {
			return nil, wrong(fmt.Sprintf("%q has no colon", strings.TrimSpace(entry)))
		}
		class := strings.TrimSpace(entry[:at])
		p, err := strconv.ParseFloat(strings.TrimSpace(entry[at+1:]), 64)
		if err != nil || !(p > 0 && p <= 1) {
			return nil, wrong(fmt.Sprintf("the probability of %q is not above 0 and at most 1", class))
		}
		if class == "" {
			return nil, wrong("a class has no name")
		}
		if seen[class] {
			return nil, wrong(fmt.Sprintf("class %q is named twice", class))
		}
		seen[class] = true
		all = append(all, given{class, p})
		sum += p
	}
	if math.Abs(sum-1) > 1e-6 {
		return nil, wrong(fmt.Sprintf("the probabilities add up to %v and not to 1", sum))
	}
	return all, nil
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
	probability := make(map[string]float64, len(all))
	for _, g := range all {
		probability[g.class] = g.probability
	}
	for c, class := range classes {
		p, named := probability[class]
		if !named {
			return nil, fmt.Errorf("prior is %q: it does not name the class %q", prior, class)
		}
		log[c] = math.Log(p)
		delete(probability, class)
	}
	for _, g := range all { // in the order written
		if _, left := probability[g.class]; left {
			return nil, fmt.Errorf("prior is %q: there is no class %q", prior, g.class)
		}
	}
	return log, nil
}
