package tokenize

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/evidence"
	"chaff/internal/headerfield"
	"chaff/internal/termkey"
	"chaff/message"
)

// Tokenizer turns messages into terms. It is not safe for concurrent use.
type Tokenizer struct {
	options      Options
	key          termkey.Key
	rules        *fieldRules
	lexicons     map[string]lexicon // by tag
	folded       *cache             // the words that are not prose, in one case
	hosts        *cache             // the names of hosts in lower case
	domains      *cache             // the registered domains of hosts
	lookAlikes   map[rune]byte
	byteKinds    [256]byteKind
	asciiClasses [256]asciiClass

	// The state of a message.
	emit       func(*Term)
	emitted    Term
	tokensLeft int  // how many tokens may still be emitted, negative if some were left out
	textRead   int  // bytes of body text
	beyondHead bool // whether the terms are beyond the head of the text
	group      evidence.Group
	seen       sightings

	// The state of the text that is cut.
	current lexicon
	before  wordBefore
	spaced  spaced

	// Scratch memory.
	room          []byte // for the terms that are made of a tag and a text
	term          []byte // the term that is made, behind those of the message before it
	scratch       []byte // a second term
	length        []byte // the class of a long word
	fieldBefore   []byte // the name of the field before
	joined        []byte // the word behind a disguised one
	ordered       []byte // text in display order
	invisibleText []byte // the letters of the message that are not shown
	cleaned       []byte // text without invisible characters
	normalized    []byte // text in NFKC
	gramText      []byte
	segments      [][]byte
	types         []int

	onWord, onPaired func(segment []byte, kind segmentKind) // emit a word or sign, and the pair with the one before
}

// lexicon maps the words and signs of one tag to terms.
type lexicon struct {
	tag   string
	words *cache
	signs *cache // and other texts that are counted as they are; nil if the text is not prose
}

// New returns a tokenizer that hashes terms under a key. The error is that of [Options.Validate].
func New(o Options, key termkey.Key) (*Tokenizer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := &Tokenizer{
		options:      o,
		key:          key,
		rules:        &fieldRules{options: o, byName: make(map[string]*fieldRule)},
		lexicons:     make(map[string]lexicon),
		hosts:        newCache(key, maxCachedWords, "", func(dst, host []byte) ([]byte, *disguise) { return appendLower(dst, host), nil }),
		domains:      newCache(key, maxCachedWords, "", func(dst, host []byte) ([]byte, *disguise) { return append(dst, registeredDomain(string(host))...), nil }),
		lookAlikes:   lookAlikes(),
		byteKinds:    byteKinds(),
		asciiClasses: asciiClasses(),
		room:         make([]byte, 0, roomSize),
	}
	t.folded = newCache(key, maxCachedWords, "", func(dst, word []byte) ([]byte, *disguise) { return t.withoutLookAlikes(dst, word, t.fold) })
	t.onWord = func(segment []byte, kind segmentKind) { t.putSegment(segment, kind) }
	t.onPaired = t.takePaired
	return t, nil
}

// lexiconOf returns the lexicon for prose under a tag.
func (t *Tokenizer) lexiconOf(tag string) lexicon {
	l, known := t.lexicons[tag]
	if !known {
		asWritten := func(dst, text []byte) ([]byte, *disguise) { return append(dst, text...), nil }
		l = lexicon{tag, t.newStems(tag), newCache(t.key, maxCachedSigns, tag, asWritten)}
		t.lexicons[tag] = l
	}
	return l
}

// newStems returns a cache of the stems of words.
func (t *Tokenizer) newStems(tag string) *cache {
	normalize := t.fold
	if stem := stemmer(t.options.Language); stem != nil {
		normalize = func(dst, word []byte) []byte {
			start := len(dst)
			dst = t.fold(dst, word)
			if isCode(dst[start:]) {
				return dst
			}
			return append(dst[:start], stem(dst[start:])...)
		}
	}
	return newCache(t.key, maxCachedWords, tag, func(dst, word []byte) ([]byte, *disguise) {
		if meant, ok := restoreLetters(nil, word); ok {
			return normalize(dst, word), &disguise{mark: letterDigit, meant: normalize(nil, meant)}
		}
		start := len(dst)
		dst, d := t.withoutLookAlikes(dst, word, normalize)
		if d != nil && len(d.meant) == 0 { // the word may also have digits for letters
			if meant, ok := restoreLetters(nil, dst[start:]); ok {
				d.meant = normalize(nil, meant)
			}
		}
		return dst, d
	})
}

// fold appends a word in lower case, or as it is if the options are case-sensitive.
func (t *Tokenizer) fold(dst, word []byte) []byte {
	if t.options.CaseSensitive {
		return append(dst, word...)
	}
	return appendLower(dst, word)
}

// isCode reports whether a folded word is a code or a name, which has no stem: it has a digit, an underscore or an upper case letter.
func isCode(folded []byte) bool {
	ascii := true
	for _, c := range folded {
		if isDigit(c) || c == '_' || c-'A' < 26 {
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
		dst = append(dst, ascii.Lower(c))
	}
	return dst
}

// Terms calls emit for every term of m, once for each time it occurs, in the order header, parts, links, and then once for each mark of m.
// The result reports whether the limit of [Options] left out tokens.
func (t *Tokenizer) Terms(m *message.Message, emit func(*Term)) message.Repairs {
	t.emit, t.tokensLeft, t.textRead, t.beyondHead, t.seen = emit, t.options.MaxTokens, 0, false, sightings{}
	t.invisibleText, t.term = t.invisibleText[:0], t.room
	t.message(m)
	t.marks(m)
	t.emit = nil
	if t.tokensLeft < 0 {
		return message.Repairs(0).With(message.CutTokens)
	}
	return 0
}

func (t *Tokenizer) message(m *message.Message) {
	for _, f := range m.Header {
		if rule := t.rules.ofField(f); rule.used {
			t.group = evidence.Structure
			t.putTagged(rule.header, nil, nil)
			t.value(rule, rule.tags, f.Value)
		}
	}
	if t.options.Structure {
		t.group = evidence.Structure
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
	if len(t.invisibleText) > 0 {
		t.group = evidence.Words
		t.words(t.lexiconOf("hidden:"), t.invisibleText)
	}
	t.group = evidence.Structure
	t.shape(m.Parts)
	t.scripts()
	t.group = evidence.Links
	for _, l := range m.Links {
		t.link(l)
	}
}

// put emits a term that was made in t.term, for a token, unless the message has too many tokens. It returns the hash of the term.
func (t *Tokenizer) put(term, token []byte) (hash uint64) {
	hash = t.key.Hash(term)
	t.putHashed(hash, term, token)
	t.leave(term)
	return hash
}

// roomSize is how many bytes of terms are made in one piece of memory.
const roomSize = 1 << 13

// leave leaves a term that was made in t.term as it is, and makes the next one behind it.
func (t *Tokenizer) leave(term []byte) {
	if t.term = term[len(term):]; cap(t.term) < roomSize/16 {
		t.term = make([]byte, 0, roomSize)
	}
}

func (t *Tokenizer) putHashed(hash uint64, term, token []byte) {
	if t.tokensLeft--; t.tokensLeft >= 0 {
		t.send(hash, term, token)
	}
}

// putTagged emits a term of a tag and a text. It returns the term and its hash.
func (t *Tokenizer) putTagged(tag string, text, token []byte) (term []byte, hash uint64) {
	term = append(append(t.term[:0], tag...), text...)
	return term, t.put(term, token)
}

// send emits a term, which need not be a token.
func (t *Tokenizer) send(hash uint64, text, token []byte) {
	e := &t.emitted
	e.Hash, e.text, e.second, e.Token, e.Head, e.Group = hash, text, nil, token, !t.beyondHead, t.group
	t.emit(e)
}

// isFull reports whether the message has all the tokens it may have. The rest is then left out.
func (t *Tokenizer) isFull() bool {
	if t.tokensLeft <= 0 {
		t.tokensLeft = -1
	}
	return t.tokensLeft < 0
}

// value emits the words of a header field.
func (t *Tokenizer) value(rule *fieldRule, tags addressTags, value []byte) {
	t.group = evidence.Fields
	switch {
	case rule.nameOnly:
	case rule.prose:
		t.group = evidence.Subject
		t.prose(tags.words, headerfield.WithoutTags(value))
	case rule.addresses:
		t.addresses(tags, value)
	default:
		t.text(tags.words, value)
	}
}

func (t *Tokenizer) part(p *message.Part) {
	t.group = evidence.Structure
	t.putWord("type:", p.Type, t.folded)
	t.putWord("charset:", p.Charset, t.folded)
	t.putWord("encoding:", p.Encoding, t.folded)
	if dot := bytes.LastIndexByte(p.Filename, '.'); dot >= 0 {
		t.putWord("file:.", p.Filename[dot+1:], t.folded)
	}
	t.text("file:", p.Filename)
	t.group = evidence.Words
	t.prose(bodyTag, p.Text)
	t.words(t.lexiconOf("hidden:"), p.Hidden)
}

const (
	bodyTag   = "body:" // of the words of the visible text
	textStart = "^"     // stands in a pair for what is before the first word
)

// prose emits the words of text that is written for people, and the words behind disguised ones.
func (t *Tokenizer) prose(tag string, text []byte) {
	t.current = t.lexiconOf(tag)
	onSegment := t.onWord
	if t.options.Pairs {
		onSegment = t.onPaired
		t.before.term, t.before.hash, _ = t.current.signs.get([]byte(textStart))
	}
	s := t.chunks(text)
	for chunk := s.next(); len(chunk) > 0 && !t.isFull(); chunk = s.next() {
		if tag == bodyTag {
			t.beyondHead = t.textRead >= t.options.StartBytes
			t.textRead += s.taken
			if t.options.PairBytes > 0 && t.textRead > t.options.PairBytes {
				onSegment = t.onWord
			}
		}
		t.cut(chunk, s.kinds, onSegment)
		if s.kinds&sign != 0 {
			t.wordWithSigns(chunk)
		}
		if len(chunk) <= 2 && s.kinds&^(alpha|nonASCII) == 0 || t.spaced.count > 0 {
			t.spacedLetter(chunk, s.gap)
		}
		if s.kinds != alpha && len(chunk) >= 2*minSpaced-1 && t.byteKinds[chunk[1]]&t.byteKinds[chunk[2]] != alpha {
			t.separatedLetters(chunk)
		}
	}
	t.endSpaced()
	t.beyondHead = false
}

// text emits the words of text that is not prose.
func (t *Tokenizer) text(tag string, text []byte) { t.words(lexicon{tag, t.folded, nil}, text) }

// words emits the words of text by a lexicon.
func (t *Tokenizer) words(l lexicon, text []byte) {
	t.current = l
	s := t.chunks(text)
	for chunk := s.next(); len(chunk) > 0 && !t.isFull(); chunk = s.next() {
		t.cut(chunk, s.kinds, t.onWord)
	}
}

// takePaired emits a word or sign, and the pair that it forms with the one before.
func (t *Tokenizer) takePaired(segment []byte, kind segmentKind) {
	word, hash := t.putSegment(segment, kind)
	if kind == wordPart || len(word) == 0 {
		return
	}
	if t.tokensLeft >= 0 { // a pair is not a token
		group := t.group
		if group == evidence.Words {
			group = evidence.Pairs
		}
		e := &t.emitted
		e.Hash, e.text, e.second, e.Token, e.Head, e.Group = termkey.Pair(t.before.hash, hash), t.before.term, word[len(t.current.tag):], nil, false, group
		t.emit(e)
	}
	t.before = wordBefore{word, hash}
}

// wordBefore is the first word of a pair.
type wordBefore struct {
	term []byte
	hash uint64
}

// putSegment emits a word or sign of the text that is cut. It returns the term and its hash, no term if the segment is left out.
func (t *Tokenizer) putSegment(segment []byte, kind segmentKind) (term []byte, hash uint64) {
	l := &t.current
	switch {
	case kind == symbol && !t.options.Symbols:
		return nil, 0
	case kind != symbol, len(segment) > t.options.MaxLength: // a line of underscores
		return t.putWord(l.tag, segment, l.words)
	}
	return t.putText(l.tag, segment, segment)
}

// putText emits a term of a tag and a text that is counted as it is. It returns the term and its hash.
func (t *Tokenizer) putText(tag string, text, token []byte) (term []byte, hash uint64) {
	l := &t.current
	if l.signs == nil || l.tag != tag {
		return t.putTagged(tag, text, token)
	}
	term, hash, _ = l.signs.get(text)
	t.putHashed(hash, term, token)
	return term, hash
}

// putWord emits the term of a word, unless it is too short, and of a disguised one also the word that was meant. A word that is too long is
// counted by its length, as "64+". It returns the last term and its hash.
func (t *Tokenizer) putWord(tag string, word []byte, c *cache) (term []byte, hash uint64) {
	// The number of bytes bounds the number of characters, so most words need no counting.
	if uint(len(word)-1) >= uint(t.options.MaxLength) || t.options.MinLength > 1 {
		switch n := utf8.RuneCount(word); {
		case n == 0, n < t.options.MinLength:
			return nil, 0
		case n > t.options.MaxLength:
			t.length = append(strconv.AppendInt(t.length[:0], powerOfTwo(n), 10), '+')
			return t.putText(tag, t.length, word)
		}
	}
	term, hash, d := c.get(word)
	if c.tag == "" {
		term, hash = t.putTagged(tag, term, word)
	} else {
		t.putHashed(hash, term, word)
	}
	switch {
	case d == nil:
		return term, hash
	case d.perhaps:
		t.seen.lookAlike = true
	default:
		t.seen.add(d.mark)
	}
	if len(d.meant) == 0 {
		return term, hash
	}
	return t.putText(tag, d.meant, word)
}

// addressTags are the tags of the terms of a field of addresses.
type addressTags struct {
	words  string // of whole addresses, and of the words of names and comments: "from:"
	host   string // "from:@"
	domain string // of registered domains: "from:@."
}

func newAddressTags(tag string) addressTags { return addressTags{tag, tag + "@", tag + "@."} }

// addresses emits the addresses in the value of a field, their domains and registered domains, and the words of names and comments.
func (t *Tokenizer) addresses(tags addressTags, value []byte) {
	for len(value) > 0 {
		chunk := beforeAny(value, " \t\r\n<>(),;:\"[]")
		value = value[min(len(chunk)+1, len(value)):]
		at := bytes.LastIndexByte(chunk, '@')
		if at < 0 {
			t.text(tags.words, chunk)
			continue
		}
		address := chunk
		if len(chunk) <= maxChunk && lengthOfPrintable(chunk) < len(chunk) {
			address = t.visible(chunk)
		}
		t.putWord(tags.words, address, t.folded)
		t.host(tags.host, tags.domain, chunk[at+1:])
	}
}
