package train

import (
	"cmp"
	"context"
	"encoding/binary"
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

// CollectOptions configure how a corpus is read and divided.
type CollectOptions struct {
	Reading  filter.Reading
	Features features.Options
	Split    corpus.SplitOptions
	// Seed decides which messages fall into which part of a random split.
	Seed uint64
	// Workers is the number of goroutines; 0 means one for each core. It changes no result.
	Workers int
	// Memory is the number of bytes of documents kept in memory; the rest goes to a temporary file. 0 means no limit. It changes no
	// result.
	Memory int64
	// Ledger keeps what [Mail.Entries] needs. It changes no result.
	Ledger bool
	// Progress, if set, is called after each message, from any goroutine, with the number of messages read and the total.
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
	ErrOneClass = errors.New("training needs mail of two classes")
)

// Collection is mail divided into a training, a development and a test part, with the vocabulary of the training part. Any number
// of models can be fitted to it. It is read-only.
type Collection struct {
	*Mail
	options CollectOptions
	groups  []uint64      // of each document; see Member.Group
	parts   []corpus.Part // of each document
	index   *features.Index
	terms   filter.Terms       // of index
	whole   func() *wholeTerms // computed once
}

// wholeTerms is the vocabulary for [features.Whole]: each document of the training part is one term.
type wholeTerms struct {
	vocabulary *features.Vocabulary
	terms      filter.Terms
}

// Collect reads all messages of source, whose labels must be among classes, and divides them into training, development and test part.
// It leaves out messages that cannot be read and copies of earlier messages; Summary counts both. The error comes from the context or the
// options, or is [ErrNoMail] or [ErrOneClass].
func Collect(ctx context.Context, source corpus.Source, classes []string, o CollectOptions) (*Collection, error) {
	if err := errors.Join(o.Split.Validate(), o.Features.Validate()); err != nil {
		return nil, err
	}
	m, err := Read(ctx, source, classes, ReadOptions{
		Reading: o.Reading, Workers: o.Workers, Memory: o.Memory, Progress: o.Progress, Ledger: o.Ledger || o.Split.Method == corpus.SplitGrouped,
	})
	if err != nil {
		return nil, err
	}
	return m.Divide(o)
}

// Divide divides m, which was read with [ReadOptions.Ledger] or made of entries, into training, development and test part. Of o it uses
// all but what is for reading; Reading must be that of m. The error comes from the options, or is [ErrNoMail] or [ErrOneClass].
func (m *Mail) Divide(o CollectOptions) (*Collection, error) {
	if err := errors.Join(o.Split.Validate(), o.Features.Validate()); err != nil {
		return nil, err
	}
	switch {
	case len(m.documents) == 0:
		return nil, ErrNoMail
	case o.Split.Method == corpus.SplitGrouped && !m.sketched:
		return nil, errors.New("a grouped split needs the sketches of the messages")
	case o.Features.Texts && !m.store.HasTexts():
		return nil, errors.New("features.texts is true, and the texts of the terms were not kept")
	}
	for _, class := range m.summary.Classes {
		if class.Messages == m.summary.Used {
			all := fmt.Sprintf("all %d messages are", class.Messages)
			if class.Messages == 1 {
				all = "the only message is"
			}
			return nil, m.summary.without(fmt.Errorf("%s %s: %w", all, class.Name, ErrOneClass))
		}
	}
	mail := *m
	c := &Collection{options: o, Mail: &mail}
	c.summary.Warnings = slices.Clone(c.summary.Warnings)
	c.summary.warnOfLittleMail()
	c.setGroups()
	c.parts = c.split()
	return c, c.buildVocabulary()
}

// setGroups computes the group of each document: the split key of one of its near-duplicates. It depends on no order of the documents.
func (c *Collection) setGroups() {
	c.groups = make([]uint64, len(c.documents))
	for i, d := range c.documents {
		c.groups[i] = d.splitKey
	}
	if c.options.Split.Method != corpus.SplitGrouped {
		return
	}
	order := make([]int, len(c.documents))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &c.documents[i], &c.documents[j]
		return cmp.Or(cmp.Compare(a.splitKey, b.splitKey), cmp.Compare(a.fingerprint, b.fingerprint))
	})
	kept, fingerprints := c.store.Kept(), []uint64(nil)
	firsts := corpus.NearDuplicates(len(order), func(k int) []uint64 {
		fingerprints = appendFingerprints(fingerprints[:0], kept(c.documents[order[k]].sketch))
		return fingerprints
	}, c.options.Split.Similarity)
	size := make([]int, len(firsts))
	for i, first := range firsts {
		c.groups[order[i]] = c.documents[order[first]].splitKey
		size[first]++
	}
	for _, n := range size {
		if n > 1 {
			c.summary.Groups++
			c.summary.Grouped += n
		}
	}
}

// appendFingerprints appends the fingerprints of a sketch.
func appendFingerprints(dst []uint64, sketch []byte) []uint64 {
	for ; len(sketch) >= 8; sketch = sketch[8:] {
		dst = append(dst, binary.LittleEndian.Uint64(sketch))
	}
	return dst
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
	parts := make([]corpus.Part, len(c.groups))
	for i, group := range c.groups {
		parts[i] = o.Split.ByHash(o.Seed, group)
	}
	return parts
}

// buildVocabulary counts the parts and builds the vocabulary of the training part.
func (c *Collection) buildVocabulary() error {
	c.index, c.terms, c.whole = nil, filter.Terms{}, nil // of other parts
	var count [3]int
	for _, part := range c.parts {
		count[part]++
	}
	c.summary.Train, c.summary.Development, c.summary.Test = count[corpus.Train], count[corpus.Development], count[corpus.Test]
	training, _ := c.Part(corpus.Train)
	workers := c.workers()
	index, frequencies, err := c.store.Build(training, c.options.Features, workers)
	if err != nil {
		return err
	}
	c.index = index
	c.terms = filter.Terms{Text: index.Text, Documents: frequencies}
	c.whole = sync.OnceValue(func() *wholeTerms { return newWholeTerms(c.store.DocumentHashes(training, workers)) })
	c.summary.Terms = index.Vocabulary().Len()
	return c.store.Err()
}

func (c *Collection) workers() int { return parallel.Workers(c.options.Workers) }

// Options returns the options that c was collected with.
func (c *Collection) Options() CollectOptions { return c.options }

// Index returns the index of the vocabulary of the training part.
func (c *Collection) Index() *features.Index { return c.index }

// Terms returns the terms of the vocabulary of the training part.
func (c *Collection) Terms() filter.Terms { return c.terms }

// newWholeTerms returns the vocabulary of documents given by their hashes. The hashes are also the texts of its terms: a model keeps no
// whole message.
func newWholeTerms(hashes []uint64) *wholeTerms {
	slices.Sort(hashes)
	var w wholeTerms
	for i, hash := range hashes {
		if i == 0 || hash != hashes[i-1] {
			w.terms.Documents = append(w.terms.Documents, 0)
		}
		w.terms.Documents[len(w.terms.Documents)-1]++
	}
	var err error
	hashes = slices.Compact(hashes)
	w.terms.Text = func(id int) []byte { return fmt.Appendf(nil, "message:%016x", hashes[id]) }
	if w.vocabulary, err = features.NewVocabulary(hashes); err != nil {
		panic("train: vocabulary of documents: " + err.Error()) // the hashes are distinct and fit into memory
	}
	return &w
}

// termsOf returns the vocabulary for a kind of feature, and its terms.
func (c *Collection) termsOf(kind features.Kind) (*features.Vocabulary, filter.Terms) {
	if kind == features.Whole {
		w := c.whole()
		return w.vocabulary, w.terms
	}
	return c.index.Vocabulary(), c.terms
}

// Part returns the documents of one part, with their labels.
func (c *Collection) Part(part corpus.Part) (documents []features.Ref, labels []int32) {
	for _, i := range c.InPart(part) {
		documents, labels = append(documents, c.documents[i].terms), append(labels, c.documents[i].label)
	}
	return documents, labels
}

// InPart returns the numbers of the messages of one part, in the order of the rows of its data set.
func (c *Collection) InPart(part corpus.Part) []int {
	var messages []int
	for i, p := range c.parts {
		if p == part {
			messages = append(messages, i)
		}
	}
	return messages
}

// Origins returns the origins of the messages of one part, in the order of the rows of its data set.
func (c *Collection) Origins(part corpus.Part) []string {
	var origins []string
	for _, i := range c.InPart(part) {
		origins = append(origins, c.Origin(i))
	}
	return origins
}
