package filter

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"chaff/corpus/sample"
	"chaff/message"
	"chaff/test/corpustest"
	"chaff/test/testmain"
)

func TestContributionsAddUpToTheScoreToTheLastBit(t *testing.T) {
	mail := messagesOf(t, sample.Source())
	collected := collect(t, sample.Source(), "ham", "spam")
	names := []string{"multinomial", "bernoulli", "softmax"}
	sparse := 4 // of which one message is looked at in a short run
	if testmain.IsLong() {
		sparse = 1
	}
	for n, model := range names {
		f := collected.fit(t, model)
		for i := n; i < len(mail); i += sparse * len(names) { // other messages for each model
			raw := mail[i]
			e, err := f.Explain(raw)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.IsSortedFunc(e.Contributions, func(x, y Contribution) int {
				return cmp.Compare(math.Abs(y.Contribution), math.Abs(x.Contribution))
			}) {
				t.Errorf("%s: message %d: the contributions are not sorted", model, i)
			}
			slices.SortFunc(e.Contributions, func(x, y Contribution) int { return x.ID - y.ID })
			var sum float64
			for _, c := range e.Contributions {
				sum += c.Contribution
				if c.Contribution != c.Value*c.Weight {
					t.Errorf("%s: message %d: %+v", model, i, c)
				}
			}
			sum = e.Bias + sum
			v := f.Classify(raw)
			if e.Classification != v || e.Score != sum || e.Margin != sum {
				t.Fatalf("%s: message %d: the contributions add up to %v, the score is %v, the margin %v", model, i, sum, v.Score, e.Margin)
			}
		}
	}
}

func TestManyClassesAreExplainedByTheTwoHighestScores(t *testing.T) {
	classes := []string{"golang", "rowing", "garden"}
	f := fitted(t, corpustest.Mailbox(7, 60, classes...), "softmax", classes...)
	e, err := f.Explain([]byte("\nrowinga rowingb rowingc gardena"))
	if err != nil || e.For != "rowing" || e.Against == "rowing" || e.Class != "rowing" {
		t.Fatalf("got %+v, %v", e, err)
	}
	sum := e.Bias
	for _, c := range e.Contributions {
		sum += c.Contribution
	}
	if math.Abs(sum-e.Margin) > 1e-12 || e.Margin <= 0 {
		t.Errorf("the contributions add up to %v, the margin is %v", sum, e.Margin)
	}
}

func TestExplainListsUnknownTerms(t *testing.T) {
	e, err := spamFilter(t).Explain([]byte("\nspama zyzzyva"))
	if err != nil || !slices.Contains(e.UnknownTerms, "body:zyzzyva") || slices.Contains(e.UnknownTerms, "body:spama") {
		t.Errorf("unknown: %v, %v", e.UnknownTerms, err)
	}
}

func TestWordsAreHighlighted(t *testing.T) {
	f := spamFilter(t)
	raw := []byte("Subject: about spama\nContent-Type: text/html\n\n<p>Spama, spamaspama hamb.</p><p style='display:none'>hama spamb</p>")
	e, err := f.Explain(raw)
	if err != nil {
		t.Fatal(err)
	}
	texts, omitted := e.Texts()
	if omitted != 0 {
		t.Errorf("%d bytes are omitted", omitted)
	}
	whole := map[string]string{}
	highlighted := map[string]map[string]float64{}
	for _, text := range texts {
		highlighted[text.Title] = map[string]float64{}
		for _, s := range text.Spans {
			whole[text.Title] += s.Text
			if len(s.Terms) > 0 {
				highlighted[text.Title][s.Text] = s.Contribution
			}
		}
	}
	if whole["Subject"] != "about spama" || !strings.Contains(whole["Text"], "Spama, spamaspama hamb.") || strings.TrimSpace(whole["Hidden text"]) != "hama spamb" {
		t.Errorf("texts are incomplete: %q", whole)
	}
	contribution := func(term string) float64 {
		for _, c := range e.Contributions {
			if c.Term == term {
				return c.Contribution
			}
		}
		return 0
	}
	if got := highlighted["Text"]["Spama"]; got != contribution("body:spama") || got <= 0 {
		t.Errorf("Spama has %v, its term %v", got, contribution("body:spama"))
	}
	if got := highlighted["Text"]["hamb"]; got >= 0 {
		t.Errorf("hamb has %v", got)
	}
	if _, within := highlighted["Text"]["spama"]; within {
		t.Errorf("a part of an unknown word is highlighted")
	}
}

func TestAWordHasTheTermsOfItsPlace(t *testing.T) {
	word := func(term, token string, contribution float64) Contribution {
		return Contribution{SeenTerm: SeenTerm{Term: term, Tokens: []string{token}}, Contribution: contribution}
	}
	e := Explanation{
		View: View{Message: &message.Message{
			Header: []message.Field{{Name: []byte("Subject"), Value: []byte("b")}},
			Parts:  []message.Part{{Text: []byte("b "), Hidden: []byte("b")}, {Text: []byte("b" + strings.Repeat("é", maxHighlightedText))}, {Text: []byte("b")}, {Text: []byte("b")}},
		}},
		Contributions: []Contribution{word("subject:b", "b", 1), word("body:b", "b", 2), word("hidden:b", "b", 4), word("type:b", "b", 8), word("host:user@", "", 16)},
	}
	texts, omitted := e.Texts()
	var got []float64
	for _, text := range texts {
		got = append(got, text.Spans[0].Contribution)
	}
	if want := []float64{1, 10, 4, 10, 10}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if rest := texts[3].Spans[1].Text; omitted != maxHighlightedText+7 || rest != strings.Repeat("é", maxHighlightedText/2-3) {
		t.Errorf("%d bytes are omitted, and %d of the last text are shown", omitted, len(rest))
	}
}

func TestHighlightedTextsAreLimited(t *testing.T) {
	f := spamFilter(t)
	for name, text := range map[string]string{
		"known words":           strings.Repeat("spama ", 100_000),
		"characters of no word": strings.Repeat("é", 300_000),
		"words between others":  strings.Repeat("é spama ", 50_000),
		"one word for all":      strings.Repeat("a", 1_000_000),
		"a short text":          "spama",
	} {
		raw := []byte("\n" + text)
		e, err := f.Explain(raw)
		if err != nil {
			t.Fatal(err)
		}
		texts, omitted := e.Texts()
		shown, words := 0, 0
		for _, text := range texts {
			if len(text.Spans) == 0 {
				t.Errorf("%s: %q is empty", name, text.Title)
			}
			for _, s := range text.Spans {
				shown += len(s.Text)
				if len(s.Terms) > 0 {
					words++
				}
			}
		}
		if shown+omitted != len(text) || shown > maxHighlightedText || words > maxHighlightedWords || omitted > 0 && shown == 0 {
			t.Errorf("%s: %d bytes shown, %d omitted of %d, %d words", name, shown, omitted, len(text), words)
		}
	}
}
