package message_test

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"chaff/message"
)

// TestADeclaredCharsetStands makes texts of 1 to 20 frequent characters of a charset. All must be read in the charset that is declared, in the
// body and in an encoded word. The log says which share is read right if none is declared: go test ./message -v -run TestADeclaredCharsetStands
func TestADeclaredCharsetStands(t *testing.T) {
	const rounds, longest = 100, 20 // texts of each length
	lists, err := os.ReadFile("testdata/frequent.txt")
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for line := range strings.Lines(string(lists)) {
		names, characters, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue // a comment
		}
		all := []rune(characters)
		for charset := range strings.FieldsSeq(names) {
			tested++
			t.Run(charset, func(t *testing.T) {
				enc, err := htmlindex.Get(charset)
				if err != nil {
					t.Fatal(err)
				}
				r := rand.New(rand.NewPCG(1, 1))
				d := message.NewDecoder(message.DefaultOptions())
				guessed, short, shortGuessed := 0, 0, 0
				for length := 1; length <= longest; length++ {
					for range rounds {
						text := make([]rune, length)
						for i := range text {
							text[i] = all[r.IntN(len(all))]
						}
						want := string(text)
						encoded, err := enc.NewEncoder().String(want)
						if err != nil {
							t.Fatalf("%s: %v", want, err)
						}
						raw := "Subject: =?" + charset + "?B?" + base64.StdEncoding.EncodeToString([]byte(encoded)) + "?=\n" +
							"Content-Type: text/plain; charset=" + charset + "\n\n" + encoded
						m := d.Decode([]byte(raw))
						if got := string(m.Get("Subject")); got != strings.TrimSpace(want) {
							t.Errorf("a subject: got %q, want %q", got, want)
						}
						if got := string(m.Parts[0].Text); got != want {
							t.Errorf("got %q, want %q", got, want)
						}
						right := string(d.Decode([]byte("\n" + encoded)).Parts[0].Text) == want
						if right {
							guessed++
						}
						if length <= 4 {
							short++
							if right {
								shortGuessed++
							}
						}
					}
				}
				t.Logf("without a declaration %.1f%% are read right, of those of up to 4 characters %.1f%%",
					100*float64(guessed)/(rounds*longest), 100*float64(shortGuessed)/float64(short))
			})
		}
	}
	if tested == 0 {
		t.Error("no charsets")
	}
}
