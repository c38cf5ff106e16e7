package message

import (
	"bytes"
	"unicode"
)

// sniffBytes is how much of a text is searched for signs of HTML.
const sniffBytes = 1 << 10

// hasWord reports whether text contains a letter or digit.
func hasWord(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// isUnknown reports whether HTML has no such element. Elements with a namespace, as office programs write them, count as
// known.
func isUnknown(name []byte, has traits) bool { return has == 0 && bytes.IndexByte(name, ':') < 0 }

// looksLikeHTML reports whether a text begins like an HTML document.
//
// QUIRK: HTML is declared as text/html. It is also sent as text/plain (html-as-plain.eml).
func looksLikeHTML(text []byte) bool { return hasTag(text, "html", "body") }

// hasTag reports whether a text has a tag, or the document type, of one of these elements near its start.
func hasTag(text []byte, names ...string) bool {
	text = text[:min(len(text), sniffBytes)]
	for {
		tag := bytes.IndexByte(text, '<')
		if tag < 0 {
			return false
		}
		text = text[tag+1:]
		var lower [maxName]byte
		name := tagName(&lower, text)
		if string(name) == "!doctype" {
			name = tagName(&lower, bytes.TrimLeft(text[len(name):], " \t\r\n"))
		}
		for _, wanted := range names {
			if string(name) == wanted {
				return true
			}
		}
	}
}
