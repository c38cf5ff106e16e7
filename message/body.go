package message

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"chaff/internal/ascii"
)

// transfer is a transfer encoding.
type transfer uint8

const (
	transferIdentity transfer = iota // 7bit, 8bit, binary and unknown
	transferQuotedPrintable
	transferBase64
	transferUUencode
)

// describeTransfer reads a Content-Transfer-Encoding.
//
// QUIRK: an encoding is one of five words. Mail has them with odd hyphens and blanks, in quotes, and with something after
// them (transfer-encodings.eml). It also has uuencode, which MIME does not know.
func (h *headers) describeTransfer(e *entity, value []byte) {
	token, rest := cutToken(value)
	e.encoding, e.transfer = h.lower(token), transferIdentity
	known := true
	switch string(e.encoding) {
	case "base64":
		e.transfer = transferBase64
	case "quoted-printable":
		e.transfer = transferQuotedPrintable
	case "7bit", "8bit", "binary", "":
	default:
		whole := value[:len(value)-len(rest)]
		if len(rest) > 0 && rest[0] == ' ' {
			whole = value // such as "8 bit"
		}
		if e.transfer, known = h.misspeltTransfer(whole); !known {
			e.transfer, known = h.misspeltTransfer(token)
		}
		e.encoding = h.toUTF8(e.encoding, nil, false)
	}
	if !known {
		h.repairs.add(UnknownEncoding)
	}
}

// misspeltTransfer returns the encoding that a misspelt name means.
func (h *headers) misspeltTransfer(name []byte) (_ transfer, ok bool) {
	const maxName = 40 // longer than any name
	var letters [maxName]byte
	n := 0
	for _, c := range name[:min(len(name), maxName)] {
		if ascii.IsAlphanumeric(c) {
			letters[n] = ascii.Lower(c)
			n++
		}
	}
	var t transfer
	switch string(letters[:n]) {
	case "uuencode", "xuuencode", "xuuencoded", "uuencoded", "uue", "xuue":
		return transferUUencode, true // not in MIME, but not misspelt
	case "base64", "b64", "base64encoding", "base64encoded":
		t = transferBase64
	case "quotedprintable", "quotedprintible", "quotedprintabel", "quoteprintable", "quoted", "qp":
		t = transferQuotedPrintable
	case "7bit", "7bits", "8bit", "8bits", "binary", "bit7", "bit8", "none", "7bitascii", "ascii":
	default:
		return transferIdentity, false
	}
	h.repairs.add(MisspeltEncoding)
	return t, true
}

// content returns the decoded content of a body, cut at the limit of the message.
func (t *texts) content(e entity, body []byte) []byte {
	const longest = 4 // encoded bytes for one byte, line ends included
	if e.isEncoded() && len(body)/longest > t.left {
		t.repairs.add(CutText)
		body = body[:longest*t.left]
	}
	start := len(t.arena)
	switch e.transfer {
	case transferQuotedPrintable:
		var ok bool
		t.arena, ok = appendQuotedPrintable(t.arena, body)
		if !ok {
			t.repairs.add(BadQuotedPrintable)
		}
		body = t.arena[start:len(t.arena):len(t.arena)]
	case transferBase64:
		if !t.appendBase64Body(body) {
			t.repairs.add(BadBase64)
		}
		body = t.arena[start:len(t.arena):len(t.arena)]
	case transferUUencode:
		body = t.uuBody(body)
	}
	return t.cutText(body)
}

// appendBase64Body appends the content of a base64 body to the arena. It reports whether the body was valid.
//
// QUIRK: a base64 body is base64. Some programs declare base64 and send plain text (base64-plain.eml), and mailing lists add
// plain lines to it (base64-footer.eml).
func (t *texts) appendBase64Body(body []byte) (ok bool) {
	if t.arena, ok = appendCleanBase64(t.arena, body); ok {
		return true
	}
	length := base64Length(body)
	t.arena, ok = appendBase64(t.arena, body[:length])
	if length == len(body) {
		return ok
	}
	t.arena = append(append(t.arena, '\n'), body[length:]...)
	return false
}

// base64Length returns how much of body is base64, perhaps damaged: the lines before the first one that is not, unless
// base64 follows it.
func base64Length(body []byte) int {
	for at := 0; at < len(body); {
		line, _ := cutLine(body[at:])
		if !looksLikeBase64(line) && !looksLikeBase64(body[at:]) {
			return at
		}
		at += len(line) + 1
	}
	return len(body)
}

// looksLikeBase64 reports whether at most one byte in ten at the start of text is foreign to base64. In plain text one in
// six is a blank.
func looksLikeBase64(text []byte) bool {
	const enough = 512
	text = text[:min(len(text), enough)]
	odd := 0
	for _, c := range text {
		if base64Value(c) == notBase64 && c != '=' && c != '\n' {
			odd++
		}
	}
	return odd*10 <= len(text)
}

// appendCleanBase64 appends the decoded src, if it is valid base64.
func appendCleanBase64(dst, src []byte) (_ []byte, ok bool) {
	dst = slices.Grow(dst, base64.StdEncoding.DecodedLen(len(src)))
	n, err := base64.StdEncoding.Decode(dst[len(dst):cap(dst)], src)
	if err != nil {
		return dst, false
	}
	return dst[:len(dst)+n], true
}

// appendBase64 appends the decoded src. It drops foreign bytes, and accepts "=" anywhere, since pieces may have been encoded
// one by one. It reports whether src was valid; missing padding and blanks do not matter. Valid lines go through the
// library.
func appendBase64(dst, src []byte) (_ []byte, ok bool) {
	ok = true
	group, digits := uint32(0), 0
	end := func() {
		switch digits {
		case 1:
			ok = false
		case 2:
			dst = append(dst, byte(group>>4))
		case 3:
			dst = append(dst, byte(group>>10), byte(group>>2))
		}
		digits = 0
	}
	for len(src) > 0 {
		var line []byte
		line, src = cutLine(src)
		if whole := bytes.TrimSuffix(line, []byte("\r")); digits == 0 && len(whole)%4 == 0 {
			dst = slices.Grow(dst, len(whole))
			if n, err := base64.RawStdEncoding.Decode(dst[len(dst):cap(dst)], whole); err == nil {
				dst = dst[:len(dst)+n]
				continue
			}
		}
		for _, c := range line {
			value := base64Value(c)
			switch {
			case value != notBase64:
				group = group<<6 | uint32(value)
				if digits++; digits == 4 {
					dst = append(dst, byte(group>>16), byte(group>>8), byte(group))
					digits = 0
				}
			case c == '=':
				end()
			case !isBlank(c) && c != '\n':
				ok = false
			}
		}
	}
	end()
	return dst, ok
}

const notBase64 = 0xff

// base64Value returns the value of a digit of base64, or notBase64.
func base64Value(c byte) byte {
	return byte(strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", c))
}

// appendQuotedPrintable appends the decoded src. An "=" that begins no escape stays. It reports whether there was none.
func appendQuotedPrintable(dst, src []byte) (_ []byte, ok bool) {
	ok = true
	for {
		escape := bytes.IndexByte(src, '=')
		if escape < 0 {
			return append(dst, src...), ok
		}
		dst = append(dst, src[:escape]...)
		src = src[escape+1:]
		if c, isHex := ascii.HexByte(src); isHex {
			dst = append(dst, c)
			src = src[2:]
			continue
		}
		// A soft line end may have gained blanks.
		blanks := 0
		for blanks < len(src) && isBlank(src[blanks]) {
			blanks++
		}
		switch {
		case blanks == len(src):
			src = nil
		case src[blanks] == '\n':
			src = src[blanks+1:]
		default:
			dst = append(dst, '=')
			ok = false
		}
	}
}
