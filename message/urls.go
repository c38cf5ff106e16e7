package message

import (
	"bytes"

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

// keep returns a copy of text that stays valid as long as the links.
func (l *linkList) keep(text []byte) []byte {
	start := len(l.bytes)
	l.bytes = append(l.bytes, text...)
	return l.bytes[start:len(l.bytes):len(l.bytes)]
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

// addBase sets the base of the relative links among links, if base is a whole URL.
func addBase(links []Link, base []byte) {
	if u := weburl.Cut(base); len(u.Scheme) == 0 || len(u.Host) == 0 {
		return
	}
	for i := range links {
		if weburl.IsRelative(links[i].URL) {
			links[i].Base = base
		}
	}
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
