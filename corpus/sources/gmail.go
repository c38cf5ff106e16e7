package sources

import (
	"cmp"
	"mime"
	"path/filepath"
	"strings"
	"sync"
)

var usualNames = sync.OnceValue(readFolderNames)

// gmailLabel returns what the labels say that Gmail gives a message: [Spam], [Ham], or [LeftOut] for mail that was deleted, sent or not sent yet. They are in the language of the account, as names of folders are. The value may be encoded (RFC 2047).
func gmailLabel(value string) string {
	if decoded, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
		value = decoded
	}
	label := Ham
	for name := range strings.SplitSeq(value, ",") {
		switch usualNames()[foldName(strings.Trim(name, "\" \t"))] {
		case "spam":
			label = Spam
		case "deleted mail", "drafts", "mail to be sent", "templates", sentMail:
			return LeftOut
		}
	}
	return label
}

// OpenGmail opens an mbox that Gmail has exported and whose messages have labels. It yields ham and spam, and counts how many messages have
// which label. The source is nil for any other path. A pipe is another one, since it can be read only once.
func OpenGmail(name string) (source Source, labels map[string]int, err error) {
	if is, err := isGmail(name); !is {
		return nil, nil, err
	}
	name = filepath.Clean(name)
	all := func(yield func(Item, error) bool) {
		for item, err := range list(system{}, name, "", Mbox) {
			item.Label = cmp.Or(item.Label, Ham)
			if !yield(item, err) {
				return
			}
		}
	}
	labels = map[string]int{}
	for item, err := range all {
		if err == nil {
			labels[item.Label]++
		}
	}
	return func(yield func(Item, error) bool) {
		for item, err := range all {
			if item.Label != LeftOut && !yield(item, err) {
				return
			}
		}
	}, labels, nil
}

// isGmail reports whether the first message of an mbox has labels of Gmail.
func isGmail(name string) (is bool, err error) {
	found, err := Detect(name)
	if err != nil || found.Format != Mbox {
		return false, nil
	}
	f, err := openPlain(nil, name)
	if err != nil {
		return false, explain("open", name, err)
	}
	defer f.Close()
	head, err := readHead(f)
	if err != nil {
		return false, explain("read", name, err)
	}
	s := newMboxScanner(func(m mboxMessage) bool { is = m.label != ""; return false })
	s.take(head, true)
	_ = s.end() // only the first message counts
	return is, nil
}
