package weburl

import (
	"bytes"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// byTheLetter reads a URL without a base as the standard does, state by state and character by character. It knows the
// schemes that need a host, except "file".
func byTheLetter(input string) (scheme, host, port string, ok bool) {
	input = strings.TrimFunc(input, func(r rune) bool { return r <= ' ' })
	input = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(input)
	const eof = -1
	points := append([]rune(input), eof)
	var buffer []rune
	state, inBrackets, atSeen := "scheme start", false, false
	for pointer := 0; pointer < len(points); pointer++ {
		c := points[pointer]
		isEnd := c == eof || c == '/' || c == '?' || c == '#' || c == '\\'
		isLetter := 'a' <= c|0x20 && c|0x20 <= 'z'
		isDigit := '0' <= c && c <= '9'
		switch state {
		case "scheme start":
			if !isLetter {
				return "", "", "", false
			}
			buffer, state = append(buffer, c), "scheme"
		case "scheme":
			switch {
			case isLetter || isDigit || c == '+' || c == '-' || c == '.':
				buffer = append(buffer, c)
			case c == ':':
				scheme, buffer, state = strings.ToLower(string(buffer)), nil, "special authority slashes"
			default:
				return "", "", "", false
			}
		case "special authority slashes":
			state = "special authority ignore slashes"
			if c == '/' && points[pointer+1] == '/' {
				pointer++
			} else {
				pointer--
			}
		case "special authority ignore slashes":
			if c != '/' && c != '\\' {
				state = "authority"
				pointer--
			}
		case "authority":
			switch {
			case c == '@':
				atSeen, buffer = true, nil
			case isEnd && atSeen && len(buffer) == 0:
				return "", "", "", false
			case isEnd:
				pointer -= len(buffer) + 1
				buffer, state = nil, "host"
			default:
				buffer = append(buffer, c)
			}
		case "host":
			switch {
			case c == ':' && !inBrackets, isEnd:
				if host, ok = hostByTheLetter(string(buffer)); !ok || len(buffer) == 0 {
					return "", "", "", false
				}
				buffer, state = nil, "port"
				if c != ':' {
					return scheme, host, "", true
				}
			default:
				inBrackets = (inBrackets || c == '[') && c != ']'
				buffer = append(buffer, c)
			}
		case "port":
			switch {
			case isDigit:
				buffer = append(buffer, c)
			case !isEnd:
				return "", "", "", false
			case len(buffer) > 0:
				number, _ := new(big.Int).SetString(string(buffer), 10)
				if number.BitLen() > 16 {
					return "", "", "", false
				}
				usual := map[string]string{"http": "80", "ws": "80", "https": "443", "wss": "443", "ftp": "21"}
				if port = number.String(); port == usual[scheme] {
					port = ""
				}
				fallthrough
			default:
				return scheme, host, port, true
			}
		}
	}
	return "", "", "", false
}

// hostByTheLetter is the host parser of the standard, without IPv6 addresses and names beyond ASCII.
func hostByTheLetter(input string) (string, bool) {
	if strings.HasPrefix(input, "[") {
		return Host([]byte(input))
	}
	var domain strings.Builder
	for i := 0; i < len(input); i++ {
		if plain, err := url.PathUnescape(input[i:min(i+3, len(input))]); err == nil && input[i] == '%' {
			domain.WriteString(plain)
			i += 2
			continue
		}
		domain.WriteByte(input[i])
	}
	name := strings.ToLower(domain.String()) // it makes an i of U+0130
	if !utf8.ValidString(domain.String()) {
		return "", false
	}
	if strings.ContainsFunc(domain.String(), func(r rune) bool { return r >= utf8.RuneSelf }) || strings.Contains("."+name, ".xn--") {
		return Host([]byte(input))
	}
	if strings.ContainsAny(name, "#/:<>?@[\\]^|%\x7f") || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' }) {
		return "", false
	}
	return ipv4ByTheLetter(name)
}

// ipv4ByTheLetter returns a name as it is unless it ends in a number.
func ipv4ByTheLetter(name string) (string, bool) {
	parts := strings.Split(name, ".")
	if parts[len(parts)-1] == "" {
		if len(parts) == 1 {
			return name, true
		}
		parts = parts[:len(parts)-1]
	}
	last := parts[len(parts)-1]
	if numberByTheLetter(last) == nil && (last == "" || strings.ContainsFunc(last, func(r rune) bool { return r < '0' || r > '9' })) {
		return name, true
	}
	if len(parts) > 4 {
		return "", false
	}
	address := new(big.Int)
	for i, part := range parts {
		number := numberByTheLetter(part)
		isLast := i == len(parts)-1
		if number == nil || !isLast && number.Cmp(big.NewInt(255)) > 0 ||
			isLast && number.Cmp(new(big.Int).Exp(big.NewInt(256), big.NewInt(int64(5-len(parts))), nil)) >= 0 {
			return "", false
		}
		if !isLast {
			number.Mul(number, new(big.Int).Exp(big.NewInt(256), big.NewInt(int64(3-i)), nil))
		}
		address.Add(address, number)
	}
	bytes := address.FillBytes(make([]byte, 4))
	var text []string
	for _, b := range bytes {
		text = append(text, strconv.Itoa(int(b)))
	}
	return strings.Join(text, "."), true
}

// numberByTheLetter returns the number that a part of an address is, nil if it is none.
func numberByTheLetter(part string) *big.Int {
	if part == "" {
		return nil
	}
	base, digits := 10, "0123456789"
	if strings.HasPrefix(part, "0x") {
		part, base, digits = part[2:], 16, "0123456789abcdef"
	} else if len(part) >= 2 && part[0] == '0' {
		part, base, digits = part[1:], 8, "01234567"
	}
	for _, r := range part {
		if !strings.ContainsRune(digits, r) {
			return nil
		}
	}
	number, ok := new(big.Int).SetString("0"+part, base)
	if !ok {
		return nil
	}
	return number
}

// FuzzURLsLeadWhereBrowsersGo compares the parser with the state machine of the standard.
func FuzzURLsLeadWhereBrowsersGo(f *testing.F) {
	for _, row := range facts(f, "testdata/urls.txt") {
		f.Add(row[0])
	}
	for _, seed := range []string{`http:\\0x7f.1\x`, "https:///a@b@c:80", "http://%65vil.example", "http://3627734734/", "ftp:host", "http://+0/",
		"http://36277347343627734734x/", "ws://a..b./", "http://1.2.3.4.5/", "http://[::1]:1/", "http://256/", "http::/0", "http://Yo%D3\x84t/", "http:/-\u0130/a",
		"http://1.2.3.4.0/", "http://0/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		clean := AppendClean(nil, []byte(input))
		u := Cut(clean)
		if !bytes.HasSuffix(clean, u.Path) || bytes.ContainsAny(clean, "\t\r\n") {
			t.Errorf("%q was cut into %+v", clean, u)
		}
		short := Shorten(clean, 256)
		if len(short) > 256 || utf8.Valid(clean) && len(u.Host) < 100 && len(u.Scheme) > 0 && !bytes.Equal(Cut(short).Host, u.Host) {
			t.Errorf("%q was shortened to %q", clean, short)
		}
		isWeb := slices.Contains([]string{"https", "http", "ftp", "ws", "wss"}, strings.ToLower(string(u.Scheme)))
		if !isWeb || strings.TrimSpace(string(clean)) != strings.TrimFunc(string(clean), func(r rune) bool { return r <= ' ' }) {
			return
		}
		if len(u.Host) > maxHost {
			return // no program asks for such a host, and none of it is read
		}
		wantScheme, wantHost, wantPort, ok := byTheLetter(string(clean))
		if !ok {
			wantScheme, wantHost, wantPort = "", none, ""
		}
		if scheme, host, port := opened(input, ""); scheme != wantScheme || host != wantHost || port != wantPort {
			t.Errorf("%q: got %q %q %q, want %q %q %q", input, scheme, host, port, wantScheme, wantHost, wantPort)
		}
	})
}
