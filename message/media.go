package message

import "bytes"

// The reader that style sheets are read for has a browser with a bright screen in colour and a window of 1280 by 800 pixels.
// One reader is assumed, not all that there may be, so that a text is either seen or hidden.

// isForReader reports whether the block of an at-rule counts, as "@media screen".
func (d *Decoder) isForReader(rule []byte) bool {
	end := 1
	for end < len(rule) && (isLetter(rule[end]) || rule[end] == '-') {
		end++
	}
	name, condition := rule[1:end], trimCSS(rule[end:])
	switch {
	case equalFold(name, "media"):
		return d.isForMail(condition)
	case equalFold(name, "supports"): // browsers of today support nearly all that is asked for
		return !hasPrefixFold(condition, "not")
	}
	return equalFold(name, "layer")
}

// isForMail reports whether a style sheet for these media is for the screen that a mail is read on.
func (d *Decoder) isForMail(media []byte) bool {
	if len(trimCSS(media)) == 0 {
		return true
	}
	if len(media) > maxQuery {
		return false
	}
	d.query = appendCSSLower(d.query[:0], media, maxQuery)
	media = d.query
	for more := true; more; {
		at := cssEnd(media, atComma)
		if holds(trimCSS(media[:at]), 0) {
			return true
		}
		more = at < len(media)
		media = media[min(at+1, len(media)):]
	}
	return false
}

const maxQuery = 1 << 10 // bytes; those of mail have some fifty

// holds reports whether a media query is true of the reader, such as "screen and (min-width: 600px)".
func holds(query []byte, depth int) bool {
	if len(query) == 0 || depth > maxNestedRules {
		return false
	}
	result, negated, wholly, or := true, false, false, false
	for first := true; len(query) > 0; query = trimCSS(query) {
		var is bool
		if query[0] == '(' {
			end := parenthesisEnd(query)
			inside := trimCSS(query[1:end])
			if len(inside) > 0 && (inside[0] == '(' || bytes.HasPrefix(inside, []byte("not "))) {
				is = holds(inside, depth+1)
			} else {
				is = hasFeature(inside)
			}
			query = query[min(end+1, len(query)):]
		} else {
			end := skipTo(query, 0, htmlBlanks|1<<'(')
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

// hasFeature reports whether the reader has a feature, such as "min-width: 600px".
func hasFeature(feature []byte) bool {
	if bytes.ContainsAny(feature, "<>=") {
		return isInRange(feature)
	}
	name, value, hasValue := bytes.Cut(feature, []byte(":"))
	name, value = trimCSS(name), trimCSS(value)
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
	limit, bare := 0, name
	if rest, ok := bytes.CutPrefix(name, []byte("-webkit-")); ok {
		bare = rest
	}
	if rest, ok := bytes.CutPrefix(bare, []byte("min-")); ok {
		limit, bare = -1, rest
	} else if rest, ok := bytes.CutPrefix(bare, []byte("max-")); ok {
		limit, bare = 1, rest
	}
	mine, ok := featureSize(bare)
	if !ok {
		return false
	}
	if !hasValue {
		return limit == 0
	}
	asked, ok := featureValue(value)
	switch {
	case !ok:
		return false
	case limit < 0:
		return mine >= asked
	case limit > 0:
		return mine <= asked
	}
	return mine == asked
}

// featureSize returns the size of a feature of the reader.
func featureSize(name []byte) (n float64, ok bool) {
	switch string(name) {
	case "width", "device-width":
		return windowWidth, true
	case "height", "device-height":
		return windowHeight, true
	case "aspect-ratio", "device-aspect-ratio":
		return float64(windowWidth) / windowHeight, true
	case "resolution", "device-pixel-ratio":
		return 1, true
	case "color":
		return 8, true
	case "color-index":
		return 0, true
	}
	return 0, false
}

// featureValue reads what a feature is compared with: a size, a resolution or a ratio.
func featureValue(value []byte) (n float64, ok bool) {
	if over, under, isRatio := bytes.Cut(value, []byte("/")); isRatio {
		a, ok := size(trimCSS(over))
		b, okToo := size(trimCSS(under))
		return a.plain / b.plain, ok && okToo && b.plain != 0
	}
	if m, ok := size(value); ok {
		return m.total(), true
	}
	n, unit, ok := number(value)
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

// isInRange reports whether a comparison holds, as "400px < width <= 2000px".
func isInRange(feature []byte) bool {
	side := func(written []byte) (float64, bool) {
		written = trimCSS(written)
		if n, ok := featureSize(written); ok {
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
