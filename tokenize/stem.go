package tokenize

import (
	"bytes"
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

// Languages returns the languages with a stemmer, sorted.
func Languages() []string {
	return []string{"english", "french", "hungarian", "norwegian", "russian", "spanish", "swedish"}
}

// stemmer returns the function that stems lower-case words of a language, or nil. The stem may share the memory of the word. Stop words
// are stemmed like other words.
func stemmer(language string) func(word []byte) []byte {
	var stem func(word string, stemStopWords bool) string
	switch language {
	case "english":
		return func(word []byte) []byte {
			if hasNoEnglishEnding(word) {
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
		// QUIRK: most Russian is written with е for ё. With ё, one word in twenty would have another stem.
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

// hasNoEnglishEnding reports whether no rule of the English stemmer applies to a lower-case word, by its last letters. It is true for half of
// the words that are not yet cached, which saves half of the cost of stemming.
func hasNoEnglishEnding(word []byte) bool {
	const quote = 0xe2 // the first byte of a non-ASCII apostrophe
	n := len(word)
	if n < 2 || bytes.IndexByte(word, '\'') >= 0 || bytes.IndexByte(word, quote) >= 0 {
		return false
	}
	switch word[n-1] {
	case 's', 'e', 'i', 'y':
		return false
	}
	switch string(word[n-2:]) {
	case "nt", "ng", "ed", "on", "sm", "er", "or", "ic", "al", "ul", "ll":
		return false
	}
	return true
}
