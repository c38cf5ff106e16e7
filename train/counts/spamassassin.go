package counts

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// ReadSpamAssassin reads what sa-learn --backup prints: lines of fields with tabs between them,
//
//	v  3  db_version
//	v  N  num_spam
//	v  N  num_nonspam
//	t  spam  ham  time  token
//	s  label  message id
//
// Since version 3 a token is the last five bytes of its SHA-1, in hexadecimal digits. In version 2 it is written out.
func ReadSpamAssassin(r io.Reader) (*Counts, error) {
	c := new(Counts)
	version := ""
	err := eachLine(r, func(line []byte) error {
		if version == "" {
			fields := bytes.Fields(line)
			if len(fields) < 3 || string(fields[0]) != "v" || string(fields[2]) != "db_version" {
				return errors.New("it does not begin with the version of the database, as sa-learn --backup does")
			}
			if version = string(fields[1]); version != "2" && version != "3" {
				return fmt.Errorf("the version of the database is %q: must be 2 or 3", shortened(fields[1]))
			}
			return nil
		}
		fields := bytes.SplitN(line, []byte("\t"), 5)
		switch kind := string(fields[0]); {
		case kind == "v" && len(fields) >= 3:
			return c.variable(fields)
		case kind == "t" && len(fields) == 5:
			t, err := readToken(version, fields)
			if err != nil {
				return err
			}
			return c.add(t)
		case kind == "s":
			return nil // the id of a message: chaff knows messages by what is in them
		}
		return fmt.Errorf("it begins with %q: must be v, t or s and a tab, with all fields", shortened(line))
	})
	if err == nil && version == "" {
		err = fmt.Errorf("%w: it is empty", ErrFormat)
	}
	if err == nil {
		err = c.complete("SpamAssassin")
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Counts) variable(fields [][]byte) (err error) {
	switch name := string(bytes.TrimSpace(fields[2])); name {
	case "num_spam":
		c.Spam, err = number(name, fields[1])
	case "num_nonspam":
		c.Ham, err = number(name, fields[1])
	}
	return err
}

func readToken(version string, fields [][]byte) (t Token, err error) {
	if t.Spam, err = number("the count of spam", fields[1]); err != nil {
		return t, err
	}
	if t.Ham, err = number("the count of ham", fields[2]); err != nil {
		return t, err
	}
	text := fields[4]
	if version == "2" {
		t.Text, t.Digest = string(text), digestOf(text)
		return t, nil
	}
	var digest [5]byte
	if len(text) != 2*len(digest) {
		return t, fmt.Errorf("the token %q is not ten hexadecimal digits", shortened(text))
	}
	if _, err := hex.Decode(digest[:], text); err != nil {
		return t, fmt.Errorf("the token %q is not ten hexadecimal digits", shortened(text))
	}
	t.Digest = number40(digest[:])
	return t, nil
}

// digestOf returns the digest that SpamAssassin makes of the text of a token.
func digestOf(text []byte) uint64 {
	sum := sha1.Sum(text)
	return number40(sum[len(sum)-5:])
}

// number40 returns five bytes as a number.
func number40(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}
