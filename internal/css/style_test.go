package css

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tdewolff/parse/v2/css"
)

// said returns what style attributes specify, one after the other.
func said(attributes ...string) (s Style) {
	var sheets Sheets
	sheets.Start(1 << 20)
	for _, a := range attributes {
		sheets.Match(&s, &Element{Style: []byte(a)}, &Steps{})
	}
	return s
}

func TestDeclarationsAreRead(t *testing.T) {
	tests := []struct{ name, css, want string }{
		{"one", "display:none", "display:none"},
		{"blanks and capitals", " DISPLAY :\nNone ;; ", "display:none"},
		{"the last one counts", "display:none;display:block", "display:block"},
		{"what is important counts more", "color:blue!IMPORTANT;color:red", "color:blue!important"},
		{"what is not quite important", "display:none!importantly;color:red", "color:red"},
		{"a semicolon in parentheses", "background:url(data:image/png;base64,display:none);color:red", "background:url(x);color:red"},
		{"parentheses that stay open", "color:red;background:url(x;display:none", "color:red;background:url(x)"},
		{"what is no declaration", "display;none:;:none;color:red", "color:red"},
		{"comments", "display/* ; */:none;/**/color:/**/red/**/;/*", "display:none;color:red"},
		{"a long name", strings.Repeat("display", 10) + ":none;color:red", "color:red"},
		{"a colour of a background", "background:no-repeat #FF0000 top", "background:#f00"},
		{"a gradient of one colour", "background:linear-gradient(to right, #fff, #fffffe 50%)", "background:#fffffe"},
		{"a gradient of two colours", "background:linear-gradient(red, #fff)", "background:url(x)"},
		{"what does not matter", "border:0;padding:1px;line-height:0", ""},
		{"inches", "font-size:1in", "font-size:96px"},
		{"points", "font-size:3pt", "font-size:4px"},
		{"centimetres", "font-size:1cm", "font-size:37.795277px"},
		{"millimetres", "font-size:1mm", "font-size:3.7795277px"},
		{"hundredths of the width of the window", "font-size:1vw", "font-size:12.8px"},
		{"a size without a unit", "font-size:2", "font-size:2px"},
		{"a weight before a size", "font:700 2px a", "font-size:2px"},
		{"the least weight", "font:1 a", ""},
		{"an indent without a unit", "text-indent:-500", "text-indent:-500px"},
		{"an indent that is still in the window", "text-indent:900px", "text-indent:-9px"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, want := said(test.css), said(test.want); got != want {
				t.Errorf("%q: got %+v, want %+v", test.css, got, want)
			}
		})
	}
}

func TestTheMoreSpecificRuleCounts(t *testing.T) {
	for _, sheet := range []string{
		"p{color:red}*{color:blue}", ".a{color:red}p{color:blue}", "p.a{color:red}.a{color:blue}", "#b{color:red}p.a.a{color:blue}", "p{color:blue}p{color:red}",
	} {
		var s Sheets
		s.Start(1 << 20)
		s.Add([]byte(sheet))
		var got Style
		s.Match(&got, &Element{Name: []byte("p"), Class: []byte("a"), ID: []byte("b")}, &Steps{})
		if red := said("color:red"); got.values != red.values {
			t.Errorf("%s: got %v, want %v", sheet, got.values, red.values)
		}
	}
}

// FuzzStyle compares a list of declarations with the same declarations one at a time, in two lists, and repeated.
func FuzzStyle(f *testing.F) {
	for _, seed := range []string{
		"display:none;color:red", "font:1px/2 a;font-size:2em", "background:url(a;b) red;zoom:.1", "/*a*/;color:/*b*/rgb(1,2,3)!x", "a:(;b:);c",
	} {
		f.Add(seed, "visibility:hidden")
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		first := said(one)
		if again := said(one, one); again != first {
			t.Errorf("%q: got %+v, said twice %+v", one, first, again)
		}
		for _, v := range first.values {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Errorf("%q: got the value %v", one, v)
			}
		}
		if strings.ContainsAny(one, "()[]{}/*\\\"'") {
			return
		}
		if together, apart := said(one+";"+other), said(one, other); together != apart {
			t.Errorf("%q and %q: got %+v together, %+v apart", one, other, together, apart)
		}
		if apart := said(strings.Split(one, ";")...); apart != first {
			t.Errorf("%q: got %+v, one at a time %+v", one, first, apart)
		}
	})
}

// FuzzNumber compares plain numbers with strconv.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "-1.5", "+.5", "1e3", "0012", "1e-000000070070", "1e999", "12e-0001", "2.47e-324"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		var s Sheets
		s.read([]byte(value))
		s.until()
		if len(s.tokens) != 1 || s.tokens[0].kind != css.NumberToken {
			return
		}
		l, ok := s.tokens[0].length()
		want, _ := strconv.ParseFloat(string(s.tokens[0].text), 64) // blanks and comments may be around it
		if !ok || math.Abs(want) < 1e30 && float32(want) != l.plain {
			t.Errorf("%q: got %v, %v, want %v", value, l.plain, ok, want)
		}
	})
}
