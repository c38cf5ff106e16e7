package models

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"chaff/features"
	"chaff/internal/fieldtags"
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
	about    string   // a sentence for users
	settings settings // those in the options
	kind     features.Kind
	features *string // the setting with the name of another kind; nil if there is no other, and an empty text for the kind above
	seed     *uint64 // nil for a model without chance
}

// settings are those of a model. They implement its trainer.
type settings interface {
	Trainer
	// newLearner returns a learner that has learned nothing, for documents like those of d. It is empty if their number is not known in advance.
	newLearner(d *features.Dataset) learner
}

// table lists all models, with their settings in o, in the order they are shown in: those of the lectures, others, and the baselines. A new model
// needs a file, a row here, its field and its defaults in Options, and tests.
func table(o *Options) []model {
	ofPasses := func(name, about string, s settings, p *Passes) model {
		return model{name, about, s, features.Bits, &p.Features, &p.Seed}
	}
	return []model{
		{"bernoulli", "Naive Bayes on the presence and absence of terms.", &o.Bernoulli, features.Bits, &o.Bernoulli.Features, nil},
		{"multinomial", "Naive Bayes on the tokens of a message.", &o.Multinomial, features.Counts, &o.Multinomial.Features, nil},
		ofPasses("perceptron", "The perceptron, which learns from its mistakes.", &o.Perceptron, &o.Perceptron.Passes),
		ofPasses("averaged-perceptron", "The perceptron with the mean of its weights over all steps.", &o.AveragedPerceptron, &o.AveragedPerceptron.Passes),
		ofPasses("multiclass-perceptron", "The perceptron with a weight vector for each class.", &o.MulticlassPerceptron, &o.MulticlassPerceptron.Passes),
		ofPasses("tanh", "The differentiable perceptron, trained by gradient descent.", &o.Tanh, &o.Tanh.Passes),
		ofPasses("lms", "Least mean squares, trained by gradient descent.", &o.LMS, &o.LMS.Passes),
		ofPasses("softmax", "Softmax regression; of two classes, logistic regression.", &o.Softmax, &o.Softmax.Passes),
		ofPasses("passive-aggressive", "The smallest change that classifies each message with a margin.", &o.PassiveAggressive, &o.PassiveAggressive.Passes),
		{"votes", "Naive Bayes and logistic regression with one bounded vote for each kind of evidence.", &o.Votes, features.Evidence, nil, &o.Votes.Seed},
		{"memoriser", "A baseline that remembers the training messages and nothing else.", &o.Memoriser, features.Whole, nil, nil},
		{"majority", "A baseline that always predicts the most frequent class.", &o.Majority, features.Bits, nil, nil},
	}
}

// Names returns the names of all models, in the order they are shown in.
func Names() []string {
	var names []string
	for _, m := range table(new(Options)) {
		names = append(names, m.name)
	}
	return names
}

// About returns a sentence about the named model, and nothing for an unknown one.
func About(name string) string {
	m, _ := find(new(Options), name)
	return m.about
}

// find returns the named model, with its settings in o. The error for an unknown name lists the known ones.
func find(o *Options, name string) (model, error) {
	for _, m := range table(o) {
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

// New returns the trainer of the given name with its settings from o, and the kind of feature it is trained on. All chance
// comes from the seed. The error is about the name or the settings.
func (o Options) New(name string, seed uint64) (Trainer, features.Kind, error) {
	m, err := find(&o, name)
	if err != nil {
		return nil, 0, err
	}
	if m.seed != nil {
		*m.seed = seed
	}
	if m.features != nil && *m.features != "" {
		m.kind, err = features.ParseKind(*m.features)
	}
	return m.settings, m.kind, cmp.Or(fieldtags.Check(m.settings), err)
}

// OptionsFrom returns the default options with the settings of the named model, as JSON of its trainer. A setting that this program does not
// have is left out, and so are priors of earlier programs, such as ham:10,spam:1. For an unknown model, such as one by hand, they are the defaults.
func OptionsFrom(name string, trainer json.RawMessage) (Options, error) {
	o := DefaultOptions()
	m, err := find(&o, name)
	if err != nil {
		return o, nil
	}
	if err := json.Unmarshal(trainer, m.settings); err != nil {
		return Options{}, err
	}
	for _, prior := range []*string{&o.Bernoulli.Prior, &o.Multinomial.Prior} {
		if strings.Contains(*prior, ":") {
			*prior = ""
		}
	}
	if err := fieldtags.Check(m.settings); err != nil {
		return Options{}, fmt.Errorf("%s: %w", name, err)
	}
	return o, nil
}

// WithFeatures returns o with all models that can be trained on features of the given kind trained on them.
func (o Options) WithFeatures(kind features.Kind) Options {
	const longRate = 1 // by default for bits and counts, whose vectors are longer than 1
	if (kind == features.Bits || kind == features.Counts) && o.Softmax.LearningRate == DefaultOptions().Softmax.LearningRate {
		o.Softmax.LearningRate = longRate
	}
	for _, m := range table(&o) {
		if m.features != nil {
			before := *m.features
			if *m.features = kind.String(); fieldtags.Check(m.settings) != nil {
				*m.features = before
			}
		}
	}
	return o
}
