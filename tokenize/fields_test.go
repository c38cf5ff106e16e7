package tokenize

import (
	"strings"
	"testing"

	"chaff/message"
)

func TestVerdictsAndNotesAreNeverLookedAt(t *testing.T) {
	all := func(o *Options) {
		o.Received, o.DeliveredTo, o.List, o.Date, o.MessageID = true, true, true, true, true
		o.Structure = true
		o.IgnoreHeaders = []string{"x-ours"}
	}
	tests := []struct {
		about    string
		names    []string
		excluded bool
	}{
		{"a filter, a mailbox or an archive writes it", []string{"X-RC-Spam", "X-SPAM-STATUS", "X-MS-Exchange-Organization-SCL",
			"Authentication-Results", "X-UID", "Lines"}, true},
		{"the options leave it out", []string{"X-Ours"}, true},
		{"it has no name, or rubbish for one", []string{"", "X-A-Name-That-Is-So-Long-That-No-Program-And-No-Person-Could-Have-Meant-It-As-One-Of-A-Field"}, true},

		{"senders write it", []string{"Subject", "From", "Precedence", "X-Priority", "X-Bulkmail", "DKIM-Signature"}, false},
		{"the route and the recipient write it", []string{"Received", "Delivered-To", "X-Sieve", "Date", "Message-ID"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			tok := tokenizer(t, all)
			for _, name := range tt.names {
				if got := tok.Note(message.Field{Name: []byte(name)}); (got == "not used") != tt.excluded {
					t.Errorf("%q is %v, excluded: %v", name, got, tt.excluded)
				}
				got := without(termsOf(tok, name+": Yes\n\n"), "type:", "outline:")
				if name != "" && (len(got) == 0) != tt.excluded {
					t.Errorf("%q has the terms %q, excluded: %v", name, got, tt.excluded)
				}
			}
		})
	}
}

func TestRuleOfAKnownFieldAllocatesNothing(t *testing.T) {
	tok := tokenizer(t, nil)
	name := []byte("X-RC-Spam")
	if n := testing.AllocsPerRun(100, func() { tok.ruleOf(name, nil) }); n != 0 {
		t.Errorf("the rule allocates %v times", n)
	}
}

// A sender can name a field as he likes: its words must not be among those of the text, of hidden text or of links.
func TestNoFieldHasTheTagOfSomethingElse(t *testing.T) {
	tok := tokenizer(t, nil)
	for _, name := range []string{"Body", "hidden", "HOST", "Zone", "attached-subject", "field-body", "mark"} {
		m := message.NewDecoder(message.DefaultOptions()).Decode([]byte(name + ": casino\n\nhello"))
		own := ""
		for _, term := range termsOfMessage(tok, m) {
			if strings.HasSuffix(term, ":casino") {
				own = term
			}
			if term == strings.ToLower(name)+":casino" {
				t.Errorf("a field %q has the term %s", name, term)
			}
		}
		if own != "field-"+strings.ToLower(name)+":casino" {
			t.Errorf("a field %q has the term %q", name, own)
		}
	}
}
