package message

import "bytes"

// entity is what a header says about the content below it.
type entity struct {
	mediaType  []byte
	charset    []byte
	boundary   []byte
	encoding   []byte // as declared
	transfer   transfer
	filename   []byte
	attachment bool

	typed, encoded, disposed bool // the field has been seen
}

// describe takes up a field that describes the content. The first of each name wins.
func (d *Decoder) describe(e *entity, name, value []byte) {
	const prefix = len("content-")
	if len(name) < prefix || !equalFold(name[:prefix], "content-") {
		return
	}
	switch name = name[prefix:]; {
	case !e.typed && equalFold(name, "type"):
		e.typed = true
		d.describeType(e, value)
	case !e.encoded && equalFold(name, "transfer-encoding"):
		e.encoded = true
		token, _ := cutToken(value)
		e.encoding = d.toUTF8(d.lower(token), nil, false)
		e.transfer = d.transferOf(e.encoding)
	case !e.disposed && equalFold(name, "disposition"):
		e.disposed = true
		token, params := cutToken(value)
		e.attachment = equalFold(token, "attachment")
		if filename := d.param(params, "filename"); len(filename) > 0 {
			e.filename = filename
		}
	}
}

// describeType takes up a Content-Type.
//
// QUIRK: a type is "text/html; name=value" with its values in quotes where they need them. Mail has types without a
// subtype, without semicolons, with blanks in them, with open quotes (content-types.eml).
func (d *Decoder) describeType(e *entity, value []byte) {
	token, params := cutToken(value)
	if major, minor, ok := bytes.Cut(token, []byte("/")); ok && len(major) > 0 && len(minor) > 0 {
		e.mediaType = d.toUTF8(d.lower(token), nil, false)
	} else {
		d.msg.Repairs.add(BadContentType)
	}
	charset, _ := cutToken(d.param(params, "charset"))
	e.charset = d.lower(charset)
	e.boundary = bytes.TrimRight(d.param(params, "boundary"), " \t")
	if len(e.filename) == 0 {
		e.filename = d.param(params, "name")
	}
}

func (e *entity) isMultipart() bool { return bytes.HasPrefix(e.mediaType, []byte("multipart/")) }

func (e *entity) isMessage() bool {
	return string(e.mediaType) == "message/rfc822" || string(e.mediaType) == "message/global"
}

// isEncoded reports whether the content must be decoded before its structure can be seen.
func (e *entity) isEncoded() bool { return e.transfer != transferIdentity }

func (e *entity) isHTML() bool {
	return string(e.mediaType) == "text/html" || string(e.mediaType) == "application/xhtml+xml"
}

// isText reports whether the content is text, which it is unless the type is known to be something else.
func (e *entity) isText() bool {
	major, _, _ := bytes.Cut(e.mediaType, []byte("/"))
	switch string(major) {
	case "application", "audio", "font", "image", "model", "video":
		return e.isHTML()
	}
	return true
}

// innerType returns the type of parts of e that declare none.
func (d *Decoder) innerType(e entity) []byte {
	if string(e.mediaType) == "multipart/digest" {
		return d.typeMessage
	}
	return d.typePlain
}

// cutToken returns what value starts with up to a blank or semicolon, and what follows.
func cutToken(value []byte) (token, rest []byte) {
	value = bytes.TrimSpace(value)
	if end := bytes.IndexAny(value, "; \t\n"); end >= 0 {
		return value[:end], value[end:]
	}
	return value, nil
}

// param returns the value of the first parameter of that name, decoded, valid UTF-8, or nil.
//
// QUIRK: names with other letters than ASCII are written as in RFC 2231: name*=charset'language'text, the text with %FC
// for a byte, also in numbered pieces. Mail has them also as encoded words, or simply as they are (file-names.eml).
func (d *Decoder) param(params []byte, name string) []byte {
	d.word = d.word[:0]
	var charset []byte
	pieces := 0
	for len(params) > 0 {
		var key, value []byte
		key, value, params = d.cutParam(params)
		key, form, extended := bytes.Cut(key, []byte("*"))
		if !equalFold(key, name) {
			continue
		}
		if !extended {
			if pieces == 0 {
				return d.words(value, nil)
			}
			continue
		}
		percent := len(form) == 0 || form[len(form)-1] == '*'
		if percent && pieces == 0 {
			if first := bytes.SplitN(value, []byte("'"), 3); len(first) == 3 {
				charset, value = first[0], first[2]
			}
		}
		if percent {
			d.word = appendPercent(d.word, value)
		} else {
			d.word = append(d.word, value...)
		}
		pieces++
		if len(form) == 0 {
			break
		}
	}
	if pieces == 0 {
		return nil
	}
	start := len(d.arena)
	d.flushWord(charset)
	return d.arena[start:len(d.arena):len(d.arena)]
}

// cutParam cuts the first "name=value" off params. Both may be empty; the name is the last word before the "=".
func (d *Decoder) cutParam(params []byte) (name, value, rest []byte) {
	end := bytes.IndexAny(params, "=;")
	if end < 0 {
		return nil, nil, nil
	}
	if params[end] == ';' {
		return nil, nil, params[end+1:]
	}
	name, rest = bytes.TrimSpace(params[:end]), bytes.TrimLeft(params[end+1:], " \t")
	name = name[bytes.LastIndexAny(name, " \t")+1:]
	if len(rest) > 0 && rest[0] == '"' {
		if value, rest, ok := d.cutQuoted(rest); ok {
			return name, value, rest
		}
		rest = rest[1:] // the quote is never closed
	}
	value, rest, _ = bytes.Cut(rest, []byte(";"))
	return name, bytes.TrimSpace(value), rest
}

// cutQuoted cuts the quoted string off the start of s, and returns it without quotes and escapes.
func (d *Decoder) cutQuoted(s []byte) (value, rest []byte, ok bool) {
	escaped := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			value = s[1:i]
			if escaped {
				value = d.unescape(value)
			}
			return value, s[i+1:], true
		}
	}
	return nil, nil, false
}

// unescape drops the backslash before each escaped byte of a quoted string.
func (d *Decoder) unescape(s []byte) []byte {
	start := len(d.arena)
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		d.arena = append(d.arena, s[i])
	}
	return d.arena[start:len(d.arena):len(d.arena)]
}

// lower returns token with A to Z in lower case, and itself if it has none.
func (d *Decoder) lower(token []byte) []byte {
	if bytes.IndexFunc(token, func(r rune) bool { return 'A' <= r && r <= 'Z' }) < 0 {
		return token
	}
	start := len(d.arena)
	for _, c := range token {
		d.arena = append(d.arena, lowerByte(c))
	}
	return d.arena[start:len(d.arena):len(d.arena)]
}

// equalFold reports whether b is the ASCII string lower, whatever its case.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i, c := range b {
		if lowerByte(c) != lowerByte(s[i]) {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
