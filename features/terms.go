package features

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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
	const isNew = math.MaxUint32
	var found [hashtable.MaxBatch]int32
	take(t.mu.TryRLock, t.mu.RLock)
	for from := 0; from < len(hashes); from += len(found) {
		batch := hashes[from:min(from+len(found), len(hashes))]
		t.table.FindAll(found[:], batch)
		for k := range batch {
			numbers[from+k] = uint32(found[k]) // isNew for -1
		}
	}
	t.mu.RUnlock()
	if !slices.Contains(numbers, isNew) {
		return nil
	}
	take(t.mu.TryLock, t.mu.Lock)
	defer t.mu.Unlock()
	for i, number := range numbers {
		if number != isNew {
			continue
		}
		n, added := t.table.Add(hashes[i])
		if numbers[i] = uint32(n); added {
			name := text(i)
			if name == nil {
				name = fmt.Appendf(nil, "term:%016x", hashes[i])
			}
			if err := t.name(n, name); err != nil {
				return err
			}
		}
	}
	t.hashes = t.table.Hashes
	return nil
}

// take takes a lock that others hold for some microseconds. It tries as long before it waits: to wake a goroutine takes ten times that, by which two
// workers lost a tenth of the time of training.
func take(try func() bool, wait func()) {
	for range 2000 {
		if try() {
			return
		}
	}
	wait()
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
		slices.SortFunc(old[from:to], func(x, y uint32) int { // some of the bits that were sorted by are equal, not all of the hash
			return cmp.Or(cmp.Compare(xxhash.Sum64(t.text(x)), xxhash.Sum64(t.text(y))), cmp.Compare(t.hashes[x], t.hashes[y]))
		})
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
