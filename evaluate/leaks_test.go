package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/test/corpustest"
	"chaff/tokenize"
	"chaff/train"
)

// planted returns n messages of each class, whose words, senders and dates do not depend on the class. plant returns header fields to
// prepend to message i of a class, and text to append.
func planted(n int, plant func(class string, i int) (fields, text string)) [][2]string {
	rng := rand.New(rand.NewPCG(2, 0))
	var all [][2]string
	for i := range n {
		for _, class := range []string{"ham", "spam"} {
			fields, text := plant(class, i)
			raw := fmt.Sprintf("%sFrom: Ann <ann@sender%d.example>\nSubject: minutes %d\n\nriver %d bread %d %d\n%s", fields, rng.IntN(40), rng.IntN(1000),
				rng.IntN(7), rng.IntN(11), 2*i+len(class)%2, text)
			all = append(all, [2]string{class, raw})
		}
	}
	return all
}

func TestLeaksHaveTheSettingThatRemovesThem(t *testing.T) {
	received := func(o *tokenize.Options) { o.Received = true }
	tests := []struct {
		about   string
		plant   func(class string, i int) (fields, text string)
		change  func(o *tokenize.Options)
		n       int
		term    string // of the only leak; empty for no leak
		setting string
	}{
		{"a field in all ham is named by its name",
			func(class string, i int) (string, string) { return in(class == "ham", "X-Foo: 17\n"), "" },
			nil, 80, "header:X-Foo", "tokenize.ignore_headers=x-foo"},
		{"the setting keeps the fields that are already ignored",
			func(class string, i int) (string, string) { return in(class == "ham", "X-Foo: 17\nX-Bar: 4\n"), "" },
			func(o *tokenize.Options) { o.IgnoreHeaders = []string{"x-bar"} }, 80, "header:X-Foo", "tokenize.ignore_headers=x-bar,x-foo"},
		{"a field in a quarter of the spam, of many senders",
			func(class string, i int) (string, string) { return in(class == "spam" && i%4 == 0, "X-Foo: 17\n"), "" },
			nil, 200, "header:X-Foo", "tokenize.ignore_headers=x-foo"},
		{"the same field from one sender is no leak",
			func(class string, i int) (string, string) {
				return in(class == "spam" && i%4 == 0, "X-Foo: 17\nFrom: build@one.example\nX-Was-"), ""
			}, nil, 200, "", ""},
		{"a field in a tenth of the ham, which may come from a bulk mailer, is no leak",
			func(class string, i int) (string, string) { return in(class == "ham" && i%10 == 0, "X-Foo: 17\n"), "" },
			nil, 400, "", ""},
		{"a field in both classes is no leak",
			func(class string, i int) (string, string) { return in(i%2 == 0, "X-Foo: 17\n"), "" }, nil, 80, "", ""},
		{"a relay of a tenth of the spam, with terms for relays",
			func(class string, i int) (string, string) {
				return "Received: from " + in(class == "spam" && i%10 == 0, "bad.relay") + ".example by mx.us.example; Mon, 2 Mar 2026 10:00:00 +0000\n", ""
			}, received, 400, "received:bad.relay.example", "tokenize.ignore_headers=received"},
		{"the same relay without terms for relays",
			func(class string, i int) (string, string) {
				return "Received: from " + in(class == "spam" && i%10 == 0, "bad.relay") + ".example by mx.us.example; Mon, 2 Mar 2026 10:00:00 +0000\n", ""
			}, nil, 400, "", ""},
		{"steps of the route that only spam has",
			func(class string, i int) (string, string) { return in(class == "spam", "Received: from a by b\n"), "" },
			nil, 80, "step:from a by a", "tokenize.ignore_headers=received"},
		{"a zone that only the clock of one archive has",
			func(class string, i int) (string, string) {
				return "Date: Mon, 2 Mar 2026 10:00:00 " + in(class == "spam", "+0200") + in(class == "ham", "+0000") + "\n", ""
			}, nil, 80, "zone:+0000", "tokenize.ignore_headers=date"},
		{"an order of usual fields in one class",
			func(class string, i int) (string, string) {
				return in(class == "ham", "To: a@b.example\n") + "Cc: c@d.example\n" + in(class == "spam", "To: a@b.example\n"), ""
			}, nil, 80, "order:Cc>From", "tokenize.structure=false"},
		{"a footer has no setting",
			func(class string, i int) (string, string) {
				return "", in(class == "ham", "To leave this list write to its owner\n")
			},
			nil, 80, "body:list write", ""},
		{"nothing is a leak in fewer than 20 messages",
			func(class string, i int) (string, string) { return in(class == "ham", "X-Foo: 17\n"), "" }, nil, 16, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			o := train.DefaultCollectOptions()
			o.Split.Method = corpus.SplitByHash
			if tt.change != nil {
				tt.change(&o.Reading.Tokenize)
			}
			mail := corpustest.Messages(planted(tt.n, tt.plant)...)
			leaks := leaksOf(t, collect(t, mail, o, "ham", "spam"))
			if tt.term == "" {
				if len(leaks) > 0 {
					t.Errorf("got %+v, want none", leaks)
				}
				return
			}
			if len(leaks) != 1 || leaks[0].Term != tt.term || leaks[0].Setting != tt.setting {
				t.Fatalf("got %+v, want %q and %q alone", leaks, tt.term, tt.setting)
			}
			if tt.setting == "" {
				if leaks[0].Alike == 0 {
					t.Errorf("got %+v, want other terms of the text to be like it", leaks[0])
				}
				return
			}
			list, isList := strings.CutPrefix(tt.setting, "tokenize.ignore_headers=")
			switch {
			case isList:
				o.Reading.Tokenize.IgnoreHeaders = strings.Split(list, ",")
			case tt.setting == "tokenize.structure=false":
				o.Reading.Tokenize.Structure = false
			default:
				t.Fatalf("the setting %q is not known here", tt.setting)
			}
			if leaks := leaksOf(t, collect(t, mail, o, "ham", "spam")); len(leaks) > 0 {
				t.Errorf("with %s: got %+v, want none", tt.setting, leaks)
			}
		})
	}
}

func in(here bool, text string) string {
	if here {
		return text
	}
	return ""
}

func TestALeakHasTheMessagesOfEachClass(t *testing.T) {
	plant := func(class string, i int) (string, string) { return in(class == "ham" && i%4 != 0, "X-Foo: 17\n"), "" }
	o := train.DefaultCollectOptions()
	o.Split.Method = corpus.SplitByHash
	c := collect(t, corpustest.Messages(planted(200, plant)...), o, "ham", "spam")
	leaks := leaksOf(t, c)
	if len(leaks) != 1 {
		t.Fatalf("got %d leaks, want 1", len(leaks))
	}
	l := leaks[0]
	if l.Of[0]+l.Of[1] != c.Summary().Train || l.Messages[0] == 0 || l.Messages[0] >= l.Of[0] || l.Messages[1] != 0 {
		t.Errorf("got %v of %v, want some ham, no spam, of %d training messages", l.Messages, l.Of, c.Summary().Train)
	}
}

func TestTheSampleHasNoLeaks(t *testing.T) {
	if leaks := leaksOf(t, collectedSample(t)); len(leaks) > 0 {
		t.Errorf("got %+v", leaks)
	}
}

func TestInformation(t *testing.T) {
	tests := []struct {
		name        string
		present, of []int
		want        float64
	}{
		{"a term in all messages of one class and none of the other", []int{0, 8}, []int{8, 8}, 1},
		{"a term in half of both classes", []int{4, 4}, []int{8, 8}, 0},
		{"a term in no message", []int{0, 0}, []int{8, 8}, 0},
		// H(class) = 1 bit. It is in 4 of 16 messages, all of one class: H = 0; of the other 12, 8 and 4 are of the classes:
		// H = log2(3) - 2/3. I = 1 - 12/16 (log2(3) - 2/3).
		{"a term in half of one class", []int{0, 4}, []int{8, 8}, 1 - 0.75*(math.Log2(3)-2./3)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := information(test.present, test.of); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// The default terms have no leaks; with terms for the route, the relays of SpamAssassin's spam are leaks.
func TestTheDefaultsHaveNoLeaksOnRealMail(t *testing.T) {
	dir, ok := corpustest.CorporaDir(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	o := train.DefaultCollectOptions()
	spamAssassin, _ := corpustest.SpamAssassin(t)
	if leaks := leaksOf(t, collect(t, spamAssassin, o, "ham", "spam")); len(leaks) > 0 {
		t.Errorf("SpamAssassin: got %+v", leaks)
	}
	for n := range 6 {
		if leaks := leaksOf(t, collect(t, corpustest.Enron(t, dir, n+1), o, "ham", "spam")); len(leaks) > 0 {
			t.Errorf("enron%d: got %+v", n+1, leaks)
		}
	}
	o.Reading.Tokenize.Received = true
	leaks := leaksOf(t, collect(t, spamAssassin, o, "ham", "spam"))
	if len(leaks) == 0 {
		t.Error("SpamAssassin with the Received fields: got no leaks")
	}
	for _, l := range leaks {
		t.Logf("SpamAssassin with the Received fields: %s in %v of %v", l.Term, l.Messages, l.Of)
	}
}

func leaksOf(t *testing.T, c *train.Collection) []Leak {
	t.Helper()
	return must(Leaks(c))(t)
}
