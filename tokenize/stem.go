package tokenize

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/kljensen/snowball/english"
	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/hungarian"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

const noLanguage = "none"

// stemmers returns the stemmer of each language that has one.
func stemmers() map[string]func(word string, stemStopWords bool) string {
	return map[string]func(word string, stemStopWords bool) string{
		"english": english.Stem, "french": french.Stem, "hungarian": hungarian.Stem, "norwegian": norwegian.Stem, "russian": stemRussian,
		"spanish": spanish.Stem, "swedish": swedish.Stem,
	}
}

// stemRussian stems a Russian word.
//
// QUIRK: most Russian is written with е for ё. With ё, one word in twenty would have another stem.
func stemRussian(word string, stemStopWords bool) string {
	return russian.Stem(strings.ReplaceAll(word, "ё", "е"), stemStopWords)
}

// Languages returns the languages with a stemmer, sorted.
func Languages() []string { return slices.Sorted(maps.Keys(stemmers())) }

// stemmer returns the function that stems lower-case words of a language, or nil. The stem may share the memory of the word. Stop words
// are stemmed like other words.
func stemmer(language string) func(word []byte) []byte {
	stem := stemmers()[language]
	if stem == nil {
		return nil
	}
	return func(word []byte) []byte {
		if language == "english" && hasNoEnglishEnding(word) {
			return word
		}
		return []byte(stem(string(word), true))
	}
}

// hasNoEnglishEnding reports whether no rule of the English stemmer applies to a lower-case word, by its last letters. It is true for half of
// the words that are not yet cached, which saves half of the cost of stemming.
func hasNoEnglishEnding(word []byte) bool {
	const quote = 0xe2 // the first byte of a non-ASCII apostrophe
	n := len(word)
	if n < 2 || bytes.IndexByte(word, '\'') >= 0 || bytes.IndexByte(word, quote) >= 0 {
		return false
	}
	switch string(word[n-2:]) {
	case "nt", "ng", "ed", "on", "sm", "er", "or", "ic", "al", "ul", "ll":
		return false
	}
	last := word[n-1]
	return last != 's' && last != 'e' && last != 'i' && last != 'y'
}
