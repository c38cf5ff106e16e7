package corpus

import (
	"bytes"
	"time"

	"chaff/corpus/internal/lines"
)

// DeliveryTime returns when a message was delivered, in UTC, according to the message itself. The first readable date counts:
//
//  1. after the last semicolon of a Received or X-Received field, from the top
//  2. in the From_ line of an mbox, taken as UTC. It comes after Received because mail programs that file a message write the
//     time of filing there, in local time
//  3. in the Date field, which the sender may have made up
//
// A date is readable if it has a day, a month and a year from 1970 to 2099.
//
// Callers use [Item.Time] first, if it is not zero. Messages with the same time, or none, keep the order of their source: by the
// unique part of the name in a Maildir, by number in an MH folder, by name in other folders, by position in an mbox file, an
// archive or a list.
func DeliveryTime(raw []byte) (time.Time, bool) {
	var from, date time.Time
	for {
		field, rest, ok := lines.CutField(raw)
		if !ok {
			break
		}
		raw = rest
		if lines.IsFromLine(field) {
			_, date, _ := bytes.Cut(field[bytes.IndexByte(field, ' ')+1:], []byte(" ")) // after the sender
			if t, ok := lines.ParseDate(date); ok && from.IsZero() {
				from = t
			}
			continue
		}
		name := lines.NameOf(field)
		switch string(name.Text()) {
		case "received", "x-received":
			if i := bytes.LastIndexByte(field, ';'); i >= 0 {
				if t, ok := lines.ParseDate(field[i+1:]); ok {
					return t, true
				}
			}
		case "date":
			if t, ok := lines.ParseDate(field[bytes.IndexByte(field, ':')+1:]); ok && date.IsZero() {
				date = t
			}
		}
	}
	if !from.IsZero() {
		return from, true
	}
	return date, !date.IsZero()
}
