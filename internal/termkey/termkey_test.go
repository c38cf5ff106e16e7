package termkey

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// TestTheHashIsSipHash compares the hash with published values: the key is the bytes 0 to 15, the texts are the first bytes of 0, 1, 2,
// ... Source: SipHash paper, appendix A, and vectors.h of the reference code.
func TestTheHashIsSipHash(t *testing.T) {
	key, err := Parse("000102030405060708090a0b0c0d0e0f")
	if err != nil {
		t.Fatal(err)
	}
	text := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	for size, want := range map[int]uint64{0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 8: 0x93f5f5799a932462, 15: 0xa129ca6149be45e5} {
		if got := key.Hash(text[:size]); got != want {
			t.Errorf("%d bytes: got %x, want %x", size, got, want)
		}
	}
}

func TestTheHashOfAPairIsMadeOfTheHashesOfItsWords(t *testing.T) {
	key := New([16]byte{1})
	hash := func(term string) uint64 { return key.Hash([]byte(term)) }
	if hash("body:free money") != Pair(hash("body:free"), hash("body:money")) {
		t.Error("the words of the pair have other hashes")
	}
	if long := strings.Repeat("x", 1000); hash("body:free "+long) != Pair(hash("body:free"), hash("body:"+long)) {
		t.Error("the words of a long pair have other hashes")
	}
	if hash("no tag") != Pair(hash("no"), hash("tag")) {
		t.Error("the words of a pair without a tag have other hashes")
	}
}

func TestDifferentTermsHaveDifferentHashes(t *testing.T) {
	key := New([16]byte{1})
	terms := make(map[uint64]string)
	const words = 300
	for i := range words {
		for j := range words {
			for _, term := range []string{fmt.Sprintf("t:%d %d", i, j), fmt.Sprintf("t:%d%d", i, words+j), fmt.Sprintf("u:%d %d", i, j), fmt.Sprintf("t:%d %d ", i, j)} {
				hash := key.Hash([]byte(term))
				if other, taken := terms[hash]; taken && other != term {
					t.Fatalf("%q and %q have the same hash", term, other)
				}
				terms[hash] = term
			}
		}
	}
}

func TestAKeyIsReadAsItIsWritten(t *testing.T) {
	key := New([16]byte{1})
	again, err := Parse(hex.EncodeToString(key.Bytes()))
	if err != nil || again != key {
		t.Errorf("another key, or the error %v", err)
	}
	if key == (Key{}) || key == New([16]byte{2}) {
		t.Error("keys of other bytes are alike")
	}
	for name, text := range map[string]string{
		"nothing": "", "too short": "00", "too long": strings.Repeat("0", 34), "no digits": strings.Repeat("x", 32),
	} {
		if _, err := Parse(text); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	if _, err := FromBytes(make([]byte, 15)); err == nil {
		t.Error("15 bytes are a key")
	}
}

func TestAPrintedKeyTellsNothing(t *testing.T) {
	key, err := Parse("000102030405060708090a0b0c0d0e0f")
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{fmt.Sprint(key), fmt.Sprintf("%v %+v", key, struct{ K Key }{key})} {
		if strings.ContainsAny(got, "0123456789") {
			t.Errorf("got %q", got)
		}
	}
}

// BenchmarkHash hashes texts of the length of terms, 8 to 31 bytes, with the keyed hash and with an unkeyed one.
func BenchmarkHash(b *testing.B) {
	text := []byte("subject:a term of some bytes length")
	for name, hash := range map[string]func([]byte) uint64{"SipHash-2-4": New([16]byte{1}).Hash, "xxhash64": xxhash.Sum64} {
		b.Run(name, func(b *testing.B) {
			const least, most = 8, 31
			for b.Loop() {
				for size := least; size <= most; size++ {
					hash(text[:size])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*(most-least+1)), "ns/hash")
		})
	}
}
