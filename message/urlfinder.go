package message

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
)

const (
	maxSchemeBytes = 16
	maxNameBytes   = 1024 // of a host beyond ASCII that is written in a text
)

// urlFinder finds the URLs in a text one after the other: "scheme://something", "www." at the start of a word, and what mail
// programs make a link of though its slashes are wrong, as "http:\\something". A bare name such as shop.example is left in the text,
// where it is a word.
type urlFinder struct {
	text                []byte
	at                  int // what is before has been dealt with
	scheme, www, broken mark
	plain               int // where the last URL ends if names beyond ASCII are none, 0 if there is no doubt
}

// mark is where a pattern is next. It is looked for again only when that has been passed, so that the text is read
// once per pattern.
type mark struct {
	at       int
	searched bool
}

// next returns where what find finds is in text at or after from, len(text) if nowhere.
func (m *mark) next(text []byte, from int, find func([]byte) int) int {
	if !m.searched || m.at < from {
		m.searched = true
		m.at = len(text)
		if i := find(text[from:]); i >= 0 {
			m.at = from + i
		}
	}
	return m.at
}

// indexScheme returns where "://" is in text, -1 if nowhere.
func indexScheme(text []byte) int { return bytes.Index(text, []byte("://")) }

// indexWWW returns where "www." is in text in any case, -1 if nowhere. It looks for the dot, which is rarer than a "w".
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

// indexBroken returns where the colon of a URL is whose slashes browsers have to repair, -1 if nowhere.
func indexBroken(text []byte) int {
	for at := 0; ; at++ {
		colon := bytes.IndexByte(text[at:], ':')
		if colon < 0 {
			return -1
		}
		at += colon
		if brokenScheme(text[:at]) > 0 && isBroken(text[at+1:]) {
			return at
		}
	}
}

// brokenScheme returns the length of the scheme at the end of text that mail programs know without slashes behind it, 0 if there
// is none.
func brokenScheme(text []byte) int {
	if n := len(text); n == 0 || text[n-1]|0x20 != 'p' && text[n-1]|0x20 != 's' {
		return 0 // nearly always
	}
	for _, scheme := range [...]string{"http", "https", "ftp"} {
		if ascii.HasSuffixFold(text, scheme) && (len(text) == len(scheme) || !ascii.IsAlphanumeric(text[len(text)-len(scheme)-1])) {
			return len(scheme)
		}
	}
	return 0
}

// isBroken reports whether text is what follows the colon of such a URL: one slash, backslashes, or a name with a dot.
func isBroken(text []byte) bool {
	slashes := slashesIn(text)
	host := text[slashes:]
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

// slashesIn returns how many slashes and backslashes text starts with.
func slashesIn(text []byte) int {
	n := 0
	for n < len(text) && (text[n] == '/' || text[n] == '\\') {
		n++
	}
	return n
}

// url returns where the next URL starts and ends; both are the length of the text if there is none.
func (f *urlFinder) url() (from, to int) {
	for f.at < len(f.text) {
		done := f.at
		www := f.www.next(f.text, done, indexWWW)
		separator := f.scheme.next(f.text, done, indexScheme)
		broken := f.broken.next(f.text, done, indexBroken)
		var host int
		switch first := min(www, separator, broken); first {
		case len(f.text):
			return first, first
		case www:
			from, host = www, www+len("www.")
			if from > done && ascii.IsAlphanumeric(f.text[from-1]) {
				from = host // in the middle of a word
			}
			to = f.trimmed(host, f.end(host, false))
		case broken:
			from = broken - brokenScheme(f.text[done:broken])
			host = broken + len(":")
			host += slashesIn(f.text[host:])
			if from == broken {
				from = host // its scheme belongs to the URL before
			}
			to = f.trimmed(host, f.end(host, true))
		default:
			host = separator + len("://")
			from = separator
			for from > max(done, separator-maxSchemeBytes) && isSchemeByte(f.text[from-1]) {
				from--
			}
			if from == separator {
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

// end returns where a URL ends of which what is before at is known, perhaps with backslashes in it.
func (f *urlFinder) end(at int, backslashes bool) int {
	for at < len(f.text) && (isURLByte(f.text[at]) || backslashes && f.text[at] == '\\') {
		at++
	}
	return at
}

// trimmed returns the end of a URL without the signs at its end, which belong to the sentence.
func (f *urlFinder) trimmed(host, to int) int {
	return host + len(bytes.TrimRight(f.text[host:to], ".,;:!?)]}'*_"))
}

// endOfHost returns where a URL ends whose host is at host, and which may have a name beyond ASCII; it sets f.plain.
func (f *urlFinder) endOfHost(host int) (to int) {
	f.plain = 0
	end := f.end(host, false)
	to = f.trimmed(host, end)
	if end < len(f.text) && f.text[end] >= utf8.RuneSelf && !bytes.ContainsAny(f.text[host:end], "/?#") {
		if name := nameLength(f.text[host:min(len(f.text), host+maxNameBytes)]); name > end-host {
			f.plain = to
			if to == host {
				f.plain = 0
			}
			to = f.trimmed(host, f.end(host+name, false))
		}
	}
	return to
}

// nameLength returns the length of the host at the head of text, which has characters beyond ASCII, 0 if it is none. In Chinese and
// Japanese, text follows a URL without a blank, so what starts in ASCII has to end in a label of ASCII or Cyrillic.
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

// isURLByte reports whether a URL within a text goes on with c. Letters beyond ASCII do not belong to it: in Chinese and
// Japanese, text follows a URL without a blank.
func isURLByte(c byte) bool {
	switch c {
	case '<', '>', '"', '`', '|', '\\', '^', '{', '}', 0x7f:
		return false
	}
	return ' ' < c && c < 0x80
}

func isSchemeByte(c byte) bool { return ascii.IsAlphanumeric(c) || c == '+' || c == '-' || c == '.' }
