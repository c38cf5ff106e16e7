package delivery

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"chaff/corpus"
)

var (
	errNothing = errors.New("there is no message: stdin is empty")
	errNoStdin = errors.New("there is no message: stdin is closed")
)

// ReadMessage reads all of s.In. It asks a user at a terminal to type the message. With an error it returns what it has read:
// with [corpus.ErrTooLarge], the start of a message that continues in s.In. An empty input is an error, because a failing
// program writes nothing.
func ReadMessage(s Streams) ([]byte, error) {
	file, isFile := s.In.(*os.File)
	if isFile && term.IsTerminal(int(file.Fd())) {
		fmt.Fprintln(s.Err, "chaff: reading a message from the terminal; end it with Ctrl-D")
	}
	raw, err := corpus.AppendMessage(make([]byte, 0, 16<<10), s.In)
	if len(raw) > corpus.LargeMessageBytes {
		LimitMemory()
	}
	switch {
	case err != nil:
		return raw, fmt.Errorf("read the message from stdin: %w", err)
	case len(raw) > 0:
		return raw, nil
	case isFile && wasClosed(file):
		return nil, errNoStdin
	}
	return nil, errNothing
}

// write writes a message and closes the file, since some file systems report a full disk only then.
func write(w io.Writer, message io.Reader) error {
	file, isFile := w.(*os.File)
	if isFile && wasClosed(file) {
		return errors.New("write the message: stdout is closed")
	}
	_, err := io.Copy(w, message)
	if isFile && err == nil {
		err = file.Close()
	}
	if err != nil {
		return fmt.Errorf("write the message: %w", err)
	}
	return nil
}
