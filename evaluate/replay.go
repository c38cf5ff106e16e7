package evaluate

import (
	"cmp"
	"context"
	"slices"

	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// Replay is the result of replaying mail to one model.
type Replay struct {
	Model   string          `json:"model"`
	Kind    string          `json:"features"`
	Figures metrics.Figures `json:"test"` // all messages, each classified before the model learned it
	// Verdicts counts the verdicts of a spam filter, with thresholds from what it had learned at the time: from the scores of the later half of these
	// messages, each scored before. Until it has learned [train.FewMessages] of each class, everything is unsure.
	Verdicts *metrics.VerdictCounts `json:"verdicts,omitempty"`
	// Seconds is the CPU time of classifying and learning, without reading and tokenizing.
	Seconds  float64    `json:"replay_cpu_seconds"`
	Messages []Replayed `json:"-"` // the messages in the order of the replay
}

// Replayed is one message of a replay.
type Replayed struct {
	Path    string
	Label   string // the true class
	Class   string // the prediction
	Score   float64
	Verdict filter.Verdict // Class unless the model is a spam filter
}

// ByTime returns mail in the order of delivery, messages without a time last.
func ByTime(mail *train.Mail) (*train.Mail, error) {
	members := mail.Members()
	last := func(x train.Member) int { // those without a time
		if mail.Entry(x.Index).Time.IsZero() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(members, func(x, y train.Member) int {
		return cmp.Or(cmp.Compare(last(x), last(y)), mail.Entry(x.Index).Time.Compare(mail.Entry(y.Index).Time))
	})
	return mail.Select(members)
}

// ReplayTo shows the messages of m to the named model in their order. The model classifies each message with what it has learned so far, and
// then learns it. Mail that was read with Copies is as a mailbox receives it. Source: TREC 2005 Spam Track Overview.
func ReplayTo(ctx context.Context, model string, m *train.Mail, o train.Options) (Replay, error) {
	learner, kind, err := o.Models.NewOnline(model, m.Classes)
	if err != nil {
		return Replay{}, err
	}
	trainer, _, err := o.Models.New(model, 0) // whose scale hangs on no seed
	if err != nil {
		return Replay{}, err
	}
	began := cputime.Process()
	d, err := m.Dataset(kind)
	if err != nil {
		return Replay{}, err
	}
	classes, thresholds := m.Classes, metrics.Thresholds{Unsure: -metrics.Beyond, Spam: metrics.Beyond}
	rows := d.Rows() // the learner knows nothing of terms that it has not learned yet, so the rows may have them
	r := Replay{Model: model, Kind: kind.String(), Messages: make([]Replayed, m.Len())}
	K, isSpamFilter := len(classes), filter.IsSpamFilter(classes)
	if isSpamFilter {
		r.Verdicts = new(metrics.VerdictCounts)
	}
	s := train.Scores{
		Classes: K, Labels: d.Labels, Predictions: make([]int32, m.Len()), Scores: make([]float64, m.Len()*K),
	}
	var of [2]int // learned messages of a spam filter, by class
	next := 0     // the number of messages from which on thresholds are chosen anew: a tenth more each time
	for i := range m.Len() {
		if i%1024 == 0 && ctx.Err() != nil {
			return Replay{}, ctx.Err()
		}
		scores := learner.Scores(s.Row(i), rows.Row(i))
		label, prediction := m.Entry(i).Label, models.Argmax(scores)
		s.Predictions[i] = int32(prediction)
		score := scores[prediction]
		if K == 2 {
			score = scores[1] - scores[0]
		}
		verdict := filter.Verdict(classes[prediction])
		if isSpamFilter {
			verdict = filter.VerdictOn(score, thresholds)
			CountVerdict(r.Verdicts, label == filter.SpamClass, verdict)
		}
		r.Messages[i] = Replayed{m.Item(i).Origin, classes[label], classes[prediction], score, verdict}
		learner.Learn(rows.Row(i), label)
		if !isSpamFilter {
			continue
		}
		of[label]++
		if n := i + 1; min(of[0], of[1]) >= train.FewMessages && n >= next {
			next = n + n/10
			half := train.Scores{Labels: s.Labels[n/2 : n], Scores: s.Scores[n/2*K : n*K]}
			thresholds, _ = metrics.ChooseThresholds(half.Margins(), train.ScaleOf(trainer, s.Labels[:n], s.Labels[:n]), o.Thresholds)
		}
	}
	r.Seconds = (cputime.Process() - began).Seconds()
	r.Figures = metrics.Measure(s.Labels, s.Predictions, K)
	if isSpamFilter {
		r.Figures.MeasureSpam(s.Margins())
	}
	return r, m.Documents().Err()
}

// CountVerdict adds the verdict on a message to the counts of its class.
func CountVerdict(c *metrics.VerdictCounts, isSpam bool, v filter.Verdict) {
	of := &c.Ham
	if isSpam {
		of = &c.Spam
	}
	switch v {
	case filter.Ham:
		of.Ham++
	case filter.Unsure:
		of.Unsure++
	case filter.Spam:
		of.Spam++
	}
}
