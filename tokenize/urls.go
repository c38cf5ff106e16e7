package tokenize

import (
	"bytes"
	"net/url"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/weburl"
	"chaff/message"
)

// link emits the kind of a link and the parts of its URL, and compares the domain in its text with that of its URL.
func (t *Tokenizer) link(l message.Link) {
	if t.isFull() {
		return
	}
	switch l.Kind {
	case message.LinkForm, message.LinkImage, message.LinkOther: // most links are in text or to be clicked
		t.putTagged("link:", []byte(l.Kind.String()), nil)
	}
	t.url(l.URL)
	if len(l.Base) > 0 {
		t.hosts.url(weburl.Cut(l.Base).Host)
	}
	if len(l.Text) > 0 && t.namesOtherDomain(l) {
		t.seen.add(linkTextDomain)
	}
}

// namesOtherDomain reports whether the text of a link names a host whose registered domain is not that of the link. A name starts with www.,
// has a scheme, or ends in a domain of the public suffix list.
func (t *Tokenizer) namesOtherDomain(l message.Link) bool {
	target := linkHost(l.URL)
	if len(l.Base) > 0 {
		target = linkHost(l.Base)
	}
	if len(target) == 0 {
		return false
	}
	domain := t.hosts.registered(target)
	for text := l.Text; len(text) > 0; {
		word := beforeAny(text, " \t\r\n\v\f")
		text = text[min(len(word)+1, len(text)):]
		if host := namedHost(word); len(host) > 0 && t.hosts.registered(host) != domain {
			return true
		}
	}
	return false
}

// namedHost returns the host that a word of a link's text names, or nil.
func namedHost(word []byte) []byte {
	word = trimMarks(word)
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
	case u.HasUser:
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

// url emits the host of a URL, its registered domain, and the words of path and query, all as browsers read them. A URL without a host, such
// as cid:, is counted by its scheme, and mailto: by its addresses.
func (t *Tokenizer) url(url []byte) {
	u := weburl.Cut(url)
	if u.Opaque {
		if bytes.EqualFold(u.Scheme, []byte("mailto")) {
			t.addresses(newAddressTags("mailto:"), beforeAny(u.Path, "?"))
			return
		}
		t.putWord(t.unstemmed("scheme:"), u.Scheme)
		return
	}
	if u.Repaired {
		t.seen.add(repairedURL)
	}
	if u.HasUser {
		t.putTagged("host:user@", nil, u.User) // nearly always a deception
	}
	if len(u.Port) > 0 {
		t.putWord(t.unstemmed("port:"), u.Port)
	}
	t.hosts.url(u.Host)
	t.words(t.unstemmed("path:"), unescaped(u.Path))
}

// url emits the host of a URL.
func (t *hosts) url(host []byte) {
	if plain := unescaped(host); !bytes.Equal(plain, host) {
		t.seen.add(escapedHost)
		host = plain
	}
	t.hostAs(weburl.Host, "host:", "domain:", host, isPlainHost(host) && !mayBeAddress(host))
}

// mayBeAddress reports whether an ASCII host may be an IP address: it is in brackets, or its last label begins with a digit.
func mayBeAddress(host []byte) bool {
	host = bytes.TrimRight(host, ".")
	last := bytes.LastIndexByte(host, '.') + 1
	return last < len(host) && (host[last] <= '9' || host[0] == '[')
}

// unescaped decodes the escapes in part of a URL, such as %41 for A. It returns the part as it is if an escape is broken or the result is not
// text.
func unescaped(part []byte) []byte {
	if bytes.IndexByte(part, '%') < 0 {
		return part
	}
	plain, err := url.PathUnescape(string(part))
	if err != nil || !utf8.ValidString(plain) {
		return part
	}
	return []byte(plain)
}

// beforeAny returns b up to the first of some characters.
func beforeAny(b []byte, chars string) []byte {
	if i := bytes.IndexAny(b, chars); i >= 0 {
		return b[:i]
	}
	return b
}
