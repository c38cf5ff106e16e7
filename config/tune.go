package config

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"

	"chaff/internal/fieldtags"
	"chaff/metrics"
)

// The values of Tune.Method.
const (
	TuneGrid   = "grid"
	TuneRandom = "random"
)

const maxTrials = 10_000

// Tune describes a search for better settings. Only `chaff tune` uses it; other commands check it.
type Tune struct {
	// Method is how trials are chosen: "grid" for all combinations, the last entry changing fastest; "random" for
	// random ones, none twice. Default "grid".
	Method string `json:"method" default:"grid"`
	// Trials is how many combinations "random" draws. From 1 to 10000. Default 60.
	Trials int `json:"trials" range:"from 1 to 10000" default:"60"`
	// Objective is the development figure to optimise: "accuracy", "one_minus_roca", "lam" or "log_loss". The second
	// and third are for spam filters. Of equal trials the one with the smaller log loss wins. Default "accuracy".
	Objective string `json:"objective" default:"accuracy"`
	// Search lists the settings to change.
	Search []Search `json:"search"`
}

// Search is one setting of a search and its values. It is a table `[[tune.search]]` of the file.
type Search struct {
	// Key is the name of the setting, such as "models.softmax.l2". Any setting but workers, memory, seed, the split
	// and the limits of [message], which trials have in common. A setting of another model than that of a trial does
	// not count there.
	Key string `json:"key"`
	// Values lists the values to try. For a setting that is a list, each value is a text with commas, such as
	// "subject, from".
	Values []any `json:"values"`
}

// Validate returns all errors in the description. [Config.Plan] checks whether the settings accept the values, which depends
// on other settings.
func (t Tune) Validate() error {
	errs := []error{fieldtags.Check(t)}
	if methods := []string{TuneGrid, TuneRandom}; !slices.Contains(methods, t.Method) {
		errs = append(errs, fmt.Errorf("method is %q: must be %s", t.Method, strings.Join(methods, " or ")))
	}
	if !slices.Contains(metrics.Objectives(), t.Objective) {
		errs = append(errs, fmt.Errorf("objective is %q: must be %s", t.Objective, strings.Join(metrics.Objectives(), ", ")))
	}
	_, err := t.axes()
	return errors.Join(append(errs, err)...)
}

// axes returns the possible values of each entry, or all that is wrong with the entries.
func (t Tune) axes() (axes []axis, err error) {
	known, first := settings(Default()), make(map[string]int)
	var errs []error
	for i, s := range t.Search {
		a, err := newAxis(known, s)
		key := strings.ToLower(s.Key)
		if n, twice := first[key]; twice {
			err = fmt.Errorf("has the same key as entry %d", n)
		} else {
			first[key] = i + 1
		}
		a.entry = fmt.Sprintf("search, entry %d (%s)", i+1, s.Key)
		for _, err := range fieldtags.Complaints(err) {
			errs = append(errs, fmt.Errorf("%s: %w", a.entry, err))
		}
		axes = append(axes, a)
	}
	return axes, errors.Join(errs...)
}

// notSearched has why the settings of a section, or a setting without one, cannot be searched.
var notSearched = map[string]string{
	"tune":    "describes the search and cannot be searched",
	"workers": "cannot be searched: it changes no result",
	"memory":  "cannot be searched: it changes no result",
	"seed":    "cannot be searched: it decides which messages are development mail, and the best would be the luckiest",
	"split":   "cannot be searched: it decides which messages are development mail, and the best would be the luckiest",
	"message": "cannot be searched: the limits decide which messages are nearly the same, and so what the trials are compared on",
}

// axis is one setting with its possible values.
type axis struct {
	setting
	entry  string // its name in errors
	points []any
}

// newAxis returns the axis of an entry, or all that is wrong with the entry.
func newAxis(known []setting, s Search) (axis, error) {
	target, found := find(known, s.Key)
	section, _, _ := strings.Cut(target.key, ".")
	a := axis{setting: target}
	switch {
	case s.Key == "":
		return a, errors.New("key is missing: it names the setting to change")
	case !found:
		return a, unknown(s.Key, known, Default().Model, "as its key")
	case notSearched[section] != "":
		return a, errors.New(notSearched[section])
	case len(s.Values) == 0:
		return a, errors.New("has no values to try")
	}
	var errs []error
	for _, value := range s.Values {
		point := reflect.New(target.value.Type()).Elem()
		if err := decodeInto(point, value); err != nil {
			errs = append(errs, fmt.Errorf("value %s: must be %s", valueTOML(value), target.typeName()))
		}
		a.points = append(a.points, point.Interface())
	}
	return a, errors.Join(errs...)
}

// searchKey is the key of the list of entries, the only key of a file that is not a single setting.
const searchKey = "tune.search"

// readSearch returns the entries at searchKey, or nil.
func readSearch(raw any, file string) (search []Search, err error) {
	if raw == nil {
		return nil, nil
	}
	decoder, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{Result: &search, TagName: "json", ErrorUnused: true})
	if err != nil {
		return nil, err
	}
	if err := decoder.Decode(raw); err != nil {
		lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
		return nil, fmt.Errorf("%s in %s: entries under [[%s]] have a key, a text, and values, a list: %s", searchKey, file, searchKey, lines[len(lines)-1])
	}
	return search, nil
}

// Trial is one combination of a search.
type Trial struct {
	Choices []Value // the changed settings in the order of the search, without those of other models
	Config  Config  // the base with the choices, without the search
}

// ErrNoSearch reports a configuration without a search.
var ErrNoSearch = errors.New("nothing to search: there is no entry [[tune.search]]")

// Plan returns the trials of the search in c, which is valid, each once. The same description and seed give the same trials. An error names the wrong entry.
func (c Config) Plan() (plan []Trial, err error) {
	const tuneStream = 0x74756e65 // the random stream of combinations
	if len(c.Tune.Search) == 0 {
		return plan, ErrNoSearch
	}
	axes, _ := c.Tune.axes()
	base, isRandom := c, c.Tune.Method == TuneRandom
	base.Tune = Default().Tune
	var errs []error
	for _, a := range axes { // no setting decides what another one may be
		for _, value := range a.points {
			if err := base.with(Value{Key: a.key, Value: value}).Validate(); err != nil {
				errs = append(errs, fmt.Errorf("tune.%s: %w", a.entry, fieldtags.Complaints(err)[0]))
			}
		}
	}
	if len(errs) > 0 {
		return plan, errors.Join(errs...)
	}
	combinations, trials, patience := 1, c.Tune.Trials, 1000 // combinations in a row that are no new trials
	if !isRandom {
		for _, a := range axes {
			if combinations *= len(a.points); combinations > maxTrials {
				return plan, fmt.Errorf("the grid has more than %d combinations: leave values out, or search with the method random", maxTrials)
			}
		}
		trials, patience = combinations, combinations
	}
	rng := rand.New(rand.NewPCG(c.Seed, tuneStream))
	seen, used := make(map[string]bool), make(map[string]bool) // by the text and by the key of choices
	for n, idle := 0, 0; len(plan) < trials && idle < patience && (isRandom || n < combinations); n++ {
		choices, stride := make([]Value, len(axes)), combinations
		for i, a := range axes {
			var point int
			if isRandom {
				point = rng.IntN(len(a.points))
			} else { // the last axis changes fastest
				stride /= len(a.points)
				point = n / stride % len(a.points)
			}
			choices[i] = Value{Key: a.key, Value: a.points[point]}
		}
		trial := base.trial(choices)
		name := fmt.Sprintf("%#v", trial.Choices)
		if idle++; seen[name] {
			continue
		}
		seen[name], idle = true, 0
		plan = append(plan, trial)
		for _, choice := range trial.Choices {
			used[choice.Key] = true
		}
	}
	for _, a := range axes {
		if model, _ := OwnerOf(a.key); !used[a.key] {
			errs = append(errs, fmt.Errorf("tune.%s: no trial has the model %s: set model = %q, or search the key model too", a.entry, model, model))
		}
	}
	return plan, errors.Join(errs...)
}

// with returns c with one setting changed.
func (c Config) with(choice Value) Config {
	target, _ := find(settings(&c), choice.Key)
	target.value.Set(reflect.ValueOf(choice.Value))
	return c
}

// trial returns c with choices. Settings of another model than that of the trial have no effect in it, so they keep their values.
func (c Config) trial(choices []Value) Trial {
	trial := Trial{Config: c}
	for _, choice := range choices {
		if choice.Key == "model" {
			trial.Config = trial.Config.with(choice)
		}
	}
	for _, choice := range choices {
		if model, ofModel := OwnerOf(choice.Key); !ofModel || model == trial.Config.Model {
			trial.Config = trial.Config.with(choice)
			trial.Choices = append(trial.Choices, choice)
		}
	}
	return trial
}

// OwnerOf returns the model that a setting belongs to, if it does to one.
func OwnerOf(key string) (model string, ofModel bool) {
	rest, ofModel := strings.CutPrefix(key, "models.")
	name, _, _ := strings.Cut(rest, ".")
	return strings.ReplaceAll(name, "_", "-"), ofModel
}
