package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"chaff/corpus"
	"chaff/filter"
)

// The random mailboxes that the limit on ham lost is tried on: how many, and of how many messages.
const (
	mailboxes   = 200
	fewestMails = 300
	mostMails   = 3000
)

// kept is what the chosen threshold makes of mail like that of a mailbox.
type kept struct {
	held                 bool // whether no more ham was lost than the limit allows
	hamLost, spamThrough float64
}

// keepsPromise trains models on random mailboxes, the first from SpamAssassin, the next from one of Enron-Spam, and so on. A
// mailbox is divided by hash and the threshold chosen as always; judged is the threshold, on all other mail of the corpus.
// While something is chosen, the test mail of the corpora is left out.
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
	held, hamLost, spamThrough := make([]*float64, len(models)), make([]*float64, len(models)), make([]*float64, len(models))
	for i := range models {
		var shares, ham, spam []*float64
		for _, k := range column(outcomes, i) {
			share := 0.0
			if k.held {
				share = 100
			}
			shares, ham, spam = append(shares, &share), append(ham, &k.hamLost), append(spam, &k.spamThrough)
		}
		held[i], hamLost[i], spamThrough[i] = average(shares), average(ham), average(spam)
	}
	name := fmt.Sprintf("%d random mailboxes", mailboxes)
	return []robustRow{
		rowOf(name, fmt.Sprintf("at most %v%% of ham lost", b.settings.Thresholds.HamLost), held, percent),
		rowOf(name, "ham lost", hamLost, percent),
		rowOf(name, "spam not called spam", spamThrough, percent),
	}, nil
}

// keepsIn draws a mailbox from a collection, and measures models on the rest of it.
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
		v := result.Verdicts
		ham, spam := v.Ham.Messages(), v.Spam.Messages()
		if ham == 0 || spam == 0 {
			return nil, fmt.Errorf("%s: %d ham and %d spam to judge by", model, ham, spam)
		}
		k := kept{hamLost: 100 * float64(v.Ham.Spam) / float64(ham), spamThrough: 100 * float64(spam-v.Spam.Spam) / float64(spam)}
		k.held = k.hamLost <= b.settings.Thresholds.HamLost
		all = append(all, k)
	}
	return all, nil
}
