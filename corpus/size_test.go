package corpus

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// endless is a stream of zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAMessageIsReadUpToItsLimit(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int64
		err  error
	}{
		{"nothing", 0, nil},
		{"a letter", 5000, nil},
		{"a large message", LargeMessageBytes + 1, nil},
		{"the largest", MaxMessageBytes, nil},
		{"one byte more", MaxMessageBytes + 1, ErrTooLarge},
	} {
		rest := io.LimitReader(endless{}, tt.size)
		got, err := AppendMessage(nil, rest)
		if !errors.Is(err, tt.err) || int64(len(got)) != tt.size {
			t.Errorf("%s: got %d bytes and error %v, want %d and %v", tt.name, len(got), err, tt.size, tt.err)
		}
		if most := 2*tt.size + 4<<10; tt.size <= LargeMessageBytes && int64(cap(got)) > most {
			t.Errorf("%s: takes %d bytes of memory for %d", tt.name, cap(got), tt.size)
		}
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
	var rest = io.MultiReader(io.LimitReader(endless{}, MaxMessageBytes+1), bytes.NewReader([]byte("left")))
	if _, err := AppendMessage(nil, rest); !errors.Is(err, ErrTooLarge) {
		t.Fatal(err)
	}
	if left, err := io.ReadAll(rest); string(left) != "left" || err != nil {
		t.Errorf("left is %.10q of %d bytes, error %v", left, len(left), err)
	}
}
