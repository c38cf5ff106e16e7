package tokenize

import (
	"chaff/message"
)

// mark is a kind of deception in text and links; those of HTML are [message.Mark]. The package comment describes them.
type mark uint8

const (
	zeroWidth mark = iota
	homoglyph
	spacedLetters
	fullWidth
	directionOverride
	letterDigit
	punycode
	escapedHost
	mappedHost
	repairedURL
	linkTextDomain
	imageOnly
	struckLetters
	turnedLetters
	tagLetters
	markKinds // how many there are
)

func (k mark) String() string {
	return [...]string{
		zeroWidth: "zero-width", homoglyph: "homoglyph", spacedLetters: "spaced-letters", fullWidth: "full-width",
		directionOverride: "direction-override", letterDigit: "letter-digit", punycode: "punycode", escapedHost: "escaped-host",
		mappedHost: "mapped-host", repairedURL: "repaired-url", linkTextDomain: "link-text-other-domain", imageOnly: "image-only",
		struckLetters: "struck-letters", turnedLetters: "turned-letters", tagLetters: "tag-letters",
	}[k]
}

// sightings is what the tokenizer has seen in a message while it cut the text into words.
type sightings struct {
	marks     uint32           // a set of mark
	tagged    []byte           // letters of the block of tags, which are not shown
	wide      bool             // full-width letters
	embedding bool             // a change of direction
	lookAlike bool             // a word of a rare script whose letters all look Latin
	native    bool             // a letter of a rare script that does not look Latin
	letters   [scriptKinds]int // the number of letters of each script
}

func (s *sightings) add(k mark) { s.marks |= 1 << k }

// marks emits each mark of m and of its text once.
func (t *terms) marks(m *message.Message) {
	kinds := m.Marks
	if len(t.seen.tagged) > 0 {
		kinds |= 1 << message.HiddenText
	}
	for k := range kinds.All() {
		t.mark(k.String())
	}
	// Some marks are honest in context: full-width letters with Chinese, Japanese or Korean, a change of direction with a script from right
	// to left, and words of a rare script with others that do not look Latin.
	letters := &t.seen.letters
	if t.seen.lookAlike && !t.seen.native {
		t.seen.add(homoglyph)
	}
	if t.seen.wide && letters[kana]+letters[hangul]+letters[han] == 0 {
		t.seen.add(fullWidth)
	}
	if t.seen.embedding && letters[hebrew]+letters[arabic] == 0 {
		t.seen.add(directionOverride)
	}
	for k := range markKinds {
		if t.seen.marks&(1<<k) != 0 {
			t.mark(k.String())
		}
	}
}

// mark emits a mark, which counts in any case.
func (t *terms) mark(name string) {
	left := t.left
	t.left = 1
	t.putTagged("mark:"+name, nil, nil)
	t.left = left
}
