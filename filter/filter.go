package filter

import (
	"encoding/json"
	"errors"
	"reflect"
	"sync"

	"chaff/features"
	"chaff/internal/fieldtags"
	"chaff/message"
	"chaff/models"
	"chaff/tokenize"
)

// Filter is everything needed to classify messages. It is immutable and safe for concurrent use.
type Filter struct {
	head
	vocabulary *features.Vocabulary
	linear     *models.Linear
	learner    *models.Online // that knows what the model has learned; nil if it cannot learn on, or nothing was learned since its file was written
	scratch    sync.Pool      // of *scratch
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
	// Learned is the learner of the model, whose ids are those of Linear, for learning on; nil if it cannot. Provenance must
	// then have its settings as the member `trainer`. The filter keeps it.
	Learned *models.Online
}

// New returns a filter made of parts. The error is about its settings.
func New(p Parts) (*Filter, error) {
	kind, err := features.ParseKind(p.Settings.Kind)
	if err := errors.Join(err, fieldtags.Check(p.Settings.Message), p.Settings.Tokenize.Validate()); err != nil {
		return nil, err
	}
	if IsSpamFilter(p.Settings.Classes) && p.Settings.Thresholds == nil {
		return nil, errNoThresholds
	}
	p.Settings.Form, p.Settings.TermsVersion = p.Linear.Form, tokenize.Version
	if p.Provenance == nil {
		p.Provenance = json.RawMessage("{}")
	}
	h := head{settings: p.Settings, kind: kind, saveTexts: p.SaveTexts, info: p.Provenance, terms: p.Terms}
	return &Filter{head: h, vocabulary: p.Vocabulary, linear: p.Linear, learner: p.Learned}, nil
}

// Vocabulary returns the vocabulary of the filter.
func (f *Filter) Vocabulary() *features.Vocabulary { return f.vocabulary }

// Linear returns the linear form that scores messages.
func (f *Filter) Linear() *models.Linear { return f.linear }

// Classify classifies a message. Any bytes are a message. If it has no known term, the bias decides.
func (f *Filter) Classify(raw []byte) Classification {
	s := f.getScratch()
	c := f.classify(s, raw)
	f.putScratch(s, raw)
	return c
}

func (f *Filter) classify(s *scratch, raw []byte) Classification {
	repairs := s.reader.Read(raw)
	c := f.classifyDocument(s, s.reader.Bag.Document())
	c.Repairs = repairs
	return c
}

func (f *Filter) classifyDocument(s *scratch, doc features.Document) Classification {
	doc = doc.As(f.kind)
	s.vector = s.lookup.AppendVector(s.vector.Reset(), f.vocabulary, doc, f.kind)
	s.linear = f.linear
	return f.score(s, doc)
}

func (f *Filter) getScratch() *scratch {
	s, ok := f.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{reader: f.newReader()}
	}
	return s
}

// putScratch keeps s, unless its memory grew with a large message.
func (f *Filter) putScratch(s *scratch, raw []byte) {
	if len(raw) <= message.LargeSize {
		f.scratch.Put(s)
	}
}

// CanJoin reports whether [Filter.ClassifyWith] can add the score of other to that of f: both are spam filters that read messages in the
// same way.
func (f *Filter) CanJoin(other *Filter) bool {
	return IsSpamFilter(f.settings.Classes) && IsSpamFilter(other.settings.Classes) && f.kind == other.kind &&
		reflect.DeepEqual(f.settings.Reading, other.settings.Reading)
}

// ClassifyWith classifies a message by the score of f plus that of other less an offset, its result added, with the thresholds and the
// calibration of f, which can join other. The message is read once. Known and Unknown are those of f. After an error of other f classifies alone.
func (f *Filter) ClassifyWith(other *One, offset float64, raw []byte) (c Classification, added float64, err error) {
	s := f.getScratch()
	c = f.classify(s, raw)
	own, err := other.ClassifyDocument(s.reader.Bag.Document())
	f.putScratch(s, raw)
	if err != nil {
		return c, 0, err
	}
	joined := f.judgeSpam(c.Score + own.Score - offset)
	joined.Known, joined.Unknown, joined.Novelty, joined.Repairs = c.Known, c.Unknown, c.Novelty, c.Repairs
	return joined, own.Score - offset, nil
}

// ClassifyDocument classifies a document that was read with the settings of f.
func (f *Filter) ClassifyDocument(doc features.Document) Classification {
	return f.classifyDocument(new(scratch), doc)
}
