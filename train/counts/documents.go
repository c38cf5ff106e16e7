package counts

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/evidence"
	"chaff/train"
)

// Options say how documents are made of counts.
type Options struct {
	// Reading has the rules that make terms of words. Its language must not be auto, because one word has no language.
	Reading filter.Reading
	// Seed decides which documents have a term.
	Seed uint64
	// Messages is the largest number of documents; 0 means as many as there may be, 200,000. Counts of more messages are scaled down, and terms that
	// are then in no document are lost.
	Messages int
	// Memory is as in [features.NewDocuments].
	Memory int64
}

// Limits on the documents and on the sum of the counts of all terms, each of which takes up to 16 bytes of memory until the store is saved.
const (
	maxDocuments   = 200_000
	maxOccurrences = 40_000_000
)

// ErrLanguage is returned if the language depends on the message.
var ErrLanguage = errors.New("words without their messages have no language")

// Carried says what became of the counts of another filter.
type Carried struct {
	// Ham and Spam are the numbers of documents, and Terms the number of terms they have.
	Ham   int `json:"ham"`
	Spam  int `json:"spam"`
	Terms int `json:"terms"`
	// Scale is the number of documents for each message, 1 unless there are too many.
	Scale float64 `json:"scale"`
	// Kinds are the kinds of tokens, those with the largest counts first.
	Kinds []Share `json:"kinds"`
}

// Share is what became of the tokens of one kind. The count of a token is the number of messages that contain it.
type Share struct {
	Kind          string `json:"kind"`
	Tokens        int    `json:"tokens"`
	Carried       int    `json:"carried_tokens"`
	Count         int    `json:"count"`
	CarriedCounts int    `json:"carried_count"`
}

// Total returns the sum of the shares.
func (c Carried) Total() Share {
	total := Share{Kind: "all"}
	for _, s := range c.Kinds {
		total.Tokens += s.Tokens
		total.Carried += s.Carried
		total.Count += s.Count
		total.CarriedCounts += s.CarriedCounts
	}
	return total
}

// Mail returns mail of the classes ham and spam with the counts of c.
func (c *Counts) Mail(o Options) (*train.Mail, Carried, error) {
	if o.Reading.Tokenize.Language == "auto" {
		return nil, Carried{}, ErrLanguage
	}
	words, err := newReader(o.Reading)
	if err != nil {
		return nil, Carried{}, err
	}
	terms := gathered{messages: [2]int{c.Ham, c.Spam}, byHash: make(map[uint64]*term)}
	shares := make([]Share, kinds)
	for _, t := range c.Tokens {
		p := place{kind: unknownWord}
		if t.Text != "" {
			p = c.place(t.Text)
		}
		s := &shares[p.kind]
		s.Tokens++
		s.Count += t.Ham + t.Spam
		if terms.add(words, p, t) || p.kind == repeatedWord {
			s.Carried++
			s.CarriedCounts += t.Ham + t.Spam
		}
	}
	carried := Carried{Terms: len(terms.byHash)}
	for k, s := range shares {
		if s.Tokens > 0 {
			s.Kind = kind(k).String()
			carried.Kinds = append(carried.Kinds, s)
		}
	}
	slices.SortStableFunc(carried.Kinds, func(a, b Share) int { return cmp.Compare(b.Count, a.Count) })
	carried.Scale = terms.scale(o.Messages)
	mail, err := terms.mail(o, carried.Scale)
	if err != nil {
		return nil, Carried{}, err
	}
	for _, class := range mail.Summary().Classes {
		if class.Name == "spam" {
			carried.Spam = class.Messages
		} else {
			carried.Ham = class.Messages
		}
	}
	return mail, carried, nil
}

// term is a term with the share of the messages of each class, ham and spam, that are without it.
type term struct {
	text    string
	hash    uint64
	group   evidence.Group
	without [2]float64
}

// gathered are the terms of all tokens.
type gathered struct {
	messages [2]int
	byHash   map[uint64]*term
	ofToken  []uint64
}

// add adds the terms of a token and reports whether it has any.
func (g *gathered) add(words *reader, p place, token Token) bool {
	g.ofToken = g.ofToken[:0]
	words.terms(p, func(text []byte, hash uint64, group evidence.Group) {
		if slices.Contains(g.ofToken, hash) {
			return
		}
		g.ofToken = append(g.ofToken, hash)
		t := g.byHash[hash]
		if t == nil {
			t = &term{string(text), hash, group, [2]float64{1, 1}}
			g.byHash[hash] = t
		}
		for class, n := range [2]int{token.Ham, token.Spam} {
			t.without[class] *= 1 - float64(n)/float64(g.messages[class])
		}
	})
	return len(g.ofToken) > 0
}

// scale returns the number of documents for each message so that there are at most so many documents, and not too many occurrences.
func (g *gathered) scale(documents int) float64 {
	scale := 1.
	if documents <= 0 || documents > maxDocuments {
		documents = maxDocuments
	}
	if all := g.messages[0] + g.messages[1]; all > documents {
		scale = float64(documents) / float64(all)
	}
	occurrences := 0.
	for _, t := range g.byHash {
		for class, n := range g.messages {
			occurrences += float64(n) * (1 - t.without[class])
		}
	}
	if occurrences*scale > maxOccurrences {
		scale = maxOccurrences / occurrences
	}
	return scale
}

// mail returns mail with the terms, whose order of texts decides what a seed means.
func (g *gathered) mail(o Options, scale float64) (*train.Mail, error) {
	terms := make([]*term, 0, len(g.byHash))
	for _, t := range g.byHash {
		terms = append(terms, t)
	}
	slices.SortFunc(terms, func(a, b *term) int { return cmp.Compare(a.text, b.text) })
	all := features.NewDocuments(o.Memory)
	w := all.NewWriter()
	var entries []train.Entry
	for class, n := range g.messages {
		random := rand.New(rand.NewPCG(o.Seed, uint64(class)))
		n = max(1, int(math.Round(float64(n)*scale)))
		for _, ids := range spread(terms, class, n, random) {
			doc := features.Document{Counts: make([]uint32, len(ids)), InHead: make([]bool, len(ids))}
			for i, id := range ids {
				doc.Terms, doc.Groups = append(doc.Terms, terms[id].hash), append(doc.Groups, terms[id].group)
				doc.Counts[i], doc.InHead[i] = 1, true
			}
			ref := w.AddDocument(doc, func(i int) []byte { return []byte(terms[ids[i]].text) })
			id := random.Uint64()
			entries = append(entries, train.Entry{Terms: ref, Label: class, Fingerprint: id, SplitKey: id})
		}
	}
	w.Close()
	if err := all.Complete(); err != nil {
		return nil, err
	}
	return train.NewMail([]string{"ham", "spam"}, all, entries), nil
}

// spread returns the terms of each of n documents of a class. A term is in as many documents as it should be, each of them with the same
// chance.
func spread(terms []*term, class, n int, random *rand.Rand) [][]uint32 {
	documents, order := make([][]uint32, n), make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	for id, t := range terms {
		for i := range int(math.Round(float64(n) * (1 - t.without[class]))) {
			j := i + random.IntN(n-i)
			order[i], order[j] = order[j], order[i]
			documents[order[i]] = append(documents[order[i]], uint32(id))
		}
	}
	return documents
}
