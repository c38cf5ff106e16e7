package filter

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unsafe"
)

// number is an element of a table of the model file.
type number interface {
	~uint32 | ~uint64 | ~float32 | ~float64
}

// decodeNumbers returns the little-endian numbers in data, in place if this machine stores them alike, else as a copy. An error of reading
// the data is returned as it is.
func decodeNumbers[T number](data []byte, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	size := int(unsafe.Sizeof(*new(T)))
	if len(data)%size != 0 {
		return nil, fmt.Errorf("%w: %d bytes are no whole number of entries", ErrDamaged, len(data))
	}
	n := len(data) / size
	if n == 0 {
		return nil, nil
	}
	first := unsafe.Pointer(unsafe.SliceData(data))
	if isLittleEndian := binary.NativeEndian.Uint16([]byte{1, 0}) == 1; isLittleEndian && uintptr(first)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(first), n), nil
	}
	numbers := make([]T, n)
	if _, err := binary.Decode(data, binary.LittleEndian, numbers); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return numbers, nil
}

// encodeNumbers returns the little-endian bytes of numbers.
func encodeNumbers[T number](numbers []T) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // slices of numbers of fixed size never fail
	}
	return data
}

// encodeCounts returns the varints of counts. Most counts are small.
func encodeCounts(counts []uint32) []byte {
	var data []byte
	for _, n := range counts {
		data = binary.AppendUvarint(data, uint64(n))
	}
	return data
}

// decodeCounts returns the n varints at the beginning of data, and the rest of data.
func decodeCounts(data []byte, n int) (counts []uint32, rest []byte, err error) {
	if n > len(data) {
		return nil, nil, ErrDamaged
	}
	counts = make([]uint32, n)
	for i := range counts {
		count, size := binary.Uvarint(data)
		if size <= 0 || count > 1<<32-1 {
			return nil, nil, ErrDamaged
		}
		counts[i], data = uint32(count), data[size:]
	}
	return counts, data, nil
}

// encodeTexts returns the sizes of all texts, followed by the texts.
func encodeTexts(texts []string) []byte {
	sizes := make([]uint32, len(texts))
	for i, t := range texts {
		sizes[i] = uint32(len(t))
	}
	return append(encodeCounts(sizes), strings.Join(texts, "")...)
}

// decodeTexts returns the n texts of data.
func decodeTexts(data []byte, n int) ([]string, error) {
	sizes, rest, err := decodeCounts(data, n)
	if err != nil {
		return nil, fmt.Errorf("%w: section TEXT is not for %d terms", ErrDamaged, n)
	}
	text := string(rest)
	texts := make([]string, n)
	for i, size := range sizes {
		if uint64(size) > uint64(len(text)) {
			return nil, fmt.Errorf("%w: section TEXT ends at term %d", ErrDamaged, i)
		}
		texts[i], text = text[:size], text[size:]
	}
	if text != "" {
		return nil, fmt.Errorf("%w: section TEXT has %d bytes too many", ErrDamaged, len(text))
	}
	return texts, nil
}
