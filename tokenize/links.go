package tokenize

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"chaff/internal/ascii"
	"chaff/internal/publicsuffix"
	"chaff/internal/weburl"
	"chaff/message"
)

// link emits the kind of a link and of its URL, as browsers read it, the host, its registered domain, and the words of path and query. A URL without a
// host, such as cid:, is counted by its scheme, and mailto: by its addresses. link compares the domain in the text with that of the URL.
func (t *Tokenizer) link(l message.Link) {
	if t.left < 0 {
		return
	}
	if l.Kind == message.LinkForm || l.Kind == message.LinkImage || l.Kind == message.LinkOther { // most links are in text or to be clicked
		t.putTagged("link:", []byte(l.Kind.String()), nil)
	}
	switch u := weburl.Cut(l.URL); {
	case u.Opaque && bytes.EqualFold(u.Scheme, []byte("mailto")):
		t.addresses("mailto:", ascii.Before(u.Path, "?"))
	case u.Opaque:
		t.putWord(lexicon{tag: "scheme:"}, u.Scheme)
	default:
		if u.Repaired {
			t.seen.marks.Add(message.RepairedURL)
		}
		if u.User != nil {
			t.putTagged("host:user@", nil, u.User) // nearly always a deception
		}
		if len(u.Port) > 0 {
			t.putWord(lexicon{tag: "port:"}, u.Port)
		}
		t.hostOfURL(u.Host)
		t.words(lexicon{tag: "path:"}, unescaped(u.Path))
	}
	if len(l.Base) > 0 {
		t.hostOfURL(weburl.Cut(l.Base).Host)
	}
	if len(l.Text) > 0 && t.namesOtherDomain(l) {
		t.seen.marks.Add(message.LinkTextDomain)
	}
}

// namesOtherDomain reports whether the text of a link names a host whose registered domain is not that of the link.
func (t *Tokenizer) namesOtherDomain(l message.Link) bool {
	target := linkHost(l.URL)
	if len(l.Base) > 0 {
		target = linkHost(l.Base)
	}
	if len(target) == 0 {
		return false
	}
	domain := t.registered(target)
	for word := range bytes.FieldsFuncSeq(l.Text, func(r rune) bool { return r < utf8.RuneSelf && kindOf[r] == space }) {
		if host := namedHost(word); len(host) > 0 && t.registered(host) != domain {
			return true
		}
	}
	return false
}

// namedHost returns the host that a word of a link's text names, by www., a scheme or a public suffix, or nil.
func namedHost(word []byte) []byte {
	word = bytes.TrimFunc(word, isPunctuation)
	if bytes.IndexByte(word, '.') < 0 {
		return nil
	}
	if at := bytes.Index(word, []byte("://")); at >= 0 {
		return linkHost(word[at+len(":"):]) // "Link:http://host" too
	}
	u := weburl.Cut(word)
	switch {
	case len(u.Scheme) > 0:
		return linkHost(word)
	case u.User != nil:
		return nil
	case len(u.Host) > 4 && ascii.HasPrefixFold(u.Host, "www."), hasPublicSuffix(u.Host):
		return u.Host
	}
	return nil
}

// linkHost returns the host of a URL, or nil.
func linkHost(url []byte) []byte {
	u := weburl.Cut(url)
	host := bytes.TrimRight(unescaped(u.Host), ".")
	if u.Opaque || len(host) > maxHost && isPlainHost(host) {
		return nil
	}
	return host
}

// hostOfURL emits the host of a URL.
func (t *Tokenizer) hostOfURL(host []byte) {
	if plain := unescaped(host); !bytes.Equal(plain, host) {
		t.seen.marks.Add(message.EscapedHost)
		host = plain
	}
	host = bytes.TrimRight(host, ".")
	last := bytes.LastIndexByte(host, '.') + 1
	mayBeAddress := last < len(host) && (host[last] <= '9' || host[0] == '[') // in brackets, or the last label begins with a digit
	t.host(weburl.Host, "host:", "domain:", host, mayBeAddress)
}

// unescaped decodes the escapes in part of a URL, such as %41 for A, unless one is broken or the result is not text.
func unescaped(part []byte) []byte {
	if bytes.IndexByte(part, '%') < 0 {
		return part
	}
	plain, ok := ascii.AppendUnescaped(nil, part, '%')
	if !ok || !utf8.Valid(plain) {
		return part
	}
	return plain
}

const maxHost = 255 // RFC 1035, section 2.3.4

// host emits a host and its registered domain, each with its own tag. A host that is not plain, or may be a numeric address, is emitted as written, as
// the name that read makes of it, which is what programs look up, and as the name it looks like. A host that is too long for a term has a domain all the
// same, since its owner can put anything before that.
func (t *Tokenizer) host(read func(host []byte) (name string, ok bool), tag, domainTag string, host []byte, mayBeAddress bool) {
	host = bytes.TrimRight(host, ".")
	isPlain, name, ok := isPlainHost(host) && !mayBeAddress, "", false
	if !isPlain {
		name, ok = read(host)
	}
	if len(host) == 0 || len(host) > maxHost && !ok {
		return
	}
	names := lexicon{tag: tag, normalize: func(dst, host []byte) ([]byte, *disguise) { return appendLower(dst, host), nil }}
	t.putWord(names, host)
	if !isPlain {
		written := strings.ToLower(string(host))
		if !ok {
			name = written
		}
		decoded, err := idna.Punycode.ToUnicode(strings.TrimRight(name, "."))
		switch {
		case err != nil || decoded == written:
			decoded = written
		case name == written:
			t.seen.marks.Add(message.Punycode)
		default:
			t.seen.marks.Add(message.MappedHost)
			host = []byte(decoded)
		}
		if decoded != written {
			t.putWord(names, []byte(decoded))
		}
		// A label may be wholly of another script: it has no context to recognise that by.
		if ascii, _ := plainOf(decoded); 0 < len(ascii) && len(ascii) < len(decoded) && utf8.RuneCount(ascii) == len(ascii) {
			t.seen.marks.Add(message.Homoglyph)
			t.putWord(names, ascii)
		}
	}
	domain, _, _ := t.domains.get(host, false)
	if len(host) > t.options.MaxLength {
		host = domain
	}
	t.putWord(lexicon{tag: domainTag, normalize: func(dst, _ []byte) ([]byte, *disguise) { return append(dst, domain...), nil }}, host)
}

// registered returns a hash of the registered domain of a host, as browsers read it.
func (t *Tokenizer) registered(host []byte) uint64 {
	if !isPlainHost(host) {
		if name, ok := weburl.Name(host); ok {
			host = []byte(strings.TrimRight(name, "."))
		}
	}
	_, domain, _ := t.domains.get(host, false)
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
	if strings.HasPrefix(ascii, ".") || strings.HasSuffix(ascii, ".") || strings.Contains(ascii, "..") {
		return host
	}
	suffix, _ := publicsuffix.PublicSuffix(ascii)
	for range strings.Count(host, ".") - strings.Count(suffix, ".") - 1 { // none for a suffix itself
		_, host, _ = strings.Cut(host, ".")
	}
	return host
}

// hasPublicSuffix reports whether a name is below a domain under which anyone can register names.
func hasPublicSuffix(host []byte) bool {
	name := strings.ToLower(string(host))
	suffix, managed := publicsuffix.PublicSuffix(name)
	return managed && len(suffix) < len(name) && len(host) <= maxHost
}

// isNumeric reports whether a host is an IP address.
//
// QUIRK: an IPv4 address in a URL is four decimal numbers (RFC 3986). Browsers also accept one to three, and octal and hexadecimal ones,
// such as http://3232235777/ and http://0xC0.0250.1/, which hide the address from filters.
func isNumeric(host string) bool {
	host = strings.Trim(host, "[]")
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
