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

// Terms calls emit for every term of m, once for each time it occurs, in the order header, parts, URLs. The bytes of
// term are valid until emit returns.
func (t *Tokenizer) Terms(m *message.Message, emit func(term []byte)) {
	for _, f := range m.Header {
		t.header(f, emit)
	}
	for i := range m.Parts {
		t.part(&m.Parts[i], emit)
	}
	for _, u := range m.URLs {
		t.url(u, emit)
	}
}

func (t *Tokenizer) header(f message.Field, emit func(term []byte)) {
	plan := t.plans.plan(f.Name)
	if !plan.look {
		return
	}
	t.term = append(t.term[:0], plan.mark...)
	emit(t.term)
	switch {
	case plan.stem:
		t.text(plan.tag, f.Value, t.stems, t.stem, emit)
	case plan.address:
		t.addresses(plan.tag, f.Value, emit)
	default:
		t.text(plan.tag, f.Value, t.folds, t.fold, emit)
	}
}

func (t *Tokenizer) part(p *message.Part, emit func(term []byte)) {
	t.word("type:", p.Type, t.folds, t.fold, emit)
	t.word("charset:", p.Charset, t.folds, t.fold, emit)
	t.word("encoding:", p.Encoding, t.folds, t.fold, emit)
	if len(p.Filename) > 0 {
		if dot := bytes.LastIndexByte(p.Filename, '.'); dot >= 0 {
			t.word("file:.", p.Filename[dot+1:], t.folds, t.fold, emit)
		}
		t.text("file:", p.Filename, t.folds, t.fold, emit)
	}
	t.text("body:", p.Text, t.stems, t.stem, emit)
}

// text emits the words of text, each as what become makes of it.
func (t *Tokenizer) text(tag string, text []byte, c cache, become func(string) string, emit func(term []byte)) {
	t.words(text, func(word []byte, symbol bool) {
		if symbol {
			if t.options.Symbols {
				t.term = append(append(t.term[:0], tag...), word...)
				emit(t.term)
			}
			return
		}
		t.word(tag, word, c, become, emit)
	})
}

// word emits one word, unless it is too short; a word that is too long is counted by its length.
func (t *Tokenizer) word(tag string, word []byte, c cache, become func(string) string, emit func(term []byte)) {
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
			emit(t.term)
			return
		}
	}
	t.whole(tag, c.get(word, become), emit)
}

// whole emits value as it is.
func (t *Tokenizer) whole(tag, value string, emit func(term []byte)) {
	t.term = append(append(t.term[:0], tag...), value...)
	emit(t.term)
}

// addresses emits, of a field like From, each address whole, its domain and its registered domain, and the words of
// names and comments.
func (t *Tokenizer) addresses(tag string, value []byte, emit func(term []byte)) {
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
			t.text(tag, chunk, t.folds, t.fold, emit)
			continue
		}
		t.word(tag, norm.NFKC.Bytes(chunk), t.folds, t.fold, emit)
		t.host(tag+"@", tag+"@.", chunk[at+1:], emit)
	}
}
