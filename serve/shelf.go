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

	"chaff/filter"
	"chaff/internal/replace"
)

// KeptSuffix is what the name of the folder of kept messages has after that of the model.
const KeptSuffix = ".kept"

const maxKept = 1 << 20

// ErrNotKept is about a message that is not kept, or is no longer.
var ErrNotKept = errors.New("the message is no longer kept: it was taught or removed, or is too old")

// Shelf has messages of the history, each in a file of its own: a line with its record, and its bytes.
type Shelf struct {
	folder  *os.Root     // nil if none are kept
	most    map[bool]int // how many are kept: of unsure messages, and of others
	days    int
	trouble trouble

	mu  sync.Mutex // of the field below, and of the files
	all []Record   // the oldest first
}

// openShelf returns the messages in the folder of a model. If none are to be kept, it removes them.
func openShelf(o Options) (*Shelf, error) {
	s := &Shelf{most: map[bool]int{true: max(o.KeepUnsure, o.KeepHistory), false: o.KeepHistory}, days: o.HistoryDays}
	beside, err := os.OpenRoot(filepath.Dir(o.Model))
	if err != nil {
		return nil, fmt.Errorf("folder of the model: %w", err)
	}
	defer beside.Close()
	for _, earlier := range []string{".unsure", ".history"} { // mail that earlier versions kept, which nothing shows
		beside.RemoveAll(filepath.Base(o.Model) + earlier)
	}
	name, isOff := filepath.Base(o.Model)+KeptSuffix, s.most[true] == 0
	if !isOff {
		err = beside.Mkdir(name, 0o700)
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		s.folder, err = openOwn(beside, name, o.Model)
	}
	if err != nil && isOff { // there is none, or it is none of ours
		return s, nil
	}
	if err == nil {
		err = s.readAll()
	}
	if err != nil {
		return nil, fmt.Errorf("kept messages: %w", err)
	}
	s.clean(time.Now())
	if isOff {
		s.folder.Close()
		beside.Remove(name) // if it is empty
	}
	return s, nil
}

// readAll reads the records of all messages, and removes those that a crash has cut.
func (s *Shelf) readAll() error {
	entries, err := fs.ReadDir(s.folder.FS(), ".")
	s.folder.Remove(unfinished) // of a daemon that was killed
	for _, entry := range entries {
		if key, err := hex.DecodeString(entry.Name()); err != nil || len(key) != keySize || !entry.Type().IsRegular() {
			continue
		}
		if k, _, err := s.read(entry.Name(), false); err == nil {
			s.all = append(s.all, k)
		} else if isLost(err) {
			s.folder.Remove(entry.Name())
		}
	}
	slices.SortStableFunc(s.all, func(a, b Record) int { return a.Time.Compare(b.Time) })
	return err
}

var errNotOurs = errors.New("it is a link, or another user's")

// openOwn opens a folder beside the model. Files are opened below its descriptor, and its owner and mode are checked there: nobody who can write
// beside the model leads the daemon to another place.
func openOwn(beside *os.Root, name, model string) (*os.Root, error) {
	folder, err := beside.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	info, err := folder.Stat(".")
	there, errThere := beside.Lstat(name)
	switch err = errors.Join(err, errThere); {
	case err != nil:
	case !os.SameFile(info, there), replace.IsForeign(info, model):
		err = errNotOurs
	case info.Mode().Perm()&^0o700 != 0:
		err = folder.Chmod(".", 0o700)
	}
	if err != nil {
		folder.Close()
		return nil, fmt.Errorf("%s: %w", filepath.Join(beside.Name(), name), err)
	}
	return folder, nil
}

// isLost reports whether an error of reading a message says that it is gone or cut, and not that the system cannot read it now.
func isLost(err error) bool {
	_, isOfSystem := errors.AsType[*fs.PathError](err)
	return !isOfSystem || errors.Is(err, fs.ErrNotExist)
}

// read reads the record of a message, and if isWhole its bytes: those of all messages can be 10 GB, which would keep the daemon from starting.
func (s *Shelf) read(key string, isWhole bool) (k Record, raw []byte, err error) {
	file, err := s.folder.Open(key)
	if err != nil {
		return k, nil, err
	}
	defer file.Close()
	const maxRecord = 64 << 10 // more than its line has
	in := bufio.NewReader(io.LimitReader(file, maxRecord+maxKept))
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
	if err == nil && (k.Size > maxKept || info.Size() != int64(len(line)+k.Size) || isWhole && keyOf(k.User, raw) != key) {
		err = errors.New("damaged")
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

func (s *Shelf) keeps(v filter.Verdict, size int) bool {
	return size <= maxKept && s.most[v == filter.Unsure] > 0
}

// unfinished is the name of a file until all of it is written.
const unfinished = "unfinished"

// keep keeps a message, and sets the key of its record.
func (s *Shelf) keep(r *Record, raw []byte) error {
	r.Key = keyOf(r.User, raw)
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err = s.folder.WriteFile(unfinished, slices.Concat(line, []byte("\n"), raw), 0o600); err == nil {
		err = s.folder.Rename(unfinished, r.Key)
	}
	if err != nil {
		s.folder.Remove(unfinished)
		return fmt.Errorf("keep a message in %s: %w", s.folder.Name(), replace.Reason(err))
	}
	s.all = append(slices.DeleteFunc(s.all, func(k Record) bool { return k.Key == r.Key }), *r) // it may have come again
	s.clean(r.Time)
	return nil
}

func (s *Shelf) remove(goes func(Record) bool) {
	s.all = slices.DeleteFunc(s.all, func(k Record) bool {
		is := goes(k)
		if is {
			s.folder.Remove(k.Key)
		}
		return is
	})
}

// clean removes the messages that are too many or too old.
func (s *Shelf) clean(now time.Time) {
	n := map[bool]int{}
	for i := range s.all {
		n[s.all[i].Verdict == filter.Unsure]++
	}
	s.remove(func(k Record) bool {
		isUnsure := k.Verdict == filter.Unsure
		goes := n[isUnsure] > s.most[isUnsure] || now.Sub(k.Time) >= time.Duration(s.days)*24*time.Hour
		if goes {
			n[isUnsure]--
		}
		return goes
	})
}

// Drop stops keeping a message, if it is kept.
func (s *Shelf) Drop(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(func(k Record) bool { return k.Key == key })
}

// Unsure returns the unsure messages, the latest first.
func (s *Shelf) Unsure() (unsure []Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clean(time.Now())
	for _, k := range slices.Backward(s.all) {
		if k.Verdict == filter.Unsure {
			unsure = append(unsure, k)
		}
	}
	return unsure
}

// Has reports whether a message is kept.
func (s *Shelf) Has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(k Record) bool { return k.Key == key })
}

// Get returns a message and its bytes. The error is [ErrNotKept], or about its file.
func (s *Shelf) Get(key string) (Record, []byte, error) {
	if !s.Has(key) {
		return Record{}, nil, ErrNotKept
	}
	k, raw, err := s.read(key, true)
	if err != nil && isLost(err) { // also of one that is removed meanwhile
		s.Drop(key)
		err = fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	return k, raw, err
}
