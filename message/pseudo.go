package message

import "bytes"

// pseudo reads a pseudo-class or pseudo-element. What is not known to browsers makes the whole list of selectors void.
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
		end := parenthesisEnd(p.rest)
		argument = trimCSS(p.rest[1:end])
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
		p.maybe = true
		p.weight += weightClass
	case "root", "scope":
		p.add(condition{kind: isRoot}, weightClass)
	case "link", "any-link", "-webkit-any-link":
		p.add(condition{kind: isLink}, weightClass)
	case "checked", "disabled", "open", "required":
		key := p.ask(name)
		p.cut = p.cut || key == noAttribute
		p.add(condition{kind: hasAttribute, key: key}, weightClass)
		return key != noAttribute
	case "defined", "enabled", "optional", "read-only", "valid", "in-range", "-webkit-full-page-media":
		p.weight += weightClass
	case "hover", "active", "focus", "focus-within", "focus-visible", "visited", "target", "target-within", "invalid", "out-of-range",
		"read-write", "indeterminate", "default", "placeholder-shown", "fullscreen", "modal", "popover-open", "autofill",
		"-webkit-autofill", "user-valid", "user-invalid", "host", "playing", "paused", "-moz-focusring", "local-link":
		p.add(condition{kind: isNever}, weightClass)
	default:
		return false
	}
	return true
}

// parenthesisEnd returns where the parenthesis that css starts with is closed, its length if nowhere.
func parenthesisEnd(css []byte) int {
	depth := 0
	for i := 0; i < len(css); i++ {
		switch css[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		case '[':
			i += bracketEnd(css[i:])
		}
	}
	return len(css)
}

// pseudoElement takes up what of an element a selector is about.
func (p *selectorParser) pseudoElement(name []byte) bool {
	p.weight += weightName
	switch string(name) {
	case "before", "marker":
		p.what = beforeIt
	case "after":
		p.what = afterIt
	case "first-line", "first-letter", "selection", "placeholder", "backdrop", "cue", "file-selector-button", "part", "slotted",
		"highlight", "target-text", "spelling-error", "grammar-error", "details-content", "-moz-selection", "-moz-focus-inner":
		p.what = elsewhere
	default:
		if !bytes.HasPrefix(name, []byte("-webkit-")) { // which browsers take whatever follows
			return false
		}
		p.what = elsewhere
	}
	return true
}

func (p *selectorParser) nth(kind kindOfCondition, a, b int32) {
	p.looksAbout = true
	p.add(condition{kind: kind, a: a, b: b}, weightClass)
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
			p.weight += weightClass
		case string(name) == "nth-child":
			p.nth(isNth, a, b)
		case string(name) == "nth-of-type":
			p.nth(isNthOfType, a, b)
		default:
			p.maybe = true
			p.weight += weightClass
		}
	case "has":
		p.maybe = true
		p.weight += weightClass
	case "lang":
		c := condition{kind: attributeHasPrefixWord, key: p.ask([]byte("lang")), fold: true}
		if c.key == noAttribute {
			p.cut = true
			return false
		}
		value, _, ok := p.value(argument, true)
		if !ok {
			return false
		}
		c.value = value
		p.add(c, weightClass)
	case "dir", "host", "host-context", "state", "active-view-transition-type":
		p.add(condition{kind: isNever}, weightClass)
	default:
		return false
	}
	return true
}

// nthOf reads "odd", "even", "3" and "2n+1".
func nthOf(argument []byte) (a, b int32, ok bool) {
	switch {
	case equalFold(argument, "odd"):
		return 2, 1, true
	case equalFold(argument, "even"):
		return 2, 0, true
	}
	const most = 1 << 20
	whole := func(b []byte) (int32, bool) {
		var digits []byte
		var room [16]byte
		digits = room[:0]
		for _, c := range b {
			if !isIn(c, htmlBlanks) && len(digits) < len(room) {
				digits = append(digits, c)
			}
		}
		n, unit, ok := number(digits)
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
	switch before := trimCSS(argument[:at]); string(before) {
	case "", "+":
		a = 1
	case "-":
		a = -1
	default:
		if a, ok = whole(before); !ok {
			return 0, 0, false
		}
	}
	if after := trimCSS(argument[at+1:]); len(after) > 0 {
		if b, ok = whole(after); !ok {
			return 0, 0, false
		}
	}
	return a, b, true
}

// alternatives reads the list in :is(), :where() or :not(), of which each selector has to be one compound. One that looks
// about makes colours uncertain, like all that cannot be followed.
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
		at := cssEnd(argument, atComma)
		inside := selectorParser{sheets: p.sheets, rest: trimCSS(argument[:at]), depth: p.depth + 1}
		more = at < len(argument)
		argument = argument[min(at+1, len(argument)):]
		from := len(p.conditions)
		ok := inside.compound() && inside.what == theElement
		p.cut = p.cut || inside.cut
		switch {
		case !ok && string(name) == "not" || n == most || len(p.nested) > maxConditions:
			return false
		case !ok: // :is() forgives
		case len(trimCSS(inside.rest)) > 0 || inside.maybe:
			p.maybe = true
		default:
			start := len(p.nested)
			p.nested = append(p.nested, p.conditions[from:]...)
			found[n] = list{int32(start), int32(len(p.nested))}
			heaviest = max(heaviest, inside.weight)
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
	if n == 0 && p.maybe {
		return true
	}
	p.lists = append(p.lists, found[:n]...)
	p.add(c, heaviest)
	return true
}
