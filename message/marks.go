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

// Mark is one kind of deception in the HTML of a message. [Mark.String] is its name; it is what a classifier sees.
type Mark uint8

// The marks.
const (
	HiddenText      Mark = iota // text that is not shown, for any of the reasons below
	HiddenByStyle               // display:none, visibility:hidden, opacity:0
	HiddenByColour              // text in the colour of its background
	HiddenBySize                // text, or a box around it, of no size or next to none
	HiddenOffScreen             // text far to the left of or above the screen
	CommentInWord               // a comment between two letters
	TagInWord                   // an element that does not exist, or that shows nothing, between two letters
	BreakInWord                 // wbr or a soft hyphen between two letters
	NumericEntity               // a letter or digit of ASCII written by its number, as &#86;
	markKinds                   // how many there are
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

// All yields the members of the set in the order of the constants.
func (s Marks) All() iter.Seq[Mark] { return members[Mark](uint64(s) & (1<<markKinds - 1)) }

// add puts m into the set.
func (s *Marks) add(m Mark) { *s |= 1 << m }

// marksOf returns the marks of text that is hidden for these reasons.
func marksOf(r css.Reasons) (m Marks) {
	if r == 0 {
		return 0
	}
	m.add(HiddenText)
	return m | Marks(r)<<HiddenByStyle // the reasons are in the order of their marks
}

// minNumericLetters is how many letters of a text must be written by their numbers to be a mark: a few are an accident of
// some program.
const minNumericLetters = 5

// inAddress reports whether the text at hand is that of a link to a mail address.
//
// QUIRK: only deceivers write letters by their numbers. Programs that keep addresses from those who gather them do so as
// well, with the link and all its text (html-address.eml).
func (d *Decoder) inAddress(h *htmlState) bool {
	return h.anchor >= 0 && bytes.HasPrefix(d.msg.Links[h.anchor].URL, []byte("mailto:"))
}

// noteInWord takes down that something stands behind the last letter, which is a mark if another letter follows.
func (d *Decoder) noteInWord(h *htmlState, what Mark) {
	end := len(d.arena)
	if h.page.top().hiddenBy == 0 && (h.pendingAt != end || what != TagInWord) && endsInLetter(d.arena[h.start:]) {
		h.pendingMark, h.pendingAt = what, end
	}
}

// countNumericLetters counts the letters and digits of ASCII that are written by their numbers, as &#86;.
func countNumericLetters(raw []byte) (n int) {
	for {
		at := bytes.IndexByte(raw, '&')
		if at < 0 {
			return n
		}
		raw = raw[at+1:]
		if len(raw) == 0 || raw[0] != '#' {
			continue
		}
		raw = raw[1:]
		value, base := 0, 10
		if len(raw) > 0 && ascii.Lower(raw[0]) == 'x' {
			raw, base = raw[1:], 16
		}
		for i := 0; i < len(raw) && i < 8 && int(ascii.HexDigit(raw[i])) < base; i++ {
			value = value*base + int(ascii.HexDigit(raw[i]))
		}
		if value < 0x80 && ascii.IsAlphanumeric(byte(value)) {
			n++
		}
	}
}

const softHyphen = "\u00ad"

// softHyphenInWord reports whether a letter, a soft hyphen and another letter follow each other in text.
func softHyphenInWord(text []byte) bool {
	for at := 0; ; {
		last := bytes.IndexByte(text[at:], softHyphen[1]) // which is rarer than the first byte
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

// isLetterOfWords reports whether r is a digit, or a letter of a script in which words are set apart by blanks and
// letters are not joined: in others, breaks within a word are good manners.
func isLetterOfWords(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii.IsAlphanumeric(byte(r))
	}
	return unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}
