package tokenize

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"chaff/internal/publicsuffix"
	"chaff/internal/weburl"
)

const maxHost = 255 // RFC 1035, section 2.3.4

// hosts emits the names of hosts and their registered domains.
type hosts struct {
	*terms
	likes          likeLetters
	names, domains *cache // names in lower case, and their registered domains
}

// host emits the host of an address and its registered domain, each with its own tag.
func (t *hosts) host(tag, domainTag string, host []byte) {
	t.hostAs(weburl.Name, tag, domainTag, host, isPlainHost(host))
}

// hostAs emits a host and its registered domain. A host that is not plain is emitted as written, as the name that read makes of it, which is what
// programs look up, and as the name it looks like.
func (t *hosts) hostAs(read func(host []byte) (name string, ok bool), tag, domainTag string, host []byte, isPlain bool) {
	host = bytes.TrimRight(host, ".")
	names := lexicon{tag, t.names, nil}
	if isPlain {
		if 0 < len(host) && len(host) <= maxHost {
			t.putWord(names, host)
			t.domain(domainTag, host)
		}
		return
	}
	name, ok := read(host)
	if len(host) == 0 || len(host) > maxHost && !ok {
		return
	}
	t.putWord(names, host)
	written := strings.ToLower(string(host))
	if !ok {
		name = written
	}
	domain := host
	decoded, err := idna.Punycode.ToUnicode(strings.TrimRight(name, "."))
	switch {
	case err != nil || decoded == written:
		decoded = written
	case name == written:
		t.seen.add(punycode)
	default:
		t.seen.add(mappedHost)
		domain = []byte(decoded)
	}
	t.domain(domainTag, domain)
	if decoded != written {
		t.putWord(names, []byte(decoded))
	}
	if ascii, masked := t.likes.asciiHost(decoded); masked {
		t.seen.add(homoglyph)
		t.putWord(names, ascii)
	}
}

// domain emits the registered domain of a host, also if the host is too long for a term: its owner can put anything before the domain.
func (t *hosts) domain(tag string, host []byte) {
	if len(host) > t.options.MaxLength {
		host, _, _ = t.domains.get(host)
	}
	t.putWord(lexicon{tag, t.domains, nil}, host)
}

// registered returns a hash of the registered domain of a host, as browsers read it.
func (t *hosts) registered(host []byte) uint64 {
	if !isPlainHost(host) {
		if name, ok := weburl.Name(host); ok {
			host = []byte(strings.TrimRight(name, "."))
		}
	}
	_, domain, _ := t.domains.get(host)
	return domain
}

// isPlainHost reports whether a host name has no non-ASCII characters, encoded as Punycode (RFC 3492) or not.
func isPlainHost(host []byte) bool {
	for i, c := range host {
		if c >= 0x80 || c == '-' && i >= 3 && host[i-1] == '-' && (host[i-2]|0x20) == 'n' && (host[i-3]|0x20) == 'x' {
			return false
		}
	}
	return true
}

// registeredDomain returns the part of a host name that its owner registered, by the public suffix list, or "ip" for a numeric address.
func registeredDomain(host string) string {
	host = strings.ToLower(host)
	if isNumeric(host) {
		return "ip"
	}
	ascii := host
	if !isPlainHost([]byte(host)) {
		if name, ok := weburl.Name([]byte(host)); ok {
			ascii = name // the list is in ASCII
		}
	}
	domain, ok := publicsuffix.EffectiveTLDPlusOne(ascii)
	if !ok {
		return host
	}
	for range strings.Count(host, ".") - strings.Count(domain, ".") {
		_, host, _ = strings.Cut(host, ".")
	}
	return host
}

// hasPublicSuffix reports whether a name is below a domain under which anyone can register names.
func hasPublicSuffix(host []byte) bool {
	if len(host) > maxHost {
		return false
	}
	name := strings.ToLower(string(host))
	suffix, managed := publicsuffix.PublicSuffix(name)
	return managed && len(suffix) < len(name)
}

// isNumeric reports whether a host is an IP address.
//
// QUIRK: an IPv4 address in a URL is four decimal numbers (RFC 3986). Browsers also accept one to three, and octal and hexadecimal ones,
// such as http://3232235777/ and http://0xC0.0250.1/, which hide the address from filters.
func isNumeric(host string) bool {
	host = strings.Trim(host, "[]")
	if !strings.Contains(host, ":") && (host == "" || !isDigit(host[0])) {
		return false // neither IPv6 nor a number
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if strings.Count(host, ".") > 3 {
		return false
	}
	for number := range strings.SplitSeq(host, ".") {
		_, err := strconv.ParseUint(number, 0, 32)
		_, notDecimal := strconv.ParseUint(number, 10, 32) // 08 is no octal number
		if err != nil && notDecimal != nil || strings.Contains(number, "_") {
			return false
		}
	}
	return true
}
