// Package termkey hashes terms under a secret key.
package termkey

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/dchest/siphash"
)

// Key is the 128-bit secret under which the terms of a model are hashed. A sender who does not know it cannot write a word whose term
// has the hash of another term. The zero value is a key that everybody knows.
type Key struct{ k0, k1 uint64 }

// keySize is the size of a key in bytes.
const keySize = 16

// New returns a random key.
func New() Key {
	var secret [keySize]byte
	_, _ = rand.Read(secret[:]) // it never fails
	key, _ := FromBytes(secret[:])
	return key
}

// FromBytes returns the key with the given 16 bytes.
func FromBytes(secret []byte) (Key, error) {
	if len(secret) != keySize {
		return Key{}, fmt.Errorf("a key of %d bytes: must be %d", len(secret), keySize)
	}
	return Key{binary.LittleEndian.Uint64(secret), binary.LittleEndian.Uint64(secret[8:])}, nil
}

// Bytes returns the 16 bytes of the key.
func (k Key) Bytes() []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, k.k0), k.k1)
}

// Hash returns the hash of a term: SipHash-2-4, a pseudorandom function of the term for whoever does not have the key.
// Source: J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF.
func (k Key) Hash(term []byte) uint64 { return siphash.Hash(k.k0, k.k1, term) }

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
	if err != nil || len(secret) != keySize {
		return Key{}, fmt.Errorf("a key must be %d hexadecimal digits", 2*keySize)
	}
	return FromBytes(secret)
}
