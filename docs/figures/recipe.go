package main

import (
	"fmt"
	"strings"

	"chaff/config"
	"chaff/corpus"
	"chaff/internal/markdown"
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

// measureRecipe measures the default model on all readings, and naive Bayes on the unchanged corpora.
func (b *bench) measureRecipe() (recipeFigures, error) {
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
