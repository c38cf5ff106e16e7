package css

import (
	"bytes"
	"math/bits"
	"slices"
)

// Element is an element of a page as selectors see it, with its name, class and attribute names in lower case.
type Element struct {
	Name, Class, ID []byte
	Attributes      []Attribute
	nth, nthOfType  int32 // among the children of its parent
	isRoot          bool
}

// Attribute is an attribute of an element.
type Attribute struct{ Name, Value []byte }

// Value returns the value of the attribute of that name.
func (e *Element) Value(name string) (value []byte, ok bool) {
	for i := range e.Attributes {
		if string(e.Attributes[i].Name) == name {
			return e.Attributes[i].Value, true
		}
	}
	return nil, false
}

// stepSet is a set of steps.
type stepSet [maxSteps / 64]uint64

func (s *stepSet) has(step int16) bool { return s[step/64]>>(step%64)&1 != 0 }
func (s *stepSet) add(step int16)      { s[step/64] |= 1 << (step % 64) }
func (s *stepSet) join(other *stepSet) {
	for i := range s {
		s[i] |= other[i]
	}
}

// position is what the page and each open element have to say to the selectors of their children.
type position struct {
	// steps are those that the elements match where a combinator looks for them: the element and its ancestors, the element, its last
	// child, and its children so far.
	steps    [combinatorCount]stepSet
	children int32
	names    [6]struct { // of its children
		name [8]byte
		n    int32
	}
}

// enter counts a child of that name. It returns its number among all children and among those of its name; the latter is 0 if
// there are too many names.
func (p *position) enter(name []byte) (nth, nthOfType int32) {
	p.children++
	var key [8]byte // enough to tell the names of elements apart
	copy(key[:], name)
	for i := range p.names {
		other := &p.names[i]
		if other.n == 0 {
			other.name = key
		}
		if other.name == key {
			other.n++
			return p.children, other.n
		}
	}
	return p.children, 0
}

// Restart forgets where elements stand, for a page of which open elements are opened anew. It reports false if too much work has been
// done already.
func (s *Sheets) Restart(open int) bool {
	s.positions[0] = position{}
	if s.work -= workPerByte * open; s.work < 0 { // as many style sheets as elements around them
		s.WasCut = true
		return false
	}
	return true
}

// Match finds the rules for an element that starts inside of depth open elements. The element must stay as it is until the next
// call.
func (s *Sheets) Match(e *Element, depth int) {
	s.element, s.matches = e, s.matches[:0]
	if len(s.rules) == 0 {
		return
	}
	e.isRoot = depth == 0
	if !s.usesContext {
		s.find(e, nil, nil)
		return
	}
	parent := &s.positions[depth]
	e.nth, e.nthOfType = parent.enter(e.Name)
	var inside position
	own := &inside.steps[child]
	s.find(e, parent, own)
	inside.steps[descendant] = parent.steps[descendant]
	inside.steps[descendant].join(own)
	parent.steps[nextSibling] = *own
	parent.steps[laterSibling].join(own)
	s.positions[min(depth+1, MaxDepth)] = inside
}

// HasMatches reports whether a rule is for the current element.
func (s *Sheets) HasMatches() bool { return len(s.matches) > 0 }

// Apply adds to style what the rules for the current element and the declarations in its style attribute say.
func (s *Sheets) Apply(style *Style, attribute []byte) {
	if len(attribute) == 0 && len(s.matches) == 0 {
		return
	}
	own := s.declaredBy(attribute)
	s.cascade(style, theElement, &own)
}

// declaredBy returns what a style attribute specifies. It keeps that of attributes which no variable can change.
func (s *Sheets) declaredBy(attribute []byte) declarations {
	const (
		longest = 512 // bytes of an attribute
		most    = 1024
	)
	own, ok := s.declared[string(attribute)]
	if ok {
		return own
	}
	own = newDeclarations()
	s.declare(&own, attribute)
	if len(attribute) <= longest && !bytes.Contains(attribute, []byte("--")) && bytes.IndexByte(attribute, '\\') < 0 {
		if len(s.declared) == most {
			clear(s.declared)
		}
		s.declared[string(attribute)] = own
	}
	return own
}

// cascade adds to style what the matches for a target and the element's own declarations say. In order of weight: a rule by its
// specificity, then by its place; the element's own declarations; important declarations in the same order.
func (s *Sheets) cascade(style *Style, t Target, own *declarations) {
	for _, c := range s.matches {
		said := &s.rules[c.rule].normal
		switch {
		case c.target != t:
		case c.uncertain:
			uncertain := said.uncertain()
			style.override(&uncertain)
		default:
			style.override(said)
		}
	}
	style.override(&own.normal)
	for _, c := range s.matches {
		if said := &s.rules[c.rule]; said.hasImportant && c.target == t && !c.uncertain {
			style.override(&said.important)
		}
	}
	if own.hasImportant {
		style.override(&own.important)
	}
}

// find leaves the rules for e, a child of parent, in s.matches in order, and adds its steps to own. Both parent and own may be nil if
// no selector uses the context.
func (s *Sheets) find(e *Element, parent *position, own *stepSet) {
	if s.matchesAny {
		s.findByKey(indexKey{}, e, parent, own)
	}
	s.findByKey(newKey("", e.Name), e, parent, own)
	if len(e.ID) > 0 {
		s.findByKey(newKey("#", e.ID), e, parent, own)
	}
	for class := range bytes.FieldsSeq(e.Class) {
		s.findByKey(newKey(".", class), e, parent, own)
	}
}

// findByKey tests all compounds of a key.
func (s *Sheets) findByKey(key indexKey, e *Element, parent *position, own *stepSet) {
	for number := s.index[key]; number > 0; {
		c := &s.compounds[number-1]
		number = c.previous
		if s.work--; s.work < 0 {
			s.WasCut = true
			return
		}
		isThere := c.combinator == noCombinator || parent.steps[c.combinator].has(c.left)
		switch {
		case !isThere || !s.meetsAll(c.conditions, e):
		case c.rule < 0:
			own.add(c.step)
		case len(s.matches) == maxMatches:
			s.WasCut = true
		default:
			at := len(s.matches)
			for at > 0 && s.matches[at-1].outweighs(c) {
				at--
			}
			s.matches = slices.Insert(s.matches, at, c)
			s.work -= bits.Len(uint(len(s.matches)))
		}
	}
}

// outweighs reports whether a selector counts more than another one: by its specificity, then by the place of its rule.
func (c *compound) outweighs(other *compound) bool {
	return c.specificity > other.specificity || c.specificity == other.specificity && c.rule > other.rule
}

// meetsAll reports whether an element meets all conditions.
func (s *Sheets) meetsAll(conditions []condition, e *Element) bool {
	for i := range conditions {
		s.work--
		if !s.meets(&conditions[i], e) {
			return false
		}
	}
	return true
}

func (s *Sheets) meets(c *condition, e *Element) bool {
	switch c.kind {
	case hasName:
		return bytes.Equal(c.value, e.Name)
	case hasClass:
		const usual = 64 // bytes of the classes of an element
		s.work -= len(e.Class)/32 + max(0, len(e.Class)-usual)/16
		return containsWord(e.Class, c.value, bytes.EqualFold)
	case hasID:
		return bytes.EqualFold(c.value, e.ID)
	case isNth:
		return isInSequence(c.a, c.b, e.nth)
	case isNthOfType:
		return e.nthOfType > 0 && isInSequence(c.a, c.b, e.nthOfType)
	case isRoot:
		return e.isRoot
	case isLink:
		_, ok := e.Value("href")
		return ok && (string(e.Name) == "a" || string(e.Name) == "area")
	case isAny, isNone:
		meetsAll := func(conditions []condition) bool { return s.meetsAll(conditions, e) }
		return slices.ContainsFunc(c.alternatives, meetsAll) == (c.kind == isAny)
	case isNever:
		return false
	}
	value, ok := e.Value(string(c.name))
	s.work -= len(value) / 16
	if c.fold {
		s.work -= len(value) / 8
	}
	return ok && c.accepts(value)
}

// accepts reports whether a condition holds for the value of its attribute.
func (c *condition) accepts(value []byte) bool {
	equal, n := bytes.Equal, len(c.value)
	if c.fold {
		equal = bytes.EqualFold
	}
	switch c.kind {
	case hasAttribute:
		return true
	case attributeIs:
		return equal(value, c.value)
	case attributeHasWord:
		return containsWord(value, c.value, equal)
	case attributeHasPrefixWord:
		return len(value) >= n && equal(value[:n], c.value) && (len(value) == n || value[n] == '-')
	case attributeHasPrefix:
		return len(value) >= n && equal(value[:n], c.value)
	case attributeHasSuffix:
		return len(value) >= n && equal(value[len(value)-n:], c.value)
	case attributeContains:
		if c.fold {
			return bytes.Contains(bytes.ToLower(value), bytes.ToLower(c.value))
		}
		return bytes.Contains(value, c.value)
	}
	return false
}

// containsWord reports whether a word is one of those in a list.
func containsWord(words, word []byte, equal func(a, b []byte) bool) bool {
	for w := range bytes.FieldsSeq(words) {
		if equal(w, word) {
			return true
		}
	}
	return false
}

// isInSequence reports whether n is a*i+b for an i of 0 or more.
func isInSequence(a, b, n int32) bool {
	if a == 0 {
		return n == b
	}
	return (n-b)%a == 0 && (n-b)/a >= 0
}
