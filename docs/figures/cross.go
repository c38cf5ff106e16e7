package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"chaff/corpus"
	"chaff/docs/markdown"
	"chaff/metrics"
	"chaff/train"
)

// crossing is the mail to train on and the mail to test on, each named by the prefix of its folder.
type crossing struct {
	what        string
	train, test string
}

func crossings() []crossing {
	enron6 := "enron/enron6"
	return []crossing{
		{"SpamAssassin to Enron-Spam", "sa", "enron"},
		{"Enron-Spam to SpamAssassin", "enron", "sa"},
		{"enron1 to 5 to enron6", "enron", enron6},
	}
}

// crossed is the results of models on mail of another kind than they were trained on.
type crossed struct {
	models []string
	tests  [][]metrics.Figures // crossings x models
}

// crossTest measures models on mail of another kind than they were trained on.
type crossTest struct{ *bench }

func (b crossTest) measureCrossings() (crossed, error) {
	c := crossed{models: b.withDefault("multinomial", "softmax")}
	b.tell("SpamAssassin and Enron-Spam together: reading")
	together, err := b.readTogether()
	if err != nil {
		return crossed{}, err
	}
	members := together.Members()
	c.tests, err = inParallel(len(crossings()), func(i int) ([]metrics.Figures, error) {
		divided, err := together.Select(b.across(members, crossings()[i]))
		if err != nil {
			return nil, err
		}
		return b.testEach(divided, c.models)
	})
	return c, err
}

// readTogether reads both corpora as one, so that a message of both is used once.
func (b crossTest) readTogether() (*train.Collection, error) {
	first, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	sources := []corpus.Source{first}
	for n := 1; n <= sets; n++ {
		source, err := b.enron(n)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	return b.collect(corpus.Concat(sources...), corpus.SplitByHash)
}

// across returns the training and test members of a crossing. A fifth of the former chooses thresholds.
func (b crossTest) across(members []train.Member, c crossing) []train.Member {
	shares := corpus.SplitOptions{Train: 0.8, Development: 0.2}
	var chosen []train.Member
	for _, m := range members {
		switch {
		case b.isIn(m, c.test):
			m.Part = corpus.Test
		case b.isIn(m, c.train):
			m.Part = shares.ByHash(b.settings.Seed, m.SplitKey)
		default:
			continue
		}
		chosen = append(chosen, m)
	}
	return chosen
}

// isIn reports whether a message is in a folder of the corpora.
func (b crossTest) isIn(m train.Member, folder string) bool {
	name, err := filepath.Rel(b.corpora, m.Origin)
	return err == nil && strings.HasPrefix(filepath.ToSlash(name), folder+"/")
}

func (c crossed) text() string {
	header := "model"
	for _, crossing := range crossings() {
		header += fmt.Sprintf(" | %s: accuracy | (1-ROCA)%%", crossing.what)
	}
	var rows []string
	for i, model := range c.models {
		row := model
		for _, tests := range c.tests {
			row += fmt.Sprintf(" | %.2f%% | %s", tests[i].Accuracy, markdown.Decimals(tests[i].OneMinusROCA, 4))
		}
		rows = append(rows, row)
	}
	return "Trained on four fifths of the first corpus, tested on all of the second:\n\n" + markdown.Table(header, rows)
}
