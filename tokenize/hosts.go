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

// host emits the host of an address and its registered domain, each with its own tag.
func (t *Tokenizer) host(tag, domainTag string, host []byte) {
	t.hostReadBy(weburl.Name, tag, domainTag, host, isPlainHost(host))
}

// hostReadBy emits a host and its registered domain. One that is not plain is emitted as it is written, as it is read by
// programs that ask for it, which read says, and as the name that it looks like.
func (t *Tokenizer) hostReadBy(read func(host []byte) (name string, ok bool), tag, domainTag string, host []byte, isPlain bool) {
	host = bytes.TrimRight(host, ".")
	if isPlain {
		if 0 < len(host) && len(host) <= maxHost {
			t.single(tag, host, t.hosts)
			t.domain(domainTag, host)
		}
		return
	}
	name, ok := read(host)
	if len(host) == 0 || len(host) > maxHost && !ok {
		return
	}
	t.single(tag, host, t.hosts)
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
		t.single(tag, []byte(decoded), t.hosts)
	}
	if ascii, masked := t.unmaskHost(decoded); masked {
		t.seen.add(homoglyph)
		t.single(tag, []byte(ascii), t.hosts)
	}
}

// domain emits the registered domain of a host. A host may be too long for a term and its domain not: what stands before the
// domain costs its owner nothing.
func (t *Tokenizer) domain(tag string, host []byte) {
	if len(host) > t.options.MaxLength {
		name, _, _ := t.domains.get(host)
		t.second = append(t.second[:0], name...)
		host = t.second
	}
	t.single(tag, host, t.domains)
}

// registered returns a hash of the registered domain of a host as browsers read it.
func (t *Tokenizer) registered(host []byte) uint64 {
	if !isPlainHost(host) {
		if name, ok := weburl.Name(host); ok {
			host = []byte(strings.TrimRight(name, "."))
		}
	}
	_, domain, _ := t.domains.get(host)
	return domain
}

// isPlainHost reports whether a host name has neither a character beyond ASCII nor one encoded in ASCII (RFC 3492).
func isPlainHost(host []byte) bool {
	for i, c := range host {
		if c >= 0x80 || c == '-' && i >= 3 && host[i-1] == '-' && (host[i-2]|0x20) == 'n' && (host[i-3]|0x20) == 'x' {
			return false
		}
	}
	return true
}

// unmaskHost returns the host name of ASCII that a name looks like in full. Unlike in text, a label that is wholly of
// another script counts: nothing else tells the reader what it is.
func (t *Tokenizer) unmaskHost(name string) (ascii string, masked bool) {
	dst := make([]byte, 0, len(name))
	for _, r := range name {
		like, known := t.likes[r]
		switch {
		case r < 0x80:
			dst = append(dst, byte(r))
		case known:
			dst = append(dst, like)
		default:
			return name, false
		}
	}
	return string(dst), len(dst) != len(name)
}

// registeredDomain returns the part of a host name that its owner registered, by the public suffix list; "ip" stands
// for all numeric addresses.
func registeredDomain(host string) string {
	host = strings.ToLower(host)
	if isNumeric(host) {
		return "ip"
	}
	ascii := host
	if !isPlainHost([]byte(host)) {
		if name, ok := weburl.Name([]byte(host)); ok {
			ascii = name // in which the list is written
		}
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(ascii)
	if err != nil {
		return host
	}
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(0, len(labels)-strings.Count(domain, ".")-1):], ".")
}

// hasPublicSuffix reports whether a name ends in a domain under which names are registered, below which it has a label.
func hasPublicSuffix(host []byte) bool {
	if len(host) > maxHost {
		return false
	}
	name := strings.ToLower(string(host))
	suffix, managed := publicsuffix.PublicSuffix(name)
	return managed && len(suffix) < len(name)
}

// isNumeric reports whether a host is an address in place of a name.
//
// QUIRK: the address of IPv4 in a URL is four decimal numbers (RFC 3986), but browsers also take one to three, and
// octal and hexadecimal ones, as http://3232235777/ and http://0xC0.0250.1/, which hides from filters that it is one.
func isNumeric(host string) bool {
	host = strings.Trim(host, "[]")
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if strings.Count(host, ".") > 3 {
		return false
	}
	for number := range strings.SplitSeq(host, ".") {
		if strings.Contains(number, "_") {
			return false
		}
		if _, err := strconv.ParseUint(number, 0, 32); err == nil {
			continue
		}
		// Such as 08, which is wrong as octal.
		if _, err := strconv.ParseUint(number, 10, 32); err != nil {
			return false
		}
	}
	return true
}
