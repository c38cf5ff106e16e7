package main

import (
	"slices"
	"strings"
	"testing"
)

func TestRecipeText(t *testing.T) {
	all := recipeFigures{
		{"softmax", "SpamAssassin", "hash", mean{pointer(99.5), pointer(0.25), pointer(0.75), pointer(0.01)}},
		{"bernoulli", "Enron-Spam", "hash", mean{accuracy: pointer(98)}},
	}
	got := all.text()
	check(t, got[:strings.Index(got, "\nWithout")], `Test parts, means of 5 split seeds and, for Enron-Spam, of its 6 corpora:

| model | mail | split | accuracy | (1-ROCA)% | hm% | sm% |
|---|---|---|---|---|---|---|
| softmax | SpamAssassin | hash | 99.50% | 0.0100 | 0.25 | 0.75 |
| bernoulli | Enron-Spam | hash | 98.00% | - | - | - |
`)
}

func TestReadingsHaveSettingsThatExist(t *testing.T) {
	b := new(bench)
	for _, r := range readings() {
		at, err := b.with(r.set...)
		if err != nil {
			t.Errorf("%s: %v", r.mail, err)
			continue
		}
		if ignored := at.settings.Tokenize.IgnoreHeaders; strings.Contains(r.mail, "route") != slices.Contains(ignored, "return-path") {
			t.Errorf("%s ignores %q", r.mail, ignored)
		}
	}
}
