package message

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// onlyLetters returns the letters and digits of a text.
func onlyLetters(text []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, string(text))
}

// textOf returns the letters of all text in HTML, as its tokenizer finds them. It returns false for HTML with markup without
// an end, or with an element that changes the order of letters or that mail readers read differently from the tokenizer.
func textOf(source []byte) (letters string, ok bool) {
	var text []byte
	z := html.NewTokenizer(bytes.NewReader(source))
	for {
		kind := z.Next()
		raw := bytes.Clone(z.Raw())
		switch kind {
		case html.ErrorToken:
			return onlyLetters(text), len(raw) == 0
		case html.TextToken:
			text = append(text, z.Text()...)
		case html.CommentToken:
			if !bytes.HasSuffix(raw, []byte(">")) || bytes.HasPrefix(raw, []byte("<!--")) && !bytes.HasSuffix(raw, []byte("-->")) {
				return "", false
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch string(name) {
			case "script", "style", "iframe", "noembed", "noframes", "noscript", "textarea", "title", "xmp", "plaintext", "td", "th", "bdo":
				return "", false
			}
			for more {
				var key []byte
				var value []byte
				key, value, more = z.TagAttr()
				if string(key) == "alt" || string(key) == "value" || bytes.ContainsAny(value, "-\\") { // as in bidi-override
					return "", false
				}
			}
		}
	}
}

// FuzzHTMLText compares the letters of the visible and the hidden text with the letters that the tokenizer finds.
func FuzzHTMLText(f *testing.F) {
	for _, seed := range []string{
		"a<b>b</b>", "<p style=display:none>a<p>b", "<font color=white>a</font> b", "<td hidden>a<td>b&eacute;&#99;", "a<!-- b -->c<!d>e",
		"<div style=visibility:hidden>a<b style=visibility:visible>b", "<a href=u>b</a>", "<p hidden>a<table><td>b</p>c", "a < b <3 &amp; c&notit;",
	} {
		f.Add(seed)
	}
	p := page{out: &texts{}}
	f.Fuzz(func(t *testing.T, source string) {
		want, ok := textOf([]byte(source))
		if !ok || !utf8.ValidString(source) {
			return
		}
		p.text, p.hidden = p.text[:0], p.hidden[:0]
		*p.out = texts{}
		seen, unseen := p.read([]byte(source))
		if !utf8.Valid(seen) || !utf8.Valid(unseen) {
			t.Errorf("%q: got %q and %q, which is not valid UTF-8", source, seen, unseen)
		}
		if (len(onlyLetters(unseen)) > 0) != p.out.msg.Marks.Has(HiddenText) {
			t.Errorf("%q: got the marks %v for the hidden text %q", source, p.out.msg.Marks, unseen)
		}
		if !isShuffle(want, onlyLetters(seen), onlyLetters(unseen)) {
			t.Errorf("%q: got %q and %q of %q", source, seen, unseen, want)
		}
	})
}

// isShuffle reports whether whole consists of the characters of one and other, each of them in their order.
func isShuffle(whole, one, other string) bool {
	if len(whole) != len(one)+len(other) {
		return false
	}
	if len(one)*len(other) > 1<<20 {
		return true // too long to check
	}
	// reach[i] says whether whole[:i+j] is made of one[:i] and other[:j].
	reach := make([]bool, len(one)+1)
	for j := range len(other) + 1 {
		for i := range reach {
			fromOne := i > 0 && reach[i-1] && whole[i+j-1] == one[i-1]
			fromOther := j > 0 && reach[i] && whole[i+j-1] == other[j-1]
			reach[i] = i == 0 && j == 0 || fromOne || fromOther
		}
	}
	return reach[len(one)]
}
