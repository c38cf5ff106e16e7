package filter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chaff/internal/termkey"
)

func TestAViewHasTheTermsThatAreClassified(t *testing.T) {
	raw := []byte("Subject: Offers, offers\nX-Spam-Flag: YES\n\nan offer of OFFERS, see http://shop.example/now\r more")
	view, err := DefaultReading().View(raw)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(DefaultReading(), ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	repairs := r.Read(raw)
	document := r.Bag.Document()
	var terms []uint64
	tokens := 0
	for _, term := range view.Terms {
		terms = append(terms, (termkey.Key{}).Hash([]byte(term.Term)))
		tokens += term.Count
	}
	if !slices.Equal(terms, document.Terms) || view.Repairs != repairs || view.Tokens != tokens {
		t.Errorf("got %d terms of %d tokens, repairs %b; the classifier has %d terms, repairs %b", len(terms), view.Tokens, view.Repairs, len(document.Terms), repairs)
	}
	i := slices.IndexFunc(view.Terms, func(s SeenTerm) bool { return s.Term == "body:offer" })
	if i < 0 || view.Terms[i].Count != 2 || !slices.Equal(view.Terms[i].Tokens, []string{"offer", "OFFERS"}) {
		t.Errorf("body:offer is missing or has other words: %+v", view.Terms)
	}
}

func TestAViewWithInvalidSettingsIsAnError(t *testing.T) {
	reading := DefaultReading()
	reading.Tokenize.Language = "klingon"
	if _, err := reading.View(nil); err == nil {
		t.Error("no error")
	}
}

// A term for long words stands for any number of words.
func TestATermHasItsFirstWords(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "%s%02d ", strings.Repeat("a", 40), i)
	}
	view, err := DefaultReading().View([]byte("\n" + text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range view.Terms {
		if term.Term == "body:32+" {
			if term.Count != 100 || len(term.Tokens) != maxTokens || !strings.HasSuffix(term.Tokens[maxTokens-1], "15") {
				t.Errorf("count %d, words %q", term.Count, term.Tokens)
			}
			return
		}
	}
	t.Error("no such term")
}
