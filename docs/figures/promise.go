package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"chaff/corpus"
	"chaff/internal/markdown"
	"chaff/metrics"
	"chaff/train"
)

// mailboxes is the number of mailboxes drawn from each corpus.
const mailboxes = 100

// Mailboxes have from smallest to largest messages, with uniform logarithms.
const (
	smallest = 300
	largest  = 3000
)

// refuting is the confidence of the test that more ham is lost than promised.
const refuting = 0.95

// confidences are those of the compared thresholds: none, and the default.
func (b *bench) confidences() []float64 { return []float64{0, b.settings.Thresholds.Confidence} }

// kept is the result of the promise in one mailbox.
type kept struct {
	messages, ham int
	of            []threshold // by confidence
}

// threshold is the effect of one threshold on the mail outside the mailbox.
type threshold struct {
	promise   metrics.Promise // none without confidence
	lost, ham int
	missed    float64 // the share of spam that is not called spam
}

// promises counts how often thresholds keep their promise.
type promises struct {
	confidences []float64
	limit       float64 // in percent
	corpora     []string
	boxes       [][]kept // by corpus
}

func (b *bench) measurePromise() (promises, error) {
	p := promises{confidences: b.confidences(), limit: b.settings.Thresholds.HamLost, corpora: []string{"SpamAssassin", "Enron-Spam"}}
	mail, err := one(b.readSpamAssassin(corpus.SplitGrouped))
	if err != nil {
		return promises{}, err
	}
	for _, read := range []func() ([]*train.Collection, error){
		func() ([]*train.Collection, error) { return mail, nil },
		func() ([]*train.Collection, error) { return b.readEnron(corpus.SplitGrouped) },
	} {
		if mail, err = read(); err != nil {
			return promises{}, err
		}
		b.tell("  %d mailboxes", mailboxes)
		boxes, err := inParallel(mailboxes, func(i int) (kept, error) { return b.mailbox(mail[i%len(mail)], uint64(i+1)) })
		if err != nil {
			return promises{}, err
		}
		p.boxes = append(p.boxes, boxes)
	}
	return p, nil
}

// mailbox draws random messages, trains filters as chaff train does, and tests them on all other messages.
func (b *bench) mailbox(mail *train.Collection, seed uint64) (kept, error) {
	divided, err := mail.WithSeed(seed)
	if err != nil {
		return kept{}, err
	}
	members := divided.Members()
	shuffle(members, seed)
	n := min(mailboxSize(seed), len(members))
	box, err := divided.Select(members[:n])
	if err != nil {
		return kept{}, err
	}
	for i := range members {
		members[i].Part = corpus.Train
		if i >= n {
			members[i].Part = corpus.Test
		}
	}
	rest, err := divided.Select(members)
	if err != nil {
		return kept{}, err
	}
	k := kept{messages: n, ham: box.Summary().Classes[0].Messages}
	for _, confidence := range b.confidences() {
		o := b.trainOptions()
		o.Thresholds.Confidence = confidence
		t, err := b.threshold(box, rest, o)
		if err != nil {
			return kept{}, err
		}
		k.of = append(k.of, t)
	}
	return k, nil
}

// mailboxSize returns the number of messages for a seed.
func mailboxSize(seed uint64) int {
	random := rand.New(rand.NewPCG(seed, 1))
	return int(math.Round(smallest * math.Pow(float64(largest)/smallest, random.Float64())))
}

func (b *bench) threshold(box, rest *train.Collection, o train.Options) (threshold, error) {
	trained, err := train.Fit(b.ctx, box, b.settings.Model, o)
	if err != nil {
		return threshold{}, err
	}
	f, refitted, err := box.Refit(b.ctx, trained, o)
	if err != nil {
		return threshold{}, err
	}
	d := rest.DatasetFor(f, corpus.Test)
	v := train.Score(f.Linear(), d).Verdicts(*f.Settings().Thresholds)
	if err := d.Err(); err != nil {
		return threshold{}, err
	}
	t := threshold{lost: v.Ham.Spam, ham: v.Ham.Messages(), missed: float64(v.Spam.Ham+v.Spam.Unsure) / float64(v.Spam.Messages())}
	if refitted.Promise != nil {
		t.promise = *refitted.Promise
	}
	return t, nil
}

// within reports whether at most a share of the ham, in percent, is lost.
func (t threshold) within(percent float64) bool { return float64(t.lost) <= float64(t.ham)*percent/100 }

// refuted reports whether the lower end of the exact one-sided interval for the lost share exceeds the given percentage.
func (t threshold) refuted(percent float64) bool {
	return 1-metrics.UpperBound(t.ham-t.lost, t.ham, refuting) > percent/100
}

// summary is the result of several mailboxes, in percent.
type summary struct {
	boxes, ham           int
	limit, limitTest     []float64 // by confidence: within the limit by the share, and not refuted
	promise, promiseTest []float64
	lost, missed         []float64 // means
}

// summarise summarises the mailboxes with at least from and fewer than to messages.
func (p promises) summarise(boxes []kept, from, to int) summary {
	n := len(p.confidences)
	s := summary{
		limit: make([]float64, n), limitTest: make([]float64, n), promise: make([]float64, n), promiseTest: make([]float64, n),
		lost: make([]float64, n), missed: make([]float64, n),
	}
	for _, k := range boxes {
		if k.messages < from || k.messages >= to {
			continue
		}
		s.boxes++
		s.ham += k.ham
		for c, t := range k.of {
			count(&s.limit[c], t.within(p.limit))
			count(&s.limitTest[c], !t.refuted(p.limit))
			count(&s.promise[c], t.within(t.promise.HamLost))
			count(&s.promiseTest[c], !t.refuted(t.promise.HamLost))
			s.lost[c] += float64(t.lost) / float64(t.ham)
			s.missed[c] += t.missed
		}
	}
	if s.boxes == 0 {
		return s
	}
	s.ham /= s.boxes
	for _, figures := range [][]float64{s.limit, s.limitTest, s.promise, s.promiseTest, s.lost, s.missed} {
		for c := range figures {
			figures[c] *= 100 / float64(s.boxes)
		}
	}
	return s
}

func count(n *float64, is bool) {
	if is {
		*n++
	}
}

// sizesOfMailboxes are the bounds of three size classes with a third of the mailboxes each.
func sizesOfMailboxes() []int { return []int{smallest, 646, 1392, largest + 1} }

func (p promises) text() string {
	header := "mailboxes | number | mean ham in one"
	for _, confidence := range p.confidences {
		header += fmt.Sprintf(" | confidence %v: limit kept", confidence)
		if confidence > 0 {
			header += " | guarantee kept"
		}
		header += " | mean ham lost | mean spam unsure or missed"
	}
	var rows []string
	sizes := sizesOfMailboxes()
	for i, mail := range p.corpora {
		for s := range sizes[1:] {
			name := fmt.Sprintf("%s, %d to %d messages", mail, sizes[s], sizes[s+1]-1)
			rows = append(rows, p.row(name, p.summarise(p.boxes[i], sizes[s], sizes[s+1])))
		}
		rows = append(rows, p.row("**"+mail+"**", p.summarise(p.boxes[i], smallest, largest+1)))
	}
	return fmt.Sprintf("Limit: %v%% of ham lost. Default model, %d random mailboxes of each corpus, tested on all other messages of the corpus. A pair of\n"+
		"percentages is the share of mailboxes that lost no more ham than allowed, and the share for which an exact test at %.0f%%\n"+
		"does not refute it.\n\n",
		p.limit, mailboxes, 100*refuting) + markdown.Table(header, rows)
}

func (p promises) row(name string, s summary) string {
	row := fmt.Sprintf("%s | %d | %d", name, s.boxes, s.ham)
	for c, confidence := range p.confidences {
		row += fmt.Sprintf(" | %.0f%%, %.0f%%", s.limit[c], s.limitTest[c])
		if confidence > 0 {
			row += fmt.Sprintf(" | %.0f%%, %.0f%%", s.promise[c], s.promiseTest[c])
		}
		row += fmt.Sprintf(" | %.3f%% | %.1f%%", s.lost[c], s.missed[c])
	}
	return row
}
