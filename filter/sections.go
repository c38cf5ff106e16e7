package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// The container of the model file: a table of named, checksummed sections. docs/formats.md describes it byte by byte.

// Versions of the format:
//
//	1  first
//	2  settings have a calibration; what classifying does not need is in INFO
//	3  of a term's hash 32 bits are kept beside its prefix; the texts of terms may be left out
//	4  settings have a form; of a model on evidence the weights of the cells come before those of the terms
//	5  terms are hashed under a key, which is in the settings; their ids are in the table beside the keys of the look-up
//	6  each sum of a table is that of 32 entries
const formatVersion = 6

const (
	magic       = "\x89CHAFF\r\n"
	headerSize  = 24
	entrySize   = 32
	maxSections = 64
)

// What is wrong with a file that cannot be used as a model.
var (
	// ErrNotModel is returned for a file that is something else.
	ErrNotModel = errors.New("not a chaff model")
	// ErrTruncated is returned for a model whose end is missing.
	ErrTruncated = errors.New("model is truncated")
	// ErrDamaged is returned for a model whose bytes have changed since it was written.
	ErrDamaged = errors.New("model is damaged")
	// ErrChanged is returned for a model that somebody rewrote while it was in use.
	ErrChanged = errors.New("model was changed while it was read")
	// ErrVersion is returned for a model of another version of the program.
	ErrVersion = errors.New("model is of another version")
)

// section is one named part of a model file.
type section struct {
	name string // four letters
	data []byte
}

// encodeSections returns the bytes of a model file with the given sections.
func encodeSections(sections []section) []byte {
	table := headerSize + entrySize*len(sections)
	size := align(table + 8)
	for _, s := range sections {
		size += align(len(s.data))
	}
	file := make([]byte, table, size)
	copy(file, magic)
	le := binary.LittleEndian
	le.PutUint32(file[8:], formatVersion)
	le.PutUint32(file[12:], uint32(len(sections)))
	le.PutUint64(file[16:], uint64(size))
	offset := align(table + 8)
	for i, s := range sections {
		entry := file[headerSize+entrySize*i:]
		copy(entry, s.name)
		le.PutUint64(entry[8:], uint64(offset))
		le.PutUint64(entry[16:], uint64(len(s.data)))
		le.PutUint64(entry[24:], xxhash.Sum64(s.data))
		offset += align(len(s.data))
	}
	file = le.AppendUint64(file, xxhash.Sum64(file))
	for _, s := range sections {
		file = pad(file)
		file = append(file, s.data...)
	}
	return pad(file)
}

func align(n int) int { return (n + 7) &^ 7 }

func pad(file []byte) []byte {
	return append(file, make([]byte, align(len(file))-len(file))...)
}

// sections gives the parts of a model file that was read or mapped.
type sections struct {
	file  []byte
	names []string
	spans []span
}

type span struct{ offset, size, sum uint64 }

// decodeSections reads the table of a model file; the sections themselves are verified when they are asked for.
func decodeSections(file []byte) (*sections, error) {
	if len(file) < len(magic) || string(file[:len(magic)]) != magic {
		if len(file) > 0 && bytes.HasPrefix([]byte(magic), file) {
			return nil, ErrTruncated
		}
		return nil, ErrNotModel
	}
	if len(file) < headerSize {
		return nil, ErrTruncated
	}
	le := binary.LittleEndian
	if v := le.Uint32(file[8:]); v != formatVersion {
		return nil, fmt.Errorf("%w: its format is %d, this program reads %d", ErrVersion, v, formatVersion)
	}
	n := le.Uint32(file[12:])
	if n > maxSections {
		return nil, fmt.Errorf("%w: section table", ErrDamaged)
	}
	table := headerSize + entrySize*int(n)
	if size := le.Uint64(file[16:]); uint64(len(file)) < size || len(file) < table+8 {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrTruncated, len(file), size)
	} else if uint64(len(file)) > size {
		return nil, fmt.Errorf("%w: %d bytes more than were written", ErrDamaged, uint64(len(file))-size)
	}
	if le.Uint64(file[table:]) != xxhash.Sum64(file[:table]) {
		return nil, fmt.Errorf("%w: section table", ErrDamaged)
	}
	s := &sections{file: file}
	for i := range int(n) {
		entry := file[headerSize+entrySize*i:]
		sp := span{le.Uint64(entry[8:]), le.Uint64(entry[16:]), le.Uint64(entry[24:])}
		if sp.offset%8 != 0 || sp.offset > uint64(len(file)) || sp.size > uint64(len(file))-sp.offset {
			return nil, fmt.Errorf("%w: section table", ErrDamaged)
		}
		s.names = append(s.names, string(entry[:4]))
		s.spans = append(s.spans, sp)
	}
	return s, nil
}

// has says whether there is a section of this name.
func (s *sections) has(name string) bool { return slices.Contains(s.names, name) }

// get returns a section after verifying its checksum.
func (s *sections) get(name string) ([]byte, error) {
	data, err := s.unverified(name)
	if err != nil {
		return nil, err
	}
	if xxhash.Sum64(data) != s.spans[slices.Index(s.names, name)].sum {
		return nil, fmt.Errorf("%w: section %s", ErrDamaged, name)
	}
	return data, nil
}

// unverified returns a section as it is.
func (s *sections) unverified(name string) ([]byte, error) {
	i := slices.Index(s.names, name)
	if i < 0 {
		return nil, fmt.Errorf("%w: section %s is missing", ErrDamaged, name)
	}
	sp := s.spans[i]
	return s.file[sp.offset : sp.offset+sp.size : sp.offset+sp.size], nil
}
