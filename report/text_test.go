package report

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"chaff/evaluate"
	"chaff/filter"
	"chaff/message"
	"chaff/metrics"
	"chaff/test/tabletest"
	"chaff/train"
)

func TestTextIsMadeFitToBeShown(t *testing.T) {
	tabletest.Strings(t, func(in string) string { return clean(in, 30) }, [][3]string{
		{"plain text stays", `a <b> "c" & 'd'`, `a <b> "c" & 'd'`},
		{"other scripts stay", "Привет 世界 שלום 👍", "Привет 世界 שלום 👍"},
		{"ends of lines become spaces", "a\r\nb\tc\u00a0d", "a  b c d"},
		{"control characters are escaped", "a\x00\x1b[31m\x7f", `a\x00\x1b[31m\x7f`},
		{"overrides of direction are escaped", "a\u202egpj.exe\u2066", `a\u202egpj.exe\u2066`},
		{"invisible characters are escaped", "vi\u200bag\u00adra\ufeff", `vi\u200bag\u00adra\ufeff`},
		{"ends of lines of Unicode are escaped", "a\u2028b", `a\u2028b`},
		{"invalid UTF-8 is replaced", "a\xff\xc3(", "a\ufffd\ufffd("},
		{"long text is cut", strings.Repeat("é", 31), strings.Repeat("é", 30) + "…"},
		{"text of just that length is not cut", strings.Repeat("é", 30), strings.Repeat("é", 30)},
	})
}

// hostile are texts that a sender may choose to run something in a page, or to make it unreadable.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</title></style><svg onload=alert(1)>`,
		`javascript:alert(1)`, `]]><script>`, `<!-- --!><b>`, `{{.Title}}`, `&lt;script&gt;&#60;`, `data:text/html,<script>`,
		"\x00\x1b]0;title\x07", "\u202etxt.exe\u2069", "\xff\xfe\xed\xa0\x80", "http://example.com/ //example.com", "\ufffe\uffff",
		`"font-family:Liberation Sans;`, `<text style="font-family:Liberation Sans;">`, strings.Repeat("<a>", 5000), "–", " ", "a\nb",
		strings.Repeat("x", 100_000), "🏳️‍🌈", "&quot;",
	}
}

// textPage has the text wherever a page shows text of others.
func textPage(text string) Page {
	return Page{
		Title: text, Subtitle: text, Facts: []Fact{{text, text}}, Warnings: []string{text}, Classes: []string{text, text},
		Models:    []train.Result{{Model: text, Kind: text, Test: &metrics.Figures{Messages: 4, Confusion: metrics.Confusion{{2, 0}, {1, 1}}}}, {Model: text, Test: &metrics.Figures{Messages: 4}}},
		Tables:    [][][]string{{{text, text}, {text, text}}},
		Curves:    [][]metrics.Point{{{Threshold: -1, HM: 1}, {HM: 0.1, SM: 0.2}, {Threshold: 1, SM: 1}}},
		Strongest: [][]filter.TermWeight{{{Term: text, Weight: 1, Messages: 2}}},
		Boundary:  &evaluate.Boundary{X: text, Y: text, Points: [2][]evaluate.TermPoint{{{X: 0, Y: 1, Messages: 1}}, {{X: 1, Messages: 3}}}, A: 1, B: -1},
		Mistakes:  []evaluate.Judged{{Path: text, Subject: text, From: text, Label: text, Class: "spam", Score: 1, Terms: []evaluate.Reason{{Term: text, Contribution: 1.5}, {Term: text, Contribution: -2}}}},
		Explanation: &filter.Explanation{
			For: text, Against: text, Margin: 1, Votes: []filter.Vote{{Group: text, Contribution: 1}},
			Contributions: []filter.Contribution{{SeenTerm: filter.SeenTerm{Term: "body:" + text, Tokens: []string{"innocent"}}, Contribution: 1}},
			View:          filter.View{Message: &message.Message{Parts: []message.Part{{Type: []byte("text/plain"), Text: []byte("an innocent text")}, {Type: []byte("text/plain"), Text: []byte(text)}}}},
		},
	}
}

func FuzzAnyTextInAPageStaysText(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	harmless := elements(f, writeHTML(f, textPage("harmless")))
	f.Fuzz(func(t *testing.T, text string) { requireText(t, text, harmless) })
}

// requireText compares a page with the text to one with an innocent text: its elements must be the same ones with the same
// attributes, only the plots may differ. The text must be there to read.
func requireText(t *testing.T, text string, want []element) {
	t.Helper()
	page := writeHTML(t, textPage(text))
	for i, r := range page {
		if r != '\n' && !strconv.IsPrint(r) {
			t.Fatalf("%q: the page has %q after %.80q", text, r, page[max(0, i-80):i])
		}
	}
	got := elements(t, page)
	shown := clean(text, maxTerm)
	if strings.TrimSpace(shown) == "" || shown == notKnown || text == "spam" {
		want = nil // the page leaves out what is empty, so that there is nothing to compare with
	}
	if want != nil && len(got) != len(want) {
		t.Fatalf("%q: %d elements, want %d", text, len(got), len(want))
	}
	for i, e := range got {
		if e.name == "img" {
			requireImage(t, text, e.attributes["src"])
		}
		if want == nil {
			continue
		}
		if e.name != want[i].name {
			t.Fatalf("%q: element %d is %s, want %s", text, i, e.name, want[i].name)
		}
		for key, value := range e.attributes {
			if was, there := want[i].attributes[key]; !there || value != was && key != "src" && key != "alt" {
				t.Errorf("%q: %s has the attribute %s=%q, want %q", text, e.name, key, value, was)
			}
		}
	}
	if want == nil {
		return
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Data == shown {
			read++
		}
	}
	if read < 4 {
		t.Errorf("%q can be read %d times in the page, want 4 and more", text, read)
	}
}

// requireImage wants an image in a data: address that is well-formed SVG of lines and text.
func requireImage(t *testing.T, text, source string) {
	t.Helper()
	encoded, ok := strings.CutPrefix(source, "data:image/svg+xml;base64,")
	if !ok {
		t.Fatalf("%q: the address of an image begins with %.30q", text, source)
	}
	svg, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	requireSVG(t, text, svg)
}

func requireSVG(t *testing.T, text string, svg []byte) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	count := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%q: the SVG is not well-formed: %v", text, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		count++
		if !slices.Contains([]string{"svg", "g", "path", "text"}, start.Name.Local) {
			t.Errorf("%q: the SVG has an element %s", text, start.Name.Local)
		}
		for _, a := range start.Attr {
			if !slices.Contains([]string{"width", "height", "viewBox", "xmlns", "textLength", "lengthAdjust", "xlink", "transform", "d", "x", "y", "style"}, a.Name.Local) {
				t.Errorf("%q: the SVG has an attribute %s", text, a.Name.Local)
			}
			if strings.Contains(a.Value, "url(") {
				t.Errorf("%q: the SVG has a reference: %s", text, a.Value)
			}
		}
	}
	if count < 10 {
		t.Errorf("%q: the SVG has %d elements", text, count)
	}
}

// TestThePageLoadsAndRunsNothing looks at every element and attribute of a page with all parts.
func TestThePageLoadsAndRunsNothing(t *testing.T) {
	page := writeHTML(t, samplePage())
	head := page[strings.Index(page, "<head>"):]
	policy := `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;`
	if !strings.HasPrefix(head, "<head>\n"+policy) {
		t.Errorf("the head does not begin with the policy, but with %.200s", head)
	}
	for _, e := range elements(t, page) {
		if slices.Contains([]string{"script", "iframe", "object", "embed", "form", "base", "video", "audio", "source", "svg", "math"}, e.name) {
			t.Errorf("there is an element %s", e.name)
		}
		for key, value := range e.attributes {
			if strings.HasPrefix(key, "on") || key == "style" || key == "srcset" {
				t.Errorf("%s has an attribute %s", e.name, key)
			}
			if (key == "src" || key == "href") && !strings.HasPrefix(value, "data:") && !strings.HasPrefix(value, "#") {
				t.Errorf("%s refers to %s", e.name, value)
			}
		}
	}
	style := page[strings.Index(page, "<style>"):strings.Index(page, "</style>")]
	for _, reference := range []string{"url(", "@import", "//", "http"} {
		if strings.Contains(style, reference) {
			t.Errorf("the style has %s", reference)
		}
	}
}

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
