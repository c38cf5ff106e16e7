package message

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// charsetInHTML returns the canonical name of the charset that HTML, which is not UTF-8 as a whole, declares to browsers, "" if the word is not
// there. A declaration that no browser follows makes it windows-1252, or UTF-8 if the head is.
func charsetInHTML(text []byte) string {
	const sniffed = 1024 // as far as browsers look
	text = text[:min(len(text), sniffed)]
	if !ascii.ContainsFold(text, "charset") {
		return ""
	}
	for _, mark := range [...]struct{ bytes, name string }{{"\xfe\xff", "utf-16be"}, {"\xff\xfe", "utf-16le"}, {"\ufeff", "utf-8"}} {
		if bytes.HasPrefix(text, []byte(mark.bytes)) {
			return mark.name
		}
	}
	var s scanner // the tag that the page is reading stays
	if name := s.charsetInMeta(text); name != "" {
		return name
	}
	for i := len(text) - 1; i >= max(0, len(text)-3) && text[i] >= utf8.RuneSelf; i-- {
		if utf8.RuneStart(text[i]) {
			text = text[:i] // a character that was cut
			break
		}
	}
	if lengthOfASCII(text) < len(text) && utf8.Valid(text) {
		return "utf-8"
	}
	return "windows-1252"
}

// charsetInMeta returns the canonical name of the charset that the first usable meta element of HTML declares, "" if there is none.
func (s *scanner) charsetInMeta(source []byte) string {
	s.hasCR = bytes.IndexByte(source, '\r') >= 0
	for len(source) > 0 {
		kind, length := s.cutToken(source)
		tag := source[:length]
		source = source[length:]
		if kind != startTagToken {
			continue
		}
		name := tagName(&s.lower, tag[len("<"):])
		switch string(name) {
		case "meta":
			if charset := s.charsetOfMeta(tag); charset != "" {
				return charset
			}
		case "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp": // to browsers, they have no tags
			source = source[rawLength(source, string(name)):]
		}
	}
	return ""
}

// charsetOfMeta returns the canonical name of the charset that a meta tag declares, "" if browsers ignore it.
func (s *scanner) charsetOfMeta(tag []byte) (charset string) {
	seen := make(map[string]bool)
	isType, needsType, declares := false, false, false
	rest := afterName(tag)
	for len(rest) > 0 && rest[0] != '>' {
		var name, value []byte
		name, value, rest = cutAttribute(rest)
		key := string(ascii.AppendLower(nil, name, len(name)))
		if seen[key] {
			continue
		}
		seen[key] = true
		value, _ = s.replaceReferences(value, true)
		text := string(ascii.AppendLower(nil, value, len(value)))
		switch key {
		case "http-equiv":
			isType = isType || text == "content-type"
		case "content":
			if charset == "" {
				if charset = canonicalName(strings.TrimSpace(charsetInType(text))); charset != "" {
					needsType, declares = true, true
				}
			}
		case "charset":
			charset = canonicalName(strings.TrimSpace(text))
			needsType, declares = false, true
		}
	}
	if !declares || needsType && !isType {
		return ""
	}
	if strings.HasPrefix(charset, "utf-16") {
		return "utf-8" // the declaration could not be read in UTF-16
	}
	return charset
}

// charsetInType returns the label behind "charset=" in a media type of HTML.
func charsetInType(text string) string {
	for {
		_, rest, found := strings.Cut(text, "charset")
		if !found {
			return ""
		}
		text = strings.TrimLeft(rest, htmlSpace)
		if !strings.HasPrefix(text, "=") {
			continue
		}
		text = strings.TrimLeft(text[len("="):], htmlSpace)
		if text == "" {
			return ""
		}
		if quote := text[:1]; quote == `"` || quote == "'" {
			label, _, ended := strings.Cut(text[1:], quote)
			if !ended {
				return ""
			}
			return label
		}
		if end := strings.IndexAny(text, ";"+htmlSpace); end >= 0 {
			return text[:end]
		}
		return text
	}
}

const htmlSpace = " \t\n\f\r"
