package evaluate

import (
	"chaff/filter"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// online chooses the thresholds of a spam filter that learns: from the scores of the later half of the messages that it has learned, each
// scored before. It chooses again each time that it has learned a tenth more messages. Until it has learned [train.FewMessages] of each
// class, everything is unsure.
type online struct {
	trainer    models.Trainer
	options    metrics.ThresholdOptions
	thresholds metrics.Thresholds
	margins    []float64
	spam       []bool
	labels     []int32
	of         [2]int
	next       int
	counts     train.VerdictCounts
}

func newOnline(t models.Trainer, o metrics.ThresholdOptions) *online {
	return &online{trainer: t, options: o, thresholds: metrics.Thresholds{Unsure: -metrics.Beyond, Spam: metrics.Beyond}}
}

// judge returns the verdict on a score, and counts it.
func (o *online) judge(label int, score float64) filter.Verdict {
	v := filter.VerdictOn(score, o.thresholds)
	o.counts.Add(label == filter.SpamClass, v)
	return v
}

// learned notes a message that the model has learned, with its score before.
func (o *online) learned(label int, score float64) {
	o.margins, o.spam, o.labels = append(o.margins, score), append(o.spam, label == filter.SpamClass), append(o.labels, int32(label))
	o.of[label]++
	n := len(o.margins)
	if n < o.next || min(o.of[0], o.of[1]) < train.FewMessages {
		return
	}
	o.next = n + n/10
	o.thresholds, _ = metrics.ChooseThresholds(o.margins[n/2:], o.spam[n/2:], train.ScaleOf(o.trainer, o.labels), o.options)
}
