package main

import (
	"slices"
	"strings"
	"testing"

	"chaff/message"
)

func TestWhatProgramsAnswer(t *testing.T) {
	for _, c := range []struct {
		name string
		read func(string) (answer, error)
		line string
		want answer
	}{
		{"chaff", readChaff, `{"path":"test/spam/1.eml","class":"spam","verdict":"unsure","score":1.5,"probability":0.7}`, answer{"test/spam/1.eml", false, 1.5}},
		{"chaff, spam", readChaff, `{"path":"a","verdict":"spam","score":-2}`, answer{"a", true, -2}},
		{"bogofilter", readBogofilter, "test/ham/1.eml H 1.06609e-11", answer{"test/ham/1.eml", false, 1.06609e-11}},
		{"bogofilter, unsure", readBogofilter, "a U 0.7", answer{"a", false, 0.7}},
		{"bogofilter, spam", readBogofilter, "a S 1", answer{"a", true, 1}},
		{"CRM114, surer of ham", readCRM114, "test/ham/1.eml  13.20", answer{"test/ham/1.eml", false, -13.2}},
		{"CRM114, surer of spam", readCRM114, "a -2.85", answer{"a", true, 2.85}},
		{"spamprobe", readSpamprobe, "GOOD 0.0000010 b3fa734f", answer{"", false, 0.000001}},
		{"spamprobe, spam", readSpamprobe, "SPAM 0.9999989 7baa042c", answer{"", true, 0.9999989}},
		{"scikit-learn", readNamed, "test/spam/1.eml 2.6434136738650515", answer{"test/spam/1.eml", true, 2.6434136738650515}},
		{"fastText, ham", readFastText, "__label__ham 0.75", answer{"", false, 0.25}},
		{"fastText, spam", readFastText, "__label__spam 1.00001", answer{"", true, 1.00001}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.read(c.line)
			if err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
			if _, err := c.read("nothing-like-it"); err == nil {
				t.Error("any text is an answer")
			}
		})
	}
}

func TestLiblinearNamesTheOrderOfItsProbabilities(t *testing.T) {
	for text, want := range map[string][]answer{
		"labels -1 1\n-1 0.9 0.1\n1 0.2 0.8\n": {{"", false, 0.1}, {"", true, 0.8}},
		"labels 1 -1\n-1 0.1 0.9\n1 0.8 0.2\n": {{"", false, 0.1}, {"", true, 0.8}},
	} {
		if got, err := readLiblinear([]byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	if _, err := readLiblinear([]byte("1\n-1\n")); err == nil {
		t.Error("predictions without probabilities are read")
	}
}

func TestAnswersWithoutNamesMustBeAboutAll(t *testing.T) {
	got, err := inOrder([]answer{{score: 1}, {score: 2}}, []string{"a", "b"})
	if err != nil || got[0].name != "a" || got[1].name != "b" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := inOrder([]answer{{}}, []string{"a", "b"}); err == nil || err.Error() != "1 answers about 2 messages" {
		t.Errorf("got %v", err)
	}
}

func TestALineThatIsNoAnswerIsNamed(t *testing.T) {
	if _, err := fromLines([]byte("a U 0.7\n\nwarning: no memory\n"), readBogofilter); err == nil || !strings.HasPrefix(err.Error(), `answer "warning: no memory":`) {
		t.Errorf("got %v", err)
	}
}

func TestTheNumberOfTermsIsRead(t *testing.T) {
	n, err := vocabularySize([]byte(`{"file": "m", "provenance": {"corpus": {"messages": 1, "terms": 214763}}}`))
	if err != nil || n != 214763 {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := vocabularySize([]byte(`{"file": "m"}`)); err == nil {
		t.Error("terms were found in nothing")
	}
}

func TestFastTextGetsWordsOnOneLine(t *testing.T) {
	m := message.NewDecoder(message.DefaultOptions()).Decode([]byte("Subject: Win BIG!\n\nYou won,\nreally: $100\n"))
	if got, want := lineOf(m), "subject : win big ! you won , really : $ 100"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheLastLineIsWhatWentWrong(t *testing.T) {
	if got := lastLine([]byte("one\ntwo: bad\n\n")); got != "two: bad" {
		t.Errorf("got %q", got)
	}
}
