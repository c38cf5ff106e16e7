package models

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
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

// row is one model in the table.
type row struct {
	name  string
	about string // a sentence for users
	// settings are the defaults. Their type implements the trainer, its validation, its kind of feature and its online
	// learner. Options sets the fields Seed, Epochs, Patience, Features and LearningRate of all models that have them.
	settings settings
}

// settings are the settings of one model.
type settings interface {
	Trainer
	Validate() error
	// kind returns the kind of feature that the trainer takes.
	kind() (features.Kind, error)
	// online returns a learner that has learnt nothing, or why there is none with these settings.
	online(classes []string) (Online, error)
}

// table lists all models in the order they are shown in: those of the lectures, others, and the baselines. A new model
// needs a file, a row here, a field of the same name in Options, and tests.
func table() []row {
	return []row{
		{"bernoulli", "Naive Bayes on the presence and absence of terms.",
			Bernoulli{Smoothing: 0.001, Prior: PriorLearned, Features: features.HeadBits.String()}},
		{"multinomial", "Naive Bayes on the tokens of a message.",
			Multinomial{Smoothing: 0.001, Prior: PriorUniform, Features: features.NormalisedBits.String()}},
		{"perceptron", "The perceptron, which learns from its mistakes.",
			Perceptron{Passes: defaultPasses(50, features.Bits), Steps: defaultSteps(1)}},
		{"averaged-perceptron", "The perceptron with the mean of its weights over all steps.",
			Perceptron{Passes: defaultPasses(50, features.Bits), Steps: defaultSteps(1), Averaged: true}},
		{"multiclass-perceptron", "The perceptron with a weight vector for each class.",
			MulticlassPerceptron{Passes: defaultPasses(50, features.Bits), Steps: defaultSteps(1), Averaged: true}},
		{"tanh", "The differentiable perceptron, trained by gradient descent.", Tanh{defaultDescent()}},
		{"lms", "Least mean squares, trained by gradient descent.", LMS{defaultDescent()}},
		{"softmax", "Softmax regression; of two classes, logistic regression.",
			Softmax{Passes: defaultPasses(20, features.NormalisedBits), LearningRate: 12, L2: 0.001, Tolerance: 0.01, Method: MethodStochastic}},
		{"passive-aggressive", "The smallest change that classifies each message with a margin.",
			PassiveAggressive{Passes: defaultPasses(20, features.NormalisedBits), Aggressiveness: 0.2}},
		{"votes", "Naive Bayes and logistic regression with one bounded vote for each kind of evidence.",
			Votes{ClassWeights: WeightsNone, Smoothing: 0.001, BayesShare: 0.3, LearningRate: 0.7, GroupBound: groupBound, PastedBound: pastedBound, Bound: memberBound}},
		{"memoriser", "A baseline that remembers the training messages and nothing else.", Memoriser{}},
		{"majority", "A baseline that always predicts the most frequent class.", Majority{}},
	}
}

// DefaultOptions returns the default settings of all models.
func DefaultOptions() Options {
	var o Options
	for _, m := range table() {
		o.field(m.name).Set(reflect.ValueOf(m.settings))
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

// About returns a sentence about the named model, and nothing for an unknown one.
func About(name string) string {
	for _, m := range table() {
		if m.name == name {
			return m.about
		}
	}
	return ""
}

// field returns the settings of the named model within o, and the zero Value for an unknown one.
func (o *Options) field(name string) reflect.Value {
	v, key := reflect.ValueOf(o).Elem(), strings.ReplaceAll(name, "-", "_")
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("json") == key {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

// Validate returns everything that is wrong with o, each key after the name of its section.
func (o Options) Validate() error {
	var errs []error
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		if err := v.Field(i).Interface().(settings).Validate(); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				errs = append(errs, fmt.Errorf("%s.%s", v.Type().Field(i).Tag.Get("json"), line))
			}
		}
	}
	return errors.Join(errs...)
}

// New returns the trainer of the given name with its settings from o, and the kind of feature it is trained on. All chance
// comes from the seed. The error for an unknown name lists the known ones.
func (o Options) New(name string, seed uint64) (Trainer, features.Kind, error) {
	v := o.field(name)
	if !slices.Contains(Names(), name) {
		return nil, 0, unknownModel(name)
	}
	if s := v.FieldByName("Seed"); s.IsValid() {
		s.SetUint(seed)
	}
	m := v.Interface().(settings)
	kind, err := m.kind()
	return m, kind, err
}

// OptionsFrom returns the default options with the settings of the named model, as JSON of its trainer. For an unknown model, such as one by
// hand, they are the defaults.
func OptionsFrom(model string, trainer json.RawMessage) (Options, error) {
	o := DefaultOptions()
	field := o.field(model)
	if !field.IsValid() {
		return o, nil
	}
	s, err := settingsFrom(model, trainer)
	if err != nil {
		return Options{}, err
	}
	field.Set(reflect.ValueOf(s))
	return o, nil
}

// settingsFrom returns the settings of the named model, as JSON of its trainer.
func settingsFrom(model string, trainer json.RawMessage) (settings, error) {
	rows := table()
	i := slices.IndexFunc(rows, func(m row) bool { return m.name == model })
	if i < 0 {
		return nil, unknownModel(model)
	}
	v := reflect.New(reflect.TypeOf(rows[i].settings))
	v.Elem().Set(reflect.ValueOf(rows[i].settings))
	d := json.NewDecoder(bytes.NewReader(trainer))
	d.DisallowUnknownFields()
	if err := d.Decode(v.Interface()); err != nil {
		return nil, err
	}
	s := v.Elem().Interface().(settings)
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", model, err)
	}
	return s, nil
}

func unknownModel(name string) error {
	return cmp.Or(Gone(name), fmt.Errorf("unknown model %q: known are %s", name, strings.Join(Names(), ", ")))
}

// Gone returns an error about a model that earlier versions had, which names its successor, and nil for any other name.
func Gone(name string) error {
	successors := map[string]string{"hybrid": "votes or softmax", "arow": "passive-aggressive", "complement": "multinomial"}
	if successor := successors[name]; successor != "" {
		return fmt.Errorf("the model %s is gone: use %s", name, successor)
	}
	return nil
}

// nameOf returns the name of the first model with settings of this type.
func nameOf(s settings) string {
	rows := table()
	return rows[slices.IndexFunc(rows, func(m row) bool { return reflect.TypeOf(m.settings) == reflect.TypeOf(s) })].name
}

// Stopped returns o with a fixed number of epochs of the named model: kept, the epoch that an earlier training kept. It has no
// effect on a model whose number of epochs depends neither on development mail nor on the number of messages.
func (o Options) Stopped(name string, kept int) Options {
	epochs, patience := o.field(name).FieldByName("Epochs"), o.field(name).FieldByName("Patience")
	switch {
	case epochs.IsValid() && epochs.Int() == 0:
		epochs.SetInt(int64(kept))
	case patience.IsValid() && patience.Int() > 0 && kept > 0:
		epochs.SetInt(int64(kept))
		patience.SetInt(0)
	}
	return o
}

// WithFeatures returns o with all models that can be trained on features of the given kind trained on them.
func (o Options) WithFeatures(kind features.Kind) Options {
	for _, m := range table() {
		v := o.field(m.name)
		f := v.FieldByName("Features")
		if !f.IsValid() {
			continue
		}
		before := f.String()
		f.SetString(kind.String())
		if _, err := v.Interface().(settings).kind(); err != nil {
			f.SetString(before)
		}
	}
	return o
}

// LearningRate returns the learning rate of the named model as a setting, such as models.lms.learning_rate=0.2, and nothing for a model
// that has none.
func (o Options) LearningRate(name string) string {
	rate := o.field(name).FieldByName("LearningRate")
	if !rate.IsValid() {
		return ""
	}
	return fmt.Sprintf("models.%s.learning_rate=%.3g", strings.ReplaceAll(name, "-", "_"), rate.Float())
}

// WithShorterSteps returns o with all learning rates divided by the given number.
func (o Options) WithShorterSteps(by float64) Options {
	for _, m := range table() {
		if rate := o.field(m.name).FieldByName("LearningRate"); rate.IsValid() {
			rate.SetFloat(rate.Float() / by)
		}
	}
	return o
}
