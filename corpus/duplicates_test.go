package corpus

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

const letter = "From: ann@example.org\nSubject: tea\n on Friday\n\nDear Bob,\n\ncome to tea.\n"

func TestFingerprintOfTheSameMessage(t *testing.T) {
	tests := []struct{ about, raw string }{
		{"unchanged", letter},
		{"delivery fields on top", "Return-Path: <a@b>\nReceived: from x\n\tby y; Thu,\n 22 Aug\nDelivered-To: bob\n" + letter},
		{"names in any case", "RECEIVED: x\nx-spam-STATUS: Yes,\n hits=9\n" + letter},
		{"a blank before the colon", "Received : x\n" + letter},
		{"delivery fields further down", strings.Replace(letter, "Subject", "X-UID: 7\nStatus: RO\nSubject", 1)},
		{"verdicts of filters", "X-Spam-Level: ***\nX-Bogosity: Ham\nX-Chaff-Score: 1\nX-DSPAM-Result: x\nX-Rspamd-Queue-Id: x\nX-Spambayes-Classification: x\n" + letter},
		{"a From_ line", "From ann@example.org Thu Aug 22 12:36:23 2002\n" + letter},
		{"a quoted From_ line", ">From ann@example.org Thu Aug 22 12:36:23 2002\n" + letter},
		{"CRLF", strings.ReplaceAll(letter, "\n", "\r\n")},
		{"CR CR LF", strings.ReplaceAll(letter, "\n", "\r\r\n")},
		{"empty lines at the end", letter + "\n\r\n\n"},
		{"no line end at the end", strings.TrimRight(letter, "\n")},
		{"the end of a lost field on top", "\tfor <bob@example.org>\n" + letter},
	}
	want := Fingerprint([]byte(letter))
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			if got := Fingerprint([]byte(tt.raw)); got != want {
				t.Errorf("got %x, want %x", got, want)
			}
		})
	}
}

func TestFingerprintOfDifferentMessages(t *testing.T) {
	texts := []string{
		"", letter,
		strings.Replace(letter, "tea", "coffee", 1),
		strings.Replace(letter, " on Friday", " on Monday", 1),
		strings.Replace(letter, "come", "Come", 1),
		strings.Replace(letter, "Dear", "\nDear", 1),
		strings.Replace(letter, "Dear", "Received: x\nDear", 1), // in the body it is text
		strings.Replace(letter, ", ", ",\r", 1),
		strings.Replace(letter, "Bob,", "Bob\r,", 1),
		"Receivedx: a\n" + letter,
		"From : ann\n" + letter,
		"To: bob\n" + letter,
	}
	seen := map[uint64]string{}
	for _, text := range texts {
		sum := Fingerprint([]byte(text))
		if other, ok := seen[sum]; ok && other != text {
			t.Errorf("%q and %q have the same fingerprint", text, other)
		}
		seen[sum] = text
	}
	if len(seen) < 11 {
		t.Errorf("got %d fingerprints, want at least 11", len(seen))
	}
}

// Fingerprints may be stored, so they must never change.
func TestFingerprintIsTheSameForEver(t *testing.T) {
	const counts = "From: ann@example.org\nSubject: tea\n on Friday\n\nDear Bob,\n\ncome to tea."
	for _, want := range []uint64{xxhash.Sum64String(counts), 0xd97d1fd91ba2bbc7} {
		if got := Fingerprint([]byte("Received: x\n" + letter)); got != want {
			t.Errorf("got %#x, want %#x", got, want)
		}
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add([]byte(letter))
	f.Add([]byte(" x\n\t\n\n\r\r\nbody\r"))
	f.Add([]byte("From a\n b\nno colon\n:\n"))
	f.Add([]byte("Received: a\r\n b\r\n\r\n\r"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		want := Fingerprint(raw)
		for about, changed := range map[string][]byte{
			"a Received field on top": append([]byte("Received: from x\r\n\tby y; Thu, 22 Aug 2002 12:36:23 +0200\r\n"), raw...),
			"CRLF":                    bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n")),
			"empty lines at the end":  append(bytes.Clone(raw), "\n\r\n"...),
		} {
			if got := Fingerprint(changed); got != want {
				t.Errorf("%s: got %x, want %x", about, got, want)
			}
		}
	})
}

func TestFingerprintAllocatesNothing(t *testing.T) {
	raw := []byte("Received: x\n" + letter)
	if n := testing.AllocsPerRun(100, func() { Fingerprint(raw) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func BenchmarkFingerprint(b *testing.B) {
	header := "Received: from a.example by b.example; Thu, 22 Aug 2002 12:36:23 +0200\nFrom: ann@example.org\nSubject: tea\n\n"
	line := "The text of a letter, in lines of about seventy bytes each one or so.\n"
	for _, lines := range []int{40, 2000} {
		text := []byte(header + strings.Repeat(line, lines))
		for name, raw := range map[string][]byte{"LF": text, "CRLF": bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))} {
			b.Run(fmt.Sprintf("lines=%d/%s", lines, name), func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					Fingerprint(raw)
				}
			})
		}
	}
}
