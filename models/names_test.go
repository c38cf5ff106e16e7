package models_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"chaff/features"
	"chaff/models"
)

func TestNamesOfModels(t *testing.T) {
	want := []string{"bernoulli", "multinomial", "majority"}
	if got := models.Names(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNewTakesItsSettingsFromTheOptions(t *testing.T) {
	o := models.Options{Bernoulli: models.Bernoulli{Smoothing: 0.5}, Multinomial: models.Multinomial{Smoothing: 0.25}}
	tests := []struct {
		model string
		want  models.Trainer
		kind  features.Kind
	}{
		{"bernoulli", o.Bernoulli, features.Bits},
		{"multinomial", o.Multinomial, features.Counts},
		{"majority", models.Majority{}, features.Bits},
	}
	if _, kind, err := models.DefaultOptions().New("multinomial"); err != nil || kind != features.Bits {
		t.Errorf("multinomial by default: got %v, %v, want %v", kind, err, features.Bits)
	}
	for _, test := range tests {
		t.Run(test.model, func(t *testing.T) {
			got, kind, err := o.New(test.model)
			if err != nil || got != test.want || kind != test.kind {
				t.Errorf("got %v, %v, %v, want %v, %v", got, kind, err, test.want, test.kind)
			}
		})
	}
}

func TestNewNamesTheModelsItKnows(t *testing.T) {
	_, _, err := models.DefaultOptions().New("bayes")
	const want = `unknown model "bayes": known are bernoulli, multinomial, majority`
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestOptionsAreReadBackFromJSON(t *testing.T) {
	const text = `{"bernoulli":{"smoothing":0.001,"prior":"learned"},"multinomial":{"smoothing":0.1,"prior":"learned","features":"bits"}}`
	data, err := json.Marshal(models.DefaultOptions())
	if err != nil || string(data) != text {
		t.Errorf("got %s, %v, want %s", data, err, text)
	}
	var o models.Options
	if err := json.Unmarshal(data, &o); err != nil || o != models.DefaultOptions() {
		t.Errorf("got %+v, %v, want %+v", o, err, models.DefaultOptions())
	}
}

func TestOptionsValidate(t *testing.T) {
	tests := []struct {
		name    string
		options models.Options
		want    string // "" is valid
	}{
		{"the defaults", models.DefaultOptions(), ""},
		{"nothing set", models.Options{}, ""},
		{"the least smoothing", models.Options{Bernoulli: models.Bernoulli{Smoothing: 1e-10}}, ""},
		{"the largest smoothing", models.Options{Multinomial: models.Multinomial{Smoothing: 1e6}}, ""},
		{"a given prior", models.Options{Bernoulli: models.Bernoulli{Prior: "ham:0.7,spam:0.3"}}, ""},
		{"a negative smoothing", models.Options{Bernoulli: models.Bernoulli{Smoothing: -1}}, "bernoulli.smoothing is -1: must be 0, or from 1e-10 to 1e+06"},
		{"a smoothing too small", models.Options{Multinomial: models.Multinomial{Smoothing: 1e-11}}, "multinomial.smoothing is 1e-11: must be 0, or from 1e-10 to 1e+06"},
		{"a smoothing that is no number", models.Options{Multinomial: models.Multinomial{Smoothing: math.NaN()}}, "multinomial.smoothing is NaN: must be 0, or from 1e-10 to 1e+06"},
		{"a kind of feature of another name", models.Options{Multinomial: models.Multinomial{Features: "words"}},
			`multinomial.features is "words": must be bits or counts`},
		{"a prior of another name", models.Options{Multinomial: models.Multinomial{Prior: "flat"}},
			`multinomial.prior is "flat": "flat" has no colon; must be learned, uniform, or like ham:0.7,spam:0.3`},
		{"all that is wrong", models.Options{Bernoulli: models.Bernoulli{Smoothing: 1e7}, Multinomial: models.Multinomial{Smoothing: -2, Prior: "ham:1,ham:0.5"}},
			"bernoulli.smoothing is 1e+07: must be 0, or from 1e-10 to 1e+06\n" +
				"multinomial.smoothing is -2: must be 0, or from 1e-10 to 1e+06\n" +
				`multinomial.prior is "ham:1,ham:0.5": class "ham" is named twice; must be learned, uniform, or like ham:0.7,spam:0.3`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got string
			if err := test.options.Validate(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
