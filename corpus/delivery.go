package corpus

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"chaff/internal/lines"
)

// DeliveryTime returns when a message was delivered, in UTC, according to the message itself, zero if it does not say. The first readable date counts:
//
//  1. after the last semicolon of a Received or X-Received field, from the top
//  2. in the From_ line of an mbox, taken as UTC. It comes after Received because mail programs that file a message write the
//     time of filing there, in local time
//  3. in the Date field, which the sender may have made up
//
// A date is readable if it is written as RFC 5322 or asctime say, in a year from 1970 to 2099. A zone that is a name is UTC.
//
// Callers use [Item.Time] first, if it is not zero. Messages with the same time, or none, keep the order of their source: by the
// unique part of the name in a Maildir, by number in an MH folder, by name in other folders, by position in an mbox file, an
// archive or a list.
func DeliveryTime(raw []byte) time.Time {
	var from, date time.Time
	var room [lines.NameSize]byte
	for field, rest, ok := lines.CutField(raw); ok; field, rest, ok = lines.CutField(rest) {
		if lines.IsFromLine(field) {
			_, date, _ := bytes.Cut(field[bytes.IndexByte(field, ' ')+1:], []byte(" ")) // after the sender
			if from.IsZero() {
				from = parseDate(date)
			}
			continue
		}
		switch string(lines.AppendName(room[:0], field)) {
		case "received", "x-received":
			if i := bytes.LastIndexByte(field, ';'); i >= 0 {
				if t := parseDate(field[i+1:]); !t.IsZero() {
					return t
				}
			}
		case "date":
			if date.IsZero() {
				date = parseDate(field[bytes.IndexByte(field, ':')+1:])
			}
		}
	}
	return cmp.Or(from, date)
}

// FilingTime returns when Thunderbird wrote the message raw into the mbox that it is from, in local time; zero for a message of another program.
func FilingTime(raw []byte) time.Time {
	date, isOfThunderbird := bytes.CutPrefix(raw[:lines.LineEnd(raw)], []byte(lines.FromPrefix+"- "))
	if !isOfThunderbird {
		return time.Time{}
	}
	return parseDate(date)
}

// parseDate parses a date of RFC 5322 or asctime. It returns zero for a date that is not readable.
//
// Package net/mail is not used: it links the network into chaff-classify, and reads names of zones by the zone of the machine.
func parseDate(text []byte) time.Time {
	const longest = 100
	date, _, _ := strings.Cut(string(text[:min(len(text), longest)]), "(") // a comment
	date = strings.Join(strings.Fields(date), " ")
	if _, behind, found := strings.Cut(date, ", "); found {
		date = behind
	}
	for _, layout := range [...]string{
		"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 -0700", "2 Jan 06 15:04:05 -0700", "2 Jan 2006 15:04:05 MST", "2 Jan 2006 15:04 MST",
		time.ANSIC, "Mon Jan _2 15:04:05 -0700 2006",
	} {
		if t, err := time.ParseInLocation(layout, date, time.UTC); err == nil && t.UTC().Year() >= 1970 && t.UTC().Year() < 2100 {
			return t.UTC()
		}
	}
	return time.Time{}
}
