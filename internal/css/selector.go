package css

import (
	"slices"
	"strings"

	"chaff/internal/ascii"
)

// A complex selector, such as "div > .a b", is kept as its compounds "div", ".a" and "b". Each but the last has a number, its
// step. While a page is read, the steps that its open elements match are known (matching.go). So each compound is tested once for an
// element, without backtracking: the number of compounds bounds the work, whatever the selectors say.

// indexKey is what a compound is indexed by, in lower case: #id, .class, the name of an element, or nothing.
type indexKey [maxKey]byte

func newKey(sign string, name []byte) (key indexKey) {
	n := copy(key[:], sign)
	ascii.AppendLower(key[:n], name, maxKey-n)
	return key
}

// combinator is where the element that the compound to the left matches must stand.
type combinator uint8

const (
	noCombinator combinator = iota
	descendant              // around it: a blank
	child                   // directly around it: > (this and the next two in the order of the signs)
	nextSibling             // directly before it: +
	laterSibling            // before it: ~
	combinatorCount
)

// Target is what a selector selects.
type Target uint8

// The targets.
const (
	theElement  Target = iota
	Before             // ::before
	After              // ::after
	otherTarget        // a pseudo-element without text of its own, as ::selection
)

// compound is a compound of a complex selector, as "td.small".
type compound struct {
	conditions  []condition
	previous    int32 // the number of the compound before it with the same key, from 1, or 0
	rule        int32 // of the last compound, -1 for others
	specificity uint32
	left        int16 // the step to the left of the combinator
	step        int16 // its own step, -1 for the last compound
	combinator  combinator
	target      Target
	uncertain   bool // whether it matches depends on what follows the element
}

// conditionKind is what a condition tests.
type conditionKind uint8

const (
	hasName conditionKind = iota
	hasClass
	hasID
	hasAttribute
	attributeIs // this and the next five in the order of the operators = ~= |= ^= $= *=
	attributeHasWord
	attributeHasPrefixWord
	attributeHasPrefix
	attributeHasSuffix
	attributeContains
	isNth       // among all children of its parent
	isNthOfType // among those of the same name
	isRoot
	isLink
	isNever
	isAny // meets one of the alternatives
	isNone
)

// condition is a condition on an element.
type condition struct {
	kind         conditionKind
	fold         bool   // the value is compared without regard to case
	a, b         int32  // of "an+b"
	name         []byte // of an attribute
	value        []byte
	alternatives [][]condition // in parentheses, as in :is(a, .b)
}

// selectorParser reads one selector.
type selectorParser struct {
	*Sheets
	rest        []byte
	specificity uint32
	target      Target
	depth       int // of parentheses
	uncertain   bool
}

// addSelectors adds the list of selectors of a rule. As in browsers, one that cannot be read voids all of them.
func (s *Sheets) addSelectors(written []byte, rule int32) (ok bool) {
	compounds, conditions, steps := len(s.compounds), len(s.conditions), s.steps
	for selector := range split(written, atComma) {
		if p := (selectorParser{Sheets: s, rest: selector}); !p.complex(rule) {
			s.compounds, s.conditions, s.steps = s.compounds[:compounds], s.conditions[:conditions], steps
			return false
		}
	}
	for i := compounds; i < len(s.compounds); i++ {
		c := &s.compounds[i]
		key := keyOf(c.conditions)
		c.previous, s.index[key] = s.index[key], int32(i)+1
		s.matchesAny = s.matchesAny || key == indexKey{}
	}
	return true
}

// keyOf returns the key of a compound: its id if it has one, else its class, else its name.
func keyOf(conditions []condition) indexKey {
	signs := [...]string{hasName: "", hasClass: ".", hasID: "#"}
	for kind := hasID; ; kind-- {
		at := slices.IndexFunc(conditions, func(c condition) bool { return c.kind == kind })
		if at >= 0 {
			return newKey(signs[kind], conditions[at].value)
		}
		if kind == hasName {
			return indexKey{}
		}
	}
}

// complex reads a complex selector, and appends its compounds.
func (p *selectorParser) complex(rule int32) bool {
	c := compound{}
	for {
		from := len(p.conditions)
		if !p.compound() {
			return false
		}
		if len(p.compounds) == maxCompounds || len(p.conditions) > maxConditions {
			p.WasCut = true
			return false
		}
		c.conditions, c.uncertain = p.conditions[from:len(p.conditions):len(p.conditions)], p.uncertain
		following := p.nextCombinator()
		if following == noCombinator {
			c.rule, c.step, c.specificity, c.target = rule, -1, p.specificity, p.target
			p.compounds = append(p.compounds, c)
			return len(p.rest) == 0
		}
		if p.steps == maxSteps {
			p.WasCut = true
			return false
		}
		if p.target != theElement { // ::before has no descendants
			return false
		}
		c.rule, c.step = -1, int16(p.steps)
		p.compounds = append(p.compounds, c)
		p.steps++
		p.usesContext = true
		c = compound{combinator: following, left: c.step}
	}
}

// nextCombinator reads the combinator between two compounds. It returns noCombinator at the end.
func (p *selectorParser) nextCombinator() combinator {
	rest := ascii.Space.TrimLeft(p.rest)
	hasBlank := len(rest) < len(p.rest)
	p.rest = rest
	if len(rest) == 0 {
		return noCombinator
	}
	if sign := strings.IndexByte(">+~", rest[0]); sign >= 0 {
		p.rest = ascii.Space.TrimLeft(rest[1:])
		return child + combinator(sign)
	}
	if hasBlank {
		return descendant
	}
	return noCombinator
}

const (
	specificityType  = 1
	specificityClass = 1 << 8
	specificityID    = 1 << 16
)

// compound reads a compound, and appends its conditions.
func (p *selectorParser) compound() bool {
	start := len(p.rest)
	for len(p.rest) > 0 {
		c := p.rest[0]
		if p.target != theElement && c != ':' {
			return ascii.Space.Has(c)
		}
		ok := true
		switch c {
		case '*':
			p.rest = p.rest[1:]
		case '&': // the page, in a rule that is not nested
			p.rest = p.rest[1:]
			p.specificity += specificityClass
			p.add(condition{kind: isRoot})
		case '.':
			p.rest = p.rest[1:]
			ok = p.addName(hasClass, specificityClass)
		case '#':
			p.rest = p.rest[1:]
			ok = p.addName(hasID, specificityID)
		case '[':
			ok = p.attribute()
		case ':':
			ok = p.pseudo()
		default:
			if len(p.rest) < start {
				return (ascii.Space | 1<<'>' | 1<<'+').Has(c) || c == '~'
			}
			ok = p.addName(hasName, specificityType)
		}
		if !ok {
			return false
		}
	}
	return len(p.rest) < start
}

func (p *selectorParser) add(c condition) { p.conditions = append(p.conditions, c) }

// addName reads a name, and appends the condition that an element has it.
func (p *selectorParser) addName(kind conditionKind, specificity uint32) bool {
	name, ok := p.identifier()
	if kind == hasName {
		name = name[:min(len(name), MaxName)]
	}
	p.specificity += specificity
	p.add(condition{kind: kind, value: name})
	return ok
}

// identifier reads a name, and returns it in lower case.
func (p *selectorParser) identifier() (name []byte, ok bool) {
	end := 0
	for end < len(p.rest) {
		length := 1
		if c := p.rest[end]; c == '\\' {
			_, _, length = cutEscape(p.rest[end:])
		} else if !ascii.IsAlphanumeric(c) && c != '-' && c != '_' && c < 0x80 {
			break
		}
		end += length
	}
	written := p.rest[:end]
	if end == 0 || end > maxIdentifier || '0' <= written[0] && written[0] <= '9' {
		return nil, false
	}
	p.rest = p.rest[end:]
	start := len(p.names)
	p.names = appendLower(p.names, written, maxIdentifier)
	return p.names[start:len(p.names):len(p.names)], true
}
