package tokenize

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/segment"

	"chaff/internal/termkey"
)

func wordsOf(t testing.TB, text string) []string {
	t.Helper()
	tok, err := New(DefaultOptions(), termkey.Key{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	cutAll(tok, []byte(text), func(e *Term) { got = append(got, string(e.Token)) })
	return got
}

// cutAll emits the words of text.
func cutAll(tok *Tokenizer, text []byte, emit func(*Term)) {
	tok.emit, tok.left, tok.made = emit, math.MaxInt, tok.room
	tok.words(lexicon{}, text)
}

func TestWords(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"words end at white space", "buy now\tor\r\nnever", []string{"buy", "now", "or", "never"}},
		{"an apostrophe holds letters together", "don't 'quote'", []string{"don't", "'", "quote", "'"}},
		{"a full stop holds letters or digits together", "a.b 3.50 a.1", []string{"a.b", "3.50", "a", ".", "1"}},
		{"a comma holds digits together", "3,000 a,b", []string{"3,000", "a", ",", "b"}},
		{"a currency sign stands alone", "$9.99 €5", []string{"$", "9.99", "€", "5"}},
		{"letters of other scripts are words", "Привет, мир", []string{"Привет", ",", "мир"}},
		{"ideographs are counted in pairs", "東京都", []string{"東京", "京都"}},
		{"one ideograph is counted alone", "東 a", []string{"東", "a"}},
		{"kana and ideographs are paired across the change", "テスト中", []string{"テス", "スト", "ト中"}},
		{"a comma ends a run of pairs", "東京、大阪", []string{"、", "東京", "大阪"}},
		{"thai letters are counted in pairs", "กขค", []string{"กข", "ขค"}},
		{"khmer letters are counted in pairs", "កខគ", []string{"កខ", "ខគ"}},
		{"lao letters are counted in pairs", "ກຂຄ", []string{"ກຂ", "ຂຄ"}},
		{"burmese letters are counted in pairs", "ကခဂ", []string{"ကခ", "ခဂ"}},
		{"half-width kana are kana", "ﾃｽﾄ ｶﾞｽ", []string{"テス", "スト", "ガス"}},
		{"words and numbers among ideographs are whole", "会议Meeting于2024年", []string{"Meeting", "会议", "2024", "于", "年"}},
		{"korean words are whole, and in pairs from three syllables on", "회의 자료를", []string{"회의", "자료를", "자료", "료를"}},
		{"zero-width characters do not cut a word", "free\u200b\u00addom", []string{"freedom"}},
		{"full-width letters are plain letters", "ＦＲＥＥ", []string{"FREE"}},
		{"a broken byte loses nothing behind it", "money\xffback é", []string{"money", "back", "é"}},
		{"emoji are symbols", "win 🎉", []string{"win", "🎉"}},
		{"control characters show nothing", "a\x00b\x7f c \x01", []string{"ab", "c"}},
		{"empty text has no words", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := wordsOf(t, tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("words of %q: got %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestKoreanWordsAreCountedInPairsToo(t *testing.T) {
	want := []string{"body:회의", "body:자료를", "body:자료", "body:료를"}
	if got := having(termsOfMessage(tokenizer(t, nil), textMessage("회의 자료를")), "body:"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzASCIIWords holds the fast path to what segment finds in the whole text.
func FuzzASCIIWords(f *testing.F) {
	for _, seed := range []string{
		"don't stop", "a.b.c 1,2,3;4 a:b a::b _a_1_ '.' x' 'x", "3.14e10 1'000.5 a.1 1.a _._", "e-mail: you@host.example!", "\x00\x01\x7f~",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for i := range text {
			if text[i] &= 0x7f; text[i] < '\t' || text[i] > '\r' && text[i] < ' ' || text[i] == 0x7f {
				text[i] = '!' // since a control character is not seen
			}
		}
		var want []string
		segments, _, _, err := segment.SegmentWordsDirect(text, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range segments {
			if r := rune(s[0]); !unicode.IsSpace(r) && !unicode.IsControl(r) {
				want = append(want, string(s))
			}
		}
		if got := wordsOf(t, string(text)); !slices.Equal(got, want) {
			t.Errorf("words of %q: got %q, segment finds %q", text, got, want)
		}
	})
}

// FuzzWords checks that any bytes are cut into valid UTF-8 and that white space around them changes no word.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"naïve café", "東京 tokyo", "a\xffb", "\u0301a \u0301", "\u200d\u200d", "👩‍👩‍👧"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		words := wordsOf(t, string(text))
		for _, w := range words {
			if !utf8.ValidString(w) || w == "" {
				t.Errorf("word %q of %q", w, text)
			}
		}
		padded := slices.Concat([]byte(" \n"), text, []byte("\t "))
		if got := wordsOf(t, string(padded)); !slices.Equal(got, words) {
			t.Errorf("words of %q between white space: got %q, want %q", text, got, words)
		}
	})
}

func BenchmarkWords(b *testing.B) {
	tok, err := New(DefaultOptions(), termkey.Key{})
	if err != nil {
		b.Fatal(err)
	}
	texts := map[string]string{
		"ascii":   "The quarterly figures aren't final; please don't quote them before 12:30 on the 3rd of March, 2025. ",
		"german":  "Die Zahlen für das Quartal sind noch nicht endgültig; bitte erst nach der Prüfung am 3. März weitergeben. ",
		"chinese": "请查收附件中的会议记录，如有问题请随时联系我们。",
	}
	for name, s := range texts {
		text := bytes.Repeat([]byte(s), 100)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				cutAll(tok, text, func(*Term) {})
			}
		})
	}
}
