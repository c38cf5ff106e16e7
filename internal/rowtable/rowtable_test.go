package rowtable

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
func tableOf(index, rows []byte) Table {
	format := sections.Format{Magic: "\x89TESTS\r\n", ErrDamaged: ErrDamaged}
	var file sections.Memory
	w := format.NewWriter(&file, 2)
	w.Add("ROWS", index)
	w.Add("STAT", rows)
	w.Close()
	r, err := format.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		panic(err)
	}
	t := Table{Size: rowSize}
	t.Index, _ = r.Part("ROWS")
	t.Rows, _ = r.Part("STAT")
	return t
}

// indexOf returns the index of ascending ids with rows of one size, one after the other.
func indexOf(ids []uint32, rows []byte) []byte {
	var index []byte
	before := 0
	size := len(rows) / max(len(ids), 1)
	for number := uint32(0); len(ids) > 0; number++ {
		has, n := uint64(0), 0
		for ; n < len(ids) && ids[n]/BlockIDs == number; n++ {
			has |= 1 << (ids[n] % BlockIDs)
		}
		index = AppendEntry(index, has, before, rows[:n*size])
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
		table := tableOf(index, rows)
		for _, few := range []int{0, 1, 10, 1000, 100_000} {
			wanted, _ := someRows(random, few, 100_000)
			found := make(map[uint32]bool)
			err := table.Find(make([]byte, 1000), wanted, func(i int, row []byte) {
				at, has := slices.BinarySearch(ids, wanted[i])
				if !has || !bytes.Equal(row, rows[at*rowSize:][:rowSize]) {
					t.Fatalf("%d ids: id %d has the row % x", n, wanted[i], row)
				}
				found[wanted[i]] = true
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range wanted {
				if _, has := slices.BinarySearch(ids, id); has != found[id] {
					t.Fatalf("%d ids: id %d was found: %v", n, id, found[id])
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
		right := true
		err := tableOf(index, changed).Find(make([]byte, 1000), ids, func(i int, row []byte) {
			right = right && bytes.Equal(row, rows[i*rowSize:][:rowSize])
		})
		if !errors.Is(err, ErrDamaged) || !right {
			t.Errorf("byte %d: %v, rows as they were: %v", i, err, right)
		}
	}
}

// FuzzTable checks that an index of any bytes, whose checksum is right, gives rows or an error.
func FuzzTable(f *testing.F) {
	ids, rows := someRows(rand.New(rand.NewPCG(4, 0)), 40, 300)
	f.Add(indexOf(ids, rows), rows, uint16(1))
	f.Add(bytes.Repeat([]byte{255}, 64), rows, uint16(0))
	f.Fuzz(func(t *testing.T, index, rows []byte, some uint16) {
		index = index[:len(index)/EntrySize*EntrySize]
		table := tableOf(index, rows)
		check := func(err error) {
			if err != nil && !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
		}
		wanted := []uint32{uint32(some), uint32(some) + 1, uint32(some) + 500, 1 << 31}
		check(table.Find(make([]byte, 1000), wanted, func(_ int, row []byte) {
			if len(row) != rowSize {
				t.Errorf("a row of %d bytes", len(row))
			}
		}))
	})
}
