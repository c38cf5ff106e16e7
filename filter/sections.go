package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A model file is a table of named, checksummed sections. docs/formats.md describes it byte by byte. Versions of the format:
//
//	1  first version
//	2  settings have a calibration; INFO has what classification does not need
//	3  a term has 32 bits of its hash and a prefix; the texts of terms are optional
//	4  settings have a form; the weights of cells precede those of terms
//	5  terms are hashed under a key; the table of terms has their ids
//	6  a checksum of a table covers 32 entries
const formatVersion = 6

const (
	magic       = "\x89CHAFF\r\n"
	headerSize  = 24
	entrySize   = 32
	maxSections = 64
)

// Reasons why a file cannot be used as a model.
var (
	// ErrNotModel is returned for a file of another kind.
	ErrNotModel = errors.New("not a chaff model")
	// ErrTruncated is returned for a model whose end is missing.
	ErrTruncated = errors.New("model is truncated")
	// ErrDamaged is returned for a model whose bytes have changed since it was written.
	ErrDamaged = errors.New("model is damaged")
	// ErrChanged is returned for a model that was rewritten while it was in use.
	ErrChanged = errors.New("model was changed while it was read")
	// ErrVersion is returned for a model of another version of the program.
	ErrVersion = errors.New("model is of another version")
)

// section is a named part of a model file.
type section struct {
	name string // four letters
	data []byte
}

// encodeSections returns a model file of sections.
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

// modelFile is a model file in memory.
type modelFile struct {
	data    []byte
	entries []entry
}

// entry describes a section.
type entry struct {
	name              string
	offset, size, sum uint64
}

// decodeSections reads the table of a model file. It does not verify the sections.
func decodeSections(file []byte) (*modelFile, error) {
	switch {
	case len(file) > 0 && len(file) < len(magic) && strings.HasPrefix(magic, string(file)):
		return nil, ErrTruncated
	case !bytes.HasPrefix(file, []byte(magic)):
		return nil, ErrNotModel
	case len(file) < headerSize:
		return nil, ErrTruncated
	}
	le := binary.LittleEndian
	if v := le.Uint32(file[8:]); v != formatVersion {
		return nil, fmt.Errorf("%w: its format is %d, this program reads %d", ErrVersion, v, formatVersion)
	}
	damagedTable := fmt.Errorf("%w: section table", ErrDamaged)
	n := le.Uint32(file[12:])
	if n > maxSections {
		return nil, damagedTable
	}
	table := headerSize + entrySize*int(n)
	if size := le.Uint64(file[16:]); uint64(len(file)) < size || len(file) < table+8 {
		return nil, fmt.Errorf("%w: %d bytes of %d", ErrTruncated, len(file), size)
	} else if uint64(len(file)) > size {
		return nil, fmt.Errorf("%w: %d bytes more than were written", ErrDamaged, uint64(len(file))-size)
	}
	if le.Uint64(file[table:]) != xxhash.Sum64(file[:table]) {
		return nil, damagedTable
	}
	f := &modelFile{data: file}
	for raw := range slices.Chunk(file[headerSize:table], entrySize) {
		e := entry{string(raw[:4]), le.Uint64(raw[8:]), le.Uint64(raw[16:]), le.Uint64(raw[24:])}
		if e.offset%8 != 0 || e.offset > uint64(len(file)) || e.size > uint64(len(file))-e.offset {
			return nil, damagedTable
		}
		f.entries = append(f.entries, e)
	}
	return f, nil
}

// has reports whether the file has a section.
func (f *modelFile) has(name string) bool {
	return slices.ContainsFunc(f.entries, func(e entry) bool { return e.name == name })
}

// section returns a section after verifying its checksum.
func (f *modelFile) section(name string) ([]byte, error) {
	data, sum, err := f.find(name)
	if err == nil && xxhash.Sum64(data) != sum {
		return nil, fmt.Errorf("%w: section %s", ErrDamaged, name)
	}
	return data, err
}

// unverified returns a section without verifying its checksum.
func (f *modelFile) unverified(name string) ([]byte, error) {
	data, _, err := f.find(name)
	return data, err
}

func (f *modelFile) find(name string) (data []byte, sum uint64, err error) {
	for _, e := range f.entries {
		if e.name == name {
			return f.data[e.offset : e.offset+e.size : e.offset+e.size], e.sum, nil
		}
	}
	return nil, 0, fmt.Errorf("%w: section %s is missing", ErrDamaged, name)
}
