package mailbox

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/internal/fieldtags"
	"chaff/internal/parallel"
	"chaff/message"
	"chaff/store"
)

// LearnOptions configure how a mailbox is compared with a log.
type LearnOptions struct {
	// Workers is the number of goroutines that read messages; 0 means one for each core. It changes no result.
	Workers int
	// Limit is the number of messages of each class to read at most; 0 is no limit. The others are new the next time, too.
	Limit int
	// Progress, if set, is called after each message, from any goroutine, with the number of messages to read.
	Progress func(read, all int)
	// Filed reports whether the filter has put a message into a folder of spam, as far as that is known; nil is of none.
	Filed func(raw []byte) bool
	Options
}

// Options are the settings of mailboxes.
type Options struct {
	// ReadDays is after how many days ham counts that somebody has read and done nothing else with: people open phishing mail, too, before they
	// recognise it. Mail that was moved, answered, forwarded or flagged counts at once. From 0 to 36500. Default 1.
	ReadDays int `json:"read_days" range:"from 0 to 36500" default:"1"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options { return fieldtags.Default[Options]() }

const day = 24 * time.Hour

// Change is a message that the mailbox says something new about.
type Change struct {
	// Path is the file, and Folder the name of the mail folder.
	Path   string `json:"path"`
	Folder string `json:"folder"`
	// Label is what the folder says, and Before the label that the message had, if it was known.
	Label  string `json:"label"`
	Before string `json:"before,omitempty"`
	// Result is what happened to the message, or would happen: learned, relabelled or refused.
	Result store.What `json:"result"`
	// Reason is why it was refused.
	Reason string `json:"reason,omitempty"`
	// Doubt is how much the score of the message speaks against what the folder says, if that is doubtful: see [metrics.Typical.Doubt].
	Doubt float64 `json:"doubt,omitempty"`
	// Fingerprint is the digest by which the log knows the message.
	Fingerprint uint64 `json:"-"`

	file   sources.File
	label  int
	name   uint64 // of the file, by its hash, as that of the folder
	folder uint64
	// unmarked is whether nobody marks mail of its folder as seen, so that it counts as it stands, as for training.
	unmarked bool
	moved    bool // from another folder
	state    store.SightingState
	since    int64 // when the message was first seen read
}

// Read returns the bytes of the message.
func (c Change) Read() ([]byte, error) { return c.file.Read(nil) }

// Account is what a mailbox said, and what was learned of it.
type Account struct {
	Path     string `json:"path"`     // of the mailbox
	Messages int    `json:"messages"` // in folders of ham and spam
	LeftOut  int    `json:"left_out"`
	// Read is the number of messages that were read, since their files are new or have moved.
	Read int `json:"read"`
	// Later is the number of messages that were not read because of the limit.
	Later int `json:"later,omitempty"`
	// Changes are the messages learned, relabelled and refused, in the order of the folders.
	Changes []Change `json:"changes"`
	// Ambiguous is the number of messages that are both in a folder of ham and in one of spam, and whose label stays as it is.
	Ambiguous int `json:"in_ham_and_spam"`
	// Silent is the number of new files that say nothing: the ambiguous ones, empty ones, those that are no mail, and those that have moved
	// since they were listed.
	Silent int `json:"say_nothing,omitempty"`
	// Waiting is the number of messages of ham that were only read, and do not count yet. Filed is the number of messages in folders of spam that were new
	// when the filter itself called them spam: it may have put them there.
	Waiting int `json:"read_only,omitempty"`
	Filed   int `json:"filed_by_the_filter,omitempty"`
	// TakenBack is the number of messages that were learned since they were read, and forgotten since they were deleted.
	TakenBack int `json:"taken_back,omitempty"`
	// NoMail counts the new files that are no mail by kind.
	NoMail message.LeftOut `json:"no_mail,omitempty"`
	// Problems are folders that cannot be read.
	Problems []string `json:"problems,omitempty"`
}

// Known returns the number of messages that count already.
func (a Account) Known() int {
	return a.Messages - a.Later - len(a.Changes) - a.Silent - a.Waiting - a.Filed
}

// Doubtful returns the changes whose label is doubtful, the worst first.
func (a Account) Doubtful() []Change {
	doubtful := slices.DeleteFunc(slices.Clone(a.Changes), func(c Change) bool { return c.Doubt <= 0 })
	slices.SortStableFunc(doubtful, func(a, b Change) int { return cmp.Compare(b.Doubt, a.Doubt) })
	return doubtful
}

// ErrClasses is returned for a log that does not tell ham from spam.
var ErrClasses = errors.New("the folders of a mailbox say what is ham and what is spam, and the model has other classes")

// known is a log, or a view of one.
type known interface {
	Classes() []string
	NameHash(name string) uint64
	Fingerprint(raw []byte) uint64
	Known(mailbox uint64) ([]store.Entry, map[uint64]store.Sighting, error)
}

// comparison is a mailbox beside a log.
type comparison struct {
	known
	box     *Mailbox
	o       LearnOptions
	isSpam  func(raw []byte) (bool, error) // by the filter
	account Account
	classes []string
	labels  map[uint64]int  // by fingerprint
	byHand  map[uint64]bool // by fingerprint: the label was given by hand
	// sightings has the files, by name, when the mailbox was last compared, and seen those that were read since, and need not be read again.
	sightings, seen map[uint64]store.Sighting
	there           map[uint64]bool   // names of the files in folders of ham and spam, read or not: true if they are where they were then
	folders         map[uint64]bool   // the inboxes, and folders that had mail then: true if some is still there
	arrived         map[[2]uint64]int // how many messages have left one folder and are in another
	// first is whether the mailbox is compared for the first time, of which a limit may make several.
	first bool
}

// renamedSize is how many messages of a folder that has lost all its mail make a new one the same folder under another name. A person may move fewer.
const renamedSize = 5

// unfinished names no file: it is sighted as long as the first comparison has left messages for the next one, for their number or after an error.
const unfinished = 0

// Preview returns what Learn would do.
func (m *Mailbox) Preview(ctx context.Context, v *store.View, o LearnOptions) (Account, error) {
	c, err := m.compare(ctx, v, o, func(raw []byte) (bool, error) { return v.Filter.Classify(raw).Verdict == filter.Spam, nil })
	return c.account, err
}

// Learn learns what the mailbox says that the log does not know. It does not read a file again whose name it saw with the same label.
// The error is about the log or comes from ctx; what was learned before it stays learned.
func (m *Mailbox) Learn(ctx context.Context, s *store.Store, o LearnOptions) (Account, error) {
	c, err := m.compare(ctx, s, o, func(raw []byte) (bool, error) {
		verdict, err := s.Filter().Classify(raw)
		return verdict.Verdict == filter.Spam, err
	})
	if err != nil {
		return c.account, err
	}
	changes := c.account.Changes
	c.account.Changes = []Change{}
	for _, change := range changes {
		there := false
		if err = ctx.Err(); err == nil {
			there, err = change.learn(s)
		}
		if err != nil {
			break
		}
		if there && change.Result != store.Refused {
			c.see(change)
		}
		if there && change.Result != store.Known {
			c.account.Changes = append(c.account.Changes, change)
		}
	}
	gone := c.gone()
	if err == nil {
		err = c.takeBack(s, gone)
	}
	if err != nil { // what was not learned is as new, and moves from the same files, the next time
		if gone = nil; c.first {
			c.seen[unfinished] = store.Sighting{}
		}
	}
	if len(c.seen)+len(gone) > 0 {
		err = cmp.Or(err, s.See(s.NameHash(m.id), c.seen, gone))
	}
	return c.account, err
}

// learn learns one message. A file that is no longer there has moved on since it was listed.
func (c *Change) learn(s *store.Store) (there bool, err error) {
	if c.Result == store.Refused {
		return true, nil
	}
	raw, err := c.file.Read(nil)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		c.Result, c.Reason = store.Refused, err.Error()
		return true, nil
	}
	outcome, err := s.Learn(store.Message{Raw: raw, Label: c.Label, Way: store.ByMaildir, Time: c.file.Time})
	if err != nil {
		return true, err
	}
	c.Result, c.Reason, c.Before, c.Doubt, c.Fingerprint = outcome.What, string(outcome.Reason), outcome.Before, outcome.Doubt, s.Fingerprint(raw)
	return true, nil
}

// compare lists the changes of a mailbox since it was last compared.
func (m *Mailbox) compare(ctx context.Context, log known, o LearnOptions, isSpam func(raw []byte) (bool, error)) (*comparison, error) {
	c := &comparison{
		known: log, box: m, o: o, isSpam: isSpam, account: Account{Path: m.path, Changes: []Change{}}, classes: log.Classes(),
		labels: map[uint64]int{}, byHand: map[uint64]bool{}, there: map[uint64]bool{}, folders: map[uint64]bool{}, arrived: map[[2]uint64]int{},
		seen: map[uint64]store.Sighting{},
	}
	if !filter.IsSpamFilter(c.classes) {
		return c, ErrClasses
	}
	entries, sightings, err := log.Known(log.NameHash(m.id))
	if err != nil {
		return c, err
	}
	c.sightings = sightings
	for _, e := range entries {
		c.labels[e.Fingerprint] = e.Label
		if e.Way == store.ByHand || e.Way == store.ByServer {
			c.byHand[e.Fingerprint] = true
		}
	}
	_, goesOn := c.sightings[unfinished]
	c.first = goesOn || len(c.sightings) == 0
	c.account.Messages, c.account.LeftOut = m.Messages()
	for _, folder := range m.plan.Folders {
		if folder.Unreadable {
			c.account.Problems = append(c.account.Problems, folder.Name+" "+folder.Reason)
		}
	}
	news, said := c.news()
	if o.Limit > 0 {
		all, read := len(news), map[int]int{}
		news = slices.DeleteFunc(news, func(n Change) bool { read[n.label]++; return read[n.label] > o.Limit })
		if c.account.Later = all - len(news); c.first && c.account.Later > 0 {
			c.seen[unfinished] = store.Sighting{}
		}
	}
	if err := c.read(ctx, news); err != nil {
		return c, err
	}
	c.account.Read = len(news)
	files := map[uint64][]uint64{} // the names of those that each message had when the mailbox was last compared
	for name, s := range c.sightings {
		c.folders[s.Folder] = c.folders[s.Folder] || c.there[name]
		if s.Fingerprint != 0 {
			files[s.Fingerprint] = append(files[s.Fingerprint], name)
		}
	}
	for _, n := range news {
		for _, name := range files[n.Fingerprint] {
			if !c.there[name] {
				c.arrived[[2]uint64{c.sightings[name].Folder, n.folder}]++
			}
		}
	}
	for i := range news {
		n := &news[i]
		if n.file.Err == nil {
			if err := c.weigh(n, files[n.Fingerprint]); err != nil {
				return c, err
			}
		}
		if n.file.Err == nil && n.state == store.Said || n.state == store.LearnedAsRead {
			said[n.Fingerprint] |= 1 << n.label
		}
	}
	c.decide(news, said, files)
	return c, nil
}

// decide says of each file that is news what it changes, given what all files of its message say, a bit for each label, and the files that the message
// had when the mailbox was last compared.
func (c *comparison) decide(news []Change, said map[uint64]int, files map[uint64][]uint64) {
	ambiguous, taken := map[uint64]bool{}, map[uint64]bool{}
	silent := func(n Change) {
		if n.unmarked && n.state != store.ReadOnly { // others are left out, or wait
			c.account.Silent++
		}
	}
	for _, n := range news {
		before, isKnown := c.labels[n.Fingerprint]
		saidBefore := slices.ContainsFunc(files[n.Fingerprint], func(name uint64) bool {
			s := c.sightings[name]
			return int(s.Label) == n.label && (s.State == store.Said || s.State == store.LearnedAsRead)
		})
		switch {
		case errors.Is(n.file.Err, fs.ErrNotExist), errors.Is(n.file.Err, corpus.ErrEmpty):
			silent(n) // it has moved since it was listed, or is no message
		case c.account.NoMail.Count(n.file.Err):
			silent(n)
			c.see(n) // once is enough
		case n.file.Err != nil && n.file.Unseen && n.Label == sources.Ham:
		case n.file.Err != nil:
			n.Result, n.Reason = store.Refused, n.file.Err.Error()
			c.account.Changes = append(c.account.Changes, n)
		case said[n.Fingerprint] == 1<<0|1<<1:
			ambiguous[n.Fingerprint] = true
			silent(n)
		case n.state == store.Unread, n.state == store.ReadOnly, n.state == store.Filed:
			c.see(n)
			if n.state == store.Filed && n.unmarked {
				c.account.Filed++
			}
		case isKnown && before == n.label, taken[n.Fingerprint], saidBefore,
			c.byHand[n.Fingerprint] && (c.first || !n.moved): // what was said by hand counts until the message moves
			c.see(n)
		default:
			if taken[n.Fingerprint] = true; isKnown {
				n.Result, n.Before = store.Relabelled, c.classes[before]
			}
			if !n.unmarked { // unread ham that was moved out of a folder of spam counts
				c.account.Messages++
				c.account.LeftOut--
			}
			c.account.Changes = append(c.account.Changes, n)
		}
	}
	c.account.Ambiguous = len(ambiguous)
}

// weigh sets what a file says, given the files that its message had when the mailbox was last compared. If one is still where it was, the message has
// not moved: the sender may have sent it twice. Ham that was only read counts after some days. Spam that the filter itself may have put there says
// nothing until a person moves it: else crafted mail would teach the filter by being filed. A message that has moved between folders was moved by a
// person, and counts at once, except spam that nobody has read. When a mailbox is compared for the first time, it counts as it stands, apart from what
// the filter is known to have put there.
func (c *comparison) weigh(n *Change, before []uint64) error {
	isHam := c.classes[n.label] == string(filter.Ham)
	byPerson := func(s store.Sighting) bool { return isHam || !n.file.Unseen || s.State != store.Unread } // chaff imap moves unread mail to spam
	old, isOld := c.sightings[n.name]
	changedSides := isOld && int(old.Label) != n.label && !c.there[n.name] && byPerson(old) // also of a message that the log has forgotten
	n.moved = changedSides
	renamed := false     // a file that has counted at once
	fromRenamed := false // from a folder that has lost all its mail to one that is new
	_, hadMail := c.folders[n.folder]
	n.since = time.Now().Unix()
	for _, name := range before {
		s := c.sightings[name]
		if !c.there[name] && byPerson(s) {
			changedSides = changedSides || int(s.Label) != n.label
			n.moved = n.moved || s.Folder != n.folder
			renamed = renamed || s.State == store.Said
			fromRenamed = fromRenamed || !hadMail && !c.folders[s.Folder] && c.arrived[[2]uint64{s.Folder, n.folder}] >= renamedSize
		}
		if s.Since != 0 && int(s.Label) == n.label {
			n.since = min(n.since, s.Since)
		}
	}
	read := time.Unix(n.since, 0).Add(time.Duration(c.o.ReadDays) * day)
	switch {
	case isHam && n.file.Unseen && !changedSides && !(c.first && n.unmarked):
		n.state = store.Unread
	case isHam && changedSides && fromRenamed: // nobody has said that all that spam is ham
		n.state = store.Filed
	case changedSides, isHam && (c.first || n.moved || renamed || n.file.Acted || c.o.ReadDays == 0):
		n.state = store.Said
	case isHam && time.Now().Before(read):
		n.state = store.ReadOnly
		c.account.Waiting++
	case isHam:
		n.state = store.LearnedAsRead
	default:
		if label, isKnown := c.labels[n.Fingerprint]; isKnown && label == n.label || n.moved || c.first && c.o.Filed == nil {
			return nil
		}
		filed, err := c.filed(n)
		if filed {
			n.state = store.Filed
		}
		return err
	}
	return nil
}

// filed reports whether the filter may have put a new message into its folder of spam.
func (c *comparison) filed(n *Change) (bool, error) {
	raw, err := n.Read()
	switch {
	case err != nil:
		n.file.Err = err
		return false, nil
	case c.o.Filed != nil && c.o.Filed(raw):
		return true, nil
	case c.first:
		return false, nil
	}
	return c.isSpam(raw)
}

// news returns the files that are new or say something else than the last time, and the labels, as bits, that all others give to their
// messages.
func (c *comparison) news() (news []Change, said map[uint64]int) {
	said = map[uint64]int{}
	for _, row := range c.box.plan.Folders {
		folder := c.NameHash(row.Name)
		if row.Incoming { // which may have been empty
			c.folders[folder] = true
		}
		for _, f := range row.Files {
			number := slices.Index(c.classes, f.Label)
			name := c.NameHash(f.Name)
			before, isOld := c.sightings[name]
			isSame := isOld && int(before.Label) == number
			c.there[name] = c.there[name] || isSame && before.Folder == folder
			if isSame {
				age := time.Since(time.Unix(before.Since, 0))
				switch same := before.Folder == folder; {
				case before.State == store.Said, before.State == store.LearnedAsRead:
					said[before.Fingerprint] |= 1 << number
					continue
				case same && before.State == store.Unread && f.Unseen:
					continue
				case same && before.State == store.Filed:
					if !row.Unseen {
						c.account.Filed++
					}
					continue
				case same && before.State == store.ReadOnly && !f.Unseen && !f.Acted && age >= 0 && age < time.Duration(c.o.ReadDays)*day: // below 0, the clock was ahead
					c.account.Waiting++
					continue
				}
			}
			news = append(news, Change{Path: f.Origin, Folder: row.Name, Label: f.Label, Result: store.Learned, file: f, label: number, name: name, folder: folder, unmarked: !row.Unseen})
		}
	}
	return news, said
}

// see notes that a file need not be read again as long as it says the same.
func (c *comparison) see(n Change) {
	s := store.Sighting{Fingerprint: n.Fingerprint, Label: int32(n.label), Folder: n.folder, State: n.state}
	if s.State == store.ReadOnly || s.State == store.LearnedAsRead {
		s.Since = n.since
	}
	c.seen[n.name] = s
}

// takeBack forgets messages that were learned because they were read, if they were deleted or thrown away soon after.
func (c *comparison) takeBack(s *store.Store, gone []uint64) error {
	const takenBackDays = 7 // after ham was first seen read, it is no longer forgotten when it is deleted
	there := map[uint64]bool{}
	keep := func(file store.Sighting) { // a copy that nobody has read keeps nothing: the sender may have sent it
		if file.State != store.Unread && file.State != store.Filed {
			there[file.Fingerprint] = true
		}
	}
	for name, file := range c.sightings {
		if _, isGone := slices.BinarySearch(gone, name); !isGone {
			keep(file)
		}
	}
	for _, file := range c.seen {
		keep(file)
	}
	for _, name := range gone {
		file := c.sightings[name]
		if file.State != store.LearnedAsRead || there[file.Fingerprint] || c.byHand[file.Fingerprint] || time.Since(time.Unix(file.Since, 0)) > takenBackDays*day {
			continue
		}
		outcome, err := s.ForgetKnown(file.Fingerprint)
		if err != nil {
			return err
		}
		if outcome.What == store.Forgotten {
			c.account.TakenBack++
		}
	}
	return nil
}

// gone returns the names that were seen and are no longer there: of no file if a folder could not be listed, and none if not all messages were read, since
// one of these may have moved.
func (c *comparison) gone() []uint64 {
	if c.account.Later > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.sightings)), func(name uint64) bool {
		_, isThere := c.there[name]
		return isThere || len(c.account.Problems) > 0 && name != unfinished
	})
}

// read sets the fingerprints of messages.
func (c *comparison) read(ctx context.Context, news []Change) error {
	workers := parallel.Workers(c.o.Workers)
	buffers := make([][]byte, workers)
	var read atomic.Int64
	parallel.Ranges(workers, len(news), 16, func(worker, from, to int) {
		for i := from; i < to && ctx.Err() == nil; i++ {
			n := &news[i]
			if n.file.Err == nil {
				buffers[worker], n.file.Err = n.file.Read(buffers[worker])
			}
			if n.file.Err == nil {
				n.Fingerprint = c.Fingerprint(buffers[worker])
			}
			if done := read.Add(1); c.o.Progress != nil {
				c.o.Progress(int(done), len(news))
			}
		}
	})
	return ctx.Err()
}
