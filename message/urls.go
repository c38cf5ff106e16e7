package message

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/weburl"
)

const (
	maxURLBytes = 2048   // longer than any link that works everywhere
	maxLinks    = 20_000 // of a message; newsletters have hundreds
)

// linkList collects the links of a message.
type linkList struct {
	all     []Link
	bytes   []byte // of links in HTML and their texts
	repairs Repairs
}

// addURL adds a link to the message. It reports whether there was room for it.
func (l *linkList) addURL(kind LinkKind, url []byte) bool {
	if len(l.all) == maxLinks {
		l.repairs.add(CutLinks)
		return false
	}
	if len(url) > maxURLBytes {
		l.repairs.add(CutURL)
		url = weburl.Shorten(url, maxURLBytes)
	}
	l.all = append(l.all, Link{Kind: kind, URL: url})
	return true
}

// addLink adds the link in an HTML attribute to the message. It reports whether it did.
func (l *linkList) addLink(kind LinkKind, value []byte) bool {
	start := len(l.bytes)
	l.bytes = weburl.AppendClean(l.bytes, value)
	url := l.bytes[start:len(l.bytes):len(l.bytes)]
	if ascii.HasPrefixFold(url, "data:") { // the content itself, often an image
		url, _, _ = bytes.Cut(url, []byte(","))
	}
	if len(url) == 0 || url[0] == '#' {
		return false
	}
	return l.addURL(kind, url)
}

// takeURLs adds the URLs in a text to the message, and returns the text with a blank for each.
func (d *Decoder) takeURLs(text []byte) []byte {
	next := urlFinder{text: text}
	from, to := next.url()
	if from == len(text) {
		return text
	}
	start := len(d.arena)
	done := 0
	for ; from < len(text); from, to = next.url() {
		d.arena = append(d.arena, text[done:from]...)
		d.arena = append(d.arena, ' ')
		d.links.addURL(LinkWritten, text[from:to])
		if next.plain > from {
			d.links.addURL(LinkWritten, text[from:next.plain])
		}
		done = to
	}
	d.arena = append(d.arena, text[done:]...)
	return d.made(start)
}

// scriptLinks adds the URLs in a script to the message if a browser runs it, as those of files. A page that redirects often
// has no other text.
func (p *page) scriptLinks(script []byte) {
	if !p.runsScripts {
		return
	}
	next := urlFinder{text: script}
	for from, to := next.url(); from < len(script); from, to = next.url() {
		url, _, _ := bytes.Cut(script[from:to], []byte("'"))
		p.links.addURL(LinkOther, url)
	}
}

// cssLinks adds the links that CSS fetches with url(...).
func (l *linkList) cssLinks(css []byte) {
	for {
		before, after, ok := bytes.Cut(css, []byte("("))
		if !ok {
			return
		}
		css = after
		if !ascii.HasSuffixFold(before, "url") {
			continue
		}
		end := bytes.IndexAny(css, ");")
		if end < 0 {
			return
		}
		l.addLink(LinkOther, bytes.Trim(css[:end], " \t\r\n\"'"))
		css = css[end:]
	}
}

const (
	maxSchemeBytes = 16
	maxNameBytes   = 1024 // bytes of a host with characters beyond ASCII
)

// urlFinder finds the URLs in a text: "scheme://something", "www." at the start of a word, and URLs with wrong slashes that
// mail programs link, such as "http:\\something". A bare name such as shop.example stays in the text as a word.
type urlFinder struct {
	text       []byte
	at         int // the text before it is done
	colon, www mark
	plain      int // where the last URL ends if hosts are ASCII only, 0 if both readings agree
}

// mark is the offset of the next occurrence of a pattern, plus one. It is searched for again only after it has been passed, so each
// pattern reads the text once.
type mark int

// next returns the offset of what find finds at or after from, len(text) if nothing.
func (m *mark) next(text []byte, from int, find func([]byte) int) int {
	if int(*m) <= from {
		*m = mark(len(text) + 1)
		if i := find(text[from:]); i >= 0 {
			*m = mark(from + i + 1)
		}
	}
	return int(*m) - 1
}

// indexWWW returns the offset of "www.", in any case, or -1. It searches for the dot, which is rarer than a "w".
func indexWWW(text []byte) int {
	const letters = len("www")
	for at := 0; ; at++ {
		dot := bytes.IndexByte(text[at:], '.')
		if dot < 0 {
			return -1
		}
		at += dot
		if at >= letters && text[at-1]|0x20 == 'w' && ascii.EqualFold(text[at-letters:at], "www") {
			return at - letters
		}
	}
}

// indexColon returns the offset of the colon of a URL, or -1.
func indexColon(text []byte) int {
	for at := 0; ; at++ {
		colon := bytes.IndexByte(text[at:], ':')
		if colon < 0 {
			return -1
		}
		at += colon
		if bytes.HasPrefix(text[at:], []byte("://")) || brokenScheme(text[:at]) > 0 && isBroken(text[at+1:]) {
			return at
		}
	}
}

// brokenScheme returns the length of the scheme at the end of text that mail programs know without slashes, or 0.
func brokenScheme(text []byte) int {
	for _, scheme := range [...]string{"http", "https", "ftp"} {
		if ascii.HasSuffixFold(text, scheme) && (len(text) == len(scheme) || !ascii.IsAlphanumeric(text[len(text)-len(scheme)-1])) {
			return len(scheme)
		}
	}
	return 0
}

// isBroken reports whether text may follow the colon of a URL whose slashes browsers repair: one slash, backslashes, or a name with a dot.
func isBroken(text []byte) bool {
	host := bytes.TrimLeft(text, `/\`)
	slashes := len(text) - len(host)
	if len(host) == 0 || !ascii.IsAlphanumeric(host[0]) {
		return false
	}
	if slashes > 0 {
		return slashes == 1 || bytes.IndexByte(text[:slashes], '\\') >= 0
	}
	dot := 0
	for dot < len(host) && (ascii.IsAlphanumeric(host[dot]) || host[dot] == '-') {
		dot++
	}
	return dot+1 < len(host) && host[dot] == '.' && ascii.IsAlphanumeric(host[dot+1])
}

// url returns the start and the end of the next URL; both are len(text) if there is none.
func (f *urlFinder) url() (from, to int) {
	for f.at < len(f.text) {
		done := f.at
		www, colon := f.www.next(f.text, done, indexWWW), f.colon.next(f.text, done, indexColon)
		var host int
		switch {
		case www == len(f.text) && colon == len(f.text):
			return www, colon
		case www < colon:
			from, host = www, www+len("www.")
			if from > done && ascii.IsAlphanumeric(f.text[from-1]) {
				from = host // in the middle of a word
			}
			_, to = f.end(host, host, false)
		case brokenScheme(f.text[:colon]) > 0 && isBroken(f.text[colon+1:]):
			host = len(f.text) - len(bytes.TrimLeft(f.text[colon+1:], `/\`))
			if from = colon - brokenScheme(f.text[done:colon]); from == colon {
				from = host // the scheme belongs to the URL before
			}
			_, to = f.end(host, host, true)
		default:
			from, host = colon, colon+len("://")
			for from > max(done, colon-maxSchemeBytes) && isSchemeByte(f.text[from-1]) {
				from--
			}
			if from == colon {
				from = host // no scheme
			}
			to = f.endOfHost(host)
		}
		f.at = max(host, to)
		if from < host && to > host {
			return from, to
		}
	}
	return len(f.text), len(f.text)
}

// urlEnds are the visible characters that no URL within a text contains, below 64 and above.
var urlEnds = [2]ascii.Set{1<<'<' | 1<<'>' | 1<<'"', 1<<('`'%64) | 1<<('|'%64) | 1<<('^'%64) | 1<<('{'%64) | 1<<('}'%64)}

// end returns the end of a URL with that host, which is known up to at and may contain backslashes, and that end without the punctuation of the
// sentence around it. Letters beyond ASCII end it: in Chinese and Japanese, text follows a URL without a blank.
func (f *urlFinder) end(host, at int, backslashes bool) (end, trimmed int) {
	for ; at < len(f.text); at++ {
		c := f.text[at]
		if c <= ' ' || c >= 0x7f || urlEnds[c/64].Has(c%64) || c == '\\' && !backslashes {
			break
		}
	}
	return at, host + len(bytes.TrimRight(f.text[host:at], ".,;:!?)]}'*_"))
}

// endOfHost returns the end of a URL whose host, which may be beyond ASCII, begins at host. It sets f.plain.
func (f *urlFinder) endOfHost(host int) (to int) {
	f.plain = 0
	end, to := f.end(host, host, false)
	if end < len(f.text) && f.text[end] >= utf8.RuneSelf && !bytes.ContainsAny(f.text[host:end], "/?#") {
		if name := nameLength(f.text[host:min(len(f.text), host+maxNameBytes)]); name > end-host {
			f.plain = to
			if to == host {
				f.plain = 0
			}
			_, to = f.end(host, host+name, false)
		}
	}
	return to
}

// nameLength returns the length of the host with characters beyond ASCII that text begins with, or 0. In Chinese and
// Japanese, text follows a URL without a blank, so a host that begins in ASCII must end in an ASCII or Cyrillic label.
func nameLength(text []byte) int {
	const dots = ".\u3002\uff0e\uff61"
	end := bytes.IndexFunc(text, func(r rune) bool {
		if r < utf8.RuneSelf {
			return !isSchemeByte(byte(r)) && r != '_' && r != '%' && r != '@'
		}
		return (unicode.IsSpace(r) || unicode.IsPunct(r) || r == utf8.RuneError) && !strings.ContainsRune(dots, r)
	})
	if end < 0 {
		end = len(text)
	}
	name := bytes.TrimRight(text[:end], dots)
	dot := bytes.LastIndexAny(name, dots)
	if dot < 0 {
		return 0
	}
	_, size := utf8.DecodeRune(name[dot:])
	last := name[dot+size:]
	letter, _ := utf8.DecodeRune(last)
	if text[0] >= utf8.RuneSelf || unicode.Is(unicode.Cyrillic, letter) || !bytes.ContainsFunc(last, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return len(name)
	}
	return 0
}

func isSchemeByte(c byte) bool { return ascii.IsAlphanumeric(c) || c == '+' || c == '-' || c == '.' }
