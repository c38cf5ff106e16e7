package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/parallel"
)

// CollectOptions say how a corpus is read and divided.
type CollectOptions struct {
	Reading  filter.Reading
	Features features.Options
	Split    corpus.SplitOptions
	// Seed changes which messages fall into which part of a split by chance.
	Seed uint64
	// Workers is the number of goroutines; 0 means one for each core. It changes no result.
	Workers int
	// Memory is how many bytes of the documents stay in memory; the others go to a temporary file. 0 means no limit. It changes no
	// result.
	Memory int64
	// Progress, if set, is called after each message, from any goroutine, with the number of messages read and of all.
	Progress func(read, all int)
}

// DefaultCollectOptions returns the default options.
func DefaultCollectOptions() CollectOptions {
	return CollectOptions{
		Reading:  filter.DefaultReading(),
		Features: features.DefaultOptions(),
		Split:    corpus.DefaultSplitOptions(),
		Seed:     1,
	}
}

// Reasons why nothing can be trained.
var (
	// ErrNoMail is returned when no message can be used.
	ErrNoMail = errors.New("no messages")
	// ErrOneClass is returned when all messages have one label.
	ErrOneClass = errors.New("a classifier needs messages of at least two classes")
)

// Collection is mail that is divided into training, development and test part, with the vocabulary of the training part. Any number
// of models can be trained on it. It is read-only.
type Collection struct {
	*Mail
	options  CollectOptions
	keys     []uint64      // of each document: decides its part, and is the same for all near-duplicates
	parts    []corpus.Part // of each document
	index    *features.Index
	known    func() filter.Terms // the terms of index, made when they are first asked for
	wholes   func() *wholes
	datasets *datasets
}

// wholes are the documents of the training part, each as one term.
type wholes struct {
	vocabulary *features.Vocabulary
	terms      filter.Terms
}

// Collect reads all messages of source, whose labels must be among classes, and divides them into training, development
// and test part. A message that cannot be read is counted and left out; of messages with the same content the first
// counts. The error is that of the context or of the options, [ErrNoMail] or [ErrOneClass].
func Collect(ctx context.Context, source corpus.Source, classes []string, o CollectOptions) (*Collection, error) {
	if err := errors.Join(o.Split.Validate(), o.Features.Validate()); err != nil {
		return nil, err
	}
	m, sketches, err := readMail(ctx, source, classes, ReadOptions{
		Reading: o.Reading, Workers: o.Workers, Memory: o.Memory, Progress: o.Progress, sketches: o.Split.Method == corpus.SplitGrouped,
	})
	if err != nil {
		return nil, err
	}
	for _, class := range m.summary.Classes {
		if class.Messages == m.summary.Used {
			return nil, fmt.Errorf("all %d messages are %s: %w", class.Messages, class.Name, ErrOneClass)
		}
	}
	c := &Collection{options: o, Mail: m}
	c.setKeys(sketches)
	if err := c.divide(c.split()); err != nil {
		return nil, err
	}
	return c, nil
}

// setKeys finds the key of each document. It uses up the sketches.
func (c *Collection) setKeys(sketches [][]uint64) {
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

// divide divides the documents into parts and builds the vocabulary of the training part.
func (c *Collection) divide(parts []corpus.Part) error {
	c.parts = parts
	var count [3]int
	for _, part := range parts {
		count[part]++
	}
	c.summary.Train, c.summary.Development, c.summary.Test = count[corpus.Train], count[corpus.Development], count[corpus.Test]
	training, _ := c.Part(corpus.Train)
	index, frequencies, err := c.terms.Build(training, c.options.Features, c.workers())
	if err != nil {
		return err
	}
	c.index, c.datasets = index, new(datasets)
	c.known = sync.OnceValue(func() filter.Terms { return filter.Terms{Texts: index.Texts(c.workers()), Documents: frequencies} })
	c.wholes = sync.OnceValue(func() *wholes { return newWholes(c.terms.DocumentHashes(training, c.workers())) })
	c.summary.Terms = index.Vocabulary().Len()
	return c.terms.Err()
}

func (c *Collection) workers() int { return parallel.Workers(c.options.Workers) }

// Divided returns c with other parts, and the vocabulary of their training part.
func (c *Collection) Divided(parts []corpus.Part, o features.Options) (*Collection, error) {
	d := *c
	mail := *c.Mail // its summary is that of the new parts
	d.Mail, d.options.Features = &mail, o
	return &d, d.divide(parts)
}

// Only returns c with the documents for which keep is true. It has no vocabulary until it is divided.
func (c *Collection) Only(keep func(i int) bool) *Collection {
	mail := *c.Mail
	mail.documents = nil
	kept := Collection{Mail: &mail, options: c.options}
	for i, d := range c.documents {
		if keep(i) {
			mail.documents = append(mail.documents, d)
			kept.keys, kept.parts = append(kept.keys, c.keys[i]), append(kept.parts, c.parts[i])
		}
	}
	return &kept
}

// WithWorkers returns c with another number of goroutines.
func (c *Collection) WithWorkers(n int) *Collection {
	w := *c
	w.options.Workers = n
	return &w
}

// Reread returns c with the terms that another reading makes of its messages. It has no vocabulary until it is divided. The parts
// stay. A message that cannot be read again, or has changed, is an error.
func (c *Collection) Reread(ctx context.Context, r filter.Reading) (*Collection, error) {
	mail := *c.Mail
	read := *c
	read.Mail, read.options.Reading = &mail, r
	mail.items = make([]corpus.Item, len(c.documents))
	for i, d := range c.documents {
		mail.items[i] = c.items[d.item]
	}
	results, err := mail.readAll(ctx, ReadOptions{Reading: r, Workers: c.options.Workers, Memory: c.options.Memory})
	if err != nil {
		return nil, err
	}
	mail.documents = slices.Clone(c.documents)
	for i, result := range results {
		switch {
		case result.err != nil:
			return nil, fmt.Errorf("read again: %w", result.err)
		case result.splitKey != c.documents[i].splitKey:
			return nil, fmt.Errorf("read again: %s has changed since it was first read", mail.items[i].Origin)
		}
		mail.documents[i].terms, mail.documents[i].item = result.terms, int32(i)
	}
	return &read, nil
}

// Options returns the options that c was collected with.
func (c *Collection) Options() CollectOptions { return c.options }

// Parts returns the part of each message. The slice belongs to c.
func (c *Collection) Parts() []corpus.Part { return c.parts }

// Key returns what the part of message i is chosen by: the same for all messages of a group of near-duplicates.
func (c *Collection) Key(i int) uint64 { return c.keys[i] }

// Index returns the index of the vocabulary of the training part.
func (c *Collection) Index() *features.Index { return c.index }

// Known returns the terms of the vocabulary of the training part.
func (c *Collection) Known() filter.Terms { return c.known() }

// newWholes makes a vocabulary of the hashes of documents. Their hashes are also their names: a model keeps no whole text of a message.
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
		panic("train: vocabulary of documents: " + err.Error()) // they are distinct, and fewer than there is memory for
	}
	return &w
}

// termsOf returns the vocabulary of documents of the given kind, and its terms.
func (c *Collection) termsOf(kind features.Kind) (*features.Vocabulary, func() filter.Terms) {
	if kind == features.Whole {
		w := c.wholes()
		return w.vocabulary, func() filter.Terms { return w.terms }
	}
	return c.index.Vocabulary(), c.known
}

// Part returns the documents of one part, with their labels.
func (c *Collection) Part(part corpus.Part) (documents []features.Ref, labels []int32) {
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

// Origins returns where the messages of one part are, in the order of the rows of its data set.
func (c *Collection) Origins(part corpus.Part) []string {
	var origins []string
	for i := range c.documents {
		if c.parts[i] == part {
			origins = append(origins, c.Origin(i))
		}
	}
	return origins
}
