package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"

	"chaff/internal/logfile"
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
	// Origin is the short name of who taught it, at most [MaxOrigin] bytes; empty for the owner of the log.
	Origin string
	// Shared is whether the entry has its place in the stream of the hosts that share: then Learned and Origin are those of the stream.
	Shared bool

	what op    // what the log says of the message: learn or forget
	at   int64 // where its record is
}

// MaxOrigin is the most bytes of an origin.
const MaxOrigin = 8

// hundredths returns a doubt as an entry has it.
func hundredths(doubt float64) uint8 { return uint8(min(math.Round(100*doubt), math.MaxUint8)) }

// The size of the fixed part of an entry in files.
const entrySize = logfile.EntrySize

func appendEntry(dst []byte, e Entry) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, e.Fingerprint)
	dst = le.AppendUint64(dst, e.SplitKey)
	for _, t := range [...]time.Time{e.Time, e.Learned} {
		seconds := int64(noTime)
		if !t.IsZero() {
			seconds = t.Unix()
		}
		dst = le.AppendUint64(dst, uint64(seconds))
	}
	dst = le.AppendUint64(dst, math.Float64bits(e.Score))
	dst = le.AppendUint64(dst, uint64(e.Repairs))
	dst = le.AppendUint32(dst, uint32(e.Size))
	dst = le.AppendUint32(dst, uint32(int32(e.Label)))
	dst = le.AppendUint32(dst, uint32(int32(e.Class)))
	dst = append(dst, byte(e.Way), flag(e.Relabelled)|flag(e.Shared)<<1, flag(e.Confirmed), e.Doubt)
	var origin [MaxOrigin]byte
	copy(origin[:], e.Origin)
	return append(dst, origin[:]...)
}

func flag(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// readEntry reads the fixed part of an entry. data has entrySize bytes.
func readEntry(data []byte) (e Entry) {
	le := binary.LittleEndian
	e.Fingerprint, e.SplitKey = le.Uint64(data), le.Uint64(data[8:])
	e.Time, e.Learned = timeOf(int64(le.Uint64(data[16:]))), timeOf(int64(le.Uint64(data[24:])))
	e.Score = math.Float64frombits(le.Uint64(data[32:]))
	e.Repairs = message.Repairs(le.Uint64(data[40:]))
	e.Size, e.Label, e.Class = int(le.Uint32(data[48:])), int(int32(le.Uint32(data[52:]))), int(int32(le.Uint32(data[56:])))
	e.Way, e.Relabelled, e.Confirmed, e.Doubt = Way(data[60]), data[61]&1 != 0, data[62] != 0, data[63]
	e.Shared = data[61]&2 != 0
	e.Origin = string(bytes.TrimRight(data[64:entrySize], "\x00"))
	return e
}

// fits reports whether an entry is of a log with so many classes. The class that a filter gave the message is -1 for none.
func (e Entry) fits(classes int) bool {
	return e.Label >= 0 && e.Label < classes && e.Class < classes && hasYear(e.Learned)
}

// hasYear reports whether the year of a time has four digits, as that of every time in JSON must.
func hasYear(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

const noTime = math.MinInt64

func timeOf(seconds int64) time.Time {
	if seconds == noTime {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// op is what a record of the log says.
type op uint8

// The numbers in files.
const (
	learn  op = iota + 1 // a message was learned, or learned as one of another class
	forget               // it was forgotten
	refuse               // a message was refused: earlier programs wrote that
	see                  // the files of a mailbox were seen
	trust                // a message was not learned, because the filter was right and sure of it: they wrote that, too
	terms                // the terms of the messages that follow, some of them
	stand                // how far the log has followed a stream of hosts
)

func (e Entry) record() logfile.Record {
	r := logfile.Record{Op: uint8(e.what), Key: e.Fingerprint}
	appendEntry(r.Entry[:0], e)
	return r
}

func entryOf(r logfile.Record) Entry {
	e := readEntry(r.Entry[:])
	e.what, e.at = op(r.Op), r.At
	return e
}

// isJudged reports whether the filter judged a message before it was learned, or instead.
func (e Entry) isJudged() bool { return e.what != forget && !math.IsNaN(e.Score) && e.Class >= 0 }
