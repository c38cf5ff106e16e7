package message

import (
	"bytes"
	"math"
)

// decodeReadings reads a message by the first of two values that contradict each other, and if there are such, again by the last.
//
// QUIRK: a field and a parameter occur once. Of two, some programs take the first and some the last, so a sender can show
// one text to a filter and another to people. Both readings share the limits.
func (d *Decoder) decodeReadings(data []byte) {
	d.takesLast, d.isAmbiguous = false, false
	d.read(data)
	if !d.isAmbiguous {
		return
	}
	first := d.msg
	first.Repairs.add(Contradiction)
	known := newItemSet(&first)
	d.msg, d.attached, d.links.all = Message{}, nil, nil
	d.repairs, d.takesLast = 0, true
	d.read(data)
	known.merge(&first, &d.msg, d.options)
	d.msg, d.takesLast = first, false
}

// usesValue reports whether a value of a field counts. Given is the value of the previous field of that name, or nil.
func (h *headers) usesValue(given *[]byte, value []byte) bool {
	before := *given
	if *given = value; before == nil {
		if value == nil {
			*given = []byte{}
		}
		return true
	}
	if string(before) != string(value) {
		h.isAmbiguous = true
	}
	return h.takesLast
}

// itemSet is the set of items that the readings of a message have found.
type itemSet map[string]bool

func newItemSet(m *Message) itemSet {
	s := itemSet{}
	s.merge(&Message{}, m, Options{MaxParts: math.MaxInt, MaxHeaderFields: math.MaxInt})
	return s
}

// merge adds to m the new items of a further reading.
func (s itemSet) merge(m, further *Message, o Options) {
	for _, p := range further.Parts {
		isNew := s.add("text", p.Filename, p.Text, p.Hidden) // whatever its type
		if p.Text == nil {
			isNew = s.add("file", p.Filename, p.Type)
		}
		if isNew && len(m.Parts) == o.MaxParts {
			m.Repairs.add(CutParts)
			break
		}
		if isNew {
			m.Parts = append(m.Parts, p)
		}
	}
	for _, l := range further.Links {
		if s.add(l.Kind.String(), l.URL, l.Text) {
			m.Links = append(m.Links, l)
		}
	}
	for _, f := range further.Attached {
		isNew := s.add("field", f.Name, f.Value)
		if isNew && len(m.Header)+len(m.Attached) == o.MaxHeaderFields {
			m.Repairs.add(CutHeader)
			break
		}
		if isNew {
			m.Attached = append(m.Attached, f)
		}
	}
	m.Repairs |= further.Repairs.Cut()
	m.Marks |= further.Marks
}

// add reports whether an item of that kind is new, and adds it.
func (s itemSet) add(kind string, pieces ...[]byte) bool {
	key := kind + "\x00" + string(bytes.Join(pieces, []byte{0}))
	isNew := !s[key]
	s[key] = true
	return isNew
}
