package corpus

import (
	"bytes"
	"time"

	"chaff/corpus/internal/lines"
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
//
// Where a message is kept may tell more. This is the rule for each source, in
// which Item.Time comes first if it is not zero, and DeliveryTime else:
//
//   - Maildir: the seconds in the name of the file (Item.Time), which the program
//     that delivered the message has written; else the message itself
//   - mbox: the message itself. The From_ line comes after Received, because mail
//     programs that file a message write the time of filing there, in local time
//   - MH, Thunderbird, Apple Mail, folders, single messages, and archives and
//     lists of these: the message itself
//
// Messages of the same time, and those without any, stay in the order in which the
// source lists them: by the unique part of the name in a Maildir, by number in an
// MH folder, by name in other folders, by place in an mbox file, an archive or a
// list.
func DeliveryTime(raw []byte) (time.Time, bool) {
	var from, date time.Time
	for {
		field, rest, ok := lines.CutField(raw)
		if !ok {
			break
		}
		raw = rest
		if lines.IsFromLine(field) {
			if t, ok := lines.ParseFromLine(lines.TrimLineEnd(bytes.TrimPrefix(field, []byte(">")))); ok && from.IsZero() {
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
