package corpus

import (
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"chaff/corpus/internal/lines"
)

func TestDeliveryTime(t *testing.T) {
	const (
		from     = "From ann@example.org Fri Aug 23 12:00:00 2002\n"
		received = "Received: from a (b; c)\n\tby d; Thu, 22 Aug 2002\n\t12:00:00 +0000\n"
		older    = "Received: from x by y; Wed, 21 Aug 2002 12:00:00 +0000\n"
		date     = "Date: Tue, 20 Aug 2002 12:00:00 +0000\n"
	)
	tests := []struct {
		about, raw string
		day        int // of August 2002; 0 for no time
	}{
		{"the topmost Received field", from + date + received + older, 22},
		{"X-Received is as good", "X-" + received + older + date, 22},
		{"a Received field without a date is passed over", "Received: by z; soon\n" + older + date, 21},
		{"a Received field without a semicolon is passed over", "Received: by z 19 Aug 2002\n" + older, 21},
		{"the From_ line without Received fields", from + date, 23},
		{"a quoted From_ line", ">" + from + date, 23},
		{"the Date field without either", "Subject: a\n" + date, 20},
		{"the first Date field of two", date + "Date: 19 Aug 2002 12:00:00 +0000\n", 20},
		{"the Date field where the From_ line has no date", "From ann@example.org\n" + date, 20},
		{"CRLF", strings.ReplaceAll(received+date, "\n", "\r\n"), 22},
		{"the body does not count", "Subject: a\n\n" + received + date, 0},
		{"no date at all", "Subject: a\n\nb\n", 0},
		{"no message", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			got, ok := DeliveryTime([]byte(tt.raw))
			want := time.Time{}
			if tt.day != 0 {
				want = time.Date(2002, 8, tt.day, 12, 0, 0, 0, time.UTC)
			}
			if !got.Equal(want) || ok != (tt.day != 0) {
				t.Errorf("got %v, %v, want %v", got, ok, want)
			}
		})
	}
}

func FuzzDeliveryTime(f *testing.F) {
	f.Add([]byte("Thu, 22 Aug 2002 12:36:23 +0200"), []byte(letter))
	f.Add([]byte("22 Aug 02 12:36 -0730"), []byte("Date: 1"))
	f.Add([]byte("1 Aug 00 0:00 +00000 +0100"), []byte(""))
	f.Add([]byte("Thu Aug 22 12:36:23 2002"), []byte("Received: ;\n\n"))
	f.Add([]byte("2 Aug 2002 10:34:23 +2422"), []byte(""))
	f.Add([]byte("1 Jan 70 0:0 (x) -2359"), []byte("From a 1 Jan 1970 00:00\nDate: 1 Jan 2100\n"))
	numericZone := regexp.MustCompile(`^[^+-]* [+-]([01][0-9]|2[0-3])[0-5][0-9]$`) // no other zone, and none of a day or more
	f.Fuzz(func(t *testing.T, text, raw []byte) {
		if got, ok := DeliveryTime(raw); ok == got.IsZero() || ok && (got.Year() < 1969 || got.Year() > 2100) {
			t.Errorf("got %v, %v", got, ok)
		}
		// Dates with a zone in digits must have the same time as in the standard library.
		want, err := mail.ParseDate(string(text))
		if err != nil || !numericZone.Match(text) || want.Year() < 1970 || want.Year() > 2049 {
			return
		}
		if got, ok := lines.ParseDate(text); !ok || !got.Equal(want) {
			t.Errorf("%q: got %v, %v, net/mail reads %v", text, got, ok, want)
		}
	})
}
