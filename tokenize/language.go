package tokenize

import (
	"bytes"
	"math/bits"
	"strings"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/message"
)

const (
	maxLanguageWords = 300 // of a message, by which its language is detected
	minStopWords     = 3   // that a language must have among them
	// defaultLanguage is the language of messages with too few words, which are mostly a link and little else.
	defaultLanguage = "english"
)

// languageSet is a set of languages as bits, in the order of stopWordLists.
type languageSet uint16

// detectLanguage returns the language whose rules stem the words of m. It is Russian by its letters, or the language with the most stop
// words among the first 300 words of the subject and the text. It is none for a language without a stemmer, and English if there are
// too few stop words, which was better than none (docs/experiments.md).
//
// Stop words are frequent in any text and few belong to two languages, so one sentence is enough. Statistics of letters would do with less,
// but shorter messages have few words that stems would join.
func (t *Tokenizer) detectLanguage(m *message.Message) string {
	var e languageEvidence
	e.count(t, m.Get("Subject"))
	for i := range m.Parts {
		e.count(t, m.Parts[i].Text)
	}
	return e.language()
}

// languageEvidence counts words that indicate the language of a message.
type languageEvidence struct {
	words    int
	stop     [16]int // stop words, by language
	cyrillic int     // words of Cyrillic letters
	foreign  int     // of these, words with a letter that Russian does not have
	russian  int     // of these, words with a letter that only Russian has
	word     [maxStopWord]byte
}

func (e *languageEvidence) count(t *Tokenizer, text []byte) {
	s := chunks{byteKinds: &t.byteKinds, text: text}
	for chunk := s.next(); len(chunk) > 0 && e.words < maxLanguageWords; chunk = s.next() {
		e.words++
		if s.kinds&nonASCII != 0 && isCyrillic(chunk) {
			e.countCyrillic(chunk)
			continue
		}
		word := trimMarks(chunk)
		if len(word) == 0 || len(word) > maxStopWord {
			continue
		}
		lower := ascii.AppendLower(e.word[:0], word, maxStopWord)
		for set := t.stopWords[string(lower)]; set != 0; set &= set - 1 {
			e.stop[bits.TrailingZeros16(uint16(set))]++
		}
	}
}

// isCyrillic reports whether the first non-ASCII character is Cyrillic.
func isCyrillic(word []byte) bool {
	i := bytes.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf })
	r, _ := utf8.DecodeRune(word[max(i, 0):])
	return r >= 0x0400 && r <= 0x052f
}

func (e *languageEvidence) countCyrillic(word []byte) {
	e.cyrillic++
	switch s := string(word[:min(len(word), maxHost)]); {
	case strings.ContainsAny(s, "іїєґўјљњћђџѓќѕІЇЄҐЎЈЉЊЋЂЏЃЌЅ"), isBulgarian(s):
		e.foreign++
	case strings.ContainsAny(s, "ыэёЫЭЁ"):
		e.russian++
	}
}

// isBulgarian reports whether a word has a hard sign that Russian would not write. Russian has it only before е, ё, ю and я; in Bulgarian it
// is a vowel.
func isBulgarian(word string) bool {
	_, after, found := strings.Cut(word, "ъ")
	if !found {
		return false
	}
	next, _ := utf8.DecodeRuneInString(after)
	return !strings.ContainsRune("еёюя", next)
}

func (e *languageEvidence) language() string {
	if e.cyrillic >= minStopWords && 2*e.cyrillic > e.words-e.cyrillic {
		if e.foreign > e.russian {
			return noLanguage
		}
		return "russian"
	}
	best := 0
	for i := range e.stop {
		if e.stop[i] > e.stop[best] {
			best = i
		}
	}
	if e.stop[best] < minStopWords {
		return defaultLanguage
	}
	name := stopWordLists()[best].language
	if stemmer(name) == nil {
		return noLanguage
	}
	return name
}
