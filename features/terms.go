package features

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/hashtable"
	"chaff/internal/parallel"
)

// terms are the distinct terms of a corpus with their hashes and texts, by number. Several goroutines add them, so the numbers depend
// on which comes first until the terms are sorted by text. Terms with the same hash are one term and have the text of the first: the hash is
// keyed, and among a million terms the chance of two is 1 in 40 million.
type terms struct {
	mu     sync.RWMutex
	table  hashtable.Table // until the terms are sorted
	hashes []uint64
	texts  []uint32 // the chunk and the offset of each text
	chunks [][]byte // the length of each text and the text
}

const (
	chunkBits = 14
	chunkSize = 1 << chunkBits // bytes
	maxChunks = 1 << (32 - chunkBits)

	numberBits = 27
)

// ErrTooManyTerms means that no number is left for a term, or no room for its text.
var ErrTooManyTerms = errors.New("more than 134 million different terms, or 4 GB of their texts")

// add sets numbers[i] to the number of the term with hash i, and adds the terms that are new, with their texts.
func (t *terms) add(numbers []uint32, hashes []uint64, text func(i int) []byte) error {
	var found [hashtable.MaxBatch]int32
	for from := 0; from < len(hashes); from += hashtable.MaxBatch {
		batch := hashes[from:min(from+hashtable.MaxBatch, len(hashes))]
		t.mu.RLock()
		t.table.FindAll(found[:], batch)
		t.mu.RUnlock()
		if slices.Min(found[:len(batch)]) < 0 {
			if err := t.addNew(found[:len(batch)], batch, func(k int) []byte { return text(from + k) }); err != nil {
				return err
			}
		}
		for k := range batch {
			numbers[from+k] = uint32(found[k])
		}
	}
	return nil
}

// addNew sets the negative ones among the numbers of hashes, and adds these terms.
func (t *terms) addNew(numbers []int32, hashes []uint64, text func(k int) []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, number := range numbers {
		if number >= 0 {
			continue
		}
		n, added := t.table.Add(hashes[k])
		if numbers[k] = int32(n); added {
			name := text(k)
			if name == nil {
				name = fmt.Appendf(nil, "term:%016x", hashes[k])
			}
			if err := t.name(n, name); err != nil {
				return err
			}
		}
	}
	t.hashes = t.table.Hashes
	return nil
}

// name copies the text of the term with the greatest number so far, unless there is no room for it. A text that is larger than a chunk has a chunk of its
// own.
func (t *terms) name(number int, text []byte) error {
	var length [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(length[:], uint64(len(text)))
	last := len(t.chunks) - 1
	if last < 0 || len(t.chunks[last])+size+len(text) > cap(t.chunks[last]) {
		t.chunks = append(t.chunks, make([]byte, 0, max(chunkSize, size+len(text))))
		last++
	}
	if number >= 1<<numberBits || last >= maxChunks {
		return ErrTooManyTerms
	}
	t.texts = append(t.texts, uint32(last)<<chunkBits|uint32(len(t.chunks[last])))
	t.chunks[last] = append(append(t.chunks[last], length[:size]...), text...)
	return nil
}

// text returns the text of a term.
func (t *terms) text(number uint32) []byte {
	at := t.texts[number]
	chunk := t.chunks[at>>chunkBits][at&(chunkSize-1):]
	length, size := binary.Uvarint(chunk)
	return chunk[size:][:length]
}

// sort gives the terms new numbers, in the order of the unkeyed hashes of their texts, and those whose texts have the same hash in the order of
// their own hashes. It returns the new numbers by the old ones, or nil if none has changed. No term can be added afterwards.
func (t *terms) sort(workers int) []uint32 {
	t.table = hashtable.Table{}
	entries := make([]uint64, len(t.hashes)) // the first bits of the hash of the text, and the number
	parallel.Ranges(workers, len(entries), 1<<12, func(_, from, to int) {
		for n := from; n < to; n++ {
			entries[n] = xxhash.Sum64(t.text(uint32(n)))>>numberBits<<numberBits | uint64(n)
		}
	})
	entries, _ = radixSort(entries, make([]uint64, len(entries)), numberBits, 64)
	old := make([]uint32, len(entries))
	for n, entry := range entries {
		old[n] = uint32(entry & (1<<numberBits - 1))
	}
	for from, to := 0, 0; from < len(entries); from = to {
		for to = from + 1; to < len(entries) && entries[to]>>numberBits == entries[from]>>numberBits; to++ {
		}
		if to > from+1 { // some of the bits that were sorted by are equal, not all of the hash
			slices.SortFunc(old[from:to], func(x, y uint32) int {
				return cmp.Or(cmp.Compare(xxhash.Sum64(t.text(x)), xxhash.Sum64(t.text(y))), cmp.Compare(t.hashes[x], t.hashes[y]))
			})
		}
	}
	if slices.IsSorted(old) {
		return nil
	}
	hashes, texts, numbers := make([]uint64, len(old)), make([]uint32, len(old)), make([]uint32, len(old))
	for n, was := range old {
		hashes[n], texts[n], numbers[was] = t.hashes[was], t.texts[was], uint32(n)
	}
	t.hashes, t.texts = hashes, texts
	return numbers
}
