package mailbox

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync/atomic"

	"chaff/corpus"
	"chaff/filter"
	"chaff/internal/parallel"
	"chaff/message"
	"chaff/store"
)

// LearnOptions configure how a mailbox is compared with a store.
type LearnOptions struct {
	// Workers is the number of goroutines that read messages; 0 means one for each core. It changes no result.
	Workers int
	// Limit is the number of messages of each class to read at most; 0 is no limit. The others are new the next time, too.
	Limit int
	// Progress, if set, is called after each message, from any goroutine, with the number of messages to read.
	Progress func(read, all int)
	// Changed, if set, is called for each change once it is learned.
	Changed func(Change)
}

// Change is a message that the mailbox says something new about.
type Change struct {
	// Path is the file, and Folder the name of the mail folder.
	Path   string `json:"path"`
	Folder string `json:"folder"`
	// Label is what the folder says, and Before the label that the message had, if it was known.
	Label  string `json:"label"`
	Before string `json:"before,omitempty"`
	// Result is what happened to the message, or would happen: learned, relabelled, sure or refused.
	Result store.What `json:"result"`
	// Reason is why it was refused.
	Reason string `json:"reason,omitempty"`
	// Doubt is how much the score of the message speaks against what the folder says, if that is doubtful: see [metrics.Typical.Doubt].
	Doubt float64 `json:"doubt,omitempty"`
	// Fingerprint is the digest by which the store knows the message.
	Fingerprint uint64 `json:"-"`

	file  file
	label int
}

// Read returns the bytes of the message.
func (c Change) Read() ([]byte, error) { return c.file.item.Read(nil) }

// Account is what a mailbox said, and what was learned of it.
type Account struct {
	Messages int `json:"messages"` // in folders of ham and spam
	LeftOut  int `json:"left_out"`
	// Read is the number of messages that were read, since their files are new or have moved.
	Read int `json:"read"`
	// Later is the number of messages that were not read because of the limit.
	Later int `json:"later,omitempty"`
	// Changes are the messages learned, relabelled and refused, and those that the filter was sure of, in the order of the folders.
	Changes []Change `json:"changes"`
	// Ambiguous is the number of messages that are both in a folder of ham and in one of spam, and whose label stays as it is.
	Ambiguous int `json:"in_ham_and_spam"`
	// Silent is the number of new files that say nothing: the ambiguous ones, empty ones, those that are no mail, and those that have moved
	// since they were listed.
	Silent int `json:"say_nothing,omitempty"`
	// NoMail counts the new files that are no mail by kind.
	NoMail message.LeftOut `json:"no_mail,omitempty"`
	// Problems are folders that cannot be read.
	Problems []string `json:"problems,omitempty"`
}

// Count returns the number of changes with a result.
func (a Account) Count(result store.What) int {
	n := 0
	for _, c := range a.Changes {
		if c.Result == result {
			n++
		}
	}
	return n
}

// ErrClasses is returned for a store that does not tell ham from spam.
var ErrClasses = errors.New("the folders of a mailbox say what is ham and what is spam, and the model has other classes")

// knowledge is what a store knows of messages.
type knowledge struct {
	classes   []string
	labels    map[uint64]int            // by fingerprint
	byHand    map[uint64]bool           // by fingerprint: the label was given by hand
	sightings map[uint64]store.Sighting // of the mailbox when it was last compared, by name
	nameHash  func(name string) uint64
	// fingerprint returns the digest by which the store knows a message.
	fingerprint func(raw []byte) uint64
}

// known is a store, or a view of one.
type known interface {
	Classes() []string
	NameHash(name string) uint64
	Fingerprint(raw []byte) uint64
	Sightings(mailbox uint64) (map[uint64]store.Sighting, error)
}

func (m *Mailbox) knowledge(s known, entries []store.Entry) (knowledge, error) {
	k := knowledge{classes: s.Classes(), labels: make(map[uint64]int, len(entries)), byHand: map[uint64]bool{}, nameHash: s.NameHash, fingerprint: s.Fingerprint}
	if !filter.IsSpamFilter(k.classes) {
		return k, ErrClasses
	}
	for _, e := range entries {
		k.labels[e.Fingerprint] = e.Label
		if e.Way == store.ByHand {
			k.byHand[e.Fingerprint] = true
		}
	}
	var err error
	k.sightings, err = s.Sightings(s.NameHash(m.id))
	return k, err
}

// comparison is a mailbox beside a store.
type comparison struct {
	account Account
	knowledge
	seen map[uint64]store.Sighting // the files that were read, and need not be read again
}

// Preview returns what Learn would do. What the filter is sure of counts as learned.
func (m *Mailbox) Preview(ctx context.Context, v *store.View, o LearnOptions) (Account, error) {
	k, err := m.knowledge(v, v.Entries())
	if err != nil {
		return Account{}, err
	}
	c, err := m.compare(ctx, k, o)
	return c.account, err
}

// Learn learns what the mailbox says that the store does not know. It does not read a file again whose name it saw with the same label.
// The error is about the store or comes from ctx; what was learned before it stays learned.
func (m *Mailbox) Learn(ctx context.Context, s *store.Store, o LearnOptions) (Account, error) {
	entries, err := s.Entries()
	if err != nil {
		return Account{}, err
	}
	k, err := m.knowledge(s, entries)
	if err != nil {
		return Account{}, err
	}
	c, err := m.compare(ctx, k, o)
	if err != nil {
		return c.account, err
	}
	changes := c.account.Changes
	c.account.Changes = []Change{}
	for _, change := range changes {
		if err = ctx.Err(); err != nil {
			break
		}
		var there bool
		if there, err = change.learn(s); err != nil {
			break
		}
		if !there {
			continue
		}
		if change.Result != store.Refused {
			c.see(change)
		}
		if change.Result == store.Known {
			continue
		}
		c.account.Changes = append(c.account.Changes, change)
		if o.Changed != nil {
			o.Changed(change)
		}
	}
	if gone := c.gone(m); len(c.seen)+len(gone) > 0 {
		err = errors.Join(err, s.See(s.NameHash(m.id), c.seen, gone))
	}
	if err == nil {
		m.setCompared()
	}
	return c.account, err
}

// learn learns one message. A file that is no longer there has moved on since it was listed.
func (c *Change) learn(s *store.Store) (there bool, err error) {
	if c.Result == store.Refused {
		return true, nil
	}
	raw, err := c.file.item.Read(nil)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		c.Result, c.Reason = store.Refused, err.Error()
		return true, nil
	}
	outcome, err := s.Learn(store.Message{Raw: raw, Label: c.Label, Way: store.ByMaildir, Time: c.file.item.Time})
	if err != nil {
		return true, err
	}
	c.Result, c.Before, c.Doubt, c.Fingerprint = outcome.What, outcome.Before, outcome.Doubt, s.Fingerprint(raw)
	if outcome.What == store.Refused {
		c.Reason = outcome.Reason.String()
	}
	return true, nil
}

// compare lists the changes of a mailbox since it was last compared.
func (m *Mailbox) compare(ctx context.Context, k knowledge, o LearnOptions) (comparison, error) {
	c := comparison{account: Account{Changes: []Change{}}, knowledge: k, seen: map[uint64]store.Sighting{}}
	c.account.Messages, c.account.LeftOut = m.Messages()
	c.account.Problems = m.problemTexts()
	news, said := c.news(m)
	if o.Limit > 0 {
		all, read := len(news), map[int]int{}
		news = slices.DeleteFunc(news, func(n Change) bool { read[n.label]++; return read[n.label] > o.Limit })
		c.account.Later = all - len(news)
	}
	if err := readNews(ctx, news, k.fingerprint, o); err != nil {
		return c, err
	}
	c.account.Read = len(news)
	for _, n := range news {
		if n.file.err == nil {
			said[n.Fingerprint] |= 1 << n.label
		}
	}
	saidBefore := map[uint64]int{} // the labels, as bits, that the mailbox gave to its messages the last time
	for _, s := range c.sightings {
		saidBefore[s.Fingerprint] |= 1 << s.Label
	}
	delete(saidBefore, 0)
	ambiguous, taken := map[uint64]bool{}, map[uint64]bool{}
	for _, n := range news {
		before, isKnown := c.labels[n.Fingerprint]
		switch {
		case errors.Is(n.file.err, fs.ErrNotExist), errors.Is(n.file.err, corpus.ErrEmpty):
			c.account.Silent++ // it has moved since it was listed, or is no message
		case c.account.NoMail.Count(n.file.err):
			c.account.Silent++
			c.see(n) // once is enough
		case n.file.err != nil:
			n.Result, n.Reason = store.Refused, n.file.err.Error()
			c.account.Changes = append(c.account.Changes, n)
		case said[n.Fingerprint] == 1<<0|1<<1:
			ambiguous[n.Fingerprint] = true
			c.account.Silent++
		case isKnown && before == n.label, taken[n.Fingerprint], saidBefore[n.Fingerprint]&(1<<n.label) != 0,
			len(c.sightings) == 0 && c.byHand[n.Fingerprint]: // what was said by hand counts until the message moves
			c.see(n)
		default:
			if taken[n.Fingerprint] = true; isKnown {
				n.Result, n.Before = store.Relabelled, c.classes[before]
			}
			c.account.Changes = append(c.account.Changes, n)
		}
	}
	c.account.Ambiguous = len(ambiguous)
	return c, nil
}

// news returns the files that are new or were in a folder of the other label, and the labels, as bits, that all others give to their
// messages.
func (c *comparison) news(m *Mailbox) (news []Change, said map[uint64]int) {
	said = map[uint64]int{}
	for row, files := range m.rows {
		folder := m.plan.Folders[row]
		label := slices.Index(c.classes, folder.Label)
		for _, f := range files {
			if before, isOld := c.sightings[c.nameHash(f.name)]; isOld && before.Label == label {
				said[before.Fingerprint] |= 1 << label
				continue
			}
			news = append(news, Change{
				Path: f.item.Origin, Folder: folder.Name, Label: folder.Label, Result: store.Learned, file: f, label: label,
			})
		}
	}
	delete(said, 0) // of messages that are forgotten
	return news, said
}

// see notes that a file need not be read again as long as its label is the same.
func (c *comparison) see(n Change) {
	c.seen[c.nameHash(n.file.name)] = store.Sighting{Fingerprint: n.Fingerprint, Label: n.label}
}

// gone returns the names that were seen and are no longer in a folder of ham or spam, read or not; none if a folder could not be listed.
func (c *comparison) gone(m *Mailbox) []uint64 {
	if len(m.problems) > 0 {
		return nil
	}
	there := map[uint64]bool{}
	for _, files := range m.rows {
		for _, f := range files {
			there[c.nameHash(f.name)] = true
		}
	}
	for _, names := range m.unread {
		for _, name := range names {
			there[c.nameHash(name)] = true
		}
	}
	return slices.Sorted(func(yield func(uint64) bool) {
		for name := range c.sightings {
			if !there[name] && !yield(name) {
				return
			}
		}
	})
}

// readNews sets the fingerprints of messages.
func readNews(ctx context.Context, news []Change, fingerprint func(raw []byte) uint64, o LearnOptions) error {
	workers := parallel.Workers(o.Workers)
	buffers := make([][]byte, workers)
	var read atomic.Int64
	parallel.Ranges(workers, len(news), 16, func(worker, from, to int) {
		for i := from; i < to && ctx.Err() == nil; i++ {
			n := &news[i]
			if n.file.err == nil {
				buffers[worker], n.file.err = n.file.item.Read(buffers[worker])
			}
			if n.file.err == nil {
				n.Fingerprint = fingerprint(buffers[worker])
			}
			if done := read.Add(1); o.Progress != nil {
				o.Progress(int(done), len(news))
			}
		}
	})
	return ctx.Err()
}
