package serve

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// What the names of the folders of kept messages have after that of the model: of unsure ones, and of all those of the history.
const (
	UnsureSuffix = ".unsure"
	KeptSuffix   = ".kept"
)

// MaxKept is the size in bytes of the largest message that is kept.
const MaxKept = 1 << 20

// ErrNotKept is about a message that is not kept, or is no longer.
var ErrNotKept = errors.New("the message is no longer kept")

// Shelf has the last messages of a kind, each in a file of its own: a line with its record, and its bytes.
type Shelf struct {
	folder     *os.Root // nil if none are kept
	most, days int
	trouble    trouble

	mu  sync.Mutex // of the field below, and of the files
	all []Record   // the oldest first
}

// openShelf returns the messages in the folder of a model with a suffix. If none are to be kept, it removes them.
func openShelf(dir *folder, suffix string, most, days int) (*Shelf, error) {
	u := &Shelf{most: most, days: days}
	name := filepath.Base(dir.model) + suffix
	var err error
	u.folder, err = dir.openOwnFolder(name, u.most > 0)
	switch {
	case u.most == 0 && err != nil: // there is none, or it is none of ours
		return u, nil
	case err != nil:
		return nil, fmt.Errorf("kept messages: %w", err)
	}
	entries, err := fs.ReadDir(u.folder.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("kept messages: %w", err)
	}
	for _, entry := range entries {
		if !isKey(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		k, _, err := u.read(entry.Name(), false)
		if err != nil || u.most == 0 { // a crash has cut it, or the settings keep no mail
			u.folder.Remove(entry.Name())
			continue
		}
		u.all = append(u.all, k)
	}
	slices.SortStableFunc(u.all, func(a, b Record) int { return a.Time.Compare(b.Time) })
	u.clean(time.Now())
	if u.most == 0 {
		u.folder.Close()
		dir.Remove(name) // if it is empty
	}
	return u, nil
}

// isKey reports whether a name may be that of a message.
func isKey(name string) bool {
	key, err := hex.DecodeString(name)
	return err == nil && len(key) == keySize
}

// maxRecord is more bytes than the line of a record has.
const maxRecord = 64 << 10

var errDamaged = errors.New("damaged")

// read reads the record of a message, and if isWhole its bytes: those of all messages can be 10 GB, which would keep the daemon from starting.
func (u *Shelf) read(key string, isWhole bool) (k Record, raw []byte, err error) {
	file, err := u.folder.Open(key)
	if err != nil {
		return k, nil, err
	}
	defer file.Close()
	in := bufio.NewReader(io.LimitReader(file, maxRecord+MaxKept))
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &k)
	}
	if err == nil && isWhole {
		raw, err = io.ReadAll(in)
	}
	if err != nil {
		return k, nil, err
	}
	info, err := file.Stat()
	if err == nil && (k.Size > MaxKept || info.Size() != int64(len(line)+k.Size) || isWhole && keyOf(k.User, raw) != key) {
		err = errDamaged
	}
	k.Key = key
	return k, raw, err
}

// keySize is the size of a key in bytes, before it becomes hexadecimal digits.
const keySize = 16

// keyOf returns the key of a message for a user. A message that comes again has the same.
func keyOf(user string, raw []byte) string {
	h := sha256.New()
	h.Write([]byte(user + "\n"))
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil)[:keySize])
}

// keep keeps a message, and sets the key of its record.
func (u *Shelf) keep(r *Record, raw []byte) error {
	if u.most == 0 || len(raw) > MaxKept {
		return nil
	}
	r.Key = keyOf(r.User, raw)
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drop(r.Key)
	if err := u.folder.WriteFile(r.Key, slices.Concat(line, []byte("\n"), raw), 0o600); err != nil {
		u.folder.Remove(r.Key) // it may be cut
		return fmt.Errorf("keep a message: %w", err)
	}
	u.all = append(u.all, *r)
	u.clean(r.Time)
	return nil
}

// clean removes the messages that are too many or too old.
func (u *Shelf) clean(now time.Time) {
	for len(u.all) > u.most || len(u.all) > 0 && now.Sub(u.all[0].Time) >= time.Duration(u.days)*24*time.Hour {
		u.drop(u.all[0].Key)
	}
}

func (u *Shelf) find(key string) int {
	return slices.IndexFunc(u.all, func(k Record) bool { return k.Key == key })
}

// drop removes a message. The error is [ErrNotKept].
func (u *Shelf) drop(key string) error {
	i := u.find(key)
	if i < 0 {
		return ErrNotKept
	}
	u.all = slices.Delete(u.all, i, i+1)
	u.folder.Remove(key)
	return nil
}

// Drop stops to keep a message. The error is [ErrNotKept].
func (u *Shelf) Drop(key string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.drop(key)
}

// All returns the messages, the latest first.
func (u *Shelf) All() []Record {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.clean(time.Now())
	all := slices.Clone(u.all)
	slices.Reverse(all)
	return all
}

func (u *Shelf) has(key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.find(key) >= 0
}

// get returns a message and its bytes. The error is [ErrNotKept], or about its file.
func (u *Shelf) get(key string) (Record, []byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.find(key) < 0 {
		return Record{}, nil, ErrNotKept
	}
	k, raw, err := u.read(key, true)
	if err != nil {
		_ = u.drop(key)
		return Record{}, nil, fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	return k, raw, nil
}

// IsKept reports whether a message is kept.
func (e *Engine) IsKept(key string) bool { return e.Unsure.has(key) || e.Kept.has(key) }

// KeptMessage returns a message of Unsure or Kept and its bytes. The error is [ErrNotKept], or about its file.
func (e *Engine) KeptMessage(key string) (Record, []byte, error) {
	k, raw, err := e.Unsure.get(key)
	if errors.Is(err, ErrNotKept) {
		return e.Kept.get(key)
	}
	return k, raw, err
}
