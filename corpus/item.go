package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"
)

// Source is a stream of messages in a fixed order. An error about one message is
// yielded with an Item whose Origin says where it happened and whose Label is the
// class, if that is known; the stream goes on after it.
type Source = iter.Seq2[Item, error]

// Concat returns a source that yields all messages of the first source, then those
// of the next, and so on.
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

// Item is one message that can be read.
type Item struct {
	// Origin says where the message is, for error texts: the path of its file,
	// or "path#17" for the 17th message of an mbox file.
	Origin string
	// Label is the name of the class the message belongs to, such as "ham".
	Label string
	// Time is when the message was delivered if the name of its file tells, as
	// that of a Maildir file does, else zero: then DeliveryTime has to read it.
	Time time.Time
	// Place is where its bytes are, nil for an item that stands for an error.
	Place Place
}

// Place is where the bytes of a message are.
type Place interface {
	// Append appends the message to dst. It may be called from several goroutines.
	Append(dst []byte) ([]byte, error)
}

// Read appends the message to dst[:0], whose capacity is used again, and returns
// it. After an error the result is empty, but keeps the capacity of dst. The error
// names the origin and wraps the reason, such as fs.ErrNotExist.
func (it Item) Read(dst []byte) ([]byte, error) {
	if it.Place == nil {
		return dst[:0], fmt.Errorf("read %s: %w", it.Origin, errors.New("no message"))
	}
	dst, err := it.Place.Append(dst[:0])
	if err == nil {
		return dst, nil
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // it names the path again
	}
	return dst[:0], fmt.Errorf("read %s: %w", it.Origin, err)
}
