package report

import (
	"bytes"
	"strings"
	"testing"

	"chaff/test/tabletest"
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
	texts, _ := sampleExplanation().Texts()
	var shown strings.Builder
	for _, s := range shadedTexts(texts)[0].Stretches {
		shown.WriteString(s.Text)
	}
	if got := shown.String(); got != "Dear winner!" {
		t.Errorf("%q", got)
	}
}

func TestTheColoursOfWordsAreNamed(t *testing.T) {
	e := sampleExplanation()
	e.Against = "<b>ham"
	p := Page{Explanation: e}
	page := writeHTML(t, p)
	if want := `<p class="legend"><span class="for7">spam</span><span class="against7">&lt;b&gt;ham</span></p>`; !strings.Contains(page, want) {
		t.Errorf("no %s in %s", want, page[strings.Index(page, "<body>"):])
	}
}

func TestAPageSaysWhatItLeavesOut(t *testing.T) {
	e := sampleExplanation()
	for range maxTerms {
		e.Contributions = append(e.Contributions, e.Contributions[0])
	}
	e.View.Message.Parts[0].Text = bytes.Repeat([]byte("lunch "), 40_000)
	page := writeHTML(t, Page{Explanation: e})
	for _, want := range []string{" bytes are left out.", "The weakest 1 are left out."} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if page := writeHTML(t, Page{Explanation: sampleExplanation()}); strings.Contains(page, " left out.") {
		t.Error("a small message is said to be cut")
	}
}
