package weburl

import (
	"bufio"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
)

// facts returns the rows of a file of facts.
func facts(tb testing.TB, name string) [][]string {
	tb.Helper()
	file, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	var rows [][]string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var row []string
		for field := range strings.SplitSeq(lines.Text(), "\t") {
			text, err := strconv.Unquote(field)
			if err != nil {
				tb.Fatalf("%s: %s: %v", name, field, err)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return rows
}

// none is what a file of facts has for a host that no browser asks for.
const none = "!"

// opened returns the scheme, host and port that a browser opens for url on a page with this base.
func opened(url, base string) (scheme, host, port string) {
	clean := AppendClean(nil, []byte(url))
	u := Cut(clean)
	scheme = strings.ToLower(string(u.Scheme))
	switch {
	case scheme == "" && base == "":
		return "", none, ""
	case IsRelative(clean):
		return opened(base, "")
	case scheme == "":
		scheme, _, _ = strings.Cut(base, ":")
	case scheme == "file" && u.Port != nil:
		return "", none, ""
	case scheme == "file" && len(u.Host) == 0 && u.User == nil:
		return scheme, "", ""
	}
	host, ok := Host(u.Host)
	port, okPort := portOf(scheme, string(u.Port))
	if !ok || !okPort {
		return "", none, ""
	}
	if scheme == "file" && host == "localhost" {
		host = ""
	}
	return scheme, host, port
}

// portOf returns the port, empty if it is the usual one of the scheme, and whether it is one.
func portOf(scheme, port string) (string, bool) {
	if port == "" {
		return "", true
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", false
	}
	if usual := map[string]uint64{"http": 80, "ws": 80, "https": 443, "wss": 443, "ftp": 21}; number == usual[scheme] {
		return "", true
	}
	return strconv.FormatUint(number, 10), true
}

// isDeparture reports whether the parser differs from the standard on purpose.
func isDeparture(url, base string) bool {
	clean := AppendClean(nil, []byte(url))
	scheme := Cut(clean).Scheme
	length := len(scheme)
	if length == 0 {
		return false
	}
	slashes := leadingSlashes(clean[length+1:])
	if strings.EqualFold(string(scheme), "file") {
		return slashes > 3 // Windows opens a folder of another machine
	}
	// "http:host" is a path on a page of http, and a host on one of https. Which one a mail is read on is not known.
	return slashes < 2 && len(base) > length && strings.EqualFold(base[:length+1], string(clean[:length+1]))
}

func TestURLsLeadWhereBrowsersGo(t *testing.T) {
	rows := facts(t, "testdata/urls.txt")
	compared := 0
	for _, row := range rows {
		input, base, scheme, host, port := row[0], row[1], row[2], row[3], row[4]
		if isDeparture(input, base) {
			continue
		}
		compared++
		gotScheme, gotHost, gotPort := opened(input, base)
		if !sameHost(gotHost, host) || gotPort != port || gotScheme != scheme {
			t.Errorf("%q on %q: got %q %q %q, want %q %q %q", input, base, gotScheme, gotHost, gotPort, scheme, host, port)
		}
	}
	if compared < 400 {
		t.Errorf("%d facts compared, want 400 and more", compared)
	}
}

// sameHost reports whether two hosts are one; addresses of IPv6 that hold one of IPv4 can be written in two ways.
func sameHost(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := netip.ParseAddr(strings.Trim(a, "[]"))
	y, errY := netip.ParseAddr(strings.Trim(b, "[]"))
	return errX == nil && errY == nil && x == y
}

func TestNamesAreReadAsBrowsersDo(t *testing.T) {
	rows := facts(t, "testdata/hosts.txt")
	if len(rows) < 30 {
		t.Fatalf("%d facts, want 30 and more", len(rows))
	}
	for _, row := range rows {
		got, ok := Name([]byte(row[0]))
		if !ok {
			got = none
		}
		if got != row[1] {
			t.Errorf("%q: got %q, want %q", row[0], got, row[1])
		}
	}
}
