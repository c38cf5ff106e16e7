package sections

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

// numbers returns varints, and the numbers that they are.
func numbers(n int) (data []byte, all []uint64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		number := rng.Uint64() >> rng.IntN(64)
		all = append(all, number)
		data = binary.AppendUvarint(data, number)
	}
	return data, all
}

func TestAStreamReturnsWhatWasWritten(t *testing.T) {
	want := make([]byte, 3*bufferSize+5)
	for i := range want {
		want[i] = byte(i ^ i>>8)
	}
	varints, all := numbers(20_000)
	r, err := format().Open(bytes.NewReader(format().Encode([]Section{{"BYTE", want}, {"NUMB", varints}, {"NONE", nil}})))
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 7, 1000, bufferSize, bufferSize + 1, len(want)} {
		s, err := r.Stream("BYTE")
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(want); {
			n := min(size, len(want)-at)
			if got := s.Next(n); !bytes.Equal(got, want[at:at+n]) {
				t.Fatalf("pieces of %d bytes: other bytes at %d", size, at)
			}
			if at += n; s.Left() != int64(len(want)-at) {
				t.Fatalf("pieces of %d bytes: %d bytes left at %d", size, s.Left(), at)
			}
		}
		if s.Next(1) != nil || s.Close() != nil {
			t.Errorf("pieces of %d bytes: more bytes, or %v", size, s.Close())
		}
	}
	s, err := r.Stream("NUMB")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range all {
		if got, ok := s.Uvarint(); got != want || !ok {
			t.Fatalf("number %d is %d, %v; want %d", i, got, ok, want)
		}
	}
	if _, ok := s.Uvarint(); ok || s.Close() != nil {
		t.Errorf("one more number, or %v", s.Close())
	}
	if s, err = r.Stream("NONE"); err != nil || s.Next(0) == nil || s.Left() != 0 || s.Close() != nil {
		t.Errorf("an empty section: %v, %v", err, s.Close())
	}
	if _, err = r.Stream("LOST"); !errors.Is(err, errDamaged) {
		t.Errorf("no section: %v", err)
	}
}

func TestAStreamThatIsNotReadToItsEndIsVerified(t *testing.T) {
	good := format().Encode([]Section{{"BYTE", make([]byte, 3*bufferSize)}})
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"as it was written":      {good, nil},
		"its last byte changed":  {append(bytes.Clone(good[:len(good)-1]), 1), errDamaged},
		"its last byte is gone":  {good[:len(good)-1], errTruncated},
		"all but a byte is gone": {good[:HeaderSize+EntrySize+9], errTruncated},
	} {
		r, err := format().Open(bytes.NewReader(tt.data))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{0, 1, 2 * bufferSize} {
			s, err := r.Stream("BYTE")
			if err != nil {
				t.Fatal(err)
			}
			s.Next(n)
			if err := s.Close(); !errors.Is(err, tt.want) {
				t.Errorf("%s, after %d bytes: got %v, want %v", name, n, err, tt.want)
			}
		}
	}
}

// failing is a file of so many bytes on a full disk.
type failing int64

var errFull = errors.New("full")

func (f failing) WriteAt(data []byte, at int64) (int, error) {
	if at+int64(len(data)) > int64(f) {
		return 0, errFull
	}
	return len(data), nil
}

func TestAWriterReturnsTheFirstErrorOfWriting(t *testing.T) {
	for _, room := range []failing{0, 100, bufferSize, 2 * bufferSize, 3 * bufferSize} {
		w := format().NewWriter(room, 2)
		for range 2 {
			w.Begin("BYTE")
			for range 200 {
				w.Write(make([]byte, 1000))
			}
		}
		if _, _, err := w.Close(); err != errFull {
			t.Errorf("%d bytes: got %v", room, err)
		}
	}
}
