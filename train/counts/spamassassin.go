package counts

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"chaff/message"
)

// ReadSpamAssassin reads what sa-learn --backup prints, with tabs between the fields:
//
//	v  3  db_version               first
//	v  N  num_spam
//	v  N  num_nonspam
//	t  spam  ham  time  token
//	s  label  message
//
// In version 3 a token is the last five bytes of its SHA-1, as hexadecimal digits; [Counts.Name] finds the words. In version 2 it is
// as it is.
func ReadSpamAssassin(r io.Reader) (*Counts, error) {
	c := &Counts{place: placeOfSpamAssassin}
	version := ""
	err := eachLine(r, func(line []byte) (err error) {
		if version == "" {
			version, err = readVersion(line)
			return err
		}
		fields := bytes.SplitN(line, []byte("\t"), 5)
		switch kind := string(fields[0]); {
		case kind == "v" && len(fields) >= 3:
			return c.readVariable(string(fields[2]), fields[1])
		case kind == "t" && len(fields) == 5:
			t, err := readToken(version, fields)
			if err != nil {
				return err
			}
			return c.add(t)
		case kind == "s": // chaff knows a message by what is in it, and not by an id
			return nil
		}
		return fmt.Errorf("it begins with %q: must be v, t or s with its fields, as sa-learn --backup prints them", shortened(line))
	})
	if err == nil {
		err = c.complete()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func readVersion(line []byte) (string, error) {
	fields := bytes.Fields(line)
	if len(fields) < 3 || string(fields[0]) != "v" || string(fields[2]) != "db_version" {
		return "", errors.New("it is not the version of a database, with which the output of sa-learn --backup begins")
	}
	version := string(fields[1])
	if version != "2" && version != "3" {
		return "", fmt.Errorf("the version of the database is %q: must be 2 or 3", shortened(fields[1]))
	}
	return version, nil
}

func (c *Counts) readVariable(name string, value []byte) (err error) {
	switch name {
	case "num_spam":
		c.Spam, err = number(name, value)
	case "num_nonspam":
		c.Ham, err = number(name, value)
	}
	return err
}

func readToken(version string, fields [][]byte) (t Token, err error) {
	if t.Spam, err = number("the number of spam", fields[1]); err != nil {
		return t, err
	}
	if t.Ham, err = number("the number of ham", fields[2]); err != nil {
		return t, err
	}
	text := fields[4]
	if version == "2" {
		t.Text = string(text)
		return t, nil
	}
	var digest [digestSize]byte
	if len(text) != 2*digestSize {
		return t, fmt.Errorf("the token %q is not %d hexadecimal digits", shortened(text), 2*digestSize)
	}
	if _, err := hex.Decode(digest[:], text); err != nil {
		return t, fmt.Errorf("the token %q is not %d hexadecimal digits", shortened(text), 2*digestSize)
	}
	t.Digest = digestNumber(digest[:])
	return t, nil
}

const digestSize = 5

// digestOf returns the digest that SpamAssassin keeps of a token.
func digestOf(text []byte) uint64 {
	sum := sha1.Sum(text)
	return digestNumber(sum[len(sum)-digestSize:])
}

func digestNumber(digest []byte) (n uint64) {
	for _, b := range digest {
		n = n<<8 | uint64(b)
	}
	return n
}

// Name finds the texts of tokens of which only the digest is kept: those that SpamAssassin makes of m.
func (c *Counts) Name(m *message.Message) {
	if c.indexed == nil {
		c.indexed = make(map[uint64]int32, len(c.Tokens))
		for i, t := range c.Tokens {
			if t.Text == "" {
				c.indexed[t.Digest] = int32(i)
			}
		}
	}
	if len(c.indexed) == 0 {
		return
	}
	eachToken(m, func(text []byte) {
		digest := digestOf(text)
		if i, wanted := c.indexed[digest]; wanted {
			c.Tokens[i].Text = string(text)
			delete(c.indexed, digest)
		}
	})
}

// fieldMark is the short form of the name of a header field.
type fieldMark struct{ name, mark string }

// fieldMarks returns the fields that SpamAssassin writes in a short form.
func fieldMarks() []fieldMark {
	return []fieldMark{
		{"Message-Id", "*m"}, {"Message-ID", "*M"}, {"Received", "*r"}, {"User-Agent", "*u"}, {"References", "*f"}, {"In-Reply-To", "*i"},
		{"From", "*F"}, {"Reply-To", "*R"}, {"Return-Path", "*p"}, {"Return-path", "*rp"}, {"X-Mailer", "*x"},
		{"X-Authentication-Warning", "*a"}, {"Organization", "*o"}, {"Organisation", "*o"}, {"Content-Type", "*ct"},
		{"Content-Disposition", "*cd"}, {"Content-Transfer-Encoding", "*ce"},
	}
}

// placeOfSpamAssassin returns where a token of SpamAssassin stands. Its prefix says it:
//
//	UD:HOST          a host of a link, or a domain it is in
//	I*:WORD          a word that is not shown
//	HNAME:WORD       a word of the header field NAME; H*F: for From and other short forms; with N* before a word of a display name,
//	                 D* before a host and U* before the name of a mailbox
//	MIME: sk: u8:    digests of parts, beginnings of long words, characters of long words
//	U* D*            mail addresses in the text
//
// All other words are of subject, text and links. A word is counted as written, in lower case, and in lower case without signs: only the last
// form is taken.
func placeOfSpamAssassin(text string) place {
	tag, word, tagged := strings.Cut(text, ":")
	switch {
	case !tagged && strings.Contains(text, "*") && len(text) > 2 && text[1] == '*': // U*name D*host
		return place{kind: pieceWord}
	case !tagged || word == "":
		if isRepeated(text) {
			return place{kind: repeatedWord}
		}
		return place{kind: textWord, text: text}
	case tag == "UD":
		return place{kind: linkHost, text: word}
	case tag == "MIME":
		return place{kind: otherWord}
	case tag == "sk", tag == "u8", tag == "8", strings.HasPrefix(word, "sk:"), strings.HasPrefix(word, "u8:"):
		return place{kind: pieceWord}
	case tag == "I*" && isRepeated(word):
		return place{kind: repeatedWord}
	case tag == "I*":
		return place{kind: hiddenWord, text: word}
	case tag[0] == 'H':
		return placeInHeader(tag[1:], word)
	}
	return place{kind: otherWord}
}

func placeInHeader(name, word string) place {
	for _, f := range fieldMarks() {
		if name == f.mark {
			name = f.name
			break
		}
	}
	switch strings.ToLower(name) {
	case "*ad", "*ua", "*mi": // the words of several fields, each of which has them too
		return place{kind: repeatedWord}
	case "received", "return-path", "*rt", "*ru":
		return place{kind: routeWord}
	case "content-type", "content-transfer-encoding":
		if isAboutPart(word) {
			return place{kind: partWord, text: word}
		}
		return place{kind: otherWord}
	case "from", "to", "cc", "reply-to", "sender", "errors-to", "mail-followup-to":
		mark, rest, marked := strings.Cut(word, "*")
		switch {
		case !marked:
			rest = word
		case mark == "U", mark == "D" && !isHost(rest):
			return place{kind: pieceWord}
		}
		return place{kind: addressWord, field: name, text: rest}
	}
	if strings.HasPrefix(name, "*") {
		return place{kind: otherWord}
	}
	return place{kind: fieldWord, field: name, text: word}
}

// isRepeated reports whether SpamAssassin counts a word of the text in a second form, in lower case and without signs. An apostrophe is no
// sign here: the form without it is another word.
func isRepeated(word string) bool {
	return strings.ContainsAny(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ!\"$*@,.-")
}
