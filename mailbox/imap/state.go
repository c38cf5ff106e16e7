package imap

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"

	"chaff/internal/replace"
)

// Suffix is what the name of the file of a State has after that of the model.
const Suffix = ".imap"

// ErrRunning is returned for a state that another process is using.
var ErrRunning = errors.New("another chaff imap is running with this model")

// maxMoved is how many messages of an account are remembered.
const maxMoved = 5000

// State is what is remembered of accounts.
type State struct {
	path     string
	lock     *os.File
	accounts map[string]*remembered
}

// remembered is what is remembered of an account.
type remembered struct {
	// Validity is that of the numbers of the inbox, and Last the number of the last message that was judged.
	Validity uint32   `json:"validity"`
	Last     imap.UID `json:"last"`
	// Moved are the messages that were moved to the folder for spam, the last one at the end.
	Moved []moved `json:"moved,omitempty"`
}

// moved is a message that was moved to the folder for spam.
type moved struct {
	Hash string `json:"hash"`
	// UID was its number in the inbox. A message that still has it was not moved: the server refused, or the connection broke.
	UID imap.UID `json:"uid,omitempty"`
}

// OpenState reads what is remembered beside the model at path. If it is to be written, no other process may do so until it is closed.
func OpenState(path string, write bool) (*State, error) {
	s := &State{path: path + Suffix, accounts: map[string]*remembered{}}
	if write {
		if err := s.take(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", s.path, err)
		}
	}
	if err := s.read(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Close()
		return nil, fmt.Errorf("read %s: %w: remove it to begin anew", s.path, err)
	}
	return s, nil
}

func (s *State) take() (err error) {
	if s.lock, err = replace.Open(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return replace.Reason(err)
	}
	locked, err := replace.Lock(s.lock)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil
	case err == nil && !locked:
		err = ErrRunning
	}
	if err != nil {
		s.lock.Close()
	}
	return err
}

func (s *State) read() error {
	file, _, err := replace.OpenRegular(s.path, strings.TrimSuffix(s.path, Suffix), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := json.NewDecoder(file).Decode(&s.accounts); err != nil {
		return err
	}
	if s.accounts == nil || slices.Contains(slices.Collect(maps.Values(s.accounts)), nil) {
		return errors.New("it is damaged")
	}
	return nil
}

func (s *State) save() error {
	data, _ := json.MarshalIndent(s.accounts, "", " ") // no error: it has nothing but numbers and texts
	if err := replace.File(s.path, replace.Kind{Name: "state", Start: "{"}, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	return nil
}

// Close lets other processes write the state.
func (s *State) Close() {
	if s.lock != nil {
		replace.Unlock(s.lock)
	}
}

// of returns what is remembered of an account.
func (s *State) of(a Account) *remembered {
	name := a.String()
	if s.accounts[name] == nil {
		s.accounts[name] = &remembered{}
	}
	return s.accounts[name]
}

// hashOf identifies a message by all its bytes: the same spam, sent twice, comes by another way or at another time.
func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// has reports whether a message was moved, or was about to be.
func (r *remembered) has(hash string) bool {
	return slices.ContainsFunc(r.Moved, func(m moved) bool { return m.Hash == hash })
}

// add remembers messages that are about to be moved.
func (r *remembered) add(spam []moved) {
	r.Moved = append(slices.DeleteFunc(r.Moved, func(m moved) bool { return slices.Contains(spam, m) }), spam...)
	if more := len(r.Moved) - maxMoved; more > 0 {
		r.Moved = slices.Delete(r.Moved, 0, more)
	}
}
