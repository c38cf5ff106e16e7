package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/filter"
	"chaff/message"
	"chaff/metrics"
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
			var text strings.Builder
			for _, p := range message.NewDecoder(message.DefaultOptions()).Decode(paste([]byte(tt.raw), words)).Parts {
				text.Write(p.Text)
				text.WriteByte(' ')
			}
			got := text.String()
			if !strings.Contains(got, tt.want) || !strings.HasSuffix(strings.Join(strings.Fields(got), " "), strings.Join(words, " ")) {
				t.Errorf("the text is %q, want %q and the words", got, tt.want)
			}
		})
	}
}

func TestPasteLeavesDamagedBase64AsItIs(t *testing.T) {
	raw := []byte("Content-Transfer-Encoding: base64\n\n????\n")
	if got := paste(raw, []string{"word"}); string(got) != string(raw) {
		t.Errorf("%q", got)
	}
}

func TestTheHammiestWordsAreWordsOfTheTextOfHam(t *testing.T) {
	b, collection := inventedBench(t)
	f, _, err := filter.Train(t.Context(), collection, "multinomial", b.trainOptions())
	if err != nil {
		t.Fatal(err)
	}
	words, err := hammiest(f, 20)
	if err != nil || len(words) != 20 {
		t.Fatalf("%q, %v", words, err)
	}
	if i := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "ham") }); i >= 0 {
		t.Errorf("%q is among %q", words[i], words)
	}
	spam := []byte("Subject: x\n\nspama spamb spamc spamd\n")
	var before, after caught
	before.count(f.Classify(spam))
	after.count(f.Classify(paste(spam, words)))
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

// inventedSpamAssassin writes invented mail to where b looks for that corpus.
func inventedSpamAssassin(t *testing.T, b *bench) {
	t.Helper()
	for _, folder := range []string{"easy-ham-1", "easy-ham-2", "hard-ham-1", "spam-1", "spam-2"} {
		if err := os.MkdirAll(filepath.Join(b.corpora, "sa", folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for item, err := range letters(60) {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		folder := map[string]string{"ham": "easy-ham-1", "spam": "spam-1"}[item.Label]
		if err := os.WriteFile(filepath.Join(b.corpora, "sa", folder, filepath.Base(item.Origin)), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAKnownAttackReplacesTrainingSpam(t *testing.T) {
	b, _ := inventedBench(t)
	inventedSpamAssassin(t, b)
	before, err := b.spamAssassinApart()
	if err != nil {
		t.Fatal(err)
	}
	seen, err := b.readSpam(before, func(m filter.Member) bool { return m.Part == corpus.Train && m.Fingerprint%2 == 0 })
	if err != nil {
		t.Fatal(err)
	}
	after, err := b.withAttacked(seen, []string{"zebra"})
	if err != nil {
		t.Fatal(err)
	}
	x, y := before.Summary(), after.Summary()
	if len(seen) == 0 || x.Train != y.Train || x.Test != y.Test || x.Development != y.Development || !slices.Equal(x.Classes, y.Classes) {
		t.Errorf("%d attacked: before %+v, after %+v", len(seen), x, y)
	}
	f, _, err := filter.Train(t.Context(), after, "multinomial", b.trainOptions())
	if err != nil {
		t.Fatal(err)
	}
	terms, err := f.Terms()
	if err != nil {
		t.Fatal(err)
	}
	if id := slices.Index(terms.Texts, "body:zebra"); id < 0 || int(terms.Documents[id]) != len(seen) {
		t.Errorf("the pasted word is term %d, and was pasted into %d messages", id, len(seen))
	}
}

func TestGoodWordsAreMeasuredForEveryRival(t *testing.T) {
	b, _ := inventedBench(t)
	inventedSpamAssassin(t, b)
	a, err := b.measureGoodWords()
	if err != nil {
		t.Fatal(err)
	}
	if len(a.rows) != len(b.rivals()) || a.spam == 0 {
		t.Errorf("%d rows of %d spams", len(a.rows), a.spam)
	}
	for _, row := range a.rows {
		if row.before.boundary != a.spam || row.after.boundary > a.spam {
			t.Errorf("%+v of %d spams", row, a.spam)
		}
	}
}

func TestAttackedText(t *testing.T) {
	_, got, _ := strings.Cut(attacked{200, []attackRow{{"arow", caught{198, 180}, caught{20, 1}, caught{190, 170}, caught{30, 2}}}}.text(), "\n\n")
	check(t, got, `| model | before | attacked | the attack is known | attacked anew |
|---|---|---|---|---|
| arow | 99.0% | 10.0% | 95.0% | 15.0% |

At the threshold that loses 0.1% of the development ham:

| model | before | attacked | the attack is known | attacked anew |
|---|---|---|---|---|
| arow | 90.0% | 0.5% | 85.0% | 1.0% |
`)
}

func TestLanguagesText(t *testing.T) {
	rows := []languageRow{{"auto", mean{accuracy: pointer(99), roca: pointer(0.1)}}}
	check(t, languageFigures{filter.Summary{Used: 250}, rows, rows}.text(), "The sample mail, 250 messages of several languages, 10 folds, means of 5 seeds:\n\n"+
		"| `tokenize.language` | accuracy | (1-ROCA)% |\n|---|---|---|\n| auto | 99.00% | 0.1000 |\n\n"+
		"SpamAssassin, English mail, development parts, means of 5 split seeds:\n\n"+
		"| `tokenize.language` | accuracy | (1-ROCA)% |\n|---|---|---|\n| auto | 99.00% | 0.1000 |\n")
}

func TestBogofilterLearns(t *testing.T) {
	if _, err := exec.LookPath("bogofilter"); err != nil {
		t.Skip("needs bogofilter: apt-get install bogofilter")
	}
	var hams, spams, items []corpus.Item
	for item, err := range letters(15) {
		if err != nil {
			t.Fatal(err)
		}
		if item.Label == corpus.Ham.String() {
			hams = append(hams, item)
		} else {
			spams = append(spams, item)
		}
	}
	for i := range hams {
		items = append(items, hams[i], spams[i])
	}
	answers, err := replayToBogofilter(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(items) || answers[0] != (answer{score: unknownScore}) {
		t.Fatalf("%+v", answers)
	}
	late := figuresOf(answers[len(answers)-10:], func(a answer) bool { return a.score > 0.5 })
	if late.Accuracy != 100 || *late.OneMinusROCA != 0 {
		t.Errorf("of the last ten %.0f%% are right: %+v", late.Accuracy, answers)
	}
}

func TestFiguresOf(t *testing.T) {
	answers := []answer{{true, true, 1}, {false, true, 0.6}, {false, false, 0.7}, {false, false, 0}}
	verdict := figuresOf(answers, func(a answer) bool { return a.spam })
	half := figuresOf(answers, func(a answer) bool { return a.score > 0.5 })
	if *verdict.HM != 0 || *verdict.SM != 50 || *half.HM != 50 || *half.SM != 0 || *half.OneMinusROCA != 25 || *verdict.OneMinusROCA != 25 {
		t.Errorf("verdict %v, %v; half %v, %v; %v", *verdict.HM, *verdict.SM, *half.HM, *half.SM, *half.OneMinusROCA)
	}
}

func TestMessagesAreOrderedAsInTheReplay(t *testing.T) {
	r := filter.Replay{Messages: []filter.Replayed{{Path: "spam/001"}, {Path: "ham/000"}}}
	items := inOrderOf(letters(3), r)
	if len(items) != 2 || items[0].Origin != "spam/001" || items[1].Origin != "ham/000" {
		t.Errorf("%+v", items)
	}
}

func TestDuelText(t *testing.T) {
	f := metrics.Measure([]int32{0, 1}, []int32{0, 0}, 2)
	f.MeasureSpam([]float64{0, 1}, []bool{false, true})
	_, got, _ := strings.Cut(duel{{"arow", f}}.text(), "\n\n")
	check(t, got, `| filter | accuracy | errors | hm% | sm% | lam% | (1-ROCA)% |
|---|---|---|---|---|---|---|
| arow | 50.00% | 1 | 0.00 | 100.00 | 50.00 | 0.0000 |
`)
}
