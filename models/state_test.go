package models_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"chaff/features"
	"chaff/models"
)

// stream returns an online learner of the named model and documents for it.
func stream(t testing.TB, name string, classes int) (models.Online, *features.Dataset) {
	t.Helper()
	_, kind, err := models.DefaultOptions().New(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	d := randomDataset(5, kind, 60, 50, classes, 10)
	l, _, err := models.DefaultOptions().NewOnline(name, d.Classes)
	if err != nil {
		t.Fatal(err)
	}
	return l, d
}

func learn(l models.Online, d *features.Dataset, from, to int) {
	for i := from; i < to; i++ {
		l.Learn(d.Row(i), int(d.Labels[i]))
	}
}

// save returns the state of l and what LoadOnline makes of it.
func save(t *testing.T, l models.Online) ([]byte, models.Online) {
	t.Helper()
	data, err := l.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	loaded, _, err := models.LoadOnline(data)
	if err != nil {
		t.Fatal(err)
	}
	return data, loaded
}

func wantSameScores(t *testing.T, got, want models.Online, d *features.Dataset) {
	t.Helper()
	for i := range d.Len() {
		if got, want := got.Scores(nil, d.Row(i)), want.Scores(nil, d.Row(i)); !slices.Equal(got, want) {
			t.Fatalf("document %d: got the scores %v, want %v", i, got, want)
		}
	}
}

func eachStream(t *testing.T, test func(t *testing.T, l models.Online, d *features.Dataset)) {
	for _, name := range models.Names() {
		for _, classes := range []int{2, 3} {
			t.Run(fmt.Sprintf("%s, %d classes", name, classes), func(t *testing.T) {
				l, d := stream(t, name, classes)
				test(t, l, d)
			})
		}
	}
}

func TestSavingInTheMiddleOfAStreamChangesNothing(t *testing.T) {
	eachStream(t, func(t *testing.T, l models.Online, d *features.Dataset) {
		learn(l, d, 0, 30)
		_, loaded := save(t, l)
		wantSameScores(t, loaded, l, d)
		learn(l, d, 30, 60)
		learn(loaded, d, 30, 60)
		wantSameScores(t, loaded, l, d)
		data, _ := save(t, l)
		if again, _ := save(t, loaded); !bytes.Equal(again, data) {
			t.Error("the states differ after the second half")
		}
	})
}

func TestTheModelOfAnOnlineLearnerHasItsScores(t *testing.T) {
	eachStream(t, func(t *testing.T, l models.Online, d *features.Dataset) {
		learn(l, d, 0, 60)
		linear, err := l.Linear()
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Len() {
			want, got := l.Scores(nil, d.Row(i)), linear.Scores(nil, d.Row(i))
			for c := range want {
				if math.Abs((got[c]-got[0])-(want[c]-want[0])) > 1e-4*max(1, math.Abs(want[c])) {
					t.Fatalf("document %d: got %v, want %v", i, got, want)
				}
			}
		}
	})
}

func TestCountingLearnersForgetAndMerge(t *testing.T) {
	var counting []string
	eachStream(t, func(t *testing.T, l models.Online, d *features.Dataset) {
		whole, is := l.(models.CountingLearner)
		if !is {
			return
		}
		counting = append(counting, t.Name())
		learn(whole, d, 0, 30)
		_, half := save(t, whole)
		learn(whole, d, 30, 60)
		_, other := save(t, whole)
		for i := range 30 {
			other.(models.CountingLearner).Forget(d.Row(i), int(d.Labels[i]))
		}
		merged := half.(models.CountingLearner)
		if err := merged.Merge(other.(models.CountingLearner).Counts(), nil); err != nil {
			t.Fatal(err)
		}
		want, _ := save(t, whole)
		if got, _ := save(t, merged); !bytes.Equal(got, want) {
			t.Errorf("got the state %x, want %x", got, want)
		}
	})
	if want := 2 * 5; len(counting) != want { // naive Bayes and the baselines
		t.Errorf("counting learners are %q, want %d", counting, want)
	}
}

func TestBytesThatAreNoStateAreRefused(t *testing.T) {
	l, d := stream(t, "votes", 2)
	learn(l, d, 0, 5)
	data, loaded := save(t, l)
	if again, _ := save(t, loaded); !bytes.Equal(again, data) {
		t.Error("a loaded state is saved as other bytes")
	}
	for n := range data {
		if _, _, err := models.LoadOnline(data[:n]); !errors.Is(err, models.ErrState) {
			t.Fatalf("of %d bytes the first %d: got %v", len(data), n, err)
		}
		if _, _, err := models.LoadOnline(withChecksum(data[:n])); n != len(data)-4 && !errors.Is(err, models.ErrState) {
			t.Fatalf("of %d bytes the first %d with a checksum: got %v", len(data), n, err)
		}
	}
	damaged := slices.Clone(data)
	damaged[len(data)/2] ^= 1
	if _, _, err := models.LoadOnline(damaged); !errors.Is(err, models.ErrState) {
		t.Errorf("a flipped bit: got %v", err)
	}
}

// withChecksum returns the body followed by its checksum.
func withChecksum(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.ChecksumIEEE(body))
}

// FuzzLoadOnline loads any bytes with a valid checksum. What loads can be scored, learnt with, saved and loaded again.
func FuzzLoadOnline(f *testing.F) {
	for _, name := range models.Names() {
		l, d := stream(f, name, 2)
		learn(l, d, 0, 3)
		data, err := l.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:len(data)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		l, _, err := models.LoadOnline(withChecksum(body))
		if err != nil {
			if !errors.Is(err, models.ErrState) {
				t.Errorf("got %v", err)
			}
			return
		}
		data, err := l.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := models.LoadOnline(data); err != nil {
			t.Errorf("a saved state does not load: %v", err)
		}
		x := features.Vector{IDs: []uint32{0, 3}, Values: []float32{1, 1}}
		l.Scores(nil, x)
		l.Learn(x, 1)
		l.Scores(nil, x)
		_, _ = l.Linear()
	})
}
