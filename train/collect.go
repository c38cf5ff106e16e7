package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/fieldtags"
	"chaff/internal/indices"
	"chaff/internal/parallel"
)

// CollectOptions configure how a corpus is read and divided.
type CollectOptions struct {
	ReadOptions
	Features features.Options
	Split    corpus.SplitOptions
	Seed     uint64 // decides which messages fall into which part of a random split
	// Undivided leaves all messages in the training part, for [Collection.Quick]. A model keeps Split for its next fit.
	Undivided bool
}

// DefaultCollectOptions returns the default options.
func DefaultCollectOptions() CollectOptions {
	return CollectOptions{ReadOptions{Reading: filter.DefaultReading()}, features.DefaultOptions(), corpus.DefaultSplitOptions(), 1, false}
}

// Reasons why nothing can be trained.
var (
	// ErrNoMail is returned when no message can be used.
	ErrNoMail = errors.New("no messages")
	// ErrOneClass is returned when all messages have one label.
	ErrOneClass = errors.New("training needs mail of two classes")
	// ErrTooMuch is returned when there are more than [MaxMessages].
	ErrTooMuch = errors.New("too many messages for one fit")
)

// MaxMessages is how many messages a model can be fitted to. Sums of naive Bayes are exact up to 8 million messages of a class.
const MaxMessages = 5_000_000

func checkMessages(n int) error {
	if n > MaxMessages {
		return fmt.Errorf("%w: %d, which takes up to %d", ErrTooMuch, n, MaxMessages)
	}
	return nil
}

// Collection is mail divided into a training, a development and a test part, with the vocabulary of the training part. It is read-only.
type Collection struct {
	*Mail
	summary Summary // that of the mail, with the parts
	Options CollectOptions
	groups  []uint64      // of each document; see Member.Group
	parts   []corpus.Part // of each document
	terms   vocabulary
	whole   func() vocabulary // for [features.Whole]: each document of the training part is one term
}

// vocabulary is the vocabulary of some documents. It is empty after an error.
type vocabulary struct {
	*features.Index
	filter.Terms
	err error
}

// vocabularyOf returns the vocabulary of documents, which are in all.
func vocabularyOf(all *features.Documents, documents []features.Ref, o features.Options, workers int) (v vocabulary) {
	v.Index, v.Terms.Documents, v.err = all.Build(documents, o, workers)
	if v.err = cmp.Or(v.err, all.Err()); v.err != nil {
		none, _ := features.NewVocabulary(nil)
		v.Index = all.Index(none, workers) // whose data sets have the error
	}
	v.Terms.Text = v.Index.Text
	return v
}

// Collect does what [Read] and [Mail.Divide] do.
func Collect(ctx context.Context, source corpus.Source, classes []string, o CollectOptions) (*Collection, error) {
	m, err := Read(ctx, source, classes, o.ReadOptions)
	if err != nil {
		return nil, err
	}
	return m.Divide(o)
}

// Divide divides m, which was read with o.Reading, into training, development and test part. The error comes from the options, or is [ErrNoMail] or
// [ErrOneClass].
func (m *Mail) Divide(o CollectOptions) (*Collection, error) {
	if err := errors.Join(o.Split.Validate(), fieldtags.Check(o.Features)); err != nil {
		return nil, err
	}
	o.Workers = parallel.Workers(o.Workers)
	if len(m.documents) == 0 {
		return nil, ErrNoMail
	}
	if err := checkMessages(len(m.documents)); err != nil {
		return nil, err
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
	c := &Collection{Options: o, Mail: m, summary: m.summary}
	var few []string
	for _, class := range m.summary.Classes {
		if class.Messages < FewMessages {
			few = append(few, fmt.Sprintf("%d %s", class.Messages, class.Name))
		}
	}
	if len(few) > 0 {
		c.summary.Warnings = append(c.summary.Warnings,
			fmt.Sprintf("%s: too few to learn from, and the figures mean little; give at least %d messages of each class", strings.Join(few, ", "), FewMessages))
	}
	split := o.Split
	if o.Undivided {
		split = corpus.SplitOptions{Method: corpus.SplitByHash, Train: 1}
	}
	if split.Method == corpus.SplitByTime && m.Undated() > 0 {
		c.summary.Warnings = append(c.summary.Warnings, fmt.Sprintf("%d of %d messages have no time of delivery, and count as the oldest", m.Undated(), m.Len()))
	}
	var sizes []int
	var err error
	if c.groups, sizes, err = m.groups(split); err != nil {
		return nil, err
	}
	c.summary.Groups = len(sizes)
	for _, n := range sizes {
		c.summary.Grouped += n
	}
	c.parts = c.split(split)
	c.countParts()
	return c, c.buildVocabulary()
}

// groups returns the group of each document: the split key of one of its near-duplicates, in a grouped split. It depends on no order of the documents. sizes
// are those of the groups of more than one.
func (m *Mail) groups(o corpus.SplitOptions) (groups []uint64, sizes []int, err error) {
	groups = make([]uint64, len(m.documents))
	for i, d := range m.documents {
		groups[i] = d.SplitKey
	}
	if o.Method != corpus.SplitGrouped {
		return groups, nil, nil
	}
	order := m.All()
	m.sort(order)
	numbers, text := m.store.Texts()
	firsts, err := corpus.NearDuplicates(len(order), numbers, func(k int) []uint32 {
		return text(m.documents[order[k]].Terms)
	}, o.Similarity)
	sizes = make([]int, len(firsts))
	for i, first := range firsts {
		groups[order[i]] = m.documents[order[first]].SplitKey
		sizes[first]++
	}
	return groups, slices.DeleteFunc(sizes, func(n int) bool { return n < 2 }), err
}

func (c *Collection) split(o corpus.SplitOptions) []corpus.Part {
	if o.Method == corpus.SplitByTime {
		times := make([]time.Time, len(c.documents))
		for i, d := range c.documents {
			times[i] = d.Time
		}
		return o.ByTime(times)
	}
	parts := make([]corpus.Part, len(c.groups))
	for i, group := range c.groups {
		parts[i] = o.ByHash(c.Options.Seed, group)
	}
	return parts
}

func (c *Collection) countParts() {
	var count [3]int
	for _, part := range c.parts {
		count[part]++
	}
	c.summary.Train, c.summary.Development, c.summary.Test = count[corpus.Train], count[corpus.Development], count[corpus.Test]
}

func (c *Collection) buildVocabulary() error {
	c.terms, c.whole = vocabulary{}, nil // of other parts
	training, _ := c.rows(c.InPart(corpus.Train))
	workers, store, o := c.Options.Workers, c.store, c.Options.Features
	c.terms = vocabularyOf(store, training, o, workers)
	if c.terms.err != nil {
		return c.terms.err
	}
	c.whole = sync.OnceValue(func() vocabulary {
		return vocabularyOf(store.As(features.Whole), training, features.DefaultOptions(), workers)
	})
	c.summary.Terms = c.terms.Vocabulary.Len()
	return nil
}

func (c *Collection) Summary() Summary { return c.summary }

// Terms returns the terms of the vocabulary of the training part.
func (c *Collection) Terms() filter.Terms { return c.terms.Terms }

// Frequencies returns for each class the number of training messages that have each term, and the number of training messages.
func (c *Collection) Frequencies() (counts [][]uint32, of []int) {
	of, counts = make([]int, len(c.Classes)), make([][]uint32, len(c.Classes))
	byClass := make([][]features.Ref, len(c.Classes))
	for _, i := range c.InPart(corpus.Train) {
		d := &c.documents[i]
		byClass[d.Label] = append(byClass[d.Label], d.Terms)
	}
	for k, documents := range byClass {
		of[k], counts[k] = len(documents), c.terms.Frequencies(documents)
	}
	return counts, of
}

// termsOf returns the vocabulary of the training part for a kind of feature.
func (c *Collection) termsOf(kind features.Kind) vocabulary {
	if kind == features.Whole {
		return c.whole()
	}
	return c.terms
}

// InPart returns the numbers of the messages of one part, in the order of the rows of its data set.
func (c *Collection) InPart(part corpus.Part) []int {
	return slices.DeleteFunc(c.All(), func(i int) bool { return c.parts[i] != part })
}

// firsts returns of some messages those that stand for their near-duplicates of their class. The order in which mail is found does not decide which.
func (c *Collection) firsts(messages []int) map[int]bool {
	type group struct {
		of    uint64
		label int
	}
	first, seen, order := map[int]bool{}, map[group]bool{}, slices.Clone(messages)
	c.sort(order)
	for _, i := range order {
		if g := (group{c.groups[i], c.documents[i].Label}); !seen[g] {
			first[i], seen[g] = true, true
		}
	}
	return first
}

// Origins returns the origins of the messages of one part, in the order of the rows of its data set.
func (c *Collection) Origins(part corpus.Part) []string {
	var origins []string
	for _, i := range c.InPart(part) {
		origins = append(origins, c.Item(i).Origin)
	}
	return origins
}

// Member is a message of a [Collection] or of mail. Experiments change and choose members to divide mail by rules of their own.
type Member struct {
	Index    int    // the number of the message in the mail
	Origin   string // the path of the message, or its place in a larger file
	SplitKey uint64 // of [corpus.Hashes]
	Group    uint64 // the split key that decides the part of the message in a random split: near-duplicates share a group
	Label    int    // the class of the message
	Part     corpus.Part
}

// Members returns the messages of m in their order, all in the training part.
func (m *Mail) Members() []Member {
	members := make([]Member, len(m.documents))
	for i, d := range m.documents {
		members[i] = Member{Index: i, Origin: m.Item(i).Origin, SplitKey: d.SplitKey, Group: d.SplitKey, Label: d.Label}
	}
	return members
}

// Select returns the messages that members name, in their order and with their labels. The error is [ErrNoMail], or names a member without a class.
func (m *Mail) Select(members []Member) (*Mail, error) {
	if len(members) == 0 {
		return nil, ErrNoMail
	}
	s := *m
	s.documents = make([]document, len(members))
	for i, member := range members {
		if member.Label < 0 || member.Label >= len(m.Classes) {
			return nil, fmt.Errorf("%s is of class %d: there are %d classes", member.Origin, member.Label, len(m.Classes))
		}
		s.documents[i] = m.documents[member.Index]
		s.documents[i].Label = member.Label
	}
	s.count()
	return &s, nil
}

// Members returns the messages of c in their order, with their parts.
func (c *Collection) Members() []Member {
	members := c.Mail.Members()
	for i := range members {
		members[i].Group, members[i].Part = c.groups[i], c.parts[i]
	}
	return members
}

// Select is [Mail.Select] with the parts of the members and the vocabulary of their training part. It reads no message again. [ErrNoMail] and
// [ErrOneClass] are about the training part.
func (c *Collection) Select(members []Member) (*Collection, error) {
	mail, err := c.Mail.Select(members)
	if err != nil {
		return nil, err
	}
	s := *c
	s.Mail, s.groups, s.parts = mail, make([]uint64, len(members)), make([]corpus.Part, len(members))
	s.summary.Used, s.summary.Classes = mail.summary.Used, mail.summary.Classes
	trained := make([]int, len(c.Classes))
	for i, m := range members {
		s.groups[i], s.parts[i] = c.groups[m.Index], m.Part
		if m.Part == corpus.Train {
			trained[m.Label]++
		}
	}
	switch len(slices.DeleteFunc(trained, func(n int) bool { return n == 0 })) {
	case 0:
		return nil, fmt.Errorf("the training part is empty: %w", ErrNoMail)
	case 1:
		return nil, fmt.Errorf("the training part has one of the classes %s: %w", strings.Join(c.Classes, ", "), ErrOneClass)
	}
	s.countParts()
	return &s, s.buildVocabulary()
}

// With is Select with the Features, Workers, Memory and Reading of other options. With another Reading it reads the messages again; the error then names
// one that cannot be read again or has changed.
func (c *Collection) With(ctx context.Context, o CollectOptions, members []Member) (*Collection, error) {
	w := *c
	w.Options.Features, w.Options.Workers, w.Options.Memory = o.Features, parallel.Workers(o.Workers), o.Memory
	if reflect.DeepEqual(o.Reading, c.Options.Reading) {
		return w.Select(members)
	}
	mail := *c.Mail
	mail.items = make([]corpus.Item, len(members))
	for i, m := range members {
		mail.items[i] = c.Item(m.Index)
	}
	results, err := mail.readAll(ctx, ReadOptions{Reading: o.Reading, Workers: o.Workers, Memory: o.Memory})
	if err != nil {
		return nil, err
	}
	mail.documents = slices.Clone(c.documents)
	for i, result := range results {
		d := &mail.documents[members[i].Index]
		switch {
		case result.err != nil:
			return nil, fmt.Errorf("read again: %w", result.err)
		case result.SplitKey != d.SplitKey:
			return nil, fmt.Errorf("read again: %s has changed since it was first read", mail.items[i].Origin)
		}
		d.Terms, d.item = result.Terms, int32(i)
	}
	w.Mail, w.Options.Reading = &mail, o.Reading
	return w.Select(members)
}

// Dataset returns the documents of one part as a matrix (documents x terms) of the given kind.
func (c *Collection) Dataset(part corpus.Part, kind features.Kind) *features.Dataset {
	messages := c.InPart(part)
	documents, labels := c.rows(messages)
	d := c.termsOf(kind).Dataset(kind, c.Classes, documents, labels, c.Options.Workers)
	d.Confirmed = make([]bool, len(messages))
	for n, i := range messages {
		d.Confirmed[n] = c.documents[i].Confirmed
	}
	return d
}

// DatasetFor returns all messages as a matrix (documents x terms) over the vocabulary of f, with one goroutine for each core if workers is 0.
func (m *Mail) DatasetFor(f *filter.Filter, workers int) *features.Dataset {
	documents, labels := m.rows(m.All())
	workers = parallel.Workers(workers)
	return m.store.As(f.Kind()).Index(f.Vocabulary(), workers).Dataset(f.Kind(), f.Settings().Classes, documents, labels, workers)
}

// Dataset returns all messages as a matrix (documents x terms) of the given kind, over the vocabulary of all of them.
func (m *Mail) Dataset(kind features.Kind) (*features.Dataset, error) {
	documents, labels := m.rows(m.All())
	v := vocabularyOf(m.store.As(kind), documents, features.DefaultOptions(), 1)
	return v.Dataset(kind, m.Classes, documents, labels, 1), v.err
}

// All returns the numbers of all messages.
func (m *Mail) All() []int { return indices.Below[int](m.Len()) }

// rows returns the documents of some messages, with their labels.
func (m *Mail) rows(messages []int) (documents []features.Ref, labels []int32) {
	for _, i := range messages {
		documents, labels = append(documents, m.documents[i].Terms), append(labels, int32(m.documents[i].Label))
	}
	return documents, labels
}
