package counts

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// ReadBogofilter reads what bogoutil -d prints of a word list, a token in each line, with the date when it was last seen:
//
//	token spam ham date
//
// The token .MSG_COUNT has the numbers of messages. Other tokens that begin with a full stop describe the list. The date may be missing.
func ReadBogofilter(r io.Reader) (*Counts, error) {
	c := &Counts{place: placeOfBogofilter}
	err := eachLine(r, func(line []byte) error {
		fields := bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' }) // a token may have other white space
		if len(fields) != 3 && len(fields) != 4 {
			return errors.New("it is not a token with its spam, ham and date, as bogoutil -d prints them")
		}
		spam, err := number("the number of spam", fields[1])
		if err != nil {
			return err
		}
		ham, err := number("the number of ham", fields[2])
		if err != nil {
			return err
		}
		switch text := string(fields[0]); {
		case text == ".MSG_COUNT":
			c.Ham, c.Spam = ham, spam
		case text[0] == '.':
		default:
			return c.add(Token{Text: text, Ham: ham, Spam: spam})
		}
		return nil
	})
	if err == nil {
		err = c.complete()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// placeOfBogofilter returns where a token of bogofilter stands. Its prefix says it:
//
//	subj: from: to: rtrn: rcvd:    words of Subject, From, To and Cc, Return-Path, Received
//	head: mime:                    names and words of the other header fields, of the message and of its parts
//	url: ip:                       numeric hosts of links and of the route
//
// All other words are of the text or of its links. They are as written, with upper and lower case.
func placeOfBogofilter(text string) place {
	tag, word, _ := strings.Cut(text, ":")
	switch {
	case word == "":
	case tag == "subj":
		return place{kind: subjectWord, text: word}
	case tag == "from":
		return place{kind: addressWord, field: "From", text: word}
	case tag == "to":
		return place{kind: addressWord, field: "To", text: word}
	case tag == "rtrn", tag == "rcvd", tag == "ip":
		return place{kind: routeWord}
	case tag == "url":
		return place{kind: linkHost, text: word}
	case (tag == "head" || tag == "mime") && isAboutPart(word):
		return place{kind: partWord, text: word}
	case tag == "head" && isFieldName(word):
		return place{kind: fieldName, text: word}
	case tag == "head":
		return place{kind: namelessWord}
	case tag == "mime":
		return place{kind: otherWord}
	}
	if isHost(text) {
		return place{kind: linkHost, text: text}
	}
	return place{kind: textWord, text: text}
}

// isFieldName reports whether a word of the header is the name of a field, rather than a word in one.
func isFieldName(word string) bool {
	switch word {
	case "Date", "From", "Sender", "Reply-To", "Cc", "CC", "Message-ID", "Message-Id", "In-Reply-To", "References", "MIME-Version",
		"Mime-Version", "Content-Type", "Content-type", "Content-Transfer-Encoding", "Content-transfer-encoding", "Content-Disposition",
		"Content-Language", "User-Agent", "Organization", "Importance", "Priority", "Precedence", "DKIM-Signature", "Feedback-ID",
		"Disposition-Notification-To", "Thread-Topic", "Auto-Submitted", "Errors-To":
		return true
	}
	return len(word) > 2 && (strings.HasPrefix(word, "X-") || strings.HasPrefix(word, "List-"))
}
