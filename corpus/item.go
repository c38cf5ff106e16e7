package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"chaff/message"
)

// Source is a stream of messages in a fixed order. An error about one message comes with an Item that has the Origin, and the Label
// if it is known. The stream continues after it.
type Source = iter.Seq2[Item, error]

// A Remark is an error in a [Source] that is about no message: what makes the mail as a whole doubtful, such as lines of a file that may or
// may not begin messages.
type Remark string

func (r Remark) Error() string { return string(r) }

// IsRemark reports whether err is a [Remark] or wraps one.
func IsRemark(err error) bool {
	_, is := errors.AsType[Remark](err)
	return is
}

// Concat returns a source that yields the messages of all sources, one source after the other.
func Concat(sources ...Source) Source {
	return func(yield func(Item, error) bool) {
		for _, source := range sources {
			for item, err := range source {
				if !yield(item, err) {
					return
				}
			}
		}
	}
}

// Select returns a source of those messages and errors of a source that are wanted.
func Select(source Source, wanted func(Item, error) bool) Source {
	return func(yield func(Item, error) bool) {
		for item, err := range source {
			if wanted(item, err) && !yield(item, err) {
				return
			}
		}
	}
}

// Shard returns a source that yields one of n shards of the messages: those whose origin hashes to i modulo n. Remarks are in each.
func Shard(source Source, i, n int) Source {
	return Select(source, func(item Item, err error) bool {
		return IsRemark(err) || xxhash.Sum64String(item.Origin)%uint64(n) == uint64(i)
	})
}

// Item is one message that can be read.
type Item struct {
	// Origin names the message in errors: the path of its file, or "path#17" for the 17th message of an mbox file.
	Origin string
	Label  string // the name of the class, such as "ham"
	// Time is the time of delivery from the name of a Maildir file. Otherwise it is zero, and [DeliveryTime] reads the message.
	Time    time.Time
	Content Content // nil if the item comes with an error
	// Text says that the item is a text of a table, which need not look like mail.
	Text bool
}

// Content reads the bytes of a message.
type Content interface {
	// Append appends the message to dst. Several goroutines may call it.
	Append(dst []byte) ([]byte, error)
}

// Read appends the message to dst[:0] and returns it. After an error the result is empty and keeps the capacity of dst. The error names the
// origin, stdin for "-", and wraps the reason, such as fs.ErrNotExist, [ErrEmpty] for an empty file, or a [message.NoMail] for a file that is no message.
func (it Item) Read(dst []byte) ([]byte, error) {
	if it.Content == nil {
		return dst[:0], fmt.Errorf("read %s: %w", it.Origin, errors.New("no message"))
	}
	dst, err := it.Content.Append(dst[:0])
	switch {
	case err != nil:
	case len(dst) == 0:
		err = ErrEmpty
	case !it.Text:
		err = message.CheckMail(dst)
	}
	if err == nil {
		return dst, nil
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // without the path, which the origin names
	}
	about := "read %s: %w"
	if _, is := errors.AsType[*message.NoMail](err); is { // which says what it is
		about = "%s %w"
	}
	return dst[:0], fmt.Errorf(about, NameOf(it.Origin), err)
}

// NameOf returns how people are told of an origin: stdin for "-".
func NameOf(origin string) string {
	if origin == "-" {
		return "stdin"
	}
	return origin
}

var (
	// ErrEmpty reports a file without a byte, as a crash or a full disk leaves it.
	ErrEmpty = errors.New("the file is empty")
	// ErrTooLarge reports a message of more than [message.MaxSize].
	ErrTooLarge = fmt.Errorf("more than %d MiB are too large for a message", message.MaxSize>>20)
)

// AppendMessage appends all of r to dst, up to [message.MaxSize] in total. If r has more, it returns [ErrTooLarge] and what it has
// read: one byte more than the limit. The rest stays in r.
func AppendMessage(dst []byte, r io.Reader) ([]byte, error) {
	for {
		if len(dst) == cap(dst) {
			// Above message.LargeSize, dst grows once to the limit: pages that are not written to take no memory.
			room := message.MaxSize + 1 - len(dst)
			if len(dst) < message.LargeSize {
				room = min(room, max(len(dst), 4<<10))
			}
			dst = slices.Grow(dst, room)
		}
		n, err := r.Read(dst[len(dst):min(cap(dst), message.MaxSize+1)])
		dst = dst[:len(dst)+n]
		switch {
		case len(dst) > message.MaxSize:
			return dst, ErrTooLarge
		case err == io.EOF:
			return dst, nil
		case err != nil:
			return dst, err
		}
	}
}
