package filter

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/metrics"
	"chaff/models"
)

// ReplayOptions say how mail is replayed.
type ReplayOptions struct {
	Reading Reading
	Models  models.Options
	// ByTime replays messages in the order of their delivery times, those without one last; else they are replayed in the
	// order in which they are listed.
	ByTime bool
	// Delay is after how many further messages the filter is told what a message was; 0 is at once.
	Delay int
	// Feedback is the share of messages of which the filter is told at all, above 0 to 1. Which these are comes from Seed.
	Feedback float64
	Seed     uint64
	// Every is after how many messages the learning curve has a point.
	Every int
	// Workers, Memory and Progress are as in CollectOptions.
	Workers  int
	Memory   int64
	Progress func(read, all int)
}

// DefaultReplayOptions returns the options used when nothing else is said.
func DefaultReplayOptions() ReplayOptions {
	return ReplayOptions{Reading: DefaultReading(), Models: models.DefaultOptions(), Feedback: 1, Seed: 1, Every: 1000}
}

// validate returns what is wrong with o.
func (o ReplayOptions) validate() error {
	switch {
	case o.Delay < 0:
		return fmt.Errorf("delay is %d: must be at least 0", o.Delay)
	case !(o.Feedback > 0 && o.Feedback <= 1):
		return fmt.Errorf("feedback is %v: must be above 0 and at most 1", o.Feedback)
	case o.Every < 1:
		return fmt.Errorf("a point every %d messages: must be at least 1", o.Every)
	}
	return nil
}

// Replay is what became of a replay of one model.
type Replay struct {
	Model string `json:"model"`
	Kind  string `json:"features"`
	// Figures are those of all messages, each classified before it was learnt.
	Figures metrics.Figures `json:"test"`
	// Learnt is how many messages the filter was told of.
	Learnt int `json:"learnt"`
	// Curve is the figures of all messages so far, after every so many; Blocks those of these messages alone.
	Curve  []metrics.LearningPoint `json:"curve"`
	Blocks []metrics.LearningPoint `json:"blocks"`
	// Seconds is the CPU time of classifying and learning, without reading and tokenising.
	Seconds float64 `json:"replay_cpu_seconds"`
	// Messages are all of them in their order.
	Messages []Replayed `json:"-"`
}

// Replayed is what the filter said of one message of a replay.
type Replayed struct {
	Path  string
	Label string // the true class
	Class string // the class given
	Score float64
}

// ReplayMail is mail that was read to be replayed, in its order. Any number of models can be replayed on it.
type ReplayMail struct {
	*gathered
	options ReplayOptions
	told    []bool // of each document, whether the filter is told of it
	// Seconds is the CPU time that reading and tokenising took.
	Seconds float64
}

// ReadForReplay reads all messages of source, whose labels must be among the classes, copies included: a mailbox gets them,
// too. The error is that of the options or of [Collect].
func ReadForReplay(ctx context.Context, source corpus.Source, classes []string, o ReplayOptions) (*ReplayMail, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	began := cpuTime()
	g, _, err := gather(ctx, source, classes, gatherOptions{reading: o.Reading, copies: true, workers: o.Workers, memory: o.Memory, progress: o.Progress})
	if err != nil {
		return nil, err
	}
	m := &ReplayMail{gathered: g, options: o, Seconds: (cpuTime() - began).Seconds(), told: o.feedback(len(g.documents))}
	if o.ByTime {
		slices.SortStableFunc(m.documents, func(x, y document) int {
			if x.time.IsZero() || y.time.IsZero() {
				return boolOrder(x.time.IsZero(), y.time.IsZero())
			}
			return x.time.Compare(y.time)
		})
	}
	return m, nil
}

// feedback draws of which of n messages the filter is told.
func (o ReplayOptions) feedback(n int) []bool {
	random := rand.New(rand.NewPCG(o.Seed, 0))
	told := make([]bool, n)
	for i := range told {
		told[i] = o.Feedback == 1 || random.Float64() < o.Feedback
	}
	return told
}

// boolOrder puts what is true last.
func boolOrder(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

// Classes returns the names of the classes.
func (m *ReplayMail) Classes() []string { return m.classes }

// Summary returns what became of the messages.
func (m *ReplayMail) Summary() Summary { return m.summary }

// Replay shows the messages to a model one after the other: each is classified by what was learnt so far, and then, after
// the delay, learnt. Source: TREC 2005 Spam Track Overview; delayed and partial feedback: the overviews of 2006 and 2007.
func (m *ReplayMail) Replay(ctx context.Context, model string) (Replay, error) {
	learner, kind, err := m.options.Models.NewOnline(model, m.classes)
	if err != nil {
		return Replay{}, err
	}
	began := cpuTime()
	r := replaying{mail: m, learner: learner, vocabulary: m.mail.Growing(kind), result: Replay{Model: model, Kind: kind.String()}}
	if isSpamFilter(m.classes) {
		r.curve = metrics.NewReplay(m.options.Every)
	}
	for i := range m.documents {
		if i%1024 == 0 && ctx.Err() != nil {
			return Replay{}, ctx.Err()
		}
		r.classify(i)
		if told := i - m.options.Delay; told >= 0 {
			r.learn(told)
		}
	}
	r.result.Seconds = (cpuTime() - began).Seconds()
	return r.finish(), m.mail.Err()
}

// replaying is a replay that is under way.
type replaying struct {
	mail       *ReplayMail
	learner    models.Online
	vocabulary *features.GrowingVocabulary
	curve      *metrics.Replay // of a spam filter only
	scored     scored
	result     Replay
}

// classify asks about message i.
func (r *replaying) classify(i int) {
	d := r.mail.documents[i]
	K := len(r.mail.classes)
	at := len(r.scored.scores)
	r.scored.scores = append(r.scored.scores, make([]float64, K)...)
	scores := r.learner.Scores(r.scored.scores[at:at:at+K], r.vocabulary.Row(d.terms))
	given := models.Argmax(scores)
	r.scored.labels = append(r.scored.labels, d.label)
	r.scored.predictions = append(r.scored.predictions, int32(given))
	score := scores[given]
	if K == 2 {
		score = scores[1] - scores[0]
	}
	if r.curve != nil {
		r.curve.Add(score, given == spamClass, d.label == spamClass)
	}
	r.result.Messages = append(r.result.Messages, Replayed{r.mail.origin(d), r.mail.classes[d.label], r.mail.classes[given], score})
}

// learn tells the learner what message i was, if it is told of it.
func (r *replaying) learn(i int) {
	if !r.mail.told[i] {
		return
	}
	d := r.mail.documents[i]
	r.learner.Learn(r.vocabulary.Learn(d.terms), int(d.label))
	r.result.Learnt++
}

func (r *replaying) finish() Replay {
	s := r.scored
	s.classes = len(r.mail.classes)
	r.result.Figures = metrics.Measure(s.labels, s.predictions, s.classes)
	if r.curve != nil {
		r.result.Figures.MeasureSpam(s.margins(), s.spam())
		r.result.Curve, r.result.Blocks = r.curve.Points(), r.curve.Blocks()
	}
	return r.result
}

// WriteTREC writes what the filter said of each message in the form of the TREC spam track's toolkit, a message a line:
//
//	file=PATH judge=LABEL class=CLASS score=SCORE user= genre=
//
// A blank within a path or a class, which the form cannot have, becomes an underline.
func (r Replay) WriteTREC(w io.Writer) error {
	var line []byte
	for _, m := range r.Messages {
		line = append(line[:0], "file="...)
		line = append(line, unspaced(m.Path)...)
		line = append(line, " judge="...)
		line = append(line, unspaced(m.Label)...)
		line = append(line, " class="...)
		line = append(line, unspaced(m.Class)...)
		line = append(line, " score="...)
		line = strconv.AppendFloat(line, m.Score, 'g', -1, 64)
		line = append(line, " user= genre=\n"...)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// unspaced replaces what would end a value, and what cannot be printed.
func unspaced(text string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || !strconv.IsPrint(c) {
			return '_'
		}
		return c
	}, text)
}
