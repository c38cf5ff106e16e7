package corpus

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/termkey"
)

// key is a key as good as any.
var key = termkey.New([16]byte{1})

const letter = "From: ann@example.org\nSubject: tea\n on Friday\n\nDear Bob,\n\ncome to tea.\n"

func TestFingerprintOfTheSameMessage(t *testing.T) {
	tests := []struct{ about, raw string }{
		{"unchanged", letter},
		{"delivery fields on top", "Return-Path: <a@b>\nReceived: from x\n\tby y; Thu,\n 22 Aug\nDelivered-To: bob\n" + letter},
		{"names in any case", "RECEIVED: x\nx-spam-STATUS: Yes,\n hits=9\n" + letter},
		{"a blank before the colon", "Received : x\n" + letter},
		{"delivery fields further down", strings.Replace(letter, "Subject", "X-UID: 7\nStatus: RO\nSubject", 1)},
		{"delivery fields at the end of the header", strings.Replace(letter, "\n\n", "\nStatus: RO\n\n", 1)},
		{"a copy that passed SpamAssassin", "X-Spam-Checker-Version: SpamAssassin 4.0.1 on mx\nX-Spam-Level: ***\nX-Spam-Status: No, score=3.1\n\ttests=BAYES_50 autolearn=no\nX-Spam-Report: \n\t*  0.8 BAYES_50\n" + letter},
		{"a copy that passed rspamd", "X-Rspamd-Queue-Id: 4F2\nX-Rspamd-Server: mx\nX-Spamd-Result: default: False [1.2 / 15]\nX-Spamd-Bar: +\nX-Rspamd-Action: no action\n" + letter},
		{"a copy that passed bogofilter", "X-Bogosity: Unsure, tests=bogofilter, spamicity=0.52, version=1.2.5\n" + letter},
		{"a copy that passed other filters", "X-Chaff-Score: 1\nX-DSPAM-Result: x\nX-Spambayes-Classification: ham\nX-CRM114-Status: Good\nX-Example-MailScanner: Found to be clean\nX-Virus-Scanned: by amavis\nX-Proofpoint-Spam-Details: rule=x\nX-Barracuda-Connect: a.example[192.0.2.1]\n" + letter},
		{"a copy that passed an Exchange server", "X-MS-Exchange-Organization-SCL: 1\nX-MS-Exchange-Organization-AuthSource: mx.example\nX-MS-Exchange-Transport-CrossTenantHeadersStamped: MX1\nX-Microsoft-Antispam: BCL:0;\nX-Forefront-Antispam-Report: CIP:192.0.2.1;\nX-MS-Office365-Filtering-Correlation-Id: 7\nX-EOPAttributedMessage: 0\nX-OriginalArrivalTime: 22 Aug 2002 12:36:23.0000 (UTC)\nAuthentication-Results: spf=pass\nReceived-SPF: Pass\nARC-Seal: i=1\n" + letter},
		{"a copy in mailboxes", strings.Replace(letter, "Subject", "Status: RO\nX-Status: A\nX-UID: 7\nX-Keywords:   \nX-IMAPbase: 1 2\nX-Mozilla-Status: 0001\nX-Mozilla-Status2: 00000000\nX-Mozilla-Keys: \nX-Gmail-Labels: Inbox\nX-Evolution-Source: x\nContent-Length: 30\nLines: 3\nSubject", 1)},
		{"a From_ line", "From ann@example.org Thu Aug 22 12:36:23 2002\n" + letter},
		{"a quoted From_ line", ">From ann@example.org Thu Aug 22 12:36:23 2002\n" + letter},
		{"CRLF", strings.ReplaceAll(letter, "\n", "\r\n")},
		{"CR CR LF", strings.ReplaceAll(letter, "\n", "\r\r\n")},
		{"empty lines at the end", letter + "\n\r\n\n"},
		{"no line end at the end", strings.TrimRight(letter, "\n")},
		{"the end of a lost field on top", "\tfor <bob@example.org>\n" + letter},
	}
	want := Fingerprint([]byte(letter), key)
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			if got := Fingerprint([]byte(tt.raw), key); got != want {
				t.Errorf("got %x, want %x", got, want)
			}
		})
	}
}

func TestFingerprintOfAMessageWithQuotedFromLines(t *testing.T) {
	const text = "Subject: a\n\nFrom here\nFrom there\n> From afar\n\nFrom home"
	want, splitKey := Hashes([]byte(text), key)
	for _, quoted := range []string{
		strings.ReplaceAll(text, "\nFrom", "\n>From"), strings.ReplaceAll(text, "\nFrom", "\n>>From"),
		strings.ReplaceAll(strings.ReplaceAll(text, "\nFrom", "\n>>From"), "\n", "\r\n"), "From a@b Thu Aug 22 12:36:23 2002\n" + text,
	} {
		if got := Fingerprint([]byte(quoted), key); got != want {
			t.Errorf("%q: got %x, want %x", quoted, got, want)
		}
	}
	if _, got := Hashes([]byte(strings.ReplaceAll(text, "\nFrom", "\n>From")), key); got == splitKey {
		t.Error("the split key has changed")
	}
	for _, other := range []string{strings.Replace(text, "> From", "From", 1), strings.Replace(text, "From here", ">from here", 1)} {
		if Fingerprint([]byte(other), key) == want {
			t.Errorf("%q has the same fingerprint", other)
		}
	}
}

func TestFingerprintOfDifferentMessages(t *testing.T) {
	texts := []string{
		"", letter,
		strings.Replace(letter, "tea", "coffee", 1),
		strings.Replace(letter, " on Friday", " on Monday", 1),
		strings.Replace(letter, "come", "Come", 1),
		strings.Replace(letter, "Dear", "\nDear", 1),
		strings.Replace(letter, "Dear", "Received: x\nDear", 1), // text in the body
		strings.Replace(letter, ", ", ",\r", 1),
		strings.Replace(letter, "Bob,", "Bob\r,", 1),
		strings.Replace(letter, "Bob,", "Rob\r,", 1),
		"Receivedx: a\n" + letter,
		"From : ann\n" + letter,
		"To: bob\n" + letter,
	}
	seen := map[uint64]string{}
	for _, text := range texts {
		sum := Fingerprint([]byte(text), key)
		if other, ok := seen[sum]; ok && other != text {
			t.Errorf("%q and %q have the same fingerprint", text, other)
		}
		seen[sum] = text
	}
	if len(seen) < 11 {
		t.Errorf("got %d fingerprints, want at least 11", len(seen))
	}
}

func TestFingerprintsAreMadeUnderTheKey(t *testing.T) {
	want := key.New()
	want.Write([]byte("From: ann@example.org\nSubject: tea\n on Friday\n\nDear Bob,\n\ncome to tea."))
	if got := Fingerprint([]byte(letter), key); got != want.Sum64() {
		t.Errorf("got %x, want the hash under the key, %x", got, want.Sum64())
	}
	fingerprint, splitKey := Hashes([]byte(letter), termkey.New([16]byte{2}))
	if _, same := Hashes([]byte(letter), key); fingerprint == want.Sum64() || splitKey != same {
		t.Errorf("under another key: %x and the split key %x, want another fingerprint and the same split key", fingerprint, splitKey)
	}
}

// A different split key would move messages to other parts.
func TestSplitKeyNeverChanges(t *testing.T) {
	const counted = "From: ann@example.org\nSubject: tea\n on Friday\n\nDear Bob,\n\ncome to tea."
	for added, want := range map[string]uint64{
		"Received: x\n": 0xd97d1fd91ba2bbc7,
		"Return-Path: x\nDelivered-To: x\nX-Envelope-From: x\nStatus: x\nX-Mozilla-Status: x\nX-Spam-Flag: x\nX-Bogosity: x\n": xxhash.Sum64String(counted),
		"X-Virus-Scanned: x\n":  xxhash.Sum64String("X-Virus-Scanned: x\n" + counted),
		"X-Originating-IP: x\n": xxhash.Sum64String("X-Originating-IP: x\n" + counted),
	} {
		if _, got := Hashes([]byte(added+letter), key); got != want {
			t.Errorf("behind %q: got %#x, want %#x", added, got, want)
		}
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add([]byte(letter))
	f.Add([]byte(" x\n\t\n\n\r\r\nbody\r"))
	f.Add([]byte("From a\n b\nno colon\n:\n"))
	f.Add([]byte("Received: a\r\n b\r\n\r\n\r"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		want := Fingerprint(raw, key)
		for about, changed := range map[string][]byte{
			"a Received field on top": append([]byte("Received: from x\r\n\tby y; Thu, 22 Aug 2002 12:36:23 +0200\r\n"), raw...),
			"CRLF":                    bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n")),
			"empty lines at the end":  append(bytes.Clone(raw), "\n\r\n"...),
		} {
			if got := Fingerprint(changed, key); got != want {
				t.Errorf("%s: got %x, want %x", about, got, want)
			}
		}
	})
}

func TestHashingAllocatesNothingForAField(t *testing.T) {
	allocated := func(raw []byte) float64 { return testing.AllocsPerRun(100, func() { Fingerprint(raw, key) }) }
	raw := []byte("Received: x\nX-MS-Exchange-Organization-Network-Message-Id: x\nX-Unknown_Field: x\n" + letter)
	if bare, n := allocated(nil), allocated(raw); n > bare {
		t.Errorf("got %v allocations, want the %v of an empty message", n, bare)
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
					Fingerprint(raw, key)
				}
			})
		}
	}
}
