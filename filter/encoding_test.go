package filter

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodedTextsEqualTheEncodedTexts(t *testing.T) {
	for name, texts := range map[string][]string{
		"none": {}, "one": {"body:offer"}, "empty ones": {"", "body:a", "", ""}, "a long one": {"x", string(make([]byte, 1000)), "y"},
	} {
		got, err := decodeTexts(encodeTexts(texts), len(texts))
		if diff := cmp.Diff(texts, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestDamagedTextsAreRefused(t *testing.T) {
	data := encodeTexts([]string{"body:a", "body:b"})
	for name, tt := range map[string]struct {
		data []byte
		n    int
	}{
		"for fewer terms":       {data, 1},
		"for more terms":        {data, 3},
		"for far more terms":    {data, math.MaxInt32},
		"truncated":             {data[:len(data)-1], 2},
		"with an extra byte":    {append(slices.Clone(data), 'x'), 2},
		"an unterminated size":  {[]byte{0x80, 0x80}, 2},
		"a size beyond 32 bits": {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'x'}, 1},
	} {
		if _, err := decodeTexts(tt.data, tt.n); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrDamaged)
		}
	}
}

func TestNumbersNeedNoAlignment(t *testing.T) {
	want := []uint32{1, 1 << 31, 77}
	data := append([]byte{0}, encodeNumbers(want)...)
	got, err := decodeNumbers[uint32](data[1:], nil)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if _, err := decodeNumbers[uint64](data[:9], nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("nine bytes: got %v, want %v", err, ErrDamaged)
	}
}
