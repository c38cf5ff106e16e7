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
	"sync/atomic"
	"time"
	"unicode/utf8"

	"chaff/filter"
	"chaff/internal/ascii"
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
	local, domain := address, ""
	if at := strings.LastIndexByte(address, '@'); at >= 0 {
		local, domain = address[:at], address[at:]
	}
	if plus := strings.IndexByte(local, '+'); plus > 0 {
		local = local[:plus]
	}
	return local + domain
}

// pathOf returns the path of the model that a user teaches.
func (u *users) pathOf(user string) (string, error) {
	if u.options.Users == "" || user == "" {
		return u.options.Model, nil
	}
	folder, err := folderOf(user)
	return filepath.Join(u.options.Users, folder, "model"), err
}

// userModel is the model of a user in memory.
type userModel struct {
	filter *filter.Filter
	offset float64 // of the scores; see background
	shared *background
}

// user is a user whose model is in memory, or cannot be opened.
type user struct {
	log   Logger
	model atomic.Pointer[userModel] // nil if it cannot be used
	used  time.Time                 // guarded by users

	followed
	shared *background // with which the model was opened
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
func (u *users) find(name string, shared *loaded) *userModel {
	path, err := u.pathOf(name)
	if err != nil || path == u.options.Model {
		return nil
	}
	x := u.get(path)
	if x == nil {
		return nil
	}
	m := x.model.Load()
	if m == nil || m.shared != shared.background {
		x.follow(shared, false)
		if m = x.model.Load(); m != nil && m.shared != shared.background {
			return nil
		}
	}
	return m
}

// get returns the user with a model at path, or nil if there is none. For a new one it drops the one who had no mail for longest if there are as
// many as may be.
func (u *users) get(path string) *user {
	u.mu.Lock()
	defer u.mu.Unlock()
	x := u.open[path]
	if x == nil {
		if _, err := os.Stat(path); err != nil {
			return nil
		}
		for len(u.open) >= u.options.OpenUsers {
			delete(u.open, slices.MinFunc(slices.Collect(maps.Keys(u.open)), func(a, b string) int { return u.open[a].used.Compare(u.open[b].used) }))
		}
		x = &user{log: u.log, followed: followed{path: path}}
		u.open[path] = x
	}
	x.used = time.Now()
	return x
}

// follow opens the model if its files have changed, if the shared model is another one, or in any case.
func (x *user) follow(shared *loaded, anyway bool) {
	x.Lock()
	defer x.Unlock()
	if !x.changed() && !anyway && x.shared == shared.background {
		return
	}
	x.shared = shared.background
	m, err := openUser(x.path, shared)
	x.model.Store(m)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if x.trouble.isNew(err) {
		x.log.Warn("%v: going on without the model of the user", err)
	}
}

// enoughAlone is how many messages of each class a user has taught before they count, if the shared model has no mail to compare with.
const enoughAlone = 5

var errOtherReading = errors.New("the model of the user reads mail in another way than the shared one")

func openUser(path string, shared *loaded) (m *userModel, err error) {
	f, err := filter.OpenLearned(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if m == nil {
			f.Close()
		}
	}()
	if err := f.LogErr(); err != nil {
		return nil, filter.AboutLog(path, err)
	}
	if !shared.filter.CanJoin(f) {
		return nil, errOtherReading
	}
	m = &userModel{filter: f, shared: shared.background}
	sample, err := shared.background.sample()
	if err != nil {
		return nil, err
	}
	if sample.Len() > 0 {
		m.offset = sample.Mean(f)
		return m, nil
	}
	own, err := sampleOf(path, enoughAlone)
	if err != nil || own.Len() < enoughAlone { // its score says nothing yet
		return nil, err
	}
	return m, nil
}

// HasModel reports whether mail for a user is judged by a model of the user as well.
func (e *Engine) HasModel(user string) bool { return e.users.find(user, e.shared.current()) != nil }

// follow opens the models whose files have changed and those that could not be opened, or all.
func (u *users) follow(shared *loaded, anyway bool) {
	u.mu.Lock()
	all := slices.Collect(maps.Values(u.open))
	u.mu.Unlock()
	for _, x := range all {
		x.follow(shared, anyway || x.trouble.err() != nil)
	}
}
