package filter

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTextsAreReadAsTheyWereWritten(t *testing.T) {
	for name, texts := range map[string][]string{
		"none": {}, "one": {"body:offer"}, "empty ones": {"", "body:a", "", ""}, "a long one": {"x", string(make([]byte, 1000)), "y"},
	} {
		got, err := decodeTexts(encodeTexts(texts), len(texts))
		if diff := cmp.Diff(texts, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestTextsThatDoNotFitAreRefused(t *testing.T) {
	data := encodeTexts([]string{"body:a", "body:b"})
	for name, tt := range map[string]struct {
		data []byte
		n    int
	}{
		"of fewer terms":         {data, 1},
		"of more terms":          {data, 3},
		"of far more terms":      {data, math.MaxInt32},
		"cut":                    {data[:len(data)-1], 2},
		"with more than is told": {append(slices.Clone(data), 'x'), 2},
		"a size without an end":  {[]byte{0x80, 0x80}, 2},
		"a size beyond 32 bits":  {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'x'}, 1},
	} {
		if _, err := decodeTexts(tt.data, tt.n); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrDamaged)
		}
	}
}
