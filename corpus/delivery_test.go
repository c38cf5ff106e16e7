package corpus

import (
	"strings"
	"testing"
	"time"

	"chaff/test/tabletest"
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
			got := DeliveryTime([]byte(tt.raw))
			want := time.Time{}
			if tt.day != 0 {
				want = time.Date(2002, 8, tt.day, 12, 0, 0, 0, time.UTC)
			}
			if !got.Equal(want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestReadableDates(t *testing.T) {
	tabletest.Strings(t, func(in string) string {
		date := parseDate([]byte(in))
		if date.IsZero() {
			return ""
		}
		return date.Format("2006-01-02 15:04:05")
	}, [][3]string{
		{"RFC 5322", "Thu, 22 Aug 2002 12:36:23 +0200", "2002-08-22 10:36:23"},
		{"a comment after it", "Thu, 22 Aug 2002 12:36:23 -0700 (PDT)", "2002-08-22 19:36:23"},
		{"folded", "Thu, 22 Aug\r\n\t2002 12:36:23 +0200\r\n", "2002-08-22 10:36:23"},
		{"no weekday and no seconds", "2 Aug 2002 9:05 GMT", "2002-08-02 09:05:00"},
		{"a zone that is a name is UTC", "22 Aug 2002 12:36:23 EDT", "2002-08-22 12:36:23"},
		{"asctime", "Thu Aug  2 12:36:23 2002", "2002-08-02 12:36:23"},
		{"in an mbox of Gmail", "Thu Aug 22 12:36:23 +0200 2002", "2002-08-22 10:36:23"},
		{"two digits for a year", "22 Aug 99 12:36:23 +0000", "1999-08-22 12:36:23"},
		{"no such day", "29 Feb 2003 00:00 +0000", ""},
		{"too long ago", "1 Jan 1904 00:00:00 +0000", ""},
		{"too far ahead", "1 Jan 2100 00:00:00 +0000", ""},
		{"long text", "22 Aug 2002 12:36:23" + strings.Repeat(" ", 100) + "+0000", ""},
		{"nothing", "", ""},
	})
}

func FuzzDeliveryTime(f *testing.F) {
	f.Add([]byte(letter))
	f.Add([]byte("Date: 22 Aug 02 12:36 -0730"))
	f.Add([]byte("Received: ;\n\n"))
	f.Add([]byte("From a Thu Aug 22 12:36:23 2002\nDate: 1 Jan 2100 0:00 +0000\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got := DeliveryTime(raw); !got.IsZero() && (got.Year() < 1970 || got.Year() > 2099) {
			t.Errorf("got %v", got)
		}
	})
}
