package weburl

import (
	"bytes"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"chaff/internal/ascii"
)

// maxHost is the length in bytes up to which a host is read, without the characters that are ignored. A name has at most 255
// bytes when it is asked for, and few of them came from four bytes each.
const maxHost = 1024

// names is how browsers read names beyond ASCII: UTS #46 without transitional processing, with the rules for joiners and for
// text from right to left, without those for hyphens, for the characters that a name may have and for its length.
var names = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(false),
	idna.StrictDomainName(false), idna.VerifyDNSLength(false), idna.Transitional(false))

// Host returns the host that a browser asks for when a URL has this one: escapes undone, in lower case, a name beyond ASCII in
// Punycode, an address of IPv4 in four decimal numbers whatever it was written in, one of IPv6 in brackets. It reports false
// if browsers open no such URL.
func Host(written []byte) (host string, ok bool) {
	if len(written) > 0 && written[0] == '[' {
		return ipv6(written)
	}
	name, ok := Name(withoutEscapes(written))
	if !ok {
		return "", false
	}
	if address, is, ok := ipv4(name); is {
		return address, ok
	}
	return name, true
}

// Name returns a host name as it is asked for, in lower case and in Punycode. It reports false if it is none.
func Name(written []byte) (name string, ok bool) {
	if len(written) > maxHost {
		written = withoutIgnored(written)
	}
	if len(written) == 0 || len(written) > maxHost || !utf8.Valid(written) {
		return "", false
	}
	name, isPlain := lowerName(written)
	if !isPlain {
		var err error
		if name, err = names.ToASCII(name); err != nil || name == "" {
			return "", false
		}
	}
	for i := range len(name) {
		if isForbidden(name[i]) {
			return "", false
		}
	}
	return name, true
}

// lowerName returns a name with its letters of ASCII in lower case. It is plain if it is of ASCII and has no label in Punycode.
func lowerName(written []byte) (name string, isPlain bool) {
	name = string(ascii.AppendLower(make([]byte, 0, len(written)), written, len(written)))
	isPlain = !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf })
	return name, isPlain && !strings.HasPrefix(name, "xn--") && !strings.Contains(name, ".xn--")
}

// isForbidden reports whether no name may have c (https://url.spec.whatwg.org/#forbidden-domain-code-point).
func isForbidden(c byte) bool {
	switch c {
	case '#', '/', ':', '<', '>', '?', '@', '[', '\\', ']', '^', '|', '%', 0x7f:
		return true
	}
	return c <= ' ' || c >= utf8.RuneSelf
}

// withoutEscapes returns text with its escapes, %41 for A, undone; what is no escape stays as it is.
func withoutEscapes(text []byte) []byte {
	at := bytes.IndexByte(text, '%')
	if at < 0 {
		return text
	}
	plain := append(make([]byte, 0, len(text)), text[:at]...)
	for ; at < len(text); at++ {
		c := text[at]
		if code, ok := ascii.HexByte(text[at+1:]); c == '%' && ok {
			c = code
			at += 2
		}
		plain = append(plain, c)
	}
	return plain
}

// withoutIgnored returns a host with its escapes undone and without the characters that UTS #46 maps to nothing, of which a
// sender can write as many as he likes.
func withoutIgnored(host []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r == 0xad, r == 0x34f, r == 0x200b, r == 0x2060, r == 0x2064, r == 0xfeff,
			0x180b <= r && r <= 0x180f, 0xfe00 <= r && r <= 0xfe0f, 0xe0100 <= r && r <= 0xe01ef:
			return -1
		}
		return r
	}, withoutEscapes(host))
}

// ipv6 returns the address in brackets.
func ipv6(written []byte) (host string, ok bool) {
	inner := written[1:]
	if !bytes.HasSuffix(inner, []byte("]")) {
		return "", false
	}
	address, err := netip.ParseAddr(string(inner[:len(inner)-1]))
	if err != nil || !address.Is6() || address.Zone() != "" {
		return "", false
	}
	return "[" + address.String() + "]", true
}

// ipv4 returns the address that a host is if its last label is a number: one to four numbers, decimal, octal after 0 and
// hexadecimal after 0x, of which the last one fills all the bytes that are left. It is not ok if one is no number or too large.
func ipv4(host string) (address string, is, ok bool) {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if _, isNumber := number(last); !isNumber && (last == "" || strings.Trim(last, decimalDigits) != "") {
		return "", false, false
	}
	if strings.Count(host, ".") > 3 {
		return "", true, false
	}
	var bits uint64
	labels := strings.Split(host, ".")
	for i, label := range labels {
		n, isNumber := number(label)
		room := 8
		if i == len(labels)-1 {
			room = 32 - 8*i
		}
		if !isNumber || n >= 1<<room {
			return "", true, false
		}
		bits |= n << (32 - 8*i - room)
	}
	return netip.AddrFrom4([4]byte{byte(bits >> 24), byte(bits >> 16), byte(bits >> 8), byte(bits)}).String(), true, true
}

// number returns a number of an address. One that is too large for any is one all the same.
func number(label string) (n uint64, isNumber bool) {
	base, digits := 10, decimalDigits
	switch {
	case label == "":
		return 0, false
	case strings.HasPrefix(label, "0x"):
		label, base, digits = label[len("0x"):], 16, "0123456789abcdef"
	case label[0] == '0' && len(label) > 1:
		label, base, digits = label[1:], 8, "01234567"
	}
	if strings.Trim(label, digits) != "" {
		return 0, false
	}
	if label == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(label, base, 64)
	if err != nil {
		n = math.MaxUint64
	}
	return n, true
}

const decimalDigits = "0123456789"
