package message

import (
	"bytes"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

func TestCodePagesOfDOSAreRead(t *testing.T) {
	for label, want := range map[string]encoding.Encoding{
		"ibm437": charmap.CodePage437, "CP850": charmap.CodePage850, "cp-852": charmap.CodePage852, "IBM865": charmap.CodePage865,
		"ibm037": nil, "cp1047": nil, "ibm": nil, "ibm500": nil,
	} {
		c := newCodec(label)
		if (c != nil) != (want != nil) || want != nil && !decodesAlike(c.decoder, want.NewDecoder()) {
			t.Errorf("%s: got %v, want %v", label, c, want)
		}
	}
}

// decodesAlike reports whether two decoders make the same of all bytes, alone and in pairs.
func decodesAlike(a, b interface{ Bytes([]byte) ([]byte, error) }) bool {
	var all []byte
	for c := range 256 {
		all = append(all, byte(c), 'a', byte(c), 0xc0, byte(c), 0x30)
	}
	x, err1 := a.Bytes(all)
	y, err2 := b.Bytes(all)
	return bytes.Equal(x, y) && (err1 == nil) == (err2 == nil)
}
