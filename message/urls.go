package message

import (
	"bytes"
	"slices"
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

// addURL adds a link to the message. It reports whether there was room for it.
func (t *texts) addURL(kind LinkKind, url []byte) bool {
	if len(t.msg.Links) == maxLinks {
		t.msg.Repairs.Add(CutLinks)
		return false
	}
	if len(url) > maxURLBytes {
		t.msg.Repairs.Add(CutURL)
		url = weburl.Shorten(url, maxURLBytes)
	}
	t.msg.Links = append(t.msg.Links, Link{Kind: kind, URL: url})
	return true
}

// addLink adds the link in an HTML attribute to the message. It reports whether it did.
func (t *texts) addLink(kind LinkKind, value []byte) bool {
	url := t.keep(weburl.AppendClean(t.arena, value))
	if ascii.HasPrefixFold(url, "data:") { // the content itself, often an image
		url, _, _ = bytes.Cut(url, []byte(","))
	}
	if len(url) == 0 || url[0] == '#' {
		return false
	}
	return t.addURL(kind, url)
}

// takeURLs adds the URLs in a text to the message, and returns the text with a blank for each.
func (d *Decoder) takeURLs(text []byte) []byte {
	urls := urlFinder{text: text, dot: -1, colon: -1}
	start, done := len(d.arena), 0
	for from, to := urls.next(); from < len(text); from, to = urls.next() {
		d.arena = append(d.arena, text[done:from]...)
		d.arena = append(d.arena, ' ')
		d.addURL(LinkWritten, text[from:to])
		if urls.plain > from {
			d.addURL(LinkWritten, text[from:urls.plain])
		}
		done = to
	}
	if done == 0 {
		return text
	}
	d.arena = append(d.arena, text[done:]...)
	return slices.Clip(d.arena[start:])
}

// scriptLinks adds the URLs in a script to the message if a browser runs it, as those of files. A page that redirects often
// has no other text.
func (p *page) scriptLinks(script []byte) {
	if !p.runsScripts {
		return
	}
	urls := urlFinder{text: script, dot: -1, colon: -1}
	for from, to := urls.next(); from < len(script); from, to = urls.next() {
		url, _, _ := bytes.Cut(script[from:to], []byte("'"))
		p.out.addURL(LinkOther, url)
	}
}

// cssLinks adds the links that CSS fetches with url(...).
func (t *texts) cssLinks(css []byte) {
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
		t.addLink(LinkOther, bytes.Trim(css[:end], " \t\r\n\"'"))
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
	done       int // the text before it is done
	dot, colon int // the next ones, each searched for only after it has been passed; at first before the text
	plain      int // where the last URL ends if hosts are ASCII only, 0 if both readings agree
}

// next returns the start and the end of the next URL; both are len(text) if there is none.
func (f *urlFinder) next() (from, to int) {
	for at := f.done; ; at++ {
		f.dot, f.colon = ascii.Next(f.text, []byte("."), f.dot, at), ascii.Next(f.text, []byte(":"), f.colon, at)
		if at = min(f.dot, f.colon); at == len(f.text) {
			return at, at
		}
		before, after := f.text[:at], f.text[at+1:]
		scheme, host := 0, at+1
		if at == f.colon {
			scheme = brokenScheme(before, after)
		}
		switch {
		case at == f.dot && ascii.HasSuffixFold(before[f.done:], "www"):
			if from = at - len("www"); from > f.done && ascii.IsAlphanumeric(f.text[from-1]) {
				from = host // in the middle of a word
			}
			_, to = f.end(host, host, false)
		case scheme > 0:
			host = len(f.text) - len(bytes.TrimLeft(after, `/\`))
			if from = at - scheme; from < f.done {
				from = host // the scheme belongs to the URL before
			}
			_, to = f.end(host, host, true)
		case at == f.colon && bytes.HasPrefix(after, []byte("//")):
			host += len("//")
			for from = at; from > max(f.done, at-maxSchemeBytes) && (ascii.IsAlphanumeric(f.text[from-1]) || strings.IndexByte("+-.", f.text[from-1]) >= 0); {
				from--
			}
			if from == at {
				from = host // no scheme
			}
			to = f.endOfHost(host)
		default:
			continue
		}
		f.done = max(host, to)
		if from < host && to > host {
			return from, to
		}
		at = f.done - 1
	}
}

// brokenScheme returns the length of the scheme at the end of before that mail programs know without slashes, if what follows its colon has
// slashes that browsers repair: one slash, backslashes, or none before a name with a dot. Otherwise it returns 0.
func brokenScheme(before, after []byte) int {
	for _, scheme := range [...]string{"http", "https", "ftp"} {
		start := len(before) - len(scheme)
		if !ascii.HasSuffixFold(before, scheme) || start > 0 && ascii.IsAlphanumeric(before[start-1]) {
			continue
		}
		host := bytes.TrimLeft(after, `/\`)
		slashes := after[:len(after)-len(host)]
		dot := 0
		for dot < len(host) && (ascii.IsAlphanumeric(host[dot]) || dot > 0 && host[dot] == '-') {
			dot++
		}
		hasDot := dot+1 < len(host) && host[dot] == '.' && ascii.IsAlphanumeric(host[dot+1])
		if dot > 0 && (len(slashes) == 1 || bytes.IndexByte(slashes, '\\') >= 0 || len(slashes) == 0 && hasDot) {
			return len(scheme)
		}
	}
	return 0
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
	if end == len(f.text) || f.text[end] < utf8.RuneSelf || bytes.ContainsAny(f.text[host:end], "/?#") {
		return to
	}
	name := nameLength(f.text[host:min(len(f.text), host+maxNameBytes)])
	if name <= end-host {
		return to
	}
	if to > host {
		f.plain = to
	}
	_, to = f.end(host, host+name, false)
	return to
}

// nameLength returns the length of the host with characters beyond ASCII that text begins with, or 0. In Chinese and
// Japanese, text follows a URL without a blank, so a host that begins in ASCII must end in an ASCII or Cyrillic label.
func nameLength(text []byte) int {
	const dots = ".\u3002\uff0e\uff61"
	end := bytes.IndexFunc(text, func(r rune) bool {
		if r < utf8.RuneSelf {
			return !ascii.IsAlphanumeric(byte(r)) && !strings.ContainsRune("+-._%@", r)
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
