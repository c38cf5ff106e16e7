package hashtable

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// find returns the number of a hash, or -1.
func (t *Table) find(hash uint64) int {
	var number [1]int32
	t.FindAll(number[:], []uint64{hash})
	return int(number[0])
}

func FuzzTable(f *testing.F) {
	f.Add([]byte{}, uint16(0))
	f.Add([]byte{1, 2, 3, 1, 0, 255}, uint16(3))
	f.Add([]byte{1, 1, 1}, uint16(5000))
	var table Table
	f.Fuzz(func(t *testing.T, data []byte, more uint16) {
		hashes := make([]uint64, 0, len(data)+int(more))
		for i := range data {
			var word [8]byte
			copy(word[:], data[i:min(i+1+i%8, len(data))])
			hashes = append(hashes, binary.LittleEndian.Uint64(word[:]))
		}
		for n := range uint64(more) { // enough to make the table grow
			hashes = append(hashes, n*n<<20)
		}
		table.Reset()
		if table.find(0) >= 0 || len(table.Hashes) != 0 {
			t.Fatal("an empty table has a hash")
		}
		want := make(map[uint64]int)
		for _, hash := range hashes {
			number, known := want[hash]
			if !known {
				number = len(want)
				want[hash] = number
			}
			if got, added := table.Add(hash); got != number || added == known {
				t.Fatalf("hash %x: got number %d, added %v; want %d, %v", hash, got, added, number, !known)
			}
		}
		if len(table.Hashes) != len(want) {
			t.Fatalf("%d hashes, want %d", len(table.Hashes), len(want))
		}
		for hash, number := range want {
			if table.find(hash) != number || table.Hashes[number] != hash {
				t.Fatalf("hash %x: found %d, want %d", hash, table.find(hash), number)
			}
			if _, known := want[^hash]; !known && table.find(^hash) >= 0 {
				t.Fatalf("hash %x is found and was not added", ^hash)
			}
		}
		var numbers [MaxBatch]int32
		for batch := range slices.Chunk(append(hashes, 12345), MaxBatch) {
			table.FindAll(numbers[:], batch)
			for i, hash := range batch {
				number, known := want[hash]
				if !known {
					number = -1
				}
				if int(numbers[i]) != number {
					t.Fatalf("hash %x: got number %d, want %d", hash, numbers[i], number)
				}
			}
		}
	})
}

func TestNoChoiceOfHashesMakesATableSlow(t *testing.T) {
	const n = 200_000
	random := rand.New(rand.NewPCG(1, 0))
	tests := map[string]func(i uint64) uint64{
		"the first bits are equal":             func(uint64) uint64 { return 0xabc<<52 | random.Uint64()>>12 },
		"the last bits are equal":              func(uint64) uint64 { return random.Uint64()<<20 | 0xabcde },
		"hashes follow one another":            func(i uint64) uint64 { return i },
		"hashes follow one another from above": func(i uint64) uint64 { return ^i },
		"only bits in the middle differ":       func(i uint64) uint64 { return i << 24 },
		"only the first bits differ":           func(i uint64) uint64 { return i << 44 },
		"the distance is the same":             func(i uint64) uint64 { return i * 0x123456789abcdef1 },
		// The factor is the inverse of the one in place.
		"the products agree": func(uint64) uint64 { return (0xabc<<52 | random.Uint64()>>12) * 0xf1de83e19937733d },
	}
	for name, hash := range tests {
		t.Run(name, func(t *testing.T) {
			var table Table
			for i := range uint64(n) {
				table.Add(hash(i))
			}
			distance, first := uint64(0), 0
			for _, hash := range table.Hashes {
				at, _, _ := table.probe(hash)
				from := (at - table.place(hash)>>table.shift) & uint64(len(table.slots)-1)
				distance += from
				if from == 0 {
					first++
				}
			}
			// Random hashes are 1.5 slots away at the largest load.
			if mean := float64(distance) / float64(len(table.Hashes)); mean > 8 {
				t.Errorf("hashes are %.1f slots away from their own on average, want at most 8", mean)
			}
			if 2*first < len(table.Hashes) {
				t.Errorf("%d of %d hashes are in their first slot", first, len(table.Hashes))
			}
		})
	}
}

func TestATableGivesSlotsBack(t *testing.T) {
	var table Table
	for i := range uint64(100_000) {
		table.Add(i)
	}
	for range 2 {
		table.Reset()
	}
	if len(table.slots) != minSlots {
		t.Errorf("%d slots after an empty round, want %d", len(table.slots), minSlots)
	}
}

// BenchmarkTable numbers the hashes of documents that share half of them.
func BenchmarkTable(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 0))
	hashes := make([]uint64, 1000)
	for i := range hashes {
		hashes[i] = random.Uint64N(uint64(len(hashes)))
	}
	var table Table
	b.ReportAllocs()
	for b.Loop() {
		table.Reset()
		for _, hash := range hashes {
			table.Add(hash)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(hashes)), "ns/hash")
}
