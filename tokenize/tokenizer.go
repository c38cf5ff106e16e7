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
	options   Options
	plans     *plans
	languages map[string]*cache // for each language seen, a word of subject or body -> what it is counted as
	stems     *cache            // that of the message's language
	folds     *cache            // a word of another field -> what it is counted as
	hosts     *cache            // a host name -> itself in lower case
	domains   *cache            // a host name -> its registered domain
	likes     map[rune]byte
	bytes     [256]byteKind
	stopWords map[string]languageSet // nil if the language is not looked for

	emit     func(term, token []byte)
	left     int  // how many tokens may still be emitted, negative when some were cut off
	read     int  // bytes of body text that were read
	late     bool // whether what is emitted is beyond the start of the message
	seen     evidence
	before   []byte // the word or sign before the one that is read, as it is counted
	second   []byte // a term that is made while another one stands in term
	spaced   spaced
	amounts  amounts
	term     []byte // the term being made: tag and word
	joined   []byte // the word being made of a disguised one
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
		options:   o,
		plans:     newPlans(o),
		languages: make(map[string]*cache),
		hosts:     newCache(func(host string) (string, *disguise) { return strings.ToLower(host), nil }),
		domains:   newCache(func(host string) (string, *disguise) { return registeredDomain(host), nil }),
		likes:     lookAlikes(),
		bytes:     byteKinds(),
	}
	t.folds = newCache(func(word string) (string, *disguise) { return t.unmasked(word, t.fold) })
	if o.Language == autoLanguage {
		t.stopWords = stopWords()
	} else {
		t.stems = t.stemsOf(o.Language)
	}
	return t, nil
}

// fold brings a word to one case, unless the options say that case tells words apart.
func (t *Tokenizer) fold(word string) string {
	if t.options.CaseSensitive {
		return word
	}
	return strings.ToLower(word)
}

// stemsOf returns the cache of stems of a language.
func (t *Tokenizer) stemsOf(language string) *cache {
	if c, seen := t.languages[language]; seen {
		return c
	}
	become := t.fold
	if stem := stemmer(language); stem != nil {
		become = func(word string) string {
			folded := t.fold(word)
			if strings.ContainsAny(folded, "0123456789_") || folded != strings.ToLower(folded) {
				return folded // a code, or a word with an upper case letter
			}
			return stem(folded)
		}
	}
	c := newCache(func(word string) (string, *disguise) {
		if meant, ok := undigit(nil, []byte(word)); ok {
			return become(word), &disguise{mark: letterDigit, meant: become(string(meant))}
		}
		return t.unmasked(word, become)
	})
	t.languages[language] = c
	return c
}

// unmasked returns what become makes of a word, or of the word it looks like.
func (t *Tokenizer) unmasked(word string, become func(string) string) (term string, d *disguise) {
	plain, masked := t.unmask(word)
	if masked {
		d = &disguise{mark: homoglyph}
	}
	return become(plain), d
}

// Terms calls emit for every term of m, once for each time it occurs, in the order header, parts, links, and then the
// marks of m, each once. Token is the word the term was made of as it stands in the message, nil for a term that was
// not made of a word. The bytes of both are valid until emit returns. The result tells what a limit of [Options] cut
// off.
func (t *Tokenizer) Terms(m *message.Message, emit func(term, token []byte)) message.Repairs {
	t.emit, t.left, t.read, t.late, t.seen = emit, t.options.MaxTokens, 0, false, evidence{}
	if t.stopWords != nil {
		t.stems = t.stemsOf(t.language(m))
	}
	t.message(m)
	t.marks(m)
	t.emit = nil
	if t.left < 0 {
		return message.Repairs(0).With(message.CutTokens)
	}
	return 0
}

func (t *Tokenizer) message(m *message.Message) {
	for _, f := range m.Header {
		t.header(f)
	}
	if t.options.Structure {
		t.structure(m)
	}
	for _, f := range m.Attached {
		if plan := t.plans.plan(f.Name); plan.attached != "" {
			t.value(plan, plan.attached, f.Value)
		}
	}
	for i := range m.Parts {
		t.part(&m.Parts[i])
	}
	t.grams(m)
	t.shape(m.Parts)
	t.scripts()
	for _, l := range m.Links {
		t.link(l)
	}
}

// AtStart reports, while a term is emitted, whether it occurs at the start of the message: in its header, its links, or the
// first bytes of its text as the options say. A pair of words never does.
func (t *Tokenizer) AtStart() bool { return !t.late }

// put emits a term, unless the message has had as many as it may have.
func (t *Tokenizer) put(term, token []byte) {
	if t.left--; t.left >= 0 {
		t.emit(term, token)
	}
}

// isFull reports whether no token is wanted any more of what is left of the message.
func (t *Tokenizer) isFull() bool {
	if t.left <= 0 {
		t.left = -1
	}
	return t.left < 0
}

func (t *Tokenizer) header(f message.Field) {
	plan := t.plans.plan(f.Name)
	if !plan.look {
		return
	}
	t.term = append(t.term[:0], plan.mark...)
	t.put(t.term, nil)
	t.value(plan, plan.tag, f.Value)
}

// value emits the words of a header field.
func (t *Tokenizer) value(plan fieldPlan, tag string, value []byte) {
	switch {
	case plan.mute:
	case plan.stem:
		t.prose(tag, value)
	case plan.address:
		t.addresses(tag, value)
	default:
		t.text(tag, value, t.folds)
	}
}

func (t *Tokenizer) part(p *message.Part) {
	t.word("type:", p.Type, t.folds)
	t.word("charset:", p.Charset, t.folds)
	t.word("encoding:", p.Encoding, t.folds)
	if len(p.Filename) > 0 {
		if dot := bytes.LastIndexByte(p.Filename, '.'); dot >= 0 {
			t.word("file:.", p.Filename[dot+1:], t.folds)
		}
		t.text("file:", p.Filename, t.folds)
	}
	t.prose(bodyTag, p.Text)
	t.text("hidden:", p.Hidden, t.stems)
}

// prose emits the words of text that is written for people: beside the words what is behind disguised ones, and the
// classes of its amounts.
func (t *Tokenizer) prose(tag string, text []byte) {
	emit := t.emitter(tag, t.stems)
	if t.options.Pairs {
		emit = t.paired(tag, emit)
	}
	t.amounts = amounts{}
	var before []byte
	s := stretches{bytes: &t.bytes, text: text}
	for stretch := s.next(); len(stretch) > 0 && !t.isFull(); stretch = s.next() {
		if tag == bodyTag {
			t.late = t.read >= t.options.StartBytes
			t.read += s.gap + len(stretch)
		}
		t.cut(stretch, s.kinds, emit)
		if s.kinds&(number|at) != 0 || t.amounts.open {
			if t.options.Classes {
				t.classes(stretch, before, s.kinds)
			}
		}
		before = stretch
		if s.kinds&(at|sign) != 0 {
			t.signed(tag, stretch)
		}
		if len(stretch) <= 2 && s.kinds&^(alpha|nonASCII) == 0 || t.spaced.count > 0 {
			t.single(tag, stretch, s.gap)
		}
		if len(stretch) >= 2*minSpaced-1 && t.bytes[stretch[1]]&t.bytes[stretch[2]] != alpha {
			t.apart(tag, stretch)
		}
	}
	t.endSpaced(tag)
	t.late = false
}

// bodyTag is what the words of the visible text are tagged with.
const bodyTag = "body:"

// paired returns what emits, beside each word or sign, the pair that it makes with the one before it, as both are counted.
func (t *Tokenizer) paired(tag string, emit func(word []byte, kind wordKind)) func(word []byte, kind wordKind) {
	t.before = append(t.before[:0], textStart)
	return func(word []byte, kind wordKind) {
		t.term = t.term[:0]
		emit(word, kind)
		if kind == furtherWord || len(t.term) <= len(tag) {
			return
		}
		counted := t.term[len(tag):]
		if t.left >= 0 { // a pair is no token
			t.second = append(append(append(append(t.second[:0], tag...), t.before...), ' '), counted...)
			late := t.late
			t.late = true
			t.emit(t.second, nil)
			t.late = late
		}
		t.before = append(t.before[:0], counted...)
	}
}

// textStart stands in a pair for what is before the first word.
const textStart = '^'

// text emits the words of text.
func (t *Tokenizer) text(tag string, text []byte, c *cache) {
	if len(text) == 0 {
		return
	}
	emit := t.emitter(tag, c)
	s := stretches{bytes: &t.bytes, text: text}
	for stretch := s.next(); len(stretch) > 0 && !t.isFull(); stretch = s.next() {
		t.cut(stretch, s.kinds, emit)
	}
}

// emitter returns a function that emits words with a tag, each as the cache says.
func (t *Tokenizer) emitter(tag string, c *cache) func(word []byte, kind wordKind) {
	return func(word []byte, kind wordKind) {
		switch {
		case kind != symbol:
			t.word(tag, word, c)
		case !t.options.Symbols:
		case len(word) > t.options.MaxLength: // a line of underlines
			t.word(tag, word, c)
		default:
			t.term = append(append(t.term[:0], tag...), word...)
			t.put(t.term, word)
		}
	}
}

// word emits one word, unless it is too short; a word that is too long is counted by its length.
func (t *Tokenizer) word(tag string, word []byte, c *cache) {
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
			t.put(t.term, word)
			return
		}
	}
	term := c.known(word)
	if len(term) == 0 {
		t.newWord(tag, word, c)
		return
	}
	t.term = append(append(t.term[:0], tag...), term...)
	t.put(t.term, word)
}

// newWord emits a word that is new or disguised; of a disguised one also the word that was meant.
func (t *Tokenizer) newWord(tag string, word []byte, c *cache) {
	term, d := c.get(word)
	t.term = append(append(t.term[:0], tag...), term...)
	t.put(t.term, word)
	if d == nil {
		return
	}
	t.seen.add(d.mark)
	if d.meant != "" {
		t.term = append(append(t.term[:0], tag...), d.meant...)
		t.put(t.term, word)
	}
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
			t.text(tag, chunk, t.folds)
			continue
		}
		t.word(tag, norm.NFKC.Bytes(chunk), t.folds)
		t.host(tag+"@", tag+"@.", chunk[at+1:])
	}
}
