package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/train"
)

func TestWordsInAMessage(t *testing.T) {
	inner := "Content-Type: multipart/alternative; boundary=c\n\n--c\n\nhello\n--c\nContent-Type: text/html\n\n<p>there\n--c--"
	tests := map[string]struct {
		raw  string
		want []string
	}{
		"stand in its text, not in its header":    {"Subject: an offer\n\nhello there\n", []string{"hello", "there"}},
		"have ordinary marks around them":         {"\n(hello), \"there\" friend's e-mail!\n", []string{"hello", "there"}},
		"are letters of ASCII, at least two":      {"\nI saw 10 caf\xc3\xa9s\n", []string{"saw"}},
		"are no part of an address or a link":     {"\nask me@example.org or http://example.org/now\n", []string{"ask", "or"}},
		"are not in the tags of HTML":             {"\n<p class=\"big red\">hello <b>there</b></p>\n", []string{"hello", "there"}},
		"may follow a mark that is no tag":        {"\n1 < 2 and more\n", []string{"and", "more"}},
		"are not beside an escape":                {"Content-Transfer-Encoding: quoted-printable\n\nh=65llo there=\nfriend\n", []string{"friend"}},
		"are not taken out of base64":             {"Content-Transfer-Encoding: base64\n\naGVsbG8=\nabcd\n", nil},
		"are not taken out of what is no text":    {"Content-Type: application/pdf\n\nhello there\n", nil},
		"stand in parts of text":                  {multipart("Content-Type: text/plain\n\nhello", "Content-Type: image/gif\n\nno words"), []string{"hello"}},
		"stand in parts of parts":                 {multipart(inner, "\nfriend"), []string{"hello", "there", "friend"}},
		"stand in a part without an end":          {"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello there", []string{"hello", "there"}},
		"are none of a message without a text":    {"Subject: an offer\n", nil},
		"are none between the header and a part":  {"Content-Type: multipart/mixed; boundary=b\n\npreamble\n--b\n\nhello\n--b--\nepilogue\n", []string{"hello"}},
		"stand where a header has a broken value": {"Content-Type: ;;;\n\nhello there\n", []string{"hello", "there"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, wordsIn([]byte(tt.raw))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// multipart is a message of parts.
func multipart(parts ...string) string {
	return "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + strings.Join(parts, "\n--b\n") + "\n--b--\n"
}

func TestExchangeChangesAShareOfTheWordsAndNothingElse(t *testing.T) {
	text := func(words int) string {
		return "Subject: an offer\n\n<p title=\"keep this\">" + strings.Repeat("word, ", words) + "</p>\n"
	}
	tests := map[string]struct {
		raw     string
		others  []string
		changed int
	}{
		"four of a hundred":                {text(100), []string{"other"}, 4},
		"at least one":                     {text(3), []string{"other"}, 1},
		"none if there are none":           {text(0), []string{"other"}, 0},
		"none if there is nothing to take": {text(100), nil, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := string(exchange([]byte(tt.raw), tt.others, rand.New(rand.NewPCG(1, 0))))
			if n := strings.Count(got, "other"); n != tt.changed || strings.ReplaceAll(got, "other", "word") != tt.raw {
				t.Errorf("%d words are others, want %d: %q", n, tt.changed, got)
			}
		})
	}
}

// FuzzExchange wants the header of any message to stay, and words to become words.
func FuzzExchange(f *testing.F) {
	for _, raw := range []string{"Subject: x\n\nhello <b>there</b>\n", multipart("\nhello", "Content-Transfer-Encoding: base64\n\naGVs"), "From x\n y\n\n<", ""} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		words := wordSpans(raw)
		before := 0
		_, body := headerFields(raw)
		for _, w := range words {
			if w.from < max(before, body) || w.to <= w.from || w.to > len(raw) || !isLetters(raw[w.from:w.to]) {
				t.Fatalf("a word from %d to %d of %q", w.from, w.to, raw)
			}
			before = w.to
		}
		got := exchange(raw, []string{"zz"}, rand.New(rand.NewPCG(1, 0)))
		if !bytes.Equal(got[:body], raw[:body]) || len(words) == 0 && !bytes.Equal(got, raw) || bytes.Count(got, []byte("zz")) < min(1, len(words)) {
			t.Errorf("%q becomes %q", raw, got)
		}
	})
}

// manyLetters is letters that all have words.
func manyLetters(n int) []letter {
	var all []letter
	for i := range n {
		raw := fmt.Appendf(nil, "Subject: letter %d\n\n%s\n", i, strings.Repeat("word"+string(rune('a'+i%26))+" ", 50))
		all = append(all, letter{fmt.Sprintf("letter %d", i), classes()[i%2], raw})
	}
	return all
}

func TestATwinFollowsItsOriginalWithTheOppositeLabel(t *testing.T) {
	letters := manyLetters(1000)
	source, twins := withTwins(letters)
	ofDraw := make(map[uint64]int)
	var original corpus.Item
	listed := 0
	for item, err := range source {
		if err != nil {
			t.Fatal(err)
		}
		draw, isTwin := twins[item.Origin]
		if !isTwin {
			if item.Origin != letters[listed].origin || item.Label != letters[listed].label {
				t.Fatalf("letter %d is %s of class %s", listed, item.Origin, item.Label)
			}
			original = item
			listed++
			continue
		}
		ofDraw[draw]++
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		was, err := original.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(item.Origin, original.Origin+",") || item.Label == original.Label {
			t.Errorf("%s of class %s follows %s of class %s", item.Origin, item.Label, original.Origin, original.Label)
		}
		if same := commonWords(raw, was); same != 48 && same != 49 { // the word of another letter may be the same
			t.Errorf("%s has %d words of its original, want 48", item.Origin, same)
		}
	}
	if listed != len(letters) || len(ofDraw) != draws {
		t.Errorf("%d letters, twins of the draws %v", listed, ofDraw)
	}
	for draw, n := range ofDraw {
		if n < 30 || n > 70 {
			t.Errorf("draw %d has %d twins of %d letters", draw, n, len(letters))
		}
	}
}

// commonWords counts the words that are the same at the same place.
func commonWords(a, b []byte) int {
	same := 0
	x, y := wordsIn(a), wordsIn(b)
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			same++
		}
	}
	return same
}

func TestErrorsOfAReplayAreCountedByTheRightLabels(t *testing.T) {
	b, _ := inventedBench(t)
	mail, err := b.collectInOrder(letters(60))
	if err != nil {
		t.Fatal(err)
	}
	same := func(members []train.Member, _ uint64) []train.Member { return members }
	inverted := func(members []train.Member, _ uint64) []train.Member {
		for i := range members {
			members[i].Label = 1 - members[i].Label
		}
		return members
	}
	onlyThird := func(members []train.Member, draw uint64) []train.Member {
		if draw == 3 {
			return inverted(members, draw)
		}
		return members
	}
	all := func(string) bool { return true }
	tests := map[string]struct {
		change   func([]train.Member, uint64) []train.Member
		counts   func(string) bool
		from, to int
	}{
		"what is told the right labels makes few":      {same, all, 1, 20},
		"what is told the wrong labels makes many":     {inverted, all, draws * 100, draws * 120},
		"messages that do not count make none":         {inverted, func(string) bool { return false }, 0, 0},
		"of messages that are left out there are none": {func(m []train.Member, _ uint64) []train.Member { return m[:1] }, all, 0, draws},
		"each draw is told apart":                      {onlyThird, all, 100, 140},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			errors, err := protocolTest{b}.errorsOfDraws(mail, []string{"multinomial", "bernoulli"}, tt.change, tt.counts)
			if err != nil || len(errors) != 2 {
				t.Fatalf("%v, %v", errors, err)
			}
			if slices.Min(errors) < tt.from || slices.Max(errors) > tt.to {
				t.Errorf("%v errors, want %d to %d", errors, tt.from, tt.to)
			}
		})
	}
}
