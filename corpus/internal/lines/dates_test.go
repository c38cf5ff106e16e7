package lines

import (
	"testing"

	"chaff/internal/tabletest"
)

func TestParseDate(t *testing.T) {
	tabletest.Strings(t, func(in string) string {
		date, ok := ParseDate([]byte(in))
		if !ok {
			return ""
		}
		return date.Format("2006-01-02 15:04:05")
	}, [][3]string{
		{"RFC 5322", "Thu, 22 Aug 2002 12:36:23 +0200", "2002-08-22 10:36:23"},
		{"a comment after it", "Thu, 22 Aug 2002 12:36:23 -0700 (PDT)", "2002-08-22 19:36:23"},
		{"a comment within it", "Thu(1), 22 Aug (2) 2002 12:36:23 +0200", "2002-08-22 10:36:23"},
		{"a comment without end", "22 Aug 2002 12:36:23 (1999", "2002-08-22 12:36:23"},
		{"folded", "Thu, 22 Aug\r\n\t2002 12:36:23 +0200\r\n", "2002-08-22 10:36:23"},
		{"no weekday and no seconds", "2 Aug 2002 9:05 GMT", "2002-08-02 09:05:00"},
		{"a zone by name", "22 Aug 2002 12:36:23 EDT", "2002-08-22 16:36:23"},
		{"an unknown zone is UTC", "22 Aug 2002 12:36:23 XYZ", "2002-08-22 12:36:23"},
		{"the first zone counts", "22 Aug 2002 12:36:23 -0500 EDT", "2002-08-22 17:36:23"},
		{"asctime", "Thu Aug 22 12:36:23 2002", "2002-08-22 12:36:23"},
		{"date(1)", "Thu Aug  2 12:36:23 EST 2002", "2002-08-02 17:36:23"},
		{"two digits for a year of this century", "22 Aug 02 12:36:23 +0000", "2002-08-22 12:36:23"},
		{"two digits for a year of the last", "22 Aug 99 12:36:23 +0000", "1999-08-22 12:36:23"},
		{"three digits from a broken clock", "22 Aug 102 12:36:23 +0000", "2002-08-22 12:36:23"},
		{"no time of day", "22 Aug 2002", "2002-08-22 00:00:00"},
		{"a leap second", "31 Dec 2016 23:59:60 +0000", "2017-01-01 00:00:00"},
		{"29 February in a leap year", "29 Feb 2004 00:00", "2004-02-29 00:00:00"},
		{"29 February in another year", "29 Feb 2003 00:00", ""},
		{"no such day", "32 Aug 2002 12:36:23", ""},
		{"no year", "Thu, 22 Aug 12:36:23", ""},
		{"no month", "22 2002 12:36:23", ""},
		{"too long ago", "1 Jan 1904 00:00:00", ""},
		{"too far ahead", "1 Jan 2100 00:00:00", ""},
		{"nothing", "", ""},
	})
}
