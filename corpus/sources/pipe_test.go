//go:build unix

package sources

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// makePipe makes a named pipe.
func makePipe(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("the system makes no named pipes: %v", err)
	}
	return path
}

// soon fails a test in which something waits for a writer that never comes.
func soon(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for ever")
	}
}

// mailOf returns what is read of all messages, and the errors.
func mailOf(source Source) (mail []string, errs []error) {
	for item, err := range source {
		var raw []byte
		if err == nil {
			raw, err = item.Read(nil)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		mail = append(mail, string(raw))
	}
	return mail, errs
}

func TestAPipeIsReadToItsEnd(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte("Subject: a\n\nb\n"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	mbox := strings.Repeat("From a@b Thu Jan  1 00:00:00 2004\nSubject: a\n\nb\n\n", 3)
	for name, tt := range map[string]struct {
		text   string
		format Format
		mail   int
	}{
		"a message":           {"Subject: a\n\nb\n", Message, 1},
		"a message in pieces": {"Subject: a\n\n" + strings.Repeat("b\n", 100_000), Message, 1},
		"packed":              {packed.String(), Message, 1},
		"an mbox":             {mbox, Mbox, 3},
	} {
		t.Run(name, func(t *testing.T) {
			soon(t, func() {
				// As a shell passes on what a program prints: the path is that of a descriptor.
				r, pipe, err := os.Pipe()
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Close()
				go func() { pipe.WriteString(tt.text); pipe.Close() }()
				source, found, err := Open(fmt.Sprintf("/dev/fd/%d", r.Fd()), "spam", "")
				if err != nil || found.Format != tt.format {
					t.Errorf("found %v, error %v", found, err)
					return
				}
				if mail, errs := mailOf(source); len(mail) != tt.mail || len(errs) > 0 || !strings.HasPrefix(mail[0], "Subject: a") && !strings.HasPrefix(mail[0], "From ") {
					t.Errorf("%d messages, errors %v", len(mail), errs)
				}
			})
		})
	}
}

func TestAPipeThatNobodyWritesToIsAnError(t *testing.T) {
	pipe := makePipe(t, filepath.Join(t.TempDir(), "pipe"))
	soon(t, func() {
		if _, _, err := Open(pipe, "spam", ""); err == nil || !strings.Contains(err.Error(), "is a pipe that nothing was written to") {
			t.Errorf("got %v", err)
		}
		for what, open := range map[string]func(string) (Source, error){
			"a list":   OpenList,
			"an index": OpenTREC,
			"a table": func(path string) (Source, error) {
				table, err := OpenTable(path, TableOptions{})
				return table.Source(), err
			},
		} {
			if _, err := open(pipe); err == nil || !strings.Contains(err.Error(), errSpecial.Error()) {
				t.Errorf("%s: got %v", what, err)
			}
		}
	})
}

func TestWhatIsNoMailAmongTheMailIsLeftOutAndCounted(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"folder", "maildir/cur"} {
		makePipe(t, filepath.Join(dir, sub, "2.pipe"))
		if err := os.WriteFile(filepath.Join(dir, sub, "1.mail"), []byte("Subject: a\n\nb\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("2.pipe", filepath.Join(dir, sub, "3.link")); err != nil {
			t.Fatal(err)
		}
		socket, err := net.Listen("unix", filepath.Join(dir, sub, "4.socket"))
		if err != nil {
			t.Skipf("the system makes no sockets here: %v", err)
		}
		defer socket.Close()
		makePipe(t, filepath.Join(dir, sub, ".hidden"))
	}
	if err := os.Mkdir(filepath.Join(dir, "maildir", "new"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"folder", "maildir"} {
		soon(t, func() {
			source, _, err := Open(filepath.Join(dir, name), "ham", "")
			if err != nil {
				t.Error(err)
				return
			}
			mail, errs := mailOf(source)
			if len(mail) != 1 || len(errs) != 3 {
				t.Errorf("%s: %d messages, errors %v", name, len(mail), errs)
			}
			for _, err := range errs {
				if !strings.Contains(err.Error(), errSpecial.Error()) {
					t.Errorf("%s: got %v", name, err)
				}
			}
		})
	}
}

func TestAMessageThatBecameAPipeIsAnError(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "1.mail")
	if err := os.WriteFile(name, []byte("Subject: a\n\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, _, err := Open(dir, "ham", "")
	if err != nil {
		t.Fatal(err)
	}
	var items []Item
	for item, err := range source {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	if err := os.Remove(name); err != nil || len(items) != 1 {
		t.Fatal(len(items), err)
	}
	makePipe(t, name)
	soon(t, func() {
		if _, err := items[0].Read(nil); err == nil || !strings.Contains(err.Error(), errSpecial.Error()) {
			t.Errorf("got %v", err)
		}
	})
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("it is %v, %v", info, err)
	}
}
