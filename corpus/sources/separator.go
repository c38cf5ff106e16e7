package sources

import (
	"bytes"
	"regexp"

	"chaff/internal/ascii"
	"chaff/internal/lines"
	"chaff/message"
)

// likeness is how much a line looks like a From_ line, which separates the messages of an mbox.
type likeness uint8

const (
	likeText   likeness = iota
	likeSender          // has a sender, a part of a date, or nothing after "From "
	likeDated           // has a sender and a date, in few words
	likePatch           // begins a patch of git
)

var (
	address     = regexp.MustCompile(`^(-|\S*@\S*[^\s:;,])$`)
	timeOfDay   = regexp.MustCompile(`\d\d?:\d\d`)
	year        = regexp.MustCompile(`(^|\D)(19[7-9]\d|20\d\d)(\D|$)`)
	longNumber  = regexp.MustCompile(`\d{4}`)
	numbers     = regexp.MustCompile(`^(-|\d*|[-\d .:+TZ]*\d{4}[-\d .:+TZ]*)$`)
	unixSeconds = regexp.MustCompile(`^\d{9,}$`)
	patchMark   = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64}) Mon Sep 17 00:00:00 2001$`)
)

// likenessOf returns the likeness of a line. The From_ line has no standard, and a paragraph of a letter may begin with "From":
//
//	From ann@example.org Thu Aug 22 12:36:23 2002    as RFC 4155 has it
//	From - jeu. août 22 12:36:23 2002                in another language
//	From ann@example.org 2002-08-22T12:36:23Z        ISO 8601, or the seconds of Unix
//	From 1844347792267117871                         numbers, an address, "-" or nothing
//
// So no list of months decides: a date has a year and a time of day, and at most three words without a digit, such as weekday, month and
// zone. After an address or "-", a part of a date is enough. After another word, a date in small letters may be prose.
func likenessOf(line []byte) likeness {
	const digits = "0123456789"
	rest, isFrom := bytes.CutPrefix(line, []byte(lines.FromPrefix))
	if !isFrom || len(line) > 1024 { // bytes, which no From_ line has
		return likeText
	}
	// QUIRK: mail that came by UUCP has " remote from host" after the date.
	rest, _, _ = bytes.Cut(rest, []byte(" remote from "))
	rest = bytes.Trim(rest, " \t\r")
	sender := ascii.Before(rest, " \t")
	date := ascii.Blank.TrimLeft(rest[len(sender):])
	if len(date) > 0 && !bytes.ContainsAny(rest, digits) {
		return likeText // as most lines of letters that begin with "From"
	}
	if patchMark.Match(rest) {
		return likePatch
	}
	known := address.Match(sender)
	hasTime, hasYear := timeOfDay.Match(date), year.Match(date)
	words := 0
	for word := range bytes.FieldsSeq(date) {
		if !bytes.ContainsAny(word, digits) {
			words++
		}
	}
	switch {
	case hasTime && hasYear && words <= 3 && (known || date[0] < 'a' || date[0] > 'z'):
		return likeDated
	case hasTime && hasYear, unixSeconds.Match(date), numbers.Match(rest), known && (len(date) == 0 || hasTime || longNumber.Match(date)):
		return likeSender
	}
	return likeText
}

// isField reports whether a line can begin a header field (RFC 5322, 2.2): a name of printable characters without blanks, and a colon.
// An address such as https://example.org is none.
func isField(line []byte) bool {
	name, value, ok := bytes.Cut(line, []byte(":"))
	return ok && len(name) > 0 && !bytes.ContainsFunc(name, func(c rune) bool { return c <= ' ' || c > '~' }) && !bytes.HasPrefix(value, []byte("//"))
}

// isMailField reports whether a line begins a header field that mail has, or one whose name has a hyphen.
func isMailField(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte(":"))
	return isField(line) && (bytes.IndexByte(name, '-') > 0 || message.IsMailField(name))
}

// lineEndOf returns the last byte of the lines of a file, as the first line has it: CR on an old Mac, otherwise LF.
func lineEndOf(head []byte) byte {
	if i := bytes.IndexAny(head, "\r\n"); i >= 0 {
		if next := bytes.TrimLeft(head[i:], "\r"); len(next) > 0 && next[0] != '\n' {
			return '\r'
		}
	}
	return '\n'
}
