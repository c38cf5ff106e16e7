package tokenize

import (
	"bytes"
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// url emits the parts of a URL: its host, the domain that is registered, and the words of path and query. URLs in mail
// are often broken, so it is cut by hand; what has no host, as mailto: and cid:, is counted by its scheme.
func (t *Tokenizer) url(u []byte) {
	scheme, rest, found := bytes.Cut(u, []byte(":"))
	if !found || len(scheme) > maxScheme || bytes.ContainsAny(scheme, "./?#@") {
		scheme, rest = nil, u
	}
	authority, isPath := bytes.CutPrefix(rest, []byte("//"))
	switch {
	case isPath, scheme == nil:
	case bytes.EqualFold(scheme, []byte("mailto")):
		t.addresses("mailto:", beforeAny(rest, "?"))
		return
	default:
		t.word("scheme:", scheme, t.folds, t.fold)
		return
	}
	host := beforeAny(authority, "/?#\\")
	path := authority[len(host):]
	if at := bytes.LastIndexByte(host, '@'); at >= 0 {
		t.emit([]byte("host:user@"), host[:at]) // a name before the host is rare but in deception
		host = host[at+1:]
	}
	host, port, _ := bytes.Cut(host, []byte(":"))
	if len(port) > 0 {
		t.word("port:", port, t.folds, t.fold)
	}
	t.host("host:", "domain:", host)
	t.text("path:", path, t.folds, t.fold)
}

const (
	maxScheme = 20
	maxHost   = 255 // RFC 1035, section 2.3.4
)

// host emits a host name and its registered domain, each with its own tag.
func (t *Tokenizer) host(tag, domainTag string, host []byte) {
	host = bytes.TrimRight(host, ".")
	if len(host) == 0 || len(host) > maxHost {
		return
	}
	t.word(tag, host, t.folds, strings.ToLower)
	t.word(domainTag, host, t.domains, registeredDomain)
}

// registeredDomain returns the part of a host name that its owner registered, by the public suffix list; "ip" stands
// for all numeric addresses.
func registeredDomain(host string) string {
	host = strings.ToLower(host)
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return "ip"
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// beforeAny returns b up to the first of the given characters.
func beforeAny(b []byte, chars string) []byte {
	if i := bytes.IndexAny(b, chars); i >= 0 {
		return b[:i]
	}
	return b
}
