package filter

import (
	"encoding/binary"
	"fmt"
	"sort"

	"chaff/features"
	"chaff/internal/sections"
)

// Section FREQ repeats the terms that occur in most messages, with their weights: a process for one message finds nearly half of its terms
// there, and reads a block of section TERM only for each of the others. docs/formats.md describes it byte by byte.
//
// It has the mostFrequent terms, but at most one in frequentShare of the vocabulary. With twice as many, one process for a message would
// gain as much as it loses by reading them.
const (
	mostFrequent  = 2048
	frequentShare = 16
)

// frequent is section FREQ: terms in the order of their hashes.
type frequent struct {
	entries []byte
	rows    int
}

// frequentSize is the size of a term in section FREQ: its prefix and key, its id and its rows of weights.
func frequentSize(rows int) int { return 4 + entrySize(rows) }

// frequentIn returns section FREQ of a file, empty if it has none.
func frequentIn(file *sections.Reader, rows int) (frequent, error) {
	if !file.Has("FREQ") {
		return frequent{rows: rows}, nil
	}
	entries, err := file.Section("FREQ")
	if err == nil && len(entries)%frequentSize(rows) != 0 {
		err = fmt.Errorf("%w: section FREQ", ErrDamaged)
	}
	return frequent{entries, rows}, err
}

// encodeFrequent returns section FREQ.
func encodeFrequent(v *features.Vocabulary, areFrequent []bool, weights []float32, rows int) (data []byte) {
	table, starts, le := v.Table(), v.BucketStarts(), binary.LittleEndian
	for prefix := range len(starts) - 1 {
		for i := starts[prefix]; i < starts[prefix+1]; i++ {
			if key, id := table[2*i], table[2*i+1]; areFrequent[id] {
				data = le.AppendUint32(le.AppendUint64(data, identifying(prefix, key)), id)
				data = appendWeights(data, weights[int(id)*rows:][:rows])
			}
		}
	}
	return data
}

// identifying returns the prefix and the key of a term as one number.
func identifying(prefix int, key uint32) uint64 { return uint64(prefix)<<32 | uint64(key) }

func (f frequent) len() int { return len(f.entries) / frequentSize(f.rows) }

// at returns the prefix and the key of a term by its place.
func (f frequent) at(i int) uint64 {
	return binary.LittleEndian.Uint64(f.entries[i*frequentSize(f.rows):])
}

func (f frequent) id(i int) uint32 {
	return binary.LittleEndian.Uint32(f.entries[i*frequentSize(f.rows)+8:])
}

// find returns a term: its id and its weights.
func (f frequent) find(prefix int, key uint32) (id uint32, weights []byte, has bool) {
	bits := identifying(prefix, key)
	i := sort.Search(f.len(), func(i int) bool { return f.at(i) >= bits })
	if i == f.len() || f.at(i) != bits {
		return 0, nil, false
	}
	size := frequentSize(f.rows)
	return f.id(i), f.entries[i*size+12:][:4*f.rows], true
}
