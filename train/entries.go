package train

import (
	"errors"
	"fmt"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/message"
)

// Entry is what is kept of a message so that models can be fitted to it without the message.
type Entry struct {
	// Terms is the document of the message.
	Terms features.Ref
	// Label is its class.
	Label int
	// Fingerprint is [corpus.Fingerprint] and SplitKey [corpus.SplitKey] of the message.
	Fingerprint, SplitKey uint64
	// Sketch is the sketch of its text, kept with the documents as [AppendSketch] appends it; see [corpus.Sketcher].
	Sketch features.Ref
	// Time is the time of delivery, or zero if it is unknown.
	Time time.Time
	// Repairs is what decoding repaired.
	Repairs message.Repairs
	// Size is the number of its bytes.
	Size int
	// Confirmed is whether a person has confirmed that the label is right. It counts fully then, and is never doubted.
	Confirmed bool
}

// Entries returns the messages of m, which was read with [ReadOptions.Ledger] or [CollectOptions.Ledger], or made of entries.
func (m *Mail) Entries() []Entry {
	entries := make([]Entry, len(m.documents))
	for i := range entries {
		entries[i] = m.Entry(i)
	}
	return entries
}

// Entry returns message i of [Mail.Entries].
func (m *Mail) Entry(i int) Entry {
	d := m.documents[i]
	return Entry{d.terms, int(d.label), d.fingerprint, d.splitKey, d.sketch, d.time, d.repairs, d.size, d.confirmed}
}

// NewMail returns mail of entries, whose documents are in all. Mail of the entries of other mail gives the same models, byte for byte. The
// bytes of its messages cannot be read again. NewMail panics if a label is none of the classes.
func NewMail(classes []string, all *features.Documents, entries []Entry) *Mail {
	m := &Mail{
		classes: classes, store: all, sketched: true, summary: Summary{Listing: &Listing{Listed: len(entries)}},
		documents: make([]document, len(entries)), items: make([]corpus.Item, len(entries)),
	}
	for i, e := range entries {
		m.items[i] = corpus.Item{Origin: fmt.Sprintf("message %d of the store", i+1), Label: classes[e.Label], Time: e.Time, Content: noContent{}}
		m.documents[i] = document{
			terms: e.Terms, label: int32(e.Label), item: int32(i), fingerprint: e.Fingerprint, splitKey: e.SplitKey, time: e.Time,
			sketch: e.Sketch, repairs: e.Repairs, size: e.Size, confirmed: e.Confirmed,
		}
	}
	m.count()
	m.setRows()
	return m
}

// ErrNoContent is returned for the bytes of a message of which only its [Entry] is kept.
var ErrNoContent = errors.New("the store keeps no texts of messages")

type noContent struct{}

// Append implements [corpus.Content].
func (noContent) Append(dst []byte) ([]byte, error) { return dst, ErrNoContent }
