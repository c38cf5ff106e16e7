package main

import (
	"chaff/train"
	"testing"
)

func TestLanguagesText(t *testing.T) {
	rows := []languageRow{{"none", mean{accuracy: pointer(99), roca: pointer(0.1)}}}
	check(t, languageFigures{train.Summary{Used: 250}, rows, rows}.text(), "The sample mail, 250 messages of several languages, 10 folds, means of 5 seeds:\n\n"+
		"| `tokenize.language` | accuracy | (1-ROCA)% |\n|---|---|---|\n| none | 99.00% | 0.1000 |\n\n"+
		"SpamAssassin, English mail, development parts, means of 5 split seeds:\n\n"+
		"| `tokenize.language` | accuracy | (1-ROCA)% |\n|---|---|---|\n| none | 99.00% | 0.1000 |\n")
}
