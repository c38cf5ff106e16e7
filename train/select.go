package train

import (
	"fmt"

	"chaff/corpus"
)

// Member is a message of a [Collection], or of mail that is replayed, for experiments that divide mail by rules of their own.
type Member struct {
	// Index is the number of the message in the mail.
	Index int
	// Origin says where the message is.
	Origin string
	// SplitKey is [corpus.SplitKey], which decides its part in a split by chance.
	SplitKey uint64
	// Label is its class, and Part the part of the split that it is in.
	Label int
	Part  corpus.Part
}

// Members returns the messages of m in their order. Their Part is the training part.
func (m *Mail) Members() []Member {
	members := make([]Member, len(m.documents))
	for i, d := range m.documents {
		members[i] = Member{Index: i, Origin: m.Origin(i), SplitKey: d.splitKey, Label: int(d.label)}
	}
	return members
}

// Select returns some messages of m, in the order given, each of the class that its member names. The error is [ErrNoMail], or names a
// member whose class does not exist.
func (m *Mail) Select(members []Member) (*Mail, error) {
	if len(members) == 0 {
		return nil, ErrNoMail
	}
	s := *m
	s.documents = make([]document, len(members))
	s.summary.Used, s.summary.Classes = len(members), make([]ClassCount, len(m.classes))
	for k, name := range m.classes {
		s.summary.Classes[k].Name = name
	}
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
		members[i].Part = c.parts[i]
	}
	return members
}

// Select returns the collection of some members of c, in the order given, each in the part and of the class that it names, with the
// vocabulary of their training part. It reads no message again. The error is [ErrNoMail] or [ErrOneClass], both about the training
// part, or names a member whose class does not exist.
func (c *Collection) Select(members []Member) (*Collection, error) {
	trained := make([]int, len(c.classes))
	keys, parts := make([]uint64, len(members)), make([]corpus.Part, len(members))
	for i, m := range members {
		keys[i], parts[i] = c.keys[m.Index], m.Part
		if m.Part == corpus.Train && m.Label >= 0 && m.Label < len(trained) {
			trained[m.Label]++
		}
	}
	mail, err := c.Mail.Select(members)
	if err == nil {
		err = enough(c.classes, trained)
	}
	if err != nil {
		return nil, err
	}
	s := *c
	s.Mail, s.keys = mail, keys
	return &s, s.divide(parts)
}

// enough returns an error unless the training part has messages of two classes.
func enough(classes []string, messages []int) error {
	present, all := 0, 0
	for _, n := range messages {
		if all += n; n > 0 {
			present++
		}
	}
	switch {
	case all == 0:
		return fmt.Errorf("the training part is empty: %w", ErrNoMail)
	case present == 1:
		return fmt.Errorf("the training part has one of the classes %q: %w", classes, ErrOneClass)
	}
	return nil
}

// WithSeed returns c divided by another seed, with the vocabulary of its training part then. It reads no message again.
func (c *Collection) WithSeed(seed uint64) (*Collection, error) {
	s := *c
	s.options.Seed = seed
	return s.Divided(s.split(), s.options.Features)
}
