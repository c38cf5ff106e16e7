package tokenize

import (
	"bytes"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/runenames"

	"chaff/message"
	"chaff/test/tabletest"
)

// visibleOf returns text as a new tokenizer reads it.
func visibleOf(t testing.TB, text string) string {
	t.Helper()
	return string(tokenizer(t, nil).view.visible([]byte(text)))
}

func TestCountriesAreThoseOfTheLibrary(t *testing.T) {
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			region, err := language.ParseRegion(code)
			if want := err == nil && (region.IsCountry() || code == "EU"); strings.Contains(countries, code) != want {
				t.Errorf("%s: got %v", code, !want)
			}
		}
	}
	if got := visibleOf(t, "\U0001f1e9"); got != "D" {
		t.Errorf("a single letter is %q", got)
	}
}

func TestEveryCharacterIsTheGlyphThatUnicodeSays(t *testing.T) {
	counts := make(map[glyph]int)
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		want := plain
		switch {
		case unicode.IsSpace(r), strings.Contains(runenames.Name(r), "HANGUL") && strings.HasSuffix(runenames.Name(r), "FILLER"),
			runenames.Name(r) == "BRAILLE PATTERN BLANK":
			want = blank
		case isInvisible(r):
			want = invisible
		case isRegional(r):
			want = regional
		case enclosedIn(r) >= 0:
			want = enclosed
		}
		got := glyphOf(r)
		counts[got]++
		if got != want {
			t.Errorf("%U %s is glyph %d, want %d", r, runenames.Name(r), got, want)
		}
	}
	for kind := plain; kind <= regional; kind++ {
		if counts[kind] == 0 {
			t.Errorf("no character is glyph %d", kind)
		}
	}
}

func TestInvisibleCharactersAreThoseOfUnicode(t *testing.T) {
	for _, r := range "\u00ad\u034f\u061c\u17b4\u180b\u180e\u180f\u200b\u200f\u202a\u202e\u2060\u2064\u2065\u206f\ufe00\ufe0f\ufeff\ufff9\ufffb" +
		"\U0001bca0\U0001d173\U000e0001\U000e0020\U000e007f\U000e0100\U000e01ef\U000e0fff" {
		if !isInvisible(r) {
			t.Errorf("%U is shown", r)
		}
	}
	for _, r := range "a\u0301\u0600\u06dd\u2011\ufffc\ufffd🎉\u2800\u00a0" {
		if isInvisible(r) {
			t.Errorf("%U is not shown", r)
		}
	}
}

// named yields the characters whose names in Unicode match a pattern, with the submatches. It fails the test if there are too few.
func named(t *testing.T, least int, pattern string) iter.Seq2[rune, []string] {
	name := regexp.MustCompile("^(?:" + pattern + ")$")
	return func(yield func(rune, []string) bool) {
		found := 0
		for r := range unicode.MaxRune {
			if m := name.FindStringSubmatch(runenames.Name(r)); m != nil {
				found++
				if !yield(r, m) {
					return
				}
			}
		}
		if found < least {
			t.Errorf("%d characters are named %s, want at least %d", found, pattern, least)
		}
	}
}

func TestEnclosedLettersAreNamedSo(t *testing.T) {
	for r, m := range named(t, 26*8+1, `(?:PARENTHESIZED|(?:NEGATIVE )?(?:CIRCLED|SQUARED)|REGIONAL INDICATOR SYMBOL) (?:LATIN (CAPITAL|SMALL) )?LETTER ([A-Z])`) {
		want := m[2]
		if m[1] == "SMALL" {
			want = strings.ToLower(want)
		}
		if got := visibleOf(t, string(r)); got != want {
			t.Errorf("%U %s is %q, want %q", r, m[0], got, want)
		}
	}
}

func TestEnclosedNumbersAreNamedSo(t *testing.T) {
	numbers := strings.Fields("ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE THIRTEEN FOURTEEN FIFTEEN SIXTEEN SEVENTEEN EIGHTEEN NINETEEN TWENTY")
	pattern := `(?:DINGBAT )?(?:NEGATIVE |DOUBLE )?CIRCLED (?:SANS-SERIF )?(?:DIGIT|NUMBER) (` + strings.Join(numbers, "|") + ")"
	for r, m := range named(t, 70, pattern) { // NFKC folds larger numbers
		if got, want := visibleOf(t, string(r)), strconv.Itoa(slices.Index(numbers, m[1])); got != want {
			t.Errorf("%U %s is %q, want %q", r, m[0], got, want)
		}
	}
}

func TestLettersAreTurnedAsTheirNamesSay(t *testing.T) {
	for r, m := range named(t, 10, `LATIN SMALL LETTER TURNED ([A-FH-KM-Z])`) { // ᵷ and ꞁ look like other letters
		want := strings.ToLower(m[1])[0]
		if r == 'ɯ' {
			continue // looks like w (UTS #39)
		}
		word := strings.Repeat(string(r), minDisguised)
		if got, isTurned := turnedWord(word); !isTurned || string(got) != strings.Repeat(string(want), minDisguised) {
			t.Errorf("%U %s turned is %q, want %q", r, m[0], got, want)
		}
		if got := likeLetter(r); got != want {
			t.Errorf("%U %s looks like %q, want %q", r, m[0], got, want)
		}
	}
}

func TestSmallCapitalsAreNamedSo(t *testing.T) {
	for r, m := range named(t, 20, `LATIN LETTER SMALL CAPITAL ([A-Z])`) {
		if got, want := likeLetter(r), strings.ToLower(m[1])[0]; got != want {
			t.Errorf("%U %s looks like %q, want %q", r, m[0], got, want)
		}
	}
}

func TestTextIsMadeLegible(t *testing.T) {
	tabletest.Strings(t, func(in string) string { return visibleOf(t, in) }, [][3]string{
		{"a no-break space is a space", "a\u00a0b", "a b"},
		{"Hangul fillers and empty Braille are spaces", "a\u3164b\uffa0c\u115fd\u1160e\u2800f", "a b c d e f"},
		{"bytes that are no UTF-8 are spaces", "a\xffb\xc3", "a b "},
		{"strokes across letters and digits", "V\u0336i\u0337a\u0338 $\u033610\u03360\u20e0", "Via $100"},
		{"marks of all blocks", "a\u1ab0b\u1dc4c\ufe20d\u0483e", "abcde"},
		{"a mark on a letter of another script", "あ\u0332", "あ\u0332"},
		{"lines below and above", "V\u0332i\u0305a\u0333", "Via"},
		{"a stroke across a space", "a\u0336 \u0336b", "a b"},
		{"a stroke does not part a letter from its accent", "e\u0336\u0301", "é"},
		{"an accent that is a sign of its own", "don\u00b4t", "don t"},
		{"what is no equal sign stays so", "a≠b", "a≠b"},
		{"digits of key caps", "1\ufe0f\u20e32\ufe0f\u20e3", "12"},
		{"numbers of paragraphs", "❶First", "1 First"},
		{"flags", "🇩🇪🇫🇷🇪🇺", "🇩🇪🇫🇷🇪🇺"},
		{"indicators that are no flags", "🇻🇮🇦🇬🇷🇦", "VIAGRA"},
		{"indicators of which one is left over", "🇻🇮🇦", "VIA"},
		{"an indicator alone", "🇻", "V"},
		{"indicators that are kept from being flags", "🇩\u200b🇪", "DE"},
		{"the flag of a part of a country", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "🏴"},
		{"a family", "👩\u200d👩\u200d👧", "👩👩👧"},
		{"an override", "\u202earga\u202civ", "agraiv"},
		{"an override to the end", "a\u202eb c d", "ad c b"},
		{"an override in the other direction inside", "\u202eab\u202dcd\u202cef\u202c", "fecdba"},
		{"an override of the same direction inside", "\u202eab\u202ecd\u202cef\u202c", "fedcba"},
		{"an isolate inside", "\u202eab\u2066cd\u2069ef\u202c", "fecdba"},
		{"accents stay on their letters", "\u202ee\u0301a\u202c", "aé"},
		{"ends without a beginning", "a\u202cb\u2069c", "abc"},
		{"an end before a beginning", "a\u202cb\u202ecd", "abdc"},
		{"Hebrew and Arabic are read from right to left anyway", "\u202eשלום\u202c\u202eسلام\u202c", "שלוםسلام"},
	})
}

// TestHonestTextIsReadAsItIsWritten has text in languages whose letters and marks are used for disguises in others.
func TestHonestTextIsReadAsItIsWritten(t *testing.T) {
	for name, text := range map[string]string{
		"Vietnamese":  "Cộng hòa xã hội chủ nghĩa Việt Nam",
		"Hindi":       "नमस्ते दुनिया कृपया",
		"Hebrew":      "בְּרֵאשִׁית בָּרָא",
		"Arabic":      "بِسْمِ اللَّهِ",
		"Thai":        "สวัสดีครับ กี่",
		"Inuktitut":   "ᐃᓄᒃᑎᑐᑦ ᓄᓇᕗᑦ ᑲᓇᑕ",
		"Cherokee":    "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ",
		"Georgian":    "საქართველო",
		"Greek":       "ἐν ἀρχῇ ἦν ὁ λόγος",
		"Russian":     "ещё йод сорос",
		"Armenian":    "բարեւ ձեզ",
		"Catalan":     "col·lecció intel·ligent",
		"Azerbaijani": "Azərbaycan gəncləri",
		"Turkish":     "Iğdır İstanbul kadın",
		"Ewe":         "Eʋegbe ŋɔŋlɔ ɖe",
		"Polish":      "zażółć gęślą jaźń",
		"initials":    "U.S.A. J.R.R. A.B.C",
		"a menu":      "Home · News · About | A · B",
		"emoji":       "🇩🇪 👩🔧 🎉 ❤ ✔",
	} {
		t.Run(name, func(t *testing.T) {
			tok := tokenizer(t, nil)
			for chunk := range strings.FieldsSeq(text) {
				if got, want := string(tok.view.visible([]byte(chunk))), norm.NFKC.String(chunk); got != want {
					t.Errorf("%+q is read as %+q", want, got)
				}
			}
			if got := having(termsOfMessage(tok, textMessage(text)), "mark:"); len(got) > 0 {
				t.Errorf("%s: %q", text, got)
			}
		})
	}
}

// TestTagsAreHiddenText has letters of the tags block in the places in which text comes.
func TestTagsAreHiddenText(t *testing.T) {
	tags := func(s string) string {
		return strings.Map(func(r rune) rune { return tagBlock + r }, s)
	}
	m := textMessage("Off" + tags("minutes of") + "er" + tags(" meeting"))
	m.Parts[0].Hidden = []byte("b" + tags(" below"))
	got := having(termsOfMessage(tokenizer(t, nil), m), "body:", "hidden:", "mark:")
	want := []string{"body:offer", "hidden:b", "hidden:minut", "hidden:of", "hidden:meet", "hidden:below", "mark:hidden-text", "mark:zero-width", "mark:tag-letters"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	tok := tokenizer(t, nil)
	termsOfMessage(tok, textMessage("a"+tags(strings.Repeat("x ", maxInvisible))))
	if len(tok.seen.tagged) != maxInvisible {
		t.Errorf("%d bytes are kept, want %d", len(tok.seen.tagged), maxInvisible)
	}
	if got := having(termsOfMessage(tok, textMessage("a")), "hidden:", "mark:"); len(got) > 0 {
		t.Errorf("the tags of one message are found in the next: %q", got)
	}
}

// TestLongStretchesAreReadInPieces bounds what is made legible at a time, which may grow elevenfold.
func TestLongStretchesAreReadInPieces(t *testing.T) {
	for name, text := range map[string]string{
		"a ligature that grows":   strings.Repeat("\ufdfa", maxChunk),
		"an override without end": rightToLeft + strings.Repeat("é ", maxChunk),
		"letters behind ASCII":    strings.Repeat("x", 3*maxChunk) + strings.Repeat("é", maxChunk),
		"no UTF-8":                strings.Repeat("\x80", 3*maxChunk),
	} {
		t.Run(name, func(t *testing.T) {
			tok := tokenizer(t, nil)
			s := chunks{text: []byte(text), view: &tok.view}
			taken := 0
			for chunk := s.next(); len(chunk) > 0; chunk = s.next() {
				taken += s.taken
				if s.isVisible && !utf8.Valid(chunk) {
					t.Fatal("a character is cut in two")
				}
			}
			if taken += s.taken; taken != len(text) {
				t.Errorf("%d bytes of %d were taken", taken, len(text))
			}
			m := textMessage(text)
			m.Header = []message.Field{{Name: []byte("From"), Value: []byte("a@" + text)}}
			tok.Terms(m, func(*Term) {})
			if got, limit := max(cap(tok.view.cleaned), cap(tok.view.normalized), cap(tok.view.ordered)), 32*maxChunk; got > limit {
				t.Errorf("%d bytes are held, want at most %d", got, limit)
			}
		})
	}
}

// FuzzLegible checks that what was made legible is valid text in NFKC without characters that show nothing, and stays as it
// is when it is made legible again; and that every byte of a text is taken once.
func FuzzLegible(f *testing.F) {
	for _, seed := range []string{
		"V\u0336i\u0337", "🇻🇮🇦🇩\u200b🇪", "\u202eab\u202dcd\u202c", "ⓥ⒱🅥❶a", "a\u3164\u00b4b\xff", "\u115f\u1112\u1161", "V\U000E0061🏴\U000E0067", "\u05d0\u05b0\u034f\u0591",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tok := tokenizer(t, nil) // a new one, since the memory of an old one confuses the fuzzer
		got := bytes.Clone(tok.view.visible([]byte(text)))
		if !norm.NFKC.IsNormal(got) || !utf8.Valid(got) {
			t.Errorf("%+q is read as %+q, which is not in NFKC", text, got)
		}
		for _, r := range string(got) {
			if r < ' ' || isInvisible(r) && r != 0x034f { // which norm puts behind 30 marks
				t.Errorf("%+q is read as %+q, with %U in it", text, got, r)
			}
		}
		if again := tok.view.visible(got); !bytes.Equal(got, again) {
			t.Errorf("%+q is read as %+q, and that as %+q", text, got, again)
		}
		taken := 0
		s := chunks{text: []byte(text), view: &tok.view}
		for chunk := s.next(); len(chunk) > 0; chunk = s.next() {
			taken += s.taken
		}
		if taken += s.taken; taken != len(text) {
			t.Errorf("%d bytes of %+q were taken", taken, text)
		}
	})
}
