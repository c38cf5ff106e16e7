package milter

import (
	"bytes"
	"slices"

	"chaff/internal/verdictfield"
)

// edit changes or removes a field, or inserts one. Values have line ends of CR LF.
type edit struct {
	insert      bool
	index       int // of the fields with this name, from 1; when inserting, of all fields, from 0
	name, value string
}

// editsOf returns the edits that make a header what [verdictfield.Clean] makes of it, from the last field to the first. The fields end at the given offsets. With
// leadingSpace, values include the blank behind the colon. It also reports whether they are few, and their names short, so that they take little memory.
func editsOf(header []byte, ends []int32, leadingSpace bool) (all []edit, isFew bool) {
	clean, offsetOf := verdictfield.Clean(header)
	if bytes.Equal(clean, header) {
		return nil, true
	}
	changed := map[int][]byte{} // fields as they shall be, by their positions
	counts := map[string]int{}  // of the fields with their names
	start, from := 0, 0         // in header, in clean
	for i, end := range ends {
		field, to := header[start:end], offsetOf(int(end))
		if now := clean[from:to]; !bytes.Equal(now, field) {
			name, _, _ := bytes.Cut(field, []byte(":"))
			changed[i], counts[lower(name)] = now, 0
			if len(changed) > maxEdits || len(name) > longName {
				return nil, false
			}
		}
		start, from = int(end), to
	}
	start = 0
	for i, end := range ends {
		name, _, _ := bytes.Cut(header[start:end], []byte(":"))
		start = int(end)
		key := lower(name)
		if _, matters := counts[key]; !matters { // a message may have a million other names
			continue
		}
		counts[key]++
		now, isChanged := changed[i]
		if !isChanged {
			continue
		}
		newName, value, found := bytes.Cut(bytes.TrimSuffix(now, []byte("\r\n")), []byte(":"))
		if !leadingSpace {
			value = bytes.TrimPrefix(value, []byte(" "))
		}
		if bytes.Equal(newName, name) {
			all = append(all, edit{index: counts[key], name: string(name), value: string(value)})
			continue
		}
		if found { // under another name, behind the field Received that the server adds
			all = append(all, edit{insert: true, index: i + 1, name: string(newName), value: string(value)})
		}
		all = append(all, edit{index: counts[key], name: string(name)})
	}
	slices.Reverse(all)
	return all, len(all) <= maxEdits
}
