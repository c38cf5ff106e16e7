package tokenize

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// legible returns text as a reader sees it: valid UTF-8 in NFKC, without the characters that show nothing, which are put
// inside of words to hide them, and without the marks that are drawn across and around letters; a blank for each character
// that shows one; letters and digits for those in circles and squares; and turned round what is shown from right to left. It
// takes down what of this is no honest use. The result is valid until the next call.
func (t *Tokenizer) legible(text []byte) []byte {
	text = t.inOrder(text)
	dst := t.clean[:0]
	last := rune(' ') // the visible character before
	between := false  // whether a character without width followed it
	forms := 0        // letters of ASCII in another form
	marked := false   // whether there is a mark
	for len(text) > 0 {
		if !between {
			if n := lengthOfPrintable(text); n > 0 {
				dst = append(dst, text[:n]...)
				last = rune(text[n-1])
				text = text[n:]
				continue
			}
		}
		r, size := utf8.DecodeRune(text)
		kind := glyphOf(r)
		switch {
		case kind == blank, r == utf8.RuneError && size == 1:
			r = ' '
			dst = append(dst, ' ')
		case kind == invisible:
			between = t.invisible(r, last) || between
			text = text[size:]
			continue
		case kind == enclosed:
			forms++
			dst = appendEnclosed(dst, r)
			if next, _ := utf8.DecodeRune(text[size:]); unicode.IsDigit(rune(dst[len(dst)-1])) && unicode.IsLetter(next) {
				dst = append(dst, ' ') // the number of a paragraph
			}
			r = rune(dst[len(dst)-1])
		case kind == regional:
			var letters int
			dst, size, letters = appendRegional(dst, text)
			if forms += letters; letters > 0 {
				r = rune(dst[len(dst)-1])
			}
		default:
			dst = append(dst, text[:size]...)
			if r >= 0x0300 {
				marked = marked || isMark(r)
				t.takeDown(r)
			}
			if kind == compatible && isOtherForm(r) {
				forms++
				r = 'a'
			}
		}
		text = text[size:]
		if between && isEuropean(last) && isEuropean(r) && isLetterOrDigit(last) && isLetterOrDigit(r) {
			t.seen.add(zeroWidth)
		}
		last, between = r, false
	}
	// One such letter alone is a formula or a sign.
	t.seen.wide = t.seen.wide || forms > 1
	t.clean = dst
	if norm.NFKC.QuickSpan(dst) != len(dst) {
		t.normal = norm.NFKC.Append(t.normal[:0], dst...)
		dst, marked = t.normal, true // there are marks in what some signs become
	}
	if marked {
		dst = t.withoutMarks(dst)
	}
	return dst
}

// lengthOfPrintable returns how many bytes of printable ASCII text starts with.
func lengthOfPrintable(text []byte) int {
	for i, c := range text {
		if c-' ' >= 0x7f-' ' {
			return i
		}
	}
	return len(text)
}

// takeDown counts a letter for its script.
func (t *Tokenizer) takeDown(r rune) {
	if s := scriptOf(r); s != noScript {
		t.seen.letters[s]++
	}
	if isOfRareScript(r) && t.likes[r] == 0 {
		t.seen.native = true
	}
}

// invisible takes down a character that shows nothing, and reports whether between letters it is a deception.
func (t *Tokenizer) invisible(r, last rune) bool {
	switch {
	case r == 0x202d || r == 0x202e:
		t.seen.add(directionOverride)
	case r == 0x202a || r == 0x202b:
		t.seen.embedding = true
	case r == 0x00ad: // the soft hyphen of careful typesetting
	case isTag(r) && last == blackFlag: // of a part of a country
	case isTag(r):
		t.seen.add(tagLetters)
		if len(t.unseen) < maxUnseen {
			t.unseen = append(t.unseen, byte(r-tagBlock))
		}
		return true
	default:
		return true
	}
	return false
}

const (
	// maxUnseen is how much invisible text of a message is looked at, in bytes.
	maxUnseen = 1 << 16
	tagBlock  = 0xe0000
	blackFlag = '🏴'
)

// isTag reports whether r is a character of ASCII that is not shown. Those behind a black flag name what it is the flag of.
func isTag(r rune) bool { return r >= tagBlock+' ' && r <= tagBlock+'~' }

// glyph is what a reader sees of a character.
type glyph uint8

const (
	plain      glyph = iota // the character
	compatible              // the character, which may have another form in NFKC
	blank                   // white space
	invisible               // nothing
	enclosed                // a letter or digit of ASCII in a circle, square or brackets that NFKC does not have as that
	regional                // a letter of ASCII in a square, or half of a flag
)

// glyphOf returns what a reader sees of a character. Nearly all are told by their blocks.
func glyphOf(r rune) glyph {
	switch {
	case r < ' ', r == 0x007f: // the control characters of ASCII
		if r >= '\t' && r <= '\r' {
			return blank
		}
		return invisible
	case r < 0x00ad && r != 0x0085 && r != 0x00a0, r > 0x00ad && r < 0x034f, r > 0x034f && r < 0x061c, r > 0x061c && r < 0x115f:
		return plain
	case r > 0x200f && r < 0x2028, r > 0x3000 && r < 0x3164, r > 0x3164 && r < 0xfe00:
		return plain
	case r == 0x2800, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, unicode.IsSpace(r):
		// Braille without dots, and the fillers of Hangul syllables.
		return blank
	case isInvisible(r):
		return invisible
	case isRegional(r):
		return regional
	case isEnclosed(r):
		return enclosed
	}
	return compatible
}

// isInvisible reports whether r shows nothing: what Unicode calls default ignorable, by the rule of its file
// DerivedCoreProperties.txt, and the signs around annotations.
func isInvisible(r rune) bool {
	switch {
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r), r >= 0x13430 && r <= 0x13455: // which go around others
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isOtherForm reports whether r is a letter of ASCII in a form that NFKC knows: letter-like, full-width, or mathematical.
func isOtherForm(r rune) bool {
	switch {
	case r >= 0x2102 && r <= 0x2134, r >= 0xff21 && r <= 0xff3a, r >= 0xff41 && r <= 0xff5a, r >= 0x1d400 && r <= 0x1d6a3:
		folded := norm.NFKC.PropertiesString(string(r)).Decomposition()
		return len(folded) == 1 && classOf(folded[0]) == letter
	}
	return false
}

// withoutMarks takes out of text in NFKC the marks on Latin, Greek and Cyrillic letters and on signs that are not part of
// a letter, such as strokes across it. In these scripts a letter and a mark that belong together are one character.
func (t *Tokenizer) withoutMarks(text []byte) []byte {
	last := rune(' ')
	dst := text[:0]
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case !isMark(r) || !isEuropean(last):
			dst = append(dst, text[:size]...)
			last = r
		case unicode.IsLetter(last) && isStroke(r, text[:size]):
			t.seen.add(struckLetters)
		}
		text = text[size:]
	}
	return dst
}

// isMark reports whether r is a combining mark of no script of its own: it is in one of the blocks of these, or Cyrillic.
func isMark(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036f, r >= 0x0483 && r <= 0x0489, r >= 0x1ab0 && r <= 0x1aff, r >= 0x1dc0 && r <= 0x1dff,
		r >= 0x20d0 && r <= 0x20ff, r >= 0xfe20 && r <= 0xfe2f:
		return unicode.IsMark(r)
	}
	return false
}

// isStroke reports whether a mark is drawn across a letter or around it.
func isStroke(r rune, mark []byte) bool {
	const across = 1 // the canonical combining class of overlays
	return unicode.Is(unicode.Me, r) || norm.NFKC.Properties(mark).CCC() == across
}
