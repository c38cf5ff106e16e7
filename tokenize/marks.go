package tokenize

import (
	"chaff/features"
	"chaff/message"
)

// mark is one kind of deception found in text and links; those of HTML are [message.Mark].
type mark uint8

const (
	zeroWidth         mark = iota // a character without width between two letters
	homoglyph                     // a letter of another script that looks like a Latin one
	spacedLetters                 // a word whose letters are set apart
	fullWidth                     // letters of ASCII in another form: full-width, mathematical, in circles
	directionOverride             // text that is shown in another order than it is read
	letterDigit                   // a digit or sign in place of a letter
	punycode                      // a host name in another script than ASCII
	escapedHost                   // a host name with escapes such as %77
	mappedHost                    // a host that browsers read as another one than is written: other digits, dots or letters
	repairedURL                   // a URL whose slashes browsers have to repair
	linkTextDomain                // a link that names one domain and leads to another
	imageOnly                     // images and next to no text
	struckLetters                 // letters with a stroke across them or a line around them
	turnedLetters                 // a word that is upside down
	tagLetters                    // letters that are not shown, of Unicode's block of tags
	markKinds                     // how many there are
)

// term returns the term for a mark.
func (k mark) term() string {
	switch k {
	case zeroWidth:
		return "mark:zero-width"
	case homoglyph:
		return "mark:homoglyph"
	case spacedLetters:
		return "mark:spaced-letters"
	case fullWidth:
		return "mark:full-width"
	case directionOverride:
		return "mark:direction-override"
	case letterDigit:
		return "mark:letter-digit"
	case punycode:
		return "mark:punycode"
	case escapedHost:
		return "mark:escaped-host"
	case mappedHost:
		return "mark:mapped-host"
	case repairedURL:
		return "mark:repaired-url"
	case linkTextDomain:
		return "mark:link-text-other-domain"
	case imageOnly:
		return "mark:image-only"
	case struckLetters:
		return "mark:struck-letters"
	case turnedLetters:
		return "mark:turned-letters"
	case tagLetters:
		return "mark:tag-letters"
	}
	return "mark:other"
}

// evidence is what is known of the whole message while its text is cut into words.
type evidence struct {
	marks     uint32           // a set of mark
	wide      bool             // full-width letters were seen
	embedding bool             // a change of direction was seen
	lookAlike bool             // a word wholly of a rare script whose letters all look like Latin ones was seen
	native    bool             // a letter of a rare script that looks like no Latin one was seen
	letters   [scriptKinds]int // how many letters of each script were seen
}

func (e *evidence) add(k mark) { e.marks |= 1 << k }

// marks emits each mark of m and of its text once.
func (t *Tokenizer) marks(m *message.Message) {
	t.group = features.Structure
	kinds := m.Marks
	if len(t.unseen) > 0 {
		kinds |= 1 << message.HiddenText
	}
	for k := range kinds.All() {
		t.term = append(append(t.term[:0], "mark:"...), k.String()...)
		t.say(t.key.Hash(t.term), t.term, nil)
	}
	// Full-width letters are honest where wide characters are usual, and so is a change of direction beside text from
	// right to left, and so are words of a rare script beside others that look like no Latin ones.
	if t.seen.lookAlike && !t.seen.native {
		t.seen.add(homoglyph)
	}
	if t.seen.wide && !t.seen.isEastAsian() {
		t.seen.add(fullWidth)
	}
	if t.seen.embedding && !t.seen.isLeftward() {
		t.seen.add(directionOverride)
	}
	for k := range markKinds {
		if t.seen.marks&(1<<k) != 0 {
			t.term = append(t.term[:0], k.term()...)
			t.say(t.key.Hash(t.term), t.term, nil)
		}
	}
}
