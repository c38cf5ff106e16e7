package tokenize_test

import (
	"fmt"
	"strings"
	"testing"

	"chaff/internal/termkey"
	"chaff/message"
	"chaff/test/lineartest"
	"chaff/tokenize"
)

// TestWorkIsLinearInTheSizeOfHostileText gives the tokenizer text, fields and links made to be slow, in one size and in
// twice the size.
func TestWorkIsLinearInTheSizeOfHostileText(t *testing.T) {
	text := func(text string) *message.Message {
		return &message.Message{Parts: []message.Part{{Type: []byte("text/plain"), Text: []byte(text)}}}
	}
	field := func(name string) func(string) *message.Message {
		return func(value string) *message.Message {
			return &message.Message{Header: []message.Field{{Name: []byte(name), Value: []byte(value)}}}
		}
	}
	link := func(url string) *message.Message {
		return &message.Message{Links: []message.Link{{URL: []byte(url)}}}
	}
	shapes := []struct {
		name string
		make func(string) *message.Message
		head string
		unit string
	}{
		{"one long word", text, "", "x"},
		{"one long number", text, "", "1"},
		{"letters and full stops", text, "", "a."},
		{"digits and commas", text, "", "1,"},
		{"letters and digits", text, "", "a1"},
		{"underlines", text, "", "_"},
		{"apostrophes", text, "", "'"},
		{"colons behind letters", text, "", "a::"},
		{"punctuation", text, "", "!"},
		{"spaces", text, "", " "},
		{"letters spaced out", text, "", "v i a g r a "},
		{"letters spaced out by full stops", text, "", "v. i. a. "},
		{"control characters", text, "", "\x01"},
		{"bytes that are no UTF-8", text, "", "\xff"},
		{"words around bytes that are no UTF-8", text, "", "a\xff"},
		{"long words beyond ASCII", text, "", "é"},
		{"letters with combining marks", text, "", "e\u0301"},
		{"combining marks", text, "e", "\u0301"},
		{"combining marks out of order", text, "e", "\u0301\u0323"},
		{"zero-width spaces", text, "a", "\u200b"},
		{"zero-width joiners", text, "", "a\u200d"},
		{"soft hyphens", text, "", "a\u00ad"},
		{"variation selectors", text, "", "a\ufe0f"},
		{"right-to-left overrides", text, "", "a\u202e"},
		{"overrides inside of each other", text, "", "a\u202eb\u202d"},
		{"overrides in one line", text, "", "a \u202eb \u202d"},
		{"an override before a long line", text, "\u202e", "é "},
		{"ends of embeddings", text, "\u202ea", "\u202c"},
		{"letters of the tags block", text, "a", "\U000e0061"},
		{"words of the tags block", text, "a", "\U000e0061\U000e0020"},
		{"letters struck through", text, "", "v\u0336"},
		{"strokes", text, "v", "\u0336"},
		{"letters in circles", text, "", "🅥"},
		{"letters that would be flags", text, "🇻", "🇩🇪"},
		{"Canadian syllabics", text, "", "ᐯᗩᒪ"},
		{"turned letters", text, "", "ɐɹƃ"},
		{"blanks of Hangul", text, "", "a\u3164"},
		{"letters with middle dots", text, "", "a·"},
		{"ASCII before other letters", text, "", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxé"},
		{"full-width letters", text, "", "ＦＲＥＥ"},
		{"letters of look-alikes", text, "", "раураl"},
		{"letters set apart by changing signs", text, "", "a-b.c*"},
		{"Cyrillic letters set apart", text, "", "д.о."},
		{"signs for letters", text, "", "a$"},
		{"numbers and currencies", text, "", "$1€"},
		{"numbers and spaces", text, "", "1 $ "},
		{"dates and times without end", text, "", "1:1/1-1,"},
		{"at signs", text, "", "@"},
		{"addresses without a space", text, "", "a@b."},
		{"ligatures that grow", text, "", "\ufdfa"},
		{"ideographs", text, "", "東"},
		{"kana", text, "", "テスト"},
		{"half-width kana with marks", text, "", "ｶﾞ"},
		{"Thai letters with marks", text, "", "กี่"},
		{"Korean in single letters", text, "", "\u1112\u1161\u11ab"},
		{"Hebrew with points", text, "", "א\""},
		{"emoji joined by zero-width joiners", text, "", "👩\u200d"},
		{"flags", text, "", "\U0001F1E9"},
		{"a new word each time", numbered(text, "w%025x "), "", "x"},
		{"a new word beyond ASCII each time", numbered(text, "é%025x "), "", "x"},
		{"addresses in an address field", field("From"), "", "a@b.example, "},
		{"at signs in an address field", field("From"), "", "@"},
		{"angle brackets in an address field", field("To"), "", "<"},
		{"a long host in Punycode in a message id", field("Message-ID"), "a@xn--", "a9"},
		{"soft hyphens in a host of an address field", field("From"), "a@a", "\u00ad"},
		{"quotes in an address field", field("To"), "", `"a `},
		{"one long name in an address field", field("Cc"), "", "é"},
		{"words of a subject", field("Subject"), "", "free! "},
		{"a new word of a subject each time", numbered(field("Subject"), "w%025x "), "", "x"},
		{"a header field of a new name each time", fieldsOf("X-%x"), "", "x"},
		{"words of the route", field("Received"), "", "from a "},
		{"parameters of a media type", field("Content-Type"), "a/b", ";c=d"},
		{"a value of a field", field("X-Mailer"), "", "aB1"},
		{"domains of a message id", field("Message-ID"), "", "@a."},
		{"labels of a host", link, "http://", "a."},
		{"steps of a path", link, "http://a.example", "/a"},
		{"names in front of a host", link, "http://", "a@"},
		{"colons of a port", link, "http://a", ":"},
		{"a query", link, "http://a.example/?", "a=%41&"},
		{"addresses to write to", link, "mailto:", "a@b.example,"},
		{"Punycode", link, "http://", "xn--a."},
		{"slashes before a host", link, "http:", `/\`},
		{"letters in circles in a host", link, "http://", "ⓔ"},
		{"soft hyphens in a host", link, "http://a", "\u00ad"},
		{"escapes in a host", link, "http://", "%F0%9D%90%9A."},
		{"numbers of an address", link, "http://", "0x7f."},
		{"hosts beyond ASCII", linksOf("http://ⓔ%x.example/"), "", "x"},
		{"addresses in one number", linksOf("http://0x%x/"), "", "x"},
		{"links", linksOf("http://a%x.example/"), "", "x"},
	}
	// One tokenizer for all: a new one gets its memory bit by bit, and that takes as long as the work.
	options := tokenize.DefaultOptions()
	options.MaxTokens = 1 << 30
	tok, err := tokenize.New(options, termkey.Key{})
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			lineartest.Check(t, func(size int) func() {
				m := shape.make(shape.head + strings.Repeat(shape.unit, size/len(shape.unit)))
				return func() { tok.Terms(m, func(*tokenize.Term) {}) }
			})
		})
	}
}

// numbered makes a message of pieces that all differ, in place of the text it is given, and of its size.
func numbered(of func(string) *message.Message, format string) func(string) *message.Message {
	return func(text string) *message.Message {
		var pieces strings.Builder
		for n := 0; pieces.Len() < len(text); n++ {
			fmt.Fprintf(&pieces, format, n)
		}
		return of(pieces.String())
	}
}

// fieldsOf makes a message of header fields whose names all differ, one for 64 bytes of the text it is given.
func fieldsOf(format string) func(string) *message.Message {
	return func(text string) *message.Message {
		m := &message.Message{}
		for n := range len(text) / 64 {
			m.Header = append(m.Header, message.Field{Name: fmt.Appendf(nil, format, n), Value: []byte("value")})
		}
		return m
	}
}

// linksOf makes a message of links that all differ, one for 64 bytes of the text it is given.
func linksOf(format string) func(string) *message.Message {
	return func(text string) *message.Message {
		m := &message.Message{}
		for n := range len(text) / 64 {
			m.Links = append(m.Links, message.Link{URL: fmt.Appendf(nil, format, n)})
		}
		return m
	}
}
