package tokenize

import "bytes"

// englishStem returns the stem of a word of small letters of ASCII, in the memory of the word. It is the Porter2 stemmer on bytes,
// as the library has it for all words (a fuzz target holds the two together), at a tenth of its cost: most words of mail are
// such, and to stem one that is new cost as much as twenty that are known.
//
// Source: M. Porter, The English (Porter2) stemming algorithm. The regions R1 and R2 are where they begin.
func englishStem(word []byte) []byte {
	if len(word) <= 2 {
		return word
	}
	if stem := irregularStem(word); stem != "" {
		return append(word[:0], stem...)
	}
	w := englishWord{letters: word}
	w.markConsonants()
	w.findRegions()
	w.step1a()
	w.step1b()
	w.step1c()
	w.step2()
	w.step3()
	w.step4()
	w.step5()
	for i, c := range w.letters {
		if c == 'Y' {
			w.letters[i] = 'y'
		}
	}
	return w.letters
}

// englishWord is a word on its way to its stem.
type englishWord struct {
	letters []byte // small, but a y that is a consonant is Y
	r1, r2  int
	ending  int // the length of the ending that was asked for last
}

// irregularStem returns the stem of a word to which the rules do not apply, empty for all others.
func irregularStem(word []byte) string {
	switch string(word) {
	case "skis":
		return "ski"
	case "sky", "skies":
		return "sky"
	case "dying":
		return "die"
	case "lying":
		return "lie"
	case "tying":
		return "tie"
	case "idly":
		return "idl"
	case "gently":
		return "gentl"
	case "ugly":
		return "ugli"
	case "early":
		return "earli"
	case "only":
		return "onli"
	case "singly":
		return "singl"
	case "news", "howe", "atlas", "cosmos", "bias", "andes":
		return string(word)
	case "inning", "innings":
		return "inning"
	case "outing", "outings":
		return "outing"
	case "canning", "cannings":
		return "canning"
	case "herring", "herrings":
		return "herring"
	case "earring", "earrings":
		return "earring"
	case "proceed", "proceeds", "proceeded", "proceeding":
		return "proceed"
	case "exceed", "exceeds", "exceeded", "exceeding":
		return "exceed"
	case "succeed", "succeeds", "succeeded", "succeeding":
		return "succeed"
	}
	return ""
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// markConsonants writes y as Y where it is a consonant: at the start, and after a vowel.
func (w *englishWord) markConsonants() {
	for i, c := range w.letters {
		if c == 'y' && (i == 0 || isVowel(w.letters[i-1])) {
			w.letters[i] = 'Y'
		}
	}
}

// findRegions finds R1, which begins after the first consonant that follows a vowel, and R2, which is that of R1.
func (w *englishWord) findRegions() {
	switch {
	case bytes.HasPrefix(w.letters, []byte("gener")), bytes.HasPrefix(w.letters, []byte("arsen")):
		w.r1 = 5
	case bytes.HasPrefix(w.letters, []byte("commun")):
		w.r1 = 6
	default:
		w.r1 = w.region(0)
	}
	w.r2 = w.region(w.r1)
}

func (w *englishWord) region(start int) int {
	for i := start + 1; i < len(w.letters); i++ {
		if isVowel(w.letters[i-1]) && !isVowel(w.letters[i]) {
			return i + 1
		}
	}
	return len(w.letters)
}

// ends reports whether a word ends in ending, which is then what replace replaces.
func (w *englishWord) ends(ending string) bool {
	w.ending = len(ending)
	return bytes.HasSuffix(w.letters, []byte(ending))
}

// before returns the letter before the ending, 0 if there is none.
func (w *englishWord) before() byte {
	if i := len(w.letters) - w.ending - 1; i >= 0 {
		return w.letters[i]
	}
	return 0
}

// replace replaces the ending if it is in the region that begins at start.
func (w *englishWord) replace(start int, with string) {
	if rest := len(w.letters) - w.ending; rest >= start {
		w.letters = append(w.letters[:rest], with...)
		w.clampRegions()
	}
}

// clampRegions lets regions that began beyond the end of the word begin there.
func (w *englishWord) clampRegions() {
	w.r1, w.r2 = min(w.r1, len(w.letters)), min(w.r2, len(w.letters))
}

// hasVowel reports whether there is a vowel in the first n letters.
func (w *englishWord) hasVowel(n int) bool {
	for i := range n {
		if isVowel(w.letters[i]) {
			return true
		}
	}
	return false
}

// isShortSyllable reports whether the letters before i end in a short syllable: a vowel between consonants, of which the second is
// none of w, x and Y, or a vowel at the start of the word with a consonant.
func (w *englishWord) isShortSyllable(i int) bool {
	switch {
	case i < 2:
		return false
	case i == 2:
		return isVowel(w.letters[0]) && !isVowel(w.letters[1])
	}
	last := w.letters[i-1]
	return !isVowel(last) && last != 'w' && last != 'x' && last != 'Y' && isVowel(w.letters[i-2]) && !isVowel(w.letters[i-3])
}

// step1a takes off the s of plurals and the like.
func (w *englishWord) step1a() {
	switch {
	case w.ends("sses"):
		w.replace(0, "ss")
	case w.ends("ied"), w.ends("ies"):
		if len(w.letters) > 4 {
			w.replace(0, "i")
		} else {
			w.replace(0, "ie")
		}
	case w.ends("us"), w.ends("ss"):
	case w.ends("s"):
		if w.hasVowel(len(w.letters) - 2) {
			w.replace(0, "")
		}
	}
}

// step1b takes off -ed and -ing.
func (w *englishWord) step1b() {
	switch {
	case w.ends("eedly"), w.ends("eed"):
		w.replace(w.r1, "ee")
	case w.ends("ingly"), w.ends("edly"), w.ends("ing"), w.ends("ed"):
		if w.hasVowel(len(w.letters) - w.ending) {
			w.endVerb()
		}
	}
}

// endVerb takes off -ed or -ing and mends what is left.
func (w *englishWord) endVerb() {
	r1, r2 := w.r1, w.r2
	w.replace(0, "")
	last := len(w.letters) - 1
	switch {
	case w.ends("at"), w.ends("bl"), w.ends("iz"):
		w.letters = append(w.letters, 'e')
	case last > 0 && w.letters[last] == w.letters[last-1] && isDoubled(w.letters[last]):
		w.letters = w.letters[:last]
	case w.r1 == len(w.letters) && w.isShortSyllable(len(w.letters)):
		w.letters = append(w.letters, 'e')
		r1, r2 = len(w.letters), len(w.letters)
	}
	w.r1, w.r2 = r1, r2
	w.clampRegions()
}

// isDoubled reports whether c is a consonant that is doubled before -ed and -ing.
func isDoubled(c byte) bool {
	switch c {
	case 'b', 'd', 'f', 'g', 'm', 'n', 'p', 'r', 't':
		return true
	}
	return false
}

// step1c writes i for a y at the end after a consonant.
func (w *englishWord) step1c() {
	last := len(w.letters) - 1
	if last > 1 && w.letters[last]|0x20 == 'y' && !isVowel(w.letters[last-1]) {
		w.letters[last] = 'i'
	}
}

// step2 shortens endings of two suffixes. The longest ending counts.
func (w *englishWord) step2() {
	switch {
	case w.ends("ization"), w.ends("izer"):
		w.replace(w.r1, "ize")
	case w.ends("ational"), w.ends("ation"), w.ends("ator"):
		w.replace(w.r1, "ate")
	case w.ends("tional"):
		w.replace(w.r1, "tion")
	case w.ends("fulness"), w.ends("fulli"):
		w.replace(w.r1, "ful")
	case w.ends("iveness"), w.ends("iviti"):
		w.replace(w.r1, "ive")
	case w.ends("ousness"), w.ends("ousli"):
		w.replace(w.r1, "ous")
	case w.ends("lessli"):
		w.replace(w.r1, "less")
	case w.ends("alism"), w.ends("aliti"), w.ends("alli"):
		w.replace(w.r1, "al")
	case w.ends("entli"):
		w.replace(w.r1, "ent")
	case w.ends("enci"):
		w.replace(w.r1, "ence")
	case w.ends("anci"):
		w.replace(w.r1, "ance")
	case w.ends("abli"):
		w.replace(w.r1, "able")
	case w.ends("biliti"), w.ends("bli"):
		w.replace(w.r1, "ble")
	case w.ends("ogi"):
		if w.before() == 'l' {
			w.replace(w.r1, "og")
		}
	case w.ends("li"):
		switch w.before() {
		case 'c', 'd', 'e', 'g', 'h', 'k', 'm', 'n', 'r', 't':
			w.replace(w.r1, "")
		}
	}
}

// step3 shortens further endings.
func (w *englishWord) step3() {
	switch {
	case w.ends("ational"):
		w.replace(w.r1, "ate")
	case w.ends("tional"):
		w.replace(w.r1, "tion")
	case w.ends("alize"):
		w.replace(w.r1, "al")
	case w.ends("icate"), w.ends("iciti"), w.ends("ical"):
		w.replace(w.r1, "ic")
	case w.ends("ative"):
		w.replace(w.r2, "")
	case w.ends("ful"), w.ends("ness"):
		w.replace(w.r1, "")
	}
}

// step4 takes off the last suffix.
func (w *englishWord) step4() {
	switch {
	case w.ends("ement"), w.ends("ment"), w.ends("ent"), w.ends("ant"), w.ends("ance"), w.ends("ence"), w.ends("able"), w.ends("ible"),
		w.ends("ism"), w.ends("ate"), w.ends("iti"), w.ends("ous"), w.ends("ive"), w.ends("ize"),
		w.ends("al"), w.ends("er"), w.ends("ic"):
		w.replace(w.r2, "")
	case w.ends("ion"):
		if before := w.before(); before == 's' || before == 't' {
			w.replace(w.r2, "")
		}
	}
}

// step5 takes off an e, or one l of two.
func (w *englishWord) step5() {
	last := len(w.letters) - 1
	switch {
	case w.ends("e"):
		if w.r1 <= last && (w.r2 <= last || !w.isShortSyllable(last)) {
			w.letters = w.letters[:last]
		}
	case w.ends("ll"):
		if w.r2 <= last {
			w.letters = w.letters[:last]
		}
	}
}
