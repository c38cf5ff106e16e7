package tokenize

import (
	"strings"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

const (
	noLanguage   = "none"
	autoLanguage = "auto"
)

// Languages returns the languages that words can be stemmed in, sorted.
func Languages() []string {
	return []string{"english", "french", "hungarian", "norwegian", "russian", "spanish", "swedish"}
}

// stemmer returns the function that stems a lower-case word of the language, or nil if there is none. Stop words are
// stemmed like other words.
func stemmer(language string) func(string) string {
	var stem func(word string, stemStopWords bool) string
	switch language {
	case "english":
		stem = english.Stem
	case "french":
		stem = french.Stem
	case "hungarian":
		stem = hungarian.Stem
	case "norwegian":
		stem = norwegian.Stem
	case "russian":
		// QUIRK: the rules are for words written with е, as most Russian is; with ё one word in twenty has another stem.
		return func(word string) string { return russian.Stem(strings.ReplaceAll(word, "ё", "е"), true) }
	case "spanish":
		stem = spanish.Stem
	case "swedish":
		stem = swedish.Stem
	default:
		return nil
	}
	return func(word string) string { return stem(word, true) }
}
