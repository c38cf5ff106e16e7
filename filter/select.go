package filter

import (
	"errors"
	"fmt"

	"chaff/corpus"
)

// Member is a message of a [Collection] or of [ReplayMail], for experiments that divide mail by rules of their own.
type Member struct {
	// Origin says where the message is.
	Origin string
	// SplitKey decides its part in a split, [corpus.SplitKey].
	SplitKey uint64
	// Label is its class, as an index into the classes of the collection, and Part the part of the split that it is in.
	Label int
	Part  corpus.Part

	index int
}

// Members returns the messages of c, in the order of the listing.
func (c *Collection) Members() []Member {
	members := make([]Member, len(c.documents))
	for i, d := range c.documents {
		members[i] = Member{c.origin(d), d.splitKey, int(d.label), c.parts[i], i}
	}
	return members
}

// Select returns the collection of some members of c, in the order given, each in the part and of the class that it names.
// The vocabulary is that of their training part. No message is read again. The error is [ErrNoMail] or [ErrOneClass], both
// about the training part, or names a member whose class does not exist.
func (c *Collection) Select(members []Member) (*Collection, error) {
	s := *c
	s.gathered = &gathered{classes: c.classes, mail: c.mail, items: c.items, summary: c.summary}
	s.keys = make([]uint64, len(members))
	s.documents = make([]document, len(members))
	parts := make([]corpus.Part, len(members))
	classes := make([]ClassCount, len(c.classes))
	for k, name := range c.classes {
		classes[k].Name = name
	}
	trained := make([]int, len(c.classes))
	for i, m := range members {
		if m.Label < 0 || m.Label >= len(classes) {
			return nil, fmt.Errorf("%s is of class %d: there are %d classes", m.Origin, m.Label, len(classes))
		}
		s.documents[i], s.keys[i], parts[i] = c.documents[m.index], c.keys[m.index], m.Part
		s.documents[i].label = int32(m.Label)
		classes[m.Label].Messages++
		if m.Part == corpus.Train {
			trained[m.Label]++
		}
	}
	if err := enough(c.classes, trained); err != nil {
		return nil, err
	}
	s.summary.Classes, s.summary.Used = classes, len(members)
	if err := s.divide(parts); err != nil {
		return nil, err
	}
	return &s, nil
}

// enough returns what is wrong with so many training messages of each class.
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

// WithSeed returns c divided by another seed, and the vocabulary of its training part then. No message is read again.
func (c *Collection) WithSeed(seed uint64) (*Collection, error) {
	s := *c
	s.options.Seed = seed
	return s.divided(s.split(), s.options.Features)
}

// Verdicts counts the verdicts of f, a spam filter, on a part of c. f may have been trained on other mail.
func (c *Collection) Verdicts(f *Filter, part corpus.Part) (VerdictCounts, error) {
	if !f.isSpamFilter() {
		return VerdictCounts{}, errors.New("only a spam filter has such verdicts")
	}
	d := c.datasetFor(f, part)
	return *f.countVerdicts(f.score(d)), d.Err()
}

// Predictions returns the class of each message of a part of c, in the order of [Collection.Origins], and the one that f
// gives it, both as indices into the classes. f must have been trained on c.
func (c *Collection) Predictions(f *Filter, part corpus.Part) (labels, predictions []int32) {
	s := f.score(c.Dataset(part, f.kind))
	return s.labels, s.predictions
}

// Margins returns the score of spam over ham that f gives each message of a part of c, in the order of [Collection.Origins],
// and whether the message is spam. f must be a spam filter that was trained on c.
func (c *Collection) Margins(f *Filter, part corpus.Part) (scores []float64, spam []bool) {
	s := f.score(c.Dataset(part, f.kind))
	return s.margins(), s.spam()
}

// Members returns the messages of m, in the order of the replay. Their Part means nothing.
func (m *ReplayMail) Members() []Member {
	members := make([]Member, len(m.documents))
	for i, d := range m.documents {
		members[i] = Member{Origin: m.origin(d), SplitKey: d.splitKey, Label: int(d.label), index: i}
	}
	return members
}

// Select returns some members of m, in the order given, each of the class that it names. No message is read again. The error
// is [ErrNoMail], or names a member whose class does not exist.
func (m *ReplayMail) Select(members []Member) (*ReplayMail, error) {
	if len(members) == 0 {
		return nil, ErrNoMail
	}
	s := *m
	s.gathered = &gathered{classes: m.classes, mail: m.mail, items: m.items, summary: m.summary}
	s.documents = make([]document, len(members))
	s.summary.Used, s.summary.Classes = len(members), make([]ClassCount, len(m.classes))
	for k, name := range m.classes {
		s.summary.Classes[k].Name = name
	}
	for i, member := range members {
		if member.Label < 0 || member.Label >= len(m.classes) {
			return nil, fmt.Errorf("%s is of class %d: there are %d classes", member.Origin, member.Label, len(m.classes))
		}
		s.documents[i] = m.documents[member.index]
		s.documents[i].label = int32(member.Label)
		s.summary.Classes[member.Label].Messages++
	}
	s.told = s.options.feedback(len(members))
	return &s, nil
}
