package tokenize

import (
	"testing"

	"github.com/kljensen/snowball/english"
)

// FuzzEnglishEndings holds the words that the stemmer is not asked about to the stemmer.
func FuzzEnglishEndings(f *testing.F) {
	for _, seed := range []string{
		"a", "as", "skis", "sky", "news", "howe", "atlas", "bias", "inning", "proceed", "earring", "yyy", "say", "fulness",
		"relational", "generator", "ability", "electric", "formalize", "adjustment", "irritant", "communism", "roll", "useful",
		"consensus", "kiss", "famous", "kindness", "ties", "agreed", "hop", "fizz", "box", "i", "ii", "o",
	} {
		f.Add(seed, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, end uint8) {
		word := make([]byte, 0, len(text)+8)
		for i := range len(text) {
			word = append(word, 'a'+text[i]%26)
		}
		// Endings are more probable so than by chance.
		endings := []string{"", "ation", "ness", "us", "ss", "tor", "ement", "ism", "ical", "ive", "ed", "ing", "ly", "ies", "ll", "ence"}
		word = append(word, endings[int(end)%len(endings)]...)
		if got, want := stemEnglish(string(word), true), english.Stem(string(word), true); got != want {
			t.Errorf("%s: got %s, of the stemmer %s", word, got, want)
		}
	})
}
