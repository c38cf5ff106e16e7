package filter

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"sync"

	"chaff/features"
	"chaff/internal/limits"
	"chaff/internal/sections"
	"chaff/internal/termkey"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
)

// The classes of a spam filter, in this order, so that its score is that of spam over ham.
const (
	hamName  = "ham"
	spamName = "spam"
	// SpamClass is the index of spam among the classes of a spam filter.
	SpamClass = 1
)

// IsSpamFilter reports whether classes are ham and spam, in this order.
func IsSpamFilter(classes []string) bool { return slices.Equal(classes, []string{hamName, spamName}) }

// Filter is everything needed to classify messages. It is immutable and safe for concurrent use, unless [OpenForOne] or [OpenToLearn]
// returned it.
type Filter struct {
	settings   Settings
	vocabulary *features.Vocabulary
	linear     *models.Linear
	kind       features.Kind
	saveTexts  bool
	provenance json.RawMessage  // empty if file is set
	terms      Terms            // none if file is set
	file       *sections.Reader // nil unless the filter was opened
	learned    models.Online    // what a store keeps of the model; nil if the filter was opened, or cannot learn on
	knowledge  *knowledge       // of file; nil if it has none
	part       *part            // of file; nil if all of it was read
	open       io.Closer        // what file reads; nil if it is in memory
	store      io.Closer        // the file that knowledge reads; nil if the caller closes it
	onlyPart   bool             // each message is scored by a learner of its terms
	journalErr error            // why the journal is not used
	scratch    sync.Pool        // of *scratch
}

// Parts are the components of a filter.
type Parts struct {
	// Settings are the settings. New sets Form and TermsVersion.
	Settings   Settings
	Vocabulary *features.Vocabulary
	Linear     *models.Linear
	// Terms are the terms of the vocabulary by id.
	Terms Terms
	// SaveTexts keeps the texts of the terms in the model file.
	SaveTexts bool
	// Provenance is JSON that describes how the filter was made. The filter stores it and does not read it.
	Provenance json.RawMessage
	// Learned is the learner of the model, whose ids are those of Linear, for its store; nil if it cannot learn on. Provenance must
	// then have its settings as the member `trainer`. The filter keeps it.
	Learned models.Online
}

// New returns a filter made of parts. The error is about its settings.
func New(p Parts) (*Filter, error) {
	kind, err := features.ParseKind(p.Settings.Kind)
	if err := errors.Join(err, p.Settings.Message.Validate(), p.Settings.Tokenize.Validate()); err != nil {
		return nil, err
	}
	if IsSpamFilter(p.Settings.Classes) && p.Settings.Thresholds == nil {
		return nil, errNoThresholds
	}
	if l := p.Learned; l != nil && l.Terms() != p.Linear.Terms {
		return nil, fmt.Errorf("a learner of %d terms for a model of %d", l.Terms(), p.Linear.Terms)
	}
	p.Settings.Form, p.Settings.TermsVersion = p.Linear.Form, tokenize.Version
	if p.Provenance == nil {
		p.Provenance = json.RawMessage("{}")
	}
	return &Filter{
		settings: p.Settings, vocabulary: p.Vocabulary, linear: p.Linear, kind: kind,
		terms: p.Terms, saveTexts: p.SaveTexts, provenance: p.Provenance, learned: p.Learned,
	}, nil
}

var errNoThresholds = errors.New("it has no thresholds")

// Settings returns the settings of the filter.
func (f *Filter) Settings() Settings { return f.settings }

// Vocabulary returns the vocabulary of the filter. That of a filter from [OpenForOne] or [OpenToLearn] has no table.
func (f *Filter) Vocabulary() *features.Vocabulary { return f.vocabulary }

// Linear returns the linear form that scores messages. That of a filter from [OpenForOne] or [OpenToLearn] has no weights.
func (f *Filter) Linear() *models.Linear { return f.linear }

// Kind returns the kind of feature that the filter uses.
func (f *Filter) Kind() features.Kind { return f.kind }

// scratch is reusable memory for classifying one message.
type scratch struct {
	reader *Reader
	// linear scores vector. Its ids are those of the model, unless ids has the id of each.
	linear *models.Linear
	ids    []uint32
	later  []features.LaterTerm // terms of the document that only the journal has

	lookup        features.Lookup
	vector        features.Vector
	scores        []float64
	probabilities []float64
}

// Verdict is ham, unsure or spam. For a filter with other classes it is the name of a class.
type Verdict string

// The verdicts of a spam filter.
const (
	Ham    Verdict = hamName
	Unsure Verdict = "unsure"
	Spam   Verdict = spamName
)

// Classification is the result of classifying one message.
type Classification struct {
	// Class is the most probable class.
	Class string `json:"class"`
	// Verdict compares the score with the thresholds. For other classes it is Class.
	Verdict Verdict `json:"verdict"`
	// Score is the score of spam over ham on the scale of the model: log odds for naive Bayes and softmax regression, bounded log odds for
	// votes. For other classes it is the log odds of Class over all others, where scores count as log probabilities.
	Score float64 `json:"score"`
	// Probability is the calibrated probability of spam, or of Class for other classes: the share of spam among held-out messages with
	// such a score.
	Probability float64 `json:"probability"`
	// Known counts the distinct terms of the message that the model scores, and Unknown all others: those outside the vocabulary; for head bits
	// also those outside the head of the text, and for whole documents all but one.
	Known   int `json:"known_terms"`
	Unknown int `json:"unknown_terms"`
	// Novelty is how new the message is to the model, see [features.Lookup.Novelty]. Unlike says that it is newer than 99 of 100 messages of its
	// class were; only who asks [Unlike] sets it.
	Novelty float64 `json:"novelty"`
	Unlike  bool    `json:"unlike,omitempty"`
	// Repairs lists what decoding repaired.
	Repairs message.Repairs `json:"-"`
}

// Classify classifies a message. Any bytes are a message. If it has no known term, the bias decides.
func (f *Filter) Classify(raw []byte) Classification {
	s, ok := f.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{reader: f.newReader()}
	}
	v := f.classify(s, raw)
	if len(raw) <= limits.LargeMessage {
		f.scratch.Put(s)
	}
	return v
}

// CanJoin reports whether [Filter.ClassifyWith] can add the score of other to that of f: both are spam filters that read messages in the
// same way.
func (f *Filter) CanJoin(other *Filter) bool {
	return IsSpamFilter(f.settings.Classes) && IsSpamFilter(other.settings.Classes) && f.kind == other.kind &&
		reflect.DeepEqual(f.settings.Reading(), other.settings.Reading())
}

// ClassifyWith classifies a message by the score of f plus that of other less an offset, its result added, with the thresholds and the
// calibration of f. The message is read once. Known and Unknown are those of f. Neither filter comes from [OpenForOne] or [OpenToLearn],
// and f can join other.
func (f *Filter) ClassifyWith(other *Filter, offset float64, raw []byte) (c Classification, added float64) {
	s, ok := f.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{reader: f.newReader()}
	}
	c = f.classify(s, raw)
	s.vector = s.lookup.AppendVector(s.vector.Reset(), other.vocabulary, s.reader.Bag().Document(), other.kind)
	added = other.linear.Score(s.vector) - offset
	if len(raw) <= limits.LargeMessage {
		f.scratch.Put(s)
	}
	joined := f.judgeSpam(c.Score + added)
	joined.Known, joined.Unknown, joined.Novelty, joined.Repairs = c.Known, c.Unknown, c.Novelty, c.Repairs
	return joined, added
}

func (f *Filter) classify(s *scratch, raw []byte) Classification {
	repairs := s.reader.Read(raw)
	document := s.reader.Bag().Document()
	if !f.onlyPart || !f.readPartial(s, document) {
		f.read(s, document)
	}
	v := f.classification(s)
	v.Known = len(s.vector.IDs)
	if f.kind == features.Evidence {
		v.Known -= len(document.Cells)
	}
	v.Unknown = len(document.Terms) - v.Known
	v.Novelty, v.Repairs = f.novelty(s, document), repairs
	if f.part != nil {
		f.part.verifyScore(v)
	}
	return v
}

// read makes s score a document, without the journal.
func (f *Filter) read(s *scratch, document features.Document) {
	s.linear, s.ids, s.later = f.linear, nil, nil
	s.vector = s.lookup.AppendVector(s.vector.Reset(), f.vocabulary, document, f.kind)
	if f.part != nil {
		f.part.score(s, f.linear, f.FirstTerm())
	}
}

// readPartial sets what scores a document to a learner of its terms, and reports whether that was possible. An error is about the journal,
// which the model then does without, or [Filter.Err] returns it.
func (f *Filter) readPartial(s *scratch, document features.Document) bool {
	p, err := f.partial(s, document, &f.knowledge.later, false)
	var linear *models.Linear
	if err == nil {
		linear, err = p.Learner.Linear()
	}
	if err != nil {
		f.dropJournal(err)
		return false
	}
	s.linear, s.vector, s.ids, s.later = linear, p.Vector, p.IDs, p.New
	return true
}

// newReader returns a reader with the settings of f, which New or Decode has validated.
func (f *Filter) newReader() *Reader {
	r, err := NewReader(f.settings.Reading(), ReaderOptions{Grams: f.kind == features.Evidence})
	if err != nil {
		panic("filter: invalid settings: " + err.Error())
	}
	return r
}

func (f *Filter) classification(s *scratch) Classification {
	if IsSpamFilter(f.settings.Classes) {
		return f.judgeSpam(s.linear.Score(s.vector))
	}
	s.scores = s.linear.Scores(s.scores[:0], s.vector)
	return f.judge(s.scores, &s.probabilities)
}

// judgeSpam returns the classification by the score of spam over ham.
func (f *Filter) judgeSpam(z float64) Classification {
	class := hamName
	if z > 0 {
		class = spamName
	}
	return Classification{Class: class, Verdict: VerdictOn(z, *f.settings.Thresholds), Score: z, Probability: f.settings.Calibration.Probability(z)}
}

// judge returns the classification by K scores. Memory holds the probabilities.
func (f *Filter) judge(scores []float64, memory *[]float64) Classification {
	if IsSpamFilter(f.settings.Classes) {
		return f.judgeSpam(scores[SpamClass] - scores[0])
	}
	c := models.Argmax(scores)
	z := scores[c] - logSumExpExcept(scores, c)
	name := f.settings.Classes[c]
	*memory = f.settings.Calibration.Probabilities(*memory, scores)
	return Classification{Class: name, Verdict: Verdict(name), Score: z, Probability: (*memory)[c]}
}

// ClassifyDocument classifies a document that was read with the settings of f, without the journal.
func (f *Filter) ClassifyDocument(doc features.Document) Classification {
	s := new(scratch)
	f.read(s, doc)
	v := f.classification(s)
	v.Novelty = f.novelty(s, doc)
	return v
}

// novelty returns how new a document is that s has read. Whole documents have no terms that could be known.
func (f *Filter) novelty(s *scratch, doc features.Document) float64 {
	if f.kind == features.Whole {
		return 0
	}
	return s.lookup.Novelty(doc)
}

// SavesTexts reports whether the model file has the texts of the terms.
func (f *Filter) SavesTexts() bool { return f.saveTexts }

// logSumExpExcept returns log sum_c exp(scores[c]) over all classes except one, without overflow.
func logSumExpExcept(scores []float64, except int) float64 {
	top := math.Inf(-1)
	for c, s := range scores {
		if c != except {
			top = max(top, s)
		}
	}
	var sum float64
	for c, s := range scores {
		if c != except {
			sum += math.Exp(s - top)
		}
	}
	return top + math.Log(sum)
}

// VerdictOn returns the verdict on a score: spam above the spam threshold, else unsure above the unsure threshold, else ham.
func VerdictOn(score float64, t metrics.Thresholds) Verdict {
	switch {
	case score > t.Spam:
		return Spam
	case score > t.Unsure:
		return Unsure
	}
	return Ham
}

// Reading has the settings for turning bytes into a document. A model works only with the reading that it was trained with.
type Reading struct {
	Key      termkey.Key // hashes the terms
	Message  message.Options
	Tokenize tokenize.Options
}

// DefaultReading returns the default settings, with the public key.
func DefaultReading() Reading {
	return Reading{Message: message.DefaultOptions(), Tokenize: tokenize.DefaultOptions()}
}

// ReaderOptions select what a [Reader] keeps besides the terms.
type ReaderOptions struct {
	Grams bool // cells of runs of four bytes
	Names bool // texts of the terms
}

// Reader turns the bytes of messages into documents. Training, classification and [Reading.View] all use it. It belongs to one goroutine.
type Reader struct {
	reading   Reading
	options   ReaderOptions
	decoder   *message.Decoder
	tokenizer *tokenize.Tokenizer
	bag       features.Bag
	message   *message.Message // the last message
	add       func(*tokenize.Term)
}

// NewReader returns a reader. The error is about the settings of the reading.
func NewReader(r Reading, o ReaderOptions) (*Reader, error) {
	tokenizer, err := tokenize.New(r.Tokenize, r.Key)
	if err != nil {
		return nil, err
	}
	made := &Reader{reading: r, options: o, decoder: message.NewDecoder(r.Message), tokenizer: tokenizer}
	made.add = func(t *tokenize.Term) { // made once, because a closure for each message would allocate
		if made.bag.Add(t.Hash, t.Group, t.Head) && o.Names {
			made.bag.Name(t.Words())
		}
	}
	return made, nil
}

// Key returns the key under which the reader hashes terms.
func (r *Reader) Key() termkey.Key { return r.reading.Key }

// Read decodes and tokenises a message. The results of Message and Bag are valid until the next call.
func (r *Reader) Read(raw []byte) message.Repairs {
	r.bag.Reset()
	repairs := r.terms(raw, r.add)
	if r.options.Grams {
		r.tokenizer.Grams(r.message, r.bag.AddGrams)
	}
	return repairs
}

// terms decodes a message and calls emit for each term.
func (r *Reader) terms(raw []byte, emit func(*tokenize.Term)) message.Repairs {
	r.message = r.decoder.Decode(raw)
	cut := r.tokenizer.Terms(r.message, emit)
	return r.message.Repairs | cut
}

// Message returns the last message.
func (r *Reader) Message() *message.Message { return r.message }

// Bag returns the terms and cells of the last message.
func (r *Reader) Bag() *features.Bag { return &r.bag }

// Forget frees the memory that grew with the last message.
func (r *Reader) Forget() {
	r.decoder, r.message, r.bag = message.NewDecoder(r.reading.Message), nil, features.Bag{}
	r.tokenizer, _ = tokenize.New(r.reading.Tokenize, r.reading.Key) // no error: the settings are those of NewReader
}
