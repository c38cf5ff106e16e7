package models_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chaff/features"
	"chaff/internal/fieldtags"
	"chaff/models"
	"chaff/test/modelstest"
)

func TestNamesOfModels(t *testing.T) {
	want := []string{
		"bernoulli", "multinomial", "perceptron", "averaged-perceptron", "multiclass-perceptron", "tanh", "lms", "softmax",
		"passive-aggressive", "votes", "memoriser", "majority",
	}
	if got := models.Names(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNewTakesItsSettingsFromTheOptions(t *testing.T) {
	o := models.DefaultOptions()
	o.Bernoulli.Smoothing, o.Multinomial.Features = 0.5, "counts"
	o.Perceptron.Epochs, o.AveragedPerceptron.Epochs, o.MulticlassPerceptron.Epochs = 3, 4, 5
	o.Perceptron.Features, o.AveragedPerceptron.Features, o.MulticlassPerceptron.Features = "bits", "counts", "normalised counts"
	o.Tanh.Epochs, o.LMS.Epochs, o.Softmax.Epochs, o.PassiveAggressive.Epochs = 6, 7, 8, 9
	o.Tanh.Features, o.LMS.Features, o.Softmax.Features, o.PassiveAggressive.Features = "", "counts", "bits", "normalised bits"
	want := o // with the seed, and the averaged one averaged
	modelstest.EachPasses(&want, func(p *models.Passes) {
		p.Seed = 7
	})
	want.Votes.Seed = 7
	tests := map[string]struct {
		want models.Trainer
		kind features.Kind
	}{
		"votes":                 {want.Votes, features.Evidence},
		"bernoulli":             {want.Bernoulli, features.HeadBits},
		"multinomial":           {want.Multinomial, features.Counts},
		"perceptron":            {want.Perceptron, features.Bits},
		"averaged-perceptron":   {want.AveragedPerceptron, features.Counts},
		"multiclass-perceptron": {want.MulticlassPerceptron, features.NormalisedCounts},
		"tanh":                  {want.Tanh, features.Bits},
		"lms":                   {want.LMS, features.Counts},
		"softmax":               {want.Softmax, features.Bits},
		"passive-aggressive":    {want.PassiveAggressive, features.NormalisedBits},
		"memoriser":             {models.Memoriser{}, features.Whole},
		"majority":              {models.Majority{}, features.Bits},
	}
	for _, name := range models.Names() {
		t.Run(name, func(t *testing.T) {
			test, ok := tests[name]
			got, kind, err := o.New(name, 7)
			if !ok || err != nil || reflect.ValueOf(got).Elem().Interface() != test.want || kind != test.kind {
				t.Errorf("got %+v, %v, %v, want %+v, %v", got, kind, err, test.want, test.kind)
			}
		})
	}
}

func TestNewNamesTheModelsItKnows(t *testing.T) {
	_, _, err := models.DefaultOptions().New("bayes", 1)
	const want = "unknown model \"bayes\": known are bernoulli, multinomial, perceptron, averaged-perceptron, " +
		"multiclass-perceptron, tanh, lms, softmax, passive-aggressive, votes, memoriser, majority"
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestOptionsAreReadBackFromJSON(t *testing.T) {
	data, err := json.Marshal(models.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"multinomial":{"smoothing":0.001,"prior":"uniform","features":"normalised bits"}`, `"averaged_perceptron":{"epochs":`, `"learning_rate":1,`,
		`"bernoulli":{"smoothing":0.001,"prior":"learned","features":"head bits"}`,
		`"passive_aggressive":{"epochs":20,`, `"votes":{"epochs":0,"smoothing":0.001,"bayes_share":0.3,"learning_rate":0.7,`,
	} {
		if !strings.Contains(string(data), part) {
			t.Errorf("got %s, want %s in it", data, part)
		}
	}
	var o models.Options
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatal(err)
	}
	o.AveragedPerceptron.Averaged = true // is in the name of the model
	if o != models.DefaultOptions() {
		t.Errorf("got %+v, want %+v", o, models.DefaultOptions())
	}
}

func TestOptionsValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(o *models.Options)
		want   string // "" is valid
	}{
		{"the defaults", func(*models.Options) {}, ""},
		{"naive Bayes with nothing set", func(o *models.Options) {
			o.Bernoulli, o.Multinomial = models.Bernoulli{}, models.Multinomial{}
		}, ""},
		{"the least smoothing", func(o *models.Options) { o.Bernoulli.Smoothing = 1e-10 }, ""},
		{"the largest smoothing", func(o *models.Options) { o.Multinomial.Smoothing = 1e6 }, ""},
		{"texts that are not set", func(o *models.Options) {
			o.Perceptron = models.Perceptron{Passes: models.Passes{Epochs: 1}, Steps: models.Steps{LearningRate: 1}}
		}, ""},
		{"a negative smoothing", func(o *models.Options) { o.Bernoulli.Smoothing = -1 }, "bernoulli.smoothing is -1: must be 0, or from 1e-10 to 1e6"},
		{"a smoothing too small", func(o *models.Options) { o.Multinomial.Smoothing = 1e-11 }, "multinomial.smoothing is 1e-11: must be 0, or from 1e-10 to 1e6"},
		{"a smoothing that is no number", func(o *models.Options) { o.Bernoulli.Smoothing = math.NaN() }, "bernoulli.smoothing is NaN: must be 0, or from 1e-10 to 1e6"},
		{"a kind of feature of another name", func(o *models.Options) { o.Multinomial.Features = "words" }, `multinomial.features is "words": must be counts, bits, normalised bits or normalised counts`},
		{"normalised counts for naive Bayes", func(o *models.Options) { o.Multinomial.Features = "normalised counts" }, ""},
		{"the start only, for Bernoulli", func(o *models.Options) { o.Bernoulli.Features = "head bits" }, ""},
		{"a kind of feature that Bernoulli does not take", func(o *models.Options) { o.Bernoulli.Features = "counts" }, `bernoulli.features is "counts": must be bits or head bits`},
		{"a kind of feature that only Bernoulli takes", func(o *models.Options) { o.Softmax.Features = "head bits" }, `softmax.features is "head bits": must be bits, counts, normalised bits or normalised counts`},
		{"a kind of feature that only the memoriser takes", func(o *models.Options) { o.LMS.Features = "whole" }, `lms.features is "whole": must be bits, counts, normalised bits or normalised counts`},
		{"a prior of another name", func(o *models.Options) { o.Multinomial.Prior = "flat" },
			`multinomial.prior is "flat": must be learned or uniform`},
		{"no epoch", func(o *models.Options) { o.Perceptron.Epochs = 0 }, "perceptron.epochs is 0: must be from 1 to 100000"},
		{"too many epochs", func(o *models.Options) { o.AveragedPerceptron.Epochs = 100_001 }, "averaged_perceptron.epochs is 100001: must be from 1 to 100000"},
		{"an order of another name", func(o *models.Options) { o.Softmax.Order = "sorted" }, `softmax.order is "sorted": must be random or fixed`},
		{"no learning rate", func(o *models.Options) { o.Softmax.LearningRate = 0 }, "softmax.learning_rate is 0: must be from 1e-10 to 1e6"},
		{"a learning rate that is no number", func(o *models.Options) { o.LMS.LearningRate = math.NaN() }, "lms.learning_rate is NaN: must be above 0 and at most 1e6"},
		{"a decay of another name", func(o *models.Options) { o.LMS.Decay = "1/n^2" }, `lms.decay is "1/n^2": must be constant, 1/n or 1/sqrt(n)`},
		{"a start of another name", func(o *models.Options) { o.LMS.Start = "ones" }, `lms.start is "ones": must be zeros or random`},
		{"a method of another name", func(o *models.Options) { o.Tanh.Method = "newton" }, `tanh.method is "newton": must be stochastic or batch`},
		{"a negative penalty", func(o *models.Options) { o.Softmax.L2 = -1 }, "softmax.l2 is -1: must be from 0 to 1e6"},
		{"no aggressiveness", func(o *models.Options) { o.PassiveAggressive.Aggressiveness = 0 }, "passive_aggressive.aggressiveness is 0: must be above 0 and at most 1e6"},
		{"no smoothing where the logarithms need one", func(o *models.Options) { o.Votes.Smoothing = 0 }, "votes.smoothing is 0: must be from 1e-10 to 1e6"},
		{"fewer epochs of votes than none", func(o *models.Options) { o.Votes.Epochs = -1 }, "votes.epochs is -1: must be from 0 to 100000"},
		{"a negative share", func(o *models.Options) { o.Votes.BayesShare = -0.1 }, "votes.bayes_share is -0.1: must be from 0 to 1000"},
		{"a share that is no number", func(o *models.Options) { o.Votes.BayesShare = math.NaN() }, "votes.bayes_share is NaN: must be from 0 to 1000"},
		{"no share", func(o *models.Options) { o.Votes.BayesShare = 0 }, ""},
		{"no learning rate for votes", func(o *models.Options) { o.Votes.LearningRate = 0 }, "votes.learning_rate is 0: must be above 0 and at most 1e6"},
		{"as many epochs of votes as the messages need", func(o *models.Options) { o.Votes.Epochs = 0 }, ""},
		{"all that is wrong", func(o *models.Options) {
			o.Bernoulli.Smoothing = 1e7
			o.Multinomial.Smoothing, o.Multinomial.Prior = -2, "ham:1,ham:0.5"
		},
			"bernoulli.smoothing is 1e+07: must be 0, or from 1e-10 to 1e6\n" +
				"multinomial.smoothing is -2: must be 0, or from 1e-10 to 1e6\n" +
				`multinomial.prior is "ham:1,ham:0.5": must be learned or uniform`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := models.DefaultOptions()
			test.change(&o)
			var got string
			if err := fieldtags.Check(o); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestAllModelsOnOneKindOfFeature(t *testing.T) {
	takes := map[string][]features.Kind{
		"bernoulli": {features.Bits, features.HeadBits}, "memoriser": {features.Whole}, "majority": {features.Bits}, "votes": {features.Evidence},
	}
	for _, kind := range []features.Kind{features.Bits, features.Counts, features.NormalisedBits, features.NormalisedCounts} {
		o := models.DefaultOptions().WithFeatures(kind)
		if err := fieldtags.Check(o); err != nil {
			t.Errorf("%v: %v", kind, err)
		}
		given := models.DefaultOptions()
		given.Softmax.LearningRate = 3
		if got := given.WithFeatures(kind).Softmax.LearningRate; got != 3 {
			t.Errorf("%v: got the learning rate %v, want the one that was given", kind, got)
		}
		for _, name := range models.Names() {
			_, got, err := o.New(name, 1)
			if of, limited := takes[name]; limited && !slices.Contains(of, kind) {
				continue
			}
			if err != nil || got != kind {
				t.Errorf("%s: got %v, %v, want %v", name, got, err, kind)
			}
		}
	}
}

// Models of earlier programs have settings that are gone.
func TestASettingThatIsGoneIsLeftOut(t *testing.T) {
	o, err := models.OptionsFrom("softmax", []byte(`{"epochs": 7, "learning_rate": 3, "l1": 0, "l2": 0.5, "method": "stochastic", "class_weights": "ham:10,spam:1"}`))
	if err != nil || o.Softmax.Epochs != 7 || o.Softmax.L2 != 0.5 || o.Softmax.LearningRate != 3 {
		t.Errorf("got %+v, %v", o.Softmax, err)
	}
	o, err = models.OptionsFrom("bernoulli", []byte(`{"smoothing": 2, "prior": "ham:10,spam:1"}`))
	if err != nil || o.Bernoulli.Prior != "" || o.Bernoulli.Smoothing != 2 {
		t.Errorf("got %+v, %v", o.Bernoulli, err)
	}
}
