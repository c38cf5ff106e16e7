package message

import "bytes"

const (
	maxURLBytes    = 2048 // longer than any link that works everywhere
	maxSchemeBytes = 16
	maxLinks       = 20_000 // of a message; newsletters have hundreds
)

// addURL keeps one link of the message, which is valid UTF-8. It reports whether there was room for it.
func (d *Decoder) addURL(kind LinkKind, url []byte) bool {
	if len(d.msg.Links) == maxLinks {
		d.msg.Repairs.add(CutLinks)
		return false
	}
	if len(url) > maxURLBytes {
		d.msg.Repairs.add(CutURL)
		url = cutRunes(url, maxURLBytes)
	}
	d.msg.Links = append(d.msg.Links, Link{Kind: kind, URL: url})
	return true
}

// addLink keeps the link in an attribute of HTML, without the line ends and tabs that browsers pass over. It reports
// whether it did.
func (d *Decoder) addLink(kind LinkKind, value []byte) bool {
	const unseen uint64 = 1<<'\n' | 1<<'\r' | 1<<'\t'
	start := len(d.links)
	for value = bytes.TrimSpace(value); len(value) > 0; {
		end := skipTo(value, 0, unseen)
		d.links = append(d.links, value[:end]...)
		value = value[min(end+1, len(value)):]
	}
	url := d.links[start:len(d.links):len(d.links)]
	if bytes.HasPrefix(url, []byte("data:")) { // the content itself, usually an image
		url, _, _ = bytes.Cut(url, []byte(","))
	}
	if len(url) == 0 || url[0] == '#' {
		return false
	}
	return d.addURL(kind, url)
}

// takeURLs adds the URLs in a text to the message and returns the text with a space in place of each.
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
		d.addURL(LinkWritten, text[from:to])
		done = to
	}
	d.arena = append(d.arena, text[done:]...)
	return d.arena[start:len(d.arena):len(d.arena)]
}

// urlFinder finds the URLs in a text one after the other: "scheme://something", and "www." at the start of a word.
type urlFinder struct {
	text        []byte
	at          int // what is before has been dealt with
	scheme, www mark
}

// mark is where a pattern is next. It is looked for again only when that has been passed, so that the text is read
// once per pattern.
type mark struct {
	at    int
	known bool
}

// next returns where what find finds is in text at or after from, len(text) if nowhere.
func (m *mark) next(text []byte, from int, find func([]byte) int) int {
	if !m.known || m.at < from {
		m.known = true
		m.at = len(text)
		if i := find(text[from:]); i >= 0 {
			m.at = from + i
		}
	}
	return m.at
}

// indexScheme returns where "://" is in text, -1 if nowhere.
func indexScheme(text []byte) int { return bytes.Index(text, []byte("://")) }

// indexWWW returns where "www." or "WWW." is in text, -1 if nowhere. It looks for the dot, which is rarer than a "w".
func indexWWW(text []byte) int {
	const letters = len("www")
	for at := 0; ; at++ {
		dot := bytes.IndexByte(text[at:], '.')
		if dot < 0 {
			return -1
		}
		at += dot
		if at < letters || text[at-1]|0x20 != 'w' {
			continue
		}
		if word := string(text[at-letters : at]); word == "www" || word == "WWW" {
			return at - letters
		}
	}
}

// url returns where the next URL starts and ends; both are the length of the text if there is none.
func (f *urlFinder) url() (from, to int) {
	for f.at < len(f.text) {
		separator := f.scheme.next(f.text, f.at, indexScheme)
		www := f.www.next(f.text, f.at, indexWWW)
		done := f.at
		var host int
		if www < separator {
			from, host = www, www+len("www.")
			if from > done && isWordByte(f.text[from-1]) {
				from = host // in the middle of a word
			}
		} else if separator < len(f.text) {
			host = separator + len("://")
			from = separator
			for from > max(done, separator-maxSchemeBytes) && isSchemeByte(f.text[from-1]) {
				from--
			}
			if from == separator {
				from = host // no scheme
			}
		} else {
			break
		}
		to = host
		for to < len(f.text) && isURLByte(f.text[to]) {
			to++
		}
		to = host + len(bytes.TrimRight(f.text[host:to], ".,;:!?)]}'*_"))
		f.at = max(host, to)
		if from < host && to > host {
			return from, to
		}
	}
	return len(f.text), len(f.text)
}

// isURLByte reports whether a URL within a text goes on with c. Letters beyond ASCII do not belong to it: in Chinese and
// Japanese, text follows a URL without a blank.
func isURLByte(c byte) bool {
	switch c {
	case '<', '>', '"', '`', '|', '\\', '^', '{', '}', 0x7f:
		return false
	}
	return ' ' < c && c < 0x80
}

func isSchemeByte(c byte) bool { return isWordByte(c) || c == '+' || c == '-' || c == '.' }

func isWordByte(c byte) bool {
	c = lowerByte(c)
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}
