package models

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// byClass is a setting that gives a number to each class, such as "ham:0.7,spam:0.3", or has a name for all numbers.
type byClass struct {
	key       string
	must      string // be
	what      string // the numbers are
	inRange   string
	isInRange func(float64) bool
	sumsToOne bool
}

// classValue is the number of one class.
type classValue struct {
	class string
	value float64
}

// parse returns the numbers of a text.
func (s byClass) parse(text string) ([]classValue, error) {
	all, err := s.parseValues(text)
	if err != nil {
		return nil, fmt.Errorf("%s is %q: %w; must be %s", s.key, text, err, s.must)
	}
	return all, nil
}

func (s byClass) parseValues(text string) (all []classValue, err error) {
	var sum float64
	for entry := range strings.SplitSeq(text, ",") {
		// The last colon, since the name of a folder may have one.
		at := strings.LastIndexByte(entry, ':')
		if at < 0 {
			return nil, fmt.Errorf("%q has no colon", strings.TrimSpace(entry))
		}
		class := strings.TrimSpace(entry[:at])
		value, err := strconv.ParseFloat(strings.TrimSpace(entry[at+1:]), 64)
		switch {
		case err != nil || !s.isInRange(value):
			return nil, fmt.Errorf("the %s of %q is not %s", s.what, class, s.inRange)
		case class == "":
			return nil, errors.New("a class has no name")
		case slices.ContainsFunc(all, func(v classValue) bool { return v.class == class }):
			return nil, fmt.Errorf("class %q is named twice", class)
		}
		all = append(all, classValue{class, value})
		sum += value
	}
	if s.sumsToOne && math.Abs(sum-1) > 1e-6 {
		return nil, fmt.Errorf("the probabilities add up to %v and not to 1", sum)
	}
	return all, nil
}

// of returns the numbers of a text in the order of the classes. It must name each class, and no other.
func (s byClass) of(text string, classes []string) ([]float64, error) {
	all, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, len(classes))
	for c, class := range classes {
		at := slices.IndexFunc(all, func(v classValue) bool { return v.class == class })
		if at < 0 {
			return nil, fmt.Errorf("%s is %q: it does not name the class %q", s.key, text, class)
		}
		numbers[c] = all[at].value
	}
	for _, v := range all {
		if !slices.Contains(classes, v.class) {
			return nil, fmt.Errorf("%s is %q: there is no class %q", s.key, text, v.class)
		}
	}
	return numbers, nil
}

// The priors that have a name.
const (
	PriorLearned = "learned" // pi_c = N_c/N
	PriorUniform = "uniform" // pi_c = 1/K
)

func priors() byClass {
	return byClass{
		"prior", "learned, uniform, or like ham:0.7,spam:0.3",
		"probability", "above 0 and at most 1", func(p float64) bool { return p > 0 && p <= 1 }, true,
	}
}

// logPrior returns log pi_c for each class.
//
//	pi_c = N_c/N    learned; cs440 lecture 16, "Learning P(C = c)"
//	pi_c = 1/K      uniform
//
// or the given probabilities. A learned prior takes a class without documents, which only online learners have, for one with
// half a document.
func logPrior(prior string, classes []string, documents []int) (log []float64, err error) {
	log = make([]float64, len(classes))
	switch prior {
	case "", PriorLearned:
		var N float64
		for c, Nc := range documents {
			log[c] = max(float64(Nc), 0.5)
			N += log[c]
		}
		for c := range log {
			log[c] /= N
		}
	case PriorUniform:
		for c := range log {
			log[c] = -math.Log(float64(len(classes)))
		}
		return log, nil
	default:
		if log, err = priors().of(prior, classes); err != nil {
			return nil, err
		}
	}
	for c, p := range log {
		log[c] = math.Log(p)
	}
	return log, nil
}

func checkPrior(prior string, classes []string) error {
	_, err := logPrior(prior, classes, make([]int, len(classes)))
	return err
}

// The class weights that have a name.
const (
	WeightsNone     = "none"     // 1
	WeightsBalanced = "balanced" // N / (K N_c)
)

// maxClassWeight is the maximum weight, and its inverse the minimum, so that no step overflows.
const maxClassWeight = 1e6

func weightsByClass() byClass {
	return byClass{
		"class_weights", "none, balanced, or like ham:10,spam:1", "weight", fmt.Sprintf("from %v to %v", 1/maxClassWeight, maxClassWeight),
		func(w float64) bool { return w >= 1/maxClassWeight && w <= maxClassWeight }, false,
	}
}

// classWeights returns how much a document of each class counts.
func classWeights(weights string, classes []string, documents []int) ([]float64, error) {
	all := slices.Repeat([]float64{1}, len(classes))
	switch weights {
	case "", WeightsNone:
		return all, nil
	case WeightsBalanced:
		N := 0
		for _, Nc := range documents {
			N += Nc
		}
		for c, Nc := range documents {
			all[c] = float64(N) / float64(len(classes)*Nc)
		}
		return all, nil
	}
	return weightsByClass().of(weights, classes)
}

// check returns an error for a text that is none of the names and no numbers by class.
func (s byClass) check(text string, names ...string) error {
	if text == "" || slices.Contains(names, text) {
		return nil
	}
	_, err := s.parse(text)
	return err
}
