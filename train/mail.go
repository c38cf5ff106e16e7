package train

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/parallel"
	"chaff/internal/termkey"
	"chaff/message"
)

// Listing counts the messages that were found, and those that were left out.
type Listing struct {
	Listed     int             `json:"listed"`                // messages found
	Duplicates int             `json:"duplicates"`            // copies of other messages, which are left out
	Conflicts  int             `json:"conflicting_labels"`    // copies whose label differs
	Unreadable int             `json:"unreadable"`            // messages that could not be read
	Problems   []string        `json:"problems,omitempty"`    // why, of the first few
	NoMail     message.LeftOut `json:"no_mail,omitempty"`     // files that are no mail, by their kind; none of the unreadable ones
	Remarks    []string        `json:"remarks,omitempty"`     // what makes the mail doubtful as it was found, see [corpus.Remark]
	Sampled    int             `json:"sampled_out,omitempty"` // messages that the sample leaves out
}

// Summary counts the messages of a corpus.
type Summary struct {
	*Listing                 // nil in a model file, which depends on the messages used and not on how they were found
	Used        int          `json:"messages"` // messages that are neither unreadable nor copies
	Classes     []ClassCount `json:"classes"`
	Train       int          `json:"train,omitempty"` // the sizes of the parts
	Development int          `json:"development,omitempty"`
	Test        int          `json:"test,omitempty"`
	// Near-duplicates, and the groups that they form. Both are 0 unless the split is grouped.
	Grouped  int           `json:"near_duplicates,omitempty"`
	Groups   int           `json:"near_duplicate_groups,omitempty"`
	Repaired int           `json:"repaired"`           // messages used that decoding repaired
	Cut      int           `json:"cut"`                // those that it cut at a limit
	Repairs  []RepairCount `json:"repairs,omitempty"`  // both by kind
	Terms    int           `json:"terms,omitempty"`    // the size of the vocabulary
	Warnings []string      `json:"warnings,omitempty"` // reasons to doubt what is learned from the mail
	Bytes    int64         `json:"bytes"`              // the size of the messages used
}

// ClassCount is a class and its number of messages.
type ClassCount struct {
	Name     string `json:"class"`
	Messages int    `json:"messages"`
}

// RepairCount is a kind of repair and its number of messages.
type RepairCount struct {
	Repair   string `json:"repair"`
	Messages int    `json:"messages"`
}

// Mail is the usable messages of a corpus, each read, decoded and tokenized once, in the order of the listing. It is read-only.
type Mail struct {
	Classes   []string            // their names
	store     *features.Documents // the terms of all documents
	documents []document
	items     []corpus.Item // all that were read, usable or not; none if only entries are kept
	summary   Summary
}

type document struct {
	Entry
	item int32 // index of the message among the items
}

// sort puts messages in an order that does not depend on the order in which mail is found.
func (m *Mail) sort(messages []int) {
	slices.SortFunc(messages, func(i, j int) int {
		d, e := &m.documents[i], &m.documents[j]
		return cmp.Or(cmp.Compare(d.SplitKey, e.SplitKey), cmp.Compare(d.Fingerprint, e.Fingerprint))
	})
}

func (m *Mail) Summary() Summary               { return m.summary }
func (m *Mail) Len() int                       { return len(m.documents) }
func (m *Mail) Documents() *features.Documents { return m.store }

// Item returns what message i is read from: its origin is a path, or the place in a larger file.
func (m *Mail) Item(i int) corpus.Item {
	at := int(m.documents[i].item)
	if m.items == nil {
		return corpus.Item{Origin: fmt.Sprintf("message %d of the log", at+1)} // without content
	}
	return m.items[at]
}

// ReadOptions configure how mail is read.
type ReadOptions struct {
	Reading filter.Reading
	// Copies keeps copies of messages. Otherwise one is kept: the last that Thunderbird wrote, else the greatest, see [Entry.Compare].
	Copies bool
	// NoGrams leaves out runs of bytes, which only models of [features.Evidence] read.
	NoGrams bool
	// Sample is K to read one in K messages, by the keyed hash of the fingerprint; 0 reads all.
	Sample int
	// Workers is the number of goroutines; 0 means one for each core. It changes no result.
	Workers int
	// Memory is the number of bytes of documents kept in memory; the rest goes to a temporary file. 0 means no limit. It changes no result.
	Memory int64
	// Progress, if set, is called after each message, from any goroutine, with the number of messages read and the total.
	Progress func(read, all int)
}

// Read reads and tokenizes all messages of source, whose labels must be among classes. It leaves out messages that cannot be read, and copies of
// others; Summary counts both. The error is [ErrNoMail], with mail that has no message, comes from the context or the settings, or is about
// the temporary file.
func Read(ctx context.Context, source corpus.Source, classes []string, o ReadOptions) (*Mail, error) {
	m := &Mail{Classes: classes, summary: Summary{Listing: new(Listing)}}
	for item, err := range source {
		if corpus.IsRemark(err) {
			m.summary.Remarks = append(m.summary.Remarks, err.Error())
			continue
		}
		m.summary.Listed++
		if err == nil && !slices.Contains(m.Classes, item.Label) {
			err = fmt.Errorf("%s: label %q is none of the classes %s", item.Origin, item.Label, strings.Join(m.Classes, ", "))
		}
		if err != nil {
			m.summary.unreadable(err)
			continue
		}
		m.items = append(m.items, item)
	}
	results, err := m.readAll(ctx, o)
	if err != nil {
		return nil, err
	}
	m.keep(results, o.Copies)
	ReleaseMemory() // what the readers took
	if m.summary.Used == 0 {
		return m, m.summary.without(ErrNoMail)
	}
	return m, nil
}

// without adds to err, an error about too little mail, what was left out.
func (s *Summary) without(err error) error {
	if s.Conflicts > 0 {
		err = fmt.Errorf("%w; copies left out that have another label: %d", err, s.Conflicts)
	}
	if left := s.NoMail.String(); left != "" {
		err = fmt.Errorf("%w; %s", err, left)
	}
	if s.Unreadable > 0 {
		err = fmt.Errorf("%w; %d could not be read, the first: %s", err, s.Unreadable, s.Problems[0])
	}
	return err
}

// readResult is what a worker found in one item: an entry without its label, or an error.
type readResult struct {
	Entry
	filed time.Time // see [corpus.FilingTime]
	err   error
}

// readAll reads and tokenizes every item, with up to o.Workers workers. Their number changes no result: each result has the index of its item, and
// a vocabulary is sorted by text.
func (m *Mail) readAll(ctx context.Context, o ReadOptions) ([]readResult, error) {
	m.store = features.NewDocuments(o.Memory)
	results, workers := make([]readResult, len(m.items)), make([]worker, parallel.Workers(o.Workers))
	all := &shared{seed: maphash.MakeSeed(), first: make(map[uint64]content)}
	for i := range workers {
		reader, err := filter.NewReader(o.Reading, filter.ReaderOptions{Grams: !o.NoGrams, Names: true})
		if err != nil {
			return nil, err
		}
		workers[i] = worker{o, reader, m.store.NewWriter(), nil, all}
	}
	var done atomic.Int64
	parallel.Ranges(len(workers), len(m.items), 1, func(w, i, _ int) {
		if ctx.Err() != nil {
			return
		}
		if results[i] = workers[w].read(m.items[i]); cap(workers[w].raw) > 2*message.LargeSize {
			workers[w].raw = nil
		}
		if n := done.Add(1); o.Progress != nil {
			o.Progress(int(n), len(m.items))
		}
	})
	for i := range workers {
		workers[i].writer.Close()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return results, m.store.Complete(len(workers))
}

// worker reads one message after the other.
type worker struct {
	options ReadOptions
	reader  *filter.Reader
	writer  *features.Writer
	raw     []byte // the message
	*shared
}

type shared struct {
	large sync.Mutex // held while a large message is read
	mu    sync.Mutex
	seed  maphash.Seed
	first map[uint64]content // by the hash of its bytes
}

// content is what the bytes of a message say.
type content struct {
	terms   features.Ref
	repairs message.Repairs
}

// read reads one item. It reads large messages one at a time and frees their memory. Bytes that were read before are not decoded again.
func (w *worker) read(item corpus.Item) (result readResult) {
	if w.raw, result.err = item.Read(w.raw); result.err != nil {
		return result
	}
	if len(w.raw) > message.LargeSize {
		w.large.Lock()
		defer w.large.Unlock()
		defer w.reader.Forget()
	}
	raw, key := message.Original(w.raw), w.options.Reading.Key
	result.Time, result.Size, result.filed = item.Time, len(raw), corpus.FilingTime(w.raw)
	result.Fingerprint, result.SplitKey = corpus.Hashes(raw, key)
	if !inSample(w.options.Sample, result.Fingerprint, key) {
		result.err = errNotInSample
		return result
	}
	hash := maphash.Bytes(w.seed, raw)
	w.mu.Lock()
	c, isCopy := w.first[hash]
	w.mu.Unlock()
	if !isCopy {
		c.repairs = w.reader.Read(raw)
		c.terms = w.writer.Add(w.reader.Bag.Document(), w.reader.Bag.Text)
		w.mu.Lock()
		w.first[hash] = c
		w.mu.Unlock()
	}
	result.Terms, result.Repairs = c.terms, c.repairs
	if result.Time.IsZero() {
		result.Time = corpus.DeliveryTime(raw)
	}
	return result
}

var errNotInSample = errors.New("not in the sample")

// inSample reports whether one in k messages is the one with a hash: 0 for all. The choice depends on the key, so that nobody else knows which mail is learned.
func inSample(k int, hash uint64, key termkey.Key) bool {
	return k < 2 || key.Hash(binary.LittleEndian.AppendUint64(nil, hash))%uint64(k) == 0
}

// Sample reports of each message whether it is in a sample of one in k groups of near-duplicates.
func (m *Mail) Sample(k int, o corpus.SplitOptions, key termkey.Key) ([]bool, error) {
	groups, _, err := m.groups(o)
	in := make([]bool, len(groups))
	for i, group := range groups {
		in[i] = inSample(k, group, key)
	}
	return in, err
}

// keep keeps the messages that were read. Of copies it keeps the same one wherever they were found.
//
// QUIRK: when Thunderbird moves a message of an IMAP account, the old copy stays in its mbox without a mark until the file is compacted. So the
// copy that Thunderbird wrote last counts.
func (m *Mail) keep(results []readResult, copies bool) {
	s := &m.summary
	best := make(map[uint64]int) // by fingerprint: which copy is kept
	for i := range results {
		r := &results[i]
		switch {
		case errors.Is(r.err, errNotInSample):
			s.Sampled++
			continue
		case r.err != nil:
			s.unreadable(r.err)
			continue
		}
		r.Label = slices.Index(m.Classes, m.items[i].Label)
		k, seen := best[r.Fingerprint]
		if !seen || cmp.Or(r.filed.Compare(results[k].filed), r.Compare(results[k].Entry), m.store.Compare(r.Terms, results[k].Terms)) > 0 {
			best[r.Fingerprint] = i
		}
	}
	m.documents = make([]document, 0, len(results))
	for i, r := range results {
		if r.err != nil {
			continue
		}
		if kept := best[r.Fingerprint]; kept != i && !copies {
			s.Duplicates++
			if results[kept].Label != r.Label {
				s.Conflicts++
			}
			continue
		}
		m.documents = append(m.documents, document{Entry: r.Entry, item: int32(i)})
	}
	m.count()
}

func (m *Mail) count() {
	s := &m.summary
	s.Used, s.Bytes, s.Repaired, s.Cut, s.Repairs, s.Classes = len(m.documents), 0, 0, 0, nil, nil
	for _, name := range m.Classes {
		s.Classes = append(s.Classes, ClassCount{Name: name})
	}
	repairs := make(map[message.Repair]int)
	for _, d := range m.documents {
		s.Bytes += int64(d.Size)
		for kind := range d.Repairs.All() {
			repairs[kind]++
		}
		cut := d.Repairs & message.Cuts
		if d.Repairs != cut {
			s.Repaired++
		}
		if cut != 0 {
			s.Cut++
		}
		s.Classes[d.Label].Messages++
	}
	for _, kind := range slices.Sorted(maps.Keys(repairs)) {
		s.Repairs = append(s.Repairs, RepairCount{kind.String(), repairs[kind]})
	}
}

// FewMessages is the number of messages of a class below which a model has seen little of it.
const FewMessages = 50

// unreadable counts a file that is no mail, or a message that cannot be used, and quotes the first few reasons.
func (s *Summary) unreadable(err error) {
	if s.NoMail.Count(err) {
		return
	}
	const maxProblems = 10
	s.Unreadable++
	if len(s.Problems) < maxProblems {
		s.Problems = append(s.Problems, err.Error())
	}
}

// Entry is what is kept of a message so that models can be fitted to it without the message.
type Entry struct {
	Terms features.Ref // the document of the message
	Label int          // its class
	// Fingerprint and SplitKey are the [corpus.Hashes] of the message.
	Fingerprint, SplitKey uint64
	Time                  time.Time       // the time of delivery, or zero if it is unknown
	Repairs               message.Repairs // what decoding repaired
	Size                  int             // the number of its bytes
	// Confirmed is whether a person has confirmed that the label is right. It counts fully then, and is never doubted.
	Confirmed bool
}

// Compare orders copies of a message that were found in different places. The greatest counts: that with the first class, so that ham wins over spam, and of
// these one that depends on their bytes.
func (e Entry) Compare(other Entry) int {
	return cmp.Or(cmp.Compare(other.Label, e.Label), cmp.Compare(e.SplitKey, other.SplitKey), cmp.Compare(e.Size, other.Size),
		cmp.Compare(e.Repairs, other.Repairs), e.Time.Compare(other.Time))
}

// Entry returns what is kept of message i.
func (m *Mail) Entry(i int) Entry { return m.documents[i].Entry }

// Undated returns how many messages have no time of delivery.
func (m *Mail) Undated() (n int) {
	for i := range m.documents {
		if m.documents[i].Time.IsZero() {
			n++
		}
	}
	return n
}

// NewMail returns mail of entries, see [Mail.Entry], whose documents are in all and whose labels are among the classes. Mail of the entries
// of other mail gives the same models, byte for byte. The bytes of its messages cannot be read again.
func NewMail(classes []string, all *features.Documents, entries []Entry) *Mail {
	m := &Mail{
		Classes: classes, store: all, summary: Summary{Listing: &Listing{Listed: len(entries)}},
		documents: make([]document, len(entries)),
	}
	for i, e := range entries {
		m.documents[i] = document{Entry: e, item: int32(i)}
	}
	m.count()
	return m
}
