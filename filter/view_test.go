package filter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chaff/features"
)

func TestALookShowsTheTermsThatAreClassified(t *testing.T) {
	raw := []byte("Subject: Offers, offers\nX-Spam-Flag: YES\n\nan offer of OFFERS, see http://shop.example/now\r more")
	look, err := DefaultReading().View(raw)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(DefaultReading(), ReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	repairs := r.Read(raw)
	document := r.Bag().Document()
	var terms []uint64
	tokens := 0
	for _, term := range look.Terms {
		terms = append(terms, (features.Key{}).Hash([]byte(term.Term)))
		tokens += term.Count
	}
	if !slices.Equal(terms, document.Terms) || look.Repairs != repairs || look.Tokens != tokens {
		t.Errorf("got %d terms of %d tokens, repairs %b; the classifier has %d terms, repairs %b", len(terms), look.Tokens, look.Repairs, len(document.Terms), repairs)
	}
	i := slices.IndexFunc(look.Terms, func(s SeenTerm) bool { return s.Term == "body:offer" })
	if i < 0 || look.Terms[i].Count != 2 || !slices.Equal(look.Terms[i].Tokens, []string{"offer", "OFFERS"}) {
		t.Errorf("body:offer is missing or made of other words: %+v", look.Terms)
	}
}

func TestALookWithBadSettingsIsAnError(t *testing.T) {
	reading := DefaultReading()
	reading.Tokenize.Language = "klingon"
	if _, err := reading.View(nil); err == nil {
		t.Error("no error")
	}
}

// A long word is counted by its length, so any number of words can make one term.
func TestATermIsShownWithItsFirstWords(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "%s%02d ", strings.Repeat("a", 40), i)
	}
	look, err := DefaultReading().View([]byte("\n" + text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range look.Terms {
		if term.Term == "body:32+" {
			if term.Count != 100 || len(term.Tokens) != maxTokens || !strings.HasSuffix(term.Tokens[maxTokens-1], "15") {
				t.Errorf("counted %d times, made of %q", term.Count, term.Tokens)
			}
			return
		}
	}
	t.Error("no such term")
}
