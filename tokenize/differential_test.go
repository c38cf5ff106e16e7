package tokenize_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"chaff/internal/termkey"
	"chaff/message"
	"chaff/tokenize"
)

// bodyTerms returns the terms of the words of a text, in the order in which they come.
func bodyTerms(tok *tokenize.Tokenizer, text string) (terms []string) {
	m := &message.Message{Parts: []message.Part{{Type: []byte("text/plain"), Text: []byte(text)}}}
	tok.Terms(m, func(t *tokenize.Term) {
		term := t.Text()
		if strings.HasPrefix(term, "body:") {
			terms = append(terms, term)
		}
	})
	return terms
}

func newTokenizer(t testing.TB) *tokenize.Tokenizer {
	t.Helper()
	tok, err := tokenize.New(tokenize.DefaultOptions(), termkey.Key{})
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// FuzzPlainASCII holds the terms of plain ASCII to those of the same text with a zero-width space behind each chunk, which
// goes the way of all other text: what is found below one disguise is what is found without it.
func FuzzPlainASCII(f *testing.F) {
	for _, seed := range []string{
		"don't stop", "a.b.c 1,2,3;4 a:b a::b _a_1_ '.' x' 'x", "3.14e10 1'000.5 a.1 1.a _._", "e-mail: you@host.example!", "\x00\x01\x7f~",
		"$9.99 100% 12:30 2024-01-02 F R E E", "running runs ran", "x\t\ty\tz\tv\tw", "___ _________________________________",
	} {
		f.Add(seed)
	}
	chunk := regexp.MustCompile(`[^ \t-\r]+`)
	o := tokenize.DefaultOptions()
	o.PairBytes = 0 // since the other text is longer
	tok, err := tokenize.New(o, termkey.Key{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ascii := []byte(text)
		for i := range ascii {
			ascii[i] &= 0x7f
		}
		text = string(ascii)
		other := chunk.ReplaceAllString(text, "$0\u200b")
		got := bodyTerms(tok, text)
		if want := bodyTerms(tok, other); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, by the other way %q", text, got, want)
		}
	})
}

// FuzzRememberedWords holds the terms of a tokenizer that has seen other text, and remembers its words, to those of a new
// one. Words are stemmed in some places and not in others.
func FuzzRememberedWords(f *testing.F) {
	f.Add("running runs", "Running RUNS ran")
	f.Add("naïve", "naive NAÏVE nai\u0308ve")
	f.Add("東京都", "京都")
	f.Add("ann@mail.example.co.uk", "mail.example.co.uk")
	f.Add("running", "running")
	terms := func(tok *tokenize.Tokenizer, text string, fields ...string) (terms []string) {
		m := &message.Message{}
		for _, name := range fields {
			m.Header = append(m.Header, message.Field{Name: []byte(name), Value: []byte(text)})
		}
		tok.Terms(m, func(t *tokenize.Term) { terms = append(terms, t.Text()) })
		return terms
	}
	f.Fuzz(func(t *testing.T, before, text string) {
		want := terms(newTokenizer(t), text, "From", "Subject", "X-Mailer")
		for _, field := range []string{"From", "Subject", "X-Mailer"} {
			used := newTokenizer(t)
			terms(used, before, field)
			if got := terms(used, text, "From", "Subject", "X-Mailer"); !slices.Equal(got, want) {
				t.Errorf("%q after %q in %s: got %q, from a new tokenizer %q", text, before, field, got, want)
			}
		}
	})
}
