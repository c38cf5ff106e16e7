// Copyright 2012 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package publicsuffix returns the part of a host name under which names are registered, by the public suffix list
// (https://publicsuffix.org/): "co.uk" for "www.amazon.co.uk".
//
// It has the function of golang.org/x/net/publicsuffix without the type for cookie jars, which imports net/http and would add 23% to the CPU
// of a chaff-classify process. `go test ./internal/publicsuffix -update` copies the rules of the version in go.mod, and a test checks that they
// are up to date.
package publicsuffix

import (
	_ "embed"
	"net/netip"
	"sort"
	"strings"
)

// rules are sorted lines, each with a suffix, a space, and a letter whose bits are those of a rule. The domains that a rule is under have lines
// too.
//
//go:embed rules.txt
var rules string

const (
	isSuffix    = 1 << iota // names are registered under it
	isException             // of a wildcard: it is itself registered
	isWildcard              // names are registered under its subdomains
	isICANN                 // the Internet Corporation for Assigned Names and Numbers manages it
)

// PublicSuffix returns the public suffix of a domain. icann reports whether the Internet Corporation for Assigned Names and Numbers manages
// it: "foo.org" and "foo.co.uk" are ICANN domains, "foo.dyndns.org" is a private domain, and "cromulent" is an unmanaged one.
func PublicSuffix(domain string) (publicSuffix string, icann bool) {
	if _, err := netip.ParseAddr(domain); err == nil {
		return domain, false
	}
	start := 1 + strings.LastIndexByte(domain, '.')
	publicSuffix = domain[start:] // if no rules match, the prevailing rule is "*"
	for bits := byte(0); ; start = 1 + strings.LastIndexByte(domain[:start-1], '.') {
		if bits&isWildcard != 0 {
			publicSuffix, icann = domain[start:], bits&isICANN != 0
		}
		suffix := domain[start:]
		at, found := sort.Find(len(rules), func(i int) int {
			line := rules[1+strings.LastIndexByte(rules[:i], '\n'):]
			return strings.Compare(suffix, line[:strings.IndexByte(line, ' ')])
		})
		if !found {
			return publicSuffix, icann
		}
		bits = rules[at+len(suffix+" ")]
		switch {
		case bits&isSuffix != 0:
			publicSuffix = suffix
		case bits&isException != 0:
			_, publicSuffix, _ = strings.Cut(suffix, ".")
			return publicSuffix, icann
		}
		if bits&isWildcard == 0 {
			icann = bits&isICANN != 0
		}
		if start == 0 {
			return publicSuffix, icann
		}
	}
}
