package report

import (
	"strings"
	"testing"

	"chaff/internal/tabletest"
)

func TestRowsOfEmptyLinesAreShownAsOne(t *testing.T) {
	tabletest.Strings(t, func(in string) string { return cleanText(in, maxLine) }, [][3]string{
		{"one line", "a", "a"},
		{"an empty line stays", "a\n\nb", "a\n\nb"},
		{"of several one stays", "a\n\n\n\nb", "a\n\nb"},
		{"lines of blanks and CRLF are empty", "a\r\n \r\n\t\r\n\u00a0\r\nb", "a\n \nb"},
		{"between two words", "\n\n\n\n", "\n\n"},
		{"the indent of the next word stays", "\n\n\n    ", "\n\n    "},
		{"line ends alone stay", "a\nb\n", "a\nb\n"},
	})
}

func TestTextsBeginAndEndWithoutEmptyLines(t *testing.T) {
	p := Page{Evidence: Evidence{Texts: []Text{{Title: "Text", Stretches: []Stretch{{Text: "\r\n\nDear "}, {Text: "winner", Score: 1}, {Text: "!\n\n"}}}}}}
	var shown strings.Builder
	for _, s := range p.shadedTexts()[0].Stretches {
		shown.WriteString(s.Text)
	}
	if got := shown.String(); got != "Dear winner!" {
		t.Errorf("%q", got)
	}
}

func TestTheColoursOfWordsAreNamed(t *testing.T) {
	p := Page{Evidence: Evidence{For: "spam", Against: "<b>ham", Texts: []Text{{Title: "Text", Stretches: []Stretch{{Text: "winner", Score: 1}}}}}}
	page := writeHTML(t, p)
	if want := `<p class="legend"><span class="for7">spam</span><span class="against7">&lt;b&gt;ham</span></p>`; !strings.Contains(page, want) {
		t.Errorf("no %s in %s", want, page[strings.Index(page, "<body>"):])
	}
}

func TestAPageSaysWhatItLeavesOut(t *testing.T) {
	p := Page{Evidence: Evidence{Texts: []Text{{Title: "Text", Stretches: []Stretch{{Text: "winner", Score: 1}}}}, Weighed: []Weighed{{Term: "body:winner", Score: 1}}}}
	for _, tt := range []struct {
		text, terms int
		want        []string
	}{
		{0, 0, nil},
		{1000, 0, []string{"The last 1,000 bytes are left out."}},
		{1000, 20, []string{"The last 1,000 bytes are left out.", "The weakest 20 are left out."}},
	} {
		p.TextLeft, p.WeighedLeft = tt.text, tt.terms
		page := writeHTML(t, p)
		if got := strings.Count(page, " left out."); got != len(tt.want) {
			t.Errorf("%d bytes, %d terms: %d notes", tt.text, tt.terms, got)
		}
		for _, want := range tt.want {
			if !strings.Contains(page, want) {
				t.Errorf("%d bytes, %d terms: no %q", tt.text, tt.terms, want)
			}
		}
	}
}
