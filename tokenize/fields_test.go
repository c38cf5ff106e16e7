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
		about string
		names []string
		never bool
	}{
		{"a part of the name says that it is a verdict", []string{"X-RC-Spam", "X-RC-Virus", "X-Spam-Flag", "X-SPAM-STATUS", "X-Spam",
			"X-Optus-CM-Score", "X-RazorGate-Vade-Verdict", "X-Filter-ID", "DKIM-Filter", "X_Junk_Score", "X.Quarantine.ID"}, true},
		{"the word is in a longer one", []string{"X-SpamInfo", "X-AntiVirus", "X-RAV-AntiVirus", "X-UVScan-Result", "X-Virus-Scanned",
			"X-Edinburgh-Scanned", "X-NUVOTEM-MailScanner", "X-VopFilter-IP", "X-YahooFilteredBulk", "X-SGBayesSubmit", "SpamTally",
			"X-MS-Office365-Filtering-Correlation-Id", "X-Spambayes-Classification", "X-DSPAM-Result", "X-Rspamd-Server",
			"X-Bogosity", "X-Phishy", "X-Greylisting", "X-Quarantined"}, true},
		{"a short word is a part", []string{"X-Ham-Report", "Received-SPF", "X-SPF-Result", "X-DMARC", "X-RBL-Warning"}, true},
		{"a filter is known by its name", []string{"X-CRM114-Status", "X-Chaff-Verdict", "Authentication-Results",
			"Authentication-Results-Original", "X-Message-Delivery", "X-Vade-Example"}, true},
		{"a mailbox or an archive notes it", []string{"Status", "X-Status", "X-Keywords", "X-UID", "X-UIDL", "X-Mozilla-Status",
			"X-Gmail-Labels", "Lines", "Content-Length"}, true},
		{"the options leave it out", []string{"X-Ours"}, true},
		{"it has no name, or rubbish for one", []string{"", "X-A-Name-That-Is-So-Long-That-No-Program-And-No-Person-Could-Have-Meant-It-As-One-Of-A-Field"}, true},

		{"senders write it", []string{"Subject", "From", "Precedence", "X-Priority", "X-MSMail-Priority", "X-Mailer", "X-CampaignID",
			"X-Bulkmail", "X-Operating-System", "X-Report-Abuse", "X-Complaints-To", "DKIM-Signature", "List-Unsubscribe",
			"X-Message-Flag", "X-Shampoo", "Importance"}, false},
		{"the route and the recipient write it", []string{"Received", "Delivered-To", "X-Sieve", "Date", "Message-ID"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			tok := tokenizer(t, all)
			for _, name := range tt.names {
				if got := tok.IsNever([]byte(name)); got != tt.never {
					t.Errorf("%q is never looked at: got %v, want %v", name, got, tt.never)
				}
				got := without(termsOf(tok, name+": Yes\n\n"), "type:", "outline:")
				if name != "" && (len(got) == 0) != tt.never {
					t.Errorf("%q has the terms %q, never looked at: %v", name, got, tt.never)
				}
			}
		})
	}
}

func TestNoMemoryIsTakenForAKnownField(t *testing.T) {
	tok := tokenizer(t, nil)
	name := []byte("X-RC-Spam")
	if n := testing.AllocsPerRun(100, func() { tok.IsNever(name) }); n != 0 {
		t.Errorf("IsNever allocates %v times", n)
	}
}

func TestFieldsThatAreWrittenOnTheWayAreKnown(t *testing.T) {
	tok := tokenizer(t, nil)
	for name, want := range map[string]bool{
		"Received": true, "Return-Path": true, "delivered-to": true, "List-Id": true, "X-Sieve": true,
		"Subject": false, "Date": false, "Message-ID": false, "X-Foo": false, "X-Spam-Flag": false, "": false,
	} {
		if got := tok.IsOnTheWay([]byte(name)); got != want {
			t.Errorf("%q is written on the way: got %v, want %v", name, got, want)
		}
	}
}

// A sender can name a field as he likes: its words must not be among those of the text, of hidden text or of links.
func TestNoFieldHasTheTagOfSomethingElse(t *testing.T) {
	tok := tokenizer(t, nil)
	for _, name := range []string{"Body", "hidden", "HOST", "Class", "attached-subject", "field-body", "mark"} {
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
