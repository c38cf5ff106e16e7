package message

import (
	"bytes"
	"encoding/base64"
	"slices"
	"unicode/utf8"

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

// transfers is what the letters and digits in names of encodings mean, rightly and wrongly spelt.
var transfers = map[string]transfer{
	"": transferIdentity, "7bit": transferIdentity, "7bits": transferIdentity, "8bit": transferIdentity, "8bits": transferIdentity, "binary": transferIdentity,
	"bit7": transferIdentity, "bit8": transferIdentity, "none": transferIdentity, "7bitascii": transferIdentity, "ascii": transferIdentity,
	"base64": transferBase64, "b64": transferBase64, "base64encoding": transferBase64, "base64encoded": transferBase64,
	"quotedprintable": transferQuotedPrintable, "quotedprintible": transferQuotedPrintable, "quotedprintabel": transferQuotedPrintable,
	"quoteprintable": transferQuotedPrintable, "quoted": transferQuotedPrintable, "qp": transferQuotedPrintable,
	"uuencode": transferUUencode, "xuuencode": transferUUencode, "xuuencoded": transferUUencode, "uuencoded": transferUUencode,
	"uue": transferUUencode, "xuue": transferUUencode,
}

// describeTransfer reads a Content-Transfer-Encoding.
//
// QUIRK: an encoding is one of five words. Mail has them with odd hyphens and blanks, in quotes, and with something after
// them (transfer-encodings.eml). It also has uuencode, which MIME does not know.
func (h *headers) describeTransfer(e *entity, value []byte) {
	const maxName = 40 // longer than any name
	value = skipComments(value)
	token, _ := cutToken(value)
	e.encoding = h.toUTF8(h.lower(token), nil, false)
	for _, name := range [][]byte{value, token} { // all of it for "8 bit"
		var isKnown bool
		if e.transfer, isKnown = transfers[string(appendAlphanumeric(make([]byte, 0, maxName), name[:min(len(name), maxName)]))]; isKnown {
			isProper := slices.Contains([]string{"", "7bit", "8bit", "binary", "base64", "quoted-printable"}, string(e.encoding))
			if !isProper && e.transfer != transferUUencode { // which is not in MIME
				h.msg.Repairs.Add(MisspeltEncoding)
			}
			return
		}
	}
	h.msg.Repairs.Add(UnknownEncoding)
}

// content returns the decoded content of a body, at most so many bytes.
//
// QUIRK: a base64 body is base64. Some programs declare base64 and send plain text (base64-plain.eml), and mailing lists add
// plain lines to it (base64-footer.eml).
func (t *texts) content(e entity, body []byte, most int) []byte {
	const longest = 4 // encoded bytes for one byte, line ends included
	if e.transfer != transferIdentity && len(body)/longest > most {
		t.msg.Repairs.Add(CutText)
		body = body[:longest*most]
	}
	start, ok := len(t.arena), true
	switch e.transfer {
	case transferQuotedPrintable:
		t.arena, ok = appendQuotedPrintable(t.arena, body)
	case transferBase64:
		t.arena = slices.Grow(t.arena, len(body)) // room for damaged digits, too, which are decoded where they stand
		clean, err := base64.StdEncoding.AppendDecode(t.arena, body)
		if err == nil {
			t.arena = clean
			break
		}
		t.arena = clean[:start]
		length := base64Length(body)
		if t.arena, ok = appendBase64(t.arena, body[:length]); length < len(body) {
			t.arena, ok = append(append(t.arena, '\n'), body[length:]...), false
		}
	case transferUUencode:
		at, lines, _, found := findUUBegin(body)
		if !found {
			t.msg.Repairs.Add(BadUUencode)
			return t.cutText(body, most)
		}
		var rest []byte
		t.arena, rest, ok = appendUU(t.arena, body[lines:])
		// Programs that do not know the encoding show what is around the file, and capitals that look like it.
		for _, text := range [...][]byte{body[:at], body[lines : len(body)-len(rest)], rest} {
			if hasWords(text) {
				t.arena = append(append(t.arena, '\n'), text...)
			}
		}
	default:
		return t.cutText(body, most)
	}
	if !ok {
		t.msg.Repairs.Add([...]Repair{transferQuotedPrintable: BadQuotedPrintable, transferBase64: BadBase64, transferUUencode: BadUUencode}[e.transfer])
	}
	return t.cutText(slices.Clip(t.arena[start:]), most)
}

// contentStart returns the start of the decoded content of e. It is valid until the arena grows.
func (t *texts) contentStart(e entity, body []byte) []byte {
	start, repairs := len(t.arena), t.msg.Repairs
	head := t.content(e, body[:min(len(body), sniffBytes)], 2*sniffBytes)
	t.arena, t.msg.Repairs = t.arena[:start], repairs
	return head
}

// base64Length returns how much of body is base64, perhaps damaged: the lines before the first one that is not, unless base64 follows it, or
// bytes that are text without those that are foreign to base64.
//
// QUIRK: programs ignore such bytes (RFC 2045, section 6.8), so a sender can put a blank behind each four letters. The letters of plain text are
// decoded to noise: one byte in twenty is a control character, and one in two is no UTF-8. A sender can put noise into a comment of HTML.
func base64Length(body []byte) int {
	for at := 0; at < len(body); {
		line, _, _ := bytes.Cut(body[at:], []byte("\n"))
		if !looksLikeBase64(line) && !looksLikeBase64(body[at:]) {
			const long, short = 128, 16
			content, _ := appendBase64(nil, body[at:])
			head := content[:min(len(content), sniffBytes*3/4)]
			if (len(head) >= long || len(head) >= short && utf8.Valid(head)) && !isBinary(head) || hasTextRun(content) {
				break
			}
			return at
		}
		at += len(line) + 1
	}
	return len(body)
}

// hasTextRun reports whether somewhere in content so many bytes follow each other without a control character, or are UTF-8 too, as noise never has.
func hasTextRun(content []byte) bool {
	const enough, enoughUTF8 = 512, 32
	run, runUTF8 := 0, 0
	for at := 0; at < len(content); {
		r, size := utf8.DecodeRune(content[at:])
		run, runUTF8 = run+size, runUTF8+size
		if control.Has(content[at]) {
			run = 0
		}
		if run == 0 || r == utf8.RuneError {
			runUTF8 = 0
		}
		at += size
		if run >= enough || runUTF8 >= enoughUTF8 {
			return true
		}
	}
	return false
}

// looksLikeBase64 reports whether at most one byte in ten at the start of text is foreign to base64. In plain text one in
// six is a blank.
func looksLikeBase64(text []byte) bool {
	const enough = 512
	text = text[:min(len(text), enough)]
	odd := 0
	for _, c := range text {
		if !isBase64Digit(c) && c != '=' && c != '\n' {
			odd++
		}
	}
	return odd*10 <= len(text)
}

// appendBase64 appends the decoded src. It drops foreign bytes, and accepts "=" anywhere, since pieces may have been encoded one by one. It reports
// whether src was valid; missing padding and blanks do not matter. It takes no memory beside dst, since a body may be cut anywhere: digits are decoded
// where they stand.
func appendBase64(dst, src []byte) (_ []byte, ok bool) {
	decoded, err := base64.StdEncoding.AppendDecode(dst, src)
	if err == nil {
		return decoded, true
	}
	dst, ok = decoded[:len(dst)], true // with the room that was made for it: else each of many damaged words would copy those before it
	for len(src) > 0 {
		var piece []byte
		piece, src, _ = bytes.Cut(src, []byte("="))
		start := len(dst)
		for len(piece) > 0 {
			n := 0
			for n < len(piece) && isBase64Digit(piece[n]) {
				n++
			}
			dst = append(dst, piece[:n]...)
			ok = ok && (n == len(piece) || ascii.Space.Has(piece[n]))
			piece = piece[min(n+1, len(piece)):]
		}
		dst, err = base64.RawStdEncoding.AppendDecode(dst[:start], dst[start:])
		ok = ok && err == nil // six bits at the end are no byte
	}
	return dst, ok
}

func isBase64Digit(c byte) bool { return ascii.IsAlphanumeric(c) || c == '+' || c == '/' }

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
		after := bytes.TrimLeft(src, " \t") // a soft line end may have gained blanks
		if len(after) == 0 || after[0] == '\n' {
			src = bytes.TrimPrefix(after, []byte("\n"))
		} else {
			dst = append(dst, '=')
			ok = false
		}
	}
}

// A uuencoded file:
//
//	begin 644 name
//	#86)C
//	`
//	end
//
// A line begins with its number of bytes. Each four characters after it hold three bytes. A character is a blank plus six
// bits, and "`" is 0.

const maxUULine = 1 + 63/3*4 + 2 // the length, the longest data, and a checksum that some programs add

// isUULine reports whether a line may be one of a uuencoded file. Up to half of its characters may be missing, such as blanks at its end.
func isUULine(line []byte) bool {
	isOther := func(c byte) bool { return c < ' ' || c > '`' }
	if len(line) == 0 || len(line) > maxUULine || slices.ContainsFunc(line, isOther) {
		return false
	}
	want, have := (int(line[0]-' ')&0x3f+2)/3*4, len(line)-1
	return have >= want/2 && have <= want+2
}

var uuDigits = base64.NewEncoding("`!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_").WithPadding(base64.NoPadding)

// appendUU appends the bytes of lines after a begin line. It omits bytes whose characters are missing. It returns what follows
// the file, and whether the file was complete.
//
// QUIRK: the last line of a file is "end". It is missing if the mail was cut, and in the first of several mails with one
// file (uuencode-broken.eml). So a file continues as long as its lines look like uuencode.
func appendUU(dst, lines []byte) (_, rest []byte, ok bool) {
	ok = true
	for {
		line, after, _ := bytes.Cut(lines, []byte("\n"))
		if string(bytes.TrimRight(line, " \t")) == "end" {
			return dst, after, ok
		}
		next, _, _ := bytes.Cut(after, []byte("\n"))
		switch {
		case isUULine(line):
			length, data := int(line[0]-' ')&0x3f, line[1:]
			if bytes.IndexByte(data, ' ') >= 0 { // also a zero; ReplaceAll copies all else
				data = bytes.ReplaceAll(data, []byte(" "), []byte("`"))
			}
			content, _ := uuDigits.AppendDecode(dst, data)
			dst = content[:min(len(content), len(dst)+length)]
		case isUULine(next), string(next) == "end":
			ok = false
		default:
			return dst, lines, false
		}
		lines = after
	}
}

// findUUBegin returns the offset of the first line that begins a file, and that of the next line. A file must follow, since
// people write "begin", too.
func findUUBegin(text []byte) (at, lines int, name []byte, ok bool) {
	for {
		line, rest, _ := bytes.Cut(text[at:], []byte("\n"))
		mode, isBegin := bytes.CutPrefix(line, []byte("begin ")) // three or four digits
		after := bytes.TrimLeft(mode, "01234567")
		if digits := len(mode) - len(after); isBegin && (digits == 3 || digits == 4) && bytes.HasPrefix(after, []byte(" ")) {
			name = bytes.TrimSpace(after)
			if next, _, _ := bytes.Cut(rest, []byte("\n")); len(name) > 0 && isUULine(next) {
				return at, len(text) - len(rest), name, true
			}
		}
		next := bytes.Index(text[at:], []byte("\nbegin "))
		if next < 0 {
			return 0, 0, nil, false
		}
		at += next + 1
	}
}
