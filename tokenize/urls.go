package tokenize

import (
	"bytes"
	"net/url"
	"unicode/utf8"

	"chaff/internal/weburl"
	"chaff/message"
)

// link emits the parts of a link's URL and what kind of link it is, and compares the domain that the reader sees with
// the one that the link leads to.
func (t *Tokenizer) link(l message.Link) {
	if t.isFull() {
		return
	}
	if kind := linkKind(l.Kind); kind != "" {
		t.put(append(t.term[:0], kind...), nil)
	}
	t.url(l.URL)
	if len(l.Base) > 0 {
		t.urlHost(weburl.Cut(l.Base).Host)
	}
	if len(l.Text) > 0 && t.namesOtherDomain(l) {
		t.seen.add(linkTextDomain)
	}
}

// linkKind returns the term for a kind of link, empty for what most links are: written, or to be clicked.
func linkKind(k message.LinkKind) string {
	switch k {
	case message.LinkForm:
		return "link:form"
	case message.LinkImage:
		return "link:image"
	case message.LinkOther:
		return "link:other"
	}
	return ""
}

// namesOtherDomain reports whether the text of a link has the name of a host whose registered domain is not that of the
// link's target. A name is what starts with www. or has a scheme, or ends in a domain of the public suffix list.
func (t *Tokenizer) namesOtherDomain(l message.Link) bool {
	target := linkHost(l.URL)
	if len(l.Base) > 0 {
		target = linkHost(l.Base)
	}
	if len(target) == 0 {
		return false
	}
	domain := t.registered(target)
	for text := l.Text; len(text) > 0; {
		word := beforeAny(text, " \t\r\n\v\f")
		text = text[min(len(word)+1, len(text)):]
		if host := namedHost(word); len(host) > 0 && t.registered(host) != domain {
			return true
		}
	}
	return false
}

// namedHost returns the host that a word of a link's text names, nil if it names none.
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
	case len(u.Host) > 4 && bytes.EqualFold(u.Host[:4], []byte("www.")), hasPublicSuffix(u.Host):
		return u.Host
	}
	return nil
}

// linkHost returns the host of a URL, nil if it has none.
func linkHost(url []byte) []byte {
	u := weburl.Cut(url)
	host := bytes.TrimRight(unescaped(u.Host), ".")
	if u.Opaque || len(host) > maxHost && isPlainHost(host) {
		return nil
	}
	return host
}

// url emits the parts of a link's URL: its host, the domain that is registered, and the words of path and query, all as
// browsers read them. What has no host, as mailto: and cid:, is counted by its scheme.
func (t *Tokenizer) url(url []byte) {
	u := weburl.Cut(url)
	if u.Opaque {
		if bytes.EqualFold(u.Scheme, []byte("mailto")) {
			t.addresses(addressTags{"mailto:", "mailto:@", "mailto:@."}, beforeAny(u.Path, "?"))
			return
		}
		t.single("scheme:", u.Scheme, t.folds)
		return
	}
	if u.Repaired {
		t.seen.add(repairedURL)
	}
	if u.HasUser {
		t.put(append(t.term[:0], "host:user@"...), u.User) // a name before the host is rare but in deception
	}
	if len(u.Port) > 0 {
		t.single("port:", u.Port, t.folds)
	}
	t.urlHost(u.Host)
	t.text("path:", unescaped(u.Path))
}

// urlHost emits the host of a URL.
func (t *Tokenizer) urlHost(host []byte) {
	if plain := unescaped(host); !bytes.Equal(plain, host) {
		t.seen.add(escapedHost)
		host = plain
	}
	t.hostReadBy(weburl.Host, "host:", "domain:", host, isPlainHost(host) && !mayBeAddress(host))
}

// mayBeAddress reports whether a host of ASCII may be an address: in brackets, or with a number as its last label.
func mayBeAddress(host []byte) bool {
	host = bytes.TrimRight(host, ".")
	last := bytes.LastIndexByte(host, '.') + 1
	return last < len(host) && (host[last] <= '9' || host[0] == '[')
}

// unescaped returns part of a URL with its escapes, %41 for A, undone, or as it is if one of them is broken or the result
// is no text.
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

// beforeAny returns b up to the first of the given characters.
func beforeAny(b []byte, chars string) []byte {
	if i := bytes.IndexAny(b, chars); i >= 0 {
		return b[:i]
	}
	return b
}
