package message

import (
	"bytes"
	"fmt"
	"iter"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/css"
)

// Mark is a kind of deception in HTML. [Mark.String] returns its name, which classifiers see.
type Mark uint8

// The marks.
const (
	HiddenText      Mark = iota // text that is hidden for any of the reasons below
	HiddenByStyle               // display:none, visibility:hidden, opacity:0
	HiddenByColour              // text in the colour of its background
	HiddenBySize                // text, or a box around it, of nearly no size
	HiddenOffScreen             // text far to the left of or above the screen
	CommentInWord               // a comment between two letters
	TagInWord                   // an element that does not exist or is empty, between two letters
	BreakInWord                 // wbr or a soft hyphen between two letters
	NumericEntity               // an ASCII letter or digit as a numeric reference, such as &#86;
	markKinds
)

// String returns the name of a mark, such as "hidden-text".
func (m Mark) String() string {
	if m < markKinds {
		return [...]string{
			HiddenText:      "hidden-text",
			HiddenByStyle:   "hidden-by-style",
			HiddenByColour:  "hidden-by-colour",
			HiddenBySize:    "hidden-by-size",
			HiddenOffScreen: "hidden-off-screen",
			CommentInWord:   "comment-in-word",
			TagInWord:       "tag-in-word",
			BreakInWord:     "break-in-word",
			NumericEntity:   "numeric-entity",
		}[m]
	}
	return fmt.Sprintf("mark-%d", uint8(m))
}

// Marks is a set of marks. The zero value is the empty set.
type Marks uint32

// Has reports whether m is in the set.
func (s Marks) Has(m Mark) bool { return s&(1<<m) != 0 }

// All yields the members of the set in ascending order.
func (s Marks) All() iter.Seq[Mark] { return members[Mark](uint64(s) & (1<<markKinds - 1)) }

func (s *Marks) add(m Mark) { *s |= 1 << m }

// marksOf returns the marks of text that is hidden for these reasons.
func marksOf(r css.Reasons) (m Marks) {
	if r == 0 {
		return 0
	}
	m.add(HiddenText)
	return m | Marks(r)<<HiddenByStyle // the reasons are in the same order
}

// minNumericLetters is how many numeric letters make a mark. A few may be an accident.
const minNumericLetters = 5

// inAddress reports whether the current text is that of a link to a mail address.
//
// QUIRK: only deceivers write letters as numeric references. Programs that hide addresses from harvesters do so, too, in the
// link and its text (html-address.eml).
func (p *page) inAddress() bool {
	return p.anchor.isOpen && bytes.HasPrefix(p.links.all[p.anchor.link].URL, []byte("mailto:"))
}

// inWord is the mark of what follows the last letter, if another letter follows.
type inWord struct {
	mark Mark
	at   int // the length of the text there; 0 if there is no such mark
}

// noteInWord notes that something follows the last letter. It becomes a mark if another letter follows.
func (p *page) noteInWord(what Mark) {
	end := len(p.text)
	if p.stack.top().hiddenBy == 0 && (p.inWord.at != end || what != TagInWord) && endsInLetter(p.text[p.from:]) {
		p.inWord = inWord{what, end}
	}
}

const softHyphen = "\u00ad"

// softHyphenInWord reports whether text contains a soft hyphen between two letters.
func softHyphenInWord(text []byte) bool {
	for at := 0; ; {
		last := bytes.IndexByte(text[at:], softHyphen[1]) // rarer than the first byte
		if last < 0 {
			return false
		}
		at += last + 1
		before, ok := bytes.CutSuffix(text[:at], []byte(softHyphen))
		if ok && endsInLetter(before) && startsInLetter(text[at:]) {
			return true
		}
	}
}

func startsInLetter(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return isLetterOfWords(r)
}

func endsInLetter(text []byte) bool {
	r, _ := utf8.DecodeLastRune(text)
	return isLetterOfWords(r)
}

// isLetterOfWords reports whether r is a digit or a letter of a script that separates words by blanks and does not join
// letters. In other scripts, breaks within a word are normal.
func isLetterOfWords(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii.IsAlphanumeric(byte(r))
	}
	return unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}
