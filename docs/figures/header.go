package main

import (
	"bytes"
	"maps"
	"mime"
	"path"
	"slices"
	"strings"
)

// headerField is a raw header field with its line ends.
type headerField struct{ name, raw string }

// headerFields returns the fields of a header and the offset of the body. A line that is not a field, such as the From_ line
// of an mbox, has no name.
func headerFields(raw []byte) (fields []headerField, body int) {
	for at := 0; at < len(raw); {
		line := raw[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		at += len(line)
		name, _, isField := strings.Cut(string(line), ":")
		switch {
		case len(bytes.TrimRight(line, "\r\n")) == 0:
			return fields, at
		case isSpace(line[0]) && len(fields) > 0:
			fields[len(fields)-1].raw += string(line)
		case isField && !strings.ContainsAny(name, " \t"):
			fields = append(fields, headerField{name, string(line)})
		default:
			fields = append(fields, headerField{"", string(line)})
		}
	}
	return fields, len(raw)
}

// value returns the text after the colon.
func (f headerField) value() string { return strings.TrimPrefix(f.raw, f.name+":") }

func (f headerField) is(name string) bool { return strings.EqualFold(f.name, name) }

// fieldValue returns the value of the first field with a name, unfolded.
func fieldValue(fields []headerField, name string) string {
	for _, f := range fields {
		if f.is(name) {
			return strings.Join(strings.Fields(f.value()), " ")
		}
	}
	return ""
}

// routeFields are the fields that servers, mailing lists and the mailbox write.
const routeFields = `received x-received return-path x-return-path x-originating-ip delivered-to x-original-to envelope-to
	x-envelope-* delivery-date resent-* list-* x-list* mailing-list x-mailing-list x-beenthere x-mailman-* x-loop precedence
	errors-to sender x-sender x-egroups-* delivered-by x-original-date x-authentication-warning x-mime-autoconverted
	x-delivery-agent x-spam* x-virus* x-mailscanner* status x-status x-keywords x-uid`

// ownFields are the fields whose values a forger keeps: his text, and what makes it readable.
const ownFields = `from to cc bcc reply-to subject content-type content-transfer-encoding content-disposition`

// isAmong reports whether a name matches one of the patterns, which spaces separate.
func isAmong(name, patterns string) bool {
	for pattern := range strings.FieldsSeq(patterns) {
		if matches, err := path.Match(pattern, strings.ToLower(name)); err == nil && matches {
			return true
		}
	}
	return false
}

// forge returns spam with the header of ham: the same fields in the same order and letter case, with its mail program, message
// id, date and MIME-Version. The fields of the route and the values of [ownFields] are those of the spam.
func forge(spam, ham []byte) []byte {
	said, body := headerFields(ended(spam))
	like, _ := headerFields(ended(ham))
	var forged []byte
	rest := slices.DeleteFunc(said, func(f headerField) bool {
		route := f.name == "" || isAmong(f.name, routeFields)
		if route {
			forged = append(forged, f.raw...)
		}
		return route
	})
	for _, f := range like {
		switch {
		case f.name == "" || isAmong(f.name, routeFields):
		case !isAmong(f.name, ownFields):
			forged = append(forged, f.raw...)
		default:
			i := slices.IndexFunc(rest, func(own headerField) bool { return own.is(f.name) })
			if i >= 0 {
				forged = append(append(append(forged, f.name...), ':'), inStyle(rest[i], f)...)
				rest = slices.Delete(rest, i, i+1)
			}
		}
	}
	for _, f := range rest {
		if isAmong(f.name, ownFields) || f.is("mime-version") && fieldValue(like, f.name) == "" {
			forged = append(forged, f.raw...)
		}
	}
	return slices.Concat(forged, []byte("\n"), spam[min(body, len(spam)):])
}

// ended returns a message that ends with a newline.
func ended(raw []byte) []byte {
	if bytes.HasSuffix(raw, []byte("\n")) {
		return raw
	}
	return slices.Concat(raw, []byte("\n"))
}

// inStyle returns the value of a field in the style of another: the same letter case, and for a media type the same order and
// quotes of common parameters.
func inStyle(own, like headerField) string {
	end := own.value()[len(strings.TrimRight(own.value(), "\r\n")):]
	switch {
	case own.is("content-transfer-encoding") && strings.EqualFold(strings.TrimSpace(own.value()), strings.TrimSpace(like.value())):
		return like.value()
	case !own.is("content-type"):
		return own.value()
	}
	kind, parameters, err := mime.ParseMediaType(strings.Join(strings.Fields(own.value()), " "))
	likeKind, styled, _ := strings.Cut(strings.TrimRight(like.value(), "\r\n"), ";")
	if err != nil || !strings.EqualFold(kind, strings.TrimSpace(likeKind)) {
		return own.value()
	}
	value := likeKind
	for parameter := range strings.SplitSeq(styled, ";") {
		name, likeValue, _ := strings.Cut(parameter, "=")
		key := strings.ToLower(strings.TrimSpace(name))
		if has, ok := parameters[key]; ok {
			value += ";" + name + "=" + quotedLike(has, strings.TrimSpace(likeValue))
			delete(parameters, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(parameters)) {
		value += "; " + key + "=" + quotedLike(parameters[key], "")
	}
	return value + end
}

// quotedLike returns the value of a parameter with the quotes and the letter case of another value, where that is valid.
func quotedLike(value, like string) string {
	plain := strings.Trim(like, `"`)
	if strings.EqualFold(value, plain) {
		value = plain
	}
	if plain != like || strings.ContainsAny(value, " \t()<>@,;:\\\"/[]?=") {
		return `"` + strings.ReplaceAll(strings.ReplaceAll(value, `\`, `\\`), `"`, `\"`) + `"`
	}
	return value
}
