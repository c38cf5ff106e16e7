package littleendian

import (
	"slices"
	"testing"
)

func TestNumbersAreReadAsTheyWereWritten(t *testing.T) {
	want := []float64{0, -1.5, 1e300}
	data := Bytes(want)
	if got, err := Decode[float64](data); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got := Bytes([]uint32{1, 0x01020304}); !slices.Equal(got, []byte{1, 0, 0, 0, 4, 3, 2, 1}) {
		t.Errorf("got % x", got)
	}
	if got, err := Decode[uint64](nil); err != nil || len(got) != 0 {
		t.Errorf("no bytes: got %v, %v", got, err)
	}
	if _, err := Decode[uint32](data[:5]); err == nil {
		t.Error("a part of a number: no error")
	}
}

func TestNumbersAtAnOddAddressAreCopied(t *testing.T) {
	want := []uint32{1, 2, 3}
	data := append([]byte{0}, Bytes(want)...)
	got, err := Decode[uint32](data[1:])
	clear(data)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}
