//go:build unix

package main

import (
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
		ended := make(chan outcome)
		go func() { ended <- chaff(t, h.dir, args...) }()
		select {
		case got := <-ended:
			if got.code != exitError || got.errors == "" {
				t.Errorf("%.20q: %v", args, got)
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
		args := append(tt.args, fmt.Sprintf("/dev/fd/%d", r.Fd()))
		if got := chaff(t, h.dir, args...); got.code != 0 || !strings.Contains(got.out, tt.want) {
			t.Errorf("%s: %v", tt.args[0], got)
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
	got := chaff(t, h.dir, "train", "--ham", h.path("ham"), "--spam", h.path("spam"), "-m", h.path("model"), "--model", "bernoulli")
	if got.code != 0 || !strings.Contains(got.errors, "0.pipe is neither a file nor a folder") || !strings.Contains(got.out, "1 could not be read") {
		t.Errorf("train: %v", got)
	}
	for _, args := range [][]string{{"tokens", h.path("ham")}, {"classify", "-m", h.path("model"), h.path("ham")}} {
		got := chaff(t, h.dir, args...)
		if got.code != exitError || !strings.Contains(got.errors, "0.pipe is neither a file nor a folder") || strings.Count(got.out, ".eml") < 10 {
			t.Errorf("%s: %v", args[0], got)
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
		if got := chaffWith(t, []string{"HOME=" + h.dir}, unwanted{t}, args...); got.out == "" {
			t.Errorf("%.20q prints nothing: %v", args, got)
		}
	}
}

func TestAMessageOnStdinIsReadEvenIfThereIsNoModel(t *testing.T) {
	for _, args := range [][]string{{"classify"}, {"classify", "-", "other"}, {"explain"}, {"explain", "-"}, {"tokens"}, {"learn", "--spam"}, {"learn", "--spam", "-"}} {
		message := strings.NewReader("Subject: a\n\n" + strings.Repeat("b\n", 100_000))
		got := chaffWith(t, []string{"HOME=" + t.TempDir()}, message, append(args, "-m", "nowhere")...)
		if got.code != exitError || message.Len() > 0 {
			t.Errorf("%s: %d bytes are left: %v", args, message.Len(), got)
		}
	}
}
