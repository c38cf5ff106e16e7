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
		{"selectors that are about something else", "div>i p{display:none}p:hover{display:none}p *{display:none}[b]{display:none}p+p{display:none}", "<div><p a>a</p></div>", "a"},
		{"a background that may be meant", "td:last-child{background:black}", "<table><td><font color=white>a</font>", "a"},
		{"for some screens", "@media (max-width:600px){p{display:none}}i{display:none}", "<p>a</p><i>b</i>", "a"},
		{"imported sheets", "@import 'a.css';p{display:none}", "<p>a</p>b", "b"},
		{"comments", "/* p{ */i/**/{/*}*/display:none}", "<p>a</p><i>b</i>", "a"},
		{"marks of comments", "<!-- p{display:none} -->", "<p>a</p>b", "b"},
		{"a rule that is not closed", "p{display:none", "<p>a</p>b", "b"},
		{"a block that is not closed", "@media x{p{display:none}", "<p>a</p>b", "a b"},
		{"a brace too many makes the next rule void, as in browsers", "}p{display:none}}i{display:none}b{display:none}", "<p>a</p><i>b</i><b>c</b>", "a b"},
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
	m := d.Decode([]byte("Content-Type: text/html\n\n<style>" + css.String() + "</style>a"))
	if len(d.sheets.rules) != maxRules {
		t.Errorf("got %d rules, want %d", len(d.sheets.rules), maxRules)
	}
	if !m.Repairs.Has(CutStyles) {
		t.Error("it is not reported")
	}
	m = d.Decode([]byte("Content-Type: text/html\n\n<style>" + strings.Repeat("a b{color:red}", maxSteps+1) + "</style>a"))
	if d.sheets.steps != maxSteps || len(d.sheets.rules) != maxSteps || !m.Repairs.Has(CutStyles) {
		t.Errorf("got %d steps of %d rules, want %d, and it reported", d.sheets.steps, len(d.sheets.rules), maxSteps)
	}
}

// FuzzSheet puts a rule before any style sheet, and wants it to hold, whatever is in the sheet or missing from it, unless
// that speaks of the same element; one behind it, unless something stays open; and a sheet that is read twice to say nothing
// else. The steps that are counted are within their bounds.
func FuzzSheet(f *testing.F) {
	for _, seed := range []string{
		"p{color:red}", "@media x{p{color:red}}", "/* a */", "}{", "p{", "@import url(x);", "<!-- a{b:c} -->", "a,b c{display:none}", "a/*{*/b",
		"a > b + c ~ d:not(.e,[f=g]){color:red}", "a{b{color:red}&.c{display:none}@media all{top:0}}", ":is(a,:where(b)):nth-child(2n+1){opacity:0}",
		"a::before{content:'b' attr(c)}", ":root{--a:none}b{display:var(--a,block)}", "\\61{display:none}", "[a='\\'']{color:red}",
		"@media not print and (min-width:calc(1px*2)){a{color:red}}", "a:not(:not(:not(:not(:not(b))))){color:red}",
	} {
		f.Add(seed)
	}
	d := NewDecoder(Options{})
	hides := func(sheet string) bool {
		m := d.Decode([]byte("Content-Type: text/html; charset=utf-8\n\n<nosuch>word"))
		h := &d.state
		*h = htmlState{}
		h.page.base.look = newLook()
		d.sheets.clear()
		d.sheet([]byte(sheet))
		d.given = d.given[:0]
		d.sheets.left = conditionsPerByte * (1 << 20)
		d.restyle(h)
		e := h.page.child([]byte("nosuch"))
		d.styled(&e, []byte("nosuch"), h)
		return m != nil && e.why != 0
	}
	f.Fuzz(func(t *testing.T, css string) {
		const rule = "nosuch{display:none!important}"
		if strings.Contains(css, "\\") || strings.Contains(css, "--") || strings.Contains(strings.ToLower(css), "important") {
			d.sheets.clear()
			d.sheet([]byte(css))
			return
		}
		if !hides(rule + css) {
			t.Errorf("a rule before %q does not hold", css)
		}
		first := fmt.Sprint(d.sheets.rules, d.sheets.compounds, d.sheets.conditions)
		hides(rule + css)
		if again := fmt.Sprint(d.sheets.rules, d.sheets.compounds, d.sheets.conditions); again != first {
			t.Errorf("%q: got %s, read again %s", css, first, again)
		}
		if len(d.sheets.rules) > maxRules || d.sheets.steps > maxSteps || len(d.sheets.compounds) > maxCompounds {
			t.Errorf("%q: more is kept than there is room for", css)
		}
		if strings.ContainsAny(css, "{}@/*<>-;,()[]\"'") {
			return
		}
		if !hides(css + "{}" + rule) {
			t.Errorf("a rule behind %q does not hold", css)
		}
	})
}
