package css

import (
	"bytes"
	"slices"
	"strings"

	"chaff/internal/ascii"
)

// attribute reads a condition on an attribute, as [name^=value].
func (p *selectorParser) attribute() bool {
	inside := selectorParser{Sheets: p.Sheets}
	inside.rest, p.rest = cutGroup(p.rest, atBracket)
	name, ok := inside.identifier()
	if !ok {
		return false
	}
	// HTML ignores case in the values of some attributes.
	fold := slices.Contains([]string{"align", "bgcolor", "color", "dir", "face", "lang", "media", "method", "rel", "target", "type", "valign"},
		string(name))
	c := condition{kind: hasAttribute, name: name, fold: fold}
	if rest := ascii.Space.Trim(inside.rest); len(rest) > 0 {
		kind := strings.IndexByte("=~|^$*", rest[0])
		if kind > 0 {
			rest = rest[1:]
		}
		value, ok := bytes.CutPrefix(rest, []byte("="))
		if !ok {
			return false
		}
		c.kind = attributeIs + conditionKind(kind)
		if c.value, c.fold, ok = p.value(ascii.Space.Trim(value), c.fold); !ok {
			return false
		}
		if len(c.value) == 0 && c.kind != attributeIs && c.kind != attributeHasPrefixWord {
			c.kind = isNever
		}
	}
	p.specificity += specificityClass
	return p.addAttribute(c)
}

// addAttribute appends a condition on an attribute, if there is room for the name of the attribute.
func (p *selectorParser) addAttribute(c condition) bool {
	if !p.askFor(c.name) {
		p.WasCut = true
		return false
	}
	p.add(c)
	return true
}

// value reads the value in a condition on an attribute, and whether case is ignored.
func (p *selectorParser) value(written []byte, fold bool) (value []byte, folded, ok bool) {
	if flag := len(written) - 1; flag > 1 && strings.IndexByte(" \"'", written[flag-1]) >= 0 {
		switch written[flag] {
		case 'i', 'I':
			fold, written = true, ascii.Space.Trim(written[:flag])
		case 's', 'S':
			fold, written = false, ascii.Space.Trim(written[:flag])
		}
	}
	if n := len(written); n >= 2 && (written[0] == '"' || written[0] == '\'') {
		if written[n-1] != written[0] {
			return nil, fold, false
		}
		written = written[1 : n-1]
	} else if n == 0 || bytes.ContainsAny(written, " \t\r\n\f\"'") {
		return nil, fold, false
	}
	if len(written) > maxIdentifier {
		p.WasCut = true
		return nil, fold, false
	}
	start := len(p.names)
	p.names = appendUnescaped(p.names, written, maxIdentifier)
	return p.names[start:len(p.names):len(p.names)], fold, true
}

// pseudo reads a pseudo-class or pseudo-element. One that browsers do not know voids the whole list of
// selectors.
func (p *selectorParser) pseudo() bool {
	rest, isElement := bytes.CutPrefix(p.rest[1:], []byte(":"))
	p.rest = rest
	name, ok := p.identifier()
	if !ok {
		return false
	}
	written, argument := string(name), []byte(nil)
	if len(p.rest) > 0 && p.rest[0] == '(' {
		written += "("
		argument, p.rest = cutGroup(p.rest, atParenthesis)
	}
	switch {
	case isElement, slices.Contains([]string{"before", "after", "first-line", "first-letter"}, written):
		return p.pseudoElement(name)
	case slices.Contains([]string{"not(", "is(", "where(", "matches(", "any(", "-webkit-any(", "-moz-any("}, written):
		return p.alternatives(name, argument)
	}
	p.specificity += specificityClass
	switch written {
	case "first-child":
		return p.nth(isNth, []byte("1"))
	case "first-of-type":
		return p.nth(isNthOfType, []byte("1"))
	case "nth-child(":
		return p.nth(isNth, argument)
	case "nth-of-type(":
		return p.nth(isNthOfType, argument)
	case "nth-last-child(", "nth-last-of-type(":
		a, b, ok := nthOf(argument)
		p.uncertain = p.uncertain || !isAnyChild(a, b)
		return ok
	case "last-child", "last-of-type", "only-child", "only-of-type", "empty", "has(":
		p.uncertain = true
	case "root", "scope":
		p.add(condition{kind: isRoot})
	case "link", "any-link", "-webkit-any-link":
		p.add(condition{kind: isLink})
	case "checked", "disabled", "open", "required":
		return p.addAttribute(condition{kind: hasAttribute, name: name})
	case "lang(":
		value, _, ok := p.value(argument, true)
		return ok && p.addAttribute(condition{kind: attributeHasPrefixWord, name: name, fold: true, value: value})
	case "defined", "enabled", "optional", "read-only", "valid", "in-range", "-webkit-full-page-media": // which all elements are
	case "hover", "active", "focus", "focus-within", "focus-visible", "visited", "target", "target-within", "invalid", "out-of-range",
		"read-write", "indeterminate", "default", "placeholder-shown", "fullscreen", "modal", "popover-open", "autofill",
		"-webkit-autofill", "user-valid", "user-invalid", "host", "playing", "paused", "-moz-focusring", "local-link",
		"dir(", "host(", "host-context(", "state(", "active-view-transition-type(":
		p.add(condition{kind: isNever})
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

// nth appends the condition that an element is one of the children that argument says.
func (p *selectorParser) nth(kind conditionKind, argument []byte) bool {
	a, b, ok := nthOf(argument)
	if ok && !isAnyChild(a, b) {
		p.usesContext = true
		p.add(condition{kind: kind, a: a, b: b})
	}
	return ok
}

// isAnyChild reports whether an+b is any number from 1.
func isAnyChild(a, b int32) bool { return a == 1 && b <= 1 }

// nthOf reads "odd", "even", "3" and "2n+1".
func nthOf(argument []byte) (a, b int32, ok bool) {
	switch {
	case ascii.EqualFold(argument, "odd"):
		return 2, 1, true
	case ascii.EqualFold(argument, "even"):
		return 2, 0, true
	}
	whole := func(b []byte) (int32, bool) {
		const most = 1 << 20
		n, unit, ok := parseNumber(bytes.Join(bytes.Fields(b), nil))
		return int32(n), ok && len(unit) == 0 && -most <= n && n <= most
	}
	at := bytes.IndexAny(argument, "nN")
	if at < 0 {
		b, ok = whole(argument)
		return 0, b, ok
	}
	ok = true
	switch before := ascii.Space.Trim(argument[:at]); string(before) {
	case "", "+":
		a = 1
	case "-":
		a = -1
	default:
		a, ok = whole(before)
	}
	if after := ascii.Space.Trim(argument[at+1:]); ok && len(after) > 0 {
		b, ok = whole(after)
	}
	return a, b, ok
}

// alternatives reads the list in :is(), :where() or :not(). Each selector must be one compound; one with a combinator makes the rule
// uncertain.
func (p *selectorParser) alternatives(name, argument []byte) bool {
	const (
		most    = 16
		deepest = 4
	)
	if p.depth == deepest {
		p.WasCut = true
		return false
	}
	c := condition{kind: isAny}
	heaviest := uint32(0)
	for selector := range split(argument, atComma) {
		if len(argument) == 0 {
			break
		}
		inside := selectorParser{Sheets: p.Sheets, rest: selector, depth: p.depth + 1}
		from := len(p.conditions)
		ok := inside.compound() && inside.target == theElement
		switch {
		case !ok && string(name) == "not" || len(c.alternatives) == most || p.nested > maxConditions:
			return false
		case !ok: // :is() ignores what it cannot read
		case len(ascii.Space.Trim(inside.rest)) > 0 || inside.uncertain:
			p.uncertain = true
		default:
			c.alternatives = append(c.alternatives, slices.Clone(p.conditions[from:]))
			p.nested += len(p.conditions) - from
			heaviest = max(heaviest, inside.specificity)
		}
		p.conditions = p.conditions[:from]
	}
	if c.alternatives == nil && p.uncertain {
		return true
	}
	switch string(name) {
	case "not":
		c.kind = isNone
	case "where":
		heaviest = 0
	}
	p.specificity += heaviest
	p.add(c)
	return true
}
