//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chaff/filter"
	"chaff/internal/replace"
	"chaff/test/corpustest"
)

// plant copies a file as another user would.
func plant(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o666)
	}
	if err == nil {
		err = os.Chown(to, 65534, 65534)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestAStoreThatAnotherUserPutThereIsNotUsed puts a log beside a model in a folder where anyone can create files.
func TestAStoreThatAnotherUserPutThereIsNotUsed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make files of another user")
	}
	theirs := trained(t, "multinomial", corpustest.Mailbox(2, 30, "ham", "spam"))
	path := trained(t, "multinomial", corpustest.Mailbox(1, 30, "ham", "spam"))
	if err := errors.Join(os.Remove(path+Suffix), os.Chmod(filepath.Dir(path), 0o777|os.ModeSticky)); err != nil {
		t.Fatal(err)
	}
	own, err := filter.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, theirs+Suffix, path+Suffix)
	f, err := filter.OpenLearned(path)
	if err != nil || f.Identity() != own.Identity() || !errors.Is(f.LogErr(), replace.ErrOwner) {
		t.Errorf("the filter is %x, want %x; %v, %v", f.Identity(), own.Identity(), err, f.LogErr())
	}
	if s, err := Open(t.Context(), path, DefaultOptions()); !errors.Is(err, replace.ErrOwner) {
		t.Errorf("the store opens for learning: %v, %v", s, err)
	}
	if _, err := Look(path); !errors.Is(err, replace.ErrOwner) {
		t.Errorf("the store opens for reading: %v", err)
	}
}

func TestNobodyWaitsForAFIFO(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 30, "ham", "spam"))
	within := func(what string, do func() error, want string) {
		t.Helper()
		done := make(chan error, 1)
		go func() { done <- do() }()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", what, err, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatal(what + " waits")
		}
	}
	open := func() error {
		s, err := Open(t.Context(), path, DefaultOptions())
		if err == nil {
			s.Close()
		}
		return err
	}
	noError(t, os.Remove(path+Suffix))
	if err := syscall.Mkfifo(path+Suffix, 0o600); err != nil {
		t.Skip(err)
	}
	within("a store to write", open, "it is not a regular file")
	within("a store to read", func() error { _, err := Look(path); return err }, "it is not a regular file")
	noError(t, syscall.Mkfifo(path+sharingSuffix, 0o600))
	within("what chaff share says", func() error { _, _, err := ReadSharing(path); return err }, "it is not a regular file")
}
