package main

import (
	"strings"
	"testing"

	"chaff/config"
	"chaff/corpus"
	"chaff/metrics"
	"chaff/train"
)

func TestChangesAreSettingsThatExist(t *testing.T) {
	b := new(bench)
	for _, model := range []string{config.Default().Model, "averaged-perceptron"} {
		for _, c := range changes(model) {
			at, err := b.with(c.parse()...)
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			} else if strings.HasPrefix(c.settings, "tokenize.") && len(at.settings.Differences()) == 0 {
				t.Errorf("%s changes nothing", c.what)
			}
		}
	}
}

func TestAblationText(t *testing.T) {
	recipe := changed{development: mean{accuracy: pointer(99), roca: pointer(0.01)}, errors: 50}
	without := changed{mean{accuracy: pointer(98.5), roca: pointer(0.02)}, 1075, &metrics.McNemar{Better: 3, Worse: 30, P: 1e-5}}
	a := ablation{"softmax", []ablationRow{
		{change{"the recipe", ""}, 434600, 12_340_000, recipe, recipe},
		{change{"without pairs of words", "tokenize.pairs=false"}, 100_400, 2_000_000, without, without},
	}}
	_, got, _ := strings.Cut(a.text(), "\n\n")
	check(t, got, "| change | settings | SpamAssassin: accuracy | (1-ROCA)% | errors | against the recipe | Enron-Spam: accuracy | (1-ROCA)% | errors | against the recipe | terms, thousands | model file, MB |\n"+
		"|---|---|---|---|---|---|---|---|---|---|---|---|\n"+
		"| the recipe | - | 99.00% | 0.0100 | 50 | - | 99.00% | 0.0100 | 50 | - | 435 | 12.3 |\n"+
		"| without pairs of words | `tokenize.pairs=false` | 98.50% | 0.0200 | 1,075 | +3 -30 worse (p <0.001) | 98.50% | 0.0200 | 1,075 | +3 -30 worse (p <0.001) | 100 | 2.0 |\n")
}

func TestAChangeIsComparedWithTheRecipeOnTheSameMessages(t *testing.T) {
	labels := []int32{0, 0, 1, 1}
	recipe := judged{labels: labels, predictions: []int32{0, 1, 1, 1}}
	other := judged{labels: labels, predictions: []int32{1, 0, 0, 1}}
	c := other.changed(&recipe)
	if c.errors != 2 || c.against.Better != 1 || c.against.Worse != 2 {
		t.Errorf("%+v, %+v", c, c.against)
	}
	if c := recipe.changed(nil); c.errors != 1 || c.against != nil {
		t.Errorf("the recipe: %+v", c)
	}
}

func TestJudgeSeesTheDevelopmentPartOfEverySeed(t *testing.T) {
	b, collection := inventedBench(t)
	b.spamAssassinApart = func() (*train.Collection, error) { return collection, nil }
	j, err := b.judge(reading{corpus: spamAssassinName, method: corpus.SplitByHash}, "multinomial")
	if err != nil {
		t.Fatal(err)
	}
	messages := 0
	for _, f := range j.figures {
		messages += f.Messages
	}
	if len(j.figures) != seeds || messages != len(j.labels) || len(j.labels) != len(j.predictions) || j.terms == 0 || j.bytes == 0 {
		t.Errorf("%d figures of %d messages, %d labels, %d predictions, %d terms, %d bytes",
			len(j.figures), messages, len(j.labels), len(j.predictions), j.terms, j.bytes)
	}
}
