package filter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/parallel"
	"chaff/message"
)

// Summary tells what became of the messages of a corpus.
type Summary struct {
	// Listed is the number of messages found, Used of those that are neither unreadable nor copies.
	Listed int `json:"listed"`
	Used   int `json:"messages"`
	// Classes are the names of the classes with the number of messages used of each, in the order of the classes.
	Classes []ClassCount `json:"classes"`
	// Parts are the sizes of the parts.
	Train       int `json:"train,omitempty"`
	Development int `json:"development,omitempty"`
	Test        int `json:"test,omitempty"`
	// Duplicates are messages with the same content as an earlier one, left out; Conflicts are those among them that
	// had another label.
	Duplicates int `json:"duplicates"`
	Conflicts  int `json:"conflicting_labels"`
	// Grouped are the messages used whose text is nearly that of another one, and Groups the groups they form. Both are
	// known for a grouped split only.
	Grouped int `json:"near_duplicates,omitempty"`
	Groups  int `json:"near_duplicate_groups,omitempty"`
	// Unreadable are messages that could not be read, left out; Problems says why, of the first few.
	Unreadable int      `json:"unreadable"`
	Problems   []string `json:"problems,omitempty"`
	// Mended are messages that needed repair to be decoded, Cut those of which something was left out at a limit, and
	// Repairs how many messages needed each kind of either.
	Mended  int           `json:"mended"`
	Cut     int           `json:"cut"`
	Repairs []RepairCount `json:"repairs,omitempty"`
	// Terms is the size of the vocabulary.
	Terms int `json:"terms,omitempty"`
	// Bytes is the size of all messages read.
	Bytes int64 `json:"bytes"`
}

// ClassCount is a class and its number of messages.
type ClassCount struct {
	Name     string `json:"class"`
	Messages int    `json:"messages"`
}

// RepairCount is a kind of repair and the number of messages that needed it.
type RepairCount struct {
	Repair   string `json:"repair"`
	Messages int    `json:"messages"`
}

// maxProblems is how many problems a summary quotes: enough to see what is wrong, not a flood.
const maxProblems = 10

// gathered is the messages of a corpus that can be used, each once, in the order of the listing.
type gathered struct {
	classes   []string
	mail      *features.Documents
	documents []document
	items     []corpus.Item // all that were read
	summary   Summary
}

// document is what is kept of one message beside its terms.
type document struct {
	terms    features.Ref
	label    int32
	item     int32  // where the message is, among the items
	splitKey uint64 // its part in a split, [corpus.SplitKey]
	time     time.Time
}

// origin says where the message of a document is.
func (g *gathered) origin(d document) string { return g.items[d.item].Origin }

// gatherOptions say how gather works; workers, memory and progress are as in CollectOptions.
type gatherOptions struct {
	reading  Reading
	sketches bool // of the texts, to find near-duplicates
	copies   bool // keep them
	workers  int
	memory   int64
	progress func(read, all int)
}

// gather lists the messages of source, reads and tokenises them, and keeps those that are neither unreadable nor copies
// of an earlier one. A label that is none of the classes is a problem of its message. It also returns the sketch of each
// document, if they were asked for. The error is that of the context or of the settings, about the temporary file, or
// ErrNoMail.
func gather(ctx context.Context, source corpus.Source, classes []string, o gatherOptions) (*gathered, [][]uint64, error) {
	g := &gathered{classes: classes}
	g.list(source)
	results, err := g.readAll(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	sketches := g.keep(results, o.copies)
	if g.summary.Used == 0 {
		return nil, nil, fmt.Errorf("%w: %d found, %d of them unreadable", ErrNoMail, g.summary.Listed, g.summary.Unreadable)
	}
	return g, sketches, nil
}

// list takes down where the messages are.
func (g *gathered) list(source corpus.Source) {
	for item, err := range source {
		g.summary.Listed++
		if err == nil && !slices.Contains(g.classes, item.Label) {
			err = fmt.Errorf("%s: label %q is none of the classes %q", item.Origin, item.Label, g.classes)
		}
		if err != nil {
			g.summary.unreadable(err)
			continue
		}
		g.items = append(g.items, item)
	}
}

// readResult is what a worker found out about one item.
type readResult struct {
	terms       features.Ref
	fingerprint uint64 // by which copies are found
	splitKey    uint64
	time        time.Time
	sketch      []uint64 // if it was asked for
	repairs     message.Repairs
	size        int
	err         error
}

// readAll reads and tokenises every item, with one reader for each worker. Results are placed by index, and the
// order of a vocabulary follows from its texts whatever message went to which worker, so the number of workers changes nothing.
func (g *gathered) readAll(ctx context.Context, o gatherOptions) ([]readResult, error) {
	workers := parallel.Workers(o.workers)
	results := make([]readResult, len(g.items))
	readers := make([]*reader, workers)
	for w := range readers {
		var err error
		if readers[w], err = newReader(o.reading); err != nil {
			return nil, err
		}
		readers[w].named, readers[w].grams = true, true
	}
	g.mail = features.NewDocuments(o.memory)
	var next, done atomic.Int64
	var large sync.Mutex // is held while a large message is worked on
	parallel.Run(workers, func(w int) {
		var raw []byte
		var sketcher *corpus.Sketcher
		if o.sketches {
			sketcher = new(corpus.Sketcher)
		}
		writer := g.mail.NewWriter()
		defer writer.Close()
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(g.items) {
				return
			}
			raw, results[i] = readers[w].readItem(raw, g.items[i], sketcher, writer, &large)
			if n := done.Add(1); o.progress != nil {
				o.progress(int(n), len(g.items))
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return results, g.mail.Complete()
}

// readItem reads one item into buf, which it returns for the next one. The sketcher may be nil. Large messages are worked on
// one at a time, by who holds the lock, and leave no memory behind.
func (r *reader) readItem(buf []byte, item corpus.Item, sketcher *corpus.Sketcher, writer *features.Writer, large sync.Locker) ([]byte, readResult) {
	raw, err := item.Read(buf)
	if err != nil {
		return keptBuffer(raw), readResult{err: err}
	}
	if len(raw) > corpus.LargeMessageBytes {
		large.Lock()
		defer large.Unlock()
		defer r.forget()
	}
	repairs := r.gather(raw)
	result := readResult{
		terms:       writer.Add(&r.bag),
		fingerprint: corpus.Fingerprint(raw),
		splitKey:    corpus.SplitKey(raw),
		time:        item.Time,
		repairs:     repairs,
		size:        len(raw),
	}
	if result.time.IsZero() {
		result.time, _ = corpus.DeliveryTime(raw)
	}
	if sketcher != nil {
		result.sketch = r.sketch(sketcher)
	}
	return keptBuffer(raw), result
}

// keptBuffer returns the memory that a message was read into, unless it is much.
func keptBuffer(raw []byte) []byte {
	if cap(raw) > 2*corpus.LargeMessageBytes {
		return nil
	}
	return raw
}

// sketch returns the sketch of what a reader sees of the message read last: its subject and its text.
func (r *reader) sketch(s *corpus.Sketcher) []uint64 {
	s.Add(r.message.Get("subject"))
	for i := range r.message.Parts {
		s.Add(r.message.Parts[i].Text)
	}
	return s.Sketch()
}

// keep takes over the messages that can be used, in the order of the listing, and returns their sketches; copies of others
// only if they are wanted.
func (g *gathered) keep(results []readResult, copies bool) (sketches [][]uint64) {
	s := &g.summary
	s.Classes = make([]ClassCount, len(g.classes))
	for k, name := range g.classes {
		s.Classes[k].Name = name
	}
	first := make(map[uint64]int32) // fingerprint -> label of the first message that has it
	repairs := make(map[message.Repair]int)
	for i, r := range results {
		if r.err != nil {
			s.unreadable(r.err)
			continue
		}
		s.Bytes += int64(r.size)
		for kind := range r.repairs.All() {
			repairs[kind]++
		}
		cut := r.repairs.Cut()
		if r.repairs != cut {
			s.Mended++
		}
		if cut != 0 {
			s.Cut++
		}
		label := int32(slices.Index(g.classes, g.items[i].Label))
		if before, seen := first[r.fingerprint]; seen && !copies {
			s.Duplicates++
			if before != label {
				s.Conflicts++
			}
			continue
		}
		first[r.fingerprint] = label
		s.Classes[label].Messages++
		g.documents = append(g.documents, document{r.terms, label, int32(i), r.splitKey, r.time})
		sketches = append(sketches, r.sketch)
	}
	s.Used = len(g.documents)
	for _, kind := range slices.Sorted(maps.Keys(repairs)) {
		s.Repairs = append(s.Repairs, RepairCount{kind.String(), repairs[kind]})
	}
	return sketches
}

// unreadable counts a message that cannot be used, and quotes the first few reasons.
func (s *Summary) unreadable(err error) {
	s.Unreadable++
	if len(s.Problems) < maxProblems {
		s.Problems = append(s.Problems, err.Error())
	}
}
