package counts

import (
	"strings"

	"chaff/filter"
	"chaff/internal/ascii"
	"chaff/internal/evidence"
	"chaff/internal/publicsuffix"
	"chaff/message"
	"chaff/tokenize"
)

// kind is where a token stands in a message, or why it has no terms here.
type kind uint8

const (
	bodyWord kind = iota
	subjectWord
	addressWord // in From or To
	fieldName
	fieldWord // of a field whose name is known
	linkHost
	partWord   // charset or encoding of a part
	hiddenWord // text that is not shown
	otherField // a word of a field whose name the filter does not keep
	routeWord  // Received, Return-Path
	markup     // a word of HTML
	otherPart  // other words of the headers of parts
	digest     // of a word that is not known
	notText    // not UTF-8
	kinds
)

// String returns the kind as people read it.
func (k kind) String() string {
	return [...]string{
		"words of the text", "words of the subject", "words of From and To", "names of header fields", "words of other header fields",
		"hosts of links", "charsets and encodings", "hidden text", "words of header fields without their names", "route of delivery",
		"HTML", "other words about parts", "unknown words, kept as digests", "not UTF-8",
	}[k]
}

// place is a kind, and the text of a token without the prefix that says it.
type place struct {
	kind  kind
	field string // of an addressWord or fieldWord: the name of the field
	text  string
}

// reader turns the words of another filter into terms, each as a message of its own.
type reader struct {
	tokenizer *tokenize.Tokenizer
}

func newReader(r filter.Reading) (*reader, error) {
	o := r.Tokenize
	o.Pairs, o.Structure, o.Shape, o.Grams = false, false, false, false
	t, err := tokenize.New(o, r.Key)
	if err != nil {
		return nil, err
	}
	return &reader{t}, nil
}

// terms calls emit for each term of a word.
func (r *reader) terms(p place, emit func(text []byte, hash uint64, group evidence.Group)) {
	text := []byte(p.text)
	var m message.Message
	switch p.kind {
	case bodyWord:
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
		if isEncoding(p.text) {
			m.Parts = []message.Part{{Encoding: []byte(strings.ToLower(p.text))}}
		} else {
			m.Parts = []message.Part{{Charset: []byte(strings.ToLower(p.text))}}
		}
	default:
		return
	}
	r.tokenizer.Terms(&m, func(t *tokenize.Term) {
		text, _ := t.Words()
		if p.kind != fieldName && strings.HasPrefix(string(text), "header:") {
			return // the field is there for the word alone
		}
		emit(text, t.Hash, t.Group)
	})
}

// isHost reports whether a word is the name of a host: it is below a domain under which anyone can register names.
func isHost(word string) bool {
	if strings.ContainsAny(word, "/@") || strings.HasPrefix(word, ".") {
		return false
	}
	suffix, managed := publicsuffix.PublicSuffix(strings.ToLower(word))
	return managed && len(suffix) < len(word)
}

func isEncoding(word string) bool {
	for _, name := range [...]string{"7bit", "8bit", "binary", "base64", "quoted-printable"} {
		if ascii.EqualFold([]byte(word), name) {
			return true
		}
	}
	return false
}
