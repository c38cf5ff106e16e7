package features

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/dchest/siphash"
)

// Key is the secret under which the terms of a model are hashed: 128 bits. A sender who does not know it cannot write a word whose
// term has the hash of another term. No figure depends on it. The zero value is a key that everybody knows.
type Key struct{ k0, k1 uint64 }

// keySize is the size of a key in bytes.
const keySize = 16

// NewKey returns a key made at random.
func NewKey() Key {
	var secret [keySize]byte
	_, _ = rand.Read(secret[:]) // it never fails
	return keyOf(secret)
}

func keyOf(secret [keySize]byte) Key {
	return Key{binary.LittleEndian.Uint64(secret[:]), binary.LittleEndian.Uint64(secret[8:])}
}

// Hash returns the hash that stands for a term: SipHash-2-4, which is a pseudorandom function of the term to all who do not have
// the key. Source: J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF.
func (k Key) Hash(term []byte) uint64 { return siphash.Hash(k.k0, k.k1, term) }

// String hides the key: it says only whether there is one.
func (k Key) String() string {
	if k == (Key{}) {
		return "the key that everybody knows"
	}
	return "a secret key"
}

// MarshalText returns the key as 32 hexadecimal digits.
func (k Key) MarshalText() ([]byte, error) {
	secret := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, k.k0), k.k1)
	return hex.AppendEncode(nil, secret), nil
}

// UnmarshalText reads a key as 32 hexadecimal digits. The error does not quote them.
func (k *Key) UnmarshalText(text []byte) error {
	var secret [keySize]byte
	if n, err := hex.Decode(secret[:], text[:min(len(text), 2*keySize)]); err != nil || n != keySize || len(text) != 2*keySize {
		return fmt.Errorf("a key must be %d hexadecimal digits", 2*keySize)
	}
	*k = keyOf(secret)
	return nil
}
