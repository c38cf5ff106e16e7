package features

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"

	"chaff/internal/parallel"
)

// dictionary numbers the terms of a corpus in the order in which they come, and keeps the hash and the text of each once.
// Several goroutines fill it at the same time: terms are divided by the first bits of their hashes between shards, each
// under its own lock, and since the hashes of a document ascend, a document visits each shard once. So there is one
// dictionary whatever the number of workers, and nothing to merge.
//
// All memory is in pieces of a fixed size, so that growing copies nothing but the slots, four bytes a term or two.
type dictionary struct {
	shards [shardCount]shard
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
)

// errTooManyTerms is for a corpus that has more different terms than numbers.
var errTooManyTerms = errors.New("more than 100 million different terms")

type shard struct {
	mu    sync.Mutex
	slots []uint32 // a hash table with open addressing, by the bits of the hash that follow those of the shard; 0 is free
	shift uint     // of a hash without the bits of the shard, to its slot
	terms [][]term // in chunks
	count int
	texts [][]byte // in chunks: each text after its length
	// sorted are the numbers of the terms in the order of their hashes, once the dictionary is complete. They take the
	// place of the slots.
	sorted []uint32
}

type term struct {
	hash  uint64
	check uint32 // of the text, and in its last bits the group
	text  uint32 // where it is: the chunk and the place in it
}

// numbers appends to dst the numbers of the terms of doc, which was made of b, and makes those known that are not.
func (d *dictionary) numbers(dst []uint32, b *Bag, doc Document) ([]uint32, error) {
	for from := 0; from < len(doc.Terms); {
		s := int(doc.Terms[from] >> (64 - shardBits))
		to := from + 1
		for to < len(doc.Terms) && to < from+lookedUpTogether && int(doc.Terms[to]>>(64-shardBits)) == s {
			to++
		}
		var known [lookedUpTogether]found
		shard := &d.shards[s]
		shard.mu.Lock()
		shard.lookUp(known[:to-from], doc.Terms[from:to])
		for i := from; i < to; i++ {
			text := b.Text(i)
			check, k := checkOf(text)&^groupMask|uint32(doc.Groups[i]), known[i-from]
			n := int(k.slot>>tagBits) - 1
			if k.slot == 0 || k.check != check {
				if n = shard.number(doc.Terms[i], check, text); n < 0 {
					shard.mu.Unlock()
					return dst, errTooManyTerms
				}
			}
			dst = append(dst, uint32(n)<<shardBits|uint32(s))
		}
		shard.mu.Unlock()
		from = to
	}
	return dst, nil
}

// lookedUpTogether is how many terms are looked up at a time, at most.
const lookedUpTogether = 32

// found is what a look-up has found: the slot of the term, 0 for none, and the check of its text.
type found struct{ slot, check uint32 }

// lookUp finds the terms that are in the very slots they belong to. All places in memory are asked for before the first is
// needed, so that the waits for them are one; other terms have to be looked up by number.
func (s *shard) lookUp(known []found, hashes []uint64) {
	if len(s.slots) == 0 {
		return
	}
	for i, hash := range hashes {
		known[i].slot = s.slots[s.home(hash)]
	}
	for i, hash := range hashes {
		if k := &known[i]; k.slot != 0 {
			t := s.term(int(k.slot>>tagBits) - 1)
			k.check = t.check
			if t.hash != hash {
				k.slot = 0
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
func (s *shard) home(hash uint64) int { return int(hash << shardBits >> s.shift) }

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

// complete sorts the terms by their hashes. No term can be added after it.
func (d *dictionary) complete(workers int) {
	parallel.Each(workers, shardCount, func(s int) { d.shards[s].sort() })
}

// sort makes of the slots the sorted numbers: they are nearly in this order already, since a slot follows from the first
// bits of a hash.
func (s *shard) sort() {
	sorted := s.slots[:0]
	var wrapped []uint32 // terms that found no place before the end, and went on at the beginning
	beginning := true
	for i, slot := range s.slots {
		switch n := slot>>tagBits - 1; {
		case slot == 0:
			beginning = false
		case beginning && s.home(s.term(int(n)).hash) > i:
			wrapped = append(wrapped, n)
		default:
			sorted = append(sorted, n)
		}
	}
	sorted = append(sorted, wrapped...)
	for i := range sorted {
		n := sorted[i]
		hash := s.term(int(n)).hash
		j := i
		for ; j > 0 && s.term(int(sorted[j-1])).hash > hash; j-- {
			sorted[j] = sorted[j-1]
		}
		sorted[j] = n
	}
	s.slots, s.sorted = nil, slices.Clone(sorted)
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

// textsOf returns the texts of terms by the ids that they have, by number: those of a shard follow on those of the one
// before, in the order of the hashes.
func (d *dictionary) textsOf(ids []uint32, terms, workers int) []string {
	texts := make([]string, terms)
	parallel.Each(workers, shardCount, func(at int) {
		s := &d.shards[at]
		var piece strings.Builder
		s.known(at, ids, func(n int, id uint32) {
			if texts[id] != "" {
				return // of two hashes that are one term the lower one stands for both
			}
			text := s.text(n)
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

// known calls do with the terms that have an id, in the order of their hashes.
func (s *shard) known(at int, ids []uint32, do func(n int, id uint32)) {
	for _, n := range s.sorted {
		if id := ids[n<<shardBits|uint32(at)]; id != unknown {
			do(int(n), id)
		}
	}
}
