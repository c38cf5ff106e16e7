package lines

import (
	"bytes"
	"time"
)

// FromPrefix is the beginning of a From_ line.
const FromPrefix = "From "

// ParseFromLine reports whether line is a From_ line, which separates the messages of an mbox:
//
//	From ann@example.org Thu Aug 22 12:36:23 2002
//
// It returns the time in the line, or zero if that is incomplete. The line has no standard, and a paragraph of a letter may
// begin with "From", so the end of the line decides: its last words must form a date with a month and a time of day. After
// an address alone, a time of day or a year is enough.
func ParseFromLine(line []byte) (time.Time, bool) {
	_, date, ok := cutFromLine(line)
	if !ok {
		return time.Time{}, false
	}
	t, _ := ParseDate(date)
	return t, true
}

// IsFullFromLine reports whether line is a complete From_ line: one word for the sender, and a date with day, month, year and
// time of day. A line of a letter hardly ever is.
func IsFullFromLine(line []byte) bool {
	sender, date, ok := cutFromLine(line)
	if !ok || len(sender) == 0 || bytes.ContainsAny(sender, " \t") || !bytes.Contains(date, []byte(":")) {
		return false
	}
	_, ok = ParseDate(date)
	return ok
}

// cutFromLine splits a From_ line.
func cutFromLine(line []byte) (sender, date []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(FromPrefix))
	if !ok || bytes.IndexByte(rest, ':') < 0 && bytes.IndexByte(rest, '@') < 0 {
		return nil, nil, false // no time of day and no address, as in most lines of letters
	}
	// QUIRK: mail that came by UUCP has " remote from host" after the date.
	rest, _, _ = bytes.Cut(rest, []byte(" remote from "))
	rest = bytes.TrimRight(rest, " \t\r")
	sender, seen := trimDateWords(rest)
	address := bytes.Contains(sender, []byte("@")) && !bytes.ContainsAny(sender, " \t")
	if !seen.has(monthWord|clockWord) && !(address && (seen.has(clockWord) || seen.has(yearWord))) {
		return nil, nil, false
	}
	return sender, rest[len(sender):], true
}

// trimDateWords removes the words of a date from the end of line. It returns the rest and the kinds of the words.
func trimDateWords(line []byte) (before []byte, seen dateWord) {
	for {
		i := bytes.LastIndexAny(line, " \t") + 1
		kind := dateWordKind(line[i:])
		if kind == notDateWord {
			return line, seen
		}
		seen |= kind
		line = bytes.TrimRight(line[:i], " \t")
	}
}
