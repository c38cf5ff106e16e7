package tokenize

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/evidence"
	"chaff/internal/fieldtags"
	"chaff/internal/headerfield"
	"chaff/internal/termkey"
	"chaff/internal/weburl"
	"chaff/message"
)

// Version names the rules that turn options and a message into terms. It changes whenever the same options give other terms. The stems
// are part of the rules, and so is the version of the library that makes them.
const Version = "7, snowball 0.10.0"

// Options say which terms a message has. They are stored with a model, since a model is only right for the terms it was
// trained on.
type Options struct {
	// Language is the language whose rules stem the words of subject and text: english, french, hungarian, norwegian,
	// russian, spanish or swedish; none for no stemming. Default "english".
	Language string `json:"language" default:"english"`
	// MaxLength is the largest length of a word in characters; longer words are counted by their length, such as
	// `body:64+`. At least 4. Default 32.
	MaxLength int `json:"max_length" range:"at least 4" default:"32"`
	// Pairs makes a term of each two neighbouring words or signs of subject and text, such as `body:click here`.
	// Default true.
	Pairs bool `json:"pairs" default:"true"`
	// PairBytes is how many bytes of the text have pairs; 0 is all of them. At least 0. Default 1000.
	PairBytes int `json:"pair_bytes" range:"at least 0" default:"1000"`
	// Grams maps every second run of four bytes of the header and of the head of the text to one of 262,144 cells, for
	// models on `evidence`. Default true.
	Grams bool `json:"grams" default:"true"`
	// GramHeaderBytes is how many bytes of the header have grams, without what filters, mailboxes, lists, the delivery
	// and the receiving servers wrote. At least 0. Default 6000.
	GramHeaderBytes int `json:"gram_header_bytes" range:"at least 0" default:"6000"`
	// GramTextBytes is how many bytes of the text have grams. At least 0. Default 500.
	GramTextBytes int `json:"gram_text_bytes" range:"at least 0" default:"500"`
	// Structure makes terms of how header and parts are written: order of fields, values and their shapes, shared
	// domains, types. It takes the domain of Message-ID, the shapes of Received and Date, and the time zone even if
	// their words are not read. Default true.
	Structure bool `json:"structure" default:"true"`
	// StartBytes is the size of the head of the text in bytes, for models on `head bits`. At least 0. Default 1000.
	StartBytes int `json:"start_bytes" range:"at least 0" default:"1000"`
	// Symbols makes a term of each punctuation mark, currency sign and emoji. Default true.
	Symbols bool `json:"symbols" default:"true"`
	// MaxTokens is how many tokens of a message are read; marks count in any case. At least 1. Default 200000.
	MaxTokens int `json:"max_tokens" range:"at least 1" default:"200000"`
	// Headers lists the header fields to read, as names or patterns with `*`. An empty list reads none, not even the
	// subject. Default ["*"].
	Headers []string `json:"headers" default:"*"`
	// IgnoreHeaders lists more header fields to ignore altogether, as names or patterns with `*`. Fields of filters and
	// mailboxes are always ignored. Default [].
	IgnoreHeaders []string `json:"ignore_headers" default:""`
	// Received reads the words of Received and Return-Path, the names of the hosts on the route, which may be that of an
	// archive. Without it, `structure` still takes the shape of each Received field, such as `step:from host by host with SMTP`,
	// and whether Return-Path has the domain of From, and `grams` takes runs of bytes of the fields. Default false.
	Received bool `json:"received"`
	// DeliveredTo reads the fields that name the mailbox of the recipient, such as Delivered-To. Without it, nothing of
	// them is used. Default false.
	DeliveredTo bool `json:"delivered_to"`
	// List reads the fields that mailing lists add, such as List-Id; in an archive they name the archive. Without it,
	// nothing of them is used. Default false.
	List bool `json:"list"`
	// Date reads the words of the Date field; in an archive, ham and spam are often of different years. Without it,
	// `structure` still takes the time zone and the shape of the date, and `grams` takes runs of its bytes. Default false.
	Date bool `json:"date"`
	// MessageID reads the words of Message-ID, In-Reply-To and References. Without it, `structure` still takes the domain
	// and the shape of Message-ID, such as `message-id:@example.com`, and the place of all three in the header, and
	// `grams` takes runs of their bytes. Default false.
	MessageID bool `json:"message_id"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options { return fieldtags.Default[Options]() }

// Validate returns all errors in o, joined.
func (o Options) Validate() error {
	errs := []error{fieldtags.Check(o)}
	if o.Language != noLanguage && stemmers[o.Language] == nil {
		errs = append(errs, fmt.Errorf("language is %q: must be %s or %s", o.Language, strings.Join(Languages(), ", "), noLanguage))
	}
	for i, patterns := range [][]string{o.Headers, o.IgnoreHeaders} {
		for _, p := range patterns {
			if _, err := path.Match(p, ""); err != nil || p == "" {
				key := [...]string{"headers", "ignore_headers"}[i]
				errs = append(errs, fmt.Errorf("%s has the entry %q: must be a header name or a pattern with *", key, p))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// Tokenizer turns messages into terms. It is not safe for concurrent use.
type Tokenizer struct {
	terms
	domains  *cache                // the registered domains of hosts
	rules    map[string]*fieldRule // of header fields by their names
	lexicons map[string]lexicon    // of stemmed words, by tag
	view     viewer
	spaced   spaced
	textRead int // bytes of the text of the message that were read
	gramText []byte
	segments [][]byte
	types    []int

	current lexicon
	inPairs bool     // each term forms a pair with the one before
	before  struct { // the first word of a pair
		term []byte
		hash uint64
	}
}

// New returns a tokenizer that hashes terms under a key. The error is that of [Options.Validate].
func New(o Options, key termkey.Key) (*Tokenizer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := &Tokenizer{
		terms:    terms{options: o, key: key, room: make([]byte, 0, roomSize)},
		domains:  newCache(key, "", func(dst, host []byte) ([]byte, *disguise) { return append(dst, registeredDomain(string(host))...), nil }),
		rules:    make(map[string]*fieldRule),
		lexicons: make(map[string]lexicon),
	}
	t.view.seen = &t.seen
	for _, tag := range [...]string{"subject:", attachedPrefix + "subject:", bodyTag, hiddenTag} {
		t.lexicons[tag] = lexicon{tag: tag, known: newCache(key, tag, stems(o.Language)), isProse: tag != hiddenTag}
	}
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
	t.emit, t.left, t.made, t.textRead = emit, t.options.MaxTokens, t.room, 0
	t.seen = sightings{tagged: t.seen.tagged[:0]}
	for _, f := range m.Header {
		if rule := t.ruleOf(f.Name, f.Value); rule.used {
			t.group = evidence.Structure
			t.putTagged("header:", f.Name, nil)
			t.value(rule, rule.tag, f.Value)
		}
	}
	if t.options.Structure {
		t.group = evidence.Structure
		t.structure(m)
	}
	for _, f := range m.Attached {
		if rule := t.ruleOf(f.Name, nil); rule.attached != "" {
			t.value(rule, rule.attached, f.Value)
		}
	}
	t.parts(m.Parts)
	if tagged := t.seen.tagged; len(tagged) > 0 {
		t.group = evidence.Words
		t.words(t.lexicons[hiddenTag], tagged)
	}
	t.group = evidence.Structure
	for s, n := range t.seen.letters {
		if n >= minLetters {
			t.putTagged("script:", []byte(scriptNames[s]), nil)
		}
	}
	t.group = evidence.Links
	for _, l := range m.Links {
		t.link(l)
	}
	t.group = evidence.Structure
	t.marks(m)
	if t.left < 0 {
		return 1 << message.CutTokens
	}
	return 0
}

// value emits the words of a header field.
func (t *Tokenizer) value(rule *fieldRule, tag string, value []byte) {
	t.group = evidence.Fields
	switch rule.reading {
	case readWords:
		t.words(lexicon{tag: tag}, value)
	case readAddresses:
		t.addresses(tag, value)
	case readProse:
		t.group = evidence.Subject
		t.words(t.lexicons[tag], headerfield.WithoutTags(value))
	}
}

// parts emits the terms of the parts, and marks a message of pictures only.
func (t *Tokenizer) parts(parts []message.Part) {
	images, shown := 0, 0
	for i := range parts {
		p := &parts[i]
		t.group = evidence.Structure
		t.putWord(lexicon{tag: "type:"}, p.Type)
		t.putWord(lexicon{tag: "charset:"}, p.Charset)
		t.putWord(lexicon{tag: "encoding:"}, p.Encoding)
		if dot := bytes.LastIndexByte(p.Filename, '.'); dot >= 0 {
			t.putWord(lexicon{tag: "file:."}, p.Filename[dot+1:])
		}
		t.words(lexicon{tag: "file:"}, p.Filename)
		t.group = evidence.Words
		t.words(t.lexicons[bodyTag], p.Text)
		t.words(t.lexicons[hiddenTag], p.Hidden)
		shown += len(p.Text)
		if images += p.Images; bytes.HasPrefix(p.Type, []byte("image/")) {
			images++
		}
	}
	if images > 0 && shown < littleText {
		t.seen.marks.Add(message.ImageOnly)
	}
}

const (
	bodyTag    = "body:" // of the words of the visible text
	hiddenTag  = "hidden:"
	textStart  = "^" // stands in a pair for what is before the first word
	littleText = 100 // bytes of text below which a message with images is image-only
)

// words emits the words of text by a lexicon. Those of prose form pairs, and some are behind disguises.
func (t *Tokenizer) words(l lexicon, text []byte) {
	t.current, t.inPairs = l, l.isProse && t.options.Pairs
	if t.inPairs {
		t.before.term, t.before.hash, _ = l.known.get([]byte(textStart), true)
	}
	s := chunks{text: text, view: &t.view}
	for chunk := s.next(); len(chunk) > 0 && t.left >= 0; chunk = s.next() {
		if l.tag == bodyTag {
			t.beyondHead = t.textRead >= t.options.StartBytes
			if t.textRead += s.taken; t.options.PairBytes > 0 && t.textRead > t.options.PairBytes {
				t.inPairs = false
			}
		}
		switch {
		case s.kinds == alpha:
			t.putSegment(chunk, plainWord)
		case s.kinds&nonASCII == 0:
			t.asciiWords(chunk)
		default:
			t.unicodeWords(chunk)
		}
		if l.isProse {
			t.watch(chunk, s.kinds, s.gap)
		}
	}
	if l.isProse {
		t.watch(nil, 0, 0)
		t.beyondHead = false
	}
}

// addresses emits the addresses in the value of a field, their domains and registered domains, each with a tag of its own, as "from:@", "from:@.", and the
// words of names and comments.
func (t *Tokenizer) addresses(tag string, value []byte) {
	for chunk := range bytes.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(" \t\r\n<>(),;:\"[]", r) }) {
		at := bytes.LastIndexByte(chunk, '@')
		if at < 0 {
			t.words(lexicon{tag: tag}, chunk)
			continue
		}
		address := chunk
		if len(chunk) <= maxChunk {
			address = t.view.visible(chunk)
		}
		t.putWord(lexicon{tag: tag}, address)
		t.host(weburl.Name, tag+"@", tag+"@.", chunk[at+1:], false)
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
		rule, value := t.ruleOf(f.Name, f.Value), f.Value
		if ascii.EqualFold(f.Name, "received") {
			isAbove = false
			if value, receiver = t.handedOver(value, receiver); value == nil {
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
func (t *Tokenizer) handedOver(value []byte, receiver uint64) (from []byte, _ uint64) {
	from, rest, _ := bytes.Cut(value, []byte(" by "))
	if after, isBy := bytes.CutPrefix(value, []byte("by ")); isBy {
		from, rest = nil, after
	}
	domainAt := func(text []byte) uint64 { return t.registered(ascii.Before(text[:min(len(text), maxHost)], " \t;(")) }
	by := domainAt(rest)
	if receiver == 0 {
		receiver = by
	}
	if host, ok := bytes.CutPrefix(from, []byte("from ")); ok {
		_, seen, _ := bytes.Cut(host, []byte("("))
		if seen = ascii.Before(seen, " [)"); bytes.IndexByte(seen, '.') > 0 && !unicode.IsDigit(rune(seen[0])) {
			host = seen // the name of the address, and not what the client said
		}
		if domain := domainAt(host); domain == by || domain == receiver {
			return nil, receiver
		}
	}
	return from, receiver
}
