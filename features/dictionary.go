package features

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/evidence"
	"chaff/internal/hashtable"
	"chaff/internal/parallel"
)

// dictionary numbers the distinct terms of a corpus and keeps the hash, the group and the text of each. Several goroutines fill
// it: terms are divided between shards, each with its own lock, and a document visits each shard once. The numbers depend on
// which goroutine comes first, so no result may depend on them. Terms with the same hash are one term and have the text of the first: the
// hash is keyed, and among a million terms the chance of two is 1 in 40 million.
//
// A dictionary without texts keeps the [OrderHash] of each text instead, in eight bytes. Both are the name of a term.
type dictionary struct {
	placer   hashtable.Placer // decides which shard a hash belongs to
	textless bool
	shards   [shardCount]shard
}

func newDictionary(textless bool) *dictionary {
	return &dictionary{placer: hashtable.NewPlacer(), textless: textless}
}

// OrderHash returns the unkeyed hash of the text of a term, which decides the order of the ids.
func OrderHash(text []byte) uint64 { return xxhash.Sum64(text) }

const orderSize = 8 // bytes of an OrderHash

// orderOf returns the OrderHash of a term by its name.
func orderOf(name []byte, textless bool) uint64 {
	if textless {
		return binary.LittleEndian.Uint64(name)
	}
	return OrderHash(name)
}

// nameOf returns the name of a term by its text.
func (d *dictionary) nameOf(text []byte) []byte {
	if d.textless {
		return binary.LittleEndian.AppendUint64(nil, OrderHash(text))
	}
	return text
}

// The number of a term is its number within the shard, followed by the number of the shard.
const (
	shardBits     = 3
	shardCount    = 1 << shardBits
	shardTermBits = 24
	numberBits    = shardTermBits + shardBits
)

// errTooManyTerms means that a shard has no number left.
var errTooManyTerms = errors.New("more than 100 million different terms")

type shard struct {
	mu     sync.Mutex
	table  hashtable.Table
	groups []evidence.Group // by number within the shard, as are names
	names  []uint32         // the chunk and the offset of each name
	chunks [][]byte         // the length of each name and the name
}

const (
	chunkBits = 14
	chunkSize = 1 << chunkBits // bytes
)

// shardOrder is the terms of a document, ordered by shard.
type shardOrder struct {
	terms  []uint32 // indices
	shards []uint8  // of each term of the document
}

// sort orders terms by their shards. The terms of shard s are terms[starts[s]:starts[s+1]].
func (o *shardOrder) sort(hashes []uint64, placer hashtable.Placer) (starts [shardCount + 1]uint32) {
	o.shards = o.shards[:0]
	for _, hash := range hashes {
		s := uint8(placer.Place(hash) >> (64 - shardBits))
		o.shards = append(o.shards, s)
		starts[s+1]++
	}
	for s := range shardCount {
		starts[s+1] += starts[s]
	}
	next := starts
	o.terms = slices.Grow(o.terms[:0], len(hashes))[:len(hashes)]
	for i, s := range o.shards {
		o.terms[next[s]] = uint32(i)
		next[s]++
	}
	return starts
}

// add sets numbers[i] to the number of term i of a document, and adds the terms that are new. name returns the name of a new term, or nil
// if it has none: then it is named after its hash.
func (d *dictionary) add(numbers []uint32, doc Document, name func(i int) []byte, order *shardOrder) error {
	starts := order.sort(doc.Terms, d.placer)
	for s := range d.shards {
		if !d.addTo(uint32(s), order.terms[starts[s]:starts[s+1]], numbers, doc, name) {
			return errTooManyTerms
		}
	}
	return nil
}

// addTo adds the terms of a document that belong to a shard, given by their indices. It reports whether there were numbers for all of them.
func (d *dictionary) addTo(shard uint32, terms []uint32, numbers []uint32, doc Document, name func(i int) []byte) bool {
	s := &d.shards[shard]
	s.mu.Lock()
	defer s.mu.Unlock()
	var hashes [hashtable.MaxBatch]uint64
	var found [hashtable.MaxBatch]int32
	for len(terms) > 0 {
		batch := terms[:min(len(terms), hashtable.MaxBatch)]
		terms = terms[len(batch):]
		for k, i := range batch {
			hashes[k] = doc.Terms[i]
		}
		s.table.FindAll(found[:], hashes[:len(batch)])
		for k, i := range batch {
			n := int(found[k])
			if n < 0 {
				if n = s.add(hashes[k], doc.Groups[i], d.nameOfNew(hashes[k], name(int(i)))); n < 0 {
					return false
				}
			}
			numbers[i] = uint32(n)<<shardBits | shard
		}
	}
	return true
}

// nameOfNew returns the name of a new term, given the one it has or nil.
func (d *dictionary) nameOfNew(hash uint64, name []byte) []byte {
	if name == nil {
		return d.nameOf(fmt.Appendf(nil, "term:%016x", hash))
	}
	return name
}

// add adds a new term and returns its number within the shard, or -1 if there is none left.
func (s *shard) add(hash uint64, group evidence.Group, name []byte) int {
	n, added := s.table.Add(hash)
	switch {
	case n >= 1<<shardTermBits:
		return -1
	case !added: // a document that has a term twice
		return n
	}
	s.groups, s.names = append(s.groups, group), append(s.names, s.keep(name))
	return n
}

// keep copies a name and returns where it is. A name that is larger than a chunk has a chunk of its own.
func (s *shard) keep(name []byte) uint32 {
	var length [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(length[:], uint64(len(name)))
	last := len(s.chunks) - 1
	if last < 0 || len(s.chunks[last])+size+len(name) > cap(s.chunks[last]) {
		s.chunks = append(s.chunks, make([]byte, 0, max(chunkSize, size+len(name))))
		last++
	}
	offset := len(s.chunks[last])
	s.chunks[last] = append(append(s.chunks[last], length[:size]...), name...)
	return uint32(last)<<chunkBits | uint32(offset)
}

// name returns the name of a term by its number within the shard.
func (s *shard) name(n int) []byte {
	at := s.names[n]
	chunk := s.chunks[at>>chunkBits][at&(chunkSize-1):]
	length, size := binary.Uvarint(chunk)
	return chunk[size:][:length]
}

// len returns the number of terms.
func (d *dictionary) len() int {
	n := 0
	for s := range d.shards {
		n += len(d.shards[s].names)
	}
	return n
}

// size returns a bound above all numbers.
func (d *dictionary) size() int {
	most := 0
	for s := range d.shards {
		most = max(most, len(d.shards[s].names))
	}
	return most << shardBits
}

// hash returns the hash of a term by its number.
func (d *dictionary) hash(number uint32) uint64 {
	return d.shards[number%shardCount].table.Hashes()[number>>shardBits]
}

// group returns the group of a term by its number.
func (d *dictionary) group(number uint32) evidence.Group {
	return d.shards[number%shardCount].groups[number>>shardBits]
}

// name returns the name of a term by its number.
func (d *dictionary) name(number uint32) []byte {
	return d.shards[number%shardCount].name(int(number >> shardBits))
}

// order returns the OrderHash of a term by its number.
func (d *dictionary) order(number uint32) uint64 { return orderOf(d.name(number), d.textless) }

// each calls do with the numbers of all terms, from up to so many goroutines. Each shard has one goroutine.
func (d *dictionary) each(workers int, do func(number uint32)) {
	parallel.Each(workers, shardCount, func(s int) {
		for n := range uint32(len(d.shards[s].names)) {
			do(n<<shardBits | uint32(s))
		}
	})
}

// sorted returns the numbers of all terms, in the order of their OrderHash. Terms whose OrderHash is equal are in the order of their
// hashes.
func (d *dictionary) sorted(workers int) []uint32 {
	var starts [shardCount + 1]int
	for s := range d.shards {
		starts[s+1] = starts[s] + len(d.shards[s].names)
	}
	entries := make([]uint64, starts[shardCount]) // the first bits of the OrderHash and the number of each term
	d.each(workers, func(number uint32) {
		entries[starts[number%shardCount]+int(number>>shardBits)] = d.order(number)>>numberBits<<numberBits | uint64(number)
	})
	entries, _ = radixSort(entries, nil, numberBits, 64)
	numbers := make([]uint32, len(entries))
	for i, entry := range entries {
		numbers[i] = uint32(entry & (1<<numberBits - 1))
	}
	for from, to := 0, 0; from < len(entries); from = to {
		for to = from + 1; to < len(entries) && entries[to]>>numberBits == entries[from]>>numberBits; to++ {
		}
		if to > from+1 { // some of the bits that were sorted by are equal, not all of the hash
			slices.SortFunc(numbers[from:to], func(x, y uint32) int {
				return cmp.Or(cmp.Compare(d.order(x), d.order(y)), cmp.Compare(d.hash(x), d.hash(y)))
			})
		}
	}
	return numbers
}
