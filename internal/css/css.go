// Package css decides how style sheets and style attributes show the text of an HTML page: whether it is hidden, and why.
//
//	var s css.Sheets
//	s.Start(len(page))
//	s.Add([]byte("p{display:none}"))
//	var style css.Style
//	s.Match(&style, &css.Element{Name: []byte("p")}, &css.Steps{})
//	css.NewAppearance().Inside(&style).HiddenBy() // css.ByStyle
//
// It reads what decides that in mail: selectors of names, classes and ids with blanks between them, and fourteen properties. The rest of
// CSS is ignored, as many mail readers ignore it. The page is read once, from its start, and no tree is built.
//
// The appearance is that on one assumed screen: a browser in colour with a window 1280 pixels wide.
package css

import (
	"bytes"
	"slices"

	"github.com/tdewolff/parse/v2/css"
)

const (
	maxRules     = 1000 // of the style sheets of a page; mail has a few dozen
	maxCompounds = 4 * maxRules
	maxSteps     = 512

	// workPerByte is how many compounds, classes and declarations may be tried for each byte of HTML. Real pages need a few.
	workPerByte = 16

	windowWidth = 1280 // pixels
)

// Sheets holds the style sheets of one HTML page. It reuses its memory for the next page and belongs to one goroutine.
type Sheets struct {
	// WasCut reports that a limit was met, so that something of the style sheets does not count.
	WasCut bool

	compounds    []compound
	declarations []declaration // of all rules
	rules, steps int
	work         int // how much may still be tried

	classes [][]byte        // of the current element
	source  []byte          // the sheets in lower case
	tokens  []token         // of the current prelude or declaration
	open    []css.TokenType // what closes the brackets around the current token
}

// compound is one compound of a selector: "div.a b" has "div.a" and "b". Each but the last has a number, its step. The steps that
// the elements around an element have met are known (Steps), so each compound is tried once for an element, without backtracking.
type compound struct {
	tag, class, id []byte // nil for any
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
	s.compounds, s.declarations, s.source = s.compounds[:0], s.declarations[:0], s.source[:0]
	s.rules, s.steps, s.work, s.WasCut = 0, 0, workPerByte*htmlBytes, false
}

// HasRules reports whether the sheets have a rule that may change how text is shown.
func (s *Sheets) HasRules() bool { return len(s.compounds) > 0 }

// Match adds to style what the rules for e say. Around is what the element around e has met; Match returns what e has.
func (s *Sheets) Match(style *Style, e *Element, around *Steps) (met Steps) {
	met = *around
	s.classes = slices.AppendSeq(s.classes[:0], bytes.FieldsSeq(e.Class))
	for i := range s.compounds {
		c := &s.compounds[i]
		if s.work--; c.class != nil {
			s.work -= len(s.classes)
		}
		if s.work < 0 {
			s.WasCut = true
			break
		}
		hasClass := func(class []byte) bool { return bytes.EqualFold(class, c.class) }
		switch {
		case c.tag != nil && !bytes.Equal(c.tag, e.Name), c.id != nil && !bytes.EqualFold(c.id, e.ID):
		case c.class != nil && !slices.ContainsFunc(s.classes, hasClass), c.around > 0 && !around.has(c.around):
		case c.step > 0:
			met.add(c.step)
		default:
			s.work -= int(c.to - c.from)
			style.apply(s.declarations[c.from:c.to], c.weight)
		}
	}
	return met
}

// Inline adds to style what a style attribute says.
func (s *Sheets) Inline(style *Style, attribute []byte) {
	if len(attribute) == 0 {
		return
	}
	from, source := len(s.declarations), len(s.source)
	r := s.read(attribute)
	r.declarationList(false)
	style.apply(s.declarations[from:], weightInline)
	s.declarations, s.source = s.declarations[:from], s.source[:source]
}
