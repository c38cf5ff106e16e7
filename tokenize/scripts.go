package tokenize

// script is one of the scripts that marks and terms distinguish.
type script uint8

const (
	noScript script = iota // Latin, or not a letter
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

// minLetters is the least number of letters for text in a script: fewer are a formula or a name.
const minLetters = 8

func (s script) String() string {
	return [...]string{
		greek: "greek", cyrillic: "cyrillic", hebrew: "hebrew", arabic: "arabic", thai: "thai", kana: "kana", hangul: "hangul", han: "han",
		otherScript: "other",
	}[s]
}

// scriptOf returns the script of a non-ASCII character, by its block.
func scriptOf(r rune) script {
	switch {
	case r < 0x0370:
		return noScript
	case r < 0x0400:
		return greek
	case r < 0x0530:
		return cyrillic
	case r >= 0x0590 && r < 0x0600:
		return hebrew
	case r >= 0x0600 && r < 0x0780 || r >= 0xfb50 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefe:
		return arabic
	case r >= 0x0e00 && r < 0x0e80:
		return thai
	case r < 0x1e00:
		return otherScript
	case r < 0x3040:
		return noScript // Latin and Greek extensions, and signs
	case r < 0x3100 || r >= 0xff66 && r <= 0xff9f:
		return kana
	case r >= 0x3400 && r < 0xa000 || r >= 0xf900 && r < 0xfb00 || r >= 0x20000 && r <= 0x3ffff:
		return han
	case isHangul(r):
		return hangul
	}
	return noScript
}

// scripts emits each script of the text.
func (t *terms) scripts() {
	for s, n := range t.seen.letters {
		if s != int(noScript) && n >= minLetters {
			t.putTagged("script:", []byte(script(s).String()), nil)
		}
	}
}
