package config

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
)

// Choice is a setting with its value in a trial.
type Choice struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// String returns the choice as a line of TOML with the full name.
func (c Choice) String() string { return c.Key + " = " + Value{Value: c.Value}.TOML() }

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

// axis is one setting with its possible values: points, or a range.
type axis struct {
	setting
	points []any
	search Search
}

// Plan returns the trials of the search in c. The same description and seed give the same trials. An error names the wrong
// entry.
func (c Config) Plan() (Plan, error) {
	if len(c.Tune.Search) == 0 {
		return Plan{}, ErrNoSearch
	}
	if err := c.Validate(); err != nil {
		return Plan{}, err
	}
	axes, err := c.axes()
	if err != nil {
		return Plan{}, err
	}
	p := planner{base: c, seen: make(map[string]bool)}
	p.base.Tune = DefaultTune()
	if c.Tune.Method == TuneGrid {
		err = p.grid(axes)
	} else {
		p.random(axes, c.Tune.Trials)
	}
	if err != nil {
		return Plan{}, err
	}
	if len(p.plan.Trials) == 0 {
		return Plan{}, fmt.Errorf("no combination of the search is valid: %w", p.plan.Reason)
	}
	return p.plan, p.unused(axes)
}

// axes returns the possible values of each entry, and checks that the settings accept them.
func (c Config) axes() ([]axis, error) {
	known := settings(Default())
	var axes []axis
	var errs []error
	for i, s := range c.Tune.Search {
		target, err := searchable(known, s.Key)
		if err != nil {
			return nil, err
		}
		a := axis{setting: target, search: s}
		if a.points, err = a.allPoints(); err != nil {
			return nil, err
		}
		probes := a.points
		if s.From != nil {
			probes = []any{a.number(*s.From), a.number(*s.To)}
		}
		for _, value := range probes {
			if err := c.takes(target.key, value); err != nil {
				errs = append(errs, fmt.Errorf("tune.%s: %w", s.entryName(i), err))
			}
		}
		axes = append(axes, a)
	}
	return axes, errors.Join(errs...)
}

// takes returns an error if a setting rejects a value both with c and with the defaults.
func (c Config) takes(key string, value any) error {
	c.Tune = DefaultTune()
	err := c.with(Choice{key, value}).Validate()
	if err == nil || Default().with(Choice{key, value}).Validate() == nil {
		return nil
	}
	return complaints(err)[0]
}

// with returns c with one setting changed.
func (c Config) with(choice Choice) Config {
	target, _ := find(settings(&c), choice.Key)
	target.value.Set(reflect.ValueOf(choice.Value))
	return c
}

// allPoints returns the values of an entry, or nil for a range without steps.
func (a axis) allPoints() ([]any, error) {
	if a.search.From == nil {
		points := make([]any, len(a.search.Values))
		for i, value := range a.search.Values {
			var err error
			if points[i], err = a.typed(value); err != nil {
				return nil, err
			}
		}
		return points, nil
	}
	var points []any
	for i := range a.search.Steps {
		points = append(points, a.at(float64(i)/float64(a.search.Steps-1)))
	}
	return points, nil
}

// at returns the value at position u of a range, from 0 to 1.
func (a axis) at(u float64) any {
	from, to := *a.search.From, *a.search.To
	switch {
	case u == 0:
		return a.number(from)
	case u == 1:
		return a.number(to)
	case a.search.Scale == "log":
		return a.number(short(from*math.Pow(to/from, u), from, to))
	}
	return a.number(short(from+u*(to-from), from, to))
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

// short rounds x to four digits without leaving the range.
func short(x, from, to float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil {
		return x
	}
	return min(max(rounded, from), to)
}

// number converts x to the type of the setting.
func (a axis) number(x float64) any {
	if a.isWhole() {
		x = math.Round(x)
	}
	return reflect.ValueOf(x).Convert(a.value.Type()).Interface()
}

// planner collects trials.
type planner struct {
	base Config
	plan Plan
	seen map[string]bool // by the text of the choices
}

// add adds a trial if it is new and valid.
func (p *planner) add(choices []Choice) {
	config := p.base
	for _, choice := range choices {
		config = config.with(choice)
	}
	var used []Choice
	var name strings.Builder
	for _, choice := range choices {
		if model, ofModel := ownerOf(choice.Key); ofModel && model != config.Model {
			// Keep the value of the base: the setting has no effect in this trial.
			original, _ := find(settings(&p.base), choice.Key)
			config = config.with(Choice{choice.Key, original.value.Interface()})
			continue
		}
		used = append(used, choice)
		name.WriteString(choice.String() + "\n")
	}
	if p.seen[name.String()] {
		return
	}
	p.seen[name.String()] = true
	if err := config.Validate(); err != nil {
		p.plan.LeftOut++
		if p.plan.Reason == nil {
			p.plan.Reason = complaints(err)[0]
		}
		return
	}
	p.plan.Trials = append(p.plan.Trials, Trial{used, config})
}

// ownerOf returns the model that a setting belongs to.
func ownerOf(key string) (model string, ofModel bool) {
	parts := strings.Split(key, ".")
	if len(parts) != 3 || parts[0] != "models" {
		return "", false
	}
	return strings.ReplaceAll(parts[1], "_", "-"), true
}

// grid adds all combinations. The last axis changes fastest.
func (p *planner) grid(axes []axis) error {
	total := 1
	for _, a := range axes {
		total *= len(a.points)
		if total > maxTrials {
			return fmt.Errorf("the grid has more than %d combinations: leave values out, or search with the method random", maxTrials)
		}
	}
	for n := range total {
		choices := make([]Choice, len(axes))
		for i := len(axes) - 1; i >= 0; i-- {
			size := len(axes[i].points)
			choices[i] = Choice{axes[i].key, axes[i].points[n%size]}
			n /= size
		}
		p.add(choices)
	}
	return nil
}

// tuneStream is the random stream of combinations.
const tuneStream = 0x74756e65

// random draws combinations until there are enough, or no new ones turn up.
func (p *planner) random(axes []axis, trials int) {
	rng := rand.New(rand.NewPCG(p.base.Seed, tuneStream))
	const patience = 1000
	for last := 0; len(p.plan.Trials) < trials && last < patience; last++ {
		choices := make([]Choice, len(axes))
		for i, a := range axes {
			choices[i] = Choice{a.key, a.draw(rng)}
		}
		before := len(p.plan.Trials)
		p.add(choices)
		if len(p.plan.Trials) > before {
			last = 0
		}
	}
}

// unused returns an error for entries of models that no trial trains.
func (p *planner) unused(axes []axis) error {
	used := make(map[string]bool)
	for _, trial := range p.plan.Trials {
		for _, choice := range trial.Choices {
			used[choice.Key] = true
		}
	}
	var errs []error
	for i, a := range axes {
		if model, _ := ownerOf(a.key); !used[a.key] {
			errs = append(errs, fmt.Errorf("tune.%s: no trial has the model %s: set model = %q, or search the key model too", a.search.entryName(i), model, model))
		}
	}
	return errors.Join(errs...)
}
