package tokenize

import (
	"bytes"
	"strings"
	"unicode/utf8"

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

// stemmer returns the function that stems a lower-case word of the language, or nil if there is none. The stem may stand in
// the memory of the word. Stop words are stemmed like other words.
func stemmer(language string) func(word []byte) []byte {
	var stem func(word string, stemStopWords bool) string
	switch language {
	case "english":
		return func(word []byte) []byte {
			switch {
			case isSmallLetters(word):
				return englishStem(word)
			case hasNoEnglishEnding(word):
				return word
			}
			return []byte(english.Stem(string(word), true))
		}
	case "french":
		stem = french.Stem
	case "hungarian":
		stem = hungarian.Stem
	case "norwegian":
		stem = norwegian.Stem
	case "russian":
		// QUIRK: the rules are for words written with е, as most Russian is; with ё one word in twenty has another stem.
		return func(word []byte) []byte {
			return []byte(russian.Stem(strings.ReplaceAll(string(word), "ё", "е"), true))
		}
	case "spanish":
		stem = spanish.Stem
	case "swedish":
		stem = swedish.Stem
	default:
		return nil
	}
	return func(word []byte) []byte { return []byte(stem(string(word), true)) }
}

// isSmallLetters reports whether a word is small letters of ASCII.
func isSmallLetters(word []byte) bool {
	for _, c := range word {
		if c-'a' >= 26 {
			return false
		}
	}
	return true
}

// hasNoEnglishEnding reports whether a word ends in a letter beyond ASCII and has no apostrophe, so that no rule is for it.
func hasNoEnglishEnding(word []byte) bool {
	const quotes = 0xe2 // the first byte of an apostrophe beyond ASCII
	return len(word) > 0 && word[len(word)-1] >= utf8.RuneSelf && bytes.IndexByte(word, quotes) < 0 && bytes.IndexByte(word, '\'') < 0
}
