package filter

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"chaff/corpus"
	"chaff/features"
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
	words   *terms        // of the training part
	wholes  *terms        // its documents, each as a term of its own
}

// terms is a vocabulary with what is known of its terms.
type terms struct {
	vocabulary *features.Vocabulary
	Terms
}

// Collect reads all messages of source, whose labels must be among classes, and divides them into training, development
// and test part. A message that cannot be read is counted and left out; of messages with the same content the first
// counts. The error is that of the context or of the options, [ErrNoMail] or [ErrOneClass].
func Collect(ctx context.Context, source corpus.Source, classes []string, o CollectOptions) (*Collection, error) {
	if err := errors.Join(o.Split.Validate(), o.Features.Validate()); err != nil {
		return nil, err
	}
	g, err := gather(ctx, source, classes, gatherOptions{
		reading:  o.Reading,
		sketches: o.Split.Method == corpus.SplitGrouped,
		workers:  o.Workers,
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
	c.group()
	if err := c.divide(c.split()); err != nil {
		return nil, err
	}
	return c, nil
}

// group finds out what the part of each document is chosen by.
func (c *Collection) group() {
	c.keys = make([]uint64, len(c.documents))
	for i, d := range c.documents {
		c.keys[i] = d.fingerprint
	}
	if c.options.Split.Method != corpus.SplitGrouped {
		return
	}
	sketches := make([][]uint64, len(c.documents))
	for i := range c.documents {
		sketches[i], c.documents[i].sketch = c.documents[i].sketch, nil
	}
	firsts := corpus.NearDuplicates(sketches, c.options.Split.Similarity)
	size := make([]int, len(firsts))
	for i, first := range firsts {
		c.keys[i] = c.documents[first].fingerprint
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
	var err error
	if c.words, err = buildTerms(c.training(), c.options.Features, c.lexicon.Texts); err != nil {
		return err
	}
	if c.wholes, err = buildTerms(wholes(c.training()), features.DefaultOptions(), textsOfWholes); err != nil {
		return err
	}
	c.summary.Terms = c.words.vocabulary.Len()
	return nil
}

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
	kept.gathered = &gathered{classes: c.classes, lexicon: c.lexicon, summary: c.summary}
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
	items := make([]corpus.Item, len(c.documents))
	for i, d := range c.documents {
		items[i] = d.item
	}
	results, err := read.readAll(ctx, items, gatherOptions{reading: r, workers: c.options.Workers})
	if err != nil {
		return nil, err
	}
	read.documents = slices.Clone(c.documents)
	for i, result := range results {
		switch {
		case result.err != nil:
			return nil, fmt.Errorf("read again: %w", result.err)
		case result.fingerprint != c.documents[i].fingerprint:
			return nil, fmt.Errorf("read again: %s was changed since it was read first", c.documents[i].item.Origin)
		}
		read.documents[i].terms = result.terms
	}
	return &read, nil
}

func buildTerms(training iter.Seq[features.Document], o features.Options, texts func(*features.Vocabulary) []string) (*terms, error) {
	vocabulary, documents, err := features.BuildVocabulary(training, o)
	if err != nil {
		return nil, err
	}
	return &terms{vocabulary, Terms{Texts: texts(vocabulary), Documents: documents}}, nil
}

// termsOf is the vocabulary that documents of the given kind are over.
func (c *Collection) termsOf(kind features.Kind) *terms {
	if kind == features.Whole {
		return c.wholes
	}
	return c.words
}

// wholes yields each document as a single term.
func wholes(documents iter.Seq[features.Document]) iter.Seq[features.Document] {
	return func(yield func(features.Document) bool) {
		for doc := range documents {
			if !yield(doc.Whole()) {
				return
			}
		}
	}
}

// textsOfWholes names documents by their hashes: of a message, a model keeps no text in one piece.
func textsOfWholes(v *features.Vocabulary) []string {
	texts := make([]string, v.Len())
	for id, hash := range v.Hashes() {
		texts[id] = fmt.Sprintf("message:%016x", hash)
	}
	return texts
}

// training yields the documents of the training part.
func (c *Collection) training() iter.Seq[features.Document] {
	return func(yield func(features.Document) bool) {
		for i, d := range c.documents {
			if c.parts[i] == corpus.Train && !yield(d.terms) {
				return
			}
		}
	}
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
			origins = append(origins, doc.item.Origin)
		}
	}
	return origins
}

// Dataset returns the documents of one part as a matrix (documents x terms) of the given kind.
func (c *Collection) Dataset(part corpus.Part, kind features.Kind) *features.Dataset {
	vocabulary := c.termsOf(kind).vocabulary
	d := features.NewDataset(kind, c.classes, vocabulary.Len())
	for i, doc := range c.documents {
		if c.parts[i] == part {
			d.Append(vocabulary, doc.terms, doc.label)
		}
	}
	return d
}
