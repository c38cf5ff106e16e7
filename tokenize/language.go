package tokenize

import (
	"bytes"
	"math/bits"
	"slices"
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
	next, _ := utf8.DecodeRuneInString(after)
	return found && !strings.ContainsRune("еёюя", next)
}

func (e *languageEvidence) language() string {
	if e.cyrillic >= minStopWords && 2*e.cyrillic > e.words-e.cyrillic {
		if e.foreign > e.russian {
			return noLanguage
		}
		return "russian"
	}
	most := slices.Max(e.stop[:])
	if most < minStopWords {
		return defaultLanguage
	}
	name := stopWordLists()[slices.Index(e.stop[:], most)].language
	if stemmer(name) == nil {
		return noLanguage
	}
	return name
}

// maxStopWord is the length in bytes of the longest stop word.
const maxStopWord = 12

// stopWordLists returns frequent words of each language that can be detected. Words that are frequent in many languages are left out of most
// lists, and a and i of all, since they are English words. Of two languages with the same number of words the first wins.
func stopWordLists() []struct{ language, words string } {
	return []struct{ language, words string }{
		{"english", "the and of to in is you that it for on with are this be have from your not will at as or we can was by our"},
		{"french", "le la les de des du et est une un pour dans vous nous que qui sur avec pas au aux votre ce cette sont par plus ne"},
		{"hungarian", "az és hogy nem egy is meg ez de csak már van ha vagy mint volt azt még el kell lesz minden ezt ki"},
		{"norwegian", "og det er på som en av for til med at har ikke den vi jeg de om du kan fra et skal hva eller deg noe etter"},
		{"spanish", "el la los las de del y que en es un una por para con se su no lo como más al este está sus pero usted"},
		{"swedish", "och det är på som en av för till med att har inte den vi jag de om du kan från ett ska eller dig efter"},
		{"german", "der die das und ist nicht ein eine zu den von mit für auf sie ich wir im dem sich es auch an als wird bei ihre haben"},
		{"dutch", "de het een en van is dat niet te op voor met zijn in er aan je wij ook om als bij naar uw deze kan wordt worden"},
		{"italian", "il lo la gli le di del della e che è un una per con non si da nel sono come più al questo alla dei anche ha"},
		{"portuguese", "o os as de do da dos das e que em um uma para com não se por no na mais como ao você seu sua é está são"},
		{"danish", "og det er på som en af for til med at har ikke den vi jeg de om du kan fra et skal hvad eller dig noget efter"},
		{"finnish", "ja on ei että se oli hän mutta ovat kun tämä joka myös sekä voi niin jos tai nyt vain ole olen mukaan kuin"},
		{"polish", "w na z do się nie to że jest o jak za od po ale dla przez są tak lub oraz przy tym już może"},
	}
}

// stopWords returns the languages of each stop word.
func stopWords() map[string]languageSet {
	sets := make(map[string]languageSet)
	for i, l := range stopWordLists() {
		for word := range strings.FieldsSeq(l.words) {
			sets[word] |= 1 << i
		}
	}
	return sets
}
