// Package weburl reads a URL as browsers do, by the URL standard of WHATWG (https://url.spec.whatwg.org/). Where net/url
// reports an error, a browser repairs the URL and opens what the sender meant: "http:\\host", "https:/host" and "//host" all
// lead to a host.
//
// It cuts a URL into its parts and does not change them. [Host] returns the host that a browser asks for. A link in mail has
// no page that it is relative to, unless its document names one; where the standard needs a page, the URL is relative to an
// https page of a web mailer.
package weburl

import (
	"bytes"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"chaff/internal/ascii"
)

// URL is a URL in its parts, which are slices of the URL as it is written.
type URL struct {
	Scheme   []byte // without the colon; empty if there is none
	User     []byte // what precedes the host with an "@" between; nil if there is none
	Host     []byte
	Port     []byte // nil if there is no colon
	Path     []byte // with query and fragment; for an opaque URL everything after the scheme
	Opaque   bool   // says that no host can follow the scheme, as with mailto: and cid:
	Repaired bool   // says that the host does not follow exactly two slashes
}

// Cut cuts a URL that [AppendClean] has cleaned. A URL without scheme and slashes is a host and a path, as in "www.shop.example/now".
func Cut(url []byte) URL {
	const maxScheme = 20 // bytes of the longest scheme that is read
	u := URL{Path: url}
	// A name with a dot is a host before a port.
	if colon := bytes.IndexAny(url[:min(len(url), maxScheme+1)], `:./\?#@[`); colon > 0 && url[colon] == ':' {
		u.Scheme, u.Path = url[:colon], url[colon+1:]
	}
	slashes := leadingSlashes(u.Path)
	behind := u.Path[slashes:]
	is := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return ascii.EqualFold(u.Scheme, name) })
	}
	isRelative, isFile := len(u.Scheme) == 0, is("file")
	isOther := !isRelative && !isFile && !is("https", "http", "ftp", "ws", "wss") // in which a host follows any number of slashes
	switch {
	case isRelative && slashes == 0: // a host without slashes before it, or a path
	case isRelative && slashes == 1:
		return u
	case isOther && !bytes.HasPrefix(u.Path, []byte("//")), isFile && slashes < 2:
		u.Opaque = true
		return u
	case isOther:
		u.Path = u.Path[len("//"):]
	case isFile && (slashes == 3 || isDrive(behind)):
		u.Path = u.Path[2:]
		return u
	default:
		u.Repaired = string(u.Path[:slashes]) != "//"
		u.Path = behind
	}
	u.Host = ascii.Before(u.Path, authorityEnds)
	u.Path = u.Path[len(u.Host):]
	if at := bytes.LastIndexByte(u.Host, '@'); at >= 0 {
		u.User, u.Host = u.Host[:at], u.Host[at+1:]
	}
	literal := 0 // the length of an IPv6 address, which contains colons
	if len(u.Host) > 0 && u.Host[0] == '[' {
		literal = bytes.IndexByte(u.Host, ']') + 1
	}
	if colon := bytes.IndexByte(u.Host[literal:], ':'); colon >= 0 {
		u.Host, u.Port = u.Host[:literal+colon], u.Host[literal+colon+1:]
	}
	return u
}

// authorityEnds are the bytes that end user, host and port.
const authorityEnds = `/\?#`

// leadingSlashes returns how many slashes and backslashes url begins with.
func leadingSlashes(url []byte) int { return len(url) - len(bytes.TrimLeft(url, `/\`)) }

// isDrive reports whether a path begins with the letter of a Windows drive.
func isDrive(path []byte) bool {
	return len(path) >= 2 && ascii.IsLetter(path[0]) && (path[1] == ':' || path[1] == '|') &&
		(len(path) == 2 || strings.IndexByte(authorityEnds, path[2]) >= 0)
}

// AppendClean appends a URL to dst without what browsers ignore: line ends and tabs, and control characters and blanks at both ends.
func AppendClean(dst, url []byte) []byte {
	url = bytes.TrimFunc(url, func(r rune) bool { return r <= ' ' || unicode.IsSpace(r) })
	if bytes.IndexByte(url, '\n') < 0 && bytes.IndexByte(url, '\t') < 0 && bytes.IndexByte(url, '\r') < 0 { // a picture in a URL is long
		return append(dst, url...)
	}
	for _, c := range url {
		if c != '\n' && c != '\t' && c != '\r' {
			dst = append(dst, c)
		}
	}
	return dst
}

// IsRelative reports whether the target of a URL depends on its page.
func IsRelative(url []byte) bool {
	u := Cut(url)
	return len(u.Scheme) == 0 && leadingSlashes(url) < 2
}

// Shorten returns a URL of at most limit bytes with the same scheme, host and port. It shortens the path, and user names, which could hide the host.
func Shorten(url []byte, limit int) []byte {
	const (
		enough = 64 // bytes of a user name
		port   = 16 // bytes of a port
	)
	u := Cut(url)
	var short []byte
	if u.User != nil || u.Repaired || len(u.Host) > maxHost {
		if len(u.Scheme) > 0 {
			short = append(append(short, u.Scheme...), ':')
		}
		slashes := url[len(short):][:leadingSlashes(url[len(short):])]
		short = append(short, slashes[:min(len(slashes), 4)]...)
		if u.User != nil {
			short = append(append(short, u.User[:min(len(u.User), enough)]...), '@')
		}
		if len(u.Host) > maxHost {
			u.Host = withoutIgnored(u.Host)
		}
		short = append(short, u.Host...)
		if u.Port != nil {
			short = append(append(short, ':'), u.Port[:min(len(u.Port), port)]...)
		}
		url = u.Path
	}
	short = append(short, url[:max(0, min(len(url), limit-len(short)))]...)
	return bytes.ToValidUTF8(short[:min(len(short), limit)], nil)
}

// maxHost is the length of the longest host that is read. A name has at most 255 bytes, few of which stand for four bytes each.
const maxHost = 1024

// maxLabel is how many characters of a label beyond ASCII are converted, in quadratic time. A label has at most 63, each perhaps written with a mark.
const maxLabel = 2 * 63

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
	plain, _ := ascii.AppendUnescaped(nil, written, '%') // invalid escapes stay
	name, ok := Name(plain)
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
	name = string(ascii.AppendLower(make([]byte, 0, len(written)), written, len(written)))
	isASCII := !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf })
	if !isASCII || strings.HasPrefix(name, "xn--") || strings.Contains(name, ".xn--") {
		mapped := norm.NFKC.Bytes(withoutIgnored([]byte(name))) // one character may stand for eighteen
		for label := range bytes.FieldsFuncSeq(mapped, func(r rune) bool { return r == '.' || r == '\u3002' }) {
			if utf8.RuneCount(label) > maxLabel {
				return "", false
			}
		}
		var err error
		if name, err = names.ToASCII(name); err != nil || name == "" {
			return "", false
		}
	}
	isForbidden := func(r rune) bool { // https://url.spec.whatwg.org/#forbidden-domain-code-point
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`#/:<>?@[\]^|%`, r)
	}
	return name, !strings.ContainsFunc(name, isForbidden)
}

// withoutIgnored returns an unescaped host without the characters that UTS #46 ignores, of which a sender can write any number.
func withoutIgnored(host []byte) []byte {
	plain, _ := ascii.AppendUnescaped(nil, host, '%')
	return bytes.Map(func(r rune) rune {
		switch {
		case r == 0xad, r == 0x34f, r == 0x200b, r == 0x2060, r == 0x2064, r == 0xfeff,
			0x180b <= r && r <= 0x180f, 0xfe00 <= r && r <= 0xfe0f, 0x1bca0 <= r && r <= 0x1bca3, 0xe0100 <= r && r <= 0xe01ef:
			return -1
		}
		return r
	}, plain)
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
	case label[0] == '0':
		label, base, digits = label[1:], 8, "01234567"
	}
	if strings.Trim(label, digits) != "" {
		return 0, false
	}
	n, _ = strconv.ParseUint(label, base, 64) // 0 without digits, and the largest of all for one that is too large
	return n, true
}

const decimalDigits = "0123456789"
