package tokenize

import (
	"bytes"
	"math/bits"
	"strings"
	"unicode/utf8"

	"chaff/message"
)

const (
	maxLooked   = 300 // words of a message that are looked at to tell its language
	minEvidence = 3   // stop words that a language must have among them
	// defaultLanguage is that of a message with too little evidence: mostly a few words around a link.
	defaultLanguage = "english"
)

// languageSet is a set of languages as bits, in the order of stopWordLists.
type languageSet uint16

// language returns the language whose rules stem the words of m: russian by its letters, the others by which of them has
// the most stop words among the first 300 words of the subject and the text. It is none for a language without a stemmer,
// and english if there is too little evidence, which was better than none on both corpora.
//
// Why stop words: any text is full of them and few are the same in two languages, so one sentence is enough; it takes one
// look-up in a map for each word; and with fixed lists in a fixed order the answer is always the same.
// Statistics of letters would tell single sentences too, but a message that short has few words that stems would join.
// The language is no term: with it the figures of both corpora were no better (docs/experiments.md).
func (t *Tokenizer) language(m *message.Message) string {
	var e languageEvidence
	e.look(t, m.Get("Subject"))
	for i := range m.Parts {
		e.look(t, m.Parts[i].Text)
	}
	return e.language()
}

// languageEvidence counts what tells the language of a message.
type languageEvidence struct {
	words    int
	stop     [16]int // stop words, by language
	cyrillic int     // words of Cyrillic letters
	foreign  int     // of these, words with a letter that Russian has not
	russian  int     // of these, words with a letter that its neighbours have not
	word     [maxStopWord]byte
}

func (e *languageEvidence) look(t *Tokenizer, text []byte) {
	s := stretches{bytes: &t.bytes, text: text}
	for stretch := s.next(); len(stretch) > 0 && e.words < maxLooked; stretch = s.next() {
		e.words++
		if s.kinds&nonASCII != 0 && isCyrillic(stretch) {
			e.lookCyrillic(stretch)
			continue
		}
		word := trimMarks(stretch)
		if len(word) == 0 || len(word) > maxStopWord {
			continue
		}
		lower := appendLowerASCII(e.word[:0], word)
		for set := t.stopWords[string(lower)]; set != 0; set &= set - 1 {
			e.stop[bits.TrailingZeros16(uint16(set))]++
		}
	}
}

// isCyrillic reports whether the first letter beyond ASCII is Cyrillic.
func isCyrillic(word []byte) bool {
	i := bytes.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf })
	r, _ := utf8.DecodeRune(word[max(i, 0):])
	return r >= 0x0400 && r <= 0x052f
}

func (e *languageEvidence) lookCyrillic(word []byte) {
	e.cyrillic++
	switch s := string(word[:min(len(word), maxHost)]); {
	case strings.ContainsAny(s, "іїєґўјљњћђџѓќѕІЇЄҐЎЈЉЊЋЂЏЃЌЅ"), isBulgarian(s):
		e.foreign++
	case strings.ContainsAny(s, "ыэёЫЭЁ"):
		e.russian++
	}
}

// isBulgarian reports whether a word has a hard sign between consonants, which is a vowel in Bulgarian; in Russian it
// stands before е, ё, ю and я only.
func isBulgarian(word string) bool {
	_, after, found := strings.Cut(word, "ъ")
	if !found {
		return false
	}
	return !strings.HasPrefix(after, "е") && !strings.HasPrefix(after, "ё") && !strings.HasPrefix(after, "ю") && !strings.HasPrefix(after, "я")
}

func (e *languageEvidence) language() string {
	if e.cyrillic >= minEvidence && 2*e.cyrillic > e.words-e.cyrillic {
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
	if e.stop[best] < minEvidence {
		return defaultLanguage
	}
	name := stopWordLists()[best].language
	if stemmer(name) == nil {
		return noLanguage
	}
	return name
}
