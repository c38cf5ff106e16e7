package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"chaff/docs/markdown"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// sizes are the training sizes of the learning curves.
func sizes() []int { return []int{20, 50, 100, 200, 500, 1000, 2000} }

// rivals are the models compared with the default on little, mislabelled or hostile mail.
func (b *bench) rivals() []string {
	return b.withDefault("multinomial", "bernoulli", "softmax", "lms", "averaged-perceptron")
}

// learningCurves is the results of models with few messages.
type learningCurves struct {
	models              []string
	spamAssassin, enron [][]mean // sizes x models
}

// curveTest measures models that have learned from little mail.
type curveTest struct{ *bench }

func (b curveTest) measureSmall() (learningCurves, error) {
	l := learningCurves{models: b.rivals()}
	mail, err := one(b.spamAssassinApart())
	if err != nil {
		return learningCurves{}, err
	}
	b.tell("  learning curves on SpamAssassin")
	if l.spamAssassin, err = b.curves(mail, seeds, l.models); err != nil {
		return learningCurves{}, err
	}
	if mail, err = b.enronApart(); err != nil {
		return learningCurves{}, err
	}
	b.tell("  learning curves on Enron-Spam")
	l.enron, err = b.curves(mail, 1, l.models)
	return l, err
}

// curves returns the means over collections and seeds, sizes x models.
func (b *bench) curves(mail []*train.Collection, seeds int, names []string) ([][]mean, error) {
	tests, err := overSeeds(mail, seeds, func(divided *train.Collection, seed uint64) ([][]metrics.Figures, error) {
		divided, err := b.judged(divided)
		if err != nil {
			return nil, err
		}
		trained, tested := trainedAndTested(divided)
		shuffle(trained, seed)
		var bySize [][]metrics.Figures
		for _, n := range sizes() {
			few, err := divided.Select(append(firstOfBoth(trained, n), tested...))
			if err != nil {
				return nil, err
			}
			figures, err := b.testEach(few, names)
			if err != nil {
				return nil, err
			}
			bySize = append(bySize, figures)
		}
		return bySize, nil
	})
	if err != nil {
		return nil, err
	}
	return meansOf(tests), nil
}

func shuffle(members []train.Member, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
}

// firstOfBoth returns the first n members. If they share a class, the last is replaced with the first of the other class.
func firstOfBoth(members []train.Member, n int) []train.Member {
	n = min(n, len(members))
	first := slices.Clone(members[:n])
	for _, m := range first {
		if m.Label != first[0].Label {
			return first
		}
	}
	for _, m := range members[n:] {
		if m.Label != first[0].Label {
			first[n-1] = m
			return first
		}
	}
	return first
}

func (l learningCurves) text() string {
	var columns []string
	for _, n := range sizes() {
		columns = append(columns, screen.Grouped(n))
	}
	return fmt.Sprintf("SpamAssassin, test accuracy by training messages, means of %d split seeds:\n\n", seeds) +
		rivalry(l.models, columns, l.spamAssassin, byAccuracy()) +
		"\nSpamAssassin, (1-ROCA)%:\n\n" + rivalry(l.models, columns, l.spamAssassin, byROCA()) +
		fmt.Sprintf("\nEnron-Spam, test accuracy, means of its %d corpora:\n\n", sets) +
		rivalry(l.models, columns, l.enron, byAccuracy()) +
		"\nEnron-Spam, (1-ROCA)%:\n\n" + rivalry(l.models, columns, l.enron, byROCA())
}

// criterion is a figure that compares models.
type criterion struct {
	of     func(mean) *float64
	write  func(*float64) string
	better func(x, y float64) bool
}

func byAccuracy() criterion {
	return criterion{func(m mean) *float64 { return m.accuracy }, percent, func(x, y float64) bool { return x > y }}
}

func byROCA() criterion {
	write := func(v *float64) string { return markdown.Decimals(v, 4) }
	return criterion{func(m mean) *float64 { return m.roca }, write, func(x, y float64) bool { return x < y }}
}

// rivalry returns a table of models by columns; means are columns x models. The best of each column is bold.
func rivalry(models, columns []string, means [][]mean, by criterion) string {
	rows := slices.Clone(models)
	for _, column := range means {
		var best *float64
		for _, m := range column {
			if v := by.of(m); v != nil && (best == nil || by.better(*v, *best)) {
				best = v
			}
		}
		for i, m := range column {
			cell := by.write(by.of(m))
			if best != nil && cell == by.write(best) {
				cell = "**" + cell + "**"
			}
			rows[i] += " | " + cell
		}
	}
	return markdown.Table("model | "+strings.Join(columns, " | "), rows)
}
