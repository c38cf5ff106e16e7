// Package littleendian reads tables of numbers from files and writes them.
package littleendian

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// Number is an element of a table.
type Number interface {
	~uint32 | ~uint64 | ~float32 | ~float64
}

// Decode returns the little-endian numbers in data, in place if this machine stores them alike, else as a copy. Data that is no whole
// number of entries is an error.
func Decode[T Number](data []byte) ([]T, error) {
	size := int(unsafe.Sizeof(*new(T)))
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of entries", len(data))
	}
	n := len(data) / size
	if n == 0 {
		return nil, nil
	}
	first := unsafe.Pointer(unsafe.SliceData(data))
	if isLittleEndian && uintptr(first)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(first), n), nil
	}
	numbers := make([]T, n)
	if _, err := binary.Decode(data, binary.LittleEndian, numbers); err != nil {
		return nil, err
	}
	return numbers, nil
}

// Bytes returns the little-endian bytes of numbers, in place if this machine stores them alike, else as a copy.
func Bytes[T Number](numbers []T) []byte {
	if !isLittleEndian {
		data, _ := binary.Append(nil, binary.LittleEndian, numbers) // never fails for numbers
		return data
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers)*int(unsafe.Sizeof(*new(T))))
}

var isLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
