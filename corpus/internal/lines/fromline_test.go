package lines

import "testing"

func TestParseFromLine(t *testing.T) {
	const want = "2002-08-22 12:36:23"
	for _, tt := range []struct {
		about, line, time string // time "" means none
		ok                bool
	}{
		{"as in RFC 4155", "From ann@example.org Thu Aug 22 12:36:23 2002", want, true},
		{"two blanks", "From ann@example.org  Thu Aug 22 12:36:23 2002", want, true},
		{"CR at the end", "From ann@example.org Thu Aug 22 12:36:23 2002\r", want, true},
		{"no seconds", "From ann@example.org Thu Aug 22 12:36 2002", "2002-08-22 12:36:00", true},
		{"a zone before the year", "From ann@example.org Thu Aug 22 12:36:23 EDT 2002", "2002-08-22 16:36:23", true},
		{"a zone at the end", "From ann@example.org Thu Aug 22 12:36:23 2002 +0200", "2002-08-22 10:36:23", true},
		{"in the order of RFC 5322", "From ann@example.org Thu, 22 Aug 2002 12:36:23 +0000", want, true},
		{"a sender without a host", "From MAILER-DAEMON Thu Aug 22 12:36:23 2002", want, true},
		{"a dash for the sender", "From - Thu Aug 22 12:36:23 2002", want, true},
		{"no sender", "From  Thu Aug 22 12:36:23 2002", want, true},
		{"a sender in words", `From "Ann Lee" <ann@example.org> Thu Aug 22 12:36:23 2002`, want, true},
		{"what Gmail exports", "From 1783@xxx Thu Aug 22 12:36:23 +0000 2002", want, true},
		{"Eudora", "From ???@??? Thu Aug 22 12:36:23 2002", want, true},
		{"UUCP", "From ann Thu Aug 22 12:36:23 2002 remote from host", want, true},
		{"no year", "From ann@example.org Thu Aug 22 12:36:23", "", true},
		{"only a year after an address", "From ann@example.org 2002", "", true},
		{"no date", "From ann@example.org", "", false},
		{"prose", "From here on it is easy", "", false},
		{"prose with a time", "From Monday 10:30 the office is open", "", false},
		{"prose that ends in a time", "From the office we go at 10:30", "", false},
		{"prose that ends in a year", "From the beginning until May 2003", "", false},
		{"prose that begins with a year", "From 2002 to 2003", "", false},
		{"a field", "From: ann@example.org Thu Aug 22 12:36:23 2002", "", false},
		{"quoted", ">From ann@example.org Thu Aug 22 12:36:23 2002", "", false},
		{"nothing", "From ", "", false},
	} {
		t.Run(tt.about, func(t *testing.T) {
			date, ok := ParseFromLine([]byte(tt.line))
			got := ""
			if !date.IsZero() {
				got = date.Format("2006-01-02 15:04:05")
			}
			if ok != tt.ok || got != tt.time {
				t.Errorf("got %q, %v, want %q, %v", got, ok, tt.time, tt.ok)
			}
		})
	}
}

func TestIsFullFromLine(t *testing.T) {
	for want, lines := range map[bool]map[string]string{
		true: {
			"sender and date":         "From ann@example.org Thu Aug 22 12:36:23 2002",
			"a sender without a host": "From MAILER-DAEMON Thu Aug 22 12:36:23 2002",
			"the dash of Thunderbird": "From - Thu Aug 22 12:36:23 2002",
			"a zone":                  "From ann@example.org Thu Aug 22 12:36:23 2002 +0200",
		},
		false: {
			"no sender":             "From  Thu Aug 22 12:36:23 2002",
			"a sender of two words": "From Ann Lee Thu Aug 22 12:36:23 2002",
			"no year":               "From ann@example.org Thu Aug 22 12:36:23",
			"no time of day":        "From ann@example.org 22 Aug 2002",
			"no such day":           "From ann@example.org Thu Aug 32 12:36:23 2002",
			"a field":               "From: ann@example.org Thu Aug 22 12:36:23 2002",
		},
	} {
		for about, line := range lines {
			if got := IsFullFromLine([]byte(line)); got != want {
				t.Errorf("%s: got %v, want %v", about, got, want)
			}
		}
	}
}
