package counts

import (
	"bytes"
	"strings"

	"chaff/internal/ascii"
	"chaff/internal/weburl"
	"chaff/message"
)

// maxSpamAssassinWord is the length in bytes beyond which SpamAssassin keeps only the beginning of a word.
const maxSpamAssassinWord = 15

// eachToken calls emit for the tokens that SpamAssassin 4 makes of a message, except some that have no terms here, such as those of the
// route. It emits some that SpamAssassin leaves out, which do no harm: nothing has their digest.
func eachToken(m *message.Message, emit func(text []byte)) {
	s := &tokens{emit: emit}
	for _, f := range m.Header {
		if ascii.EqualFold(f.Name, "subject") {
			s.text("", f.Value)
		} else {
			s.field(string(f.Name), f.Value)
		}
	}
	for i := range m.Parts {
		s.text("", m.Parts[i].Text)
		s.text("I*:", m.Parts[i].Hidden)
	}
	for _, l := range m.Links {
		s.text("", l.URL)
		s.host(weburl.Cut(l.URL).Host)
	}
}

type tokens struct {
	emit  func(text []byte)
	token []byte
}

func (s *tokens) put(prefix string, word []byte) {
	s.token = append(append(s.token[:0], prefix...), word...)
	s.emit(s.token)
}

// words calls use for the words of a text: runs of letters, digits and some signs, without signs at their ends, of three bytes or more.
func words(text []byte, use func(word []byte)) {
	isBreak := func(r rune) bool {
		return r < 0x80 && !ascii.IsAlphanumeric(byte(r)) && !strings.ContainsRune(`,@*!_'"$.-`, r)
	}
	for _, run := range bytes.FieldsFunc(text, isBreak) {
		for _, word := range apart(run) {
			if word = bytes.Trim(word, `-'".,`); len(word) >= minWord {
				use(word)
			}
		}
	}
}

// apart cuts a word at runs of hyphens and of full stops.
func apart(word []byte) [][]byte {
	if !bytes.Contains(word, []byte("--")) && !bytes.Contains(word, []byte("...")) {
		return [][]byte{word}
	}
	return bytes.Fields(bytes.ReplaceAll(bytes.ReplaceAll(word, []byte("--"), []byte(" ")), []byte("..."), []byte(" ")))
}

// text emits the words of the text or of links, in the forms that SpamAssassin counts: as written, in lower case, and both without signs.
func (s *tokens) text(prefix string, text []byte) {
	words(text, func(word []byte) {
		switch at := bytes.LastIndexByte(word, '@'); {
		case at >= 0:
			s.address("", word, at)
		case prefix == "" && isHost(string(word)):
			s.host(word)
		}
		if s.isLong(prefix, word) {
			return
		}
		lower := ascii.AppendLower(nil, word, len(word))
		for _, form := range [...][]byte{word, lower, withoutSigns(word), withoutSigns(lower)} {
			s.put(prefix, form)
		}
	})
}

// withoutSigns returns the letters, digits and underscores of a word.
func withoutSigns(word []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r < 0x80 && r != '_' && !ascii.IsAlphanumeric(byte(r)) {
			return -1
		}
		return r
	}, word)
}

// isLong reports whether SpamAssassin keeps only the beginning of a word, and emits that.
func (s *tokens) isLong(prefix string, word []byte) bool {
	if len(word) <= maxSpamAssassinWord {
		return false
	}
	s.put(prefix+"sk:", word[:7])
	return true
}

// address emits the parts of a mail address.
func (s *tokens) address(prefix string, word []byte, at int) {
	s.put(prefix+"U*", word[:at])
	for host := word[at+1:]; len(host) > 0; {
		s.put(prefix+"D*", host)
		_, host, _ = bytes.Cut(host, []byte("."))
	}
}

// host emits a host as written and the domains it is in.
func (s *tokens) host(host []byte) {
	for len(host) > 0 {
		s.put("UD:", host)
		_, host, _ = bytes.Cut(host, []byte("."))
	}
}

// field emits the words of a header field.
func (s *tokens) field(name string, value []byte) {
	prefixes := []string{"H" + name + ":"}
	for _, f := range fieldMarks() {
		if name == f.name {
			prefixes[0] = "H" + f.mark + ":"
		}
	}
	switch strings.ToLower(name) {
	case "from", "to", "cc":
		prefixes = append(prefixes, "H*Ad:")
	case "x-mailer", "user-agent":
		prefixes = append(prefixes, "H*UA:")
	case "message-id", "references", "in-reply-to":
		prefixes = append(prefixes, "H*MI:")
		value = bytes.Map(func(r rune) rune {
			if r != '_' && (r >= 0x80 || !ascii.IsAlphanumeric(byte(r))) {
				return ' '
			}
			return r
		}, value)
	}
	words(value, func(word []byte) {
		for _, prefix := range prefixes {
			if at := bytes.LastIndexByte(word, '@'); at >= 0 {
				s.address(prefix, word, at)
			} else if !s.isLong(prefix, word) {
				s.put(prefix, word)
				s.put(prefix+"N*", word)
			}
		}
	})
}
