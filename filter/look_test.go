package filter

import (
	"slices"
	"testing"

	"chaff/features"
)

func TestALookShowsTheTermsThatAreClassified(t *testing.T) {
	raw := []byte("Subject: Offers, offers\nX-Spam-Flag: YES\n\nan offer of OFFERS, see http://shop.example/now\r more")
	look, err := DefaultReading().Look(raw)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newReader(DefaultReading())
	if err != nil {
		t.Fatal(err)
	}
	document, repairs := r.document(raw)
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
	if _, err := reading.Look(nil); err == nil {
		t.Error("no error")
	}
}
