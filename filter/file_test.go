package filter

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
)

func TestASavedModelSaysTheSame(t *testing.T) {
	f := spamFilter(t)
	path := filepath.Join(t.TempDir(), "spam.model")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	one, err := OpenForOne(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{"", "\nspama spamb sharedc", "Subject: hama\n\nhamb shareda shareda"} {
		want := f.Classify([]byte(raw))
		if got := again.Classify([]byte(raw)); got != want {
			t.Errorf("%q: got %+v, want %+v", raw, got, want)
		}
		if got := one.Classify([]byte(raw)); got != want || one.Err() != nil {
			t.Errorf("%q, opened for one message: got %+v and %v, want %+v", raw, got, one.Err(), want)
		}
	}
	if string(encode(t, again)) != string(encode(t, f)) {
		t.Error("the model has other bytes after it was opened")
	}
	want, _ := f.Terms()
	got, err := again.Terms()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("terms (-saved +opened), error %v:\n%s", err, diff)
	}
}

func TestAModelIsReplacedInOneStep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "spam.model")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := spamFilter(t).Save(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, want those of the file that was replaced", info.Mode().Perm())
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files beside the model", len(entries)-1)
	}
}

func TestANewModelIsItsOwnersOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spam.model")
	if err := spamFilter(t).Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, error %v: want 0600", info.Mode().Perm(), err)
	}
}

func TestAModelCannotBeSavedInAFolderThatIsNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "spam.model")
	err := spamFilter(t).Save(path)
	if want := "save " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// rewritten returns the model with a change to its header, and the checksum of the table made right again.
func rewritten(data []byte, change func(file []byte)) []byte {
	file := append([]byte(nil), data...)
	change(file)
	table := headerSize + entrySize*int(binary.LittleEndian.Uint32(file[12:]))
	binary.LittleEndian.PutUint64(file[table:], xxhash.Sum64(file[:table]))
	return file
}

func TestAFileThatIsNoGoodModelIsRefused(t *testing.T) {
	good := encode(t, spamFilter(t))
	withSettings := func(from, to string) []byte {
		s, err := decodeSections(good)
		if err != nil {
			t.Fatal(err)
		}
		var all []section
		for _, name := range s.names {
			data, err := s.get(name)
			if err != nil {
				t.Fatal(err)
			}
			if name == "SETT" {
				changed := strings.Replace(string(data), from, to, 1)
				if changed == string(data) {
					t.Fatalf("the settings have no %s", from)
				}
				data = []byte(changed)
			}
			all = append(all, section{name, data})
		}
		return encodeSections(all)
	}
	flipped := append([]byte(nil), good...)
	sections, err := decodeSections(good)
	if err != nil {
		t.Fatal(err)
	}
	flipped[sections.spans[1].offset] ^= 1
	tests := []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"an empty file", nil, ErrNotModel, "not a chaff model"},
		{"a text", []byte("From someone@example Mon Jan  1\n\nhello"), ErrNotModel, "not a chaff model"},
		{"half a header", good[:16], ErrTruncated, "model is truncated"},
		{"half a model", good[:len(good)/2], ErrTruncated, "model is truncated: "},
		{"all but the last byte", good[:len(good)-1], ErrTruncated, "model is truncated: "},
		{"something appended", append(append([]byte(nil), good...), 0), ErrDamaged, "model is damaged: 1 bytes more than were written"},
		{"a changed bit", flipped, ErrDamaged, "model is damaged: section "},
		{"a newer format", rewritten(good, func(f []byte) { f[8] = formatVersion + 1 }), ErrVersion, "model is of another version: its format is 7, this program reads 6"},
		{"a table that was changed", append(append([]byte(nil), good[:30]...), append([]byte{9}, good[31:]...)...), ErrDamaged, "model is damaged: section table"},
		{"a section without a place", rewritten(good, func(f []byte) { f[headerSize+8+7] = 0x7f }), ErrDamaged, "model is damaged: section table"},
		{"a section that is missing", rewritten(good, func(f []byte) { copy(f[headerSize:], "NONE") }), ErrDamaged, "model is damaged: section SETT is missing"},
		{"other rules for terms", withSettings("snowball", "snowman"), ErrVersion, "model is of another version: its terms were made by the rules "},
		{"a setting that is not known", withSettings(`"model"`, `"modal"`), ErrVersion, "model is of another version: settings: "},
		{"a kind of feature that is not known", withSettings(`"kind":"`, `"kind":"x`), ErrVersion, "model is of another version: unknown kind of feature"},
		{"a language that is not known", withSettings(`"english"`, `"klingon"`), ErrVersion, "model is of another version: settings: language"},
		{"more classes than rows", withSettings(`"ham",`, `"ham","eggs",`), ErrDamaged, "model is damaged: "},
		{"a part of the thresholds that is not known", withSettings(`"thresholds":{`, `"thresholds":{"ham":1,`), ErrVersion, "model is of another version: "},
		{"a calibration of other classes", withSettings(`"offsets":[0,`, `"offsets":[0,0,`), ErrDamaged, "model is damaged: calibration: "},
		{"a calibration that turns scores round", withSettings(`"slope":`, `"slope":-`), ErrDamaged, "model is damaged: calibration: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "spam.model")
			if err := os.WriteFile(path, tt.data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path)
			if !errors.Is(err, tt.want) || !strings.HasPrefix(err.Error(), "open model "+path+": "+tt.text) {
				t.Errorf("got %v, want %s", err, tt.text)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has more than one line: %v", err)
			}
		})
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNotModel) {
		t.Errorf("a folder: got %v, want %v", err, ErrNotModel)
	}
	if _, err := Open("testdata/nowhere.model"); err == nil || err.Error() != "open model testdata/nowhere.model: no such file or directory" {
		t.Errorf("no file: got %v", err)
	}
}

func TestDamageOfWhatIsNotNeededIsFoundWhenItIsRead(t *testing.T) {
	data := encode(t, spamFilter(t))
	s, err := decodeSections(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range s.names {
		if name == "INFO" || name == "TEXT" {
			data[s.spans[i].offset] ^= 1
		}
	}
	f, err := Decode(data)
	if err != nil {
		t.Fatalf("damage of what is not needed keeps the model from classifying: %v", err)
	}
	if _, err := f.Terms(); !errors.Is(err, ErrDamaged) {
		t.Errorf("terms: got %v, want %v", err, ErrDamaged)
	}
	if _, err := f.Provenance(); !errors.Is(err, ErrDamaged) {
		t.Errorf("provenance: got %v, want %v", err, ErrDamaged)
	}
}

// FuzzDecode checks that a changed model is refused or says what it said before, and that nothing panics.
func FuzzDecode(f *testing.F) {
	good := encode(f, spamFilter(f))
	filter, err := Decode(good)
	if err != nil {
		f.Fatal(err)
	}
	raw := []byte("Subject: spama\n\nspamb sharedc hamd")
	want := filter.Classify(raw)
	f.Add(0, byte(1), len(good))
	f.Add(9, byte(3), len(good))
	f.Add(headerSize+8, byte(0xff), len(good))
	f.Add(len(good)/2, byte(0x80), len(good))
	f.Add(0, byte(0), len(good)/2)
	f.Fuzz(func(t *testing.T, at int, change byte, size int) {
		data := append([]byte(nil), good[:min(max(size, 0), len(good))]...)
		if at >= 0 && at < len(data) {
			data[at] ^= change
		}
		if one, err := decode(data, true); err == nil {
			if got := one.Classify(raw); got != want && one.Err() == nil {
				t.Errorf("byte %d changed by %x of the first %d: got %+v for one message, want %+v", at, change, size, got, want)
			}
			_, _ = one.Explain(raw)
		}
		f, err := Decode(data)
		if err != nil {
			return
		}
		if got := f.Classify(raw); got != want {
			t.Errorf("byte %d changed by %x of the first %d: got %+v, want %+v", at, change, size, got, want)
		}
		_, _ = f.Terms()
		_, _ = f.Provenance()
	})
}

func TestNumbersAreReadFromAnyPlace(t *testing.T) {
	want := []uint32{1, 1 << 31, 77}
	data := append([]byte{0}, bytesOf(want)...)
	got, err := numbersOf[uint32](data[1:]) // on most machines not aligned, so a copy
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if _, err := numbersOf[uint64](data[:9]); !errors.Is(err, ErrDamaged) {
		t.Errorf("nine bytes: got %v, want %v", err, ErrDamaged)
	}
}

// TestNumbersThatAreNoneAreDamage is about a model that somebody made: its sums are right.
func TestNumbersThatAreNoneAreDamage(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, change := range map[string]func(f *Filter){
		"a weight that is no number": func(f *Filter) { fill(f.linear.Weights, float32(nan)) },
		"a weight without end":       func(f *Filter) { fill(f.linear.Weights, float32(inf)) },
		"a bias that is no number":   func(f *Filter) { f.linear.Bias[0] = nan },
		"a bias without end":         func(f *Filter) { f.linear.Bias[0] = -inf },
		"a bias of the largest":      func(f *Filter) { f.linear.Bias[0] = math.MaxFloat64 },
		"a slope of the largest":     func(f *Filter) { f.settings.Calibration.Slope = math.MaxFloat64 },
	} {
		f := spamFilter(t)
		change(f)
		data := rawEncode(t, f)
		path := filepath.Join(t.TempDir(), "model")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrDamaged)
		}
		one, err := decode(data, true)
		if err == nil {
			v := one.Classify([]byte("Subject: spama\n\nspama spamb sharedc hamb\n"))
			if err = one.Err(); err == nil {
				t.Errorf("%s: opened for one message, got %+v", name, v)
			}
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: opened for one message, got %v, want %v", name, err, ErrDamaged)
		}
	}
}

func fill(weights []float32, with float32) {
	for i := range weights {
		weights[i] = with
	}
}

// rawEncode is Encode without its look at the numbers.
func rawEncode(t *testing.T, f *Filter) []byte {
	t.Helper()
	honest := *f.linear
	weights, bias := f.linear.Weights, f.linear.Bias
	f.linear.Weights, f.linear.Bias = make([]float32, len(weights)), make([]float64, len(bias))
	s, err := decodeSections(encode(t, f))
	if err != nil {
		t.Fatal(err)
	}
	*f.linear = honest
	var all []section
	for _, name := range s.names {
		data, err := s.get(name)
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "BIAS":
			data = bytesOf(bias)
		case "WGHT":
			data = bytesOf(weights)
		case "SUMS":
			data = bytesOf(newLazyChecksums(f.linear.Terms, f.vocabulary.Len(), bytesOf(weights), bytesOf(f.vocabulary.Table())).sums())
		}
		all = append(all, section{name, data})
	}
	return encodeSections(all)
}
