package features

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"

	"chaff/internal/evidence"
	"chaff/internal/hashtable"
	"chaff/internal/parallel"
)

// dictionary numbers the distinct terms of a corpus and keeps the hash, the group and the text of each. Several goroutines fill
// it: terms are divided between shards, each with its own lock, and a document visits each shard once. The numbers depend on
// which goroutine comes first, so no result may depend on them.
type dictionary struct {
	placer hashtable.Placer // decides which shard a hash belongs to
	shards [shardCount]shard
}

func newDictionary() *dictionary { return &dictionary{placer: hashtable.NewPlacer()} }

// The number of a term is its number within the shard, followed by the number of the shard.
const (
	shardBits     = 5
	shardCount    = 1 << shardBits
	shardTermBits = 22
	numberBits    = shardTermBits + shardBits
)

// errTooManyTerms means that a shard has no number left.
var errTooManyTerms = errors.New("more than 100 million different terms")

type shard struct {
	mu    sync.Mutex
	table hashtable.Table
	terms []term   // by number within the shard
	texts [][]byte // in chunks: the length of each text and the text
}

type term struct {
	check uint32 // a hash of the text; its lowest bits are the group instead
	text  uint32 // the chunk and the offset of the text
}

const (
	groupMask = 1<<3 - 1

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

// add sets numbers[i] to the number of term i of the document of b, and adds the terms that are new.
func (d *dictionary) add(numbers []uint32, b *Bag, doc Document, order *shardOrder) error {
	starts := order.sort(doc.Terms, d.placer)
	for s := range d.shards {
		for terms := range slices.Chunk(order.terms[starts[s]:starts[s+1]], hashtable.MaxBatch) {
			if !d.shards[s].add(numbers, b, doc, terms, uint32(s)) {
				return errTooManyTerms
			}
		}
	}
	return nil
}

// add adds a few terms of a document, given by their indices. It reports whether there were numbers for all of them.
func (s *shard) add(numbers []uint32, b *Bag, doc Document, terms []uint32, shard uint32) bool {
	var hashes [hashtable.MaxBatch]uint64
	var checks, known [hashtable.MaxBatch]uint32
	var found [hashtable.MaxBatch]int32
	for k, i := range terms {
		hashes[k] = doc.Terms[i]
		checks[k] = uint32(xxhash.Sum64(b.Text(int(i))))&^groupMask | uint32(doc.Groups[i])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.FindFirst(found[:], hashes[:len(terms)])
	for k := range terms {
		if n := found[k]; n >= 0 {
			known[k] = s.terms[n].check
		}
	}
	for k, i := range terms {
		n := int(found[k])
		if n < 0 || known[k] != checks[k] {
			if n = s.number(hashes[k], checks[k], b.Text(int(i))); n < 0 {
				return false
			}
		}
		numbers[i] = uint32(n)<<shardBits | shard
	}
	return true
}

// number returns the number of a term within the shard, or -1 if there is none left. If two terms share a hash, the smaller text
// stays, whichever comes first.
func (s *shard) number(hash uint64, check uint32, text []byte) int {
	n, added := s.table.Add(hash)
	switch {
	case n >= 1<<shardTermBits:
		return -1
	case added:
		s.terms = append(s.terms, term{check, s.keep(text)})
	case s.terms[n].check != check && bytes.Compare(text, s.text(n)) < 0:
		s.terms[n] = term{check, s.keep(text)}
	}
	return n
}

// keep copies a text and returns where it is. A text that is larger than a chunk has a chunk of its own.
func (s *shard) keep(text []byte) uint32 {
	var length [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(length[:], uint64(len(text)))
	last := len(s.texts) - 1
	if last < 0 || len(s.texts[last])+size+len(text) > cap(s.texts[last]) {
		s.texts = append(s.texts, make([]byte, 0, max(chunkSize, size+len(text))))
		last++
	}
	offset := len(s.texts[last])
	s.texts[last] = append(append(s.texts[last], length[:size]...), text...)
	return uint32(last)<<chunkBits | uint32(offset)
}

// text returns the text of a term by its number within the shard.
func (s *shard) text(n int) []byte {
	at := s.terms[n].text
	chunk := s.texts[at>>chunkBits][at&(chunkSize-1):]
	length, size := binary.Uvarint(chunk)
	return chunk[size:][:length]
}

// size returns a bound above all numbers.
func (d *dictionary) size() int {
	most := 0
	for s := range d.shards {
		most = max(most, len(d.shards[s].terms))
	}
	return most << shardBits
}

// hash returns the hash of a term by its number.
func (d *dictionary) hash(number uint32) uint64 {
	return d.shards[number%shardCount].table.Hashes()[number>>shardBits]
}

// group returns the group of a term by its number.
func (d *dictionary) group(number uint32) evidence.Group {
	return evidence.Group(d.shards[number%shardCount].terms[number>>shardBits].check & groupMask)
}

// text returns the text of a term by its number.
func (d *dictionary) text(number uint32) []byte {
	return d.shards[number%shardCount].text(int(number >> shardBits))
}

// each calls do with the numbers of all terms, from up to so many goroutines. Each shard has one goroutine.
func (d *dictionary) each(workers int, do func(number uint32)) {
	parallel.Each(workers, shardCount, func(s int) {
		for n := range uint32(len(d.shards[s].terms)) {
			do(n<<shardBits | uint32(s))
		}
	})
}

// sorted returns the numbers of the terms that are wanted, in the order of an unkeyed hash of their texts. Texts with equal
// hashes are in the order of the texts.
func (d *dictionary) sorted(workers int, wanted func(number uint32) bool) []uint32 {
	var shards [shardCount][]uint64 // the first bits of the unkeyed hash and the number of each term
	d.each(workers, func(number uint32) {
		if wanted(number) {
			s := &shards[number%shardCount]
			*s = append(*s, xxhash.Sum64(d.text(number))>>numberBits<<numberBits|uint64(number))
		}
	})
	entries, _ := radixSort(slices.Concat(shards[:]...), nil, numberBits, 64)
	numbers := make([]uint32, len(entries))
	for i, entry := range entries {
		numbers[i] = uint32(entry & (1<<numberBits - 1))
	}
	for from, to := 0, 0; from < len(entries); from = to {
		for to = from + 1; to < len(entries) && entries[to]>>numberBits == entries[from]>>numberBits; to++ {
		}
		if to > from+1 { // some of the bits that were sorted by are equal, not all of the hash
			slices.SortFunc(numbers[from:to], func(x, y uint32) int {
				a, b := d.text(x), d.text(y)
				return cmp.Or(cmp.Compare(xxhash.Sum64(a), xxhash.Sum64(b)), bytes.Compare(a, b))
			})
		}
	}
	return numbers
}

// textsByID returns the texts of terms by their ids, which ids has by number. With one worker, the smallest text stands for all
// terms that share an id.
func (d *dictionary) textsByID(ids []uint32, terms, workers int) []string {
	texts := make([]string, terms)
	var chunks [shardCount]strings.Builder // fewer allocations than one for each text
	d.each(workers, func(number uint32) {
		id := ids[number]
		if id == unknown {
			return
		}
		text, chunk := d.text(number), &chunks[number%shardCount]
		if texts[id] != "" && texts[id] <= string(text) {
			return
		}
		if chunk.Len()+len(text) > chunk.Cap() {
			*chunk = strings.Builder{}
			chunk.Grow(max(chunkSize, len(text)))
		}
		chunk.Write(text)
		texts[id] = chunk.String()[chunk.Len()-len(text):]
	})
	return texts
}
