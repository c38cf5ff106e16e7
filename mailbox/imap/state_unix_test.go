//go:build unix

package imap

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"chaff/internal/replace"
)

// TestAStateOfAnotherUserIsNotUsed puts a state beside a model in a folder where anyone can create files: it could say that all mail was judged.
func TestAStateOfAnotherUserIsNotUsed(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	if err := errors.Join(syscall.Mkfifo(model+Suffix, 0o600), os.WriteFile(model, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(model, false); !errors.Is(err, replace.ErrSpecial) {
		t.Errorf("a pipe: %v", err)
	}
	if os.Getuid() != 0 {
		t.Skip("only root can make files of another user")
	}
	err := errors.Join(os.Remove(model+Suffix), os.Chmod(filepath.Dir(model), 0o777|os.ModeSticky), os.WriteFile(model+Suffix, []byte("{}"), 0o666))
	if err = errors.Join(err, os.Chown(model+Suffix, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(model, false); !errors.Is(err, replace.ErrOwner) {
		t.Errorf("of another user: %v", err)
	}
}
