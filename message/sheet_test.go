package message

import (
	"fmt"
	"strings"
	"testing"
)

func TestStyleSheetsHideText(t *testing.T) {
	tests := []struct{ name, css, html, text string }{
		{"an element", "p { display: none }", "<p>a</p><div>b</div>", "b"},
		{"a class", ".x{display:none}", "<p class='y X'>a</p><p>b</p>", "b"},
		{"an element of a class", "p.x{display:none}", "<p class=x>a</p><i class=x>b</i>", "b"},
		{"an element of a name", "#x{display:none}p#y{display:none}", "<p id=x>a</p><p id=y>b</p><i id=y>c</i>", "c"},
		{"several selectors", "i , .x,b{display:none}", "<i>a</i><b>b</b><u class=x>c</u>d", "d"},
		{"the attribute counts more", "p{display:none}", "<p style=display:block>a</p>", "a"},
		{"the class counts more than the element", ".x{display:block}p{display:none}", "<p class=x>a</p>", "a"},
		{"the later rule counts more", "p{display:none}p{display:block}", "<p>a</p>", "a"},
		{"selectors that look around", "div p{display:none}p:hover{display:none}*{display:none}[a]{display:none}p+p{display:none}", "<div><p a>a</p></div>", "a"},
		{"a background that may be meant", "div td{background:black}", "<table><td><font color=white>a</font>", "a"},
		{"for some screens", "@media (max-width:600px){p{display:none}}i{display:none}", "<p>a</p><i>b</i>", "a"},
		{"imported sheets", "@import 'a.css';p{display:none}", "<p>a</p>b", "b"},
		{"comments", "/* p{ */i/**/{/*}*/display:none}", "<p>a</p><i>b</i>", "a"},
		{"marks of comments", "<!-- p{display:none} -->", "<p>a</p>b", "b"},
		{"a rule that is not closed", "p{display:none", "<p>a</p>b", "b"},
		{"a block that is not closed", "@media x{p{display:none}", "<p>a</p>b", "a b"},
		{"stray braces", "}p{display:none}}", "<p>a</p>b", "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := NewDecoder(Options{})
			m := d.Decode([]byte("Content-Type: text/html\n\n<style>" + test.css + "</style>" + test.html))
			if got := strings.Join(strings.Fields(string(m.Parts[0].Text)), " "); got != test.text {
				t.Errorf("got %q, want %q; hidden %q", got, test.text, m.Parts[0].Hidden)
			}
		})
	}
}

func TestStyleSheetsForOtherMediaDoNotCount(t *testing.T) {
	for media, want := range map[string]string{"": "", "all": "", "Screen": "", "print": "a", "screen and (max-width:600px)": "a"} {
		m := NewDecoder(Options{}).Decode(fmt.Appendf(nil, "Content-Type: text/html\n\n<style media=%q>p{display:none}</style><p>a", media))
		if got := strings.TrimSpace(string(m.Parts[0].Text)); got != want {
			t.Errorf("%q: got %q, want %q", media, got, want)
		}
	}
}

func TestAStyleSheetHasALimit(t *testing.T) {
	var css strings.Builder
	for i := range 2 * maxRules {
		fmt.Fprintf(&css, ".c%d{display:none}", i)
	}
	d := NewDecoder(Options{})
	d.sheet([]byte(css.String()))
	if len(d.rules) != maxRules {
		t.Errorf("got %d rules, want %d", len(d.rules), maxRules)
	}
}

// FuzzSheet puts a rule before and behind any style sheet, and wants it to hold, whatever is in the sheet or missing from
// it, unless that stays open or speaks of the same element; and a sheet that is read twice to say nothing else.
func FuzzSheet(f *testing.F) {
	for _, seed := range []string{
		"p{color:red}", "@media x{p{color:red}}", "/* a */", "}{", "p{", "@import url(x);", "<!-- a{b:c} -->", "a,b c{display:none}", "a/*{*/b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, css string) {
		const rule = "nosuch{display:none}"
		noSuch := selector{'n', 'o', 's', 'u', 'c', 'h'}
		d := NewDecoder(Options{})
		d.sheet([]byte(rule + css))
		if strings.Contains(strings.ToLower(css), "nosuch") {
			return
		}
		if d.rules[noSuch].is[gone] != yes {
			t.Errorf("a rule before %q does not hold", css)
		}
		first := fmt.Sprint(d.rules)
		d.sheet([]byte(rule + css))
		if again := fmt.Sprint(d.rules); again != first {
			t.Errorf("%q: got %s, read twice %s", css, first, again)
		}
		clear(d.rules)
		d.sheet([]byte("}" + rule))
		if d.rules[noSuch].is[gone] != yes {
			t.Error("a rule behind a stray brace does not hold")
		}
		if strings.ContainsAny(css, "{}@/*<>-;,") {
			return
		}
		clear(d.rules)
		d.sheet([]byte(css + "{}" + rule))
		if d.rules[noSuch].is[gone] != yes {
			t.Errorf("a rule behind %q does not hold", css)
		}
	})
}
