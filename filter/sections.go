package filter

import (
	"errors"

	"chaff/internal/sections"
)

// A model file is a table of named, checksummed sections. docs/formats.md describes it byte by byte. Versions of the format:
//
//	1  first version
//	2  settings have a calibration; INFO has what classification does not need
//	3  a term has 32 bits of its hash and a prefix; the texts of terms are optional
//	4  settings have a form; the weights of cells precede those of terms
//	5  terms are hashed under a key; the table of terms has their ids
//	6  a checksum of a table covers 32 entries
//	7  the size of a text is before it
//	8  a block has the terms of four prefixes with their weights; cells without a weight are left out; settings are no JSON
const formatVersion = 8

func modelFormat() sections.Format {
	return sections.Format{
		Magic: "\x89CHAFF\r\n", Version: formatVersion,
		ErrForeign: ErrNotModel, ErrTruncated: ErrTruncated, ErrDamaged: ErrDamaged, ErrVersion: ErrVersion,
	}
}

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
