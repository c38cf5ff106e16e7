package message

import (
	"bytes"
	"math/bits"
)

// steps is a set of the steps of selectors.
type steps [maxSteps / 64]uint64

func (s *steps) has(step int16) bool { return s[step/64]>>(step%64)&1 != 0 }
func (s *steps) add(step int16)      { s[step/64] |= 1 << (step % 64) }
func (s *steps) join(other *steps) {
	for i := range s {
		s[i] |= other[i]
	}
}

// place is where an open element stands: which steps it, the elements around it and the last ones directly inside of it
// have taken.
type place struct {
	own, around  steps // around has its own as well
	last, before steps // of its children: the last one, and all of them
	children     int32
	names        [6]struct { // of its children
		key elementKey
		n   int32
	}
}

// enter counts a child of that name, and returns which of all and which of its name it is; the latter is 0 if there are
// too many names.
func (p *place) enter(key elementKey) (nth, ofType int32) {
	p.children++
	for i := range p.names {
		name := &p.names[i]
		if name.n == 0 {
			name.key = key
		}
		if name.key == key {
			name.n++
			return p.children, name.n
		}
	}
	return p.children, 0
}

// restyle lets style sheets that have just been read say how the elements look that are open, which are those around all of
// a page, and takes down where they stand.
func (d *Decoder) restyle(h *htmlState) {
	if len(d.sheets.rules) == 0 {
		return
	}
	if d.sheets.looksAbout {
		if d.places == nil {
			d.places = make([]place, 1+maxOpenElements)
		}
		d.places[0] = place{}
	}
	open := h.page.open
	h.page.open = open[:0]
	d.sheets.left -= conditionsPerByte * len(open)
	if d.sheets.left < 0 { // as many style sheets as elements around them
		d.msg.Repairs.add(CutStyles)
		h.page.open = open
		return
	}
	for _, e := range open {
		d.unwrittenName = e.key.appendName(d.unwrittenName[:0])
		d.startUnwritten(h)
	}
}

// ruled leaves in d.matches the rules for an element that starts, and takes down where it stands.
func (d *Decoder) ruled(e *subject, key elementKey, h *htmlState) {
	depth := len(h.page.open)
	e.isRoot = depth == 0
	if !d.sheets.looksAbout {
		d.matchesFor(e, nil, nil)
		return
	}
	parent := &d.places[depth]
	e.nth, e.ofType = parent.enter(key)
	var own steps
	d.matchesFor(e, parent, &own)
	around := parent.around
	around.join(&own)
	parent.last = own
	parent.before.join(&own)
	d.places[min(depth+1, maxOpenElements)] = place{own: own, around: around}
}

// unwritten opens the elements around one of that name that browsers open although nobody has written them.
func (d *Decoder) unwritten(name []byte, h *htmlState) {
	top := h.page.top().key
	switch string(name) {
	case "html":
		return
	case "head", "title", "meta", "link", "base":
		if len(h.page.open) == 0 {
			d.startNamed("html", h)
		}
		return
	case "tr":
		if top == keyTable {
			d.startNamed("tbody", h)
		}
		return
	case "td", "th":
		if top == keyTable {
			d.startNamed("tbody", h)
			top = keyTBody
		}
		if top == keyTBody || top == keyTHead || top == keyTFoot {
			d.startNamed("tr", h)
		}
		return
	}
	if top == keyHead {
		h.page.close(keyHead)
		top = h.page.top().key
	}
	if len(h.page.open) == 0 {
		d.startNamed("html", h)
		top = keyHTML
	}
	if top == keyHTML && string(name) != "body" && string(name) != "frameset" {
		d.startNamed("body", h)
	}
}

// startUnwritten opens an element of the name in d.unwrittenName, which has no attributes.
func (d *Decoder) startUnwritten(h *htmlState) {
	given := d.given
	d.given = nil
	e := h.page.child(d.unwrittenName)
	d.styled(&e, d.unwrittenName, h)
	h.page.push(e)
	d.given = given
}

func (d *Decoder) startNamed(name string, h *htmlState) {
	d.unwrittenName = append(d.unwrittenName[:0], name...)
	d.startUnwritten(h)
}

// cascade lets the matches for an element, or for what is before or after it, and its own declarations say what they say of
// it: the more specific counts more, then the later; then the element's own; then what is important, in the same order.
func (d *Decoder) cascade(s *style, what target, own *declared) {
	isImportant := false
	for _, m := range d.matches {
		if m.what != what {
			continue
		}
		said := &d.sheets.rules[m.rule].said
		if m.maybe {
			maybe := said.normal.uncertain()
			s.override(&maybe)
			continue
		}
		s.override(&said.normal)
		isImportant = isImportant || said.isImportant
	}
	s.override(&own.normal)
	for _, m := range d.matches {
		if isImportant && m.what == what && !m.maybe {
			s.override(&d.sheets.rules[m.rule].said.important)
		}
	}
	if own.isImportant {
		s.override(&own.important)
	}
}

// subject is an element that rules may be about.
type subject struct {
	name, class, id []byte
	nth, ofType     int32
	isRoot          bool
}

// match is a rule that is about an element.
type match struct {
	order uint64 // the greater counts more
	rule  int32
	what  target
	maybe bool
}

// maxMatches is how many rules for one element are looked at.
const maxMatches = 64

// matchesFor leaves in d.matches which rules are about an element that stands directly inside of parent, in the order in
// which they count, and notes its steps in own, both of which may be nil if no selector looks about.
func (d *Decoder) matchesFor(e *subject, parent *place, own *steps) {
	d.matches = d.matches[:0]
	var key selector
	if d.sheets.isForAny {
		d.matchBy(&key, e, parent, own)
	}
	copy(key[:], e.name)
	d.matchBy(&key, e, parent, own)
	if len(e.id) > 0 {
		key = selector{'#'}
		appendLower(key[:1], e.id, maxSelector-1)
		d.matchBy(&key, e, parent, own)
	}
	for class := range bytes.FieldsSeq(e.class) {
		key = selector{'.'}
		appendLower(key[:1], class, maxSelector-1)
		d.matchBy(&key, e, parent, own)
	}
}

// matchBy looks at all compounds that are looked for by a key.
func (d *Decoder) matchBy(key *selector, e *subject, parent *place, own *steps) {
	s := &d.sheets
	at, ok := s.index[*key]
	if !ok {
		return
	}
	for ; at >= 0; at = s.compounds[at].older {
		if s.left--; s.left < 0 {
			d.msg.Repairs.add(CutStyles)
			return
		}
		c := &s.compounds[at]
		if !c.stands(parent) || !d.fulfils(s.conditions[c.from:c.to], e) {
			continue
		}
		if c.rule < 0 {
			own.add(c.step)
			continue
		}
		d.addMatch(match{uint64(c.weight)<<32 | uint64(c.rule), c.rule, c.what, c.maybe})
	}
}

// stands reports whether the compounds to the left of c match what stands around a child of parent.
func (c *compound) stands(parent *place) bool {
	switch c.by {
	case within:
		return parent.around.has(c.left)
	case child:
		return parent.own.has(c.left)
	case next:
		return parent.last.has(c.left)
	case sibling:
		return parent.before.has(c.left)
	}
	return true
}

// addMatch puts a match where it belongs.
func (d *Decoder) addMatch(m match) {
	if len(d.matches) == maxMatches {
		d.msg.Repairs.add(CutStyles)
		return
	}
	d.matches = append(d.matches, m)
	for i := len(d.matches) - 1; i > 0 && d.matches[i-1].order > m.order; i-- {
		d.matches[i-1], d.matches[i] = m, d.matches[i-1]
	}
	d.sheets.left -= bits.Len(uint(len(d.matches)))
}

// fulfils reports whether an element fulfils all conditions.
func (d *Decoder) fulfils(conditions []condition, e *subject) bool {
	for i := range conditions {
		d.sheets.left--
		if !d.fulfilsOne(&conditions[i], e) {
			return false
		}
	}
	return true
}

func (d *Decoder) fulfilsOne(c *condition, e *subject) bool {
	switch c.kind {
	case hasName:
		return bytes.Equal(c.value, e.name)
	case hasClass:
		const usual = 64 // bytes of the classes of an element
		d.sheets.left -= len(e.class)/32 + max(0, len(e.class)-usual)/16
		return hasWordFold(e.class, c.value)
	case hasID:
		return bytes.EqualFold(c.value, e.id)
	case isNth:
		return isOf(c.a, c.b, e.nth)
	case isNthOfType:
		return e.ofType > 0 && isOf(c.a, c.b, e.ofType)
	case isRoot:
		return e.isRoot
	case isLink:
		_, ok := d.value(attrHref)
		return ok && (string(e.name) == "a" || string(e.name) == "area")
	case isAny, isNone:
		s := &d.sheets
		for _, l := range s.lists[c.a : c.a+c.b] {
			if d.fulfils(s.nested[l.from:l.to], e) {
				return c.kind == isAny
			}
		}
		return c.kind == isNone
	case isNever:
		return false
	}
	value, ok := d.value(c.key)
	if !ok {
		return false
	}
	if c.fold {
		d.sheets.left -= len(value) / 8
	}
	return c.fulfilledBy(value)
}

// value returns the value of an attribute of the tag at hand.
func (d *Decoder) value(key attribute) (value []byte, ok bool) {
	for _, given := range d.given {
		if given.key == key {
			start := len(d.values)
			d.sheets.left -= len(given.raw) / 32
			if bytes.IndexByte(given.raw, '&') >= 0 {
				d.sheets.left -= len(given.raw) / 8
			}
			value = d.unescaped(given.raw, true)
			d.values = d.values[:start] // it is looked at only once
			return value, true
		}
	}
	return nil, false
}

// fulfilledBy reports whether the value of an attribute is one that is asked for.
func (c *condition) fulfilledBy(value []byte) bool {
	same := func(a, b []byte) bool {
		return bytes.Equal(a, b) || c.fold && bytes.EqualFold(a, b)
	}
	n := len(c.value)
	switch c.kind {
	case hasAttribute:
		return true
	case attributeIs:
		return same(value, c.value)
	case attributeHasWord:
		for word := range bytes.FieldsSeq(value) {
			if same(word, c.value) {
				return true
			}
		}
		return false
	case attributeHasPrefixWord:
		return len(value) >= n && same(value[:n], c.value) && (len(value) == n || value[n] == '-')
	case attributeHasPrefix:
		return len(value) >= n && same(value[:n], c.value)
	case attributeHasSuffix:
		return len(value) >= n && same(value[len(value)-n:], c.value)
	case attributeHas:
		if c.fold {
			return bytes.Contains(bytes.ToLower(value), bytes.ToLower(c.value))
		}
		return bytes.Contains(value, c.value)
	}
	return false
}

// hasWordFold reports whether a word is one of those in a list, in any case.
func hasWordFold(words, word []byte) bool {
	for w := range bytes.FieldsSeq(words) {
		if bytes.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// isOf reports whether n is one of the numbers a*i+b for i from 0 on.
func isOf(a, b, n int32) bool {
	if a == 0 {
		return n == b
	}
	return (n-b)%a == 0 && (n-b)/a >= 0
}
