package css

import (
	"bytes"
	"sync"

	"chaff/internal/ascii"
)

// atRuleApplies reports whether the block of an at-rule applies on the assumed screen, as that of "@media screen".
func (s *Sheets) atRuleApplies(rule []byte) bool {
	end := 1
	for end < len(rule) && (ascii.IsLetter(rule[end]) || rule[end] == '-') {
		end++
	}
	name, condition := rule[1:end], ascii.Space.Trim(rule[end:])
	switch {
	case ascii.EqualFold(name, "media"):
		return s.ForScreen(condition)
	case ascii.EqualFold(name, "supports"): // browsers support nearly everything
		return !ascii.HasPrefixFold(condition, "not")
	}
	return ascii.EqualFold(name, "layer")
}

// ForScreen reports whether a style sheet for these media applies on the assumed screen.
func (s *Sheets) ForScreen(media []byte) bool {
	if len(ascii.Space.Trim(media)) == 0 {
		return true
	}
	if len(media) > maxQuery {
		return false
	}
	s.query = appendLower(s.query[:0], media, maxQuery)
	for query := range split(s.query, atComma) {
		if matchesQuery(query, 0) {
			return true
		}
	}
	return false
}

const maxQuery = 1 << 10 // bytes; real ones have some fifty

// matchesQuery reports whether a media query holds, such as "screen and (min-width: 600px)".
func matchesQuery(query []byte, depth int) bool {
	if len(query) == 0 || depth > maxNesting {
		return false
	}
	result, negated, wholly, or := true, false, false, false
	for first := true; len(query) > 0; query = ascii.Space.Trim(query) {
		var is bool
		if query[0] == '(' {
			inside, rest := cutGroup(query, atParenthesis)
			query = rest
			if len(inside) > 0 && (inside[0] == '(' || bytes.HasPrefix(inside, []byte("not "))) {
				is = matchesQuery(inside, depth+1)
			} else {
				is = hasFeature(inside)
			}
		} else {
			end := (ascii.Space | 1<<'(').Index(query)
			word := query[:end]
			query = query[end:]
			switch string(word) {
			case "not":
				negated, wholly = true, first
				continue
			case "only", "and":
				continue
			case "or":
				or = true
				continue
			case "all", "screen":
				is = true
			}
		}
		if negated && !wholly {
			is, negated = !is, false
		}
		if or {
			result = result || is
		} else {
			result = result && is
		}
		first, or = false, false
	}
	return result != (negated && wholly)
}

// hasFeature reports whether the screen has a feature, such as "min-width: 600px".
func hasFeature(feature []byte) bool {
	if bytes.ContainsAny(feature, "<>=") {
		return isInRange(feature)
	}
	name, value, hasValue := bytes.Cut(feature, []byte(":"))
	name, value = ascii.Space.Trim(name), ascii.Space.Trim(value)
	switch string(name) {
	case "orientation":
		return string(value) == "landscape"
	case "hover", "any-hover":
		return !hasValue || string(value) == "hover"
	case "pointer", "any-pointer":
		return !hasValue || string(value) == "fine"
	case "scripting":
		return string(value) == "none"
	case "display-mode":
		return string(value) == "browser"
	case "prefers-color-scheme":
		return string(value) == "light"
	case "prefers-reduced-motion", "prefers-contrast", "prefers-reduced-transparency", "prefers-reduced-data":
		return string(value) == "no-preference"
	case "monochrome", "grid", "inverted-colors", "forced-colors":
		return string(value) == "0" || string(value) == "none"
	}
	name = bytes.TrimPrefix(name, []byte("-webkit-"))
	name, isLeast := bytes.CutPrefix(name, []byte("min-"))
	isMost := false
	if !isLeast {
		name, isMost = bytes.CutPrefix(name, []byte("max-"))
	}
	mine, ok := featureSizes()[string(name)]
	if !ok || !hasValue {
		return ok && !isLeast && !isMost
	}
	asked, ok := featureValue(value)
	return ok && (mine == asked || isLeast && mine > asked || isMost && mine < asked)
}

// featureSizes returns the values of the numeric features of the screen.
var featureSizes = sync.OnceValue(func() map[string]float64 {
	const aspect = float64(windowWidth) / windowHeight
	return map[string]float64{
		"width": windowWidth, "height": windowHeight, "device-width": windowWidth, "device-height": windowHeight, "aspect-ratio": aspect,
		"device-aspect-ratio": aspect, "resolution": 1, "device-pixel-ratio": 1, "color": 8, "color-index": 0,
	}
})

// featureValue reads a length, a resolution or a ratio.
func featureValue(value []byte) (n float64, ok bool) {
	if over, under, isRatio := bytes.Cut(value, []byte("/")); isRatio {
		a, ok := parseLength(ascii.Space.Trim(over))
		b, okToo := parseLength(ascii.Space.Trim(under))
		return a.plain / b.plain, ok && okToo && b.plain != 0
	}
	if m, ok := parseLength(value); ok {
		return m.total(), true
	}
	n, unit, ok := parseNumber(value)
	switch string(unit) {
	case "dppx", "x":
		return n, ok
	case "dpi":
		return n / 96, ok
	case "dpcm":
		return n * 2.54 / 96, ok
	}
	return 0, false
}

// isInRange reports whether a comparison holds, such as "400px < width <= 2000px".
func isInRange(feature []byte) bool {
	side := func(written []byte) (float64, bool) {
		written = ascii.Space.Trim(written)
		if n, ok := featureSizes()[string(written)]; ok {
			return n, true
		}
		return featureValue(written)
	}
	at := bytes.IndexAny(feature, "<>=")
	left, ok := side(feature[:at])
	for ok {
		sign := feature[at]
		feature = feature[at+1:]
		equal := sign == '='
		if len(feature) > 0 && feature[0] == '=' {
			equal, feature = true, feature[1:]
		}
		if at = bytes.IndexAny(feature, "<>="); at < 0 {
			at = len(feature)
		}
		right, isSize := side(feature[:at])
		switch {
		case !isSize, left == right && !equal, left < right && sign != '<', left > right && sign != '>':
			return false
		case at == len(feature):
			return true
		}
		left = right
	}
	return false
}
