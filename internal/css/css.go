// Package css decides how style sheets and style attributes show the text of an HTML page: whether it is hidden, and in which order
// its letters are seen. It reads CSS as browsers do, with the limits that mail from strangers calls for.
//
//	var s css.Sheets
//	s.Start(len(page))
//	s.Add([]byte("p{display:none}"))
//	s.Match(&css.Element{Name: []byte("p")}, 0)
//	style := css.NewStyle()
//	s.Apply(&style, nil)
//	css.NewAppearance().Inside(&style).Reasons() // css.ByStyle
//
// The page is read once, from its start: the caller opens its elements in order with [Sheets.Match], and no tree is built. What
// depends on what follows an element, as :last-child does, is uncertain, and makes colours unknown.
//
// The appearance is that on one assumed screen: a browser in colour with a window of 1280 by 800 pixels.
//
// No library does this. Those that exist parse CSS into a tree and decide nothing, or match selectors by backtracking over a
// tree of the whole page, which takes exponential time.
package css

import (
	"bytes"
	"slices"
)

const (
	maxRules      = 1000 // of the style sheets of a page; mail has a few dozen
	maxCompounds  = 4 * maxRules
	maxConditions = 8 * maxRules
	maxSteps      = 512
	maxKey        = 64 // bytes of a name that a compound is indexed by
	maxAttributes = 16 // names of attributes in selectors
	maxIdentifier = 256
	maxMatches    = 64 // rules for one element

	// workPerByte is how many compounds and conditions may be tested for each byte of HTML. Real pages need one at most.
	workPerByte = 8

	// MaxDepth is how deep elements may nest. Real pages nest some fifty deep.
	MaxDepth = 256
	// MaxName is the length at which names of elements are cut. It is longer than the names of all elements that exist.
	MaxName = 16
)

// Sheets holds the style sheets of one HTML page. It reuses its memory for the next page and belongs to one goroutine.
type Sheets struct {
	// WasCut reports that a limit was met, so that something of the style sheets does not count.
	WasCut bool

	rules       []rule
	compounds   []compound
	conditions  []condition
	nested      int                // how many conditions were in parentheses
	index       map[indexKey]int32 // the number of the last compound for each key, from 1
	names       []byte             // of all conditions
	values      []byte             // of variables, with their names
	variables   []variable
	attributes  [][]byte // names of attributes that conditions ask for
	steps       int
	nestings    int  // rules in rules; those with long selectors count several times
	matchesAny  bool // a compound may match elements of any name, class and id
	usesContext bool // a selector depends on an element's ancestors or siblings
	work        int  // how many conditions may still be tested
	textLeft    int  // how much text the sheets may still add to the page

	positions [1 + MaxDepth]position // of the page and of each open element
	element   *Element               // the current element
	matches   []*compound            // the last ones of the selectors for the current element, the weightiest last

	declared  map[string]declarations // by style attributes, which mail repeats
	plain     []byte                  // CSS without its comments
	lower     [maxValue]byte          // the value of a declaration
	style     Style                   // that a setter changes
	query     []byte                  // a media query in lower case
	expanded  [2][]byte               // values with their variables replaced
	generated []byte                  // text that a sheet adds
}

// Start forgets the style sheets of the page before. The next page has htmlBytes bytes, which bound the work.
func (s *Sheets) Start(htmlBytes int) {
	s.rules, s.compounds, s.conditions, s.names = s.rules[:0], s.compounds[:0], s.conditions[:0], s.names[:0]
	s.values, s.variables, s.attributes = s.values[:0], s.variables[:0], s.attributes[:0]
	if s.index == nil {
		s.index, s.declared = map[indexKey]int32{}, map[string]declarations{}
	}
	clear(s.index)
	s.steps, s.nested, s.nestings, s.matchesAny, s.usesContext, s.WasCut = 0, 0, 0, false, false, false
	s.Rewind(htmlBytes)
}

// Rewind keeps the style sheets, for a page that is read again from its start.
func (s *Sheets) Rewind(htmlBytes int) { s.work, s.textLeft = workPerByte*htmlBytes, htmlBytes }

// HasRules reports whether the sheets have a rule that may change how text is shown.
func (s *Sheets) HasRules() bool { return len(s.rules) > 0 }

// AsksFor reports whether a selector tests the attribute of that name, or a sheet shows its value as text.
func (s *Sheets) AsksFor(name []byte) bool {
	return slices.ContainsFunc(s.attributes, func(other []byte) bool { return bytes.Equal(other, name) })
}

// askFor notes that an attribute of that name matters. It reports whether there was room.
func (s *Sheets) askFor(name []byte) bool {
	if s.AsksFor(name) {
		return true
	}
	if len(s.attributes) == maxAttributes {
		return false
	}
	s.attributes = append(s.attributes, name)
	return true
}
