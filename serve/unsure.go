package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"chaff/filter"
)

// UnsureSuffix is what the name of the folder of unsure messages has after that of the model.
const UnsureSuffix = ".unsure"

// MaxKept is the size in bytes of the largest unsure message that is kept.
const MaxKept = 1 << 20

// ErrNotKept is about an unsure message that is not kept, or is no longer.
var ErrNotKept = errors.New("the message is no longer kept")

// Kept is an unsure message whose bytes are kept, for people to teach.
type Kept struct {
	// Key names the message.
	Key string `json:"key"`
	Record
}

// unsure has the last unsure messages, each in a file of its own: a line with its record, and its bytes.
type unsure struct {
	folder     *os.Root // nil if none are kept
	most, days int

	mu      sync.Mutex // of the fields below, and of the files
	all     []Kept     // the oldest first
	trouble string
}

// openUnsure returns the messages in the folder of a model. If none are to be kept, it removes them.
func openUnsure(dir *folder, o Options) (*unsure, error) {
	u := &unsure{most: o.KeepUnsure, days: o.UnsureDays}
	name := filepath.Base(o.Model) + UnsureSuffix
	var err error
	u.folder, err = dir.openOwnFolder(name, u.most > 0)
	switch {
	case u.most == 0 && err != nil: // there is none, or it is none of ours
		return u, nil
	case err != nil:
		return nil, fmt.Errorf("unsure messages: %w", err)
	}
	entries, err := fs.ReadDir(u.folder.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("unsure messages: %w", err)
	}
	for _, entry := range entries {
		if !isKey(entry.Name()) {
			continue
		}
		k, _, err := u.read(entry.Name())
		if err != nil || u.most == 0 { // a crash has cut it, or the settings keep no mail
			u.folder.Remove(entry.Name())
			continue
		}
		u.all = append(u.all, k)
	}
	slices.SortStableFunc(u.all, func(a, b Kept) int { return a.Time.Compare(b.Time) })
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

// read reads the file of a message.
func (u *unsure) read(key string) (k Kept, raw []byte, err error) {
	data, err := u.folder.ReadFile(key)
	if err != nil {
		return k, nil, err
	}
	line, raw, _ := bytes.Cut(data, []byte("\n"))
	if err := json.Unmarshal(line, &k.Record); err != nil {
		return k, nil, err
	}
	k.Key = key
	if len(raw) != k.Size || keyOf(k.User, raw) != key {
		return k, nil, errors.New("damaged")
	}
	return k, raw, nil
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

// keep keeps an unsure message. Result isNew says whether the error is another one than that of the last attempt.
func (u *unsure) keep(r *Record, raw []byte) (err error, isNew bool) {
	if u.most == 0 || len(raw) > MaxKept {
		return nil, false
	}
	k := Kept{keyOf(r.User, raw), *r}
	var data bytes.Buffer
	if err := json.NewEncoder(&data).Encode(r); err != nil {
		return err, true
	}
	data.Write(raw)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drop(k.Key)
	if err := u.folder.WriteFile(k.Key, data.Bytes(), 0o600); err != nil {
		u.folder.Remove(k.Key) // it may be cut
		isNew = u.trouble != err.Error()
		u.trouble = err.Error()
		return fmt.Errorf("keep an unsure message: %w", err), isNew
	}
	u.trouble = ""
	u.all = append(u.all, k)
	u.clean(r.Time)
	return nil, false
}

// clean removes the messages that are too many or too old.
func (u *unsure) clean(now time.Time) {
	for len(u.all) > u.most || len(u.all) > 0 && now.Sub(u.all[0].Time) >= time.Duration(u.days)*24*time.Hour {
		u.drop(u.all[0].Key)
	}
}

// drop removes a message, if it is there.
func (u *unsure) drop(key string) bool {
	i := slices.IndexFunc(u.all, func(k Kept) bool { return k.Key == key })
	if i < 0 {
		return false
	}
	u.all = slices.Delete(u.all, i, i+1)
	u.folder.Remove(key)
	return true
}

// keepUnsure keeps the message of a judgement for people to teach.
func (e *Engine) keepUnsure(j *judgement, began time.Time) {
	if e.unsure.most == 0 || j.verdict.Verdict != filter.Unsure {
		return
	}
	if err, isNew := e.unsure.keep(newRecord(j, began, nil, true), j.raw); isNew {
		e.log.Warn("%v", err)
	}
}

// Unsure returns the unsure messages that are kept, the latest first. See [Options.KeepUnsure].
func (e *Engine) Unsure() []Kept {
	e.unsure.mu.Lock()
	defer e.unsure.mu.Unlock()
	e.unsure.clean(time.Now())
	all := slices.Clone(e.unsure.all)
	slices.Reverse(all)
	return all
}

// UnsureMessage returns an unsure message and its bytes. The error is [ErrNotKept], or about its file.
func (e *Engine) UnsureMessage(key string) (Kept, []byte, error) {
	e.unsure.mu.Lock()
	defer e.unsure.mu.Unlock()
	if !slices.ContainsFunc(e.unsure.all, func(k Kept) bool { return k.Key == key }) {
		return Kept{}, nil, ErrNotKept
	}
	k, raw, err := e.unsure.read(key)
	if err != nil {
		e.unsure.drop(key)
		return Kept{}, nil, fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	return k, raw, nil
}

// DropUnsure stops to keep an unsure message. The error is [ErrNotKept].
func (e *Engine) DropUnsure(key string) error {
	e.unsure.mu.Lock()
	defer e.unsure.mu.Unlock()
	if !e.unsure.drop(key) {
		return ErrNotKept
	}
	return nil
}

// Ready returns nil if the engine judges the next message at once or soon, else [ErrClosed] or [ErrBusy].
func (e *Engine) Ready() error {
	switch {
	case e.closed.Load():
		return ErrClosed
	case e.inFlight.Load() >= int64(cap(e.slots)+e.options.Queue):
		return ErrBusy
	}
	return nil
}
