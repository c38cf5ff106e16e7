package message

import "hash/maphash"

// reading says which of two values counts where a message gives two that differ. The first one does where no bit is set.
type reading uint8

// What counts last.
const (
	useLastType      reading = 1 << iota // of two Content-Type fields
	useLastEncoding                      // of two Content-Transfer-Encoding fields
	useLastParameter                     // of two boundaries or charsets in one field, and the plain one beside that of RFC 2231
	readings                             // how many there are
)

// decodeReadings reads a message in each way in which the values count that it gives twice.
//
// QUIRK: a field and a parameter occur once. Of two, some programs take the first and some the last, so a sender can show
// one text to a filter and another to people. Each further reading is one of the whole message, so that two values at
// every level of nesting do not multiply: there are eight at most, and they share the limits.
func (d *Decoder) decodeReadings(data []byte) {
	d.reading, d.ambiguous = 0, 0
	d.read(data)
	first := d.msg
	var known itemSet
	for d.reading = 1; d.reading < readings; d.reading++ {
		if d.reading&^d.ambiguous != 0 {
			continue
		}
		if known.items == nil {
			first.Repairs.add(Contradiction)
			known = newItemSet(&first)
		}
		d.msg = Message{}
		d.read(data)
		known.merge(&first, &d.msg, d.options)
	}
	d.msg, d.reading = first, 0
}

// usesValue reports whether a value of a field counts; given is that of the fields of its name before it, nil if there is none.
func (d *Decoder) usesValue(given *[]byte, value []byte, last reading) bool {
	before := *given
	if *given = value; before == nil {
		if value == nil {
			*given = []byte{}
		}
		return true
	}
	if string(before) != string(value) {
		d.ambiguous |= last
	}
	return d.reading&last != 0
}

// itemSet are hashes of what former readings of a message have found.
type itemSet struct {
	seed  maphash.Seed
	items map[uint64]bool
}

func newItemSet(m *Message) itemSet {
	k := itemSet{maphash.MakeSeed(), map[uint64]bool{}}
	for _, p := range m.Parts {
		k.isNewPart(p)
	}
	for _, l := range m.Links {
		k.isNewLink(l)
	}
	for _, f := range m.Attached {
		k.isNewField(f)
	}
	return k
}

// merge adds to m what is new in a further reading of the message.
func (k itemSet) merge(m, further *Message, o Options) {
	for _, p := range further.Parts {
		if k.isNewPart(p) {
			if len(m.Parts) == o.MaxParts {
				m.Repairs.add(CutParts)
				break
			}
			m.Parts = append(m.Parts, p)
		}
	}
	for _, l := range further.Links {
		if k.isNewLink(l) {
			m.Links = append(m.Links, l)
		}
	}
	for _, f := range further.Attached {
		if k.isNewField(f) {
			if len(m.Header)+len(m.Attached) == o.MaxHeaderFields {
				m.Repairs.add(CutHeader)
				break
			}
			m.Attached = append(m.Attached, f)
		}
	}
	m.Repairs |= further.Repairs.Cut()
	m.Marks |= further.Marks
}

// isNewPart goes by the text of a part, whatever its type, and by the type of one that has none.
func (k itemSet) isNewPart(p Part) bool {
	if p.Text == nil {
		return k.isNew('f', p.Filename, p.Type)
	}
	return k.isNew('p', p.Filename, p.Text, p.Hidden)
}

func (k itemSet) isNewLink(l Link) bool   { return k.isNew('l', []byte{byte(l.Kind)}, l.URL, l.Text) }
func (k itemSet) isNewField(f Field) bool { return k.isNew('h', f.Name, f.Value) }

// isNew reports whether an item of that kind, made of pieces, has not been seen before.
func (k itemSet) isNew(kind byte, pieces ...[]byte) bool {
	var h maphash.Hash
	h.SetSeed(k.seed)
	h.WriteByte(kind)
	for _, piece := range pieces {
		h.WriteByte(0)
		h.Write(piece)
	}
	sum := h.Sum64()
	if k.items[sum] {
		return false
	}
	k.items[sum] = true
	return true
}
