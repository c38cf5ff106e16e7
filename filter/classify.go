package filter

import (
	"math"
	"runtime/debug"
	"slices"
	"sync"

	"chaff/corpus"
	"chaff/features"
	"chaff/message"
	"chaff/models"
)

// A spam filter has these two classes, in this order, so that its score is that of spam over ham.
const (
	hamName   = "ham"
	spamName  = "spam"
	spamClass = 1
)

// Filter is everything needed to classify messages. It is immutable and safe for concurrent use, unless it was opened by
// [OpenForOne].
type Filter struct {
	settings   Settings
	vocabulary *features.Vocabulary
	linear     *models.Linear
	kind       features.Kind
	provenance *Provenance // nil if it is in file, as are the terms
	terms      func() Terms
	file       *sections // nil for a filter that was just trained
	blocks     *blocks   // what is verified of file when it is looked up; nil if all was verified before
	mapped     *mapped   // what file is; nil if it is a copy
	scratch    sync.Pool // of *scratch
}

// scratch is the memory that classifying one message needs.
type scratch struct {
	reader        *reader
	lookup        features.Lookup
	vector        features.Vector
	scores        []float64
	probabilities []float64
}

// Decision is what a spam filter makes of a score.
type Decision string

// The decisions of a spam filter. A filter for other classes decides on the name of a class.
const (
	Ham    Decision = hamName
	Unsure Decision = "unsure"
	Spam   Decision = spamName
)

// Verdict is what a filter says of one message.
type Verdict struct {
	// Class is the most probable class.
	Class string `json:"class"`
	// Decision is ham, unsure or spam by the thresholds; for other classes it is Class.
	Decision Decision `json:"verdict"`
	// Score is that of spam over ham, on the scale of the model: log odds for naive Bayes and softmax regression, bounded log
	// odds for votes. For other classes it is that of Class over all others, as if scores were log probabilities.
	Score float64 `json:"score"`
	// Probability is that of spam, or of Class for other classes, between 0 and 1: the share of spam among messages with such a
	// score that the model had not learned.
	Probability float64 `json:"probability"`
	// Known is how many of the message's different terms the vocabulary knows, Unknown how many it does not.
	Known   int `json:"known_terms"`
	Unknown int `json:"unknown_terms"`
	// Repairs is what had to be mended to decode the message.
	Repairs message.Repairs `json:"-"`
}

// Classify says what a message is. Any bytes are a message: of one without a known term, the bias decides.
func (f *Filter) Classify(raw []byte) Verdict {
	if f.mapped != nil {
		defer f.mapped.catch(debug.SetPanicOnFault(true))
	}
	s, ok := f.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{reader: f.newReader()}
	}
	v := f.classify(s, raw)
	if len(raw) <= corpus.LargeMessageBytes {
		f.scratch.Put(s)
	}
	return v
}

func (f *Filter) classify(s *scratch, raw []byte) Verdict {
	document, repairs := s.reader.document(raw)
	s.vector = s.lookup.AppendVector(s.vector.Reset(), f.vocabulary, document, f.kind)
	if f.blocks != nil {
		f.blocks.verifyWeights(s.vector.IDs)
	}
	v := f.verdict(s)
	v.Known = len(s.vector.IDs)
	if f.kind == features.Evidence {
		v.Known -= len(document.Cells)
	}
	v.Unknown = len(document.Terms) - v.Known
	v.Repairs = repairs
	if f.blocks != nil {
		f.blocks.verifyScore(v)
	}
	return v
}

// newReader cannot fail: the settings were validated when the filter was trained or opened.
func (f *Filter) newReader() *reader {
	r, err := newReader(f.settings.Reading())
	if err != nil {
		panic("filter: settings of a filter are invalid: " + err.Error())
	}
	r.grams = f.kind == features.Evidence
	return r
}

func (f *Filter) verdict(s *scratch) Verdict {
	if f.isSpamFilter() {
		z := f.linear.Score(s.vector)
		class := hamName
		if z > 0 {
			class = spamName
		}
		return Verdict{Class: class, Decision: f.decide(z), Score: z, Probability: f.settings.Calibration.Probability(z)}
	}
	s.scores = f.linear.Scores(s.scores[:0], s.vector)
	c := models.Argmax(s.scores)
	z := s.scores[c] - logSumExpExcept(s.scores, c)
	name := f.settings.Classes[c]
	s.probabilities = f.settings.Calibration.Probabilities(s.probabilities, s.scores)
	return Verdict{Class: name, Decision: Decision(name), Score: z, Probability: s.probabilities[c]}
}

// logSumExpExcept returns log sum_c exp(scores[c]) over all classes but one, without overflow.
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

// decide gives the verdict for a score: spam above the one threshold, unsure above the other, ham else.
func (f *Filter) decide(score float64) Decision {
	t := f.settings.Thresholds
	switch {
	case score > t.Spam:
		return Spam
	case score > t.Unsure:
		return Unsure
	}
	return Ham
}

// FirstTerm returns the id of the first of the texts in [Terms]: before it are the cells of grams, if the model looks at them.
func (f *Filter) FirstTerm() int {
	if f.kind == features.Evidence {
		return features.CellCount
	}
	return 0
}

func (f *Filter) isSpamFilter() bool { return isSpamFilter(f.settings.Classes) }

func isSpamFilter(classes []string) bool { return slices.Equal(classes, []string{hamName, spamName}) }
