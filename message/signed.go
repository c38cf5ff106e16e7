package message

import "bytes"

// isSigned reports whether a file is a signed content (CMS, RFC 5652).
func (d *Decoder) isSigned(e entity, body []byte) bool {
	const sequence, enough = 0x30, 32
	head := d.contentStart(e, body)
	if len(head) == 0 || head[0] != sequence {
		return false
	}
	_, ok := afterType(head[:min(len(head), enough)], typeSigned)
	return ok
}

// signed returns the message in a signed content. It returns nil if the content is no message.
//
// QUIRK: a signed mail has its text beside the signature. It may also have both in one file, smime.p7m, which mail programs
// show as the message, whoever signed it (signed.eml).
func (d *Decoder) signed(content []byte) []byte {
	start := len(d.arena)
	d.arena = appendSigned(d.arena, content)
	content = d.arena[start:len(d.arena):len(d.arena)]
	if name, _ := cutName(content[:min(len(content), sniffedBytes)]); name == nil {
		return nil // a configuration profile or other file that only programs read
	}
	return content
}

// The types of content in CMS, by the last byte of their object identifiers.
const (
	typeData   = 1
	typeSigned = 2
)

// afterType returns what follows the first object identifier of this type in data. It contains a CR, which may have become
// another line end.
func afterType(data []byte, contentType byte) (rest []byte, ok bool) {
	const start, end = "\x06\x09\x2a\x86\x48\x86\xf7", "\x01\x07"
	for {
		if _, data, ok = bytes.Cut(data, []byte(start)); !ok || len(data) < len("\r")+len(end)+1 {
			return nil, false
		}
		data = data[len("\r"):]
		if bytes.HasPrefix(data, []byte(end)) && data[len(end)] == contentType {
			return data[len(end)+1:], true
		}
	}
}

// appendSigned appends the signed content of data: an octet string, whole or in pieces, after the first identifier of data.
func appendSigned(dst, data []byte) []byte {
	const explicit, whole, pieces = 0xa0, 0x04, 0x24
	data, ok := afterType(data, typeData)
	if !ok {
		return dst
	}
	tag, data, _ := cutDER(data)
	if tag != explicit {
		return dst
	}
	tag, data, _ = cutDER(data)
	switch tag {
	case whole:
		dst = append(dst, data...)
	case pieces:
		for len(data) > 0 {
			var piece []byte
			if tag, piece, data = cutDER(data); tag != whole {
				break
			}
			dst = append(dst, piece...)
		}
	}
	return dst
}

// cutDER cuts the first value off data. A value without a length, or with one that is too large, is all of data.
func cutDER(data []byte) (tag byte, value, rest []byte) {
	const long = 0x80
	if len(data) < 2 {
		return 0, nil, nil
	}
	tag = data[0]
	length, digits := int(data[1]), 0
	data = data[2:]
	if length >= long {
		digits = min(length-long, len(data))
		if length = 0; digits == 0 || digits > 4 {
			return tag, data[min(digits, len(data)):], nil
		}
		for _, c := range data[:digits] {
			length = length<<8 | int(c)
		}
		data = data[digits:]
	}
	length = min(length, len(data))
	return tag, data[:length], data[length:]
}
