package css

import (
	"fmt"
	"testing"
)

func TestColoursAreRead(t *testing.T) {
	tests := []struct {
		name, value string
		want        Colour
	}{
		{"a name", "white", 0xffffff},
		{"a name in capitals, with blanks", " DarkRed\n", 0x8b0000},
		{"six digits", "#fFe0a1", 0xffe0a1},
		{"six digits without a sign", "ffe0a1", 0xffe0a1},
		{"three digits", "#fa0", 0xffaa00},
		{"eight digits", "#102030ff", 0x102030},
		{"eight digits of which nothing is seen", "#10203000", transparentColour},
		{"eight digits through which others are seen", "#10203080", UnknownColour},
		{"four digits", "#fa0f", 0xffaa00},
		{"four digits of which nothing is seen", "#fa00", transparentColour},
		{"five digits", "#fffff", UnknownColour},
		{"other letters", "#ggg", UnknownColour},
		{"nothing", "", UnknownColour},
		{"no colour", "transparent", transparentColour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ParseColour([]byte(test.value)); got != test.want {
				t.Errorf("%q: got %#x, want %#x", test.value, got, test.want)
			}
		})
	}
}

func TestColoursOfFunctionsAreRead(t *testing.T) {
	tests := []struct {
		name, value string
		want        Colour
	}{
		{"numbers", "rgb(1, 2,255)", 0x0102ff},
		{"numbers with blanks", "rgb( 1 2 3 )", 0x010203},
		{"numbers beyond the end", "rgb(-1, 256, 1000000)", 0x00ffff},
		{"shares", "rgb(0%, 100%, 50%)", 0x00ff80},
		{"numbers that are seen", "rgba(1, 2, 3, 1.0)", 0x010203},
		{"numbers that are not seen", "rgba(1, 2, 3, 0)", transparentColour},
		{"numbers that are seen by a share", "rgb(1 2 3 / 50%)", UnknownColour},
		{"two numbers", "rgb(1, 2)", UnknownColour},
		{"words for numbers", "rgb(a, b, c)", UnknownColour},
		{"other functions", "hsl(1, 2, 3)", UnknownColour},
		{"a function that is not closed", "rgb(25, 25, 25; a:b; c: 30px", UnknownColour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := colour(test.value); got != test.want {
				t.Errorf("%q: got %#x, want %#x", test.value, got, test.want)
			}
		})
	}
}

// colour returns the colour of text that a style attribute specifies.
func colour(value string) Colour {
	s := said("color:black;color:" + value)
	return Colour(s.values[TextColour])
}

func TestColoursThatCannotBeToldApartAreNear(t *testing.T) {
	tests := []struct {
		name         string
		text, ground Colour
		want         bool
	}{
		{"the same", 0x123456, 0x123456, true},
		{"nearly the same", 0xf4ffff, 0xfffff4, true},
		{"one part is other", 0xffffff, 0xfffff0, false},
		{"black and white", black, white, false},
		{"no text", transparentColour, white, true},
		{"unknown text", UnknownColour, UnknownColour, false},
		{"unknown ground", white, UnknownColour, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.text.isNear(test.ground); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// FuzzColour writes colours in all ways and reads them back, and wants one of those that there are of anything.
func FuzzColour(f *testing.F) {
	for _, seed := range []string{"white", "#fff", "rgb(1,2,3)", "rgba(1 2 3/.5)", "rgb(", "RGB(1e9,%,--)", "transparent", "#12345678"} {
		f.Add(uint32(0x123456), seed)
	}
	f.Fuzz(func(t *testing.T, n uint32, junk string) {
		for _, c := range []Colour{ParseColour([]byte(junk)), colour(junk)} {
			if c > white && c != UnknownColour && c != transparentColour && c != inheritedColour {
				t.Errorf("%q became %#x", junk, c)
			}
		}
		want := Colour(n) & white
		for _, format := range []string{"#%02x%02x%02x", "%02X%02X%02X", "rgb(%d,%d,%d)", " rgb(%d %d %d / 100%%)", "#%02x%02x%02xff"} {
			value := fmt.Sprintf(format, want>>16, want>>8&0xff, want&0xff)
			if got := colour(value); got != want {
				t.Errorf("%q: got %#x, want %#x", value, got, want)
			}
		}
	})
}
