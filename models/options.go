package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chaff/features"
)

// Options are the settings of all models, one field for each row of the table.
type Options struct {
	Bernoulli            Bernoulli            `json:"bernoulli"`
	Multinomial          Multinomial          `json:"multinomial"`
	Perceptron           Perceptron           `json:"perceptron"`
	AveragedPerceptron   Perceptron           `json:"averaged_perceptron"`
	MulticlassPerceptron MulticlassPerceptron `json:"multiclass_perceptron"`
	PassiveAggressive    PassiveAggressive    `json:"passive_aggressive"`
	Tanh                 Tanh                 `json:"tanh"`
	LMS                  LMS                  `json:"lms"`
	Softmax              Softmax              `json:"softmax"`
	Votes                Votes                `json:"votes"`
	Memoriser            Memoriser            `json:"memoriser"`
	Majority             Majority             `json:"majority"`
}

// DefaultOptions returns the default settings of all models.
func DefaultOptions() Options {
	onBits := Passes{Epochs: 50, Order: OrderRandom, Features: features.Bits.String()}
	normalised := Passes{Epochs: 20, Order: OrderRandom, Features: features.NormalisedBits.String()}
	step := Steps{LearningRate: 1, Decay: RateConstant, Start: StartZeros}
	descent := Descent{normalised, step, MethodStochastic}
	descent.LearningRate = 0.2 // for messages of length 1
	return Options{
		Bernoulli:            Bernoulli{Smoothing: 0.001, Prior: PriorLearned, Features: features.HeadBits.String()},
		Multinomial:          Multinomial{Smoothing: 0.001, Prior: PriorUniform, Features: features.NormalisedBits.String()},
		Perceptron:           Perceptron{Passes: onBits, Steps: step},
		AveragedPerceptron:   Perceptron{Passes: onBits, Steps: step, Averaged: true},
		MulticlassPerceptron: MulticlassPerceptron{Passes: onBits, Steps: step, Averaged: true},
		PassiveAggressive:    PassiveAggressive{Passes: normalised, Aggressiveness: 0.2},
		Tanh:                 Tanh{descent},
		LMS:                  LMS{descent},
		Softmax:              Softmax{Passes: normalised, LearningRate: 12, L2: 0.001, Tolerance: 0.01},
		Votes: Votes{
			Smoothing: 0.001, BayesShare: 0.3, LearningRate: 0.7,
			GroupBound: groupBound, PastedBound: pastedBound, Bound: memberBound,
		},
	}
}

// model is a row of the table of models.
type model struct {
	name     string
	about    string // a sentence for users
	settings func(*Options) settings
}

// table lists all models in the order they are shown in: those of the lectures, others, and the baselines. A new model needs a
// file, a row here, its field and its defaults in Options, and tests.
func table() []model {
	return []model{
		{"bernoulli", "Naive Bayes on the presence and absence of terms.", func(o *Options) settings { return &o.Bernoulli }},
		{"multinomial", "Naive Bayes on the tokens of a message.", func(o *Options) settings { return &o.Multinomial }},
		{"perceptron", "The perceptron, which learns from its mistakes.", func(o *Options) settings { return &o.Perceptron }},
		{"averaged-perceptron", "The perceptron with the mean of its weights over all steps.",
			func(o *Options) settings { return &o.AveragedPerceptron }},
		{"multiclass-perceptron", "The perceptron with a weight vector for each class.",
			func(o *Options) settings { return &o.MulticlassPerceptron }},
		{"tanh", "The differentiable perceptron, trained by gradient descent.", func(o *Options) settings { return &o.Tanh }},
		{"lms", "Least mean squares, trained by gradient descent.", func(o *Options) settings { return &o.LMS }},
		{"softmax", "Softmax regression; of two classes, logistic regression.", func(o *Options) settings { return &o.Softmax }},
		{"passive-aggressive", "The smallest change that classifies each message with a margin.",
			func(o *Options) settings { return &o.PassiveAggressive }},
		{"votes", "Naive Bayes and logistic regression with one bounded vote for each kind of evidence.",
			func(o *Options) settings { return &o.Votes }},
		{"memoriser", "A baseline that remembers the training messages and nothing else.", func(o *Options) settings { return &o.Memoriser }},
		{"majority", "A baseline that always predicts the most frequent class.", func(o *Options) settings { return &o.Majority }},
	}
}

// section returns the name of the settings of m within the configuration.
func (m model) section() string { return strings.ReplaceAll(m.name, "-", "_") }

// settings are those of a model. They implement its trainer.
type settings interface {
	Trainer
	Validate() error
	shared() shared
	// newLearner returns a learner that has learned nothing. The number of documents is 0 if it is not known in advance.
	newLearner(classes []string, terms, documents int) learner
}

// shared has the kinds of feature that a model takes, and settings of the same meaning in many models, each nil for a model without it.
type shared struct {
	kinds           []features.Kind
	features, prior *string // features is the name of one of the kinds, or an empty text for the first
	seed            *uint64
}

// kind returns the kind of feature that the model is trained on.
func (s shared) kind() (features.Kind, error) {
	if s.features == nil {
		return s.kinds[0], nil
	}
	var names []string
	for _, kind := range s.kinds {
		if names = append(names, kind.String()); *s.features == kind.String() {
			return kind, nil
		}
	}
	return s.kinds[0], checkChoice("features", *s.features, names...)
}

// Names returns the names of all models, in the order they are shown in.
func Names() []string {
	var names []string
	for _, m := range table() {
		names = append(names, m.name)
	}
	return names
}

// About returns a sentence about the named model, and nothing for an unknown one.
func About(name string) string {
	m, _ := find(name)
	return m.about
}

// find returns the named model. The error for an unknown name lists the known ones.
func find(name string) (model, error) {
	for _, m := range table() {
		if m.name == name {
			return m, nil
		}
	}
	return model{}, cmp.Or(Gone(name), fmt.Errorf("unknown model %q: known are %s", name, strings.Join(Names(), ", ")))
}

// Gone returns an error about a model that earlier versions had, which names its successor, and nil for any other name.
func Gone(name string) error {
	successors := map[string]string{"hybrid": "votes or softmax", "arow": "passive-aggressive", "complement": "multinomial"}
	if successor := successors[name]; successor != "" {
		return fmt.Errorf("the model %s is gone: use %s", name, successor)
	}
	return nil
}

// Validate returns everything that is wrong with o, each key after the name of its section.
func (o Options) Validate() error {
	var errs []error
	for _, m := range table() {
		if err := m.settings(&o).Validate(); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				errs = append(errs, fmt.Errorf("%s.%s", m.section(), line))
			}
		}
	}
	return errors.Join(errs...)
}

// New returns the trainer of the given name with its settings from o, and the kind of feature it is trained on. All chance
// comes from the seed.
func (o Options) New(name string, seed uint64) (Trainer, features.Kind, error) {
	m, err := find(name)
	if err != nil {
		return nil, 0, err
	}
	s := m.settings(&o)
	shared := s.shared()
	if shared.seed != nil {
		*shared.seed = seed
	}
	kind, err := shared.kind()
	return s, kind, err
}

// OptionsFrom returns the default options with the settings of the named model, as JSON of its trainer. A setting that this program does not
// have is left out, and so are priors of earlier programs, such as ham:10,spam:1. For an unknown model, such as one by hand, they are the defaults.
func OptionsFrom(name string, trainer json.RawMessage) (Options, error) {
	o := DefaultOptions()
	m, err := find(name)
	if err != nil {
		return o, nil
	}
	s := m.settings(&o)
	if err := json.Unmarshal(trainer, s); err != nil {
		return Options{}, err
	}
	if prior := s.shared().prior; prior != nil && strings.Contains(*prior, ":") {
		*prior = ""
	}
	if err := s.Validate(); err != nil {
		return Options{}, fmt.Errorf("%s: %w", name, err)
	}
	return o, nil
}

// longRate is the learning rate of [Softmax] by default for bits and counts, whose vectors are longer than 1.
const longRate = 1

// WithFeatures returns o with all models that can be trained on features of the given kind trained on them.
func (o Options) WithFeatures(kind features.Kind) Options {
	if (kind == features.Bits || kind == features.Counts) && o.Softmax.LearningRate == DefaultOptions().Softmax.LearningRate {
		o.Softmax.LearningRate = longRate
	}
	for _, m := range table() {
		if s := m.settings(&o).shared(); s.features != nil && slices.Contains(s.kinds, kind) {
			*s.features = kind.String()
		}
	}
	return o
}
