package serve

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"chaff/filter"
)

func TestAModelOfAUserThatCannotBeUsedIsClosed(t *testing.T) {
	e, _ := startUsers(t, nil)
	learn(t, e, "alice", mail("spam", 70), "spam")
	judge(t, e, "alice", mail("spam", 70))
	path, _ := e.users.pathOf("alice")
	if err := os.WriteFile(path+filter.LogSuffix, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would close it
	openFiles := func() (n int) {
		files, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name, _ := os.Readlink(file); strings.HasPrefix(name, path) {
				n++
			}
		}
		return n
	}
	before := openFiles()
	for range 5 { // seconds in which it is tried again
		e.users.follow(e.shared.current(), false)
	}
	more := func() int { return openFiles() - before }
	for end := time.Now().Add(5 * time.Second); more() > 0 && time.Now().Before(end); { // the daemon itself may be trying again
		time.Sleep(10 * time.Millisecond)
	}
	if n := more(); n > 0 {
		t.Errorf("%d more files are open", n)
	}
}
