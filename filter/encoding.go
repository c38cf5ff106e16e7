package filter

import (
	"encoding/binary"
	"fmt"
	"strings"

	"chaff/internal/littleendian"
)

// decodeNumbers returns the little-endian numbers in data, in place if possible. An error of reading the data is returned as it is.
func decodeNumbers[T littleendian.Number](data []byte, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	numbers, err := littleendian.Decode[T](data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return numbers, nil
}

// encodeNumbers returns the little-endian bytes of numbers.
func encodeNumbers[T littleendian.Number](numbers []T) []byte {
	return littleendian.Append(nil, numbers)
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
