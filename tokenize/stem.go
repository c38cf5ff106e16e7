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
		stem = stemEnglish
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

// stemEnglish is [english.Stem], which is not asked about words that it would not change.
func stemEnglish(word string, stemStopWords bool) string {
	if isSmallLetters(word) && !hasEnglishEnding(word) {
		return word
	}
	return english.Stem(word, stemStopWords)
}

// isSmallLetters reports whether a word is small letters of ASCII.
func isSmallLetters(word string) bool {
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return len(word) > 0
}

// hasEnglishEnding reports whether a word of small letters ends like one that a rule of the stemmer is for: all rules are for
// endings. A third to a half of the distinct words of mail have none, and to stem one costs as much as twenty words that are
// known. A fuzz target holds it to the stemmer. Source of the rules: M. Porter, The English (Porter2) stemming algorithm.
func hasEnglishEnding(word string) bool {
	end := func(suffix string) bool { return strings.HasSuffix(word, suffix) }
	switch word[len(word)-1] {
	case 'e', 'i', 'y':
		return true
	case 'c':
		return end("ic")
	case 'd':
		return end("ed")
	case 'g':
		return end("ing")
	case 'l':
		return end("al") || end("ul") || end("ll")
	case 'm':
		return end("ism")
	case 'n':
		return end("ion")
	case 'r':
		return end("er") || end("tor")
	case 's':
		return !end("ss") && !end("us") || end("ness") || end("ous")
	case 't':
		return end("nt")
	}
	return false
}
