package sections

import (
	"bytes"
	"io"
	"testing"
)

// counted counts calls.
type counted struct {
	io.ReaderAt
	calls int
}

func (c *counted) ReadAt(dst []byte, at int64) (int, error) {
	c.calls++
	return c.ReaderAt.ReadAt(dst, at)
}

func TestPartsOfAFileThatLieCloseTogetherTakeFewCalls(t *testing.T) {
	data := make([]byte, 12*maxAhead)
	for i := range data {
		data[i] = byte(i / 7)
	}
	const start = 100
	size := len(data) - 2*start
	file := &counted{ReaderAt: bytes.NewReader(data)}
	a := NewAhead(file, start, int64(len(data)-start), new([]byte))
	read := func(name string, at, n, calls int) {
		t.Helper()
		got, err := a.Read(int64(at), n)
		if err != nil || !bytes.Equal(got, data[start+at:][:n]) || file.calls != calls {
			t.Errorf("%s: %d bytes, %v, %d calls, want %d", name, len(got), err, file.calls, calls)
		}
	}
	read("the first part", 0, 10, 1)
	read("the same again", 0, 10, 1)
	read("the next", 10, 10, 2)
	read("one that was read ahead", 20, 10, 2)
	read("one that is far", 10000, 10, 3)
	read("another that is far", 20000, 10, 4)
	read("a large one", 21000, 2*maxAhead, 5)
	read("the end", size-10, 10, 6)
	read("nothing", size, 0, 6)
	for _, at := range []int64{-1, int64(size), 1 << 62} {
		if got, err := a.Read(at, 1); err != io.EOF {
			t.Errorf("at %d: %d bytes, %v", at, len(got), err)
		}
	}
	file.calls = 0
	for at := 0; at+100 <= size; at += 100 {
		if _, err := a.Read(int64(at), 100); err != nil {
			t.Fatal(err)
		}
	}
	if file.calls > 4*len(data)/maxAhead {
		t.Errorf("%d calls for all of the file", file.calls)
	}
}
