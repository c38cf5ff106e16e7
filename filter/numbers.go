package filter

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// number is what the tables of a model file are made of.
type number interface {
	~uint32 | ~uint64 | ~float32 | ~float64
}

// numbersOf returns the numbers that data holds, little-endian: in place where the machine's memory holds them in this
// order too, else as a copy. A size that is no whole number of them is an error.
func numbersOf[T number](data []byte) ([]T, error) {
	size := int(unsafe.Sizeof(*new(T)))
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%w: %d bytes are no whole number of entries", ErrDamaged, len(data))
	}
	n := len(data) / size
	if n == 0 {
		return nil, nil
	}
	if littleEndian() && uintptr(unsafe.Pointer(unsafe.SliceData(data)))%uintptr(size) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n), nil
	}
	numbers := make([]T, n)
	if _, err := binary.Decode(data, binary.LittleEndian, numbers); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return numbers, nil
}

// bytesOf returns the little-endian bytes of numbers.
func bytesOf[T number](numbers []T) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // it cannot fail for slices of numbers of fixed size
	}
	return data
}

func littleEndian() bool {
	return binary.NativeEndian.Uint16([]byte{1, 0}) == 1
}
