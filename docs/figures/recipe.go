package main

import (
	"fmt"
	"strings"

	"chaff/config"
	"chaff/corpus"
	"chaff/docs/markdown"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/train"
)

// route lists the header fields of the delivery route and of the recipient.
func route() string {
	return "received,x-received,return-path,x-return-path,x-originating-ip,delivered-to,x-original-to,envelope-to,x-envelope-*," +
		"delivery-date,resent-*,to,cc,bcc,apparently-to,x-*-to"
}

// reading is mail and how it is read.
type reading struct {
	mail   string // for people
	corpus string
	method string
	set    []config.Setting
}

// The corpora of a reading.
const (
	spamAssassinName = "SpamAssassin"
	enronName        = "Enron-Spam"
)

// readings are those of the default model. Others use the first of each corpus.
func readings() []reading {
	return []reading{
		{"SpamAssassin", spamAssassinName, corpus.SplitByHash, nil},
		{"SpamAssassin", spamAssassinName, corpus.SplitGrouped, nil},
		{"SpamAssassin, without the fields of the route and the recipient", spamAssassinName, corpus.SplitByHash,
			[]config.Setting{{Key: "tokenize.ignore_headers", Value: route()}}},
		{"SpamAssassin, text and subject only", spamAssassinName, corpus.SplitByHash,
			[]config.Setting{{Key: "tokenize.headers", Value: "subject"}, {Key: "tokenize.structure", Value: "false"}}},
		{"Enron-Spam", enronName, corpus.SplitByHash, nil},
		{"Enron-Spam", enronName, corpus.SplitGrouped, nil},
	}
}

// recipeFigures is the result of the recipe.
type recipeFigures []recipeRow

type recipeRow struct {
	model, mail, method string
	test                mean
}

// recipeTest measures the readings of the recipe, and what each part of it gives.
type recipeTest struct{ *bench }

// measureRecipe measures the default model on all readings, and naive Bayes on the unchanged corpora.
func (b recipeTest) measureRecipe() (recipeFigures, error) {
	byModel := make(map[string]recipeFigures)
	names := b.withDefault("multinomial", "bernoulli")
	for _, r := range readings() {
		at, err := b.with(r.set...)
		if err != nil {
			return nil, err
		}
		mail, err := at.read(r)
		if err != nil {
			return nil, err
		}
		tried := names
		if r.set != nil || r.method != corpus.SplitByHash {
			tried = names[:1]
		}
		b.tell("  training %s by %d seeds", strings.Join(tried, ", "), seeds)
		tests, err := overSeeds(mail, seeds, func(divided *train.Collection, _ uint64) ([]metrics.Figures, error) {
			return at.testEach(divided, tried)
		})
		if err != nil {
			return nil, err
		}
		for i, model := range tried {
			byModel[model] = append(byModel[model], recipeRow{model, r.mail, r.method, meanOf(column(tests, i))})
		}
	}
	var all recipeFigures
	for _, model := range names {
		all = append(all, byModel[model]...)
	}
	return all, nil
}

// read reads the mail of a reading. The default reading is shared.
func (b *bench) read(r reading) ([]*train.Collection, error) {
	byDefault := r.set == nil && r.method == corpus.SplitByHash
	switch {
	case r.corpus == spamAssassinName && byDefault:
		return one(b.spamAssassinApart())
	case r.corpus == spamAssassinName:
		return one(b.readSpamAssassin(r.method))
	case byDefault:
		return b.enronApart()
	}
	return b.readEnron(r.method)
}

func (all recipeFigures) text() string {
	var rows []string
	for _, r := range all {
		rows = append(rows, fmt.Sprintf("%s | %s | %s | %s | %s | %s | %s", r.model, r.mail, r.method,
			percent(r.test.accuracy), markdown.Decimals(r.test.roca, 4), markdown.Decimals(r.test.hm, 2), markdown.Decimals(r.test.sm, 2)))
	}
	return fmt.Sprintf("Test parts, means of %d split seeds and, for Enron-Spam, of its %d corpora:\n\n", seeds, sets) +
		markdown.Table("model | mail | split | accuracy | (1-ROCA)% | hm% | sm%", rows) +
		"\nWithout the route and the recipient: `tokenize.ignore_headers=" + route() + "`.\n" +
		"Text and subject only: `tokenize.headers=subject tokenize.structure=false`.\n"
}

// change is a deviation from the recipe: its name, and its settings as KEY=VALUE separated by spaces.
type change struct{ what, settings string }

// changes are the rows of the ablation table.
func changes(model string) []change {
	all := []change{
		{"without pairs of words", "tokenize.pairs=false"},
		{"pairs of the first 500 bytes", "tokenize.pair_bytes=500"},
		{"pairs of the first 2,000 bytes", "tokenize.pair_bytes=2000"},
		{"pairs of all the text", "tokenize.pair_bytes=0"},
		{"without structure", "tokenize.structure=false"},
		{"without stemming", "tokenize.language=none"},
		{"without symbols", "tokenize.symbols=false"},
		{"of the header the subject only", "tokenize.headers=subject"},
		{"text and subject only", "tokenize.headers=subject tokenize.structure=false"},
		{"half as many terms: those of two messages", "features.min_document_frequency=2"},
		{"with Received", "tokenize.received=true"},
		{"with list fields", "tokenize.list=true"},
		{"with the date", "tokenize.date=true"},
		{"with message ids", "tokenize.message_id=true"},
	}
	if model == "votes" {
		all = append(all,
			change{"without runs of bytes", "tokenize.grams=false"},
			change{"without those of the header", "tokenize.gram_header_bytes=0"},
			change{"without those of the text", "tokenize.gram_text_bytes=0"},
			change{"with those of 3,000 bytes of the text", "tokenize.gram_text_bytes=3000"},
			change{"without naive Bayes in the votes", "models.votes.bayes_share=0"},
			change{"without bounds", "models.votes.group_bound=1000000 models.votes.bound=1000000"},
			change{"as much for ham where anyone can paste", "models.votes.pasted_bound=3"},
			change{"groups bounded by 6", "models.votes.group_bound=6"},
			change{"two epochs", "models.votes.epochs=2"},
		)
	}
	return all
}

// parse returns the settings of a change.
func (c change) parse() []config.Setting {
	var set []config.Setting
	for setting := range strings.FieldsSeq(c.settings) {
		key, value, _ := strings.Cut(setting, "=")
		set = append(set, config.Setting{Key: key, Value: value})
	}
	return set
}

// ablation is the recipe and the cost of each change.
type ablation struct {
	model string
	rows  []ablationRow
}

type ablationRow struct {
	change
	terms, bytes        int // with the first seed on SpamAssassin
	spamAssassin, enron changed
}

// changed is the result of a change on the development parts of one corpus.
type changed struct {
	development mean
	errors      int
	against     *metrics.McNemar // nil for the recipe
}

// measureAblation measures every change on development mail, because the recipe was tuned there.
func (b recipeTest) measureAblation() (ablation, error) {
	model := b.settings.Model
	a := ablation{model: model}
	var recipe [2]judged
	for i, c := range append([]change{{"the recipe", ""}}, changes(model)...) {
		at, err := b.with(c.parse()...)
		if err != nil {
			return ablation{}, err
		}
		if i > 0 && len(at.settings.Differences()) == 0 {
			continue // it is in the recipe
		}
		b.tell("ablation: %s", c.what)
		var of [2]judged
		for n, corpusName := range []string{spamAssassinName, enronName} {
			if of[n], err = at.judge(reading{corpus: corpusName, method: corpus.SplitByHash, set: c.parse()}, model); err != nil {
				return ablation{}, err
			}
		}
		row := ablationRow{c, of[0].terms, of[0].bytes, of[0].changed(nil), of[1].changed(nil)}
		if i == 0 {
			recipe = of
		} else {
			row.spamAssassin, row.enron = of[0].changed(&recipe[0]), of[1].changed(&recipe[1])
		}
		a.rows = append(a.rows, row)
	}
	return a, nil
}

// judged is the predictions of a model on the development parts of a corpus, for all seeds.
type judged struct {
	figures             []metrics.Figures
	labels, predictions []int32
	terms, bytes        int // of the first model
}

func (b *bench) judge(r reading, model string) (judged, error) {
	mail, err := b.read(r)
	if err != nil {
		return judged{}, err
	}
	parts, err := overSeeds(mail, seeds, func(divided *train.Collection, seed uint64) (judged, error) {
		t, err := train.Fit(b.ctx, divided, model, b.trainOptions())
		if err != nil {
			return judged{}, err
		}
		j := judged{figures: []metrics.Figures{*t.Result.Development}, terms: t.Result.Terms}
		scores := train.Score(t.Filter.Linear(), divided.Dataset(corpus.Development, t.Filter.Kind()))
		j.labels, j.predictions = scores.Labels, scores.Predictions
		if seed == 1 {
			file, err := t.Filter.Encode()
			if err != nil {
				return judged{}, err
			}
			j.bytes = len(file)
		}
		return j, nil
	})
	if err != nil {
		return judged{}, err
	}
	all := judged{terms: parts[0].terms, bytes: parts[0].bytes}
	for _, p := range parts {
		all.figures = append(all.figures, p.figures...)
		all.labels = append(all.labels, p.labels...)
		all.predictions = append(all.predictions, p.predictions...)
	}
	return all, nil
}

// changed compares j with the recipe on the same messages.
func (j judged) changed(recipe *judged) changed {
	c := changed{development: meanOf(j.figures)}
	for i, label := range j.labels {
		if j.predictions[i] != label {
			c.errors++
		}
	}
	if recipe != nil {
		against := metrics.CompareErrors(j.labels, recipe.predictions, j.predictions)
		c.against = &against
	}
	return c
}

func (a ablation) text() string {
	var rows []string
	for _, r := range a.rows {
		settings := "-"
		if r.settings != "" {
			settings = "`" + r.settings + "`"
		}
		rows = append(rows, fmt.Sprintf("%s | %s | %s | %s | %s | %.1f", r.what, settings, r.spamAssassin.text(), r.enron.text(),
			screen.Grouped((r.terms+500)/1000), float64(r.bytes)/1e6))
	}
	return fmt.Sprintf(`The model %s on development parts: mean accuracy over %d split seeds, errors summed over them. "+5 -3": the change gets 5
messages right that the recipe gets wrong, and 3 wrong that it gets right; p is McNemar's. A message counts for every seed that puts it
into the development part, so the true p is larger. Terms and megabytes of the model file: SpamAssassin, seed 1.

`, a.model, seeds) +
		markdown.Table("change | settings | SpamAssassin: accuracy | (1-ROCA)% | errors | against the recipe | Enron-Spam: accuracy | (1-ROCA)% | errors | against the recipe | terms, thousands | model file, MB", rows)
}

func (c changed) text() string {
	return fmt.Sprintf("%s | %s | %s | %s", percent(c.development.accuracy), markdown.Decimals(c.development.roca, 4), screen.Grouped(c.errors), against(c.against))
}
