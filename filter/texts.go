package filter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// ErrNoTexts is returned where the texts of terms are asked for, and the model was saved without them.
var ErrNoTexts = errors.New("the model has no texts of its terms: it was trained with features.texts=false")

// Terms are the terms of a model, by id.
type Terms struct {
	// Texts are the terms as they were made, `subject:offer`.
	Texts []string
	// Documents is in how many training messages each term occurs.
	Documents []uint32
}

// Terms returns the terms of the model. For a filter that was opened they are read from the file and verified; the error
// is about that, or [ErrNoTexts].
func (f *Filter) Terms() (Terms, error) {
	if f.terms != nil {
		return f.terms(), nil
	}
	if !f.file.has("TEXT") {
		return Terms{}, ErrNoTexts
	}
	counts, err := f.file.get("DOCF")
	if err != nil {
		return Terms{}, err
	}
	documents, rest, err := decodeCounts(counts, f.vocabulary.Len())
	if err != nil || len(rest) > 0 {
		return Terms{}, fmt.Errorf("%w: section DOCF is not for %d terms", ErrDamaged, f.vocabulary.Len())
	}
	data, err := f.file.get("TEXT")
	if err != nil {
		return Terms{}, err
	}
	texts, err := decodeTexts(data, f.vocabulary.Len())
	return Terms{Texts: texts, Documents: documents}, err
}

// encodeCounts returns the numbers as varints: most are small.
func encodeCounts(counts []uint32) []byte {
	var data []byte
	for _, n := range counts {
		data = binary.AppendUvarint(data, uint64(n))
	}
	return data
}

// decodeCounts returns n numbers that data begins with, and what comes after them.
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

// encodeTexts returns the sizes of all texts, and then the texts.
func encodeTexts(texts []string) []byte {
	sizes := make([]uint32, len(texts))
	for i, t := range texts {
		sizes[i] = uint32(len(t))
	}
	return append(encodeCounts(sizes), strings.Join(texts, "")...)
}

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
