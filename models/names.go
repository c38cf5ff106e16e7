package models

import (
	"errors"
	"fmt"
	"strings"

	"chaff/features"
)

// Options are the settings of all trainers, by the names of the models.
type Options struct {
	Bernoulli   Bernoulli   `json:"bernoulli"`
	Multinomial Multinomial `json:"multinomial"`
}

// DefaultOptions returns the options used when nothing else is said.
func DefaultOptions() Options {
	return Options{
		Bernoulli:   DefaultBernoulli(),
		Multinomial: DefaultMultinomial(),
	}
}

// Validate returns everything that is wrong with o, each key after the name of its model.
func (o Options) Validate() error {
	return errors.Join(
		validateBayes("bernoulli.", o.Bernoulli.Smoothing, o.Bernoulli.Prior),
		o.Multinomial.validate("multinomial."),
	)
}

// named is one line of the table of models.
type named struct {
	name    string
	trainer func(o Options) (Trainer, features.Kind, error) // and the kind of feature it is trained on
}

// table lists all models, in the order they are shown in.
func table() []named {
	return []named{
		{"bernoulli", func(o Options) (Trainer, features.Kind, error) { return o.Bernoulli, features.Bits, nil }},
		{"multinomial", func(o Options) (Trainer, features.Kind, error) {
			kind, err := o.Multinomial.kind()
			return o.Multinomial, kind, err
		}},
		{"majority", func(Options) (Trainer, features.Kind, error) { return Majority{}, features.Bits, nil }},
	}
}

// Names returns the names of all models, in the order they are shown in.
func Names() []string {
	var names []string
	for _, m := range table() {
		names = append(names, m.name)
	}
	return names
}

// New returns the trainer of the given name with its settings from o, and the kind of feature it is trained on. The
// error for an unknown name lists the known ones.
func (o Options) New(name string) (Trainer, features.Kind, error) {
	for _, m := range table() {
		if m.name == name {
			return m.trainer(o)
		}
	}
	return nil, 0, fmt.Errorf("unknown model %q: known are %s", name, strings.Join(Names(), ", "))
}
