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

// maxHost is the length of the longest host that is read. A name has at most 255 bytes, few of which stand for four bytes
// each.
const maxHost = 1024

// names converts names beyond ASCII as browsers do: UTS #46 without transitional processing, with the rules for joiners and
// right-to-left text, and without those for hyphens, allowed characters and length.
var names = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(false),
	idna.StrictDomainName(false), idna.VerifyDNSLength(false), idna.Transitional(false))

// Host returns the host that a browser asks for: unescaped, in lower case and Punycode, an IPv4 address as four decimal
// numbers, an IPv6 address in brackets. It reports false if browsers open no such URL.
func Host(written []byte) (host string, ok bool) {
	if len(written) > 0 && written[0] == '[' {
		return ipv6(written)
	}
	if !utf8.Valid(written) {
		return "", false // a browser reads U+FFFD, even if escapes beside the byte would make it valid
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

// Name returns a host name in lower case and Punycode. It reports false if the name is not valid.
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
	return name, !strings.ContainsFunc(name, isForbidden)
}

// lowerName returns a name in lower case. It is plain if it is ASCII without Punycode.
func lowerName(written []byte) (name string, isPlain bool) {
	name = string(ascii.AppendLower(make([]byte, 0, len(written)), written, len(written)))
	isPlain = !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf })
	return name, isPlain && !strings.HasPrefix(name, "xn--") && !strings.Contains(name, ".xn--")
}

// isForbidden reports whether names may not contain r (https://url.spec.whatwg.org/#forbidden-domain-code-point).
func isForbidden(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`#/:<>?@[\]^|%`, r)
}

// withoutEscapes returns text with %41 replaced by A. Invalid escapes stay.
func withoutEscapes(text []byte) []byte {
	if bytes.IndexByte(text, '%') < 0 {
		return text
	}
	plain, _ := ascii.AppendUnescaped(nil, text, '%')
	return plain
}

// withoutIgnored returns an unescaped host without the characters that UTS #46 ignores, of which a sender can write any
// number.
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

// ipv6 returns an address in brackets.
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

// ipv4 returns the address of a host whose last label is a number: one to four numbers, octal after 0, hexadecimal after 0x,
// of which the last fills the remaining bytes. It is not ok if a label is no number or too large.
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

// number returns a number of an address. A number that is too large for any address is still a number.
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
