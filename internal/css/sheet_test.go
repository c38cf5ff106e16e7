package css

import (
	"fmt"
	"strings"
	"testing"
)

func TestSheetsKeepToTheirLimits(t *testing.T) {
	var classes strings.Builder
	for i := range 2 * maxRules {
		fmt.Fprintf(&classes, ".c%d{display:none}", i)
	}
	for _, test := range []struct {
		name, css    string
		rules, steps int
	}{
		{"rules", classes.String(), maxRules, 0},
		{"steps", strings.Repeat("a b{color:red}", maxSteps+1), maxSteps, maxSteps},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Sheets
			s.Start(1 << 20)
			s.Add([]byte(test.css))
			if len(s.rules) != test.rules || s.steps != test.steps || !s.WasCut {
				t.Errorf("got %d rules of %d steps, cut: %v; want %d, %d, true", len(s.rules), s.steps, s.WasCut, test.rules, test.steps)
			}
		})
	}
}

func TestTheWorkForSelectorsIsBounded(t *testing.T) {
	const pageBytes, most = 100, 100_000
	var css strings.Builder
	for i := range maxRules {
		fmt.Fprintf(&css, "*:not(.a%d){color:red}", i)
	}
	var s Sheets
	s.Start(pageBytes)
	s.Add([]byte(css.String()))
	for range 1000 {
		s.Match(&Element{Name: []byte("i"), Class: []byte("x")}, 0)
	}
	if !s.WasCut || s.work < -most {
		t.Errorf("cut: %v, %d conditions too many", s.WasCut, -s.work)
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
	var s Sheets
	read := func(sheet string) (hides bool, rules string) {
		s.Start(1 << 20)
		s.Add([]byte(sheet))
		s.Restart(0)
		s.Match(&Element{Name: []byte("nosuch")}, 0)
		style := NewStyle()
		s.Apply(&style, nil)
		return NewAppearance().Inside(&style).Reasons() != 0, fmt.Sprint(s.rules, s.compounds, s.conditions)
	}
	f.Fuzz(func(t *testing.T, css string) {
		const rule = "nosuch{display:none!important}"
		if strings.Contains(css, "\\") || strings.Contains(css, "--") || strings.Contains(strings.ToLower(css), "important") {
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
		if len(s.rules) > maxRules || s.steps > maxSteps || len(s.compounds) > maxCompounds {
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
