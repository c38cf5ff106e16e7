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
		stem = english.Stem
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

// maxCached bounds the words a cache remembers: mail full of random words must not fill the memory.
const maxCached = 1 << 16

// cache remembers what became of each distinct word, since stemming costs microseconds and words repeat.
type cache struct {
	terms     map[string]string    // empty for a disguised word
	disguised map[string]*disguise // in a map of its own, so that the entries of the other stay small
	become    func(word string) (term string, d *disguise)
}

// disguise is what is behind a word that is written so as not to be recognised.
type disguise struct {
	mark  mark
	term  string // what the word is counted as
	meant string // what the word that was meant is counted as, empty if that is the term already
}

func newCache(become func(word string) (string, *disguise)) *cache {
	return &cache{terms: make(map[string]string), disguised: make(map[string]*disguise), become: become}
}

// get returns what word is counted as, and what is behind it, nil for nearly all words. Both are made once.
func (c *cache) get(word []byte) (term string, d *disguise) {
	term, seen := c.terms[string(word)]
	switch {
	case !seen:
		return c.add(string(word))
	case term == "":
		d = c.disguised[string(word)]
		return d.term, d
	}
	return term, nil
}

func (c *cache) add(word string) (term string, d *disguise) {
	if len(c.terms) >= maxCached {
		clear(c.terms)
		clear(c.disguised)
	}
	term, d = c.become(word)
	if term == "" {
		term = word
	}
	switch {
	case d != nil:
		d.term = term
		c.terms[word] = ""
		c.disguised[word] = d
	case strings.HasPrefix(word, term):
		c.terms[word] = word[:len(term)] // in the memory that the comparison of the word has just read
	default:
		c.terms[word] = term
	}
	return term, d
}
