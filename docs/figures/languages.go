package main

import (
	"fmt"

	"chaff/config"
	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/docs/markdown"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/tokenize"
	"chaff/train"
)

// languageFigures is the result of each stemming language on multilingual and English mail.
type languageFigures struct {
	mail                 train.Summary // of several languages
	sample, spamAssassin []languageRow
}

type languageRow struct {
	language string
	figures  mean
}

// languageTest measures stemming in each language.
type languageTest struct{ *bench }

func (b languageTest) measureLanguages() (languageFigures, error) {
	var l languageFigures
	b.tell("sample mail: %d folds in every language", folds)
	for _, language := range append([]string{"none"}, tokenize.Languages()...) {
		at, err := b.with(config.Setting{Key: "tokenize.language", Value: language})
		if err != nil {
			return languageFigures{}, err
		}
		collection, err := at.collect(sample.Source(), corpus.SplitByHash)
		if err != nil {
			return languageFigures{}, err
		}
		tests, err := overSeeds([]*train.Collection{collection}, seeds, languageTest{at}.fold)
		if err != nil {
			return languageFigures{}, err
		}
		l.mail = collection.Summary()
		l.sample = append(l.sample, languageRow{language, meanOf(tests)})
	}
	for _, language := range []string{"none", "english", "french"} {
		b.tell("SpamAssassin, stemmed in %s", language)
		set := []config.Setting{{Key: "tokenize.language", Value: language}}
		if language == b.settings.Tokenize.Language {
			set = nil
		}
		at, err := b.with(set...)
		if err != nil {
			return languageFigures{}, err
		}
		j, err := at.judge(reading{corpus: spamAssassinName, method: corpus.SplitByHash, set: set}, b.settings.Model)
		if err != nil {
			return languageFigures{}, err
		}
		l.spamAssassin = append(l.spamAssassin, languageRow{language, meanOf(j.figures)})
	}
	return l, nil
}

// fold cross-validates the default model.
func (b languageTest) fold(divided *train.Collection, _ uint64) (metrics.Figures, error) {
	results, err := evaluate.CrossValidate(b.ctx, divided, []string{b.settings.Model}, folds, b.trainOptions())
	if err != nil {
		return metrics.Figures{}, err
	}
	return results[0].Test, nil
}

func (l languageFigures) text() string {
	rows := func(all []languageRow) []string {
		var rows []string
		for _, r := range all {
			rows = append(rows, fmt.Sprintf("%s | %s | %s", r.language, percent(r.figures.accuracy), markdown.Decimals(r.figures.roca, 4)))
		}
		return rows
	}
	header := "`tokenize.language` | accuracy | (1-ROCA)%"
	return fmt.Sprintf("The sample mail, %s messages of several languages, %d folds, means of %d seeds:\n\n", screen.Grouped(l.mail.Used), folds, seeds) +
		markdown.Table(header, rows(l.sample)) +
		fmt.Sprintf("\nSpamAssassin, English mail, development parts, means of %d split seeds:\n\n", seeds) +
		markdown.Table(header, rows(l.spamAssassin))
}
