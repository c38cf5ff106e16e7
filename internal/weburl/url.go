// Package weburl reads a URL as browsers do, by the URL standard of WHATWG (https://url.spec.whatwg.org/). Where net/url
// reports an error, a browser repairs the URL and opens what the sender meant: "http:\\host", "https:/host" and "//host" all
// lead to a host.
//
// It cuts a URL into its parts and does not change them. [Host] returns the host that a browser asks for. A link in mail has
// no page that it is relative to, unless its document names one; where the standard needs a page, the URL is relative to an
// https page of a web mailer.
package weburl

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
)

// URL is a URL in its parts, which are slices of the URL as it is written.
type URL struct {
	Scheme   []byte // without the colon; empty if there is none
	HasUser  bool   // an "@" precedes the host
	User     []byte // what precedes the "@"
	Host     []byte
	Port     []byte // nil if there is no colon
	Path     []byte // with query and fragment; for an opaque URL everything after the scheme
	Opaque   bool   // says that no host can follow the scheme, as with mailto: and cid:
	Repaired bool   // says that the host does not follow exactly two slashes
}

// maxScheme is the length of the longest scheme that is read.
const maxScheme = 20

// Cut cuts a URL that [AppendClean] has cleaned. A URL without scheme and slashes is a host and a path, as in
// "www.shop.example/now".
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

// schemeLength returns the length of the scheme of a URL, or 0. A name with a dot is a host before a port.
func schemeLength(url []byte) int {
	end := bytes.IndexAny(url[:min(len(url), maxScheme+1)], `:./\?#@[`)
	if end > 0 && url[end] == ':' {
		return end
	}
	return 0
}

// cutAuthority cuts user, host and port off the path.
func (u *URL) cutAuthority() {
	end := bytes.IndexAny(u.Path, authorityEnds)
	if end < 0 {
		end = len(u.Path)
	}
	u.Host, u.Path = u.Path[:end], u.Path[end:]
	if at := bytes.LastIndexByte(u.Host, '@'); at >= 0 {
		u.HasUser, u.User, u.Host = true, u.Host[:at], u.Host[at+1:]
	}
	literal := 0 // the length of an IPv6 address, which contains colons
	if len(u.Host) > 0 && u.Host[0] == '[' {
		literal = bytes.IndexByte(u.Host, ']') + 1
	}
	if colon := bytes.IndexByte(u.Host[literal:], ':'); colon >= 0 {
		u.Host, u.Port = u.Host[:literal+colon], u.Host[literal+colon+1:]
	}
}

// authorityEnds are the bytes that end user, host and port.
const authorityEnds = `/\?#`

// leadingSlashes returns how many slashes and backslashes url begins with.
func leadingSlashes(url []byte) int { return len(url) - len(bytes.TrimLeft(url, `/\`)) }

// kind is a class of schemes in the standard.
type kind uint8

const (
	relative kind = iota // no scheme
	web                  // the "special" schemes without file: a host follows any number of slashes
	file
	other
)

func kindOf(scheme []byte) kind {
	is := func(name string) bool { return ascii.EqualFold(scheme, name) }
	switch {
	case len(scheme) == 0:
		return relative
	case is("https"), is("http"), is("ftp"), is("ws"), is("wss"):
		return web
	case is("file"):
		return file
	}
	return other
}

// isDrive reports whether a path begins with the letter of a Windows drive.
func isDrive(path []byte) bool {
	return len(path) >= 2 && ascii.IsLetter(path[0]) && (path[1] == ':' || path[1] == '|') &&
		(len(path) == 2 || strings.IndexByte(authorityEnds, path[2]) >= 0)
}

// AppendClean appends a URL to dst without what browsers ignore: line ends and tabs anywhere, and control characters and
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

// isVisible reports whether c is a visible ASCII character.
func isVisible(c byte) bool { return ' ' < c && c < utf8.RuneSelf }

// IsRelative reports whether the target of a URL depends on its page.
func IsRelative(url []byte) bool {
	u := Cut(url)
	return len(u.Scheme) == 0 && leadingSlashes(url) < 2
}

// Shorten returns a URL of at most limit bytes with the same scheme, host and port. It shortens user names, which could hide
// the host otherwise, and the path.
func Shorten(url []byte, limit int) []byte {
	const (
		enough = 64 // bytes of a user name
		port   = 16 // bytes of a port
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
