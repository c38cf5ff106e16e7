package evaluate

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
	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// ReplayOptions say how mail is replayed.
type ReplayOptions struct {
	Reading filter.Reading
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
	return ReplayOptions{Reading: filter.DefaultReading(), Models: models.DefaultOptions(), Feedback: 1, Seed: 1, Every: 1000}
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

// ReplayMail is mail in the order of its replay. Any number of models can be replayed on it.
type ReplayMail struct {
	*train.Mail
	options ReplayOptions
	told    []bool // of each message, whether the filter learns it
	// Seconds is the CPU time that reading and tokenising took.
	Seconds float64
}

// ReadForReplay reads all messages of source, whose labels must be among the classes, including copies, which a mailbox gets too. The
// error is that of the options or of [train.Read].
func ReadForReplay(ctx context.Context, source corpus.Source, classes []string, o ReplayOptions) (*ReplayMail, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	began := cputime.Process()
	mail, err := train.Read(ctx, source, classes, train.ReadOptions{
		Reading: o.Reading, Copies: true, Workers: o.Workers, Memory: o.Memory, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	seconds := (cputime.Process() - began).Seconds()
	if o.ByTime {
		members := mail.Members()
		slices.SortStableFunc(members, func(x, y train.Member) int {
			a, b := mail.Time(x.Index), mail.Time(y.Index)
			if a.IsZero() || b.IsZero() {
				return boolOrder(a.IsZero(), b.IsZero())
			}
			return a.Compare(b)
		})
		if mail, err = mail.Select(members); err != nil {
			return nil, err
		}
	}
	return &ReplayMail{Mail: mail, options: o, Seconds: seconds, told: o.feedback(mail.Len())}, nil
}

// Select returns some messages of m, in the order given; see [train.Mail.Select].
func (m *ReplayMail) Select(members []train.Member) (*ReplayMail, error) {
	mail, err := m.Mail.Select(members)
	if err != nil {
		return nil, err
	}
	s := *m
	s.Mail, s.told = mail, m.options.feedback(len(members))
	return &s, nil
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

// Replay shows the messages to a model one after the other: each is classified by what was learnt so far, and then, after
// the delay, learnt. Source: TREC 2005 Spam Track Overview; delayed and partial feedback: the overviews of 2006 and 2007.
func (m *ReplayMail) Replay(ctx context.Context, model string) (Replay, error) {
	learner, kind, err := m.options.Models.NewOnline(model, m.Classes())
	if err != nil {
		return Replay{}, err
	}
	began := cputime.Process()
	r := replaying{mail: m, learner: learner, vocabulary: m.Documents().Growing(kind), result: Replay{Model: model, Kind: kind.String()}}
	if filter.IsSpamFilter(m.Classes()) {
		r.curve = metrics.NewReplay(m.options.Every)
	}
	for i := range m.Len() {
		if i%1024 == 0 && ctx.Err() != nil {
			return Replay{}, ctx.Err()
		}
		r.classify(i)
		if told := i - m.options.Delay; told >= 0 {
			r.learn(told)
		}
	}
	r.result.Seconds = (cputime.Process() - began).Seconds()
	return r.finish(), m.Documents().Err()
}

// replaying is the state of a replay.
type replaying struct {
	mail       *ReplayMail
	learner    models.Online
	vocabulary *features.GrowingVocabulary
	curve      *metrics.Replay // of a spam filter only
	scores     train.Scores
	result     Replay
}

// classify classifies message i.
func (r *replaying) classify(i int) {
	classes := r.mail.Classes()
	K, label := len(classes), r.mail.Label(i)
	s := &r.scores
	at := len(s.Scores)
	s.Scores = append(s.Scores, make([]float64, K)...)
	scores := r.learner.Scores(s.Scores[at:at:at+K], r.vocabulary.Row(r.mail.Terms(i)))
	given := models.Argmax(scores)
	s.Labels = append(s.Labels, int32(label))
	s.Predictions = append(s.Predictions, int32(given))
	score := scores[given]
	if K == 2 {
		score = scores[1] - scores[0]
	}
	if r.curve != nil {
		r.curve.Add(score, given == filter.SpamClass, label == filter.SpamClass)
	}
	r.result.Messages = append(r.result.Messages, Replayed{r.mail.Origin(i), classes[label], classes[given], score})
}

// learn learns message i, if the filter is told of it.
func (r *replaying) learn(i int) {
	if !r.mail.told[i] {
		return
	}
	r.learner.Learn(r.vocabulary.Learn(r.mail.Terms(i)), r.mail.Label(i))
	r.result.Learnt++
}

func (r *replaying) finish() Replay {
	s := r.scores
	s.Classes = len(r.mail.Classes())
	r.result.Figures = metrics.Measure(s.Labels, s.Predictions, s.Classes)
	if r.curve != nil {
		r.result.Figures.MeasureSpam(s.Margins(), s.Spam())
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
