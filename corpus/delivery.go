package corpus

import (
	"bytes"
	"time"
)

// DeliveryTime returns when a message was delivered, in UTC, as the message itself
// tells it. The first of these that has a readable date decides:
//
//  1. the topmost Received or X-Received field, whose date stands after its last
//     semicolon; where that has no readable date, the next one below
//  2. the From_ line of an mbox, which has no zone and is taken as UTC
//  3. the Date field, which the sender may have made up
//
// A date is readable if it has a day, a month and a year from 1970 to 2099.
func DeliveryTime(raw []byte) (time.Time, bool) {
	var from, date time.Time
	for {
		field, rest, ok := cutField(raw)
		if !ok {
			break
		}
		raw = rest
		if isFromLine(field) {
			if t, ok := parseFromLine(trimLineEnd(bytes.TrimPrefix(field, []byte(">")))); ok && from.IsZero() {
				from = t
			}
			continue
		}
		name := nameOf(field)
		switch string(name.bytes[:name.n]) {
		case "received", "x-received":
			if i := bytes.LastIndexByte(field, ';'); i >= 0 {
				if t, ok := parseDate(field[i+1:]); ok {
					return t, true
				}
			}
		case "date":
			if t, ok := parseDate(field[bytes.IndexByte(field, ':')+1:]); ok && date.IsZero() {
				date = t
			}
		}
	}
	if !from.IsZero() {
		return from, true
	}
	return date, !date.IsZero()
}
