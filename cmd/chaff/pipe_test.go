//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNoCommandWaitsForAPipeThatNobodyWritesTo gives a named pipe to whatever a path can be given to.
func TestNoCommandWaitsForAPipeThatNobodyWritesTo(t *testing.T) {
	h := newHome(t, "[[tune.search]]\nkey = \"model\"\nvalues = [\"bernoulli\", \"softmax\"]\n")
	for _, name := range []string{"pipe", "pipe.toml", "pipe.csv"} {
		if err := syscall.Mkfifo(h.path(name), 0o600); err != nil {
			t.Skipf("the system makes no named pipes: %v", err)
		}
	}
	h.writeModel()
	must(t, os.Link(h.path("model"), h.path("stored")))
	must(t, syscall.Mkfifo(h.path("stored.store"), 0o600))
	both := []string{"--ham", h.path("ham"), "--spam", h.path("spam")}
	for _, args := range [][]string{
		{"explain", "-m", h.path("model"), h.path("pipe")},
		{"tokens", h.path("pipe")},
		{"classify", "-m", h.path("model"), h.path("pipe")},
		{"learn", "--spam", "-m", h.path("stored"), h.path("ham")},
		{"retrain", "-m", h.path("stored")},
		{"status", "-m", h.path("stored")},
		{"merge", h.path("stored"), h.path("stored"), "-o", h.path("other")},
		{"review", "-m", h.path("stored"), "--maildir", h.path("ham")},
		{"train", "--ham", h.path("ham"), "--spam", h.path("pipe")},
		{"train", "--trec", h.path("pipe")},
		{"train", "--table", h.path("pipe")},
		{"train", "--maildir", h.path("pipe")},
		{"train", "--folders", h.path("pipe")},
		append([]string{"train", "-m", h.path("pipe"), "--model", "bernoulli"}, both...),
		append([]string{"train", "--config", h.path("pipe.toml")}, both...),
		{"import", h.path("pipe.csv"), "-m", h.path("hand")},
		append([]string{"tune", "--config", h.path("search.toml"), "-o", h.path("pipe.toml")}, both...),
		{"config", "--config", h.path("pipe.toml")},
	} {
		code := make(chan int)
		var stdout, stderr bytes.Buffer
		go func() {
			code <- run(t.Context(), args, []string{"HOME=" + h.dir}, strings.NewReader(""), &stdout, &stderr)
		}()
		select {
		case c := <-code:
			if c != exitError || stderr.Len() == 0 {
				t.Errorf("%.20q: exit code %d, stderr %q", args, c, stderr.String())
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%.20q waits for ever", args)
		}
	}
	for _, name := range []string{"pipe", "pipe.toml", "pipe.csv"} {
		if info, err := os.Stat(h.path(name)); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
			t.Errorf("%s is no pipe afterwards: %v, %v", name, info, err)
		}
	}
}

// TestWhatAProgramPrintsIsReadFromItsPipe passes pipes on as shells do for <(program).
func TestWhatAProgramPrintsIsReadFromItsPipe(t *testing.T) {
	h := newHome(t, "")
	h.writeModel()
	files, err := os.ReadDir(h.path("spam"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	message := h.read(filepath.Join("spam", files[0].Name()))
	for _, tt := range []struct {
		args []string
		text string
		want string
	}{
		{[]string{"explain", "-m", h.path("model")}, message, "P(spam) "},
		{[]string{"tokens"}, message, "Header"},
		{[]string{"classify", "-m", h.path("model")}, message, "spam"},
		{[]string{"import", "-m", h.path("hand")}, "term,weight\nbody:a,1\n", "Saved the weights of 1 term"},
	} {
		r, w, err := os.Pipe()
		must(t, err)
		go func() { time.Sleep(10 * time.Millisecond); w.WriteString(tt.text); w.Close() }()
		var stdout, stderr bytes.Buffer
		args := append(tt.args, fmt.Sprintf("/dev/fd/%d", r.Fd()))
		if code := run(t.Context(), args, []string{"HOME=" + h.dir}, strings.NewReader(""), &stdout, &stderr); code != 0 || !strings.Contains(stdout.String(), tt.want) {
			t.Errorf("%s: exit code %d, stderr %s, stdout %s", tt.args[0], code, stderr.String(), stdout.String())
		}
		r.Close()
	}
}

func TestAPipeAmongTheMailIsNamedAndTheOthersAreRead(t *testing.T) {
	h := home{t, t.TempDir()}
	writeEasy(t, h.dir, 0)
	if err := syscall.Mkfifo(h.path(filepath.Join("ham", "0.pipe")), 0o600); err != nil {
		t.Skipf("the system makes no named pipes: %v", err)
	}
	stdout, stderr, code := h.chaff(t.Context(), "train", nil, "-m", h.path("model"), "--model", "bernoulli")
	if code != 0 || !strings.Contains(stderr, "0.pipe is neither a file nor a folder") || !strings.Contains(stdout, "1 could not be read") {
		t.Errorf("train: exit code %d, stderr %s", code, stderr)
	}
	for _, args := range [][]string{{"tokens", h.path("ham")}, {"classify", "-m", h.path("model"), h.path("ham")}} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), args, []string{"HOME=" + h.dir}, strings.NewReader(""), &stdout, &stderr)
		if code != exitError || !strings.Contains(stderr.String(), "0.pipe is neither a file nor a folder") || strings.Count(stdout.String(), ".eml") < 10 {
			t.Errorf("%s: exit code %d, stderr %s", args[0], code, stderr.String())
		}
	}
}

// unwanted is a stdin that nobody may read: a pipe that stays open would stop who does.
type unwanted struct{ t *testing.T }

func (u unwanted) Read([]byte) (int, error) {
	u.t.Error("stdin is read")
	return 0, os.ErrDeadlineExceeded
}

func TestWhoHasAPathDoesNotReadStdin(t *testing.T) {
	h := newHome(t, "")
	h.writeModel()
	for _, args := range [][]string{
		{"tokens", h.path("ham")},
		{"tokens", "--format", "folder", h.path("ham")},
		{"classify", "-m", h.path("model"), h.path("ham")},
		{"explain", "-m", h.path("model"), h.path("ham/03-review-3391.eml")},
	} {
		var stdout, stderr bytes.Buffer
		run(t.Context(), args, []string{"HOME=" + h.dir}, unwanted{t}, &stdout, &stderr)
		if stdout.Len() == 0 {
			t.Errorf("%.20q prints nothing: %s", args, &stderr)
		}
	}
}
