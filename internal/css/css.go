// Package css decides how style sheets and style attributes show the text of an HTML page: whether it is hidden, and why.
//
//	var s css.Sheets
//	s.Start(len(page))
//	s.Add([]byte("p{display:none}"))
//	var style css.Style
//	s.Match(&style, &css.Element{Name: []byte("p")}, &css.Steps{})
//	css.NewAppearance().Inside(&style).HiddenBy(css.Words) // css.ByStyle
//
// It reads what decides that in mail: selectors of names, classes and ids with blanks between them, and fourteen properties. The rest of
// CSS is ignored, as many mail readers ignore it. The page is read once, from its start, and no tree is built.
//
// The appearance is that on one assumed screen: a browser in colour with a window 1280 pixels wide.
package css

import (
	"bytes"

	"chaff/internal/ascii"
)

const (
	maxRules     = 1000 // of the style sheets of a page; mail has a few dozen
	maxCompounds = 4 * maxRules
	maxSteps     = 512
	maxKey       = 64 // bytes of a name that a compound is indexed by

	// workPerByte is how many compounds and declarations may be tried for each byte of HTML. Real pages need one at most.
	workPerByte = 8

	windowWidth = 1280 // pixels
)

// Sheets holds the style sheets of one HTML page. It reuses its memory for the next page and belongs to one goroutine.
type Sheets struct {
	// WasCut reports that a limit was met, so that something of the style sheets does not count.
	WasCut bool

	compounds    []compound
	index        map[[maxKey]byte]int32 // the number of the last compound for each key, from 1
	declarations []declaration          // of all rules
	rules, steps int
	work         int // how much may still be tried

	inline map[string][]declaration // of style attributes, which mail repeats
	source []byte                   // the sheets in lower case
	tokens []token                  // of the current prelude or declaration
	open   []rune                   // what closes the brackets around the current token
}

// compound is one compound of a selector: "div.a b" has "div.a" and "b". Each but the last has a number, its step. The steps that
// the elements around an element have met are known (Steps), so each compound is tried once for an element, without backtracking.
type compound struct {
	tag, class, id []byte // nil for any
	previous       int32  // the number of the compound before it with the same key, from 1, or 0
	around         int16  // the step to its left, from 1, or 0
	step           int16  // its own, from 1; 0 for the last compound
	weight         uint32
	from, to       int32 // the declarations of its rule
}

// Steps is the set of steps that an element and those around it have met.
type Steps [maxSteps / 64]uint64

func (s *Steps) has(step int16) bool { return s[(step-1)/64]>>((step-1)%64)&1 != 0 }
func (s *Steps) add(step int16)      { s[(step-1)/64] |= 1 << ((step - 1) % 64) }

// Element is an element of a page as selectors see it.
type Element struct{ Name, Class, ID []byte }

// Start forgets the style sheets of the page before. The next page has htmlBytes bytes, which bound the work.
func (s *Sheets) Start(htmlBytes int) {
	if s.index == nil {
		s.index, s.inline = map[[maxKey]byte]int32{}, map[string][]declaration{}
	}
	clear(s.index)
	s.compounds, s.declarations, s.source = s.compounds[:0], s.declarations[:0], s.source[:0]
	s.rules, s.steps, s.work, s.WasCut = 0, 0, workPerByte*htmlBytes, false
}

// HasRules reports whether the sheets have a rule that may change how text is shown.
func (s *Sheets) HasRules() bool { return len(s.compounds) > 0 }

// Match adds to style what the rules for e say. Around is what the element around e has met; Match returns what e has.
func (s *Sheets) Match(style *Style, e *Element, around *Steps) (met Steps) {
	if len(s.compounds) == 0 {
		return met
	}
	met = *around
	s.try(newKey("*", nil), style, e, around, &met)
	s.try(newKey("", e.Name), style, e, around, &met)
	if len(e.ID) > 0 {
		s.try(newKey("#", e.ID), style, e, around, &met)
	}
	for class := range bytes.FieldsSeq(e.Class) {
		s.try(newKey(".", class), style, e, around, &met)
	}
	return met
}

// newKey returns what a compound is indexed by, in lower case: #id, .class, the name of an element, or *.
func newKey(sign string, name []byte) (key [maxKey]byte) {
	n := copy(key[:], sign)
	ascii.AppendLower(key[:n], name, maxKey-n)
	return key
}

// try tries all compounds of a key.
func (s *Sheets) try(key [maxKey]byte, style *Style, e *Element, around, met *Steps) {
	for number := s.index[key]; number > 0; {
		c := &s.compounds[number-1]
		number = c.previous
		if s.work--; s.work < 0 {
			s.WasCut = true
			return
		}
		switch {
		case c.around > 0 && !around.has(c.around), !s.isMet(c, e):
		case c.step > 0:
			met.add(c.step)
		default:
			s.work -= int(c.to - c.from)
			style.apply(s.declarations[c.from:c.to], c.weight)
		}
	}
}

// isMet reports whether e has the name, the class and the id of a compound.
func (s *Sheets) isMet(c *compound, e *Element) bool {
	const free = 32 // bytes of classes that are searched at the price of one try
	if c.tag != nil && !bytes.Equal(c.tag, e.Name) || c.id != nil && !bytes.EqualFold(c.id, e.ID) {
		return false
	}
	if c.class == nil {
		return true
	}
	s.work -= len(e.Class) / free
	for class := range bytes.FieldsSeq(e.Class) {
		if bytes.EqualFold(class, c.class) {
			return true
		}
	}
	return false
}

// key returns the key of a compound: its id if it has one, else its class, else its name.
func (c *compound) key() [maxKey]byte {
	switch {
	case c.id != nil:
		return newKey("#", c.id)
	case c.class != nil:
		return newKey(".", c.class)
	case c.tag != nil:
		return newKey("", c.tag)
	}
	return newKey("*", nil)
}

// Inline adds to style what a style attribute says.
func (s *Sheets) Inline(style *Style, attribute []byte) {
	const (
		longest = 512 // bytes of an attribute that is remembered
		most    = 1024
	)
	if len(attribute) == 0 {
		return
	}
	said, ok := s.inline[string(attribute)]
	if !ok {
		from, source := len(s.declarations), len(s.source)
		r := s.read(attribute)
		r.declarationList(false)
		said = s.declarations[from:]
		s.declarations, s.source = s.declarations[:from], s.source[:source]
		if len(attribute) <= longest {
			if len(s.inline) == most {
				clear(s.inline)
			}
			s.inline[string(attribute)] = append([]declaration(nil), said...)
		}
	}
	style.apply(said, weightInline)
}
