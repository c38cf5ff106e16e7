package counts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Counts are what another filter has counted.
type Counts struct {
	// Ham and Spam are the numbers of messages it has learned, both above 0.
	Ham, Spam int
	// Tokens are those of at least one message.
	Tokens []Token

	place   func(text string) place // where a token stands
	indexed map[uint64]int32        // the tokens by digest, for Name
}

// Token is a word as the other filter writes it, with the number of messages of each class that contain it.
type Token struct {
	// Text is empty if the filter has only kept the digest.
	Text string
	// Digest is the last five bytes of the SHA-1 of the text, for SpamAssassin.
	Digest uint64
	// Ham and Spam are at most the numbers of messages.
	Ham, Spam int
}

// Limits on what is read.
const (
	maxLine   = 1 << 16
	maxTokens = 10_000_000 // about a gigabyte
	maxCount  = math.MaxInt32
)

// ErrFormat is wrapped by errors about the text of the other filter.
var ErrFormat = errors.New("not the counts of a filter")

// eachLine calls use for each line that is not empty. The error names the line.
func eachLine(r io.Reader, use func(line []byte) error) error {
	buffered := bufio.NewReaderSize(r, maxLine)
	for number := 1; ; number++ {
		line, err := buffered.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("%w: line %d is longer than %d bytes", ErrFormat, number, maxLine)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			if err := use(line); err != nil {
				return fmt.Errorf("%w: line %d: %w", ErrFormat, number, err)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// number reads a count. A negative one, which a damaged database may have, is 0.
func number(what string, text []byte) (int, error) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n > maxCount {
		return 0, fmt.Errorf("%s is %q: must be a whole number up to %d", what, shortened(text), maxCount)
	}
	return int(max(0, n)), nil
}

// shortened returns text for an error.
func shortened(text []byte) []byte { return text[:min(len(text), 40)] }

// add adds a token, unless it is in no message.
func (c *Counts) add(t Token) error {
	if t.Ham == 0 && t.Spam == 0 {
		return nil
	}
	if len(c.Tokens) == maxTokens {
		return fmt.Errorf("there are more than %d tokens", maxTokens)
	}
	c.Tokens = append(c.Tokens, t)
	return nil
}

// complete checks what was read. A token that is in more messages than there are, as after some kinds of maintenance, is in all.
func (c *Counts) complete() error {
	if c.Ham == 0 || c.Spam == 0 {
		return fmt.Errorf("%w: they are of %d ham and %d spam: both classes are needed", ErrFormat, c.Ham, c.Spam)
	}
	if len(c.Tokens) == 0 {
		return fmt.Errorf("%w: there is no token", ErrFormat)
	}
	for i := range c.Tokens {
		t := &c.Tokens[i]
		t.Ham, t.Spam = min(t.Ham, c.Ham), min(t.Spam, c.Spam)
	}
	return nil
}
