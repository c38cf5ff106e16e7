package counts

import (
	"bytes"
	"fmt"
	"io"
)

// ReadBogofilter reads what bogoutil -d prints: lines
//
//	token spam ham date
//
// where the pseudo-token .MSG_COUNT has the numbers of messages. Other tokens that begin with a full stop describe the list. The date may be
// missing. A token that comes twice counts as two tokens.
func ReadBogofilter(r io.Reader) (*Counts, error) {
	c := new(Counts)
	known := false
	err := eachLine(r, func(line []byte) error {
		fields := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' }) // a token may have other white space
		if len(fields) != 3 && len(fields) != 4 {
			return fmt.Errorf("it has %d columns: must have a token, spam, ham and a date", len(fields))
		}
		spam, err := number("the count of spam", fields[1])
		if err != nil {
			return err
		}
		ham, err := number("the count of ham", fields[2])
		if err != nil {
			return err
		}
		switch text := string(fields[0]); {
		case text == ".MSG_COUNT":
			c.Ham, c.Spam, known = ham, spam, true
		case text[0] == '.': // no word begins with a full stop
		default:
			return c.add(Token{Text: text, Ham: ham, Spam: spam})
		}
		return nil
	})
	if err == nil && !known {
		err = fmt.Errorf("%w: it has no line .MSG_COUNT, which counts the messages", ErrFormat)
	}
	if err == nil {
		err = c.complete("bogofilter")
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}
