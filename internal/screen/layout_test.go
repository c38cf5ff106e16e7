package screen

import (
	"slices"
	"strings"
	"testing"
)

func TestFiguresHaveThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.0000123: "1.2e-05", 0.25: "0.25", 7.9746: "7.97", -31.61: "-31.6", 1852.3: "1852", 2.5e7: "2.5e+07",
	} {
		if got := Figure(v); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
}

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "größe": 5, "e\u0301": 1, "日本": 4, "한글": 4, "ｆ": 2, "…": 1, "\u200d": 0,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, test := range []struct {
		text    string
		columns int
		want    string
	}{
		{"fits", 4, "fits"},
		{"too long", 5, "too…"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"nothing", 0, ""},
	} {
		if got := Cut(test.text, test.columns); got != test.want {
			t.Errorf("%q in %d columns: got %q, want %q", test.text, test.columns, got, test.want)
		}
	}
}

func TestClip(t *testing.T) {
	for text, want := range map[string]string{"fits": "fits", "größer": "größ…"} {
		if got := Clip(text, 4); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestParagraphsAreWrappedBesideTheirPrefix(t *testing.T) {
	var out strings.Builder
	Paragraph(&out, "mail        ", "%s", strings.Repeat("word ", 16)+strings.Repeat("x", 90)+" end\x07")
	want := "mail        word word word word word word word word word word word word word\n" +
		"            word word word\n" +
		"            " + strings.Repeat("x", 90) + "\n" +
		"            end\\a\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestListsBreakBetweenItemsOnly(t *testing.T) {
	var out strings.Builder
	List(&out, "for spam: ", []string{strings.Repeat("a", 60), "two words", "and\nthree"})
	if want := "for spam: " + strings.Repeat("a", 60) + ",\n          two words, and\\nthree\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestTablesAlignWideText(t *testing.T) {
	var out strings.Builder
	table := &Table{To: &out, Columns: 24}
	for _, row := range [][3]string{{"from", "verdict", "subject"}, {"速水", "ham", "short"}, {"Ruth", "spam", "longer than the table"}, {}} {
		table.Row(row[:])
	}
	table.Flush()
	want := "from  verdict  subject\n" +
		"速水  ham      short\n" +
		"Ruth  spam     longer t…\n" +
		"\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestALongTableIsWrittenInPieces(t *testing.T) {
	var out strings.Builder
	table := &Table{To: &out}
	for range maxRows {
		table.Row("a", "b")
	}
	if got, want := out.String(), strings.Repeat("a  b\n", maxRows); got != want {
		t.Errorf("wrote %d bytes, want %d", len(got), len(want))
	}
}

func TestTextIsWrappedAtWords(t *testing.T) {
	want := []string{"one two", "three", "a-word-that-is-too-long", "four"}
	if got := Wrap(strings.Fields("one two three a-word-that-is-too-long four"), 8); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDigitsAreGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -999: "-999"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	var printed strings.Builder
	Printf(&printed, "%d|%-7d|%7v|%x|%*s|%d", 1234, uint32(5678), 9999, 4096, 3, "a", int64(1234))
	if got, want := printed.String(), "1,234|5,678  |  9,999|1000|  a|1234"; got != want {
		t.Errorf("Printf: got %q, want %q", got, want)
	}
	if got, want := Sprintf("%d of %s", 1234, "1234"), "1,234 of 1234"; got != want {
		t.Errorf("Sprintf: got %q, want %q", got, want)
	}
}
