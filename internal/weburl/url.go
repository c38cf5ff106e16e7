// Package weburl reads a URL as browsers do, by the URL standard of WHATWG (https://url.spec.whatwg.org/): where
// net/url reports an error, a browser repairs, and opens what the sender of the mail meant it to open. "http:\\host",
// "https:/host" and "//host" all lead to a host.
//
// It cuts a URL into its parts and does not change them: what is between the slashes stays as it is written. [Host] says which
// host a browser asks for. A link in mail has no page that it is relative to, unless its document names one ([Relative]); where
// the standard needs one, the page of a web mailer stands for it: https, of a host that does not matter.
//
// docs/experiments.md has what a library would cost.
package weburl

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// URL is a URL in its parts, each as it is written; they are parts of the slice that was cut.
type URL struct {
	Scheme  []byte // without the colon; empty if there is none
	HasUser bool   // a "@" stands before the host
	User    []byte // what stands before that
	Host    []byte
	Port    []byte // nil if there is no colon for it
	Path    []byte // with query and fragment; of an opaque URL all behind the scheme
	// Opaque says that what follows the scheme is nothing that a host could be in, as with mailto: and cid:.
	Opaque bool
	// Repaired says that there are not two slashes before the host, or that the slashes are backslashes.
	Repaired bool
}

// maxScheme is longer than any scheme that leads somewhere.
const maxScheme = 20

// Cut returns the parts of a URL that [AppendClean] has cleaned. What has neither a scheme nor slashes is read as a host and a
// path, since that is what people mean by "www.shop.example/now".
func Cut(url []byte) URL {
	u := URL{Path: url}
	if colon := schemeLength(url); colon > 0 {
		u.Scheme, u.Path = url[:colon], url[colon+1:]
	}
	slashes := leadingSlashes(u.Path)
	isPlain := slashes == 2 && u.Path[0] == '/' && u.Path[1] == '/'
	kind := kindOf(u.Scheme)
	switch {
	case kind == relative && slashes == 0: // a host without slashes before it, or a path
	case kind == relative && slashes == 1:
		return u
	case kind == other && !bytes.HasPrefix(u.Path, []byte("//")), kind == file && slashes < 2:
		u.Opaque = true
		return u
	case kind == other:
		u.Path = u.Path[len("//"):]
	case kind == file && (slashes == 3 || isDrive(u.Path[slashes:])):
		u.Path = u.Path[2:]
		return u
	default:
		u.Repaired = !isPlain
		u.Path = u.Path[slashes:]
	}
	u.cutAuthority()
	return u
}

// schemeLength returns how long the scheme of a URL is, 0 if it has none. A name with a dot is a host that a port follows; other
// signs that no scheme has are left to those who count schemes.
func schemeLength(url []byte) int {
	for i, c := range url[:min(len(url), maxScheme+1)] {
		switch c {
		case ':':
			return i
		case '.', '/', '\\', '?', '#', '@', '[':
			return 0
		}
	}
	return 0
}

// cutAuthority takes user, host and port from the head of the path.
func (u *URL) cutAuthority() {
	end := 0
	for end < len(u.Path) && !endsAuthority(u.Path[end]) {
		end++
	}
	u.Host, u.Path = u.Path[:end], u.Path[end:]
	if at := bytes.LastIndexByte(u.Host, '@'); at >= 0 {
		u.HasUser, u.User, u.Host = true, u.Host[:at], u.Host[at+1:]
	}
	literal := 0 // an address of IPv6, which has colons of its own
	if len(u.Host) > 0 && u.Host[0] == '[' {
		literal = bytes.IndexByte(u.Host, ']') + 1
	}
	if colon := bytes.IndexByte(u.Host[literal:], ':'); colon >= 0 {
		u.Host, u.Port = u.Host[:literal+colon], u.Host[literal+colon+1:]
	}
}

func endsAuthority(c byte) bool { return c == '/' || c == '\\' || c == '?' || c == '#' }

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// leadingSlashes returns how many slashes and backslashes url starts with.
func leadingSlashes(url []byte) int {
	n := 0
	for n < len(url) && isSlash(url[n]) {
		n++
	}
	return n
}

// kind is what the standard knows of a scheme.
type kind uint8

const (
	relative kind = iota // no scheme
	web                  // a host follows, however many slashes there are: the "special" schemes without file
	file
	other
)

func kindOf(scheme []byte) kind {
	if len(scheme) == 0 {
		return relative
	}
	if len(scheme) > len("https") {
		return other
	}
	var lower [len("https")]byte
	for i, c := range scheme {
		lower[i] = ascii.Lower(c)
	}
	switch string(lower[:len(scheme)]) {
	case "http", "https", "ftp", "ws", "wss":
		return web
	case "file":
		return file
	}
	return other
}

// isDrive reports whether a path starts with the letter of a drive of Windows.
func isDrive(path []byte) bool {
	return len(path) >= 2 && 'a' <= path[0]|0x20 && path[0]|0x20 <= 'z' && (path[1] == ':' || path[1] == '|') &&
		(len(path) == 2 || endsAuthority(path[2]))
}

// AppendClean appends a URL to dst without what browsers pass over: line ends and tabs anywhere, and control characters and
// blanks at both ends.
func AppendClean(dst, url []byte) []byte {
	if n := len(url); n > 0 && (!isVisible(url[0]) || !isVisible(url[n-1])) {
		url = bytes.TrimFunc(url, func(r rune) bool { return r <= ' ' || unicode.IsSpace(r) })
	}
	if bytes.IndexByte(url, '\n') < 0 && bytes.IndexByte(url, '\t') < 0 && bytes.IndexByte(url, '\r') < 0 {
		return append(dst, url...)
	}
	for _, c := range url {
		if c != '\n' && c != '\t' && c != '\r' {
			dst = append(dst, c)
		}
	}
	return dst
}

// isVisible reports whether c is a character of ASCII that can be seen.
func isVisible(c byte) bool { return ' ' < c && c < utf8.RuneSelf }

// IsRelative reports whether where a URL leads depends on the page that it stands on.
func IsRelative(url []byte) bool {
	u := Cut(url)
	return len(u.Scheme) == 0 && leadingSlashes(url) < 2
}

// Shorten returns a URL of at most limit bytes that has the same scheme, host and port: what is too long of the name of a user is
// left out, and the end of the path. What is long before the host would hide it otherwise.
func Shorten(url []byte, limit int) []byte {
	const (
		enough = 64 // of the name of a user
		port   = 16 // enough of a port
	)
	u := Cut(url)
	var short []byte
	if u.HasUser || u.Repaired || len(u.Host) > maxHost {
		if len(u.Scheme) > 0 {
			short = append(append(short, u.Scheme...), ':')
		}
		slashes := url[len(short):][:leadingSlashes(url[len(short):])]
		short = append(short, slashes[:min(len(slashes), 4)]...)
		if u.HasUser {
			short = append(append(short, u.User[:min(len(u.User), enough)]...), '@')
		}
		if len(u.Host) > maxHost {
			u.Host = withoutIgnored(u.Host)
		}
		short = append(short, u.Host...)
		if u.Port != nil {
			short = append(append(short, ':'), u.Port[:min(len(u.Port), port)]...)
		}
		url = u.Path
	}
	short = append(short, url[:max(0, min(len(url), limit-len(short)))]...)
	return bytes.ToValidUTF8(short[:min(len(short), limit)], nil)
}
