package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/evidence"
	"chaff/internal/garbage"
	"chaff/internal/logfile"
	"chaff/internal/termkey"
	"chaff/test/corpustest"
	"chaff/test/testmain"
	"chaff/train"
)

// part writes a part of some mail under a key, and returns its path.
func part(t *testing.T, source corpus.Source, key termkey.Key) string {
	t.Helper()
	c := train.DefaultCollectOptions()
	c.Reading.Key = key
	mail, err := train.Read(t.Context(), source, []string{"ham", "spam"}, c.ReadOptions)
	noError(t, err)
	path := filepath.Join(t.TempDir(), "part")
	noError(t, Collect(t.Context(), path, mail, "multinomial", c, train.DefaultOptions(), DefaultOptions(), false))
	return path
}

func TestAPartIsNoModel(t *testing.T) {
	path := part(t, corpustest.Mailbox(1, 20, "ham", "spam"), termkey.Key{})
	_, err1 := filter.Open(path)
	_, err2 := filter.OpenOne(path)
	_, err3 := Open(t.Context(), path, DefaultOptions())
	_, err4 := Look(path)
	for i, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, filter.ErrPart) || !strings.Contains(err.Error(), path) {
			t.Errorf("%d: got %v", i, err)
		}
	}
}

// mergesTo returns the error of a merge of a good part and another one. Nothing is written after an error.
func mergesTo(t *testing.T, paths ...string) ([]byte, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	_, err := Merge(t.Context(), paths, out, MergeOptions{})
	if err == nil {
		return contents(t, out), nil
	}
	if _, statErr := os.Stat(out); statErr == nil {
		t.Errorf("there is a model after %v", err)
	}
	if _, statErr := os.Stat(out + Suffix); statErr == nil {
		t.Errorf("there is a log after %v", err)
	}
	return nil, err
}

// Nothing that is done to a part gives another model: it is the same, or an error that names the part.
func TestDamagedPartsAreNamed(t *testing.T) {
	good, bad := part(t, corpustest.Mailbox(1, 20, "ham", "spam"), termkey.Key{}), part(t, corpustest.Mailbox(2, 20, "ham", "spam"), termkey.Key{})
	want, err := mergesTo(t, good, bad)
	noError(t, err)
	whole := contents(t, bad+Suffix)
	write := func(data []byte) string {
		path := filepath.Join(t.TempDir(), "part")
		noError(t, os.WriteFile(path+Suffix, data, 0o600))
		return path
	}
	check := func(what string, at int, path string) {
		t.Helper()
		for _, paths := range [][]string{{good, path}, {path, good}} {
			got, err := mergesTo(t, paths...)
			switch {
			case err == nil && !bytes.Equal(got, want):
				t.Fatalf("%s at byte %d: another model", what, at)
			case err != nil && !strings.Contains(err.Error(), path):
				t.Fatalf("%s at byte %d: the error names no part: %v", what, at, err)
			case err != nil && strings.Contains(err.Error(), "\n"):
				t.Fatalf("%s at byte %d: more than a line: %v", what, at, err)
			}
		}
	}
	damaged, sparse := 0, 11 // how many places are left out in a short run
	if testmain.IsLong() {
		sparse = 1
	}
	for at := 0; at < len(whole); at += sparse * (7 + at%61) {
		data := bytes.Clone(whole)
		data[at] ^= 1 << (at % 8)
		check("changed", at, write(data))
		damaged++
	}
	for end := 0; end < len(whole); end += sparse * (11 + end%97) {
		path := write(whole[:end])
		check("cut off", end, path)
		if _, err := mergesTo(t, good, path); err == nil {
			t.Errorf("cut off at byte %d of %d: no error", end, len(whole))
		}
		damaged++
	}
	if damaged < 200/sparse {
		t.Errorf("%d damaged parts are too few", damaged)
	}
}

func TestOtherPartsAreNamed(t *testing.T) {
	source := corpustest.Mailbox(1, 20, "ham", "spam")
	good := part(t, source, termkey.Key{})
	log := contents(t, good+Suffix)
	changed := func(change func(data []byte)) string {
		path := filepath.Join(t.TempDir(), "part")
		data := bytes.Clone(log)
		change(data)
		start := (32 + int(binary.LittleEndian.Uint32(data[12:])) + 7) &^ 7 // of the checksum of the header
		binary.LittleEndian.PutUint64(data[start:], xxhash.Sum64(data[:start]))
		noError(t, os.WriteFile(path+Suffix, data, 0o600))
		return path
	}
	replaced := func(old, by string) string {
		return changed(func(data []byte) {
			if len(old) != len(by) || bytes.Count(data[:4096], []byte(old)) != 1 {
				t.Fatalf("%q is not in the header", old)
			}
			copy(data[bytes.Index(data, []byte(old)):], by)
		})
	}
	tests := []struct{ path, want string }{
		{part(t, source, termkey.New([16]byte{1})), "the secret key differs"},
		{changed(func(data []byte) { data[8] = 2 }), logfile.ErrVersion.Error()},
		{changed(func(data []byte) { data[0] = 'x' }), logfile.ErrNotLog.Error()},
		{replaced(`"classes":["ham","spam"]`, `"classes":["spam","ham"]`), "the list of classes (ham, spam; spam, ham) differs"},
		{replaced(`"model":"multinomial"`, `"model":"multinominl"`), "the model (multinomial; multinominl) differs"},
		{replaced(`"max_length":32,`, `"max_length":31,`), "the setting tokenize.max_length differs"},
		{filepath.Join(t.TempDir(), "gone"), ErrNone.Error()},
	}
	for _, tt := range tests {
		_, err := mergesTo(t, good, tt.path)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.path) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if _, err := mergesTo(t, good, replaced(`"smoothing":`, `"smoothinx":`)); err != nil { // of another version
		t.Errorf("a setting that only one has: %v", err)
	}
	var terms string
	if i := bytes.Index(log, []byte(`"terms_version":"`)); i > 0 {
		terms = string(log[i : i+len(`"terms_version":"`)+1])
	}
	if _, err := mergesTo(t, good, replaced(terms, `"terms_version":"x`)); err == nil || !strings.Contains(err.Error(), "the version of the terms (") {
		t.Errorf("got %v", err)
	}
}

// TestManyMessagesInOneMerge merges 64 parts of generated messages, as many as TEST_MESSAGES says, finds each one by its fingerprint, and prints what the merge
// takes. It is for figures by hand.
func TestManyMessagesInOneMerge(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("TEST_MESSAGES"), "640"))
	noError(t, err)
	const parts = 64
	dir, random := t.TempDir(), rand.New(rand.NewPCG(1, 41))
	words, pairs := rand.NewZipf(random, 1.1, 20, 1<<20), rand.NewZipf(random, 1.05, 1000, 1<<25)
	var paths []string
	for p := range parts {
		documents := features.NewDocuments(0)
		w := documents.NewWriter()
		var entries []train.Entry
		for range n / parts {
			class := random.IntN(2)
			bag := generated(class, words, pairs, random)
			e := train.Entry{Terms: w.Add(bag.Document(), bag.Text), Label: class, Fingerprint: random.Uint64(), SplitKey: random.Uint64(), Size: 4000}
			entries = append(entries, e)
		}
		w.Close()
		noError(t, documents.Complete(1))
		paths = append(paths, filepath.Join(dir, fmt.Sprint(p)))
		mail := train.NewMail([]string{"ham", "spam"}, documents, entries)
		noError(t, Collect(t.Context(), paths[p], mail, "votes", train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions(), false))
	}
	runtime.GC()
	garbage.Limit(16 << 20)                                   // as the program does
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where there is one, the peak begins anew
	began := cputime.Process()
	m, err := Merge(t.Context(), paths, filepath.Join(dir, "out"), MergeOptions{RetrainOptions: RetrainOptions{Memory: 256 << 20}})
	noError(t, err)
	if m.Messages != n/parts*parts {
		t.Errorf("%d messages, want %d", m.Messages, n/parts*parts)
	}
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	t.Logf("%d messages, %d terms: %.1f s of CPU time, peak%s", m.Messages, m.Saved.Terms, (cputime.Process() - began).Seconds(), peak)
	v, err := Look(filepath.Join(dir, "out"))
	noError(t, err)
	defer v.Close()
	for _, e := range v.Entries() {
		is, err1 := v.find(e.Fingerprint)
		other, err2 := v.find(e.Fingerprint + 1)
		if is.what != learn || is.at != e.at || other.what != 0 || errors.Join(err1, err2) != nil {
			t.Fatalf("message %x: found at %d, want %d; another at %d: %v, %v", e.Fingerprint, is.at, e.at, other.at, err1, err2)
		}
	}
}

// generated returns a message of words and pairs of words that are as frequent as in mail, of which each class prefers some.
func generated(class int, words, pairs *rand.Zipf, random *rand.Rand) *features.Bag {
	b := new(features.Bag)
	add := func(group evidence.Group, n int, of *rand.Zipf) {
		for range n {
			term := of.Uint64()
			if term%16 == uint64(class) {
				term++
			}
			text := fmt.Appendf(nil, "%v:%d", group, term)
			if b.Add(xxhash.Sum64(text), group, false) {
				b.Name(text, nil)
			}
		}
	}
	add(evidence.Words, 80, words)
	add(evidence.Pairs, 60, pairs)
	add(evidence.Subject, 5, words)
	add(evidence.Fields, 10, words)
	text := make([]byte, 600)
	for i := range text {
		text[i] = 'a' + byte(random.IntN(4)*random.IntN(7))
	}
	b.AddGrams(text)
	return b
}
