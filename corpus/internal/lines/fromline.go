package lines

import (
	"bytes"
	"time"
)

// FromPrefix is how a From_ line begins.
const FromPrefix = "From "

// ParseFromLine reports whether line is a From_ line, the mark between two
// messages of an mbox:
//
//	From ann@example.org Thu Aug 22 12:36:23 2002
//
// and returns the time in it, or zero if it is incomplete. There is no standard
// for the line, and a paragraph of a letter may begin with "From", so the end of
// the line decides: its last words must be those of a date, with a month and a
// time of day among them. After an address and nothing else, a time of day or a
// year will do.
func ParseFromLine(line []byte) (time.Time, bool) {
	_, date, ok := cutFromLine(line)
	if !ok {
		return time.Time{}, false
	}
	t, _ := ParseDate(date)
	return t, true
}

// IsFullFromLine reports whether line is a From_ line that lacks nothing: one word
// for the sender, and a date with day, month, year and time of day. A line of a
// letter is hardly ever such a one.
func IsFullFromLine(line []byte) bool {
	sender, date, ok := cutFromLine(line)
	if !ok || len(sender) == 0 || bytes.ContainsAny(sender, " \t") || !bytes.Contains(date, []byte(":")) {
		return false
	}
	_, ok = ParseDate(date)
	return ok
}

// cutFromLine takes a From_ line apart.
func cutFromLine(line []byte) (sender, date []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(FromPrefix))
	if !ok || bytes.IndexByte(rest, ':') < 0 && bytes.IndexByte(rest, '@') < 0 {
		return nil, nil, false // no time of day and no address: most lines of letters are done with here
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

// trimDateWords takes the words of a date off the end of line, and returns what is
// before them and the kinds of word there were.
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
