package main

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"chaff/config"
	"chaff/corpus"
	"chaff/docs/markdown"
	"chaff/metrics"
	"chaff/train"
)

// seeds is the number of random splits. Figures of the recipe are means over the seeds 1, 2, 3...
const seeds = 5

// with returns b with settings given as KEY=VALUE, as `chaff train --set` takes them.
func (b *bench) with(set ...config.Setting) (*bench, error) {
	loaded, err := config.Load(config.Sources{Set: set})
	if err != nil {
		return nil, err
	}
	other := *b
	other.settings = loaded.Config
	return &other, nil
}

// readEnron reads the corpora of Enron-Spam.
func (b *bench) readEnron(method string) ([]*train.Collection, error) {
	b.tell("Enron-Spam, split %s: reading", method)
	var all []*train.Collection
	for n := 1; n <= sets; n++ {
		source, err := b.enron(n)
		if err != nil {
			return nil, err
		}
		collection, err := b.collect(source, method)
		if err != nil {
			return nil, err
		}
		all = append(all, collection)
	}
	return all, nil
}

// one returns a list of one collection.
func one(collection *train.Collection, err error) ([]*train.Collection, error) {
	return []*train.Collection{collection}, err
}

// overSeeds runs a function on each collection with the first few seeds. The results are in this order.
func overSeeds[T any](mail []*train.Collection, seeds int, try func(divided *train.Collection, seed uint64) (T, error)) ([]T, error) {
	return inParallel(len(mail)*seeds, func(i int) (T, error) {
		seed := uint64(i%seeds + 1)
		o := mail[i/seeds].Options
		o.Seed = seed
		divided, err := mail[i/seeds].Divide(o)
		if err != nil {
			var none T
			return none, err
		}
		return try(divided, seed)
	})
}

// inParallel runs n functions, one per core at a time. It stops at an error, and returns the first in order.
func inParallel[T any](n int, do func(i int) (T, error)) ([]T, error) {
	results, errs := make([]T, n), make([]error, n)
	next := make(chan int)
	var failed atomic.Bool
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				if results[i], errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	for i := 0; i < n && !failed.Load(); i++ {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// fit trains a model without the test part, and returns it with its result.
func (b *bench) fit(collection *train.Collection, model string) (train.Trained, error) {
	t, err := train.Fit(b.ctx, collection, model, b.trainOptions())
	if err == nil && t.Result.Test == nil {
		err = fmt.Errorf("%s: the test part is empty", model)
	}
	return t, err
}

// fitEach trains models and returns what measure returns of each, in their order.
func fitEach[T any](b *bench, collection *train.Collection, models []string, measure func(train.Trained) (T, error)) ([]T, error) {
	var all []T
	for _, model := range models {
		t, err := b.fit(collection, model)
		if err != nil {
			return nil, err
		}
		measured, err := measure(t)
		if err != nil {
			return nil, err
		}
		all = append(all, measured)
	}
	return all, nil
}

// testEach returns the figures of models on the test part, in their order.
func (b *bench) testEach(collection *train.Collection, names []string) ([]metrics.Figures, error) {
	return fitEach(b, collection, names, func(t train.Trained) (metrics.Figures, error) { return *t.Result.Test, nil })
}

// withDefault returns the names of models with the default first, without repetition.
func (b *bench) withDefault(others ...string) []string {
	model := b.settings.Model
	return append([]string{model}, slices.DeleteFunc(others, func(name string) bool { return name == model })...)
}

// mean returns the means of figures over parts of mail, nil for a figure that is undefined on one of them.
type mean struct{ accuracy, hm, sm, roca *float64 }

func meanOf(all []metrics.Figures) mean {
	of := func(figure func(metrics.Figures) *float64) *float64 {
		sum := 0.0
		for _, f := range all {
			v := figure(f)
			if v == nil {
				return nil
			}
			sum += *v
		}
		if len(all) == 0 {
			return nil
		}
		sum /= float64(len(all))
		return &sum
	}
	return mean{
		accuracy: of(func(f metrics.Figures) *float64 { return &f.Accuracy }),
		hm:       of(func(f metrics.Figures) *float64 { return f.HM }),
		sm:       of(func(f metrics.Figures) *float64 { return f.SM }),
		roca:     of(func(f metrics.Figures) *float64 { return f.OneMinusROCA }),
	}
}

// meansOf returns the means over the first index of figures with three: the part of mail, the varied quantity, the model.
func meansOf(all [][][]metrics.Figures) [][]mean {
	var means [][]mean
	for i := range all[0] {
		of := column(all, i)
		var byModel []mean
		for m := range of[0] {
			byModel = append(byModel, meanOf(column(of, m)))
		}
		means = append(means, byModel)
	}
	return means
}

// percent formats a percentage. An undefined one is a dash.
func percent(v *float64) string {
	if v == nil {
		return "-"
	}
	return markdown.Decimals(v, 2) + "%"
}

// column returns figure number i of each list.
func column[T any](lists [][]T, i int) []T {
	all := make([]T, len(lists))
	for n, list := range lists {
		all[n] = list[i]
	}
	return all
}

// trainedAndTested returns the members of these two parts. Only thresholds need development mail.
func trainedAndTested(collection *train.Collection) (trained, tested []train.Member) {
	for _, m := range collection.Members() {
		switch m.Part {
		case corpus.Train:
			trained = append(trained, m)
		case corpus.Test:
			tested = append(tested, m)
		}
	}
	return trained, tested
}
