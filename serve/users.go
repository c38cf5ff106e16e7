package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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
func (e *Engine) pathOf(user string) (string, error) {
	if e.options.Users == "" || user == "" {
		return e.options.Model, nil
	}
	folder, err := folderOf(user)
	return e.users.path(folder), err
}

// userModel is the model of a user in memory.
type userModel struct {
	filter *filter.Filter
	offset float64 // of the scores; see background
	shared *background
}

// user is a user whose model is in memory, or cannot be opened.
type user struct {
	model atomic.Pointer[userModel] // nil if it cannot be used
	used  atomic.Int64              // when, in seconds

	mu      sync.Mutex // of the fields below, and of reloading
	files   files
	shared  *background // with which the model was opened
	trouble string
}

// users are the users with a model in memory, by folder.
type users struct {
	options Options
	open    sync.Map // of *user
	n       atomic.Int64
}

func newUsers(o Options) *users { return &users{options: o} }

func (u *users) path(folder string) string {
	return filepath.Join(u.options.Users, folder, "model")
}

func (u *users) count() int { return int(u.n.Load()) }

// find returns the model of a user, or nil if there is none that can be used with the shared one.
func (u *users) find(name string, shared *loaded, log Logger) *userModel {
	if u.options.Users == "" || name == "" {
		return nil
	}
	folder, err := folderOf(name)
	if err != nil {
		return nil
	}
	opened, ok := u.open.Load(folder)
	if !ok {
		if _, err := os.Stat(u.path(folder)); err != nil {
			return nil
		}
		u.makeRoom()
		var there bool
		if opened, there = u.open.LoadOrStore(folder, new(user)); !there {
			u.n.Add(1)
		}
	}
	x := opened.(*user)
	x.used.Store(time.Now().Unix())
	m := x.model.Load()
	if m == nil || m.shared != shared.background {
		x.follow(u.path(folder), shared, false, log)
		m = x.model.Load()
	}
	if m == nil || m.shared != shared.background {
		return nil
	}
	return m
}

// follow opens the model of a user if its files have changed, if the shared model is another one, or in any case.
func (x *user) follow(path string, shared *loaded, anyway bool, log Logger) {
	x.mu.Lock()
	defer x.mu.Unlock()
	there := filesOf(path)
	if !anyway && x.shared == shared.background && there.same(x.files) {
		return
	}
	x.files, x.shared = there, shared.background
	m, err := openUser(path, shared)
	x.model.Store(m)
	trouble := ""
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		trouble = err.Error()
	}
	if trouble != "" && trouble != x.trouble {
		log.Warn("%s: going on without the model of the user", trouble)
	}
	x.trouble = trouble
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
		return nil, err
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
	v, err := store.Look(path)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	own, err := v.Sample(enoughAlone)
	if err != nil {
		return nil, err
	}
	if own.Len() < enoughAlone {
		return nil, nil // its score says nothing yet
	}
	return m, nil
}

// HasModel reports whether mail for a user is judged by a model of the user as well.
func (e *Engine) HasModel(user string) bool {
	return e.users.find(user, e.shared.current(), e.log) != nil
}

// makeRoom drops the user who had no mail for longest, if as many are open as may be.
func (u *users) makeRoom() {
	for u.count() >= u.options.OpenUsers {
		var oldest any
		least := int64(math.MaxInt64)
		for folder, x := range u.open.Range {
			if used := x.(*user).used.Load(); used < least {
				oldest, least = folder, used
			}
		}
		if oldest == nil {
			return
		}
		u.drop(oldest)
	}
}

func (u *users) drop(folder any) {
	if _, there := u.open.LoadAndDelete(folder); there {
		u.n.Add(-1)
	}
}

// watch follows the files of the open models, and drops those that are idle.
func (u *users) watch(shared *loaded, log Logger) {
	idle := time.Now().Add(-time.Duration(u.options.IdleMinutes) * time.Minute).Unix()
	for folder, opened := range u.open.Range {
		x := opened.(*user)
		if x.used.Load() < idle {
			u.drop(folder)
			continue
		}
		x.follow(u.path(folder.(string)), shared, x.isTroubled(), log)
	}
}

func (x *user) isTroubled() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.trouble != ""
}

// reload opens all open models again.
func (u *users) reload(shared *loaded, log Logger) {
	for folder, opened := range u.open.Range {
		opened.(*user).follow(u.path(folder.(string)), shared, true, log)
	}
}

// refresh opens the model of one user again, if it is open.
func (u *users) refresh(folder string, shared *loaded, log Logger) {
	if opened, ok := u.open.Load(folder); ok {
		opened.(*user).follow(u.path(folder), shared, false, log)
	}
}
