package headerfield

import (
	"strings"
	"testing"
)

func TestFieldsHaveTheirKind(t *testing.T) {
	for _, tt := range []struct {
		about string
		names string
		want  Kind
	}{
		{"a part of the name says that it is a verdict", `x-rc-spam x-rc-virus x-spam-flag x-spam x-optus-cm-score
			x-razorgate-vade-verdict x-filter-id dkim-filter x_junk_score x.quarantine.id`, Verdict},
		{"the word is in a longer one", `x-spaminfo x-antivirus x-rav-antivirus x-uvscan-result x-virus-scanned x-edinburgh-scanned
			x-nuvotem-mailscanner x-vopfilter-ip x-yahoofilteredbulk x-sgbayessubmit spamtally
			x-ms-office365-filtering-correlation-id x-spambayes-classification x-dspam-result x-rspamd-server x-bogosity x-phishy
			x-greylisting x-quarantined`, Verdict},
		{"a short word is a part", `x-ham-report received-spf x-spf-result x-dmarc x-rbl-warning`, Verdict},
		{"a filter is known by its name", `x-crm114-status x-chaff-verdict authentication-results authentication-results-original
			x-message-delivery x-vade-example arc-seal`, Verdict},
		{"a mailbox or an archive notes it", `status x-status x-keywords x-uid x-uidl x-imapbase x-mozilla-status x-gmail-labels lines
			content-length`, Mailbox},
		{"relays write it", `received x-received return-path x-originalarrivaltime x-rcpt-example`, Trace},
		{"it names the recipient's mailbox", `delivered-to x-sieve x-rcpt-to resent-date`, Delivery},
		{"a list writes it", `list-id precedence sender x-mailman-version`, List},
		{"it is the date", `date x-date`, Date},
		{"it holds message ids", `message-id references`, MessageID},
		{"senders write it", `subject from x-priority x-msmail-priority x-mailer x-campaignid x-bulkmail x-operating-system
			x-report-abuse x-complaints-to dkim-signature x-message-flag x-shampoo importance statuses`, Content},
	} {
		for name := range strings.FieldsSeq(tt.names) {
			if got := KindOf([]byte(name)); got != tt.want {
				t.Errorf("%s: the kind of %s is %d, want %d", tt.about, name, got, tt.want)
			}
		}
	}
	if got := KindOf(nil); got != Content {
		t.Errorf("no name: got %d", got)
	}
}

func TestWhatIsAddedOnTheWay(t *testing.T) {
	for field, want := range map[string]bool{"received: x": true, "x-scan: x": true, "list-id: x": false, "precedence: bulk": false, "x-foo: x": false} {
		name, value, _ := strings.Cut(field, ": ")
		if got := IsAdded([]byte(name), []byte(value)); got != want {
			t.Errorf("%s: got %t, want %t", field, got, want)
		}
	}
}

func TestFieldsThatChaffWritesAreVerdicts(t *testing.T) {
	for _, prefix := range OwnPrefixes() {
		if got := KindOf([]byte(prefix + "x")); got != Verdict {
			t.Errorf("%s: got %d, want %d", prefix, got, Verdict)
		}
	}
}

func TestEveryListedNameDecides(t *testing.T) {
	all := map[string]bool{}
	for _, listed := range byStart() {
		for i, l := range listed {
			if all[l.text] || l.text != strings.ToLower(l.text) || !l.isWhole && isVerdict([]byte(l.text)) || isUsual([]byte(l.text)) {
				t.Errorf("%s never decides", l.text)
			}
			all[l.text] = true
			for _, before := range listed[:i] {
				if !l.isWhole && !before.isWhole && strings.HasPrefix(l.text, before.text) {
					t.Errorf("%s is behind %s and never decides", l.text, before.text)
				}
			}
		}
	}
	if len(all) < 200 {
		t.Errorf("there are %d names", len(all))
	}
}

func TestKindOfAllocatesNothing(t *testing.T) {
	name := []byte("x-ms-exchange-organization-network-message_id")
	if n := testing.AllocsPerRun(100, func() { KindOf(name) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
