package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAWatchPrintsWhatItLearns ends a watch by what an interrupt ends: its context.
func TestAWatchPrintsWhatItLearns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, box := filepath.Join(dir, "model"), filepath.Join(dir, "Maildir")
	if got := chaff(t, dir, "learn", "--begin", "-m", model, "--model", "multinomial"); got.code != 0 {
		t.Fatal(got)
	}
	var errs bytes.Buffer
	for _, folder := range []string{"", ".Junk"} {
		must(t, os.MkdirAll(filepath.Join(box, folder, "new"), 0o700))
	}
	writeMessage(t, filepath.Join(box, "cur"), "1.a:2,S", []byte("Subject: tea\n\nbread and tea\n"))
	writeMessage(t, filepath.Join(box, ".Junk", "cur"), "1.b"+evilName+":2,S", []byte("Subject: pills\n\ncheap pills\n"))
	ctx, interrupt := context.WithTimeout(t.Context(), time.Minute)
	defer interrupt()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"watch", "-m", model, "--maildir", box}, nil, nil, in, &errs)
		in.Close()
	}()
	var lines []string
	for s := bufio.NewScanner(out); s.Scan(); {
		lines = append(lines, strings.ReplaceAll(s.Text(), dir+"/", ""))
		if len(lines) == 2 {
			interrupt()
		}
	}
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	want := []string{"learned ham: Maildir/cur/1.a:2,S", `learned spam: Maildir/.Junk/cur/1.b\x1b[2J\n:2,S`}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("it prints %q, want %q; %s", lines, want, &errs)
	}
}

// evilName is part of a file name that a terminal would obey.
const evilName = "\x1b[2J\n"

func TestAWatchThatCannotBeginFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model := filepath.Join(dir, "model")
	if got := chaff(t, dir, "learn", "--begin", "-m", model, "--model", "multinomial"); got.code != 0 {
		t.Fatal(got)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "chaff: no mailbox given\nchaff: hint: chaff watch --maildir ~/Maildir\n"},
		{[]string{"--maildir", filepath.Join(dir, "nowhere")}, "chaff: open " + filepath.Join(dir, "nowhere") + ": no such file or directory\n"},
		{[]string{"--maildir", dir, "-m", filepath.Join(dir, "none")}, "chaff: there is no model " + filepath.Join(dir, "none")},
	} {
		got := chaff(t, dir, append([]string{"watch", "-m", model}, c.args...)...)
		if got.code != 1 || !strings.HasPrefix(got.errors, c.want) {
			t.Errorf("%q: %v, want %q", c.args, got, c.want)
		}
	}
}
