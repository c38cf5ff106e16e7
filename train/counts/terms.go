package counts

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"chaff/filter"
	"chaff/internal/evidence"
	"chaff/internal/publicsuffix"
	"chaff/message"
	"chaff/tokenize"
)

// kind is where a token stands in a message. The last kinds have no terms.
type kind uint8

const (
	textWord kind = iota
	subjectWord
	addressWord
	fieldWord // of a field whose name is known
	fieldName
	linkHost
	hiddenWord
	partWord // a charset or a transfer encoding
	routeWord
	namelessWord // of a field whose name is not known
	otherWord
	pieceWord
	repeatedWord // which another token stands for
	unknownWord
	kinds
)

// String returns what the tokens of a kind are.
func (k kind) String() string {
	return [...]string{
		"words of the text", "words of the subject", "words of address fields", "words of other header fields", "names of header fields",
		"hosts of links", "hidden words", "charsets and encodings", "route of delivery", "header words without their field",
		"other words about parts", "pieces of words", "second forms of words", "digests of unknown words",
	}[k]
}

// place is where a token stands, and its text without the prefix that says so.
type place struct {
	kind  kind
	field string // of an addressWord or fieldWord: the name of the field
	text  string
}

// reader turns tokens into terms. Each token is read as a message of its own.
type reader struct{ tokenizer *tokenize.Tokenizer }

func newReader(r filter.Reading) (*reader, error) {
	o := r.Tokenize
	o.Pairs, o.Structure, o.Shape, o.Classes = false, false, false, false
	t, err := tokenize.New(o, r.Key)
	return &reader{t}, err
}

// minWord is the number of bytes from which on filters keep a word. A shorter one is left from a longer token, as "to" of "to-do", so its
// counts are not complete.
const minWord = 3

// terms calls emit for each term of a token whose counts are those of the token.
func (r *reader) terms(p place, emit func(text []byte, hash uint64, group evidence.Group)) {
	var m message.Message
	text := []byte(p.text)
	switch p.kind {
	case textWord:
		m.Parts = []message.Part{{Text: text}}
	case hiddenWord:
		m.Parts = []message.Part{{Hidden: text}}
	case subjectWord:
		m.Header = []message.Field{{Name: []byte("Subject"), Value: text}}
	case addressWord, fieldWord:
		if p.kind == addressWord && isHost(p.text) {
			text = append([]byte("@"), text...)
		}
		m.Header = []message.Field{{Name: []byte(p.field), Value: text}}
	case fieldName:
		m.Header = []message.Field{{Name: text}}
	case linkHost:
		m.Links = []message.Link{{Kind: message.LinkAnchor, URL: append([]byte("http://"), text...)}}
	case partWord:
		part := message.Part{Charset: bytes.ToLower(text)}
		if isEncoding(p.text) {
			part = message.Part{Encoding: part.Charset}
		}
		m.Parts = []message.Part{part}
	default:
		return
	}
	if !utf8.ValidString(p.text) {
		return
	}
	r.tokenizer.Terms(&m, func(t *tokenize.Term) {
		term, _ := t.Words()
		tag, word, _ := bytes.Cut(term, []byte(":"))
		isName := string(tag) == "header"
		if isName == (p.kind == fieldName) && len(word) >= minWord && string(tag) != "mark" {
			emit(term, t.Hash, t.Group)
		}
	})
}

// isHost reports whether a word is the name of a host: it is below a domain under which anyone can register names.
func isHost(word string) bool {
	if strings.Contains(word, "..") || strings.ContainsAny(word, "/@!?$'\"") || strings.HasPrefix(word, ".") {
		return false
	}
	suffix, managed := publicsuffix.PublicSuffix(strings.ToLower(word))
	return managed && len(suffix) < len(word)
}

func isEncoding(word string) bool {
	switch strings.ToLower(word) {
	case "7bit", "8bit", "binary", "base64", "quoted-printable":
		return true
	}
	return false
}

// isAboutPart reports whether a word of a header is a transfer encoding or a charset.
func isAboutPart(word string) bool {
	if isEncoding(word) {
		return true
	}
	word = strings.ToLower(word)
	for _, name := range [...]string{"us-ascii", "utf-8", "iso-8859-", "iso-2022-", "windows-125", "koi8-", "gb2312", "gbk", "gb18030", "big5", "euc-", "shift_jis", "ks_c_5601"} {
		if strings.HasPrefix(word, name) {
			return true
		}
	}
	return false
}
