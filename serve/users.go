package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"chaff/filter"
	"chaff/internal/ascii"
	"chaff/store"
)

// The sizes in bytes of the longest name of a user, that of a mail address, and of a folder.
const (
	maxUserName   = 254
	maxFolderName = 255
)

// folderOf returns the name of the folder of a user, whose name comes from the network. The case of ASCII letters makes no difference. What a
// name of a file should not have is written as %XX.
func folderOf(user string) (string, error) {
	if user == "" || len(user) > maxUserName || user[0] == '.' || !utf8.ValidString(user) {
		return "", ErrUser
	}
	var folder []byte
	for _, c := range []byte(user) {
		switch {
		case ascii.IsAlphanumeric(c):
			folder = append(folder, ascii.Lower(c))
		case c == '.', c == '_', c == '-', c == '@', c == '+':
			folder = append(folder, c)
		case c <= ' ', c == '/', c == '\\', c == 0x7f:
			return "", ErrUser
		default:
			folder = fmt.Appendf(folder, "%%%02x", c)
		}
	}
	if len(folder) > maxFolderName {
		return "", ErrUser
	}
	return string(folder), nil
}

// UserOf returns the user who gets the mail for an address: the address without what follows a plus sign before the @, since the sender
// may write anything there.
func UserOf(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		at = len(address)
	}
	if plus := strings.IndexByte(address[:at], '+'); plus > 0 {
		return address[:plus] + address[at:]
	}
	return address
}

// pathOf returns the path of the model that a user teaches.
func (u *users) pathOf(user string) (string, error) {
	if u.options.Users == "" || user == "" {
		return u.options.Model, nil
	}
	folder, err := folderOf(user)
	return filepath.Join(u.options.Users, folder, "model"), err
}

// user is a user whose model is in memory, or cannot be opened.
type user struct {
	followed
	used time.Time // guarded by users
}

// users are the users with a model in memory.
type users struct {
	options Options
	log     Logger

	mu   sync.Mutex
	open map[string]*user // by the path of the model
}

func (u *users) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.open)
}

// find returns the model of a user, or nil if there is none that can be used with the shared one.
func (u *users) find(name string, shared *loaded) *loaded {
	path, err := u.pathOf(name)
	if err != nil || path == u.options.Model {
		return nil
	}
	x := u.get(path)
	if x == nil {
		return nil
	}
	if x.current().background != shared.background {
		x.follow(shared, false)
	}
	if m := x.current(); m.filter != nil && m.background == shared.background {
		return m
	}
	return nil
}

// get returns the user with a model at path, or nil if there is none. For a new one it drops the one who had no mail for longest if there are as
// many as may be.
func (u *users) get(path string) *user {
	u.mu.Lock()
	defer u.mu.Unlock()
	x := u.open[path]
	if x == nil {
		if !exists(path) {
			return nil
		}
		for len(u.open) >= u.options.OpenUsers {
			delete(u.open, slices.MinFunc(slices.Collect(maps.Keys(u.open)), func(a, b string) int { return u.open[a].used.Compare(u.open[b].used) }))
		}
		x = &user{followed: followed{log: u.log, path: path}}
		x.now.Store(&loaded{})
		u.open[path] = x
	}
	x.used = time.Now()
	return x
}

// follow opens the model if its files have changed, if the shared model is another one, or in any case.
func (x *user) follow(shared *loaded, anyway bool) {
	x.Lock()
	defer x.Unlock()
	if !x.changed() && !anyway && x.current().background == shared.background {
		return
	}
	f, offset, err := openUser(x.path, shared)
	x.now.Store(&loaded{filter: f, background: shared.background, offset: offset, opened: time.Now()})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if x.trouble.isNew(err) {
		x.log.Warn("%v: going on without the model of the user", err)
	}
}

// enoughAlone is how many messages of each class a user has taught before they count, if the shared model has no mail to compare with.
const enoughAlone = 5

var errOtherReading = errors.New("the model has another key or other settings than the shared one; train it as the user who trained that")

// openUser opens the model of a user, and returns the offset of its scores. The filter is nil after an error, and if they say nothing yet.
func openUser(path string, shared *loaded) (f *filter.Filter, offset float64, err error) {
	if f, err = filter.OpenLearned(path); err != nil {
		return nil, 0, err
	}
	var own store.Sample
	sample, err := shared.background.sample()
	switch {
	case f.LogErr() != nil:
		err = filter.AboutLog(path, f.LogErr())
	case !shared.filter.CanJoin(f):
		err = fmt.Errorf("%s: %w", path, errOtherReading)
	case err != nil:
	case sample.Len() > 0:
		return f, sample.Mean(f), nil
	default:
		own, err = sampleOf(path, enoughAlone)
	}
	if err == nil && own.Len() >= enoughAlone {
		return f, 0, nil
	}
	f.Close()
	return nil, 0, err
}

// exists reports whether there is a file. Opening it says what else is wrong, such as a folder of root.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// HasModel reports whether a user has a model, which judges their mail as well if it can be used. It opens none: only judging limits how many are in
// memory.
func (e *Engine) HasModel(user string) bool {
	path, err := e.users.pathOf(user)
	return err == nil && path != e.options.Model && exists(path)
}

// follow opens the models whose files have changed and those that may be opened now, or all.
func (u *users) follow(shared *loaded, anyway bool) {
	u.mu.Lock()
	all := slices.Collect(maps.Values(u.open))
	u.mu.Unlock()
	for _, x := range all {
		x.follow(shared, anyway || x.trouble.isDue())
	}
}
