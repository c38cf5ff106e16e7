package filter

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"chaff/features"
	"chaff/internal/verdictfield"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
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

// ProbabilityName returns what a probability of a filter is called. Of other classes than ham and spam, it is that of the class given.
func ProbabilityName(classes []string) string {
	if IsSpamFilter(classes) {
		return "P(spam)"
	}
	return "probability"
}

var errNoThresholds = errors.New("it has no thresholds")

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
	// Class is that of the highest score.
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

// head is a filter without its vocabulary and its weights: how it reads messages and what it says of scores, and what classification does not need.
type head struct {
	settings  Settings
	kind      features.Kind
	saveTexts bool
	info      json.RawMessage // the provenance; nil if it is in the file
	terms     Terms           // of a filter that was made of parts
	file      modelFile       // of one that was opened
	tables    tables          // in the file
	knows     knowledge       // of one that learned since its file was written
}

// Settings returns the settings of the filter.
func (h *head) Settings() Settings { return h.settings }

// Kind returns the kind of feature that the filter uses.
func (h *head) Kind() features.Kind { return h.kind }

// FirstTerm returns the id of the first term of the vocabulary: 0, or the number of cells if the model has weights for cells.
func (h *head) FirstTerm() int {
	if h.kind == features.Evidence {
		return features.CellCount
	}
	return 0
}

// ids returns the number of cells and terms of the model file.
func (h *head) ids() int { return h.FirstTerm() + h.tables.terms }

// Identity returns a number that identifies the model file that the filter was opened from, and that its log has.
func (h *head) Identity() uint64 { return h.file.Identity }

// Provenance returns the JSON that the filter was made with. The error is about the file that it was opened from.
func (h *head) Provenance() (json.RawMessage, error) {
	if h.info != nil {
		return h.info, nil
	}
	return h.file.Section("INFO")
}

// Close closes the files of a filter, which cannot be used afterwards.
func (h *head) Close() error { return h.file.Close() }

// LogErr returns why the filter does without what was learned since its file was written, or nil. [AboutLog] names the file.
func (h *head) LogErr() error { return h.file.unused }

// scratch is reusable memory for classifying one message.
type scratch struct {
	reader *Reader
	lookup features.Lookup
	linear *models.Linear // which scores vector
	vector features.Vector
	scores []float64
}

// newReader returns a reader with the settings of the filter, which New or decoding has validated.
func (h *head) newReader() *Reader {
	r, err := NewReader(h.settings.Reading, ReaderOptions{Grams: h.kind == features.Evidence})
	if err != nil {
		panic("filter: invalid settings: " + err.Error())
	}
	return r
}

// score classifies a document by what scores its vector.
func (h *head) score(s *scratch, doc features.Document) (c Classification) {
	if IsSpamFilter(h.settings.Classes) {
		c = h.judgeSpam(s.linear.Score(s.vector))
	} else {
		s.scores = s.linear.Scores(s.scores[:0], s.vector)
		c = h.judge(s.scores)
	}
	c.Known = len(s.vector.IDs)
	if h.kind == features.Evidence {
		c.Known -= len(doc.Cells)
	}
	c.Unknown = len(doc.Terms) - c.Known
	if h.kind != features.Whole { // whole documents have no terms that could be known
		c.Novelty = s.lookup.Novelty(doc)
	}
	return c
}

// judgeSpam returns the classification by the score of spam over ham.
func (h *head) judgeSpam(z float64) Classification {
	class := hamName
	if z > 0 {
		class = spamName
	}
	return Classification{Class: class, Verdict: VerdictOn(z, *h.settings.Thresholds), Score: z, Probability: h.settings.Calibration.Probability(z)}
}

// judge returns the classification by the K scores of the filter or of a learner of the model.
func (h *head) judge(scores []float64) Classification {
	if IsSpamFilter(h.settings.Classes) {
		return h.judgeSpam(scores[SpamClass] - scores[0])
	}
	c := models.Argmax(scores)
	others := slices.Delete(slices.Clone(scores), c, c+1)
	z := scores[c] - metrics.Softmax(others) // log odds of c, if scores are log probabilities
	name := h.settings.Classes[c]
	return Classification{Class: name, Verdict: Verdict(name), Score: z, Probability: h.settings.Calibration.Probabilities(others, scores)[c]}
}

// Unlike notices messages that are unlike those that a model learned, see [metrics.Unlike].
type Unlike struct {
	metrics.Unlike
	classes []string
	usual   []metrics.Usual // by the class given; none if it is not known
}

// NewUnlike returns what notices messages that are unlike those that f learned. What is usual is the member `usual` of its provenance. The error
// is about the file that f was opened from.
func (h *head) NewUnlike() (*Unlike, error) {
	made, err := h.made()
	return &Unlike{classes: h.settings.Classes, usual: made.Usual}, err
}

// Add adds a message, and reports whether this message alone is unlike the others.
func (u *Unlike) Add(c Classification) bool {
	class := slices.Index(u.classes, c.Class)
	if class < 0 || class >= len(u.usual) {
		return false
	}
	u.Unlike.Add(c.Novelty, u.usual[class])
	return u.usual[class].IsUnlike(c.Novelty)
}

// Fields returns the fields of the verdict v. Rules made for SpamAssassin match the first two, which only spam filters write.
func (h *head) Fields(v Classification) []verdictfield.Field {
	var fields []verdictfield.Field
	add := func(name, value string) { fields = append(fields, verdictfield.Field{Name: name, Value: value}) }
	if IsSpamFilter(h.settings.Classes) {
		flag, status := "NO", "No"
		if v.Verdict == Spam {
			flag, status = "YES", "Yes"
		}
		add("X-Spam-Flag", flag)
		status = fmt.Sprintf("%s, score=%.2f", status, v.Score)
		if t := h.settings.Thresholds; t.FindsSpam() {
			status += fmt.Sprintf(" required=%.2f", t.Spam)
		}
		add("X-Spam-Status", status)
	}
	add("X-Chaff-Verdict", verdictfield.Text(string(v.Verdict)))
	add("X-Chaff-Score", fmt.Sprintf("%.4f", v.Score))
	add("X-Chaff-Probability", fmt.Sprintf("%.6f", v.Probability))
	return fields
}

// Passed returns the message with the fields of the verdict v in its header, for mail systems that sort by header fields. It removes
// incoming X-Spam-* and X-Chaff-* fields, so that nobody can send a verdict of their own: see [verdictfield.Set].
func (h *head) Passed(raw []byte, v Classification) []byte {
	out, _ := verdictfield.Set(raw, h.Fields(v)...)
	return out
}
