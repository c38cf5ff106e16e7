package tokenize

import (
	"strings"
	"testing"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// FuzzEnglishStem compares the stems of all words with those of the library, which is not asked about all.
func FuzzEnglishStem(f *testing.F) {
	for _, seed := range []string{
		"café", "naïve", "résumés", "день", "l’été", "'é", "don't", "été's", "Œuvre", "yé", "skié", "é", "a", "as", "x", "by",
		"box", "fizz", "hopping", "relational", "kiss", "ability", "replacement", "adoption", "roll", "useful", "communism", "generator",
		"electric", "happy", "agreed", "alumni", "'ox", "the‘", "it‛s", "among", "singing", "person", "sailor", "soul", "front", "chasm", "ant", "ion", "pliant",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		word := strings.ToLower(strings.ToValidUTF8(text, ""))
		if strings.ContainsFunc(word, unicode.IsSpace) || strings.ContainsAny(word, "0123456789_") || word != strings.ToLower(word) {
			return
		}
		if got, want := stemEnglish(word, true), english.Stem(word, true); got != want {
			t.Errorf("%q: got %q, from the library %q", word, got, want)
		}
	})
}
