package tokenize

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

// Case 29: what filters of any name wrote leaves no term, no pair and no run of bytes.
func TestVerdictsByTheirValueAreNeverLookedAt(t *testing.T) {
	raw, err := os.ReadFile("../test/cases/29-verdict-headers/mail.eml")
	if err != nil {
		t.Fatal(err)
	}
	start, end := bytes.Index(raw, []byte("X-ESET")), bytes.Index(raw, []byte("\n\n"))+1
	clean := string(raw[:start]) + string(raw[end:])
	if strings.Count(string(raw), "\n")-strings.Count(clean, "\n") != 10 {
		t.Fatalf("the case has changed: %q", clean)
	}
	sameTerms(t, string(raw), clean)
}

func TestTagsOfServersLeaveNoTerm(t *testing.T) {
	sameTerms(t, "Subject: *****SPAM***** cheap tablets\nFrom: a@a.example\n\nx", "Subject: cheap tablets\nFrom: a@a.example\n\nx")
	sameTerms(t, "Subject: =?utf-8?q?=5BSPAM=5D?= tablets\n\nx", "Subject: tablets\n\nx")
	const attached = "\nContent-Type: message/rfc822\n\nSubject: %tablets\n\nx"
	sameTerms(t, strings.Replace("Subject: a"+attached, "%", "{Spam?} ", 1), strings.Replace("Subject: a"+attached, "%", "", 1))
}

// sameTerms fails if two messages have different terms or runs of bytes.
func sameTerms(t *testing.T, a, b string) {
	t.Helper()
	tok := tokenizer(t, func(o *Options) {
		o.Pairs, o.Structure, o.Received, o.GramHeaderBytes, o.GramTextBytes = true, true, true, 1000, 100
	})
	if got, want := termsOf(tok, a), termsOf(tok, b); !slices.Equal(got, want) {
		t.Errorf("got the terms %q, want %q", got, want)
	}
	if got, want := gramsOf(tok, a), gramsOf(tok, b); !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("got the runs %q, want %q", got, want)
	}
}
