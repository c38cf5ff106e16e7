package filter

import (
	"math"
	"slices"
	"strings"
	"testing"

	"chaff/corpus/corpustest"
	"chaff/corpus/sample"
)

func TestContributionsAddUpToTheScoreToTheLastBit(t *testing.T) {
	for _, model := range []string{"multinomial", "bernoulli", "arow"} {
		f := fitted(t, sample.Source(), model, "ham", "spam")
		messages := 0
		for item, err := range sample.Source() {
			if err != nil {
				t.Fatal(err)
			}
			raw, err := item.Read(nil)
			if err != nil {
				t.Fatal(err)
			}
			e, err := f.Explain(raw)
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < len(e.Contributions); i++ {
				if math.Abs(e.Contributions[i].Contribution) > math.Abs(e.Contributions[i-1].Contribution) {
					t.Errorf("%s: %s: number %d is stronger than the one before it", model, item.Origin, i)
				}
			}
			slices.SortFunc(e.Contributions, func(x, y Contribution) int { return x.ID - y.ID })
			var sum float64
			for _, c := range e.Contributions {
				sum += c.Contribution
				if c.Contribution != c.Value*c.Weight {
					t.Errorf("%s: %s: %+v", model, item.Origin, c)
				}
			}
			sum = e.Bias + sum
			v := f.Classify(raw)
			if e.Classification != v || e.Score != sum || e.Margin != sum {
				t.Fatalf("%s: %s: the contributions add up to %v, the score is %v, the margin %v", model, item.Origin, sum, v.Score, e.Margin)
			}
			messages++
		}
		if messages < 100 {
			t.Errorf("only %d messages", messages)
		}
	}
}

func TestManyClassesAreExplainedByTheTwoBest(t *testing.T) {
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

func TestUnknownTermsAreNamed(t *testing.T) {
	e, err := spamFilter(t).Explain([]byte("\nspama zyzzyva"))
	if err != nil || !slices.Contains(e.UnknownTerms, "body:zyzzyva") || slices.Contains(e.UnknownTerms, "body:spama") {
		t.Errorf("unknown: %v, %v", e.UnknownTerms, err)
	}
}

func TestTextsAreShadedWordByWord(t *testing.T) {
	f := spamFilter(t)
	raw := []byte("Subject: about spama\nContent-Type: text/html\n\n<p>Spama, spamaspama hamb.</p><p style='display:none'>hama spamb</p>")
	e, err := f.Explain(raw)
	if err != nil {
		t.Fatal(err)
	}
	texts, left := e.Texts()
	if left != 0 {
		t.Errorf("%d bytes are left out", left)
	}
	whole := map[string]string{}
	shaded := map[string]map[string]float64{}
	for _, text := range texts {
		shaded[text.Title] = map[string]float64{}
		for _, s := range text.Stretches {
			whole[text.Title] += s.Text
			if len(s.Terms) > 0 {
				shaded[text.Title][s.Text] = s.Contribution
			}
		}
	}
	if whole["Subject"] != "about spama" || !strings.Contains(whole["Text"], "Spama, spamaspama hamb.") || strings.TrimSpace(whole["Hidden text"]) != "hama spamb" {
		t.Errorf("texts are not whole: %q", whole)
	}
	contribution := func(term string) float64 {
		for _, c := range e.Contributions {
			if c.Term == term {
				return c.Contribution
			}
		}
		return 0
	}
	if got := shaded["Text"]["Spama"]; got != contribution("body:spama") || got <= 0 {
		t.Errorf("Spama has %v, its term %v", got, contribution("body:spama"))
	}
	if got := shaded["Text"]["hamb"]; got >= 0 {
		t.Errorf("hamb has %v", got)
	}
	if _, within := shaded["Text"]["spamaspama"]; within {
		t.Errorf("a word that is not known is shaded")
	}
}

// What is shown of a message is no more than can be read, and what is left out is counted.
func TestShadedTextsHaveALimit(t *testing.T) {
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
		texts, left := e.Texts()
		shown, words := 0, 0
		for _, text := range texts {
			for _, s := range text.Stretches {
				shown += len(s.Text)
				if len(s.Terms) > 0 {
					words++
				}
			}
		}
		if shown+left != len(text) || shown > maxShadedText || words > maxShadedWords || left > 0 && shown == 0 {
			t.Errorf("%s: %d bytes shown, %d left out of %d, %d words", name, shown, left, len(text), words)
		}
	}
}
