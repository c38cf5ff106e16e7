package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
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
		err := s.validate(known, t.Method)
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

// validate returns the errors in a single entry.
func (s Search) validate(known []setting, method string) error {
	target, err := searchable(known, s.Key)
	if err != nil {
		return err
	}
	isRange := s.From != nil || s.To != nil
	switch {
	case isRange && s.Values != nil:
		return errors.New("has both values and a range: one of them is too much")
	case isRange:
		return s.validateRange(target, method)
	case s.Scale != "" || s.Steps != 0:
		return errors.New("scale and steps are about a range, and from and to are missing")
	case len(s.Values) == 0:
		return errors.New("has no values to try: give values, or from and to")
	}
	var errs []error
	for _, value := range s.Values {
		if _, err := target.typed(value); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s Search) validateRange(target setting, method string) error {
	isNumber := target.isWhole() || target.value.Kind() == reflect.Float64
	switch {
	case !isNumber:
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

// searchable returns the setting of an entry.
func searchable(known []setting, key string) (setting, error) {
	target, found := find(known, key)
	if key == "" {
		return setting{}, errors.New("key is missing: it names the setting to change")
	}
	if !found {
		return setting{}, unknown(key, known, Default().Model, "as its key")
	}
	section, _, _ := strings.Cut(target.key, ".")
	switch section {
	case "tune":
		return setting{}, errors.New("describes the search and cannot be searched")
	case "workers", "memory":
		return setting{}, errors.New("cannot be searched: it changes no result")
	case "train":
		return setting{}, errors.New("cannot be searched: trials are compared on models of the training part")
	case "seed", "split":
		return setting{}, errors.New("cannot be searched: it decides which messages are development mail, and the best would be the luckiest")
	case "message":
		return setting{}, errors.New("cannot be searched: the limits decide which messages are nearly the same, and so what the trials are compared on")
	}
	return target, nil
}

// isWhole reports whether the setting is a whole number.
func (s setting) isWhole() bool {
	kind := s.value.Kind()
	return kind == reflect.Int || kind == reflect.Int64 || kind == reflect.Uint64
}

// typed converts value to the type of the setting.
func (s setting) typed(value any) (any, error) {
	target := reflect.New(s.value.Type()).Elem()
	if err := decodeInto(target, value); err != nil {
		return nil, fmt.Errorf("value %#v: must be %s", value, s.typeName())
	}
	return target.Interface(), nil
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
	var names []string
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		names = append(names, v.Type().Field(i).Tag.Get("json"))
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(entry)) {
		i := slices.Index(names, name)
		if i < 0 {
			errs = append(errs, fmt.Errorf("unknown setting %q: known are %s", name, strings.Join(names, ", ")))
			continue
		}
		field := v.Field(i)
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		if values, isList := entry[name].([]any); isList && name == "values" {
			field.Set(reflect.ValueOf(values)) // of any type: that of the setting
			continue
		}
		if err := decodeInto(field, entry[name]); err != nil {
			errs = append(errs, fmt.Errorf("%s is %#v: must be %s", name, entry[name], setting{value: field}.typeName()))
		}
	}
	return errors.Join(errs...)
}
