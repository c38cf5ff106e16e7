package filter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/parallel"
)

// CollectOptions say how a corpus is read and divided.
type CollectOptions struct {
	Reading  Reading
	Features features.Options
	Split    corpus.SplitOptions
	// Seed changes which messages fall into which part of a split by chance.
	Seed uint64
	// Workers is how many messages are read at the same time; 0 means one for each core. The result is the same.
	Workers int
	// Memory is how many bytes of the documents are kept in memory; the others are in a temporary file. 0 is for no limit.
	// The result is the same.
	Memory int64
	// Progress, if set, is called after each message, from any goroutine, with how many have been read and how many
	// there are.
	Progress func(read, all int)
}

// DefaultCollectOptions returns the options used when nothing else is said.
func DefaultCollectOptions() CollectOptions {
	return CollectOptions{
		Reading:  DefaultReading(),
		Features: features.DefaultOptions(),
		Split:    corpus.DefaultSplitOptions(),
		Seed:     1,
	}
}

// What makes it impossible to train.
var (
	// ErrNoMail is returned when there is no message that can be used.
	ErrNoMail = errors.New("no messages")
	// ErrOneClass is returned when all messages have one label.
	ErrOneClass = errors.New("a classifier needs messages of at least two classes")
)

// Collection is the documents of a corpus, each message read once, with the vocabulary of the training part. Any number
// of models can be trained on it. It is read-only.
type Collection struct {
	*gathered
	options CollectOptions
	keys    []uint64      // of each document: what its part is chosen by, the same within a group of near-duplicates
	parts   []corpus.Part // of each document
	words   *words        // of the training part
	made    *matrices
	wholes  func() *wholes
}

// words are the vocabulary of the training part, with what is known of its terms.
type words struct {
	index *features.Index
	terms func() Terms // made when they are asked for first
}

// wholes are the documents of the training part, each as a term of its own.
type wholes struct {
	vocabulary *features.Vocabulary
	terms      Terms
}

// Collect reads all messages of source, whose labels must be among classes, and divides them into training, development
// and test part. A message that cannot be read is counted and left out; of messages with the same content the first
// counts. The error is that of the context or of the options, [ErrNoMail] or [ErrOneClass].
func Collect(ctx context.Context, source corpus.Source, classes []string, o CollectOptions) (*Collection, error) {
	if err := errors.Join(o.Split.Validate(), o.Features.Validate()); err != nil {
		return nil, err
	}
	g, sketches, err := gather(ctx, source, classes, gatherOptions{
		reading:  o.Reading,
		sketches: o.Split.Method == corpus.SplitGrouped,
		workers:  o.Workers,
		memory:   o.Memory,
		progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	for _, class := range g.summary.Classes {
		if class.Messages == g.summary.Used {
			return nil, fmt.Errorf("all %d messages are %s: %w", class.Messages, class.Name, ErrOneClass)
		}
	}
	c := &Collection{options: o, gathered: g}
	c.group(sketches)
	if err := c.divide(c.split()); err != nil {
		return nil, err
	}
	return c, nil
}

// group finds out what the part of each document is chosen by. The sketches are used up.
func (c *Collection) group(sketches [][]uint64) {
	c.keys = make([]uint64, len(c.documents))
	for i, d := range c.documents {
		c.keys[i] = d.splitKey
	}
	if c.options.Split.Method != corpus.SplitGrouped {
		return
	}
	firsts := corpus.NearDuplicates(sketches, c.options.Split.Similarity)
	size := make([]int, len(firsts))
	for i, first := range firsts {
		c.keys[i] = c.documents[first].splitKey
		size[first]++
	}
	for _, n := range size {
		if n > 1 {
			c.summary.Groups++
			c.summary.Grouped += n
		}
	}
}

// divide makes parts the parts of the documents, and the terms of the training part the vocabulary.
func (c *Collection) divide(parts []corpus.Part) error {
	c.parts = parts
	var count [3]int
	for _, part := range parts {
		count[part]++
	}
	c.summary.Train, c.summary.Development, c.summary.Test = count[corpus.Train], count[corpus.Development], count[corpus.Test]
	training, _ := c.part(corpus.Train)
	index, frequencies, err := c.mail.Build(training, c.options.Features, c.workers())
	if err != nil {
		return err
	}
	terms := sync.OnceValue(func() Terms { return Terms{Texts: index.Texts(c.workers()), Documents: frequencies} })
	c.words, c.made = &words{index, terms}, new(matrices)
	c.wholes = sync.OnceValue(func() *wholes { return newWholes(c.mail.Wholes(training, c.workers())) })
	c.summary.Terms = index.Vocabulary().Len()
	return c.mail.Err()
}

// workers is the number of goroutines that work at the same time.
func (c *Collection) workers() int { return parallel.Workers(c.options.Workers) }

// divided returns the collection with other parts, and the vocabulary of their training part by o.
func (c *Collection) divided(parts []corpus.Part, o features.Options) (*Collection, error) {
	d := *c
	shared := *c.gathered // its summary is that of the new parts
	d.gathered = &shared
	d.options.Features = o
	if err := d.divide(parts); err != nil {
		return nil, err
	}
	return &d, nil
}

// only returns the collection with no other documents than those for which keep is true, before it is divided.
func (c *Collection) only(keep func(i int) bool) *Collection {
	var kept Collection
	kept.options = c.options
	kept.gathered = &gathered{classes: c.classes, mail: c.mail, items: c.items, summary: c.summary}
	for i := range c.documents {
		if keep(i) {
			kept.documents = append(kept.documents, c.documents[i])
			kept.keys = append(kept.keys, c.keys[i])
			kept.parts = append(kept.parts, c.parts[i])
		}
	}
	return &kept
}

// reread returns the collection with the terms of its documents by another reading, before it is divided. Everything
// else about a document stays, its part above all. A message that cannot be read any more, or is another one now, is an
// error.
func (c *Collection) reread(ctx context.Context, r Reading) (*Collection, error) {
	read := *c
	shared := *c.gathered
	read.gathered = &shared
	read.options.Reading = r
	read.items = make([]corpus.Item, len(c.documents))
	for i, d := range c.documents {
		read.items[i] = c.items[d.item]
	}
	results, err := read.readAll(ctx, gatherOptions{reading: r, workers: c.options.Workers, memory: c.options.Memory})
	if err != nil {
		return nil, err
	}
	read.documents = slices.Clone(c.documents)
	for i, result := range results {
		switch {
		case result.err != nil:
			return nil, fmt.Errorf("read again: %w", result.err)
		case result.splitKey != c.documents[i].splitKey:
			return nil, fmt.Errorf("read again: %s was changed since it was read first", read.items[i].Origin)
		}
		read.documents[i].terms, read.documents[i].item = result.terms, int32(i)
	}
	return &read, nil
}

// newWholes makes a vocabulary of the hashes of documents. They are named by these: of a message, a model keeps no text in
// one piece.
func newWholes(hashes []uint64) *wholes {
	slices.Sort(hashes)
	var w wholes
	for i, hash := range hashes {
		if i == 0 || hash != hashes[i-1] {
			w.terms.Texts = append(w.terms.Texts, fmt.Sprintf("message:%016x", hash))
			w.terms.Documents = append(w.terms.Documents, 0)
		}
		w.terms.Documents[len(w.terms.Documents)-1]++
	}
	var err error
	if w.vocabulary, err = features.NewVocabulary(slices.Compact(hashes)); err != nil {
		panic("filter: vocabulary of documents: " + err.Error()) // they are distinct, and fewer than there is memory for
	}
	return &w
}

// termsOf is the vocabulary that documents of the given kind are over, and what is known of its terms.
func (c *Collection) termsOf(kind features.Kind) (*features.Vocabulary, func() Terms) {
	if kind == features.Whole {
		w := c.wholes()
		return w.vocabulary, func() Terms { return w.terms }
	}
	return c.words.index.Vocabulary(), c.words.terms
}

// part returns the documents of one part, with their labels.
func (c *Collection) part(part corpus.Part) (documents []features.Ref, labels []int32) {
	for i, d := range c.documents {
		if c.parts[i] == part {
			documents, labels = append(documents, d.terms), append(labels, d.label)
		}
	}
	return documents, labels
}

// split returns the part of each document.
func (c *Collection) split() []corpus.Part {
	o := c.options
	if o.Split.Method == corpus.SplitByTime {
		times := make([]time.Time, len(c.documents))
		for i, d := range c.documents {
			times[i] = d.time
		}
		return o.Split.ByTime(times)
	}
	parts := make([]corpus.Part, len(c.keys))
	for i, key := range c.keys {
		parts[i] = o.Split.ByHash(o.Seed, key)
	}
	return parts
}

// Summary returns what became of the messages.
func (c *Collection) Summary() Summary { return c.summary }

// Classes returns the names of the classes.
func (c *Collection) Classes() []string { return c.classes }

// Origins returns where the messages of one part are, in the order of the rows of its data set.
func (c *Collection) Origins(part corpus.Part) []string {
	var origins []string
	for i, doc := range c.documents {
		if c.parts[i] == part {
			origins = append(origins, c.origin(doc))
		}
	}
	return origins
}
