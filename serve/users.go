package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"chaff/filter"
	"chaff/internal/ascii"
	"chaff/internal/replace"
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

// users are the users whose models judge their mail. Such a model is opened for each message, which takes half a millisecond: a mail system may have
// more users than memory for their models.
type users struct {
	options Options
	log     Logger
	known   sync.Map // of *user, by the path of the model
	trouble trouble  // with models that cannot be found
}

// user is what is known of the model of a user, until its files change or the shared model does.
type user struct {
	sync.Mutex
	files      files
	background *background // of the shared model
	offset     float64     // of the scores
	counts     bool        // the model can be used, and says something
	trouble    trouble
}

// classify classifies a message by the shared model and that of a user, and returns what the latter adds to the score: 0 if none can be used.
func (u *users) classify(name string, shared *loaded, raw []byte) (c filter.Classification, added float64) {
	path, err := u.pathOf(name)
	if err != nil || path == u.options.Model {
		return shared.filter.Classify(raw), 0
	}
	if _, err := os.Stat(path); err != nil { // nothing is kept of a name that no user may have
		if err = replace.Reason(err); !errors.Is(err, fs.ErrNotExist) && u.trouble.isNew(err) {
			u.log.Warn("%s: %v: going on without the model of the user", path, err)
		}
		return shared.filter.Classify(raw), 0
	}
	known, _ := u.known.LoadOrStore(path, &user{})
	x := known.(*user)
	own, offset, err := x.open(path, shared)
	if own == nil {
		c = shared.filter.Classify(raw)
	} else {
		c, added, err = shared.filter.ClassifyWith(own, offset, raw)
		own.Close()
	}
	if err != nil && x.isNew(err) {
		u.log.Warn("%v: going on without the model of the user", err)
	}
	return c, added
}

// open opens the model, and returns the offset of its scores; nil if it does not count.
func (x *user) open(path string, shared *loaded) (own *filter.One, offset float64, err error) {
	x.Lock()
	defer x.Unlock()
	for again := false; ; again = true {
		seen := filesOf(path)
		if !seen.are(x.files) || x.background != shared.background || x.trouble.isDue() {
			x.files, x.background = seen, shared.background
			if x.offset, x.counts, err = offsetOf(path, shared); err != nil {
				return nil, 0, err
			}
			x.trouble.isNew(nil)
		}
		if !x.counts {
			return nil, 0, nil
		}
		if own, err = filter.OpenOne(path); err == nil && own.LogErr() != nil {
			own.Close()
			own, err = nil, filter.AboutLog(path, own.LogErr())
		}
		if again || filesOf(path).are(seen) { // else somebody has fitted it meanwhile, or only learned
			return own, x.offset, err
		}
		if own != nil {
			own.Close()
		}
	}
}

// isNew remembers why the model does not count until it changes, and reports whether that is new.
func (x *user) isNew(err error) bool {
	x.Lock()
	defer x.Unlock()
	x.counts = false
	return !errors.Is(err, fs.ErrNotExist) && x.trouble.isNew(err)
}

// enoughAlone is how many messages of each class a user has taught before they count, if the shared model has no mail to compare with.
const enoughAlone = 5

var errOtherReading = errors.New("the model has another key or other settings than the shared one; train it as the user who trained that")

// offsetOf returns the offset of the scores of the model of a user, and whether it says something yet.
func offsetOf(path string, shared *loaded) (offset float64, counts bool, err error) {
	f, err := filter.OpenLearned(path)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	sample, err := shared.background.sample()
	switch {
	case f.LogErr() != nil:
		return 0, false, filter.AboutLog(path, f.LogErr())
	case !shared.filter.CanJoin(f):
		return 0, false, fmt.Errorf("%s: %w", path, errOtherReading)
	case err != nil:
		return 0, false, err
	case sample.Len() > 0:
		return sample.Mean(f), true, nil
	}
	own, err := sampleOf(path, enoughAlone)
	return 0, err == nil && own.Len() >= enoughAlone, err
}

// HasModel reports whether a user has a model, which judges their mail as well if it can be used.
func (e *Engine) HasModel(user string) bool {
	path, err := e.users.pathOf(user)
	if err != nil || path == e.options.Model {
		return false
	}
	_, err = os.Stat(path)
	return err == nil
}
