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

	"chaff/internal/parallel"
)

// dictionary numbers the terms of a corpus in the order in which they come, and keeps the hash and the text of each once.
// Several goroutines fill it at the same time: terms are divided between shards, each under its own lock, and a document visits
// each shard once. So there is one dictionary whatever the number of workers, and nothing to merge. The numbers depend on which
// goroutine comes first, so no result may depend on them.
//
// The first bits of the place of a hash are the shard, those that follow the slot.
//
// All memory is in pieces of a fixed size, so that growing copies nothing but the slots, four bytes a term or two.
type dictionary struct {
	places places
	shards [shardCount]shard
}

// newDictionary returns an empty dictionary.
func newDictionary() *dictionary {
	d := &dictionary{places: newPlaces()}
	for s := range d.shards {
		d.shards[s].places = d.places
	}
	return d
}

const (
	shardBits  = 5
	shardCount = 1 << shardBits

	// A slot is 1 + the number of a term within its shard, and below it the last bits of the hash: with them a look-up
	// nearly always reads no other term than its own.
	tagBits       = 10
	tagMask       = 1<<tagBits - 1
	maxShardTerms = 1<<(32-tagBits) - 1

	termChunkBits = 10 // 1024 terms, 16 KB
	termChunk     = 1 << termChunkBits
	textChunkBits = 14 // 16 KB
	textChunk     = 1 << textChunkBits

	// groupMask is the bits of the check of a term that are its group of evidence.
	groupMask = 1<<3 - 1
)

// errTooManyTerms is for a corpus that has more different terms than numbers.
var errTooManyTerms = errors.New("more than 100 million different terms")

type shard struct {
	mu     sync.Mutex
	places places
	slots  []uint32 // a hash table with open addressing, by the bits of the place that follow those of the shard; 0 is free
	shift  uint     // of a place without the bits of the shard, to its slot
	terms  [][]term // in chunks
	count  int
	texts  [][]byte // in chunks: each text after its length
}

type term struct {
	hash  uint64
	check uint32 // of the text, and in its last bits the group
	text  uint32 // where it is: the chunk and the place in it
}

// sharded is the terms of a document in the order of their shards.
type sharded struct {
	order []uint32 // the terms by their places in the document
	shard []uint8  // of each term of the document
}

// divide divides the terms between the shards, and returns where in the order those of each shard begin.
func (x *sharded) divide(hashes []uint64, places places) (starts [shardCount + 1]uint32) {
	x.shard = x.shard[:0]
	for _, hash := range hashes {
		s := uint8(places.of(hash) >> (64 - shardBits))
		x.shard = append(x.shard, s)
		starts[s+1]++
	}
	for s := range shardCount {
		starts[s+1] += starts[s]
	}
	at := starts
	x.order = slices.Grow(x.order[:0], len(hashes))[:len(hashes)]
	for i, s := range x.shard {
		x.order[at[s]] = uint32(i)
		at[s]++
	}
	return starts
}

// numbers fills dst with the numbers of the terms of doc, which was made of b, and makes those known that are not.
func (d *dictionary) numbers(dst []uint32, b *Bag, doc Document, by *sharded) error {
	starts := by.divide(doc.Terms, d.places)
	for s := range d.shards {
		for terms := by.order[starts[s]:starts[s+1]]; len(terms) > 0; {
			batch := terms[:min(lookedUpTogether, len(terms))]
			terms = terms[len(batch):]
			if !d.shards[s].numbers(dst, b, doc, batch, uint32(s)) {
				return errTooManyTerms
			}
		}
	}
	return nil
}

// numbers is [dictionary.numbers] for a few terms, by their places in the document, and the shard of that number. It reports
// whether there were numbers enough.
func (s *shard) numbers(dst []uint32, b *Bag, doc Document, terms []uint32, shard uint32) bool {
	var known [lookedUpTogether]found
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookUp(known[:len(terms)], doc.Terms, terms)
	for k, i := range terms {
		text := b.Text(int(i))
		check := checkOf(text)&^groupMask | uint32(doc.Groups[i])
		n := int(known[k].slot>>tagBits) - 1
		if known[k].slot == 0 || known[k].check != check {
			if n = s.number(doc.Terms[i], check, text); n < 0 {
				return false
			}
		}
		dst[i] = uint32(n)<<shardBits | shard
	}
	return true
}

// lookedUpTogether is how many terms are looked up at a time, at most.
const lookedUpTogether = 32

// found is what a look-up has found: the slot of the term, 0 for none, and the check of its text.
type found struct{ slot, check uint32 }

// lookUp finds the terms, by their places among the hashes, that are in the very slots they belong to. All places in memory are asked for before the first is
// needed, so that the waits for them are one; other terms have to be looked up by number.
func (s *shard) lookUp(known []found, hashes []uint64, terms []uint32) {
	if len(s.slots) == 0 {
		return
	}
	for k, i := range terms {
		known[k].slot = s.slots[s.home(hashes[i])]
	}
	for k, i := range terms {
		if f := &known[k]; f.slot != 0 {
			t := s.term(int(f.slot>>tagBits) - 1)
			f.check = t.check
			if t.hash != hashes[i] {
				f.slot = 0
			}
		}
	}
}

// number returns the number of a term within the shard, or -1 if there is none left.
func (s *shard) number(hash uint64, check uint32, text []byte) int {
	if 4*s.count >= 3*len(s.slots) {
		s.grow()
	}
	mask := len(s.slots) - 1
	i := s.home(hash)
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if uint64(s.slots[i])&tagMask != hash&tagMask {
			continue
		}
		n := int(s.slots[i]>>tagBits) - 1
		t := s.term(n)
		if t.hash != hash {
			continue
		}
		// Of two terms that share a hash the smaller text is kept, so that the order of the messages does not matter.
		if t.check != check && slices.Compare(text, s.text(n)) < 0 {
			t.check, t.text = check, s.keep(text)
		}
		return n
	}
	n := s.count
	if n == maxShardTerms {
		return -1
	}
	if n%termChunk == 0 {
		s.terms = append(s.terms, make([]term, termChunk))
	}
	s.count++
	*s.term(n) = term{hash: hash, check: check, text: s.keep(text)}
	s.slots[i] = uint32(n+1)<<tagBits | uint32(hash&tagMask)
	return n
}

func (s *shard) term(n int) *term { return &s.terms[n>>termChunkBits][n&(termChunk-1)] }

// home is the slot that a hash belongs to.
func (s *shard) home(hash uint64) int { return int(s.places.of(hash) << shardBits >> s.shift) }

func (s *shard) grow() {
	old := s.slots
	size := max(64, 2*len(old))
	s.slots = make([]uint32, size)
	s.shift = 64
	for n := size; n > 1; n /= 2 {
		s.shift--
	}
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		i := s.home(s.term(int(slot>>tagBits) - 1).hash)
		for s.slots[i] != 0 {
			i = (i + 1) & (size - 1)
		}
		s.slots[i] = slot
	}
}

// checkOf is a second hash of a term, by its length and its ends, by which two terms that share the first are told apart.
func checkOf(text []byte) uint32 {
	var first, last uint64
	if len(text) >= 8 {
		first, last = binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[len(text)-8:])
	} else {
		for _, c := range text {
			first = first<<8 | uint64(c)
		}
	}
	const odd, odder = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	check := (first ^ uint64(len(text))*odder) * odd
	return uint32(((check ^ check>>32 ^ last) * odder) >> 32)
}

// keep copies a text, and returns where it is. One that fits into no chunk has its own.
func (s *shard) keep(text []byte) uint32 {
	var length [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(length[:], uint64(len(text)))
	last := len(s.texts) - 1
	if last < 0 || len(s.texts[last])+size+len(text) > cap(s.texts[last]) {
		s.texts = append(s.texts, make([]byte, 0, max(textChunk, size+len(text))))
		last++
	}
	chunk := s.texts[last]
	at := len(chunk)
	chunk = append(chunk, length[:size]...)
	s.texts[last] = append(chunk, text...)
	return uint32(last)<<textChunkBits | uint32(at)
}

// text is the text of a term by its number within the shard.
func (s *shard) text(n int) []byte {
	at := s.term(n).text
	chunk := s.texts[at>>textChunkBits][at&(textChunk-1):]
	length, size := binary.Uvarint(chunk)
	return chunk[size:][:length]
}

// complete frees what only writing needs. No term can be added after it.
func (d *dictionary) complete() {
	for s := range d.shards {
		d.shards[s].slots = nil
	}
}

// size is more than the largest number there is.
func (d *dictionary) size() int {
	most := 0
	for s := range d.shards {
		most = max(most, d.shards[s].count)
	}
	return most << shardBits
}

// len returns how many terms there are.
func (d *dictionary) len() int {
	n := 0
	for s := range d.shards {
		n += d.shards[s].count
	}
	return n
}

// hash returns the hash of a term by its number.
func (d *dictionary) hash(number uint32) uint64 {
	return d.shards[number%shardCount].term(int(number >> shardBits)).hash
}

// group returns the group of evidence of a term by its number.
func (d *dictionary) group(number uint32) Group {
	return Group(d.shards[number%shardCount].term(int(number>>shardBits)).check & groupMask)
}

// numberBits is how many bits a number has.
const numberBits = shardBits + 32 - tagBits

// ordered returns the numbers of the terms that are wanted, in the order of an unkeyed hash of their texts, and of the texts where
// these are the same.
func (d *dictionary) ordered(workers int, wanted func(number uint32) bool) []uint32 {
	var shards [shardCount][]uint64 // of each term the first bits of the hash, and the number
	parallel.Each(workers, shardCount, func(at int) {
		d.each(at, func(number uint32) {
			if wanted(number) {
				shards[at] = append(shards[at], d.plainHash(number)>>numberBits<<numberBits|uint64(number))
			}
		})
	})
	terms := slices.Concat(shards[:]...)
	spare := make([]uint64, len(terms))
	for shift := numberBits; shift < 64; shift += digitBits {
		sortByDigit(spare, terms, uint(shift))
		terms, spare = spare, terms
	}
	numbers := make([]uint32, len(terms))
	for i, term := range terms {
		numbers[i] = uint32(term & (1<<numberBits - 1))
	}
	for i := 0; i < len(terms); {
		from := i
		for i++; i < len(terms) && terms[i]>>numberBits == terms[from]>>numberBits; i++ {
		}
		if i-from > 1 {
			slices.SortFunc(numbers[from:i], func(x, y uint32) int {
				return cmp.Or(cmp.Compare(d.plainHash(x), d.plainHash(y)), bytes.Compare(d.text(x), d.text(y)))
			})
		}
	}
	return numbers
}

// text is the text of a term by its number.
func (d *dictionary) text(number uint32) []byte {
	return d.shards[number%shardCount].text(int(number >> shardBits))
}

// plainHash is a hash of the text of a term under no key.
func (d *dictionary) plainHash(number uint32) uint64 { return xxhash.Sum64(d.text(number)) }

// textsOf returns the texts of terms by the ids that they have, by number. With one
// worker, of terms that share an id the smallest text stands for all.
func (d *dictionary) textsOf(ids []uint32, terms, workers int) []string {
	texts := make([]string, terms)
	parallel.Each(workers, shardCount, func(at int) {
		s := &d.shards[at]
		var piece strings.Builder
		d.each(at, func(number uint32) {
			id := ids[number]
			if id == unknown {
				return
			}
			text := s.text(int(number >> shardBits))
			if texts[id] != "" && texts[id] <= string(text) {
				return
			}
			if piece.Len()+len(text) > piece.Cap() {
				piece = strings.Builder{}
				piece.Grow(max(textChunk, len(text)))
			}
			piece.Write(text)
			texts[id] = piece.String()[piece.Len()-len(text):]
		})
	})
	return texts
}

// each calls do with the numbers of the terms of a shard.
func (d *dictionary) each(at int, do func(number uint32)) {
	for n := range uint32(d.shards[at].count) {
		do(n<<shardBits | uint32(at))
	}
}
