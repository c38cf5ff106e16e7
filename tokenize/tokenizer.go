package tokenize

import (
	"bytes"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/evidence"
	"chaff/internal/headerfield"
	"chaff/internal/termkey"
	"chaff/internal/weburl"
	"chaff/message"
)

// Tokenizer turns messages into terms. It is not safe for concurrent use.
type Tokenizer struct {
	cutter
	hosts    hosts
	rules    *fieldRules
	writing  writing
	lexicons map[string]lexicon // of prose, by tag
	watchers []watcher
	gramText []byte
}

// New returns a tokenizer that hashes terms under a key. The error is that of [Options.Validate].
func New(o Options, key termkey.Key) (*Tokenizer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	folded := func(dst, word []byte) ([]byte, *disguise) { return reveal(dst, word, appendLower) }
	out := &terms{options: o, key: key, folded: folded, room: make([]byte, 0, roomSize)}
	domains := newCache(key, "", func(dst, host []byte) ([]byte, *disguise) { return append(dst, registeredDomain(string(host))...), nil })
	t := &Tokenizer{
		cutter:   cutter{terms: out, view: viewer{seen: &out.seen}, kinds: byteKinds()},
		hosts:    hosts{out, domains},
		rules:    &fieldRules{options: o, byName: make(map[string]*fieldRule)},
		lexicons: make(map[string]lexicon),
		watchers: []watcher{&signLetters{}, &spaced{}, &separated{}},
	}
	t.writing = writing{hosts: &t.hosts, rules: t.rules}
	for _, tag := range [...]string{"subject:", attachedPrefix + "subject:", bodyTag, hiddenTag} {
		t.lexicons[tag] = lexicon{tag: tag, known: newCache(key, tag, stems(o.Language))}
	}
	t.onSegment = t.putSegment
	return t, nil
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
	t.emit, t.left, t.made = emit, t.options.MaxTokens, t.room
	t.seen = sightings{tagged: t.seen.tagged[:0]}
	for _, f := range m.Header {
		if rule := t.rules.ofField(f); rule.used {
			t.group = evidence.Structure
			t.putTagged(rule.header, nil, nil)
			t.value(rule, rule.tags, f.Value)
		}
	}
	if t.options.Structure {
		t.group = evidence.Structure
		t.writing.message(m)
	}
	for _, f := range m.Attached {
		if rule := t.rules.of(f.Name); rule.attached.words != "" {
			t.value(rule, rule.attached, f.Value)
		}
	}
	textRead, images, shown := 0, 0, 0
	for i := range m.Parts {
		p := &m.Parts[i]
		textRead = t.part(p, textRead)
		images, shown = images+p.Images, shown+len(p.Text)
		if bytes.HasPrefix(p.Type, []byte("image/")) {
			images++
		}
	}
	if images > 0 && shown < littleText {
		t.seen.add(imageOnly)
	}
	if tagged := t.seen.tagged; len(tagged) > 0 {
		t.group = evidence.Words
		t.words(t.lexicons[hiddenTag], tagged)
	}
	t.group = evidence.Structure
	for s, n := range t.seen.letters {
		if s != int(noScript) && n >= minLetters {
			t.putTagged("script:", []byte(script(s).String()), nil)
		}
	}
	t.group = evidence.Links
	for _, l := range m.Links {
		t.link(l)
	}
	t.group = evidence.Structure
	t.marks(m)
	t.emit = nil
	if t.left < 0 {
		return message.Repairs(0).With(message.CutTokens)
	}
	return 0
}

// value emits the words of a header field.
func (t *Tokenizer) value(rule *fieldRule, tags addressTags, value []byte) {
	t.group = evidence.Fields
	switch rule.reading {
	case readWords:
		t.words(t.unstemmed(tags.words), value)
	case readAddresses:
		t.addresses(tags, value)
	case readProse:
		t.group = evidence.Subject
		t.prose(tags.words, headerfield.WithoutTags(value), 0)
	}
}

// part emits the terms of a part. It takes and returns how many bytes of body text were read.
func (t *Tokenizer) part(p *message.Part, textRead int) int {
	t.group = evidence.Structure
	t.putWord(t.unstemmed("type:"), p.Type)
	t.putWord(t.unstemmed("charset:"), p.Charset)
	t.putWord(t.unstemmed("encoding:"), p.Encoding)
	if dot := bytes.LastIndexByte(p.Filename, '.'); dot >= 0 {
		t.putWord(t.unstemmed("file:."), p.Filename[dot+1:])
	}
	t.words(t.unstemmed("file:"), p.Filename)
	t.group = evidence.Words
	textRead = t.prose(bodyTag, p.Text, textRead)
	t.words(t.lexicons[hiddenTag], p.Hidden)
	return textRead
}

const (
	bodyTag    = "body:" // of the words of the visible text
	hiddenTag  = "hidden:"
	textStart  = "^" // stands in a pair for what is before the first word
	littleText = 100 // bytes of text below which a message with images is image-only
)

// prose emits the words of text that is written for people, and those behind disguises. It takes and returns how many bytes of body were read.
func (t *Tokenizer) prose(tag string, text []byte, textRead int) int {
	t.current = t.lexicons[tag]
	if t.inPairs = t.options.Pairs; t.inPairs {
		t.before.term = append(append(t.made[:0], tag...), textStart...)
		t.before.hash = t.keep(t.before.term)
	}
	s := chunks{byteKinds: &t.kinds, text: text, view: &t.view}
	wasWord := true
	for chunk := s.next(); len(chunk) > 0 && !t.isFull(); chunk = s.next() {
		if tag == bodyTag {
			t.beyondHead = textRead >= t.options.StartBytes
			if textRead += s.taken; t.options.PairBytes > 0 && textRead > t.options.PairBytes {
				t.inPairs = false
			}
		}
		t.cut(chunk, s.kinds, t.onSegment)
		isWord := len(chunk) > 2 && s.kinds&sign == 0 && t.kinds[chunk[1]]&t.kinds[chunk[2]] == alpha
		if !isWord || !wasWord {
			t.watch(chunk, s.kinds, s.gap)
		}
		wasWord = isWord
	}
	t.watch(nil, 0, 0)
	t.beyondHead, t.inPairs = false, false
	return textRead
}

// watch emits the words that the watchers find.
func (t *Tokenizer) watch(chunk []byte, kinds byteKind, gap int) {
	for _, w := range t.watchers {
		if word, k := w.watch(chunk, kinds, gap); len(word) > 0 {
			t.seen.add(k)
			t.putWord(t.current, word)
		}
	}
}

// words emits the words of text by a lexicon.
func (t *Tokenizer) words(l lexicon, text []byte) {
	t.current = l
	s := chunks{byteKinds: &t.kinds, text: text, view: &t.view}
	for chunk := s.next(); len(chunk) > 0 && !t.isFull(); chunk = s.next() {
		t.cut(chunk, s.kinds, t.onSegment)
	}
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
			t.words(t.unstemmed(tags.words), chunk)
			continue
		}
		address := chunk
		if len(chunk) <= maxChunk && lengthOfPrintable(chunk) < len(chunk) {
			address = t.view.visible(chunk)
		}
		t.putWord(t.unstemmed(tags.words), address)
		t.hosts.host(weburl.Name, tags.host, tags.domain, chunk[at+1:], false)
	}
}

// Grams calls emit with the header and with the head of the text, whose 4-grams of bytes are features of models on evidence. The options limit
// both. Each header field is `NAME: VALUE`, as decoded, and LF, so line ends in the message do not matter. The bytes are valid until emit
// returns.
//
// What the receiving side wrote is left out, since it is in all mail of a mailbox: fields of trace and authentication by their names, uncommon
// fields above the first Received, and all of a Received but who handed the message over.
//
// Source: G. V. Cormack, University of Waterloo Participation in the TREC 2007 Spam Track: 4-grams of bytes as features of a linear filter.
func (t *Tokenizer) Grams(m *message.Message, emit func(text []byte)) {
	if !t.options.Grams {
		return
	}
	t.gramText = t.gramText[:0]
	var receiver uint64 // the registered domain of the server that wrote the first Received
	isAbove := len(m.Get("received")) > 0
	for _, f := range m.Header {
		if len(t.gramText) >= t.options.GramHeaderBytes {
			break
		}
		rule, value := t.rules.ofField(f), f.Value
		if ascii.EqualFold(f.Name, "received") {
			isAbove = false
			if value, receiver = t.hosts.handedOver(value, receiver); value == nil {
				continue
			}
		}
		if !rule.grams || isAbove && rule.checked {
			continue
		}
		if rule.reading == readProse {
			value = headerfield.WithoutTags(value)
		}
		t.gramText = append(append(t.gramText, f.Name...), ": "...)
		t.gramText = append(append(t.gramText, value...), '\n')
	}
	emit(t.gramText[:min(len(t.gramText), t.options.GramHeaderBytes)])
	t.gramText = t.gramText[:0]
	for i := range m.Parts {
		text := m.Parts[i].Text
		t.gramText = append(t.gramText, text[:min(len(text), t.options.GramTextBytes-len(t.gramText))]...)
	}
	emit(t.gramText)
}

// handedOver returns the beginning of a Received, which says from whom a message came, as the server saw it. It is nil if the server that wrote
// the field, or the receiver, handed the message over to itself. The second result is the receiver, which is 0 above the first Received.
func (t *hosts) handedOver(value []byte, receiver uint64) (from []byte, _ uint64) {
	from, rest, _ := bytes.Cut(value, []byte(" by "))
	if after, isBy := bytes.CutPrefix(value, []byte("by ")); isBy {
		from, rest = nil, after
	}
	domainAt := func(text []byte) uint64 { return t.registered(beforeAny(text[:min(len(text), maxHost)], " \t;(")) }
	by := domainAt(rest)
	if receiver == 0 {
		receiver = by
	}
	if host, ok := bytes.CutPrefix(from, []byte("from ")); ok {
		_, seen, _ := bytes.Cut(host, []byte("("))
		if seen = beforeAny(seen, " [)"); bytes.IndexByte(seen, '.') > 0 && !isDigit(seen[0]) {
			host = seen // the name of the address, and not what the client said
		}
		if domain := domainAt(host); domain == by || domain == receiver {
			return nil, receiver
		}
	}
	return from, receiver
}
