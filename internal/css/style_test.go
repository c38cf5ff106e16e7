package css

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestDeclarationsAreRead(t *testing.T) {
	tests := []struct{ name, css, want string }{
		{"one", "display:none", "display:none"},
		{"blanks and capitals", " DISPLAY :\nNone ;; ", "display:none"},
		{"the last one counts", "display:none;display:block", "display:block"},
		{"what is important is apart", "display:none! important;color:red", "color:red;display:none!IMPORTANT"},
		{"what is not quite important", "display:none!importantly;color:red", "color:red"},
		{"a semicolon in parentheses", "background:url(data:image/png;base64,display:none);color:red", "background:url(x);color:red"},
		{"parentheses that stay open", "color:red;background:url(x;display:none", "color:red;background:url(x)"},
		{"what is no declaration", "display;none:;:none;color:red", "color:red"},
		{"comments", "/**/dis/* ; */play:none;/**/color:/**/red/**/;/*", "color:red"},
		{"a long name", strings.Repeat("display", 10) + ":none;color:red", "color:red"},
		{"a background without a colour", "background-color:red;background:none no-repeat", "background-color:red"},
		{"a background of several words", "background:no-repeat #FF0000 top", "background-color:red"},
		{"what does not matter", "border:0;padding:1px;line-height:0", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var sheets Sheets
			got, want := newDeclarations(), newDeclarations()
			sheets.declare(&got, []byte(test.css))
			sheets.declare(&want, []byte(test.want))
			if got != want {
				t.Errorf("%q: got %+v, want %+v", test.css, got, want)
			}
		})
	}
}

// FuzzStyle compares a list of declarations with the same declarations one at a time, in two lists, and repeated.
func FuzzStyle(f *testing.F) {
	for _, seed := range []string{
		"display:none;color:red", "font:1px/2 a;font-size:2em", "background:url(a;b) red;left:-999px", "/*a*/;color:/*b*/rgb(1,2,3)!x", "a:(;b:);c", "clip:rect(0,0,0,0)",
	} {
		f.Add(seed, "visibility:hidden")
	}
	var sheets Sheets
	read := func(lists ...string) declarations {
		sheets.Start(1 << 20)
		s := newDeclarations()
		for _, list := range lists {
			sheets.declare(&s, []byte(list))
		}
		return s
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		first := read(one)
		if again := read(one, one); again != first {
			t.Errorf("%q: got %+v, said twice %+v", one, first, again)
		}
		if strings.ContainsAny(one, "()[]/*\\\"'") {
			return
		}
		if together, apart := read(one+";"+other), read(one, other); together != apart {
			t.Errorf("%q and %q: got %+v together, %+v apart", one, other, together, apart)
		}
		if apart := read(strings.Split(one, ";")...); apart != first {
			t.Errorf("%q: got %+v, one at a time %+v", one, first, apart)
		}
	})
}

// FuzzNumber compares the parser of numbers with strconv.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"", "0", "-1.5px", "+.5em", "1.", ".", "-", "1.2.3", "1e3", "0012%", "--1", "1e-000000070070"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		n, unit, ok := parseNumber([]byte(value))
		if !bytes.HasSuffix([]byte(value), unit) {
			t.Fatalf("%q has the unit %q", value, unit)
		}
		digits := strings.TrimSuffix(value, string(unit))
		want, err := strconv.ParseFloat(digits, 64)
		if isDigits := strings.Trim(digits, "0123456789.+-eE") == ""; !isDigits {
			t.Errorf("%q has the unit %q", value, unit)
		}
		if len(digits) > 15 || strings.Count(digits, ".") > 1 {
			return
		}
		if errors.Is(err, strconv.ErrRange) {
			err = nil
		}
		if err == nil && (math.Abs(want) > 1e30 || math.Abs(want) < 1e-30 && math.Abs(n) < 1e-30) {
			want = n // which is cut there
		}
		if ok != (err == nil) || ok && math.Abs(n-want) > 1e-9*math.Abs(want) {
			t.Errorf("%q: got %v, %v, want %v, %v", value, n, ok, want, err)
		}
	})
}
