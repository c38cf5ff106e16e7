package train

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/filter"
)

// Member is a message of a [Collection], or of mail that is replayed. Experiments that divide mail by rules of their own change and
// choose members.
type Member struct {
	// Index is the number of the message in the mail.
	Index int
	// Origin is the path of the message, or its place in a larger file.
	Origin string
	// SplitKey is [corpus.SplitKey] of the message.
	SplitKey uint64
	// Group is the SplitKey that decides the part of the message in a random split: near-duplicates share a group.
	Group uint64
	// Label is the class of the message, and Part its part of the split.
	Label int
	Part  corpus.Part
}

// Members returns the messages of m in their order, all in the training part.
func (m *Mail) Members() []Member {
	members := make([]Member, len(m.documents))
	for i, d := range m.documents {
		members[i] = Member{Index: i, Origin: m.Origin(i), SplitKey: d.splitKey, Group: d.splitKey, Label: int(d.label)}
	}
	return members
}

// Select returns the messages that members name, in the order given and with the labels given. The error is [ErrNoMail], or names a
// member whose class does not exist.
func (m *Mail) Select(members []Member) (*Mail, error) {
	if len(members) == 0 {
		return nil, ErrNoMail
	}
	s := *m
	s.documents = make([]document, len(members))
	s.summary.Used, s.summary.Classes = len(members), emptyCounts(m.classes)
	for i, member := range members {
		if member.Label < 0 || member.Label >= len(m.classes) {
			return nil, fmt.Errorf("%s is of class %d: there are %d classes", member.Origin, member.Label, len(m.classes))
		}
		s.documents[i] = m.documents[member.Index]
		s.documents[i].label = int32(member.Label)
		s.summary.Classes[member.Label].Messages++
	}
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

// Select returns the messages that members name, in the order given, with the parts and labels given and the vocabulary of their
// training part. It reads no message again. The error is [ErrNoMail] or [ErrOneClass], both about the training part, or names a member
// whose class does not exist.
func (c *Collection) Select(members []Member) (*Collection, error) {
	mail, err := c.Mail.Select(members)
	if err != nil {
		return nil, err
	}
	s := *c
	s.Mail, s.groups, s.parts = mail, make([]uint64, len(members)), make([]corpus.Part, len(members))
	trained := make([]int, len(c.classes))
	for i, m := range members {
		s.groups[i], s.parts[i] = c.groups[m.Index], m.Part
		if m.Part == corpus.Train {
			trained[m.Label]++
		}
	}
	if err := needTwoClasses(c.classes, trained); err != nil {
		return nil, err
	}
	return &s, s.buildVocabulary()
}

// needTwoClasses returns an error unless the training part has messages of two classes.
func needTwoClasses(classes []string, messages []int) error {
	present := 0
	for _, n := range messages {
		if n > 0 {
			present++
		}
	}
	switch present {
	case 0:
		return fmt.Errorf("the training part is empty: %w", ErrNoMail)
	case 1:
		return fmt.Errorf("the training part has one of the classes %s: %w", strings.Join(classes, ", "), ErrOneClass)
	}
	return nil
}

// WithOptions returns c with other options. [Collection.Select] and [Collection.Reread] use Features, Workers and Memory; the other
// options describe how c was read and divided, and stay.
func (c *Collection) WithOptions(o CollectOptions) *Collection {
	w := *c
	w.options.Features, w.options.Workers, w.options.Memory = o.Features, o.Workers, o.Memory
	return &w
}

// WithSeed returns c divided by another seed. It reads no message again.
func (c *Collection) WithSeed(seed uint64) (*Collection, error) {
	s := *c
	s.options.Seed = seed
	return s.withParts(s.split())
}

// withParts returns c divided into other parts.
func (c *Collection) withParts(parts []corpus.Part) (*Collection, error) {
	s := *c
	mail := *c.Mail
	s.Mail, s.parts = &mail, parts
	return &s, s.buildVocabulary()
}

// Reread is Select with the terms that another reading makes of the messages. The error names a message that cannot be read again or has
// changed since it was first read.
func (c *Collection) Reread(ctx context.Context, r filter.Reading, members []Member) (*Collection, error) {
	mail := *c.Mail
	mail.items = make([]corpus.Item, len(members))
	for i, m := range members {
		mail.items[i] = c.items[c.documents[m.Index].item]
	}
	results, err := mail.readAll(ctx, ReadOptions{Reading: r, Workers: c.options.Workers, Memory: c.options.Memory})
	if err != nil {
		return nil, err
	}
	mail.documents, mail.matrices, mail.sketched = slices.Clone(c.documents), &matrices{}, false // the sketches are with the documents of c
	for i, result := range results {
		d := &mail.documents[members[i].Index]
		switch {
		case result.err != nil:
			return nil, fmt.Errorf("read again: %w", result.err)
		case result.splitKey != d.splitKey:
			return nil, fmt.Errorf("read again: %s has changed since it was first read", mail.items[i].Origin)
		}
		d.terms, d.row, d.item = result.terms, int32(i), int32(i)
		mail.matrices.documents = append(mail.matrices.documents, result.terms)
	}
	read := *c
	read.Mail, read.options.Reading = &mail, r
	return read.Select(members)
}
