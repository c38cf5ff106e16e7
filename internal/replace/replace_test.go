package replace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"chaff/test/testmain"
)

// childVariable names the file that the test binary writes again and again until it is killed.
const childVariable = "CHAFF_TEST_REPLACE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		for n := 0; ; n++ {
			if err := File(path, example, content(n), 0o600); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	testmain.Run(m)
}

// example is the kind of the files of these tests.
var example = Kind{Name: "example", Start: "#"}

// content is a file of which all or nothing must be seen: all of its bytes after the first are the same.
func content(n int) []byte {
	return append([]byte("#"), bytes.Repeat([]byte{byte('a' + n%26)}, 4<<20)...)
}

func isWhole(data []byte) bool {
	return len(data) == 4<<20+1 && bytes.Count(data[1:], data[1:2]) == len(data)-1
}

// temporary lists the files in a folder that are being written, or were.
func temporary(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func mustHave(t *testing.T, path, want string, mode fs.FileMode) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != want {
		t.Errorf("%s has %q, %v, want %q", path, data, err, want)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != mode {
		t.Errorf("%s has the mode %v, %v, want %v", path, info.Mode(), err, mode)
	}
}

func TestAFileIsReplacedInOneStep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, strings.Repeat("n", 250)) // nearly the longest name there can be
	if err := File(path, example, []byte("#first, longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustHave(t, path, "#first, longer", 0o600)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	old, err := OpenExisting(path, os.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := File(path, example, []byte("#second"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustHave(t, path, "#second", 0o640)
	before := make([]byte, 14)
	if _, err := old.Read(before); err != nil || string(before) != "#first, longer" {
		t.Errorf("who has the old file open reads %q, %v", before, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}

func TestWhatIsNoFileIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("From anna\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{dir: ErrFolder, other: OtherError("example")} {
		if err := File(path, example, nil, 0o600); err != want {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
	}
	mustHave(t, other, "From anna\n", 0o600)
	if err := File(filepath.Join(dir, "no", "file"), example, nil, 0o600); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), dir) {
		t.Errorf("in a folder that is not there: got %v", err)
	}
	if err := Probe(filepath.Join(dir, "no"), true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("probe: got %v", err)
	}
	if err := Probe(dir, true); err != nil || len(temporary(t, dir)) > 0 {
		t.Errorf("probe: got %v, and %v is left", err, temporary(t, dir))
	}
}

func TestAFullFolderOfTemporaryFilesIsNamed(t *testing.T) {
	err := Written("/dev/stdout", example, 0o600, func(file *os.File) error {
		return &fs.PathError{Op: "write", Path: file.Name(), Err: syscall.ENOSPC}
	})
	if want := "write a temporary file in " + os.TempDir() + ": "; !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestALinkLeadsToTheFileThatIsReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "models"), 0o700); err != nil {
		t.Fatal(err)
	}
	file, link := filepath.Join(dir, "models", "today"), filepath.Join(dir, "model")
	if err := os.Symlink(filepath.Join("models", "today"), link); err != nil {
		t.Skip(err)
	}
	if err := File(link, example, []byte("a"), 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link that leads nowhere: got %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := File(link, example, []byte("#second"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustHave(t, file, "#second", 0o600)
	if to, err := os.Readlink(link); err != nil || to != filepath.Join("models", "today") {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	if target, err := Target(link); err != nil || filepath.Base(target) != "today" { // as who only reads it asks
		t.Errorf("a link to a file that cannot be written leads to %q, %v", target, err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	if err := File(link, example, []byte("#"), 0o600); err != nil {
		t.Errorf("a link to a device: got %v", err)
	}
	if to, err := os.Readlink(link); err != nil || to != os.DevNull {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

func TestOnlyFilesOfTheKindAreReplaced(t *testing.T) {
	marked := Kind{Name: "page", Start: "<html>", Mark: "chaff"}
	for name, tt := range map[string]struct {
		kind Kind
		text string
		is   bool
	}{
		"an empty file":                   {marked, "", true},
		"a page of chaff":                 {marked, "<html>\nby chaff", true},
		"a page of others":                {marked, "<html>\nby hand", false},
		"a message that names the mark":   {marked, "Subject: <html> chaff", false},
		"a page with the mark far behind": {marked, "<html>" + strings.Repeat(" ", headSize) + "chaff", false},
		"half of a mark":                  {marked, "<htm", false},
		"a kind that nothing is of":       {Kind{Name: "key"}, "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := errors.Join(os.WriteFile(path, []byte(tt.text), 0o640), os.Chmod(path, 0o640)); err != nil { // whatever the umask is
				t.Fatal(err)
			}
			for _, err := range []error{tt.kind.Check(path), File(path, tt.kind, []byte("new"), 0o600)} {
				if tt.is && err != nil || !tt.is && err != OtherError(tt.kind.Name) {
					t.Errorf("got %v", err)
				}
			}
			if !tt.is {
				mustHave(t, path, tt.text, 0o640)
			}
		})
	}
}

// TestWhatAKilledProcessLeavesIsSweptOut kills a process that writes, in the middle of a file.
func TestWhatAKilledProcessLeavesIsSweptOut(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is known of Linux that a lock goes with its process")
	}
	dir, elsewhere := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "model")
	if err := File(path, example, content(0), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(dir, prefix+"notes") // not of the form of ours
	if err := os.WriteFile(theirs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	left := 0
	for range 20 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+path, "TMPDIR="+elsewhere)
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for begun := time.Now(); len(temporary(t, dir)) < 2 && time.Since(begun) < 10*time.Second; {
			time.Sleep(100 * time.Microsecond)
		}
		child.Process.Kill()
		child.Wait()
		if left = len(temporary(t, dir)) - 1; left > 0 {
			break // else the file was renamed meanwhile
		}
	}
	if left == 0 {
		t.Fatal("the process was never killed in the middle of a file")
	}
	if found, err := os.ReadDir(elsewhere); err != nil || len(found) > 0 {
		t.Errorf("in the folder for temporary files: %v, %v", found, err)
	}
	if data, err := os.ReadFile(path); err != nil || !isWhole(data) {
		t.Errorf("the target has %d bytes, %v: it is not whole", len(data), err)
	}
	if err := File(filepath.Join(dir, "other"), example, []byte("b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := temporary(t, dir); len(got) != 1 || got[0] != theirs {
		t.Errorf("after the next file there are %v", got)
	}
}

func TestAFileThatIsBeingWrittenIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	folder, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	file, err := create(folder, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, link := range []string{"a", "b"} { // a sweep follows no link, wherever it leads
		if err := os.Symlink(filepath.Join(t.TempDir(), link), filepath.Join(dir, prefix+link+suffix)); err != nil {
			t.Skip(err)
		}
	}
	if err := File(filepath.Join(dir, "model"), example, []byte("#"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file.Name()); err != nil {
		t.Errorf("a file that is being written was swept out: %v", err)
	}
	if got := temporary(t, dir); len(got) != 3 {
		t.Errorf("there are %v", got)
	}
}

// A link to the folder takes root more steps, between which others may replace a file.
func TestManyWritersDoNotSweepOutEachOther(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Skip(err)
	}
	errs := make(chan error)
	for n := range 8 {
		go func() {
			var failed error
			for i := range 25 {
				failed = errors.Join(failed, File(filepath.Join(dir, fmt.Sprint(n%4)), example, []byte("#"+strings.Repeat(fmt.Sprint(n), 100+i)), 0o600))
			}
			errs <- failed
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}
