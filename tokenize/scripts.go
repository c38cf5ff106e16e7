package tokenize

// script is a script other than Latin, as far as marks and terms tell them apart.
type script uint8

const (
	noScript script = iota // Latin, and what is no letter
	greek
	cyrillic
	hebrew
	arabic
	thai
	kana
	hangul
	han
	otherScript
	scriptKinds // how many there are
)

// minLetters is how many letters of a script tell that text is written in it: fewer are a formula or a name.
const minLetters = 8

// term returns the term for a script.
func (s script) term() string {
	switch s {
	case greek:
		return "script:greek"
	case cyrillic:
		return "script:cyrillic"
	case hebrew:
		return "script:hebrew"
	case arabic:
		return "script:arabic"
	case thai:
		return "script:thai"
	case kana:
		return "script:kana"
	case hangul:
		return "script:hangul"
	case han:
		return "script:han"
	}
	return "script:other"
}

// scriptOf returns the script that a character beyond ASCII belongs to, by its block.
func scriptOf(r rune) script {
	switch {
	case r < 0x0370:
		return noScript
	case r < 0x0400:
		return greek
	case r < 0x0530:
		return cyrillic
	case r < 0x0590:
		return otherScript
	case r < 0x0600:
		return hebrew
	case r < 0x0780 || r >= 0xfb50 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefe:
		return arabic
	case r < 0x0e00:
		return otherScript
	case r < 0x0e80:
		return thai
	case r < 0x1e00:
		return otherScript
	case r < 0x3040:
		return noScript // more of Latin and Greek, and signs
	case r < 0x3100 || r >= 0xff66 && r <= 0xff9f:
		return kana
	case r >= 0x3400 && r < 0xa000 || r >= 0xf900 && r < 0xfb00 || r >= 0x20000 && r <= 0x3ffff:
		return han
	case isHangul(r):
		return hangul
	}
	return noScript
}

func (e *evidence) isEastAsian() bool { return e.letters[kana]+e.letters[hangul]+e.letters[han] > 0 }

// isLeftward reports whether a script from right to left was seen.
func (e *evidence) isLeftward() bool { return e.letters[hebrew]+e.letters[arabic] > 0 }

// scripts emits each script that text is written in.
func (t *Tokenizer) scripts() {
	for s, n := range t.seen.letters {
		if s != int(noScript) && n >= minLetters {
			t.put(append(t.term[:0], script(s).term()...), nil)
		}
	}
}
