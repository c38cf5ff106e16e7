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

// Choice is a setting with the value that a trial gives it.
type Choice struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// String returns the choice as a line of a TOML file with the full name.
func (c Choice) String() string { return c.Key + " = " + Value{Value: c.Value}.TOML() }

// Trial is one combination of a search.
type Trial struct {
	// Choices are the settings that were changed, in the order of the search, without those of other models.
	Choices []Choice
	// Config is all settings: the base with the choices, and without the search.
	Config Config
}

// Plan is the trials of a search, in the order in which they are numbered.
type Plan struct {
	Trials []Trial
	// LeftOut is the number of combinations that are no valid settings, and Reason what is wrong with the first.
	LeftOut int
	Reason  error
}

// ErrNoSearch is returned when there is nothing to search.
var ErrNoSearch = errors.New("nothing to search: there is no entry [[tune.search]]")

// axis is one setting with what it may become: points, or any number of a range.
type axis struct {
	setting
	points []any
	search Search
}

// Plan returns the trials of the search that c describes, which change c. The same description and seed give the same
// trials. The error names the entry of the search that is wrong.
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

// axes returns what each entry of the search may become, and checks that the settings take it.
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
				errs = append(errs, fmt.Errorf("tune.%s: %w", s.place(i), err))
			}
		}
		axes = append(axes, a)
	}
	return axes, errors.Join(errs...)
}

// takes returns why a setting cannot have a value, whatever the others are: neither those of c nor the defaults.
func (c Config) takes(key string, value any) error {
	c.Tune = DefaultTune()
	err := c.with(Choice{key, value}).Validate()
	if err == nil || Default().with(Choice{key, value}).Validate() == nil {
		return nil
	}
	return complaints(err)[0]
}

// with returns c with a setting changed.
func (c Config) with(choice Choice) Config {
	target, _ := find(settings(&c), choice.Key)
	target.value.Set(reflect.ValueOf(choice.Value))
	return c
}

// allPoints returns the values of an entry that has a definite number of them, else nil.
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

// at returns the value at the place u of a range, 0 for from and 1 for to.
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

// draw returns a value by chance.
func (a axis) draw(rng *rand.Rand) any {
	if a.points != nil {
		return a.points[rng.IntN(len(a.points))]
	}
	if a.isWhole() && a.search.Scale != "log" { // each number of the range is as likely as any other
		return a.number(*a.search.From + float64(rng.Int64N(int64(*a.search.To-*a.search.From)+1)))
	}
	return a.at(rng.Float64())
}

// short rounds x to four digits, for people to read, without leaving the range.
func short(x, from, to float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil {
		return x
	}
	return min(max(rounded, from), to)
}

// number returns x as a value of the setting's type.
func (a axis) number(x float64) any {
	if a.isWhole() {
		x = math.Round(x)
	}
	return reflect.ValueOf(x).Convert(a.value.Type()).Interface()
}

// planner gathers trials.
type planner struct {
	base Config
	plan Plan
	seen map[string]bool // by the text of the choices
}

// add adds a trial, unless it is there already or not valid.
func (p *planner) add(choices []Choice) {
	config := p.base
	for _, choice := range choices {
		config = config.with(choice)
	}
	var used []Choice
	var name strings.Builder
	for _, choice := range choices {
		if model, ofModel := ownerOf(choice.Key); ofModel && model != config.Model {
			// As in the base, so that nothing in the settings of a trial is without effect.
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

// ownerOf returns the name of the model that a setting belongs to.
func ownerOf(key string) (model string, ofModel bool) {
	parts := strings.Split(key, ".")
	if len(parts) != 3 || parts[0] != "models" {
		return "", false
	}
	return strings.ReplaceAll(parts[1], "_", "-"), true
}

// grid adds all combinations, the last axis changing fastest.
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

// tuneStream is the stream of the random generator that combinations are drawn from.
const tuneStream = 0x74756e65

// random draws combinations until there are enough different ones, or nothing new has come for long, as there are no more.
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

// unused complains about entries that no trial has: those of models that are not trained.
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
			errs = append(errs, fmt.Errorf("tune.%s: no trial has the model %s", a.search.place(i), model))
		}
	}
	return errors.Join(errs...)
}

// Differences lists the settings of c that are not at their defaults, without the description of a search and
// what changes no result.
func (c Config) Differences() []Value {
	defaults := settings(Default())
	var values []Value
	for i, s := range settings(c) {
		if strings.HasPrefix(s.key, "tune.") || s.key == "workers" || s.key == "memory" || reflect.DeepEqual(s.value.Interface(), defaults[i].value.Interface()) {
			continue
		}
		values = append(values, Value{Key: s.key, Value: s.value.Interface()})
	}
	return values
}

// TOML returns values as the text of a file, those of one section together.
func TOML(values []Value) string {
	var b strings.Builder
	section := ""
	for _, v := range values {
		i := strings.LastIndexByte(v.Key, '.')
		if here := v.Key[:max(i, 0)]; here != section {
			section = here
			fmt.Fprintf(&b, "\n[%s]\n", section)
		}
		fmt.Fprintf(&b, "%s = %s\n", v.Key[i+1:], v.TOML())
	}
	return b.String()
}
