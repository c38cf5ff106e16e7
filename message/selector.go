package message

// A complex selector, such as "div > .a b", is kept as its compounds "div", ".a" and "b". Each but the last has a number, its
// step. The steps that the open elements have matched so far are known while the HTML is read (matching.go), so no
// compound is looked at twice for an element, and there is no going back: the work is bounded by the number of compounds
// whatever the selectors say.

const (
	maxRules      = 1000 // of the style sheets of a message; mail has a few dozen
	maxCompounds  = 4 * maxRules
	maxConditions = 8 * maxRules
	maxSteps      = 512
	maxSelector   = 64 // bytes of a name that tells where to look for a compound
	maxAsked      = 16 // names of attributes in selectors
	maxIdentifier = 256
	// conditionsPerByte is how many compounds and conditions may be looked at for each byte of HTML. Real pages need one at most.
	conditionsPerByte = 8
)

// selector is what a compound is looked for by, in lower case, with zeros behind it: #id, .class, the name of an element, or
// nothing. As a key of a map it needs no memory of its own.
type selector [maxSelector]byte

// combinator says where the element that the compound to the left of one matches has to stand.
type combinator uint8

const (
	alone   combinator = iota // there is no such compound
	within                    // around it: a blank
	child                     // directly around it: >
	next                      // directly before it: +
	sibling                   // before it: ~
)

// target is what a selector is about.
type target uint8

const (
	theElement target = iota
	beforeIt          // ::before
	afterIt           // ::after
	elsewhere         // what shows no text of its own, as ::selection
)

// compound is one of the compounds of a complex selector, as "td.small".
type compound struct {
	from, to int32 // its conditions
	older    int32 // the one before it that is looked for by the same key, -1 if there is none
	rule     int32 // of the last compound, -1 for others
	weight   uint32
	left     int16 // the step that has to be taken, if by says so
	step     int16 // which it takes itself, -1 for the last compound
	by       combinator
	what     target
	maybe    bool // what cannot be known yet is asked for: whether something follows
}

// kindOfCondition is what a condition asks of an element.
type kindOfCondition uint8

const (
	hasName kindOfCondition = iota
	hasClass
	hasID
	hasAttribute
	attributeIs
	attributeHasWord
	attributeHasPrefixWord
	attributeHasPrefix
	attributeHasSuffix
	attributeHas
	isNth       // among all children of an element
	isNthOfType // among those of the same name
	isRoot
	isLink
	isNever
	isAny // of the lists of conditions from a on, b of them
	isNone
)

// condition is one of those that an element has to fulfil.
type condition struct {
	kind  kindOfCondition
	fold  bool      // the value is the same in capitals
	key   attribute // for those of attributes
	a, b  int32     // of "an+b", or the first list and how many there are
	value []byte
}

// list is one of those in parentheses, as in :is(a, .b): the nested conditions from, up to to.
type list struct{ from, to int32 }

// sheets is what the style sheets of HTML say.
type sheets struct {
	rules      []rule
	compounds  []compound
	conditions []condition
	nested     []condition // of lists in parentheses
	lists      []list
	index      map[selector]int32 // the last compound by what it is looked for by
	names      []byte             // of all conditions
	content    []byte             // texts that the sheets add
	values     []byte             // of variables, with their names
	variables  []variable
	asked      [][]byte // names of attributes that conditions ask for
	steps      int
	nestings   int  // rules in rules, those in long selectors several times
	isForAny   bool // some compound may match an element of any name, class and id
	looksAbout bool // some selector asks where an element stands
	left       int  // how many conditions may still be looked at
}

func (s *sheets) clear() {
	s.rules, s.compounds, s.conditions, s.lists = s.rules[:0], s.compounds[:0], s.conditions[:0], s.lists[:0]
	s.nested, s.values, s.variables = s.nested[:0], s.values[:0], s.variables[:0]
	s.names, s.content, s.asked = s.names[:0], s.content[:0], s.asked[:0]
	clear(s.index)
	s.steps, s.nestings, s.isForAny, s.looksAbout = 0, 0, false, false
}

// selectorParser reads selectors.
type selectorParser struct {
	*sheets
	rest   []byte
	weight uint32
	what   target
	depth  int // of parentheses
	maybe  bool
	cut    bool // there is no room for more
}

// selectors takes up a list of selectors for a rule. As in browsers, one that cannot be read makes all of them void.
func (s *sheets) selectors(written []byte, rule int32) (ok, cut bool) {
	compounds, conditions, lists, steps := len(s.compounds), len(s.conditions), len(s.lists), s.steps
	for more := true; more; {
		at := cssEnd(written, atComma)
		p := selectorParser{sheets: s, rest: written[:at]}
		more = at < len(written)
		written = written[min(at+1, len(written)):]
		if !p.complex(rule) {
			s.compounds, s.conditions, s.lists, s.steps = s.compounds[:compounds], s.conditions[:conditions], s.lists[:lists], steps
			return false, p.cut
		}
	}
	for i := compounds; i < len(s.compounds); i++ {
		c := &s.compounds[i]
		key := s.keyOf(c)
		c.older = -1
		if older, ok := s.index[key]; ok {
			c.older = older
		}
		s.index[key] = int32(i)
		s.isForAny = s.isForAny || key == selector{}
	}
	return true, false
}

// keyOf returns what a compound is looked for by.
func (s *sheets) keyOf(c *compound) (key selector) {
	best := -1
	for i, condition := range s.conditions[c.from:c.to] {
		if condition.kind <= hasID && (best < 0 || condition.kind > s.conditions[c.from:c.to][best].kind) {
			best = i
		}
	}
	if best < 0 {
		return key
	}
	condition := s.conditions[c.from:c.to][best]
	switch condition.kind {
	case hasID:
		key[0] = '#'
		copy(key[1:], condition.value)
	case hasClass:
		key[0] = '.'
		copy(key[1:], condition.value)
	case hasName:
		copy(key[:], condition.value)
	}
	return key
}

// complex reads one selector.
func (p *selectorParser) complex(rule int32) bool {
	by, left := alone, int16(-1)
	p.rest = trimCSS(p.rest)
	for {
		from := len(p.conditions)
		if !p.compound() {
			return false
		}
		if len(p.compounds) == maxCompounds || len(p.conditions) > maxConditions {
			p.cut = true
			return false
		}
		c := compound{from: int32(from), to: int32(len(p.conditions)), rule: -1, left: left, step: -1, by: by, maybe: p.maybe}
		next := p.combinator()
		if next == alone {
			if len(p.rest) > 0 {
				return false
			}
			c.rule, c.weight, c.what = rule, p.weight, p.what
			p.compounds = append(p.compounds, c)
			return true
		}
		if p.steps == maxSteps {
			p.cut = true
			return false
		}
		if p.what != theElement { // nothing is inside of ::before
			return false
		}
		c.step = int16(p.steps)
		by, left = next, c.step
		p.steps++
		p.looksAbout = true
		p.compounds = append(p.compounds, c)
	}
}

// combinator reads what stands between two compounds, nothing at the end.
func (p *selectorParser) combinator() combinator {
	rest := trimLeftCSS(p.rest)
	blank := len(rest) < len(p.rest)
	p.rest = rest
	if len(rest) == 0 {
		return alone
	}
	by := alone
	switch rest[0] {
	case '>':
		by = child
	case '+':
		by = next
	case '~':
		by = sibling
	default:
		if blank {
			return within
		}
		return alone
	}
	p.rest = trimLeftCSS(rest[1:])
	return by
}

const (
	weightName  = 1
	weightClass = 1 << 8
	weightID    = 1 << 16
)

// compound reads simple selectors that follow each other, at least one, and appends their conditions.
func (p *selectorParser) compound() bool {
	start := len(p.rest)
	for len(p.rest) > 0 {
		c := p.rest[0]
		if p.what != theElement && c != ':' {
			return isIn(c, htmlBlanks)
		}
		switch {
		case c == '*':
			p.rest = p.rest[1:]
		case c == '&': // the element around it, which is the whole page in a rule that is in no other
			p.rest = p.rest[1:]
			p.add(condition{kind: isRoot}, weightClass)
		case c == '.' || c == '#':
			p.rest = p.rest[1:]
			name, ok := p.identifier()
			if !ok {
				return false
			}
			if c == '.' {
				p.add(condition{kind: hasClass, value: name}, weightClass)
			} else {
				p.add(condition{kind: hasID, value: name}, weightID)
			}
		case c == '[':
			if !p.attribute() {
				return false
			}
		case c == ':':
			if !p.pseudo() {
				return false
			}
		default:
			if len(p.rest) < start {
				return isIn(c, htmlBlanks|1<<'>'|1<<'+') || c == '~'
			}
			name, ok := p.identifier()
			if !ok {
				return false
			}
			p.add(condition{kind: hasName, value: name[:min(len(name), maxTagName)]}, weightName)
		}
	}
	return len(p.rest) < start
}

func (p *selectorParser) add(c condition, weight uint32) {
	p.conditions = append(p.conditions, c)
	p.weight += weight
}

// identifier reads a name, in lower case.
func (p *selectorParser) identifier() (name []byte, ok bool) {
	end := 0
	for end < len(p.rest) && (isWordByte(p.rest[end]) || p.rest[end] == '-' || p.rest[end] == '_' || p.rest[end] >= 0x80 ||
		p.rest[end] == '\\') {
		if p.rest[end] == '\\' {
			end += cssEscapeLength(p.rest[end:]) - 1
		}
		end++
	}
	written := p.rest[:end]
	if end == 0 || end > maxIdentifier || '0' <= written[0] && written[0] <= '9' {
		return nil, false
	}
	p.rest = p.rest[end:]
	start := len(p.names)
	p.names = appendCSSLower(p.names, written, maxIdentifier)
	return p.names[start:len(p.names):len(p.names)], true
}

// cssEscapeLength returns the length of the escape that css starts with.
func cssEscapeLength(css []byte) int {
	n := 1
	for n < len(css) && n < 7 && hexDigit(css[n]) < 16 {
		n++
	}
	if n == 1 || n < len(css) && isIn(css[n], htmlBlanks) {
		n++
	}
	return min(n, len(css))
}
