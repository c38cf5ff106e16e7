package filter

import (
	"encoding/binary"
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
		text, err := decodeTexts(textSection(texts...), len(texts))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := []string{}
		for i := range texts {
			got = append(got, string(text(i)))
		}
		if diff := cmp.Diff(texts, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// textSection returns section TEXT of texts.
func textSection(texts ...string) (data []byte) {
	for _, t := range texts {
		data = append(binary.AppendUvarint(data, uint64(len(t))), t...)
	}
	return data
}

func TestDamagedTextsAreRefused(t *testing.T) {
	data := textSection("body:a", "body:b")
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
		"a size beyond 64 bits": {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'x'}, 1},
		"a size of 64 bits":     {[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 'x'}, 1},
	} {
		if _, err := decodeTexts(tt.data, tt.n); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrDamaged)
		}
	}
}
