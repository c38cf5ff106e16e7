package serve

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"chaff/filter"
)

func TestNoModelOfAUserStaysOpen(t *testing.T) {
	e, _ := startUsers(t, nil)
	learn(t, e, "alice", mail("spam", 70), "spam")
	path, _ := e.users.pathOf("alice")
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close it
	for _, state := range []string{"whole", "with a damaged log"} {
		for range 5 {
			judge(t, e, "alice", mail("spam", 70))
		}
		files, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name, _ := os.Readlink(file); strings.HasPrefix(name, path) {
				t.Errorf("%s: %s is open", state, name)
			}
		}
		if err := os.WriteFile(path+filter.LogSuffix, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
