package filter

import (
	"encoding/binary"
	"fmt"
	"math"
)

// decodeCounts returns the n varints that are data.
func decodeCounts(data []byte, n int) ([]uint32, error) {
	if n > len(data) {
		return nil, ErrDamaged
	}
	counts := make([]uint32, n)
	for i := range counts {
		count, size := binary.Uvarint(data)
		if size <= 0 || count > math.MaxUint32 {
			return nil, ErrDamaged
		}
		counts[i], data = uint32(count), data[size:]
	}
	if len(data) > 0 {
		return nil, ErrDamaged
	}
	return counts, nil
}

// appendText appends a text behind its size.
func appendText(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// decodeTexts returns the n texts of data, which it keeps.
func decodeTexts(data []byte, n int) (text func(i int) []byte, err error) {
	if n > len(data) || uint64(len(data)) > math.MaxUint32 {
		return nil, fmt.Errorf("%w: section TEXT of %d bytes is not for %d terms", ErrDamaged, len(data), n)
	}
	starts, end := make([]uint32, n+1), uint64(0)
	for i := range n {
		starts[i] = uint32(end)
		size, width := binary.Uvarint(data[end:])
		if width <= 0 || size > uint64(len(data))-end-uint64(width) {
			return nil, fmt.Errorf("%w: section TEXT ends at term %d", ErrDamaged, i)
		}
		end += uint64(width) + size
	}
	if left := uint64(len(data)) - end; left > 0 {
		return nil, fmt.Errorf("%w: section TEXT has %d bytes too many", ErrDamaged, left)
	}
	starts[n] = uint32(end)
	return func(i int) []byte {
		text := data[starts[i]:starts[i+1]:starts[i+1]]
		_, width := binary.Uvarint(text)
		return text[width:]
	}, nil
}
