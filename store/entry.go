package store

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"chaff/features"
	"chaff/internal/evidence"
	"chaff/internal/littleendian"
	"chaff/message"
	"chaff/train"
)

// Way is how a message was learned.
type Way uint8

// The ways, in the order of their numbers in files.
const (
	ByTraining Way = iota // chaff train
	ByHand                // chaff learn, one message or many, and chaff-learn
	ByMaildir             // chaff learn --maildir, chaff watch and chaff imap --learn
	ByServer              // chaff serve
	ByImport              // a document that stands for counts of another filter, which older programs imported
	ways
)

// String returns the name of a way.
func (w Way) String() string {
	return [ways + 1]string{"training", "by hand", "mailbox", "server", "import", "unknown"}[min(w, ways)]
}

// Entry is a message of the ledger.
type Entry struct {
	train.Entry
	// Learned is when the message was learned, in whole seconds.
	Learned time.Time
	Way     Way
	// Score is the score of the message before it was learned, and Class the class that the filter gave it; NaN and -1 after training.
	Score float64
	Class int
	// Relabelled is whether the message was learned as one of another class before.
	Relabelled bool
	// Doubt is [metrics.Typical.Doubt] of the label in hundredths, at the last fit or when the message was learned since; 0 for a label that is
	// not doubtful.
	Doubt uint8
}

// hundredths returns a doubt as an entry has it.
func hundredths(doubt float64) uint8 { return uint8(min(math.Round(100*doubt), math.MaxUint8)) }

// The size of the fixed part of an entry in files.
const entrySize = 72

// appendEntry appends the fixed part of an entry:
//
//	u64 fingerprint, u64 split key, i64 delivery time (the least number for none), i64 time of learning, both in seconds,
//	f64 score, u64 repairs, u32 size, i32 label, i32 class, u8 way, u8 relabelled, u8 confirmed, u8 doubt, u64 for the caller
func appendEntry(dst []byte, e Entry, extra uint64) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, e.Fingerprint)
	dst = le.AppendUint64(dst, e.SplitKey)
	dst = le.AppendUint64(dst, uint64(secondsOf(e.Time)))
	dst = le.AppendUint64(dst, uint64(secondsOf(e.Learned)))
	dst = le.AppendUint64(dst, math.Float64bits(e.Score))
	dst = le.AppendUint64(dst, uint64(e.Repairs))
	dst = le.AppendUint32(dst, uint32(e.Size))
	dst = le.AppendUint32(dst, uint32(int32(e.Label)))
	dst = le.AppendUint32(dst, uint32(int32(e.Class)))
	dst = append(dst, byte(e.Way), flag(e.Relabelled), flag(e.Confirmed), e.Doubt)
	return le.AppendUint64(dst, extra)
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// readEntry reads the fixed part of an entry. data has entrySize bytes.
func readEntry(data []byte) (e Entry, extra uint64) {
	le := binary.LittleEndian
	e.Fingerprint, e.SplitKey = le.Uint64(data), le.Uint64(data[8:])
	e.Time, e.Learned = timeOf(int64(le.Uint64(data[16:]))), timeOf(int64(le.Uint64(data[24:])))
	e.Score = math.Float64frombits(le.Uint64(data[32:]))
	e.Repairs = message.Repairs(le.Uint64(data[40:]))
	e.Size, e.Label, e.Class = int(le.Uint32(data[48:])), int(int32(le.Uint32(data[52:]))), int(int32(le.Uint32(data[56:])))
	e.Way, e.Relabelled, e.Confirmed, e.Doubt = Way(data[60]), data[61] != 0, data[62] != 0, data[63]
	return e, le.Uint64(data[64:])
}

// fits reports whether an entry is of a store with so many classes. The class that a filter gave the message is -1 for none.
func (e Entry) fits(classes int) bool { return e.Label >= 0 && e.Label < classes && e.Class < classes }

const noTime = math.MinInt64

func secondsOf(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.Unix()
}

func timeOf(seconds int64) time.Time {
	if seconds == noTime {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// change is what a record of the journal does to the ledger.
type change uint8

const (
	learn  change = iota + 1 // add the entry, or replace the one with the same fingerprint
	forget                   // remove the entry with the fingerprint
	refuse                   // count a refusal
	see                      // note files of a mailbox
	trust                    // note a message that was not learned, because the filter was right and sure of it
)

// meta is the part of a journal record that only the ledger reads.
type meta struct {
	change change
	reason Reason // of a refusal
	entry  Entry  // Terms and Sketch are not set
	sketch []byte // see [train.AppendSketch]
	// document is the document of a learned message, with 64-bit hashes, and texts has the texts of the terms that the vocabulary of the
	// model did not have, by index; nil for others.
	document features.Document
	texts    [][]byte
}

var errMeta = errors.New("damaged record")

// appendMeta appends a meta:
//
//	u8 change, u8 reason, 6 zero bytes, the fixed entry, u32 fingerprints of the sketch, u32 terms, u32 cells, u32 zero,
//	the fingerprints u64, hashes u64, groups u8, then in varints for each term: its count doubled, plus 1 if it is in the head;
//	the length of its text plus 1, or 0 without, and the text; and the distances of the cells
func appendMeta(dst []byte, m *meta) []byte {
	le := binary.LittleEndian
	dst = append(dst, byte(m.change), byte(m.reason), 0, 0, 0, 0, 0, 0)
	dst = appendEntry(dst, m.entry, 0)
	d := &m.document
	for _, n := range []int{len(m.sketch) / 8, len(d.Terms), len(d.Cells), 0} {
		dst = le.AppendUint32(dst, uint32(n))
	}
	dst = littleendian.Append(append(dst, m.sketch...), d.Terms)
	for _, g := range d.Groups {
		dst = append(dst, byte(g))
	}
	for i, count := range d.Counts {
		head := uint64(0)
		if d.InHead[i] {
			head = 1
		}
		dst = binary.AppendUvarint(dst, uint64(count)<<1|head)
		if text := m.texts[i]; text != nil {
			dst = append(binary.AppendUvarint(dst, uint64(len(text))+1), text...)
		} else {
			dst = append(dst, 0)
		}
	}
	last := uint32(0)
	for _, cell := range d.Cells {
		dst = binary.AppendUvarint(dst, uint64(cell-last))
		last = cell
	}
	return dst
}

// metaHead is the size of a meta before its lists.
const metaHead = 8 + entrySize + 16

// changeOf returns the change of a meta, or 0 for an empty one.
func changeOf(data []byte) change {
	if len(data) == 0 {
		return 0
	}
	return change(data[0])
}

// tagOf returns the tag and the key of the record of a meta: the change with the label of the message, and the fingerprint.
func tagOf(meta []byte) (tag uint32, fingerprint uint64) {
	what := changeOf(meta)
	if what != learn && what != forget && what != trust {
		return uint32(what), 0
	}
	e, _ := readEntry(meta[8:])
	return uint32(what) | uint32(e.Label)<<8, e.Fingerprint
}

// splitTag returns the change and the label of a tag.
func splitTag(tag uint32) (change, int) { return change(tag), int(tag >> 8) }

// readMeta reads a meta. Texts and sketch share data.
func readMeta(data []byte) (*meta, error) {
	if len(data) < metaHead {
		return nil, errMeta
	}
	le := binary.LittleEndian
	m := &meta{change: change(data[0]), reason: Reason(data[1])}
	m.entry, _ = readEntry(data[8:])
	sizes := data[8+entrySize:]
	sketch, terms, cells := int(le.Uint32(sizes)), int(le.Uint32(sizes[4:])), int(le.Uint32(sizes[8:]))
	data = data[metaHead:]
	if sketch < 0 || terms < 0 || cells < 0 || 8*int64(sketch)+9*int64(terms)+int64(cells) > int64(len(data)) {
		return nil, errMeta
	}
	m.sketch, data = data[:8*sketch], data[8*sketch:]
	d := &m.document
	d.Terms = make([]uint64, terms)
	for i := range d.Terms {
		d.Terms[i], data = le.Uint64(data), data[8:]
	}
	d.Groups = make([]evidence.Group, terms)
	for i := range d.Groups {
		if d.Groups[i] = evidence.Group(data[i]); d.Groups[i] >= evidence.Groups {
			return nil, errMeta
		}
	}
	r := varints{data: data[terms:]}
	d.Counts, d.InHead, m.texts = make([]uint32, terms), make([]bool, terms), make([][]byte, terms)
	for i := range terms {
		n := r.next(math.MaxUint32 << 1)
		d.Counts[i], d.InHead[i] = uint32(n>>1), n&1 != 0
		if length := r.next(uint64(len(r.data)) + 1); length > 0 {
			m.texts[i] = r.bytes(int(length - 1))
		}
	}
	d.Cells = make([]uint32, cells)
	last := uint64(0)
	for i := range d.Cells {
		last += r.next(features.CellCount)
		if last >= features.CellCount {
			r.failed = true
		}
		d.Cells[i] = uint32(last)
	}
	if r.failed {
		return nil, errMeta
	}
	return m, nil
}

// varints reads numbers and bytes. After a failure it returns zeros.
type varints struct {
	data   []byte
	failed bool
}

// next returns the next number, which is at most limit.
func (r *varints) next(limit uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if r.failed || size <= 0 || n > limit {
		r.failed = true
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *varints) bytes(n int) []byte {
	if r.failed || n > len(r.data) {
		r.failed = true
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}
