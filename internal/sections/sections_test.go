package sections

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

var errForeign, errTruncated, errDamaged, errVersion = errors.New("foreign"), errors.New("truncated"), errors.New("damaged"), errors.New("version")

func format() Format {
	return Format{Magic: "\x89TESTS\r\n", Version: 3, ErrForeign: errForeign, ErrTruncated: errTruncated, ErrDamaged: errDamaged, ErrVersion: errVersion}
}

// encoded returns a file of sections, given by name and data.
func encoded(all ...string) (file Memory) {
	w := format().NewWriter(&file, len(all)/2)
	for i := 0; i < len(all); i += 2 {
		w.Add(all[i], []byte(all[i+1]))
	}
	w.Close()
	return file
}

// open opens a whole file.
func open(data []byte) (*Reader, error) {
	return format().Open(bytes.NewReader(data), int64(len(data)))
}

func TestSectionsAreReadAsTheyWereWritten(t *testing.T) {
	data := encoded("ONE1", "first", "NONE", "", "TWO2", "12345678")
	f, err := open(data)
	if err != nil || f.Has("TWO") || !f.Has("NONE") {
		t.Fatalf("got %v, %v", f, err)
	}
	for name, want := range map[string]string{"ONE1": "first", "NONE": "", "TWO2": "12345678"} {
		if got, err := f.Section(name); string(got) != want || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	if r, err := format().Open(bytes.NewReader(append(data, "more"...)), -1); err != nil || r.Size != int64(len(data)) || r.Size%8 != 0 {
		t.Errorf("the size of %d bytes: %v", len(data), err)
	}
	other, err := open(encoded("ONE1", "fjrst", "NONE", "", "TWO2", "12345678"))
	if err != nil || other.Identity == f.Identity {
		t.Errorf("two files have the identity %x: %v", f.Identity, err)
	}
}

func TestAChangedOrCutFileIsAnError(t *testing.T) {
	good := encoded("ONE1", "first", "TWO2", "12345678")
	read := func(data []byte) error {
		f, err := open(data)
		for _, name := range []string{"ONE1", "TWO2"} {
			if err == nil {
				_, err = f.Section(name)
			}
		}
		return err
	}
	for i := range good {
		changed := bytes.Clone(good)
		changed[i] ^= 4
		isPadding := i == len(good)-len("12345678")-1 || i == len(good)-len("12345678")-2 || i == len(good)-len("12345678")-3
		if err := read(changed); (err == nil) != isPadding {
			t.Errorf("byte %d: got %v", i, err)
		}
		if err := read(good[:i]); err == nil {
			t.Errorf("%d bytes: no error", i)
		}
	}
	for name, tt := range map[string]struct {
		data []byte
		want error
	}{
		"no bytes":      {nil, errTruncated},
		"other bytes":   {[]byte("12"), errForeign},
		"half a header": {good[:20], errTruncated},
		"a longer file": {append(bytes.Clone(good), 0), errDamaged},
		"a new version": {slices.Concat(good[:8], []byte{4}, good[9:]), errVersion},
	} {
		if err := read(tt.data); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
}

func TestNumbersAreReadAsTheyWereWritten(t *testing.T) {
	want := []float64{0, -1.5, 1e300}
	data := Bytes(want)
	if got := Decode[float64](data); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := Bytes([]uint32{1, 0x01020304}); !slices.Equal(got, []byte{1, 0, 0, 0, 4, 3, 2, 1}) {
		t.Errorf("got % x", got)
	}
	if got := Decode[uint64](nil); len(got) != 0 {
		t.Errorf("no bytes: got %v", got)
	}
	if got := Decode[uint32](data[:5]); len(got) != 0 {
		t.Errorf("a part of a number: got %v", got)
	}
}

func TestNumbersAtAnOddAddressAreCopied(t *testing.T) {
	want := []uint32{1, 2, 3}
	data := append([]byte{0}, Bytes(want)...)
	got := Decode[uint32](data[1:])
	clear(data)
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
