package tokenize

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"chaff/message"
)

// Tokenizer turns messages into terms. It belongs to one goroutine.
type Tokenizer struct {
	options Options
	plans   *plans
	stems   cache // a word of subject or body -> what it is counted as
	folds   cache // a word of another field  -> what it is counted as
	domains cache // a host name -> its registered domain
	stem    func(word string) string
	fold    func(word string) string

	emit     func(term, token []byte)
	term     []byte // the term being made: tag and word
	clean    []byte // text without invisible characters
	normal   []byte // text in NFKC
	segments [][]byte
	types    []int
}

// New returns a tokenizer; the error is that of [Options.Validate].
func New(o Options) (*Tokenizer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := &Tokenizer{
		options: o,
		plans:   newPlans(o),
		stems:   make(cache),
		folds:   make(cache),
		domains: make(cache),
		fold:    strings.ToLower,
	}
	if o.CaseSensitive {
		t.fold = func(word string) string { return word }
	}
	t.stem = t.fold
	if stem := stemmer(o.Language); stem != nil {
		t.stem = func(word string) string {
			folded := t.fold(word)
			if folded != strings.ToLower(folded) {
				return folded
			}
			return stem(folded)
		}
	}
	return t, nil
}

// Terms calls emit for every term of m, once for each time it occurs, in the order header, parts, links. Token is the
// word the term was made of as it stands in the message, nil for a term that was not made of a word. The bytes of both
// are valid until emit returns. The result tells what a limit of [Options] cut off.
func (t *Tokenizer) Terms(m *message.Message, emit func(term, token []byte)) message.Repairs {
	t.emit = emit
	t.message(m)
	t.emit = nil
	return 0
}

func (t *Tokenizer) message(m *message.Message) {
	for _, f := range m.Header {
		t.header(f)
	}
	for i := range m.Parts {
		t.part(&m.Parts[i])
	}
	for _, l := range m.Links {
		t.url(l.URL)
	}
}

func (t *Tokenizer) header(f message.Field) {
	plan := t.plans.plan(f.Name)
	if !plan.look {
		return
	}
	t.term = append(t.term[:0], plan.mark...)
	t.emit(t.term, nil)
	switch {
	case plan.stem:
		t.text(plan.tag, f.Value, t.stems, t.stem)
	case plan.address:
		t.addresses(plan.tag, f.Value)
	default:
		t.text(plan.tag, f.Value, t.folds, t.fold)
	}
}

func (t *Tokenizer) part(p *message.Part) {
	t.word("type:", p.Type, t.folds, t.fold)
	t.word("charset:", p.Charset, t.folds, t.fold)
	t.word("encoding:", p.Encoding, t.folds, t.fold)
	if len(p.Filename) > 0 {
		if dot := bytes.LastIndexByte(p.Filename, '.'); dot >= 0 {
			t.word("file:.", p.Filename[dot+1:], t.folds, t.fold)
		}
		t.text("file:", p.Filename, t.folds, t.fold)
	}
	t.text("body:", p.Text, t.stems, t.stem)
}

// text emits the words of text, each as what become makes of it.
func (t *Tokenizer) text(tag string, text []byte, c cache, become func(string) string) {
	t.words(text, func(word []byte, symbol bool) {
		if symbol {
			if t.options.Symbols {
				t.term = append(append(t.term[:0], tag...), word...)
				t.emit(t.term, word)
			}
			return
		}
		t.word(tag, word, c, become)
	})
}

// word emits one word, unless it is too short; a word that is too long is counted by its length.
func (t *Tokenizer) word(tag string, word []byte, c cache, become func(string) string) {
	// The number of bytes bounds the number of characters from above, so most words need no counting.
	if len(word) == 0 {
		return
	}
	if len(word) > t.options.MaxLength || t.options.MinLength > 1 {
		n := utf8.RuneCount(word)
		if n < t.options.MinLength {
			return
		}
		if n > t.options.MaxLength {
			t.term = lengthClass(append(t.term[:0], tag...), n)
			t.emit(t.term, word)
			return
		}
	}
	t.term = append(append(t.term[:0], tag...), c.get(word, become)...)
	t.emit(t.term, word)
}

// addresses emits, of a field like From, each address whole, its domain and its registered domain, and the words of
// names and comments.
func (t *Tokenizer) addresses(tag string, value []byte) {
	for len(value) > 0 {
		i := bytes.IndexAny(value, " \t\r\n<>(),;:\"[]")
		if i < 0 {
			i = len(value)
		}
		chunk := value[:i]
		if i < len(value) {
			i++
		}
		value = value[i:]
		at := bytes.LastIndexByte(chunk, '@')
		if at < 0 {
			t.text(tag, chunk, t.folds, t.fold)
			continue
		}
		t.word(tag, norm.NFKC.Bytes(chunk), t.folds, t.fold)
		t.host(tag+"@", tag+"@.", chunk[at+1:])
	}
}
