package tokenize

import (
	"bytes"
	"net/url"
	"unicode/utf8"

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
	target := authority(l.URL)
	if len(target) == 0 {
		return false
	}
	_, domain, _ := t.domains.get(target)
	for text := l.Text; len(text) > 0; {
		word := beforeAny(text, " \t\r\n\v\f")
		text = text[min(len(word)+1, len(text)):]
		host := namedHost(word)
		if len(host) == 0 {
			continue
		}
		if _, named, _ := t.domains.get(host); named != domain {
			return true
		}
	}
	return false
}

// namedHost returns the host that a word of a link's text names, nil if it names none.
func namedHost(word []byte) []byte {
	word = trimMarks(word)
	if bytes.IndexByte(word, '.') < 0 || bytes.IndexByte(word, '@') >= 0 {
		return nil
	}
	if bytes.Contains(word, []byte("://")) {
		return authority(word)
	}
	host := beforeAny(word, "/?#:")
	if len(host) > 4 && bytes.EqualFold(host[:4], []byte("www.")) || hasPublicSuffix(host) {
		return host
	}
	return nil
}

// authority returns the host of a URL, nil if it has none.
func authority(u []byte) []byte {
	if _, rest, found := bytes.Cut(u, []byte("://")); found {
		u = rest
	} else if bytes.IndexByte(u, ':') >= 0 {
		return nil
	}
	host := beforeAny(u, "/?#\\")
	if at := bytes.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	host = bytes.TrimRight(unescaped(beforeAny(host, ":")), ".")
	if len(host) > maxHost {
		return nil
	}
	return host
}

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
		t.addresses(addressTags{"mailto:", "mailto:@", "mailto:@."}, beforeAny(rest, "?"))
		return
	default:
		t.single("scheme:", scheme, t.folds)
		return
	}
	host := beforeAny(authority, "/?#\\")
	path := authority[len(host):]
	if at := bytes.LastIndexByte(host, '@'); at >= 0 {
		t.put(append(t.term[:0], "host:user@"...), host[:at]) // a name before the host is rare but in deception
		host = host[at+1:]
	}
	host, port, _ := bytes.Cut(host, []byte(":"))
	if len(port) > 0 {
		t.single("port:", port, t.folds)
	}
	if plain := unescaped(host); !bytes.Equal(plain, host) {
		t.seen.add(escapedHost)
		host = plain
	}
	t.host("host:", "domain:", host)
	t.text("path:", unescaped(path))
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

const maxScheme = 20

// beforeAny returns b up to the first of the given characters.
func beforeAny(b []byte, chars string) []byte {
	if i := bytes.IndexAny(b, chars); i >= 0 {
		return b[:i]
	}
	return b
}
