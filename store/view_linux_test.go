package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"chaff/internal/logfile"
	"chaff/test/corpustest"
)

func TestALookThatFailsLeavesNoFileOpen(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close them
	first := trained(t, "multinomial", corpustest.Mailbox(1, 5, "ham", "spam"))
	path := copyStore(t, first, contents(t, first+Suffix)[:1000])
	if _, err := Look(path); !errors.Is(err, logfile.ErrDamaged) && !errors.Is(err, logfile.ErrTruncated) {
		t.Fatalf("got %v", err)
	}
	files, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name, _ := os.Readlink(file); strings.HasPrefix(name, path) {
			t.Errorf("%s is open", filepath.Base(name))
		}
	}
}
