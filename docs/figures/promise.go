package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"chaff/corpus"
	"chaff/filter"
	"chaff/metrics"
)

// The limit on ham lost is tried on so many random mailboxes, of so many messages each.
const (
	mailboxes   = 200
	fewestMails = 300
	mostMails   = 3000
)

// refutes is the confidence that it takes to say that a limit is not kept.
const refutes = 0.95

// kept says how a threshold keeps the limit on mail that it was not chosen on.
type kept struct {
	held                 bool    // whether the share of ham lost is within the limit
	refuted              bool    // whether the lower end of the interval of that share is above the limit
	hamLost, spamThrough float64 // percentages: ham with the verdict spam, spam without it
}

// keptBy compares the ham that verdicts lose with a limit, a percentage. Both classes have messages.
func keptBy(v filter.VerdictCounts, limit float64) kept {
	ham, spam := v.Ham.Messages(), v.Spam.Messages()
	lost := 100 * float64(v.Ham.Spam) / float64(ham)
	atLeast := 1 - metrics.UpperBound(ham-v.Ham.Spam, ham, refutes) // the lower end of the one-sided interval
	return kept{
		held:        lost <= limit,
		refuted:     100*atLeast > limit,
		hamLost:     lost,
		spamThrough: 100 * float64(spam-v.Spam.Spam) / float64(spam),
	}
}

// keepsPromise trains models on random mailboxes, in turn from SpamAssassin and from one of Enron-Spam. A mailbox is divided
// by hash, and the threshold is judged on its test part and on all other mail of the corpus. For the development part the
// test mail of the corpora is left out.
func (b *bench) keepsPromise(models []string) ([]robustRow, error) {
	first, err := one(b.spamAssassinApart())
	if err != nil {
		return nil, err
	}
	others, err := b.enronApart()
	if err != nil {
		return nil, err
	}
	outcomes, err := inParallel(mailboxes, func(i int) ([]kept, error) {
		random := rand.New(rand.NewPCG(uint64(i+1), noiseSeed))
		collection := first[0]
		if i%2 == 1 {
			collection = others[random.IntN(len(others))]
		}
		return b.keepsIn(collection, random, models)
	})
	if err != nil {
		return nil, err
	}
	means := func(of func(kept) float64) []float64 {
		sums := make([]float64, len(models))
		for i := range models {
			for _, k := range column(outcomes, i) {
				sums[i] += of(k) / mailboxes
			}
		}
		return sums
	}
	share := func(is func(kept) bool) []float64 {
		return means(func(k kept) float64 {
			if is(k) {
				return 100
			}
			return 0
		})
	}
	name, limit := fmt.Sprintf("%d random mailboxes", mailboxes), b.settings.Thresholds.HamLost
	write := func(v float64) string { return percent(&v) }
	return []robustRow{
		rowOf(name, fmt.Sprintf("at most %v%% of ham lost", limit), share(func(k kept) bool { return k.held }), write),
		rowOf(name, fmt.Sprintf("not shown to lose more than %v%%", limit), share(func(k kept) bool { return !k.refuted }), write),
		rowOf(name, "ham lost", means(func(k kept) float64 { return k.hamLost }), write),
		rowOf(name, "spam not called spam", means(func(k kept) float64 { return k.spamThrough }), write),
	}, nil
}

// keepsIn draws a mailbox from a collection and judges the thresholds of models on the rest of it.
func (b *bench) keepsIn(collection *filter.Collection, random *rand.Rand, models []string) ([]kept, error) {
	collection, err := b.judged(collection)
	if err != nil {
		return nil, err
	}
	members := collection.Members()
	random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	// Sizes are spread evenly over their logarithms; a third of a corpus is left to judge by.
	size := math.Exp(math.Log(fewestMails) + random.Float64()*math.Log(float64(mostMails)/fewestMails))
	inMailbox := min(int(size), len(members)*2/3)
	seed := random.Uint64()
	for i := range members {
		members[i].Part = corpus.Test
		if i < inMailbox {
			members[i].Part = b.settings.Split.ByHash(seed, members[i].Fingerprint)
		}
	}
	mailbox, err := collection.Select(members)
	if err != nil {
		return nil, err
	}
	var all []kept
	for _, model := range models {
		_, result, err := b.fit(mailbox, model)
		if err != nil {
			return nil, err
		}
		v := *result.Verdicts
		if v.Ham.Messages() == 0 || v.Spam.Messages() == 0 {
			return nil, fmt.Errorf("%s: %d ham and %d spam to judge by", model, v.Ham.Messages(), v.Spam.Messages())
		}
		all = append(all, keptBy(v, b.settings.Thresholds.HamLost))
	}
	return all, nil
}
