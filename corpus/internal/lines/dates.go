package lines

import (
	"bytes"
	"strings"
	"time"
)

// ParseDate parses a date in any order that mail uses:
//
//	Thu, 22 Aug 2002 12:36:23 +0200 (CEST)    RFC 5322
//	Thu Aug 22 12:36:23 2002                  asctime, in From_ lines
//	Thu Aug 22 12:36:23 EDT 2002              date(1)
//
// The kind of each word decides and not its position; unknown words and comments in parentheses are skipped. Day, month and
// year are required. A missing time of day is midnight, a missing or unknown zone is UTC, and years of two or three digits
// follow RFC 5322, 4.3. The result is not ok if the day does not exist or the year is not from 1970 to 2099. The time is in
// UTC. Package net/mail rejects some of these dates and reads the zone EDT as UTC.
func ParseDate(text []byte) (t time.Time, ok bool) {
	var day, year int
	var mon time.Month
	var tod, offset time.Duration
	hasClock, hasZone := false, false
	for len(text) > 0 {
		var word []byte
		if word, text = nextDateWord(text); len(word) == 0 {
			continue
		}
		if n, isNumber := number(word); isNumber {
			switch {
			case day == 0 && len(word) <= 2:
				day = n
			case year == 0:
				year = fullYear(n, len(word))
			}
		} else if m, isMonth := month(word); isMonth && mon == 0 {
			mon = m
		} else if c, isClock := clock(word); isClock && !hasClock {
			tod, hasClock = c, true
		} else if z, isZone := zone(word); isZone && !hasZone {
			offset, hasZone = z, true
		}
	}
	if day == 0 || mon == 0 || !plausibleYear(year) {
		return time.Time{}, false
	}
	t = time.Date(year, mon, day, 0, 0, 0, 0, time.UTC)
	if t.Day() != day {
		return time.Time{}, false
	}
	return t.Add(tod - offset), true
}

// nextDateWord splits text after its first word. The word of a comment is empty.
func nextDateWord(text []byte) (word, rest []byte) {
	const space = " \t\r\n,"
	text = bytes.TrimLeft(text, space)
	if len(text) > 0 && text[0] == '(' {
		_, rest, _ = bytes.Cut(text, []byte(")"))
		return nil, rest
	}
	i := bytes.IndexAny(text, space+"(")
	if i < 0 {
		return text, nil
	}
	return text[:i], text[i:]
}

// number parses a word of one to four digits.
func number(word []byte) (n int, ok bool) {
	if len(word) == 0 || len(word) > 4 {
		return 0, false
	}
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

func plausibleYear(n int) bool { return 1970 <= n && n <= 2099 }

// fullYear adds the century to a year of two or three digits (RFC 5322, 4.3).
func fullYear(n, digits int) int {
	switch {
	case digits <= 2 && n < 50:
		return 2000 + n
	case digits <= 3:
		return 1900 + n
	}
	return n
}

// month parses the name of a month: three letters in any case.
func month(word []byte) (time.Month, bool) {
	i := strings.Index("jan feb mar apr may jun jul aug sep oct nov dec", strings.ToLower(string(word)))
	return time.Month(i/4 + 1), i >= 0 && len(word) == 3 && i%4 == 0
}

// clock parses hours, minutes and optional seconds: 9:05, 12:36:23.
func clock(word []byte) (time.Duration, bool) {
	var parts [3]int
	n := 0
	for more := true; more; n++ {
		var digits []byte
		digits, word, more = bytes.Cut(word, []byte(":"))
		v, ok := number(digits)
		if !ok || len(digits) > 2 || n == len(parts) {
			return 0, false
		}
		parts[n] = v
	}
	h, m, s := parts[0], parts[1], parts[2]
	if n < 2 || h > 23 || m > 59 || s > 60 {
		return 0, false
	}
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second, true
}

// zone parses +hhmm, -hhmm or a name that RFC 5322 defines.
func zone(word []byte) (time.Duration, bool) {
	switch string(word) {
	case "UT", "UTC", "GMT", "Z":
		return 0, true
	case "EDT":
		return -4 * time.Hour, true
	case "EST", "CDT":
		return -5 * time.Hour, true
	case "CST", "MDT":
		return -6 * time.Hour, true
	case "MST", "PDT":
		return -7 * time.Hour, true
	case "PST":
		return -8 * time.Hour, true
	}
	if len(word) != 5 || word[0] != '+' && word[0] != '-' {
		return 0, false
	}
	n, ok := number(word[1:])
	if !ok || n/100 > 23 || n%100 > 59 {
		return 0, false
	}
	d := time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute
	if word[0] == '-' {
		d = -d
	}
	return d, true
}
