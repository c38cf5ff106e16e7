//go:build unix

package sources

import (
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

// makePipe makes a named pipe and returns its path.
func makePipe(t *testing.T, path string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("the system makes no named pipes: %v", err)
	}
	return path
}

// soon fails a test that waits for a writer forever.
func soon(t *testing.T, do func()) {
	t.Helper()
	timer := time.AfterFunc(20*time.Second, func() { panic(t.Name() + " waits for ever") })
	defer timer.Stop()
	do()
}

func TestAPipeIsReadToItsEnd(t *testing.T) {
	mbox := strings.Repeat("From a@b Thu Jan  1 00:00:00 2004\nSubject: a\n\nb\n\n", 3)
	for name, tt := range map[string]struct {
		text   string
		format Format
		mail   int
	}{
		"a message":           {"Subject: a\n\nb\n", Message, 1},
		"a message in pieces": {"Subject: a\n\n" + strings.Repeat("b\n", 100_000), Message, 1},
		"packed":              {pack(t, gzipped, "Subject: a\n\nb\n"), Message, 1},
		"an mbox":             {mbox, Mbox, 3},
	} {
		t.Run(name, func(t *testing.T) {
			soon(t, func() {
				// As a shell passes on what a program prints: the path is that of a descriptor.
				r, pipe, err := os.Pipe()
				must(t, err)
				defer r.Close()
				go func() { pipe.WriteString(tt.text); pipe.Close() }()
				mail := contents(openAs(t, fmt.Sprintf("/dev/fd/%d", r.Fd()), tt.format))
				if len(mail) != tt.mail || !strings.HasPrefix(mail[0], "ham: Subject: a") && !strings.HasPrefix(mail[0], "ham: From ") {
					t.Errorf("got %.200q", mail)
				}
			})
		})
	}
}

func TestALabelledPipeIsReadToItsEnd(t *testing.T) {
	one := filepath.Join(tree(t, map[string]string{"1": "\na"}), "1")
	for format, text := range map[Format]string{CSV: "label,text\nham,a\nspam,a\n", Index: "ham " + one + "\nspam " + one + "\n"} {
		soon(t, func() {
			r, pipe, err := os.Pipe()
			must(t, err)
			defer r.Close()
			go func() { pipe.WriteString(text); pipe.Close() }()
			source, err := openLabelled(fmt.Sprintf("/dev/fd/%d", r.Fd()), format)
			must(t, err)
			check(t, string(format), contents(source), []string{"ham: \na", "spam: \na"})
		})
	}
}

func TestAPipeThatNobodyWritesToIsAnError(t *testing.T) {
	pipe := makePipe(t, filepath.Join(t.TempDir(), "pipe"))
	soon(t, func() {
		_, _, err := openFound(pipe, "spam", "")
		checkError(t, err, "is an empty pipe")
		for _, format := range []Format{Index, CSV} {
			_, err := openLabelled(pipe, format)
			checkError(t, err, "is an empty pipe")
		}
	})
}

func TestWhatIsNoMailAmongTheMailIsLeftOutAndCounted(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"folder", "maildir/cur"} {
		pipe, err := os.OpenFile(makePipe(t, filepath.Join(dir, sub, "2.pipe")), os.O_RDWR, 0) // its writer never ends
		must(t, err)
		defer pipe.Close()
		must(t, os.WriteFile(filepath.Join(dir, sub, "1.mail"), []byte("Subject: a\n\nb\n"), 0o600))
		must(t, os.Symlink("2.pipe", filepath.Join(dir, sub, "3.link")))
		socket, err := net.Listen("unix", filepath.Join(dir, sub, "4.socket"))
		if err != nil {
			t.Skipf("the system makes no sockets here: %v", err)
		}
		defer socket.Close()
		makePipe(t, filepath.Join(dir, sub, ".hidden"))
	}
	must(t, os.Mkdir(filepath.Join(dir, "maildir", "new"), 0o700))
	for _, name := range []string{"folder", "maildir"} {
		soon(t, func() {
			got := contents(open(t, filepath.Join(dir, name), ""))
			if all := strings.Join(got, ""); len(got) != 4 || strings.Count(all, "ham: Subject: a") != 1 || strings.Count(all, errSpecial.Error()) != 3 {
				t.Errorf("%s: got %q", name, got)
			}
		})
	}
}

func TestAMessageThatBecameAPipeIsAnError(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "1.mail")
	must(t, os.WriteFile(name, []byte("Subject: a\n\nb\n"), 0o600))
	source := open(t, dir, "")
	items := itemsOf(t, source)
	if err := os.Remove(name); err != nil || len(items) != 1 {
		t.Fatal(len(items), err)
	}
	makePipe(t, name)
	soon(t, func() {
		_, err := readAny(items[0], nil)
		checkError(t, err, errSpecial.Error())
	})
	if info, err := os.Stat(name); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("it is %v, %v", info, err)
	}
}
