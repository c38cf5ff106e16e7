package css

import (
	"bytes"

	"chaff/internal/ascii"
)

// pseudo reads a pseudo-class or pseudo-element. One that browsers do not know voids the whole list of
// selectors.
func (p *selectorParser) pseudo() bool {
	p.rest = p.rest[1:]
	isElement := len(p.rest) > 0 && p.rest[0] == ':'
	if isElement {
		p.rest = p.rest[1:]
	}
	name, ok := p.identifier()
	if !ok {
		return false
	}
	var argument []byte
	hasArgument := len(p.rest) > 0 && p.rest[0] == '('
	if hasArgument {
		end := closing(p.rest, atParenthesis)
		argument = ascii.Space.Trim(p.rest[1:end])
		p.rest = p.rest[min(end+1, len(p.rest)):]
	}
	switch {
	case isElement:
		return p.pseudoElement(name)
	case hasArgument:
		return p.pseudoFunction(name, argument)
	}
	switch string(name) {
	case "before", "after", "first-line", "first-letter":
		return p.pseudoElement(name)
	case "first-child":
		p.nth(isNth, 0, 1)
	case "first-of-type":
		p.nth(isNthOfType, 0, 1)
	case "last-child", "last-of-type", "only-child", "only-of-type", "empty":
		p.uncertain = true
		p.specificity += specificityClass
	case "root", "scope":
		p.add(condition{kind: isRoot}, specificityClass)
	case "link", "any-link", "-webkit-any-link":
		p.add(condition{kind: isLink}, specificityClass)
	case "checked", "disabled", "open", "required":
		p.add(condition{kind: hasAttribute, name: name}, specificityClass)
		hasRoom := p.askFor(name)
		p.cut = p.cut || !hasRoom
		return hasRoom
	case "defined", "enabled", "optional", "read-only", "valid", "in-range", "-webkit-full-page-media":
		p.specificity += specificityClass
	case "hover", "active", "focus", "focus-within", "focus-visible", "visited", "target", "target-within", "invalid", "out-of-range",
		"read-write", "indeterminate", "default", "placeholder-shown", "fullscreen", "modal", "popover-open", "autofill",
		"-webkit-autofill", "user-valid", "user-invalid", "host", "playing", "paused", "-moz-focusring", "local-link":
		p.add(condition{kind: isNever}, specificityClass)
	default:
		return false
	}
	return true
}

// pseudoElement sets the target of the selector.
func (p *selectorParser) pseudoElement(name []byte) bool {
	p.specificity += specificityType
	switch string(name) {
	case "before", "marker":
		p.target = Before
	case "after":
		p.target = After
	case "first-line", "first-letter", "selection", "placeholder", "backdrop", "cue", "file-selector-button", "part", "slotted",
		"highlight", "target-text", "spelling-error", "grammar-error", "details-content", "-moz-selection", "-moz-focus-inner":
		p.target = otherTarget
	default:
		if !bytes.HasPrefix(name, []byte("-webkit-")) { // browsers accept any such name
			return false
		}
		p.target = otherTarget
	}
	return true
}

func (p *selectorParser) nth(kind conditionKind, a, b int32) {
	p.usesContext = true
	p.add(condition{kind: kind, a: a, b: b}, specificityClass)
}

// pseudoFunction reads a pseudo-class with an argument.
func (p *selectorParser) pseudoFunction(name, argument []byte) bool {
	switch string(name) {
	case "not", "is", "where", "matches", "any", "-webkit-any", "-moz-any":
		return p.alternatives(name, argument)
	case "nth-child", "nth-of-type", "nth-last-child", "nth-last-of-type":
		a, b, ok := nthOf(argument)
		switch {
		case !ok:
			return false
		case a == 1 && b <= 1: // all of them
			p.specificity += specificityClass
		case string(name) == "nth-child":
			p.nth(isNth, a, b)
		case string(name) == "nth-of-type":
			p.nth(isNthOfType, a, b)
		default:
			p.uncertain = true
			p.specificity += specificityClass
		}
	case "has":
		p.uncertain = true
		p.specificity += specificityClass
	case "lang":
		lang := []byte("lang")
		if !p.askFor(lang) {
			p.cut = true
			return false
		}
		value, _, ok := p.value(argument, true)
		if !ok {
			return false
		}
		p.add(condition{kind: attributeHasPrefixWord, name: lang, fold: true, value: value}, specificityClass)
	case "dir", "host", "host-context", "state", "active-view-transition-type":
		p.add(condition{kind: isNever}, specificityClass)
	default:
		return false
	}
	return true
}

// nthOf reads "odd", "even", "3" and "2n+1".
func nthOf(argument []byte) (a, b int32, ok bool) {
	switch {
	case ascii.EqualFold(argument, "odd"):
		return 2, 1, true
	case ascii.EqualFold(argument, "even"):
		return 2, 0, true
	}
	const most = 1 << 20
	whole := func(b []byte) (int32, bool) {
		var digits []byte
		var room [16]byte
		digits = room[:0]
		for _, c := range b {
			if !ascii.Space.Has(c) && len(digits) < len(room) {
				digits = append(digits, c)
			}
		}
		n, unit, ok := parseNumber(digits)
		if n > most || n < -most {
			return 0, false
		}
		return int32(n), ok && len(unit) == 0
	}
	at := bytes.IndexAny(argument, "nN")
	if at < 0 {
		b, ok = whole(argument)
		return 0, b, ok
	}
	switch before := ascii.Space.Trim(argument[:at]); string(before) {
	case "", "+":
		a = 1
	case "-":
		a = -1
	default:
		if a, ok = whole(before); !ok {
			return 0, 0, false
		}
	}
	if after := ascii.Space.Trim(argument[at+1:]); len(after) > 0 {
		if b, ok = whole(after); !ok {
			return 0, 0, false
		}
	}
	return a, b, true
}

// alternatives reads the list in :is(), :where() or :not(). Each selector must be one compound; one with a combinator makes the rule
// uncertain.
func (p *selectorParser) alternatives(name, argument []byte) bool {
	const (
		most    = 16
		deepest = 4
	)
	if p.depth == deepest {
		p.cut = true
		return false
	}
	var found [most]list
	n := 0
	heaviest := uint32(0)
	for more := len(argument) > 0; more; {
		at := indexStop(argument, atComma)
		inside := selectorParser{Sheets: p.Sheets, rest: ascii.Space.Trim(argument[:at]), depth: p.depth + 1}
		more = at < len(argument)
		argument = argument[min(at+1, len(argument)):]
		from := len(p.conditions)
		ok := inside.compound() && inside.target == theElement
		p.cut = p.cut || inside.cut
		switch {
		case !ok && string(name) == "not" || n == most || len(p.nested) > maxConditions:
			return false
		case !ok: // :is() ignores what it cannot read
		case len(ascii.Space.Trim(inside.rest)) > 0 || inside.uncertain:
			p.uncertain = true
		default:
			start := len(p.nested)
			p.nested = append(p.nested, p.conditions[from:]...)
			found[n] = list{int32(start), int32(len(p.nested))}
			heaviest = max(heaviest, inside.specificity)
			n++
		}
		p.conditions = p.conditions[:from]
	}
	c := condition{kind: isAny, a: int32(len(p.lists)), b: int32(n)}
	switch string(name) {
	case "not":
		c.kind = isNone
	case "where":
		heaviest = 0
	}
	if n == 0 && p.uncertain {
		return true
	}
	p.lists = append(p.lists, found[:n]...)
	p.add(c, heaviest)
	return true
}
