package config

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Method string `json:"method"`
	// Trials is how many combinations "random" draws. From 1 to 10000. Default 60.
	Trials int `json:"trials"`
	// Time limits the time of the trials, such as "10m" or "1h30m"; the best one so far wins. "" is no limit. Default
	// "".
	Time string `json:"time"`
	// Objective is the development figure to optimise: "accuracy", "one_minus_roca", "lam" or "log_loss". The second
	// and third are for spam filters. Of equal trials the one with the smaller log loss wins. Default "accuracy".
	Objective string `json:"objective"`
	// Search lists the settings to change.
	Search []Search `json:"search"`
}

// Search is one setting of a search, with either values or a range. It is a table `[[tune.search]]` of the file.
type Search struct {
	// Key is the name of the setting, such as "models.softmax.l2". Any setting but workers, memory, seed, the split
	// and the limits of [message], which trials have in common. A setting of another model than that of a trial does
	// not count there.
	Key string `json:"key"`
	// Values lists the values to try. For a setting that is a list, each value is a text with commas, such as
	// "subject, from".
	Values []any `json:"values"`
	// From is the lower end of a range of numbers.
	From *float64 `json:"from"`
	// To is the upper end of the range, which includes it.
	To *float64 `json:"to"`
	// Scale is "linear", or "log" for constant ratios. Default "linear".
	Scale string `json:"scale"`
	// Steps is the number of values of a range, both ends included. From 2 to 10000; a grid needs it. Without it a
	// random search draws any number of the range, in four digits.
	Steps int `json:"steps"`
}

// DefaultTune returns the default search, which has no entries.
func DefaultTune() Tune {
	return Tune{Method: TuneGrid, Trials: 60, Objective: metrics.ByAccuracy}
}

// Budget returns the time limit, 0 for none.
func (t Tune) Budget() time.Duration {
	d, err := time.ParseDuration(t.Time)
	if err != nil {
		return 0
	}
	return d
}

// Validate returns all errors in the description. [Config.Plan] checks whether the settings accept the values, which depends
// on other settings.
func (t Tune) Validate() error {
	var errs []error
	if methods := []string{TuneGrid, TuneRandom}; !slices.Contains(methods, t.Method) {
		errs = append(errs, fmt.Errorf("method is %q: must be %s", t.Method, strings.Join(methods, " or ")))
	}
	if t.Trials < 1 || t.Trials > maxTrials {
		errs = append(errs, fmt.Errorf("trials is %d: must be from 1 to %d", t.Trials, maxTrials))
	}
	if d, err := time.ParseDuration(t.Time); t.Time != "" && (err != nil || d <= 0) {
		errs = append(errs, fmt.Errorf("time is %q: must be a time above 0, as 10m or 1h30m, or empty", t.Time))
	}
	if !slices.Contains(metrics.Objectives(), t.Objective) {
		errs = append(errs, fmt.Errorf("objective is %q: must be %s", t.Objective, strings.Join(metrics.Objectives(), ", ")))
	}
	known := settings(Default())
	first := make(map[string]int)
	for i, s := range t.Search {
		_, err := newAxis(known, s, t.Method)
		key := strings.ToLower(s.Key)
		if n, twice := first[key]; twice {
			err = fmt.Errorf("has the same key as entry %d", n)
		} else {
			first[key] = i + 1
		}
		for _, err := range complaints(err) {
			errs = append(errs, fmt.Errorf("%s: %w", s.entryName(i), err))
		}
	}
	return errors.Join(errs...)
}

func (s Search) entryName(i int) string { return fmt.Sprintf("search, entry %d (%s)", i+1, s.Key) }

// checkRange returns what is wrong with the range of an entry.
func (s Search) checkRange(target setting, method string) error {
	switch {
	case !target.isWhole() && target.value.Kind() != reflect.Float64:
		return fmt.Errorf("is %s, which has no range: give values", target.typeName())
	case s.From == nil || s.To == nil:
		return errors.New("a range needs both from and to")
	case !(*s.From < *s.To) || math.IsInf(*s.To-*s.From, 0):
		return fmt.Errorf("from %v to %v: must be below it", *s.From, *s.To)
	case s.Scale != "" && s.Scale != "linear" && s.Scale != "log":
		return fmt.Errorf("scale is %q: must be linear or log", s.Scale)
	case s.Scale == "log" && *s.From <= 0:
		return fmt.Errorf("from is %v: must be above 0 on the scale log", *s.From)
	case s.Steps == 0 && method == TuneGrid:
		return errors.New("steps is missing: a grid needs the number of values in a range")
	case s.Steps != 0 && (s.Steps < 2 || s.Steps > maxTrials):
		return fmt.Errorf("steps is %d: must be from 2 to %d", s.Steps, maxTrials)
	case target.isWhole() && (*s.From != math.Trunc(*s.From) || *s.To != math.Trunc(*s.To) || math.Abs(*s.From) > 1e15 || math.Abs(*s.To) > 1e15):
		return fmt.Errorf("from %v to %v: must be %s", *s.From, *s.To, target.typeName())
	}
	return nil
}

// notSearched has why the settings of a section, or a setting without one, cannot be searched.
var notSearched = map[string]string{
	"tune":    "describes the search and cannot be searched",
	"workers": "cannot be searched: it changes no result",
	"memory":  "cannot be searched: it changes no result",
	"train":   "cannot be searched: trials are compared on models of the training part",
	"seed":    "cannot be searched: it decides which messages are development mail, and the best would be the luckiest",
	"split":   "cannot be searched: it decides which messages are development mail, and the best would be the luckiest",
	"message": "cannot be searched: the limits decide which messages are nearly the same, and so what the trials are compared on",
}

// axis is one setting with its possible values: points, or a range without steps.
type axis struct {
	setting
	search Search
	points []any
}

// newAxis returns the axis of an entry, or all that is wrong with the entry.
func newAxis(known []setting, s Search, method string) (axis, error) {
	target, found := find(known, s.Key)
	section, _, _ := strings.Cut(target.key, ".")
	a := axis{setting: target, search: s}
	switch isRange := s.From != nil || s.To != nil; {
	case s.Key == "":
		return a, errors.New("key is missing: it names the setting to change")
	case !found:
		return a, unknown(s.Key, known, Default().Model, "as its key")
	case notSearched[section] != "":
		return a, errors.New(notSearched[section])
	case isRange && s.Values != nil:
		return a, errors.New("has both values and a range: one of them is too much")
	case isRange:
		if err := s.checkRange(target, method); err != nil {
			return a, err
		}
		for i := range s.Steps {
			a.points = append(a.points, a.at(float64(i)/float64(s.Steps-1)))
		}
		return a, nil
	case s.Scale != "" || s.Steps != 0:
		return a, errors.New("scale and steps are about a range, and from and to are missing")
	case len(s.Values) == 0:
		return a, errors.New("has no values to try: give values, or from and to")
	}
	var errs []error
	for _, value := range s.Values {
		point := reflect.New(target.value.Type()).Elem()
		if err := decodeInto(point, value); err != nil {
			errs = append(errs, fmt.Errorf("value %#v: must be %s", value, target.typeName()))
		}
		a.points = append(a.points, point.Interface())
	}
	return a, errors.Join(errs...)
}

// searchKey is the key of the list of entries, the only key of a file that is not a single setting.
const searchKey = "tune.search"

// readSearch returns the entries at searchKey, or nil.
func readSearch(raw any, file string) ([]Search, error) {
	if raw == nil {
		return nil, nil
	}
	list, isList := raw.([]any)
	if table, isTable := raw.(map[string]any); isTable && len(table) > 0 {
		return nil, nil // its keys are unknown settings
	}
	if !isList {
		return nil, fmt.Errorf("%s in %s: must be a list of entries, in TOML each under [[%s]]", searchKey, file, searchKey)
	}
	var errs []error
	search := make([]Search, len(list))
	for i, entry := range list {
		if err := readEntry(entry, &search[i]); err != nil {
			for _, err := range complaints(err) {
				errs = append(errs, fmt.Errorf("%s, entry %d in %s: %w", searchKey, i+1, file, err))
			}
		}
	}
	return search, errors.Join(errs...)
}

// readEntry sets the fields of an entry by name.
func readEntry(raw any, s *Search) error {
	entry, isTable := raw.(map[string]any)
	if !isTable {
		return fmt.Errorf("is %#v: must have a key and values, or a key, from and to", raw)
	}
	known := leaves(reflect.ValueOf(s).Elem(), "")
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entry)) {
		target, found := find(known, name)
		if !found {
			errs = append(errs, fmt.Errorf("unknown setting %q: known are key, values, from, to, scale, steps", name))
			continue
		}
		if target.value.Kind() == reflect.Pointer {
			target.value.Set(reflect.New(target.value.Type().Elem()))
			target.value = target.value.Elem()
		}
		if values, isList := entry[name].([]any); isList && name == "values" {
			s.Values = values // of any type: that of the setting
		} else if err := decodeInto(target.value, entry[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s is %#v: must be %s", name, entry[name], target.typeName()))
		}
	}
	return errors.Join(errs...)
}

// Choice is a setting with its value in a trial.
type Choice struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// String returns the choice as a line of TOML with the full name.
func (c Choice) String() string { return c.Key + " = " + valueTOML(c.Value) }

// Trial is one combination of a search.
type Trial struct {
	Choices []Choice // the changed settings in the order of the search, without those of other models
	Config  Config   // the base with the choices, without the search
}

// Plan is the numbered trials of a search.
type Plan struct {
	Trials  []Trial
	LeftOut int   // the number of invalid combinations
	Reason  error // of the first of these
}

// ErrNoSearch reports a configuration without a search.
var ErrNoSearch = errors.New("nothing to search: there is no entry [[tune.search]]")

// Plan returns the trials of the search in c, each once. The same description and seed give the same trials. An error names the wrong entry.
func (c Config) Plan() (plan Plan, err error) {
	if len(c.Tune.Search) == 0 {
		return plan, ErrNoSearch
	}
	if err := c.Validate(); err != nil {
		return plan, err
	}
	axes, err := c.axes()
	if err != nil {
		return plan, err
	}
	base, trials, patience := c, c.Tune.Trials, 1000 // combinations in a row that are no new trials
	base.Tune = DefaultTune()
	combinations := random(axes, c.Seed)
	if c.Tune.Method == TuneGrid {
		trials, patience = maxTrials, maxTrials
		if combinations, err = grid(axes); err != nil {
			return plan, err
		}
	}
	seen, used, idle := make(map[string]bool), make(map[string]bool), 0 // by the text and by the key of choices
	for choices := range combinations {
		if idle++; idle > patience || len(plan.Trials) == trials {
			break
		}
		trial := base.trial(choices)
		name := fmt.Sprint(trial.Choices)
		if seen[name] {
			continue
		}
		seen[name] = true
		if err := trial.Config.Validate(); err != nil {
			plan.LeftOut++
			plan.Reason = cmp.Or(plan.Reason, complaints(err)[0])
			continue
		}
		plan.Trials, idle = append(plan.Trials, trial), 0
		for _, choice := range trial.Choices {
			used[choice.Key] = true
		}
	}
	if len(plan.Trials) == 0 {
		return plan, fmt.Errorf("no combination of the search is valid: %w", plan.Reason)
	}
	var errs []error
	for i, a := range axes {
		if model, _ := ownerOf(a.key); !used[a.key] {
			errs = append(errs, fmt.Errorf("tune.%s: no trial has the model %s: set model = %q, or search the key model too", a.search.entryName(i), model, model))
		}
	}
	return plan, errors.Join(errs...)
}

// axes returns the possible values of each entry. It refuses a value that a setting takes neither with c nor with the defaults.
func (c Config) axes() (axes []axis, err error) {
	known, base := settings(Default()), c
	base.Tune = DefaultTune()
	var errs []error
	for i, s := range c.Tune.Search {
		a, err := newAxis(known, s, c.Tune.Method)
		if err != nil {
			return nil, err
		}
		probes := a.points
		if s.From != nil {
			probes = []any{a.number(*s.From), a.number(*s.To)}
		}
		for _, value := range probes {
			err := base.with(Choice{a.key, value}).Validate()
			if err != nil && Default().with(Choice{a.key, value}).Validate() != nil {
				errs = append(errs, fmt.Errorf("tune.%s: %w", s.entryName(i), complaints(err)[0]))
			}
		}
		axes = append(axes, a)
	}
	return axes, errors.Join(errs...)
}

// with returns c with one setting changed.
func (c Config) with(choice Choice) Config {
	target, _ := find(settings(&c), choice.Key)
	target.value.Set(reflect.ValueOf(choice.Value))
	return c
}

// trial returns c with choices. Settings of another model than that of the trial have no effect in it, so they keep their values.
func (c Config) trial(choices []Choice) Trial {
	trial := Trial{Config: c}
	for _, choice := range choices {
		if choice.Key == "model" {
			trial.Config = trial.Config.with(choice)
		}
	}
	for _, choice := range choices {
		if model, ofModel := ownerOf(choice.Key); !ofModel || model == trial.Config.Model {
			trial.Config = trial.Config.with(choice)
			trial.Choices = append(trial.Choices, choice)
		}
	}
	return trial
}

// ownerOf returns the model that a setting belongs to.
func ownerOf(key string) (model string, ofModel bool) {
	parts := strings.Split(key, ".")
	if len(parts) != 3 || parts[0] != "models" {
		return "", false
	}
	return strings.ReplaceAll(parts[1], "_", "-"), true
}

// at returns the value at position u of a range, from 0 to 1, rounded to four digits within the range.
func (a axis) at(u float64) any {
	from, to := *a.search.From, *a.search.To
	x := from + u*(to-from)
	switch {
	case u == 0:
		return a.number(from)
	case u == 1:
		return a.number(to)
	case a.search.Scale == "log":
		x = from * math.Pow(to/from, u)
	}
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64); err == nil {
		x = min(max(rounded, from), to)
	}
	return a.number(x)
}

// draw returns a random value.
func (a axis) draw(rng *rand.Rand) any {
	if a.points != nil {
		return a.points[rng.IntN(len(a.points))]
	}
	if a.isWhole() && a.search.Scale != "log" { // each number of the range is as likely as any other
		return a.number(*a.search.From + float64(rng.Int64N(int64(*a.search.To-*a.search.From)+1)))
	}
	return a.at(rng.Float64())
}

// number converts x to the type of the setting.
func (a axis) number(x float64) any {
	if a.isWhole() {
		x = math.Round(x)
	}
	return reflect.ValueOf(x).Convert(a.value.Type()).Interface()
}

// grid yields all combinations. The last axis changes fastest.
func grid(axes []axis) (iter.Seq[[]Choice], error) {
	total := 1
	for _, a := range axes {
		if total *= len(a.points); total > maxTrials {
			return nil, fmt.Errorf("the grid has more than %d combinations: leave values out, or search with the method random", maxTrials)
		}
	}
	return func(yield func([]Choice) bool) {
		for n := range total {
			choices := make([]Choice, len(axes))
			for i, a := range slices.Backward(axes) {
				choices[i] = Choice{a.key, a.points[n%len(a.points)]}
				n /= len(a.points)
			}
			if !yield(choices) {
				return
			}
		}
	}, nil
}

// tuneStream is the random stream of combinations.
const tuneStream = 0x74756e65

// random yields random combinations without end.
func random(axes []axis, seed uint64) iter.Seq[[]Choice] {
	rng := rand.New(rand.NewPCG(seed, tuneStream))
	return func(yield func([]Choice) bool) {
		for more := true; more; {
			choices := make([]Choice, len(axes))
			for i, a := range axes {
				choices[i] = Choice{a.key, a.draw(rng)}
			}
			more = yield(choices)
		}
	}
}
