package message

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"chaff/internal/ascii"
)

// unescaped returns what a reference stands for: the reference itself if it is none. A name leads to package html only if it is rare, since its
// first use fills a table of all names.
func unescaped(reference string) string {
	switch reference {
	case "&nbsp;", "&nbsp":
		return "\u00a0"
	case "&amp;", "&amp":
		return "&"
	case "&lt;", "&lt":
		return "<"
	case "&gt;", "&gt":
		return ">"
	case "&quot;", "&quot":
		return `"`
	case "&copy;", "&copy":
		return "©"
	case "&reg;", "&reg":
		return "®"
	case "&bull;":
		return "•"
	case "&middot;", "&middot":
		return "·"
	case "&raquo;", "&raquo":
		return "»"
	case "&ndash;":
		return "–"
	case "&rsquo;":
		return "’"
	}
	if strings.HasPrefix(reference, "&#") {
		return unescapedNumber(reference)
	}
	if strings.HasSuffix(reference, ";") || isOldName(reference) {
		return html.UnescapeString(reference)
	}
	return reference
}

// isOldName reports whether a reference begins with a name that needs no semicolon. Most do not: they are parameters in addresses, such as the
// second one in "?a=1&id=2".
func isOldName(reference string) bool {
	const shortest, longest = len("gt"), len("frac12")
	name := reference[len("&"):]
	for n := shortest; n <= min(longest, len(name)); n++ {
		switch name[:n] {
		case "AElig", "AMP", "Aacute", "Acirc", "Agrave", "Aring", "Atilde", "Auml", "COPY", "Ccedil", "ETH", "Eacute", "Ecirc",
			"Egrave", "Euml", "GT", "Iacute", "Icirc", "Igrave", "Iuml", "LT", "Ntilde", "Oacute", "Ocirc", "Ograve", "Oslash", "Otilde",
			"Ouml", "QUOT", "REG", "THORN", "Uacute", "Ucirc", "Ugrave", "Uuml", "Yacute", "aacute", "acirc", "acute", "aelig", "agrave",
			"amp", "aring", "atilde", "auml", "brvbar", "ccedil", "cedil", "cent", "copy", "curren", "deg", "divide", "eacute", "ecirc",
			"egrave", "eth", "euml", "frac12", "frac14", "frac34", "gt", "iacute", "icirc", "iexcl", "igrave", "iquest", "iuml", "laquo",
			"lt", "macr", "micro", "middot", "nbsp", "not", "ntilde", "oacute", "ocirc", "ograve", "ordf", "ordm", "oslash", "otilde",
			"ouml", "para", "plusmn", "pound", "quot", "raquo", "reg", "sect", "shy", "sup1", "sup2", "sup3", "szlig", "thorn", "times",
			"uacute", "ucirc", "ugrave", "uml", "uuml", "yacute", "yen", "yuml":
			return true
		}
	}
	return false
}

// unescapedNumber returns a numeric reference with the character that browsers show in place of the number. Package html differs in what they do
// with broken ones.
func unescapedNumber(reference string) string {
	digits, base := reference[len("&#"):], rune(10)
	if digits != "" && ascii.Lower(digits[0]) == 'x' {
		digits, base = digits[1:], 16
	}
	r, n := rune(0), 0
	for ; n < len(digits); n++ {
		digit := rune(ascii.HexDigit(digits[n]))
		if digit >= base {
			break
		}
		if r <= unicode.MaxRune {
			r = base*r + digit
		}
	}
	switch {
	case n == 0:
		return reference
	case r == 0:
		r = utf8.RuneError
	case 0x80 <= r && r <= 0x9f:
		if c := charmap.Windows1252.DecodeByte(byte(r)); c != utf8.RuneError {
			r = c
		}
	}
	return string(r) + strings.TrimPrefix(digits[n:], ";")
}
