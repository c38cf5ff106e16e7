package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"

	"chaff/internal/sections"
	"chaff/test/corpustest"
	"chaff/tokenize"
)

func TestASavedModelClassifiesTheSame(t *testing.T) {
	f := spamFilter(t)
	path := filepath.Join(t.TempDir(), "spam.model")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	one, err := openOne(path, true, later())
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{"", "\nspama spamb sharedc", "Subject: hama\n\nhamb shareda shareda"} {
		want := f.Classify([]byte(raw))
		if got := again.Classify([]byte(raw)); got != want {
			t.Errorf("%q: got %+v, want %+v", raw, got, want)
		}
		if got, err := one.Classify([]byte(raw)); got != want || err != nil {
			t.Errorf("%q, opened for one message: got %+v and %v, want %+v", raw, got, err, want)
		}
	}
	if string(encode(t, again)) != string(encode(t, f)) {
		t.Error("the opened model encodes differently")
	}
	wantTexts, want := termsOf(t, f)
	gotTexts, got := termsOf(t, again)
	if diff := cmp.Diff(wantTexts, gotTexts) + cmp.Diff(want, got); diff != "" {
		t.Errorf("terms (-saved +opened):\n%s", diff)
	}
}

// termsOf returns the texts of the terms of a filter and their numbers of documents.
func termsOf(t *testing.T, f *Filter) (texts []string, documents []uint32) {
	t.Helper()
	terms, err := f.Terms()
	noError(t, err)
	for id := range terms.Documents {
		texts = append(texts, string(terms.Text(id)))
	}
	return texts, terms.Documents
}

func TestSaveKeepsPermissionsAndLeavesNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "spam.model")
	if err := errors.Join(os.WriteFile(path, []byte("\x89CHAFF\r\nold"), 0o640), os.Chmod(path, 0o640)); err != nil { // whatever the umask is
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

func TestANewModelIsReadableByItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spam.model")
	if err := spamFilter(t).Save(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions %v, error %v: want 0600", info.Mode().Perm(), err)
	}
}

func TestSaveToAMissingDirectoryFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "spam.model")
	err := spamFilter(t).Save(path)
	if want := "save " + path + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// rewritten returns the model with a change to its header or table, under a correct checksum.
func rewritten(data []byte, change func(file []byte)) []byte {
	file := bytes.Clone(data)
	change(file)
	table := sections.HeaderSize + sections.EntrySize*int(binary.LittleEndian.Uint32(file[12:]))
	binary.LittleEndian.PutUint64(file[table:], xxhash.Sum64(file[:table]))
	return file
}

// withSections returns the model with changed sections, under correct checksums. It omits sections for which change returns nil.
func withSections(t *testing.T, file []byte, change func(name string, data []byte) []byte) []byte {
	t.Helper()
	f, err := modelFormat.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out sections.Memory
	n := int(binary.LittleEndian.Uint32(file[12:]))
	w := modelFormat.NewWriter(&out, n)
	for entry := range slices.Chunk(file[sections.HeaderSize:][:sections.EntrySize*n], sections.EntrySize) {
		name := string(entry[:4])
		data, err := f.Section(name)
		if err != nil {
			t.Fatal(err)
		}
		if data = change(name, data); data != nil {
			w.Add(name, data)
		}
	}
	_, err = w.Close()
	noError(t, err)
	return out
}

// sectionIn returns where a section is in a model, and its size, which is not 0.
func sectionIn(t *testing.T, file []byte, name string) (start, size int) {
	t.Helper()
	le := binary.LittleEndian
	for entry := range slices.Chunk(file[sections.HeaderSize:][:sections.EntrySize*int(le.Uint32(file[12:]))], sections.EntrySize) {
		if string(entry[:4]) == name {
			start, size = int(le.Uint64(entry[8:])), int(le.Uint64(entry[16:]))
		}
	}
	if size == 0 {
		t.Fatalf("no section %s", name)
	}
	return start, size
}

// withFlippedBits returns the model with a flipped bit at each step of the named sections, under the old checksums.
func withFlippedBits(t *testing.T, file []byte, step int, names ...string) []byte {
	t.Helper()
	file = bytes.Clone(file)
	for _, name := range names {
		start, size := sectionIn(t, file, name)
		for i := start; i < start+size; i += step {
			file[i] ^= 1
		}
	}
	return file
}

func TestUnusableFilesAreRefused(t *testing.T) {
	good := encode(t, spamFilter(t))
	withSettings := func(change func(s *Settings)) []byte {
		return withSections(t, good, func(name string, data []byte) []byte {
			if name != "SETT" {
				return data
			}
			settings, err := decodeSettings(data)
			noError(t, err)
			change(&settings)
			return encodeSettings(settings)
		})
	}
	withBytes := func(change func(settings []byte) []byte) []byte {
		return withSections(t, good, func(name string, data []byte) []byte {
			if name == "SETT" {
				return change(data)
			}
			return data
		})
	}
	tests := []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"an empty file", nil, ErrTruncated, "model is truncated"},
		{"a text file", []byte("From someone@example Mon Jan  1\n\nhello"), ErrNotModel, "not a chaff model"},
		{"half a header", good[:16], ErrTruncated, "model is truncated"},
		{"half a model", good[:len(good)/2], ErrTruncated, "model is truncated: "},
		{"all but the last byte", good[:len(good)-1], ErrTruncated, "model is truncated: "},
		{"an appended byte", append(bytes.Clone(good), 0), ErrDamaged, "model is damaged: 1 bytes more than were written"},
		{"a flipped bit", withFlippedBits(t, good, 1<<30, "HKEY"), ErrDamaged, "model is damaged: section "},
		{"a newer format", rewritten(good, func(f []byte) { f[8] = formatVersion + 1 }), ErrVersion, "model is of another version: its format is 10, this program reads 9"},
		{"a changed table", slices.Concat(good[:30], []byte{9}, good[31:]), ErrDamaged, "model is damaged: section table"},
		{"a section beyond the end", rewritten(good, func(f []byte) { f[sections.HeaderSize+8+7] = 0x7f }), ErrDamaged, "model is damaged: section table"},
		{"a missing section", rewritten(good, func(f []byte) { copy(f[sections.HeaderSize:], "NONE") }), ErrDamaged, "model is damaged: section SETT is missing"},
		{"other rules for terms", withSettings(func(s *Settings) { s.TermsVersion = "0, snowman" }), ErrVersion, `model is of another version: its terms were made by the rules "0, snowman"`},
		{"one more setting", withBytes(func(settings []byte) []byte { return append(settings, 0) }), ErrVersion, "model is of another version: its settings are of another program"},
		{"one setting less", withBytes(func(settings []byte) []byte { return settings[:len(settings)-8] }), ErrVersion, "model is of another version: its settings are of another program"},
		{"a list that is longer than the settings", withBytes(func(settings []byte) []byte {
			settings[1+len(tokenize.Version)] = 0x7e
			return settings
		}), ErrVersion, "model is of another version: its settings are of another program"},
		{"a model that is gone", withSettings(func(s *Settings) { s.Model = "arow" }), ErrVersion, "model is of another version: the model arow is gone: use passive-aggressive"},
		{"an unknown kind of feature", withSettings(func(s *Settings) { s.Kind = "kind" }), ErrVersion, "model is of another version: unknown kind of feature"},
		{"an unknown language", withSettings(func(s *Settings) { s.Tokenize.Language = "klingon" }), ErrVersion, "model is of another version: settings: language"},
		{"more classes than rows", withSettings(func(s *Settings) { s.Classes = []string{"ham", "eggs", "spam"} }), ErrDamaged, "model is damaged: "},
		{"a spam filter without thresholds", withSettings(func(s *Settings) { s.Thresholds = nil }), ErrDamaged, "model is damaged: it has no thresholds"},
		{"a calibration for other classes", withSettings(func(s *Settings) { s.Calibration.Offsets = []float64{0, 0, 0} }), ErrDamaged, "model is damaged: calibration: "},
		{"a calibration that inverts scores", withSettings(func(s *Settings) { s.Calibration.Slope = -1 }), ErrDamaged, "model is damaged: calibration: "},
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
		t.Errorf("a directory: got %v, want %v", err, ErrNotModel)
	}
	if _, err := Open("testdata/nowhere.model"); err == nil || err.Error() != "open model testdata/nowhere.model: no such file or directory" {
		t.Errorf("no file: got %v", err)
	}
}

func TestTermsAndProvenanceAreVerifiedWhenTheyAreRead(t *testing.T) {
	f, err := Decode(withFlippedBits(t, encode(t, spamFilter(t)), 1<<30, "INFO", "TEXT"))
	if err != nil {
		t.Fatalf("classification needs neither: %v", err)
	}
	if _, err := f.Terms(); !errors.Is(err, ErrDamaged) {
		t.Errorf("terms: got %v, want %v", err, ErrDamaged)
	}
	if _, err := f.Provenance(); !errors.Is(err, ErrDamaged) {
		t.Errorf("provenance: got %v, want %v", err, ErrDamaged)
	}
}

// oneIn returns the filter for one message in the bytes of a model file.
func oneIn(data []byte) (*One, error) {
	file, err := modelFormat.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	h, bias, err := decodeHead(modelFile{Reader: file})
	return &One{head: h, bias: bias, changed: func() bool { return false }}, err
}

// opened is a [Filter] or a [One].
type opened interface {
	LogErr() error
	Close() error
}

// classify classifies a message by either kind of filter.
func classify(f opened, raw []byte) (Classification, error) {
	if one, is := f.(*One); is {
		return one.Classify(raw)
	}
	return f.(*Filter).Classify(raw), nil
}

// openers are the ways to open a model with its log: when the file is settled, before that, and for many messages.
func openers(path string) map[string]func() (opened, error) {
	return map[string]func() (opened, error){
		"in parts": func() (opened, error) { return openOne(path, true, later()) },
		"whole":    func() (opened, error) { return OpenOne(path) },
		"learned":  func() (opened, error) { return OpenLearned(path) },
	}
}

// FuzzDecode checks that a changed model is refused or classifies like the original, and that nothing panics.
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
	f.Add(sections.HeaderSize+8, byte(0xff), len(good))
	f.Add(len(good)/2, byte(0x80), len(good))
	f.Add(0, byte(0), len(good)/2)
	f.Fuzz(func(t *testing.T, at int, change byte, size int) {
		data := bytes.Clone(good[:min(max(size, 0), len(good))])
		if at >= 0 && at < len(data) {
			data[at] ^= change
		}
		if one, err := oneIn(data); err == nil {
			if got, err := one.Classify(raw); got != want && err == nil {
				t.Errorf("byte %d changed by %x of the first %d: got %+v for one message, want %+v", at, change, size, got, want)
			}
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

// The checksums of these models are correct.
func TestModelsWithNumbersThatAreNotFiniteAreRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	saved := spamFilter(t)
	file := encode(t, saved)
	for name, change := range map[string]func(f *Filter){
		"a weight that is not a number": func(f *Filter) { fill(f.linear.Weights, float32(nan)) },
		"an infinite weight":            func(f *Filter) { fill(f.linear.Weights, float32(inf)) },
		"a bias that is not a number":   func(f *Filter) { f.linear.Bias[0] = nan },
		"an infinite bias":              func(f *Filter) { f.linear.Bias[0] = -inf },
		"the largest bias":              func(f *Filter) { f.linear.Bias[0] = math.MaxFloat64 },
		"the largest slope":             func(f *Filter) { f.settings.Calibration.Slope = math.MaxFloat64 },
		"a threshold that is no number": func(f *Filter) { f.settings.Thresholds.Unsure = nan },
		"an infinite threshold":         func(f *Filter) { f.settings.Thresholds.Spam = inf },
	} {
		f, err := Decode(bytes.Clone(file))
		if err != nil {
			t.Fatal(err)
		}
		change(f)
		if _, err := f.Encode(); err == nil {
			t.Errorf("%s: it was saved", name)
		}
		pref, terms := encodeTerms(f.vocabulary, f.linear.Weights, f.linear.Rows())
		data := withSections(t, file, func(name string, data []byte) []byte {
			switch name {
			case "SETT":
				return encodeSettings(f.settings)
			case "BIAS":
				return sections.Bytes(f.linear.Bias)
			case "PREF":
				return sections.Bytes(pref)
			case "TERM":
				return terms
			}
			return data
		})
		if _, err := Decode(data); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, want %v", name, err, ErrDamaged)
		}
		one, err := oneIn(data)
		if err == nil {
			_, err = one.Classify([]byte("Subject: spama\n\nspama spamb sharedc hamb\n"))
		}
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: read in parts, got %v, want %v", name, err, ErrDamaged)
		}
	}
}

// The sizes in the file agree with its checksums, and say that it has 2^28 weights.
func TestAModelOfFewBytesFillsNoMemory(t *testing.T) {
	const many = 1 << 14
	data := withSections(t, encode(t, fitted(t, corpustest.Mailbox(1, 20, "ham", "spam"), "multinomial", "ham", "spam")), func(name string, data []byte) []byte {
		switch name {
		case "SETT":
			settings, err := decodeSettings(data)
			noError(t, err)
			settings.Classes, settings.Calibration.Offsets, settings.Thresholds = make([]string, many), make([]float64, many), nil
			return encodeSettings(settings)
		case "BIAS":
			return make([]byte, 8*many)
		case "PREF":
			return sections.Bytes([]uint32{0, 0, many})
		case "TERM":
			return make([]byte, many)
		}
		return data
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode(data)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrDamaged) || after.TotalAlloc-before.TotalAlloc > 100<<20 {
		t.Errorf("%d bytes took %d bytes of memory: %v", len(data), after.TotalAlloc-before.TotalAlloc, err)
	}
}

func fill(weights []float32, with float32) {
	for i := range weights {
		weights[i] = with
	}
}
