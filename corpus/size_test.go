package corpus

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"chaff/message"
)

// endless is a stream of zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAMessageIsReadUpToItsLimit(t *testing.T) {
	var largest []byte
	for _, tt := range []struct {
		name string
		size int64
	}{
		{"nothing", 0},
		{"a letter", 5000},
		{"a large message", message.LargeSize + 1},
		{"the largest", message.MaxSize},
	} {
		got, err := AppendMessage(nil, io.LimitReader(endless{}, tt.size))
		if err != nil || int64(len(got)) != tt.size {
			t.Errorf("%s: got %d bytes and error %v, want %d", tt.name, len(got), err, tt.size)
		}
		if most := 2*tt.size + 4<<10; tt.size <= message.LargeSize && int64(cap(got)) > most {
			t.Errorf("%s: takes %d bytes of memory for %d", tt.name, cap(got), tt.size)
		}
		largest = got
	}
	more := io.MultiReader(io.LimitReader(endless{}, 2), strings.NewReader("left"))
	if got, err := AppendMessage(largest[:message.MaxSize-1], more); !errors.Is(err, ErrTooLarge) || len(got) != message.MaxSize+1 {
		t.Errorf("one byte more: got %d bytes and error %v", len(got), err)
	}
	if left, err := io.ReadAll(more); string(left) != "left" || err != nil {
		t.Errorf("left is %.10q of %d bytes, error %v", left, len(left), err)
	}
}

func TestWhatIsReadOfAMessageComesWithTheError(t *testing.T) {
	broken := errors.New("broken")
	for _, r := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader} {
		got, err := AppendMessage([]byte("ab"), r(io.MultiReader(bytes.NewReader([]byte("cd")), iotest.ErrReader(broken))))
		if string(got) != "abcd" || !errors.Is(err, broken) {
			t.Errorf("got %q and %v", got, err)
		}
	}
}
