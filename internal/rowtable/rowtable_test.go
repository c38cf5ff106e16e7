package rowtable

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

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

// tableOf returns the table in a file, given the checksum of its index.
func tableOf(index, rows []byte, sum uint64) Table {
	file := slices.Concat(index, rows)
	return Table{
		Scan: func(buffer *[]byte, do func(data []byte)) error {
			good, err := sections.Scan(bytes.NewReader(file), 0, int64(len(index)), sum, buffer, do)
			if err == nil && !good {
				err = ErrDamaged
			}
			return err
		},
		File: bytes.NewReader(file), Start: int64(len(index)), End: int64(len(file)), Size: rowSize,
	}
}

// indexOf returns the index of ascending ids with rows of one size, one after the other.
func indexOf(ids []uint32, rows []byte) []byte {
	var x Index
	size := len(rows) / max(len(ids), 1)
	for number := uint32(0); len(ids) > 0; number++ {
		has, n := uint64(0), 0
		for ; n < len(ids) && ids[n]/BlockIDs == number; n++ {
			has |= 1 << (ids[n] % BlockIDs)
		}
		x.Add(has, rows[:n*size])
		ids, rows = ids[n:], rows[n*size:]
	}
	return x.Bytes()
}

func TestTheRowsOfIDsAreFound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{0, 1, 63, 64, 65, 5000, 90_000} {
		ids, rows := someRows(random, n, 100_000)
		index := indexOf(ids, rows)
		table := tableOf(index, rows, xxhash.Sum64(index))
		for _, few := range []int{0, 1, 10, 1000, 100_000} {
			wanted, _ := someRows(random, few, 100_000)
			found := make(map[uint32]bool)
			err := table.Find(wanted, new([]byte), func(i int, row []byte) {
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
		var allIDs []uint32
		var all []byte
		err := table.Each(func(id uint32, row []byte) error {
			allIDs, all = append(allIDs, id), append(all, row...)
			return nil
		})
		if err != nil || !slices.Equal(allIDs, ids) || !bytes.Equal(all, rows) {
			t.Fatalf("%d ids: got %d, %v", n, len(allIDs), err)
		}
	}
}

func TestAnIndexMadeBlockByBlockIsTheSame(t *testing.T) {
	ids, rows := someRows(rand.New(rand.NewPCG(2, 0)), 300, 1000)
	var x Index
	for number := range Blocks(int(ids[len(ids)-1]) + 1) {
		has, of := uint64(0), []byte(nil)
		for i, id := range ids {
			if int(id)/BlockIDs == number {
				has |= 1 << (id % BlockIDs)
				of = append(of, rows[i*rowSize:][:rowSize]...)
			}
		}
		x.Add(has, of)
	}
	if !bytes.Equal(x.Bytes(), indexOf(ids, rows)) {
		t.Error("the indexes differ")
	}
}

func TestDamageIsFoundBeforeARowIsUsed(t *testing.T) {
	ids, rows := someRows(rand.New(rand.NewPCG(3, 0)), 100, 400)
	index := indexOf(ids, rows)
	sum := xxhash.Sum64(index)
	for i := range len(index) + len(rows) {
		file := slices.Concat(index, rows)
		file[i] ^= 4
		table := tableOf(file[:len(index)], file[len(index):], sum)
		right := true
		err := table.Find(ids, new([]byte), func(i int, row []byte) {
			right = right && bytes.Equal(row, rows[i*rowSize:][:rowSize])
		})
		if !errors.Is(err, ErrDamaged) || !right {
			t.Errorf("byte %d: %v, rows as they were: %v", i, err, right)
		}
		if err := table.Each(func(uint32, []byte) error { return nil }); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d, all rows: %v", i, err)
		}
	}
	failed := errors.New("enough")
	if err := tableOf(index, rows, sum).Each(func(uint32, []byte) error { return failed }); err != failed {
		t.Errorf("got %v, want the error of the caller", err)
	}
}

// FuzzTable checks that an index of any bytes, whose checksum is right, gives rows or an error.
func FuzzTable(f *testing.F) {
	ids, rows := someRows(rand.New(rand.NewPCG(4, 0)), 40, 300)
	f.Add(indexOf(ids, rows), rows, uint16(1))
	f.Add(bytes.Repeat([]byte{255}, 64), rows, uint16(0))
	f.Fuzz(func(t *testing.T, index, rows []byte, some uint16) {
		index = index[:len(index)/EntrySize*EntrySize]
		table := tableOf(index, rows, xxhash.Sum64(index))
		check := func(err error) {
			if err != nil && err != io.EOF && !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
		}
		wanted := []uint32{uint32(some), uint32(some) + 1, uint32(some) + 500, 1 << 31}
		check(table.Find(wanted, new([]byte), func(_ int, row []byte) {
			if len(row) != rowSize {
				t.Errorf("a row of %d bytes", len(row))
			}
		}))
		last := int64(-1)
		check(table.Each(func(id uint32, _ []byte) error {
			if int64(id) <= last {
				t.Errorf("id %d behind %d", id, last)
			}
			last = int64(id)
			return nil
		}))
	})
}
