package models_test

import (
	"testing"

	"chaff/models"
)

func TestConformance(t *testing.T) {
	unusual := map[string]traits{
		"majority":              {ignoresTerms: true, anyKind: true},
		"memoriser":             {ignoresPrior: true, classOrderMatters: true}, // all that is new is of class 0
		"multinomial":           {ignoresPrior: true},                          // it is uniform
		"perceptron":            {anyKind: true, ignoresPrior: true},           // the last mistake decides
		"averaged-perceptron":   {anyKind: true},
		"multiclass-perceptron": {anyKind: true, classOrderMatters: true}, // of equal scores the first is the rival
		"passive-aggressive":    {anyKind: true},
		"tanh":                  {anyKind: true},
		"lms":                   {anyKind: true},
		"softmax":               {anyKind: true},
	}
	names := models.Names()
	if len(names) == 0 {
		t.Fatal("there are no models")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			_, kind, err := models.DefaultOptions().New(name, 1)
			if err != nil {
				t.Fatal(err)
			}
			newTrainer := func() models.Trainer {
				trainer, _, _ := models.DefaultOptions().New(name, 1)
				return trainer
			}
			testConformance(t, kind, newTrainer, unusual[name])
		})
		delete(unusual, name)
	}
	for name := range unusual {
		t.Errorf("traits of %q, which is no model", name)
	}
}

// TestConformanceOfOtherSettings runs what differs most from the defaults: no smoothing, and counts.
func TestConformanceOfOtherSettings(t *testing.T) {
	o := models.DefaultOptions()
	o.Bernoulli.Smoothing = 0
	o.Multinomial = models.Multinomial{Smoothing: 0, Features: "counts"}
	for _, name := range []string{"bernoulli", "multinomial"} {
		t.Run(name, func(t *testing.T) {
			_, kind, err := o.New(name, 1)
			if err != nil {
				t.Fatal(err)
			}
			newTrainer := func() models.Trainer {
				trainer, _, _ := o.New(name, 1)
				return trainer
			}
			testConformance(t, kind, newTrainer, traits{})
		})
	}
}
