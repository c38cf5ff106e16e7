package tokenize

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// FuzzEnglishStem holds the stemmer for words of small letters to that of the library.
func FuzzEnglishStem(f *testing.F) {
	for _, seed := range []string{
		"a", "as", "skis", "sky", "news", "howe", "atlas", "bias", "inning", "proceed", "earring", "yyy", "say", "fulness",
		"relational", "generator", "ability", "electric", "formalize", "adjustment", "irritant", "communism", "roll", "useful",
		"consensus", "kiss", "famous", "kindness", "ties", "agreed", "hop", "fizz", "box", "i", "ii", "o",
		"hopping", "hoping", "bed", "shed", "sayed", "using", "luxuriated", "troubled", "sized", "happy", "enjoying", "yes", "youth",
		"generously", "communicate", "arsenal", "apologies", "geologically", "replacement", "adoption", "controlled", "rate", "ate",
	} {
		f.Add(seed, uint8(0), uint8(0))
	}
	endings := []string{
		"", "s", "sses", "ied", "ies", "us", "ss", "eedly", "ingly", "edly", "ing", "eed", "ed", "at", "bl", "iz", "tt", "ational", "fulness",
		"iveness", "ization", "ousness", "bility", "lessly", "tional", "alism", "ality", "ation", "ently", "fully", "ivity", "ously", "ancy",
		"ably", "ally", "ator", "ency", "izer", "bly", "ogy", "ly", "alize", "icate", "ative", "icity", "ical", "ful", "ness", "ement",
		"ance", "ence", "able", "ible", "ment", "ent", "ant", "ism", "ate", "ity", "ous", "ive", "ize", "ion", "al", "er", "ic", "e", "ll", "y",
	}
	f.Fuzz(func(t *testing.T, text string, end, before uint8) {
		word := make([]byte, 0, len(text)+8)
		for i := range len(text) {
			word = append(word, 'a'+text[i]%26)
		}
		// Endings are more probable so than by chance.
		word = append(word, endings[int(before)%len(endings)]...)
		word = append(word, endings[int(end)%len(endings)]...)
		want := english.Stem(string(word), true)
		if got := string(englishStem(bytes.Clone(word))); got != want {
			t.Errorf("%s: got %s, of the library %s", word, got, want)
		}
	})
}

// FuzzEnglishStemOfAnyWord holds the words of other letters that the library is not asked about to the library.
func FuzzEnglishStemOfAnyWord(f *testing.F) {
	for _, seed := range []string{"café", "naïve", "résumés", "день", "l’été", "'é", "don't", "été's", "Œuvre", "yé", "skié", "é"} {
		f.Add(seed)
	}
	stem := stemmer("english")
	f.Fuzz(func(t *testing.T, text string) {
		word := strings.ToLower(strings.ToValidUTF8(text, ""))
		if strings.ContainsFunc(word, unicode.IsSpace) || isCode([]byte(word)) {
			return
		}
		if got, want := string(stem([]byte(word))), english.Stem(word, true); got != want {
			t.Errorf("%q: got %q, of the library %q", word, got, want)
		}
	})
}
