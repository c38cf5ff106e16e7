package main

import (
	"slices"
	"strings"
	"testing"

	"chaff/message"
	"chaff/train"
)

func TestPastedWordsAreReadAsText(t *testing.T) {
	tests := map[string]struct{ raw, want string }{
		"a text":                        {"Subject: x\n\nhello\n", "hello\n"},
		"a message without a text":      {"Subject: x\n\n", ""},
		"a text in quoted-printable":    {"Content-Transfer-Encoding: quoted-printable\n\nh=65llo\n", "hello\n"},
		"a text in base64":              {"Content-Transfer-Encoding: base64\n\naGVs\nbG8=\n", "hello"},
		"HTML":                          {"Content-Type: text/html\n\n<html><body>hello</body></html>\n", "hello"},
		"parts":                         {"Content-Type: multipart/mixed; boundary=\"b\"\n\n--b\n\nhello\n--b--\n", "hello"},
		"parts without an end":          {"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n", "hello"},
		"parts whose boundary is empty": {"Content-Type: multipart/mixed\n\nhello\n", "hello"},
	}
	var words []string
	for c := range 12 {
		words = append(words, "word"+string(rune('a'+c)))
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, at := range []position{atEnd, atFront} {
				var text strings.Builder
				for _, p := range message.NewDecoder(message.DefaultOptions()).Decode(pasteText([]byte(tt.raw), lines(words), at)).Parts {
					text.Write(p.Text)
					text.WriteByte(' ')
				}
				got, pasted := strings.Join(strings.Fields(text.String()), " "), strings.Join(words, " ")
				want := strings.TrimSpace(strings.TrimSpace(tt.want) + " " + pasted)
				if at == atFront {
					want = strings.TrimSpace(pasted + " " + strings.TrimSpace(tt.want))
				}
				if got != want {
					t.Errorf("pasted %v the text is %q, want %q", at, got, want)
				}
			}
		})
	}
}

func TestPasteLeavesDamagedBase64AsItIs(t *testing.T) {
	raw := []byte("Content-Transfer-Encoding: base64\n\n????\n")
	for _, at := range []position{atEnd, atFront} {
		if got := pasteText(raw, "word\n", at); string(got) != string(raw) {
			t.Errorf("%v: %q", at, got)
		}
	}
}

func TestTheHammiestWordsAreWordsOfTheTextOfHam(t *testing.T) {
	b, collection := inventedBench(t)
	trained, err := train.Fit(t.Context(), collection, "multinomial", b.trainOptions())
	if err != nil {
		t.Fatal(err)
	}
	words, err := hammiest(trained.Filter, 20)
	if err != nil || len(words) != 20 {
		t.Fatalf("%q, %v", words, err)
	}
	if i := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "ham") }); i >= 0 {
		t.Errorf("%q is among %q", words[i], words)
	}
	spam := []byte("Subject: x\n\nspama spamb spamc spamd\n")
	var before, after caught
	before.count(trained.Filter.Classify(spam))
	after.count(trained.Filter.Classify(paste(spam, words)))
	if before.boundary != 1 || after.boundary != 0 {
		t.Errorf("caught %+v, then %+v", before, after)
	}
}

func TestIsWord(t *testing.T) {
	for term, want := range map[string]bool{"offer": true, "привет": true, "": false, "64+": false, "click here": false, "$": false, "don't": false} {
		if isWord(term) != want {
			t.Errorf("%q: %t, want %t", term, !want, want)
		}
	}
}
