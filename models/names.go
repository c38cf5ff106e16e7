package models

import (
	"errors"
	"fmt"
	"strings"

	"chaff/features"
)

// Options are the settings of all trainers, by the names of the models.
type Options struct {
	Bernoulli            Bernoulli            `json:"bernoulli"`
	Multinomial          Multinomial          `json:"multinomial"`
	Complement           Complement           `json:"complement"`
	Perceptron           Perceptron           `json:"perceptron"`
	AveragedPerceptron   Perceptron           `json:"averaged_perceptron"`
	MulticlassPerceptron MulticlassPerceptron `json:"multiclass_perceptron"`
	PassiveAggressive    PassiveAggressive    `json:"passive_aggressive"`
	Tanh                 Tanh                 `json:"tanh"`
	LMS                  LMS                  `json:"lms"`
	Softmax              Softmax              `json:"softmax"`
	Votes                Votes                `json:"votes"`
	Hybrid               Hybrid               `json:"hybrid"`
	AROW                 AROW                 `json:"arow"`
}

// DefaultOptions returns the options used when nothing else is said.
func DefaultOptions() Options {
	return Options{
		Bernoulli:            DefaultBernoulli(),
		Multinomial:          DefaultMultinomial(),
		Complement:           DefaultComplement(),
		Perceptron:           DefaultPerceptron(),
		AveragedPerceptron:   DefaultAveragedPerceptron(),
		MulticlassPerceptron: DefaultMulticlassPerceptron(),
		PassiveAggressive:    DefaultPassiveAggressive(),
		Tanh:                 DefaultTanh(),
		LMS:                  DefaultLMS(),
		Softmax:              DefaultSoftmax(),
		Votes:                DefaultVotes(),
		Hybrid:               DefaultHybrid(),
		AROW:                 DefaultAROW(),
	}
}

// Validate returns everything that is wrong with o, each key after the name of its model.
func (o Options) Validate() error {
	return errors.Join(
		o.Bernoulli.validate("bernoulli."),
		o.Multinomial.validate("multinomial."),
		o.Complement.validate("complement."),
		o.Perceptron.validate("perceptron."),
		o.AveragedPerceptron.validate("averaged_perceptron."),
		o.MulticlassPerceptron.validate("multiclass_perceptron."),
		o.PassiveAggressive.validate("passive_aggressive."),
		o.Tanh.validate("tanh."),
		o.LMS.validate("lms."),
		o.Softmax.validate("softmax."),
		o.Votes.validate("votes."),
		o.Hybrid.validate("hybrid."),
		o.AROW.validate("arow."),
	)
}

// named is one line of the table of models.
type named struct {
	name string
	// trainer returns the trainer with its settings, and the kind of feature it is trained on.
	trainer func(o Options) (Trainer, features.Kind, error)
}

// table lists all models, in the order they are shown in: those of the lectures, others, and the baselines.
func table() []named {
	return []named{
		{"bernoulli", func(o Options) (Trainer, features.Kind, error) { return withKind(o.Bernoulli, o.Bernoulli.kind) }},
		{"multinomial", func(o Options) (Trainer, features.Kind, error) { return withKind(o.Multinomial, o.Multinomial.kind) }},
		{"perceptron", func(o Options) (Trainer, features.Kind, error) { return withKind(o.Perceptron, o.Perceptron.kind) }},
		{"averaged-perceptron", func(o Options) (Trainer, features.Kind, error) {
			o.AveragedPerceptron.Averaged = true
			return withKind(o.AveragedPerceptron, o.AveragedPerceptron.kind)
		}},
		{"multiclass-perceptron", func(o Options) (Trainer, features.Kind, error) {
			return withKind(o.MulticlassPerceptron, o.MulticlassPerceptron.kind)
		}},
		{"tanh", func(o Options) (Trainer, features.Kind, error) { return withKind(o.Tanh, o.Tanh.kind) }},
		{"lms", func(o Options) (Trainer, features.Kind, error) { return withKind(o.LMS, o.LMS.kind) }},
		{"softmax", func(o Options) (Trainer, features.Kind, error) { return withKind(o.Softmax, o.Softmax.kind) }},
		{"passive-aggressive", func(o Options) (Trainer, features.Kind, error) {
			return withKind(o.PassiveAggressive, o.PassiveAggressive.kind)
		}},
		{"votes", func(o Options) (Trainer, features.Kind, error) { return o.Votes, features.Evidence, nil }},
		{"hybrid", func(o Options) (Trainer, features.Kind, error) { return withKind(o.Hybrid, o.Hybrid.kind) }},
		{"arow", func(o Options) (Trainer, features.Kind, error) { return withKind(o.AROW, o.AROW.kind) }},
		{"complement", func(o Options) (Trainer, features.Kind, error) { return withKind(o.Complement, o.Complement.kind) }},
		{"memoriser", func(Options) (Trainer, features.Kind, error) { return Memoriser{}, features.Whole, nil }},
		{"majority", func(Options) (Trainer, features.Kind, error) { return Majority{}, features.Bits, nil }},
	}
}

func withKind(t Trainer, kind func() (features.Kind, error)) (Trainer, features.Kind, error) {
	k, err := kind()
	return t, k, err
}

// passes are the settings of the passes of all trainers in epochs that share them, by the names of the models.
func (o *Options) passes() map[string]*Passes {
	return map[string]*Passes{
		"perceptron": &o.Perceptron.Passes, "averaged-perceptron": &o.AveragedPerceptron.Passes,
		"multiclass-perceptron": &o.MulticlassPerceptron.Passes, "tanh": &o.Tanh.Passes, "lms": &o.LMS.Passes,
		"softmax": &o.Softmax.Passes, "passive-aggressive": &o.PassiveAggressive.Passes, "hybrid": &o.Hybrid.Passes,
		"arow": &o.AROW.Passes,
	}
}

// seed gives all trainers that have chance in them the seed it comes from.
func (o *Options) seed(seed uint64) {
	for _, p := range o.passes() {
		p.Seed = seed
	}
	o.Votes.Seed = seed
}

// Stopped returns o with the named model making as many epochs as were kept when development mail, or the number of messages,
// decided when to stop: where all mail is learned none is left to decide, and models whose scores are compared make as many
// epochs. Other models stay as they are.
func (o Options) Stopped(name string, kept int) Options {
	if name == "votes" && o.Votes.Epochs == 0 {
		o.Votes.Epochs = kept
	}
	if p := o.passes()[name]; p != nil && p.Patience > 0 && kept > 0 {
		p.Epochs, p.Patience = kept, 0
	}
	return o
}

// WithFeatures returns o with all models that can be trained on features of the given kind trained on them.
func (o Options) WithFeatures(kind features.Kind) Options {
	name := kind.String()
	for _, features := range []*string{
		&o.Perceptron.Features, &o.AveragedPerceptron.Features, &o.MulticlassPerceptron.Features, &o.Tanh.Features,
		&o.LMS.Features, &o.Softmax.Features, &o.PassiveAggressive.Features, &o.Hybrid.Features, &o.AROW.Features,
		&o.Complement.Features, &o.Multinomial.Features,
	} {
		*features = name
	}
	if checkBernoulliFeatures("", name) == nil {
		o.Bernoulli.Features = name
	}
	return o
}

// WithShorterSteps returns o with all learning rates divided by the given number.
func (o Options) WithShorterSteps(by float64) Options {
	for _, rate := range []*float64{
		&o.Perceptron.LearningRate, &o.AveragedPerceptron.LearningRate, &o.MulticlassPerceptron.LearningRate,
		&o.Tanh.LearningRate, &o.LMS.LearningRate, &o.Softmax.LearningRate, &o.Hybrid.LearningRate, &o.Votes.LearningRate,
	} {
		*rate /= by
	}
	return o
}

// Names returns the names of all models, in the order they are shown in.
func Names() []string {
	var names []string
	for _, m := range table() {
		names = append(names, m.name)
	}
	return names
}

// New returns the trainer of the given name with its settings from o, and the kind of feature it is trained on. The seed
// is where its chance comes from, if it has any. The error for an unknown name lists the known ones.
func (o Options) New(name string, seed uint64) (Trainer, features.Kind, error) {
	o.seed(seed)
	for _, m := range table() {
		if m.name == name {
			return m.trainer(o)
		}
	}
	return nil, 0, fmt.Errorf("unknown model %q: known are %s", name, strings.Join(Names(), ", "))
}
