package weburl

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"chaff/test/tabletest"
)

// hostOf returns the host of a link, or none.
func hostOf(link string) string {
	if host, ok := Host(Cut(AppendClean(nil, []byte(link))).Host); ok {
		return host
	}
	return none
}

func TestLinksThatBrowsersRepairHaveTheirHost(t *testing.T) {
	tabletest.Strings(t, hostOf, [][3]string{
		{"backslashes", `http:\\evil.example\x`, "evil.example"},
		{"one slash", "http:/evil.example", "evil.example"},
		{"no slash", "http:evil.example", "evil.example"},
		{"three slashes", "https:///evil.example/x", "evil.example"},
		{"slashes of both kinds", `https:/\/\evil.example`, "evil.example"},
		{"no scheme", "//evil.example/x", "evil.example"},
		{"no scheme and backslashes", `\\evil.example\x`, "evil.example"},
		{"no scheme, a slash and a backslash", `/\evil.example`, "evil.example"},
		{"tabs and line ends inside", "ht\ttp://ev\nil.exa\rmple/", "evil.example"},
		{"controls before it", "\x01\x1f \x00http://evil.example", "evil.example"},
		{"the name of a user that looks like a host", "http://bank.example@evil.example/", "evil.example"},
		{"several users", "http://bank.example@a@b:c@evil.example:80/@x", "evil.example"},
		{"a backslash ends the host", `http://evil.example\@bank.example/`, "evil.example"},
		{"a user with the sign in escapes is no user", "http://bank.example%40evil.example", none},
		{"escapes", "http://%65%76il%2eexample/", "evil.example"},
		{"letters in circles", "http://ⓔvil.example", "evil.example"},
		{"an ideographic full stop", "http://evil。example", "evil.example"},
		{"mathematical letters in escapes", "http://%F0%9D%90%9Evil.example", "evil.example"},
		{"soft hyphens and characters without width", "http://e\u00advil\u200b.ex\u2060ample", "evil.example"},
		{"a letter beyond ASCII", "http://BÜCHER.example", "xn--bcher-kva.example"},
		{"a sharp s is a letter of its own", "http://straße.example", "xn--strae-oqa.example"},
		{"a decimal address", "http://3627734734/", "216.58.214.206"},
		{"a short hexadecimal address", "http://0x7f.1", "127.0.0.1"},
		{"an octal address in full-width digits", "http://０１７７.1", "127.0.0.1"},
		{"an address with a dot behind it", "http://127.0.0.1./", "127.0.0.1"},
		{"an address that is too large", "http://256.256.256.256", none},
		{"an address of IPv6 with a port", "http://[2001:DB8::0:1]:8080/", "[2001:db8::1]"},
		{"an address of five numbers, of which the last is 0", "http://1.2.3.4.0/", none},
		{"an address of IPv4 in brackets", "http://[127.0.0.1]/", none},
		{"a zone of a network", "http://[fe80::1%25eth0]/", none},
		{"a bracket that is open", "http://[::1", none},
		{"a folder of another machine", `file:\\evil.example\x`, "evil.example"},
		{"a folder of another machine with four slashes", "file:////evil.example/x", "evil.example"},
		{"a file", "file:///etc/passwd", none},
		{"a drive", "file://C:/x", none},
		{"mail", "mailto:ann@evil.example", none},
		{"a script", "javascript://evil.example", "evil.example"}, // as every scheme with two slashes
		{"a host without a scheme", "www.evil.example:80/x", "www.evil.example"},
		{"a path", "/x/evil.example", none},
		{"a folder that is named like a drive", "file://C|x/y", none},
		{"a drive alone", "file://C:", none},
		{"a machine with a name of two letters", "file://ab/x", "ab"},
		{"another scheme without a host", "app:///evil.example", none},
	})
}

func TestRepairsAreTold(t *testing.T) {
	for url, want := range map[string]bool{
		"http://a.example": false, "//a.example": false, "a.example": false, "/a": false, "mailto:a": false,
		`http:\\a.example`: true, "http:a.example": true, "http:///a.example": true, `/\a.example`: true, `/\`: true,
	} {
		if got := Cut([]byte(url)).Repaired; got != want {
			t.Errorf("%q: got %v, want %v", url, got, want)
		}
	}
}

func TestRelativeLinksAreTold(t *testing.T) {
	for url, want := range map[string]bool{
		"a.html": true, "/a": true, `\a`: true, "?a": true, "www.a.example": true,
		"//a": false, `/\a`: false, "http:a": false, "mailto:a": false,
	} {
		if got := IsRelative([]byte(url)); got != want {
			t.Errorf("%q: got %v, want %v", url, got, want)
		}
	}
}

// A host is not hidden by what is long before it or in it.
func TestAShortURLLeadsWhereTheLongOneDoes(t *testing.T) {
	const limit = 2048
	long := strings.Repeat("bank.example", 1<<10)
	for name, url := range map[string]string{
		"the name of a user":              "http://" + long + "@evil.example:8080/x" + long,
		"the name of a user beyond ASCII": "http://" + strings.Repeat("é", 1<<10) + "@evil.example:8080/x",
		"slashes":                         "http:" + strings.Repeat(`/\`, 1<<12) + "evil.example:8080/x",
		"soft hyphens":                    "http://ev" + strings.Repeat("\u00ad", 1<<12) + "il.example:8080/x",
		"soft hyphens in escapes":         "http://ev" + strings.Repeat("%C2%AD", 1<<12) + "il.example:8080/x",
		"a path":                          "http://evil.example:8080/" + long,
		"all without a scheme":            strings.Repeat(`\`, 1<<12) + long + "@evil.example:8080/" + long,
	} {
		t.Run(name, func(t *testing.T) {
			short := Shorten([]byte(url), limit)
			u := Cut(short)
			if host, ok := Host(u.Host); !ok || host != "evil.example" || string(u.Port) != "8080" || len(short) > limit {
				t.Errorf("%d bytes with the host %q, %v", len(short), host, ok)
			}
		})
	}
}

// Everything is linear: a URL of a megabyte is read in a few milliseconds, and would take minutes if it were not.
func TestLongURLsAreReadInLinearTime(t *testing.T) {
	const size = 1 << 20
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	for name, url := range map[string]string{
		"users":               "http://" + fill("a@") + "evil.example",
		"a host":              "http://" + fill("a"),
		"labels":              "http://" + fill("a."),
		"a label in Chinese":  "http://" + fill("龍"),
		"a label in Punycode": "http://xn--" + fill("a9"),
		"soft hyphens":        "http://" + fill("\u00ad") + "a.example",
		"escapes":             "http://" + fill("%61"),
		"escapes of escapes":  "http://" + fill("%25"),
		"numbers":             "http://" + fill("0."),
		"a number":            "http://" + fill("9"),
		"ligatures":           "http://" + fill("\ufdfa"),
		"brackets":            "http://" + fill("["),
		"colons":              "http://" + fill(":"),
		"slashes":             "http:" + fill("/"),
		"tabs":                "http:" + fill("\t"),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			clean := AppendClean(nil, []byte(url))
			Host(Cut(clean).Host)
			Host(Cut(Shorten(clean, 2048)).Host)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%v", took)
			}
		})
	}
}

func BenchmarkCut(b *testing.B) {
	url := []byte("http://click.shop.example.com/track/click?id=1234&user=abcd")
	b.ReportAllocs()
	for b.Loop() {
		Cut(url)
	}
}

func BenchmarkHost(b *testing.B) {
	for name, host := range map[string][]byte{
		"address": []byte("0x7f.1"), "beyond ASCII": []byte("bücher.example"), "long": bytes.Repeat([]byte("龍"), maxHost/3),
		"ligatures": bytes.Repeat([]byte("\ufdfa"), maxLabel),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Host(host)
			}
		})
	}
}

func TestLabelsThatNoNameHasAreNotConverted(t *testing.T) {
	many := func(n int) (label string) {
		for i := range n {
			label += string(rune(0x4e00 + i))
		}
		return label + ".example"
	}
	for name, test := range map[string]struct {
		host string
		ok   bool
	}{
		"63 characters":                {many(63), true},
		"characters that do not count": {many(60) + strings.Repeat("\u200b\u00ad", 80), true},
		"other full stops":             {strings.ReplaceAll(many(60)+"."+many(60)+"."+many(60), ".", "\u3002"), true},
		"full stops of full width":     {strings.ReplaceAll(many(60)+"."+many(60)+"."+many(60), ".", "\uff61"), true},
		"too many characters":          {many(300), false},
		"ligatures of many characters": {strings.Repeat("\ufdfa", 60) + ".example", false},
	} {
		if _, ok := Host([]byte(test.host)); ok != test.ok {
			t.Errorf("%s: got %v, want %v", name, ok, test.ok)
		}
	}
}

// A sender can write any number of them before a host is too long to be read.
func TestIgnoredCharactersAreThoseOfTheStandard(t *testing.T) {
	for r := rune(utf8.RuneSelf); r < 0xe0200; r++ {
		switch {
		case r == 0xd800: // no characters
			r = 0xe000
		case r == 0x20000: // ideographs, and nothing
			r = 0xe0000
		}
		host := "a" + string(r) + "b"
		name, err := names.ToASCII(host)
		if err == nil && name == "ab" && string(withoutIgnored([]byte(host))) != "ab" {
			t.Errorf("%U is ignored", r)
		}
	}
}
