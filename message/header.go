package message

import "bytes"

// maxJunkLines is how far ahead a field is looked for, to tell a stray line in the header from the body.
const maxJunkLines = 8

// header reads the header at the start of data. It returns what it says about the content, and the body. The fields are
// added to kept, which is nil for the header of a part.
func (d *Decoder) header(data, defaultType []byte, kept *[]Field) (e entity, body []byte) {
	e.mediaType = defaultType
	var first int
	if kept != nil {
		first = len(*kept)
	}
	for {
		if d.late() {
			data = nil
			break
		}
		var name, value []byte
		name, value, data = d.field(data)
		if name == nil {
			break
		}
		if len(value) > d.options.MaxHeaderBytes {
			value = value[:d.options.MaxHeaderBytes]
			d.msg.Repairs.add(CutHeader)
		}
		value = d.unfold(value)
		d.describe(&e, name, value)
		switch {
		case kept == nil:
		case len(d.msg.Header)+len(d.msg.Attached) == d.options.MaxHeaderFields:
			d.msg.Repairs.add(CutHeader)
		default:
			name = name[:min(len(name), d.options.MaxHeaderBytes)]
			if !isName(name) {
				name = d.toUTF8(name, nil, false)
			}
			if len(name) > 0 { // it may have been NUL
				*kept = append(*kept, Field{name, value})
			}
		}
	}
	if kept != nil {
		for i := range (*kept)[first:] {
			field := &(*kept)[first+i]
			field.Value = d.words(field.Value, e.charset)
		}
	}
	return e, data
}

// field cuts the first field off a header; its value is still folded. After the last one the name is nil, and rest is
// the body.
//
// QUIRK: a header consists of fields and ends with an empty line. In mail it may also hold other lines, such as the
// rest of a field broken by a program that did not know how to fold it, or an mbox line (junk-lines.eml), or go over
// into the body without an empty line (no-empty-line.eml), or into the first part (no-empty-line-multipart.eml). A line
// without a colon, or with a blank before it, is in the header if a proper field comes soon after.
func (d *Decoder) field(data []byte) (name, value, rest []byte) {
	for len(data) > 0 {
		line, after := cutLine(data)
		if len(line) == 0 {
			return nil, nil, after
		}
		colon := bytes.IndexByte(line, ':')
		if !isField(line) {
			if bytes.HasPrefix(line, []byte("--")) || !headerGoesOn(after) {
				d.msg.Repairs.add(HeaderWithoutEnd)
				return nil, nil, data
			}
			if colon < 0 || len(bytes.TrimSpace(line[:colon])) == 0 {
				d.msg.Repairs.add(HeaderWithoutColon)
				data = after
				continue
			}
		}
		for len(after) > 0 && isBlank(after[0]) { // the field is folded and goes on in this line
			_, after = cutLine(after)
		}
		value = data[colon+1 : len(data)-len(after)]
		return bytes.TrimSpace(line[:colon]), bytes.TrimSpace(value), after
	}
	return nil, nil, nil
}

// headerGoesOn reports whether one of the next lines is a field.
func headerGoesOn(data []byte) bool {
	for range maxJunkLines {
		var line []byte
		line, data = cutLine(data)
		if len(line) == 0 || bytes.HasPrefix(line, []byte("--")) {
			return false
		}
		if isField(line) {
			return true
		}
	}
	return false
}

// isField reports whether line starts with a field name and a colon as the RFC wants them. A line that starts with two
// hyphens is a boundary whatever follows.
func isField(line []byte) bool {
	if bytes.HasPrefix(line, []byte("--")) {
		return false
	}
	for i, c := range line {
		if c == ':' {
			return i > 0
		}
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return false
}

// isName reports whether a field name has only characters that the RFC allows in it.
func isName(name []byte) bool {
	for _, c := range name {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return true
}

// unfold puts a value on one line. The blank that starts each further line remains.
func (d *Decoder) unfold(value []byte) []byte {
	if bytes.IndexByte(value, '\n') < 0 {
		return value
	}
	start := len(d.arena)
	for len(value) > 0 {
		var line []byte
		line, value = cutLine(value)
		d.arena = append(d.arena, line...)
	}
	return d.arena[start:len(d.arena):len(d.arena)]
}
