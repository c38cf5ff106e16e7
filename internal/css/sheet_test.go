package css

import (
	"fmt"
	"strings"
	"testing"
)

func TestSheetsKeepToTheirLimits(t *testing.T) {
	many := func(n int, format string) string {
		var css strings.Builder
		for i := range n {
			fmt.Fprintf(&css, format, i)
		}
		return css.String()
	}
	for _, test := range []struct {
		name, css        string
		compounds, steps int
	}{
		{"rules", many(2*maxCompounds, ".c%d{display:none}"), maxCompounds, 0},
		{"steps", many(maxSteps+1, "a%d b{color:red}"), 2 * maxSteps, maxSteps},
		{"compounds", strings.Repeat(many(maxTokens/2-1, "a%d,")+"b{color:red}", 9), maxCompounds, 0},
		{"compounds of a selector", strings.Repeat("a ", 17) + "{color:red}", 0, 0},
		{"tokens", many(maxTokens, "a%d,") + "b{color:red}", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Sheets
			s.Start(1 << 20)
			s.Add([]byte(test.css))
			if len(s.compounds) != test.compounds || s.steps != test.steps || !s.WasCut {
				t.Errorf("got %d compounds and %d steps, cut: %v; want %d, %d, true", len(s.compounds), s.steps, s.WasCut, test.compounds, test.steps)
			}
		})
	}
}

func TestTheWorkForSelectorsIsBounded(t *testing.T) {
	const pageBytes, most = 100, 100_000
	var css strings.Builder
	for i := range maxCompounds / 2 {
		fmt.Fprintf(&css, "*{color:red}.x#a%d{color:red}", i)
	}
	var s Sheets
	s.Start(pageBytes)
	s.Add([]byte(css.String()))
	var style Style
	for range 1000 {
		s.Match(&style, &Element{Name: []byte("i"), Class: []byte("x")}, &Steps{})
	}
	if !s.WasCut || s.work < -most {
		t.Errorf("cut: %v, %d too many", s.WasCut, -s.work)
	}
}

// FuzzSheet puts a rule before any style sheet, and wants it to hold, whatever is in the sheet or missing from it, unless
// that speaks of the same element; one behind it, unless something stays open; and a sheet that is read twice to say nothing
// else. What is kept is within its bounds.
func FuzzSheet(f *testing.F) {
	for _, seed := range []string{
		"p{color:red}", "@media x{p{color:red}}", "/* a */", "}{", "p{", "@import url(x);", "<!-- a{b:c} -->", "a,b c{display:none}", "a/*{*/b",
		"a > b{color:red}", "a{b{color:red}&.c{display:none}@media all{top:0}}", "\\61{display:none}", "a.b#c d{color:rgb(1 2 3/.5)}",
		"@media not print and (min-width:1px){a{color:red}}", "a{b:url(c", "a{b:'\n}", "a{b:(}", "a{color:red;;background:linear-gradient(red,#f00)}",
	} {
		f.Add(seed)
	}
	var s Sheets
	read := func(sheet string) (hides bool, rules string) {
		s.Start(1 << 20)
		s.Add([]byte(sheet))
		var style Style
		s.Match(&style, &Element{Name: []byte("nosuch")}, &Steps{})
		return Usual().Inside(&style).HiddenBy(false) != 0, fmt.Sprint(s.compounds, s.declarations)
	}
	f.Fuzz(func(t *testing.T, css string) {
		const rule = "nosuch{display:none!important}"
		if strings.Contains(css, "\\") || strings.Contains(strings.ToLower(css), "important") {
			read(css)
			return
		}
		hides, first := read(rule + css)
		if !hides {
			t.Errorf("a rule before %q does not hold", css)
		}
		if _, again := read(rule + css); again != first {
			t.Errorf("%q: got %s, read again %s", css, first, again)
		}
		if s.steps > maxSteps || len(s.compounds) > maxCompounds || len(s.declarations) > len(rule+css) {
			t.Errorf("%q: more is kept than there is room for", css)
		}
		if strings.ContainsAny(css, "{}@/*<>-;,()[]\"'") {
			return
		}
		if hides, _ := read(css + "{}" + rule); !hides {
			t.Errorf("a rule behind %q does not hold", css)
		}
	})
}
