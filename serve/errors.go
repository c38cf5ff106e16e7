package serve

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"time"
)

// reason is why a message was not judged, learned or forgotten, with its name among the counters.
type reason struct{ name, text string }

func (r *reason) Error() string { return r.text }

// The reasons.
var (
	// ErrTooLarge is about a message over the limit of size.
	ErrTooLarge error = &reason{"too_large", "the message is too large"}
	// ErrBusy is about too many messages or clients at a time.
	ErrBusy error = &reason{"busy", "too busy: try again later"}
	// ErrTimeout is about a message whose verdict took too long.
	ErrTimeout error = &reason{"timeout", "the verdict took too long"}
	// ErrInternal is about a fault of the program.
	ErrInternal error = &reason{"internal", "internal error"}
	// ErrClosed is about a message that came after the end.
	ErrClosed error = &reason{"closed", "the daemon is stopping: try again later"}
	// ErrClass is about a label that the model does not know.
	ErrClass error = &reason{"other", "is no class of the model"}
	// ErrNoMail is about a message that cannot be learned, since it is none.
	ErrNoMail error = &reason{"no_mail", "what is no mail is not learned"}
	// ErrUser is about a name that no user may have.
	ErrUser error = &reason{"user", "the name of a user has 1 to 254 bytes of UTF-8 without blanks, slashes and control characters, and begins with no dot"}
	// ErrUsers is about a new user when as many as may have a model.
	ErrUsers error = &reason{"users", "as many users have a model as may: raise serve.max_users"}
)

// Temporary returns what a client is told of an error that may be over at the next attempt. Other errors may be about files, and are for the log.
func Temporary(err error) string {
	if r, is := errors.AsType[*reason](err); is && (r == ErrBusy || r == ErrClosed) {
		return r.text
	}
	return "please see the log of chaff"
}

// reasonOf returns the name of an error among the counters.
func reasonOf(err error) string {
	if r, is := errors.AsType[*reason](err); is {
		return r.name
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "cancelled"
	}
	return "other"
}

// trouble is the error of the last attempt at something that is tried again and again.
type trouble struct {
	mu   sync.Mutex
	last error
	at   time.Time // of the attempt
}

// isNew remembers the error of an attempt, and reports whether it is another one than that of the attempt before.
func (t *trouble) isNew(err error) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.last
	t.last, t.at = err, time.Now()
	return err != nil && (before == nil || before.Error() != err.Error())
}

// isDue reports whether it is time for another attempt after an error: at once after one of the system, such as too many open files, and otherwise after a
// minute. Reading a damaged model again and again takes more CPU than all mail.
func (t *trouble) isDue() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last != nil && (errors.As(t.last, new(syscall.Errno)) || time.Since(t.at) > time.Minute)
}

func (t *trouble) err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}
