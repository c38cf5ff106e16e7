package filter

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"chaff/internal/sections"
)

const rowSize = 5

// someRows returns ascending ids, a few of many, and their rows.
func someRows(random *rand.Rand, n, of int) (ids []uint32, rows []byte) {
	for _, id := range random.Perm(of)[:n] {
		ids = append(ids, uint32(id))
	}
	slices.Sort(ids)
	rows = make([]byte, n*rowSize)
	for i := range rows {
		rows[i] = byte(random.Uint32())
	}
	return ids, rows
}

// tableOf returns the table of an index and rows in a file.
func tableOf(t testing.TB, index, rows []byte) rowTable {
	var file sections.Memory
	w := modelFormat.NewWriter(&file, 1)
	w.Add("STAT", rows)
	w.Close()
	r, err := modelFormat.Open(bytes.NewReader(file), int64(len(file)))
	noError(t, err)
	part, err := r.Part("STAT")
	noError(t, err)
	return rowTable{index, part, rowSize}
}

// indexOf returns the index of ascending ids with rows of one size, one after the other.
func indexOf(ids []uint32, rows []byte) []byte {
	var index []byte
	before := 0
	size := len(rows) / max(len(ids), 1)
	for number := uint32(0); len(ids) > 0; number++ {
		has, n := uint64(0), 0
		for ; n < len(ids) && ids[n]/blockIDs == number; n++ {
			has |= 1 << (ids[n] % blockIDs)
		}
		index = appendBlockEntry(index, has, before, rows[:n*size])
		before += n
		ids, rows = ids[n:], rows[n*size:]
	}
	return index
}

func TestTheRowsOfIDsAreFound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{0, 1, 63, 64, 65, 5000, 90_000} {
		ids, rows := someRows(random, n, 100_000)
		index := indexOf(ids, rows)
		table := tableOf(t, index, rows)
		for _, few := range []int{0, 1, 10, 1000, 100_000} {
			wanted, none := someRows(random, few, 100_000)
			isThere := make([]bool, few)
			for i := range isThere {
				isThere[i] = random.IntN(4) == 0
			}
			got := bytes.Clone(none)
			noError(t, table.read(got, wanted, isThere))
			for i, id := range wanted {
				row := none[i*rowSize:][:rowSize]
				if at, has := slices.BinarySearch(ids, id); has && !isThere[i] {
					row = rows[at*rowSize:][:rowSize]
				}
				if !bytes.Equal(got[i*rowSize:][:rowSize], row) {
					t.Fatalf("%d ids: id %d has the row % x, want % x", n, id, got[i*rowSize:][:rowSize], row)
				}
			}
		}
	}
}

func TestDamagedRowsAreNotUsed(t *testing.T) {
	ids, rows := someRows(rand.New(rand.NewPCG(3, 0)), 100, 400)
	index := indexOf(ids, rows)
	for i := range rows {
		changed := bytes.Clone(rows)
		changed[i] ^= 4
		if err := tableOf(t, index, changed).read(bytes.Clone(rows), ids, make([]bool, len(ids))); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
}

// FuzzTable checks that an index of any bytes, whose checksum is right, gives rows or an error.
func FuzzTable(f *testing.F) {
	ids, rows := someRows(rand.New(rand.NewPCG(4, 0)), 40, 300)
	f.Add(indexOf(ids, rows), rows, uint16(1))
	f.Add(bytes.Repeat([]byte{255}, 64), rows, uint16(0))
	f.Fuzz(func(t *testing.T, index, rows []byte, some uint16) {
		wanted := []uint32{uint32(some), uint32(some) + 1, uint32(some) + 500, 1 << 31}
		err := tableOf(t, index, rows).read(make([]byte, len(wanted)*rowSize), wanted, make([]bool, len(wanted)))
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
	})
}
