package tokenize

import (
	"bytes"
	"unicode/utf8"

	"chaff/features"
	"chaff/message"
)

// Tokenizer turns messages into terms. It belongs to one goroutine.
type Tokenizer struct {
	options   Options
	key       features.Key
	rules     *fieldRules
	voices    map[voiceKey]*voice // of prose, by language and tag
	folds     *cache              // a word of another field -> what it is counted as
	hosts     *cache              // a host name -> itself in lower case
	domains   *cache              // a host name -> its registered domain
	likes     map[rune]byte
	bytes     [256]byteKind
	ascii     [256]asciiClass
	stopWords map[string]languageSet // nil if the language is not looked for
	spoken    string                 // the language of the message

	emit     func(Term)
	left     int            // how many tokens may still be emitted, negative when some were cut off
	read     int            // bytes of body text that were read
	late     bool           // whether what is emitted is beyond the start of the message
	group    features.Group // of what is emitted
	seen     evidence
	voice    voice  // of the text that is cut
	pair     []byte // in prose: the tag, the word or sign before the one that is read as it is counted, and a space
	spaced   spaced
	amounts  amounts
	term     []byte // the term being made: tag and word
	second   []byte // a term that is made while another one stands in term
	before   []byte // the name of the field before
	joined   []byte // the word being made of a disguised one
	previous []byte // the stretch before, if it was made legible
	ordered  []byte // text in the order in which it is shown
	unseen   []byte // letters of the message that are not shown
	clean    []byte // text without invisible characters
	normal   []byte // text in NFKC
	runs     []byte // text whose runs of bytes are looked at
	segments [][]byte
	types    []int

	// The methods word and pairedWord, for cut.
	takeWord, takePaired func(word []byte, kind wordKind)
}

// voice is how the words with one tag are counted.
type voice struct {
	tag   string
	words *cache
	signs *cache // nil for signs that need not be remembered
}

type voiceKey struct{ language, tag string }

// New returns a tokenizer that hashes terms under a key; the error is that of [Options.Validate].
func New(o Options, key features.Key) (*Tokenizer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := &Tokenizer{
		options: o,
		key:     key,
		rules:   newFieldRules(o),
		voices:  make(map[voiceKey]*voice),
		hosts:   newCache(key, "", func(dst, host []byte) ([]byte, *disguise) { return appendLower(dst, host), nil }),
		domains: newCache(key, "", func(dst, host []byte) ([]byte, *disguise) { return append(dst, registeredDomain(string(host))...), nil }),
		likes:   lookAlikes(),
		bytes:   byteKinds(),
		ascii:   asciiClasses(),
		spoken:  o.Language,
	}
	t.folds = newCache(key, "", func(dst, word []byte) ([]byte, *disguise) { return t.unmasked(dst, word, t.fold) })
	if o.Language == autoLanguage {
		t.stopWords = stopWords()
	}
	t.takeWord, t.takePaired = t.word, t.pairedWord
	return t, nil
}

// fold appends a word in one case, unless the options say that case tells words apart.
func (t *Tokenizer) fold(dst, word []byte) []byte {
	if t.options.CaseSensitive {
		return append(dst, word...)
	}
	return appendLower(dst, word)
}

// voiceOf returns how prose with a tag is counted in the language of the message.
func (t *Tokenizer) voiceOf(tag string) voice {
	key := voiceKey{t.spoken, tag}
	v, seen := t.voices[key]
	if !seen {
		v = &voice{tag: tag, words: t.newStems(t.spoken, tag), signs: newCache(t.key, tag, verbatim)}
		t.voices[key] = v
	}
	return *v
}

// verbatim is what a sign is counted as.
func verbatim(dst, sign []byte) ([]byte, *disguise) { return append(dst, sign...), nil }

// newStems returns a cache of the stems of a language.
func (t *Tokenizer) newStems(language, tag string) *cache {
	become := t.fold
	if stem := stemmer(language); stem != nil {
		become = func(dst, word []byte) []byte {
			start := len(dst)
			dst = t.fold(dst, word)
			if isCode(dst[start:]) {
				return dst
			}
			return append(dst[:start], stem(dst[start:])...)
		}
	}
	return newCache(t.key, tag, func(dst, word []byte) ([]byte, *disguise) {
		if meant, ok := undigit(nil, word); ok {
			return become(dst, word), &disguise{mark: letterDigit, meant: string(become(nil, meant))}
		}
		start := len(dst)
		dst, d := t.unmasked(dst, word, become)
		if d != nil && d.meant == "" {
			if meant, ok := undigit(nil, dst[start:]); ok { // of a word with letters of other scripts and digits for letters
				d.meant = string(become(nil, meant))
			}
		}
		return dst, d
	})
}

// isCode reports whether a word in one case has a digit, an underscore or, where case tells words apart, an upper case letter: it
// is a code or a name, and has no stem.
func isCode(folded []byte) bool {
	ascii := true
	for _, c := range folded {
		if c-'0' <= 9 || c == '_' || c-'A' < 26 {
			return true
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return !ascii && !bytes.Equal(folded, bytes.ToLower(folded))
}

// appendLower appends text in lower case.
func appendLower(dst, text []byte) []byte {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return append(dst[:len(dst)-i], bytes.ToLower(text)...)
		}
		dst = append(dst, lowerASCII(c))
	}
	return dst
}

// unmasked appends what become makes of a word, or of the word it looks like.
func (t *Tokenizer) unmasked(dst, word []byte, become func(dst, word []byte) []byte) ([]byte, *disguise) {
	if !mayBeMasked(word) {
		return become(dst, word), nil
	}
	return t.unmask(dst, word, become)
}

// Terms calls emit for every term of m, once for each time it occurs, in the order header, parts, links, and then the
// marks of m, each once. The bytes of a term are valid until emit returns. The result tells what a limit of [Options] cut off.
func (t *Tokenizer) Terms(m *message.Message, emit func(Term)) message.Repairs {
	t.emit, t.left, t.read, t.late, t.seen = emit, t.options.MaxTokens, 0, false, evidence{}
	t.unseen = t.unseen[:0]
	if t.stopWords != nil {
		t.spoken = t.language(m)
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
		t.group = features.Structure
		t.structure(m)
	}
	for _, f := range m.Attached {
		if rule := t.rules.of(f.Name); rule.attached.words != "" {
			t.value(rule, rule.attached, f.Value)
		}
	}
	for i := range m.Parts {
		t.part(&m.Parts[i])
	}
	if len(t.unseen) > 0 {
		t.group = features.Words
		t.words(t.voiceOf("hidden:"), t.unseen)
	}
	t.group = features.Structure
	t.shape(m.Parts)
	t.scripts()
	t.group = features.Links
	for _, l := range m.Links {
		t.link(l)
	}
}

// put emits a term, unless the message has had as many as it may have.
func (t *Tokenizer) put(term, token []byte) {
	if t.left--; t.left >= 0 {
		t.say(t.key.Hash(term), term, token)
	}
}

// say emits a term.
func (t *Tokenizer) say(hash uint64, text, token []byte) {
	t.emit(Term{Hash: hash, Text: text, Token: token, Start: !t.late, Group: t.group})
}

// isFull reports whether no token is wanted any more of what is left of the message.
func (t *Tokenizer) isFull() bool {
	if t.left <= 0 {
		t.left = -1
	}
	return t.left < 0
}

func (t *Tokenizer) header(f message.Field) {
	rule := t.rules.of(f.Name)
	if !rule.used {
		return
	}
	t.group = features.Structure
	t.term = append(t.term[:0], rule.header...)
	t.put(t.term, nil)
	t.value(rule, rule.tags, f.Value)
}

// value emits the words of a header field.
func (t *Tokenizer) value(rule *fieldRule, tags addressTags, value []byte) {
	t.group = features.Fields
	switch {
	case rule.nameOnly:
	case rule.prose:
		t.group = features.Subject
		t.prose(tags.words, value)
	case rule.addresses:
		t.addresses(tags, value)
	default:
		t.text(tags.words, value)
	}
}

func (t *Tokenizer) part(p *message.Part) {
	t.group = features.Structure
	t.single("type:", p.Type, t.folds)
	t.single("charset:", p.Charset, t.folds)
	t.single("encoding:", p.Encoding, t.folds)
	if len(p.Filename) > 0 {
		if dot := bytes.LastIndexByte(p.Filename, '.'); dot >= 0 {
			t.single("file:.", p.Filename[dot+1:], t.folds)
		}
		t.text("file:", p.Filename)
	}
	t.group = features.Words
	t.prose(bodyTag, p.Text)
	t.words(t.voiceOf("hidden:"), p.Hidden)
}

// prose emits the words of text that is written for people: beside the words what is behind disguised ones, and the
// classes of its amounts.
func (t *Tokenizer) prose(tag string, text []byte) {
	t.voice = t.voiceOf(tag)
	take := t.takeWord
	if t.options.Pairs {
		take = t.takePaired
		t.pair = append(append(t.pair[:0], tag...), textStart...)
	}
	t.amounts = amounts{}
	var before []byte
	s := t.stretches(text)
	for stretch := s.next(); len(stretch) > 0 && !t.isFull(); stretch = s.next() {
		if tag == bodyTag {
			t.late = t.read >= t.options.StartBytes
			t.read += s.taken
			if t.options.PairBytes > 0 && t.read > t.options.PairBytes {
				take = t.takeWord
			}
		}
		t.cut(stretch, s.kinds, take)
		if s.kinds&(number|at) != 0 || t.amounts.open {
			if t.options.Classes {
				t.classes(stretch, before, s.kinds)
			}
		}
		if before = stretch; s.legible {
			t.previous = append(t.previous[:0], stretch...)
			before = t.previous
		}
		if s.kinds&(at|sign) != 0 {
			t.signed(stretch)
		}
		if len(stretch) <= 2 && s.kinds&^(alpha|nonASCII) == 0 || t.spaced.count > 0 {
			t.alone(stretch, s.gap)
		}
		if len(stretch) >= 2*minSpaced-1 && t.bytes[stretch[1]]&t.bytes[stretch[2]] != alpha {
			t.apart(stretch)
		}
	}
	t.endSpaced()
	t.late = false
}

// bodyTag is what the words of the visible text are tagged with.
const bodyTag = "body:"

// textStart stands in a pair for what is before the first word.
const textStart = "^ "

// text emits the words of text that is not prose.
func (t *Tokenizer) text(tag string, text []byte) { t.words(voice{tag: tag, words: t.folds}, text) }

// words emits the words of text, each as the voice says.
func (t *Tokenizer) words(v voice, text []byte) {
	t.voice = v
	s := t.stretches(text)
	for stretch := s.next(); len(stretch) > 0 && !t.isFull(); stretch = s.next() {
		t.cut(stretch, s.kinds, t.takeWord)
	}
}

// pairedWord emits a word or sign and the pair that it makes with the one before it, as both are counted.
func (t *Tokenizer) pairedWord(word []byte, kind wordKind) {
	counted := t.counted(word, kind)
	if kind == furtherWord || len(counted) == 0 {
		return
	}
	pair := append(t.pair, counted...)
	if t.left >= 0 { // a pair is no token
		late, group := t.late, t.group
		t.late = true
		if group == features.Words {
			t.group = features.Pairs
		}
		t.say(t.key.Hash(pair), pair, nil)
		t.late, t.group = late, group
	}
	t.pair = append(append(pair[:len(t.voice.tag)], counted...), ' ')
}

// word emits a word or sign.
func (t *Tokenizer) word(word []byte, kind wordKind) { t.counted(word, kind) }

// counted emits a word or sign of the text that is cut, and returns what it is counted as, empty if it is not.
func (t *Tokenizer) counted(word []byte, kind wordKind) []byte {
	switch {
	case kind != symbol:
		return t.single(t.voice.tag, word, t.voice.words)
	case !t.options.Symbols:
		return nil
	case len(word) > t.options.MaxLength: // a line of underlines
		return t.single(t.voice.tag, word, t.voice.words)
	case t.voice.signs == nil:
		t.term = append(append(t.term[:0], t.voice.tag...), word...)
		t.put(t.term, word)
		return word
	}
	return t.remembered(t.voice.tag, word, t.voice.signs)
}

// single emits one word, unless it is too short; a word that is too long is counted by its length. It returns what the
// word is counted as.
func (t *Tokenizer) single(tag string, word []byte, c *cache) []byte {
	// The number of bytes bounds the number of characters from above, so most words need no counting.
	if uint(len(word)-1) < uint(t.options.MaxLength) && t.options.MinLength <= 1 {
		return t.remembered(tag, word, c)
	}
	switch n := utf8.RuneCount(word); {
	case n == 0, n < t.options.MinLength:
		return nil
	case n > t.options.MaxLength:
		t.term = lengthClass(append(t.term[:0], tag...), n)
		t.put(t.term, word)
		return t.term[len(tag):]
	}
	return t.remembered(tag, word, c)
}

// remembered emits one word as a cache says, and returns what it is counted as.
func (t *Tokenizer) remembered(tag string, word []byte, c *cache) []byte {
	text, hash := c.known(word)
	if len(text) == 0 {
		return t.newWord(tag, word, c)
	}
	if c.tag == "" { // it knows no tags
		t.term = append(append(t.term[:0], tag...), text...)
		t.put(t.term, word)
		return text
	}
	if t.left--; t.left >= 0 {
		t.say(hash, text, word)
	}
	return text[len(tag):]
}

// newWord emits a word that is new or disguised; of a disguised one also the word that was meant.
func (t *Tokenizer) newWord(tag string, word []byte, c *cache) []byte {
	text, _, d := c.unknown(word)
	text = text[len(c.tag):]
	t.term = append(append(t.term[:0], tag...), text...)
	t.put(t.term, word)
	if d == nil {
		return text
	}
	if d.perhaps {
		t.seen.lookAlike = true
	} else {
		t.seen.add(d.mark)
	}
	if d.meant == "" {
		return text
	}
	t.term = append(append(t.term[:0], tag...), d.meant...)
	t.put(t.term, word)
	return t.term[len(tag):]
}

// addressTags are the tags of a field of addresses.
type addressTags struct {
	words  string // whole addresses, and the words of names and comments: "from:"
	host   string // "from:@"
	domain string // the registered one: "from:@."
}

func newAddressTags(tag string) addressTags { return addressTags{tag, tag + "@", tag + "@."} }

// addresses emits, of a field like From, each address whole, its domain and its registered domain, and the words of
// names and comments.
func (t *Tokenizer) addresses(tags addressTags, value []byte) {
	for len(value) > 0 {
		i := 0
		for i < len(value) && !endsAddress(value[i]) {
			i++
		}
		chunk := value[:i]
		if i < len(value) {
			i++
		}
		value = value[i:]
		at := bytes.LastIndexByte(chunk, '@')
		if at < 0 {
			t.text(tags.words, chunk)
			continue
		}
		address := chunk
		if len(chunk) <= maxStretch && lengthOfPrintable(chunk) < len(chunk) {
			address = t.legible(chunk)
		}
		t.single(tags.words, address, t.folds)
		t.host(tags.host, tags.domain, chunk[at+1:])
	}
}

// endsAddress reports whether c stands between addresses, names and comments.
func endsAddress(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', '<', '>', '(', ')', ',', ';', ':', '"', '[', ']':
		return true
	}
	return false
}
