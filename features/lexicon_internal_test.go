package features

import "testing"

func TestOfTwoTermsWithOneHashTheSmallerIsKept(t *testing.T) {
	v, err := NewVocabulary([]uint64{7})
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}, {"b", "a", "b", "a"}} {
		var l, other Lexicon
		for _, term := range order {
			l.add(7, []byte(term))
		}
		other.add(7, []byte("c"))
		other.Merge(&l)
		if got := l.Texts(v)[0]; got != "a" || l.Len() != 1 {
			t.Errorf("%q: got %q and %d terms", order, got, l.Len())
		}
		if got := other.Texts(v)[0]; got != "a" {
			t.Errorf("%q: got %q after a merge", order, got)
		}
	}
}

func TestALexiconKnowsAllItsTerms(t *testing.T) {
	var l Lexicon
	var hashes []uint64
	for n := range uint64(5000) {
		hash := n<<40 | n<<10 // which all fall into few slots
		hashes = append(hashes, hash)
		l.add(hash, []byte{byte(n), byte(n >> 8)})
	}
	v, err := NewVocabulary(hashes)
	if err != nil {
		t.Fatal(err)
	}
	for id, text := range l.Texts(v) {
		if want := string([]byte{byte(id), byte(id >> 8)}); text != want {
			t.Fatalf("term %d: got %q, want %q", id, text, want)
		}
	}
}
