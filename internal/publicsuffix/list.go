// Copyright 2012 The Go Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package publicsuffix returns the registered part of a host name, by the public suffix list (https://publicsuffix.org/): names are
// registered under "co.uk", a public suffix, and "amazon.co.uk" has one label more.
//
// It is a copy of golang.org/x/net/publicsuffix without the type for cookie jars, which imports net/http and would add 23% to the CPU of a
// chaff-classify process. `go test ./internal/publicsuffix -update` copies the table of the version in go.mod, and a test checks that it is
// up to date.
package publicsuffix

import (
	"net/netip"
	"sort"
	"strings"
)

// Version identifies the edition of the list.
const Version = version

// PublicSuffix returns the public suffix of a domain. icann reports whether the Internet Corporation for Assigned Names and Numbers manages
// it: "foo.org" and "foo.co.uk" are ICANN domains, "foo.dyndns.org" is a private domain, and "cromulent" is an unmanaged one.
func PublicSuffix(domain string) (publicSuffix string, icann bool) {
	if _, err := netip.ParseAddr(domain); err == nil {
		return domain, false
	}

	lo, hi := uint32(0), uint32(numTLD)
	s, suffix, icannNode, wildcard := domain, len(domain), false, false
loop:
	for {
		dot := strings.LastIndexByte(s, '.')
		if wildcard {
			icann = icannNode
			suffix = 1 + dot
		}
		if lo == hi {
			break
		}
		f, ok := find(s[1+dot:], lo, hi)
		if !ok {
			break
		}

		u := uint32(nodes.get(f) >> (nodesBitsTextOffset + nodesBitsTextLength))
		icannNode = u&(1<<nodesBitsICANN-1) != 0
		u >>= nodesBitsICANN
		u = children.get(u & (1<<nodesBitsChildren - 1))
		lo = u & (1<<childrenBitsLo - 1)
		u >>= childrenBitsLo
		hi = u & (1<<childrenBitsHi - 1)
		u >>= childrenBitsHi
		switch u & (1<<childrenBitsNodeType - 1) {
		case nodeTypeNormal:
			suffix = 1 + dot
		case nodeTypeException:
			suffix = 1 + len(s)
			break loop
		}
		u >>= childrenBitsNodeType
		wildcard = u&(1<<childrenBitsWildcard-1) != 0
		if !wildcard {
			icann = icannNode
		}

		if dot == -1 {
			break
		}
		s = s[:dot]
	}
	if suffix == len(domain) {
		// If no rules match, the prevailing rule is "*".
		return domain[1+strings.LastIndexByte(domain, '.'):], icann
	}
	return domain[suffix:], icann
}

// find returns the index of the node in the range [lo, hi) whose label equals label. The range is in strictly increasing node label order.
func find(label string, lo, hi uint32) (node uint32, ok bool) {
	i, ok := sort.Find(int(hi-lo), func(i int) int { return strings.Compare(label, nodeLabel(lo+uint32(i))) })
	return lo + uint32(i), ok
}

// nodeLabel returns the label for the i'th node.
func nodeLabel(i uint32) string {
	x := nodes.get(i)
	length := x & (1<<nodesBitsTextLength - 1)
	x >>= nodesBitsTextLength
	offset := x & (1<<nodesBitsTextOffset - 1)
	return text[offset : offset+length]
}

// EffectiveTLDPlusOne returns the effective top level domain plus one more label: "golang.org" for "foo.bar.golang.org". It reports false
// if there is none.
func EffectiveTLDPlusOne(domain string) (registered string, ok bool) {
	if strings.HasPrefix(domain, ".") || strings.HasSuffix(domain, ".") || strings.Contains(domain, "..") {
		return "", false
	}
	suffix, _ := PublicSuffix(domain)
	name, ok := strings.CutSuffix(domain, "."+suffix)
	if !ok {
		return "", false
	}
	return domain[1+strings.LastIndexByte(name, '.'):], true
}

// The tables are numbers of four and of five bytes, the most significant first.
type (
	uint32String string
	uint40String string
)

func (u uint32String) get(i uint32) uint32 { return uint32(number(string(u[4*i:][:4]))) }

func (u uint40String) get(i uint32) uint64 { return number(string(u[5*i:][:5])) }

func number(s string) (n uint64) {
	for i := range len(s) {
		n = n<<8 | uint64(s[i])
	}
	return n
}
