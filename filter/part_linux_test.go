package filter

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"chaff/internal/replace"
)

func TestAModelThatChangesWhileItIsReadIsAnError(t *testing.T) {
	f := spamFilter(t)
	data := encode(t, f)
	want := f.Classify([]byte(knownLetter))
	for name, tt := range map[string]struct {
		change func(path string) error
		errs   bool
	}{
		"it does not change":      {func(string) error { return nil }, false},
		"it is emptied":           {func(path string) error { return os.Truncate(path, 0) }, true},
		"it is truncated":         {func(path string) error { return os.Truncate(path, int64(len(data)/2)) }, true},
		"it grows":                {func(path string) error { return os.Truncate(path, int64(len(data)*2)) }, true},
		"it is rewritten":         {func(path string) error { return os.WriteFile(path, data, 0o600) }, true},
		"it is replaced":          {f.Save, false},
		"it is removed":           {os.Remove, false},
		"it is filled with zeros": {func(path string) error { return os.WriteFile(path, make([]byte, len(data)), 0o600) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "model")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			old := time.Now().Add(-time.Minute) // file times may be coarse
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
			one, err := openOne(path, true, later())
			if err != nil {
				t.Fatal(err)
			}
			if err := tt.change(path); err != nil {
				t.Fatal(err)
			}
			got, err := one.Classify([]byte(knownLetter))
			if errors.Is(err, ErrChanged) != tt.errs || err == nil && got != want {
				t.Errorf("got %+v and %v", got, err)
			}
		})
	}
}

func TestAllOfANewFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	if err := spamFilter(t).Save(path); err != nil {
		t.Fatal(err)
	}
	f, err := OpenOne(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	want := spamFilter(t).Classify([]byte(knownLetter))
	if got, err := f.Classify([]byte(knownLetter)); got != want || err != nil {
		t.Errorf("got %+v and %v, want %+v", got, err, want)
	}
}

// Another goroutine rewrites the file in place.
func TestAModelThatIsBeingRewrittenGivesNoWrongVerdict(t *testing.T) {
	f := spamFilter(t)
	other := spamFilter(t)
	for i := range other.linear.Weights {
		other.linear.Weights[i] *= -3
	}
	models := [][]byte{encode(t, f), encode(t, other)}
	verdicts := map[Classification]bool{f.Classify([]byte(knownLetter)): true, other.Classify([]byte(knownLetter)): true}
	if len(verdicts) != 2 {
		t.Fatal("both models classify alike")
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := os.WriteFile(path, models[0], 0o600); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(i%7) * 100 * time.Microsecond):
			}
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err == nil && i%3 == 0 {
				err = file.Truncate(0)
			}
			for model := models[i%2]; err == nil && len(model) > 0; model = model[min(len(model), 512):] {
				_, err = file.Write(model[:min(len(model), 512)])
			}
			if err != nil {
				t.Error(err)
				return
			}
			file.Close()
		}
	})
	verdictCount := 0
	for i := range 2000 {
		open := time.Now
		if i%2 == 0 { // as if the file were settled
			open = later
		}
		one, err := openOne(path, true, open())
		if err != nil {
			continue
		}
		got, err := one.Classify([]byte(knownLetter))
		if err == nil {
			verdictCount++
			// A settled file may be in the middle of a change that its times do not show yet.
			if i%2 != 0 && !verdicts[got] {
				t.Fatalf("got %+v", got)
			}
		}
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	writer.Wait()
	if verdictCount == 0 {
		t.Error("no verdict was given")
	}
}

func TestCloseClosesTheFile(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	p.learn(letters(1)[0], 1)
	path, err := filepath.EvalSymlinks(p.path) // as the system names open files
	noError(t, err)
	openFiles := func() (n int) {
		files, err := filepath.Glob("/proc/self/fd/*")
		noError(t, err)
		for _, file := range files {
			if name, _ := os.Readlink(file); strings.HasPrefix(name, path) {
				n++
			}
		}
		return n
	}
	for name, tt := range map[string]struct {
		open  func() (opened, error)
		files int
	}{
		"for one message": {func() (opened, error) { return openOne(p.path, true, later()) }, 2}, // its log too,
		"learned":         {func() (opened, error) { return OpenLearned(p.path) }, 1},
		"the model alone": {func() (opened, error) { return Open(p.path) }, 1},
	} {
		f, err := tt.open()
		if n := openFiles(); err != nil || n != tt.files {
			t.Fatalf("%s: %d files are open, want %d; error %v", name, n, tt.files, err)
		}
		if err := f.Close(); err != nil || openFiles() > 0 {
			t.Errorf("%s: %d files stay open; error %v", name, openFiles(), err)
		}
	}
	if err := spamFilter(t).Close(); err != nil {
		t.Errorf("a filter without a file: %v", err)
	}
}

func TestOpenDoesNotWaitForAFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() (opened, error){
		"Open":    func() (opened, error) { return Open(path) },
		"OpenOne": func() (opened, error) { return OpenOne(path) },
	} {
		if _, err := open(); !errors.Is(err, ErrNotModel) {
			t.Errorf("%s: got %v, want %v", name, err, ErrNotModel)
		}
	}
	model := filepath.Join(t.TempDir(), "model")
	noError(t, spamFilter(t).Save(model))
	noError(t, syscall.Mkfifo(model+LogSuffix, 0o600))
	for name, open := range openers(model) {
		if f, err := open(); err != nil || !errors.Is(f.LogErr(), replace.ErrSpecial) {
			t.Errorf("the log is a FIFO, %s: got %v, %v, want %v", name, err, f.LogErr(), replace.ErrSpecial)
		}
	}
}
