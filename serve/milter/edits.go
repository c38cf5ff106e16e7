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
	clean, removed := verdictfield.Clean(header)
	if bytes.Equal(clean, header) {
		return nil, true
	}
	type change struct {
		position, index int    // among all fields, among those of its name
		name, clean     []byte // the name as it was, the field as it shall be
	}
	var changes []change
	start, at := 0, 0 // in header, in clean
	for i, end := range ends {
		field := header[start:end]
		length := len(field) - overlap(&removed, start, int(end))
		if now := clean[at : at+length]; !bytes.Equal(now, field) {
			name, _, _ := bytes.Cut(field, []byte(":"))
			changes = append(changes, change{position: i, name: name, clean: now})
			if len(changes) > maxEdits || len(name) > longName {
				return nil, false
			}
		}
		start, at = int(end), at+length
	}
	counts := map[string]int{} // of the names that matter
	for _, c := range changes {
		counts[lower(c.name)] = 0
	}
	start = 0
	for i, n := 0, 0; n < len(changes); i++ {
		name, _, _ := bytes.Cut(header[start:ends[i]], []byte(":"))
		start = int(ends[i])
		key := lower(name)
		count, matters := counts[key]
		if !matters {
			continue
		}
		counts[key] = count + 1
		if changes[n].position == i {
			changes[n].index = count + 1
			n++
		}
	}
	for _, c := range slices.Backward(changes) {
		name, value, found := bytes.Cut(bytes.TrimSuffix(c.clean, []byte("\r\n")), []byte(":"))
		if !leadingSpace {
			value = bytes.TrimPrefix(value, []byte(" "))
		}
		if found && bytes.Equal(name, c.name) {
			all = append(all, edit{index: c.index, name: string(name), value: string(value)})
			continue
		}
		all = append(all, edit{index: c.index, name: string(c.name)})
		if found { // under another name, behind the field Received that the server adds
			all = append(all, edit{insert: true, index: c.position + 1, name: string(name), value: string(value)})
		}
	}
	return all, len(all) <= maxEdits
}

// overlap returns how many bytes of a part are in spans, and drops the spans before it.
func overlap(spans *[][2]int, start, end int) int {
	n := 0
	for len(*spans) > 0 && (*spans)[0][0] < end {
		span := (*spans)[0]
		n += min(span[1], end) - max(span[0], start)
		if span[1] > end {
			break
		}
		*spans = (*spans)[1:]
	}
	return n
}
