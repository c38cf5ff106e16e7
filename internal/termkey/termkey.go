// Package termkey hashes terms and messages under a secret key.
package termkey

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"

	"github.com/dchest/siphash"
)

// Key is the 128-bit secret under which the terms of a model are hashed. A sender who does not know it cannot write a word whose term
// has the hash of another term. The zero value is a key that everybody knows.
type Key struct{ k0, k1 uint64 }

// Size is the size of a key in bytes.
const Size = 16

// New returns the key with these bytes. Whoever makes a key fills them with crypto/rand, which a process for one message does without.
func New(secret [Size]byte) Key {
	return Key{binary.LittleEndian.Uint64(secret[:]), binary.LittleEndian.Uint64(secret[Size/2:])}
}

// FromBytes returns the key with the given 16 bytes.
func FromBytes(secret []byte) (Key, error) {
	if len(secret) != Size {
		return Key{}, fmt.Errorf("a key of %d bytes: must be %d", len(secret), Size)
	}
	return Key{binary.LittleEndian.Uint64(secret), binary.LittleEndian.Uint64(secret[Size/2:])}, nil
}

// Bytes returns the 16 bytes of the key.
func (k Key) Bytes() []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, k.k0), k.k1)
}

// Hash returns the hash of a term: SipHash-2-4, a pseudorandom function of the term for everybody without the key. The hash of two
// words, as in "body:free money", is [Pair] of the hashes of "body:free" and "body:money".
// Source: J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF.
func (k Key) Hash(term []byte) uint64 {
	space := bytes.IndexByte(term, ' ')
	if space < 0 {
		return siphash.Hash(k.k0, k.k1, term)
	}
	var buffer [256]byte
	first := term[:space]
	tag := first[:bytes.IndexByte(first, ':')+1]
	second := append(append(buffer[:0], tag...), term[space+1:]...)
	return Pair(siphash.Hash(k.k0, k.k1, first), siphash.Hash(k.k0, k.k1, second))
}

// New returns a hash of bytes that are written to it, SipHash-2-4 under the key.
func (k Key) New() hash.Hash64 { return siphash.New(k.Bytes()) }

// Pair returns the hash of two words, given the hashes of their terms. The hash of a pair is as secret as those of its words. Two pairs that
// share a word have the same hash only if their other words have.
func Pair(first, second uint64) uint64 {
	// The finaliser of MurmurHash3, a bijection, hides that hashes of pairs are sums.
	x := first*0x9e3779b97f4a7c15 + second
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// String hides the key and says only whether it is secret.
func (k Key) String() string {
	if k == (Key{}) {
		return "the key that everybody knows"
	}
	return "a secret key"
}

// Parse returns the key with the given 32 hexadecimal digits. The error does not quote them.
func Parse(text string) (Key, error) {
	secret, err := hex.DecodeString(text)
	if err != nil || len(secret) != Size {
		return Key{}, fmt.Errorf("a key must be %d hexadecimal digits", 2*Size)
	}
	return FromBytes(secret)
}
