package counts

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/evidence"
	"chaff/train"
)

// tally is a term with the share of the messages of each class that lack it.
type tally struct {
	text    string
	hash    uint64
	group   evidence.Group
	without [2]float64
}

// ledger ...
type collector struct {
	reader   *reader
	messages [2]int
	byHash   map[uint64]*tally
	found    []uint64 // hashes of the terms of a token
}

func (c *collector) add(p place, in [2]int) (carried bool) {
	c.found = c.found[:0]
	c.reader.terms(p, func(text []byte, hash uint64, group evidence.Group) {
		if !isWhole(text) || slices.Contains(c.found, hash) {
			return
		}
		c.found = append(c.found, hash)
		t := c.byHash[hash]
		if t == nil {
			t = &tally{string(text), hash, group, [2]float64{1, 1}}
			c.byHash[hash] = t
		}
		for class, n := range in {
			t.without[class] *= 1 - float64(n)/float64(c.messages[class])
		}
	})
	return len(c.found) > 0
}

func isWhole(text []byte) bool {
	for i, b := range text {
		if b == ':' {
			return len(text)-i > 3 && string(text[:i]) != "class"
		}
	}
	return false
}

func (c *collector) mail(seed uint64, classes []string) (*train.Mail, error) {
	terms := make([]*tally, 0, len(c.byHash))
	for _, t := range c.byHash {
		terms = append(terms, t)
	}
	slices.SortFunc(terms, func(a, b *tally) int { return cmp.Compare(a.text, b.text) })
	all := features.NewDocuments(0)
	var entries []train.Entry
	w := all.NewWriter()
	for class, n := range c.messages {
		rng := rand.New(rand.NewPCG(seed, uint64(class)))
		docs := make([][]uint32, n)
		order := make([]uint32, n)
		for i := range order {
			order[i] = uint32(i)
		}
		for id, t := range terms {
			k := int(math.Round(float64(n) * (1 - t.without[class])))
			for i := range k {
				j := i + rng.IntN(n-i)
				order[i], order[j] = order[j], order[i]
				docs[order[i]] = append(docs[order[i]], uint32(id))
			}
		}
		for _, ids := range docs {
			var d features.Document
			for _, id := range ids {
				d.Terms, d.Groups = append(d.Terms, terms[id].hash), append(d.Groups, terms[id].group)
				d.Counts, d.InHead = append(d.Counts, 1), append(d.InHead, true)
			}
			f := rng.Uint64()
			entries = append(entries, train.Entry{Terms: w.AddDocument(d, func(i int) []byte { return []byte(terms[ids[i]].text) }), Label: class, Fingerprint: f, SplitKey: f})
		}
	}
	w.Close()
	if err := all.Complete(); err != nil {
		return nil, err
	}
	return train.NewMail(classes, all, entries), nil
}

var _ = filter.SpamClass
