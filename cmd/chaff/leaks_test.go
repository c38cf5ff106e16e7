package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"chaff/config"
	"chaff/corpus/sample"
	"chaff/evaluate"
	"chaff/internal/termkey"
	"chaff/message"
	"chaff/test/corpustest"
	"chaff/tokenize"
)

// TestTheSettingAgainstATermLeavesItOut takes every term of the sample mail, and of a message with odd fields, for a leak: with the
// setting that is named, no message has it.
func TestTheSettingAgainstATermLeavesItOut(t *testing.T) {
	everything := []string{"tokenize.received=true", "tokenize.delivered_to=true", "tokenize.list=true", "tokenize.date=true",
		"tokenize.message_id=true", "tokenize.shape=true", "tokenize.ignore_headers=x-one", "tokenize.gram_text_bytes=0"} // no setting is against grams of the text
	mail := [][]byte{[]byte("X-It's [a,b]*?: yes\nX-One: 1\nX_Two.Three/Four: 2\nFrom: a@b.example\nSubject: odd\n\nodd\n")}
	for _, raw := range corpustest.Each(t, sample.Source()) {
		mail = append(mail, raw)
	}
	against := make(map[string]*tokenize.Tokenizer) // by the setting
	seen := make(map[string]bool)                   // terms of an earlier message
	whole, options := tokenizerWith(t, everything)
	decoder := message.NewDecoder(message.DefaultOptions())
	for _, raw := range mail {
		m := decoder.Decode(raw)
		terms := make(map[string]map[string]bool) // of the message, by the setting
		for term := range termsOf(whole, m) {
			setting := options.Without(term)
			if setting == "" || seen[term] {
				continue
			}
			seen[term] = true
			if terms[setting] == nil {
				terms[setting] = make(map[string]bool)
			}
			terms[setting][term] = true
		}
		for setting, out := range terms {
			if against[setting] == nil {
				against[setting], _ = tokenizerWith(t, append(slices.Clone(everything), "tokenize."+setting))
			}
			against[setting].Terms(m, func(term *tokenize.Term) {
				if text := term.Text(); out[text] {
					t.Errorf("%q is left with --set tokenize.%s", text, setting)
				}
			})
		}
	}
	if len(against) < 20 {
		t.Errorf("%d settings: the sample mail shows too little: %q", len(against), slices.Sorted(maps.Keys(against)))
	}
}

// tokenizerWith makes a tokenizer of settings as --set has them.
func tokenizerWith(t *testing.T, set []string) (*tokenize.Tokenizer, tokenize.Options) {
	t.Helper()
	var settings []config.Setting
	for _, s := range set {
		key, value, _ := strings.Cut(s, "=")
		settings = append(settings, config.Setting{Key: key, Value: value})
	}
	loaded, err := config.Load(config.Sources{Set: settings})
	must(t, err)
	tok, err := tokenize.New(loaded.Config.Tokenize, termkey.Key{})
	must(t, err)
	return tok, loaded.Config.Tokenize
}

func termsOf(tok *tokenize.Tokenizer, m *message.Message) map[string]bool {
	terms := make(map[string]bool)
	tok.Terms(m, func(term *tokenize.Term) { terms[term.Text()] = true })
	return terms
}

func TestLeaksArePrintedWithTheirNumbers(t *testing.T) {
	field := func(name, ignored string) evaluate.Leak {
		return evaluate.Leak{Term: "header:" + name, Messages: []int{0, 41}, Of: []int{290, 313}, Setting: "tokenize.ignore_headers=" + ignored, Advice: "advice"}
	}
	footer := evaluate.Leak{Term: "body:list write", Messages: []int{80, 0}, Of: []int{90, 70}, Alike: 13, Advice: "advice"}
	tests := []struct {
		about string
		leaks []evaluate.Leak
		want  string
	}{
		{"none", nil, ""},
		{"one field", []evaluate.Leak{field("X-A", "x-a")},
			"chaff: warning: possible leak: header:X-A is in 0 of 290 ham, 41 of 313 spam (training messages): advice\n"},
		{"words of the text", []evaluate.Leak{footer},
			"chaff: warning: possible leak: body:list write, like 13 other terms of the text, is in 80 of 90 ham, 0 of 70 spam (training messages): advice\n"},
		{"several have a line each", []evaluate.Leak{footer, field("X-A", "x-a")},
			"chaff: warning: possible leak: header:X-A is in 0 of 290 ham, 41 of 313 spam (training messages): advice\n"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			var printed strings.Builder
			(&answer{program: &program{stderr: newOutput(&printed), verbose: true}}).doubts(doubts(nil, []string{"ham", "spam"}, tt.leaks))
			if got := printed.String(); !strings.HasSuffix(got, tt.want) || strings.Count(got, "\n") != len(tt.leaks) {
				t.Errorf("got\n%swant at the end\n%s", got, tt.want)
			}
		})
	}
}
