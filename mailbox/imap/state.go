package imap

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/emersion/go-imap/v2"

	"chaff/internal/replace"
)

// Suffix is what the name of the file of a State has after that of the model.
const Suffix = ".imap"

// ErrRunning is returned for a state that another process is using.
var ErrRunning = errors.New("another chaff imap is running with this model")

// The limits of a state.
const (
	maxMoved = 5000    // messages that are remembered
	maxState = 4 << 20 // bytes of the file
)

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
	// JunkValidity is that of the numbers of the folder for spam.
	JunkValidity uint32 `json:"junk_validity,omitempty"`
	// Moved are the messages that were moved to the folder for spam, the last one at the end.
	Moved []moved `json:"moved,omitempty"`
}

// moved is a message that was moved to the folder for spam.
type moved struct {
	Hash string `json:"hash"`
	// UID is its number in the folder, once that is known.
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

// take locks the state.
func (s *State) take() (err error) {
	if s.lock, err = os.OpenFile(s.path+".lock", os.O_CREATE|os.O_RDWR, 0o600); err != nil {
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
	file, err := os.Open(s.path)
	if err != nil {
		return replace.Reason(err)
	}
	defer file.Close()
	if err := json.NewDecoder(io.LimitReader(file, maxState)).Decode(&s.accounts); err != nil {
		return err
	}
	for _, r := range s.accounts {
		if r == nil {
			return errors.New("it is damaged")
		}
	}
	return nil
}

// save writes the state.
func (s *State) save() error {
	data, err := json.MarshalIndent(s.accounts, "", " ")
	if err == nil {
		err = replace.File(s.path, replace.Kind{Name: "state", Start: "{"}, append(data, '\n'), 0o600)
	}
	if err != nil {
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

// index returns the place of a message among those that were moved, or -1.
func (r *remembered) index(hash string) int {
	return slices.IndexFunc(r.Moved, func(m moved) bool { return m.Hash == hash })
}

// add remembers messages that are about to be moved.
func (r *remembered) add(hashes []string) {
	for _, hash := range hashes {
		r.Moved = append(r.Moved, moved{Hash: hash})
	}
	if more := len(r.Moved) - maxMoved; more > 0 {
		r.Moved = slices.Delete(r.Moved, 0, more)
	}
}

// drop forgets messages that could not be moved.
func (r *remembered) drop(hashes []string) {
	r.Moved = slices.DeleteFunc(r.Moved, func(m moved) bool { return slices.Contains(hashes, m.Hash) })
}

// junk adapts the numbers to those that the folder for spam has today.
func (r *remembered) junk(validity uint32) {
	if r.JunkValidity == validity {
		return
	}
	r.JunkValidity = validity
	for i := range r.Moved {
		r.Moved[i].UID = 0
	}
}

// isOurs reports whether the message with a number in the folder for spam was moved there by Judge, as far as that is known without its
// bytes.
func (r *remembered) isOurs(uid imap.UID) bool {
	return slices.ContainsFunc(r.Moved, func(m moved) bool { return m.UID == uid })
}

// recognise reports whether a message in the folder for spam was moved there by Judge. The first one that is the same is: another one later
// was moved there by the user.
func (r *remembered) recognise(uid imap.UID, raw []byte) bool {
	i := r.index(hashOf(raw))
	if i < 0 || r.Moved[i].UID != 0 && r.Moved[i].UID != uid {
		return false
	}
	r.Moved[i].UID = uid
	return true
}
