package store

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"
	"time"

	"github.com/cespare/xxhash/v2"

	"chaff/features"
	"chaff/internal/logfile"
	"chaff/internal/replace"
)

// facts are what a log knows beside its messages, as JSON in a checkpoint.
type facts struct {
	// Options are those that the log was begun, or last fitted, with, for [OpenAsBefore].
	Options Options `json:"options"`
	// Fitted is the time of the last fit in seconds, 0 for none, and FitSeconds the CPU time that it took.
	Fitted     int64   `json:"fitted,omitempty"`
	FitSeconds float64 `json:"fit_cpu_seconds,omitempty"`
	// Terms is the number of terms of the model at the last fit, without those that it left out.
	Terms int `json:"terms"`
	// Changed is how many messages were learned or forgotten since the last fit. Known counts the messages of each class that were known then, and
	// Learned those learned since.
	Changed int   `json:"changed"`
	Known   []int `json:"known"`
	Learned []int `json:"learned"`
	// Expired counts the messages that left because they were the oldest.
	Expired int `json:"expired,omitempty"`
	// Shared is how far the log has followed a stream of hosts; the zero value for none.
	Shared Stand `json:"shared,omitzero"`
}

// add counts what a record says.
func (f *facts) add(r logfile.Record) {
	e := entryOf(r)
	if r.Reason == again {
		return
	}
	switch op(r.Op) {
	case stand:
		f.Shared.take(r)
	case learn:
		f.Changed++
		if e.fits(len(f.Learned)) {
			f.Learned[e.Label]++
		}
	case forget:
		f.Changed++
	}
}

// book is a log that was opened, with what it knows of its newest model.
type book struct {
	names
	file       *os.File
	log        *logfile.Log
	checkpoint logfile.Record
	index      int64            // where the index is in the body of the checkpoint, see [ledger.checkpoint]; 0 before there is one
	tail       []logfile.Record // since the checkpoint
	facts      facts            // with what the tail adds
	end        int64            // where the next record goes
	hashes     []uint64         // of the terms of the log, once a document needed them
}

// openBook reads a log up to its last whole record.
func openBook(file *os.File) (*book, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, replace.Reason(err)
	}
	if info.Size() == 0 { // of a learner that is about to begin, or was killed before it did
		return nil, ErrNone
	}
	b := &book{file: file}
	if b.log, err = logfile.Open(file); err != nil {
		return nil, replace.Reason(err)
	}
	if b.names, err = namesIn(b.log); err != nil {
		return nil, err
	}
	last, _, err := b.log.Last(info.Size())
	if err != nil {
		return nil, err
	}
	b.end = last.End
	model := last.Model
	if last.Op == logfile.Checkpoint {
		model = last.Key
	}
	if err = b.use(model); errors.Is(err, logfile.ErrOtherModel) {
		err = fmt.Errorf("%w: it has no checkpoint", logfile.ErrDamaged)
	}
	if err == nil {
		err = b.log.Verify(last)
	}
	return b, err
}

// use makes b that of the model with an identity: the last checkpoint may be of a model that was never put in place.
func (b *book) use(model uint64) error {
	if b.index > 0 && b.checkpoint.Key == model {
		return nil
	}
	checkpoint, tail, err := b.log.Tail(model, b.end)
	if err != nil {
		return err
	}
	b.checkpoint, b.tail, b.facts = checkpoint, tail, facts{}
	head, err := b.log.BodyPart(checkpoint, 0, checkpointHead)
	if err != nil {
		return err
	}
	size := int64(binary.LittleEndian.Uint32(head))
	b.index = checkpointHead + size + 8
	data, err := b.log.BodyPart(checkpoint, checkpointHead, size+8)
	if err != nil {
		return err
	}
	if xxhash.Sum64(data[:size]) != binary.LittleEndian.Uint64(data[size:]) || json.Unmarshal(data[:size], &b.facts) != nil ||
		len(b.facts.Known) != len(b.Classes) || len(b.facts.Learned) != len(b.Classes) || !hasYear(time.Unix(b.facts.Fitted, 0)) {
		return b.damaged(checkpoint)
	}
	for _, r := range tail {
		b.facts.add(r)
	}
	return nil
}

func (b *book) damaged(r logfile.Record) error {
	return fmt.Errorf("%w: at byte %d", logfile.ErrDamaged, r.At)
}

const (
	// checkpointHead is the size of what precedes the facts in a checkpoint: u32 size of the facts, u32 zero.
	checkpointHead = 8
	// digestSize is the size of a digest in the index of a checkpoint: u64 fingerprint, u64 offset of the newest record of the message.
	digestSize = 16
	// digestBlock is the most digests of a block. A u64 follows them: their xxhash64 plus the number of the block.
	digestBlock = 64
)

// checkpoint returns the body of a checkpoint: the facts behind their size, their xxhash64, and an index of the records of the messages.
func (l *ledger) checkpoint() []byte {
	data, _ := json.Marshal(l.facts) // no error: they are numbers that JSON has
	le := binary.LittleEndian
	body := append(le.AppendUint64(nil, uint64(len(data))), data...)
	body = le.AppendUint64(body, xxhash.Sum64(data))
	known := make([][2]uint64, 0, len(l.entries))
	for _, e := range l.entries {
		if e.what != forget || l.facts.follows() {
			known = append(known, [2]uint64{e.Fingerprint, uint64(e.at)})
		}
	}
	slices.SortFunc(known, func(x, y [2]uint64) int { return cmp.Compare(x[0], y[0]) })
	number := uint64(0)
	for block := range slices.Chunk(known, digestBlock) {
		start := len(body)
		for _, digest := range block {
			body = le.AppendUint64(le.AppendUint64(body, digest[0]), digest[1])
		}
		body = le.AppendUint64(body, xxhash.Sum64(body[start:])+number)
		number++
	}
	return body
}

// indexed returns where the checkpoint says that the record of a message is. It reads and verifies the blocks of the index that it needs.
func (b *book) indexed(fingerprint uint64) (at int64, known bool, err error) {
	le := binary.LittleEndian
	const blockSize = digestSize*digestBlock + 8
	size := b.checkpoint.BodySize() - b.index
	for low, high := int64(0), (size+blockSize-1)/blockSize; low < high; {
		number := (low + high) / 2
		data, err := b.log.BodyPart(b.checkpoint, b.index+number*blockSize, min(blockSize, size-number*blockSize))
		if err != nil {
			return 0, false, err
		}
		n := (len(data) - 8) / digestSize
		if n <= 0 || xxhash.Sum64(data[:n*digestSize])+uint64(number) != le.Uint64(data[n*digestSize:]) {
			return 0, false, b.damaged(b.checkpoint)
		}
		i := sort.Search(n, func(i int) bool { return le.Uint64(data[i*digestSize:]) >= fingerprint })
		switch {
		case i < n && le.Uint64(data[i*digestSize:]) == fingerprint:
			return int64(le.Uint64(data[i*digestSize+8:])), true, nil
		case i == 0:
			high = number
		case i == n:
			low = number + 1
		default:
			return 0, false, nil
		}
	}
	return 0, false, nil
}

// find returns the newest entry of a message; the zero value for one that the log does not have.
func (b *book) find(fingerprint uint64) (e Entry, err error) {
	for _, r := range slices.Backward(b.tail) {
		if what := op(r.Op); r.Key == fingerprint && (what == learn || what == forget) {
			return b.entry(r)
		}
	}
	at, known, err := b.indexed(fingerprint)
	if err != nil || !known {
		return e, err
	}
	r, err := b.record(at)
	if err != nil {
		return e, err
	}
	return b.entry(r)
}

func (b *book) record(at int64) (logfile.Record, error) {
	r, is, err := b.log.At(at, b.end)
	if err == nil && !is {
		err = fmt.Errorf("%w: no record at byte %d", logfile.ErrDamaged, at)
	}
	return r, err
}

func (b *book) entry(r logfile.Record) (Entry, error) {
	e := entryOf(r)
	if !e.fits(len(b.Classes)) || e.Fingerprint != r.Key {
		return e, b.damaged(r)
	}
	return e, nil
}

func (b *book) each(do func(r logfile.Record) error) error {
	end, err := b.log.Each(b.log.Start, b.end, do)
	if err == nil && end != b.end {
		err = fmt.Errorf("%w: at byte %d", logfile.ErrDamaged, end)
	}
	return err
}

// document returns the document of a message that was learned, and if that has its own terms their texts, without those that other records have: it was learned
// since the last fit then.
func (b *book) document(e Entry) (d features.Document, texts [][]byte, err error) {
	r, err := b.record(e.at)
	if err != nil {
		return d, nil, err
	}
	data, own, err := b.body(r)
	if err != nil {
		return d, nil, err
	}
	if own {
		return features.ReadDocument(data)
	}
	if b.hashes == nil {
		err = b.eachTerm(func(hash uint64, _ []byte) error {
			b.hashes = append(b.hashes, hash)
			return nil
		})
		if err != nil {
			return d, nil, err
		}
	}
	d, err = features.SavedDocument(data, b.hashes)
	return d, nil, err
}

// eachTerm calls do with the terms that begin the log.
func (b *book) eachTerm(do func(hash uint64, text []byte) error) error {
	for at := b.log.Start; ; {
		r, is, err := b.log.At(at, b.end)
		if err != nil || !is || op(r.Op) != terms {
			return err
		}
		data, err := b.log.Body(r)
		if err == nil {
			err = features.EachTerm(data, do)
		}
		if err != nil {
			return err
		}
		at = r.End
	}
}

// addDocument adds the document of a record of a learned message.
func (b *book) addDocument(w *features.Writer, r logfile.Record, known *features.Saved) (features.Ref, error) {
	data, own, err := b.body(r)
	if err != nil {
		return 0, err
	}
	if !own {
		return w.AddRecord(data, known)
	}
	d, texts, err := features.ReadDocument(data)
	if err != nil {
		return 0, err
	}
	return w.Add(d, func(i int) []byte { return texts[i] }), nil
}

// appendBody appends the body of a record of a learned message: u32 size of what is skipped, u8 own, 3 zero, what is skipped, which is empty, and the
// document. The first programs with a log had a sketch for near-duplicates there. A document may have its own terms, as [features.ReadDocument] reads them.
func appendBody(dst, document []byte, own bool) []byte {
	return append(append(dst, 0, 0, 0, 0, flag(own), 0, 0, 0), document...)
}

// body reads the body of a record of a learned message, that of the record with the document if this one gives it its place in the stream.
func (b *book) body(r logfile.Record) (document []byte, own bool, err error) {
	data, err := b.log.Body(r)
	if err == nil && r.Reason == again {
		key := r.Key
		if len(data) != 8 {
			return nil, false, b.damaged(r)
		}
		if r, err = b.record(int64(binary.LittleEndian.Uint64(data))); err == nil && (r.Key != key || op(r.Op) != learn || r.Reason == again) {
			err = b.damaged(r)
		}
		if err == nil {
			data, err = b.log.Body(r)
		}
	}
	if err == nil && (len(data) < 8 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-8)) {
		err = b.damaged(r)
	}
	if err != nil {
		return nil, false, err
	}
	return data[8+binary.LittleEndian.Uint32(data):], data[4] != 0, nil
}

// readAll opens and reads the log of the model at path, without documents. It locks nothing. The error names the log.
func readAll(path string) (b *book, l *ledger, err error) {
	defer about(&err, "read "+path+Suffix)
	if b, err = openToRead(path); err != nil {
		return nil, nil, err
	}
	if l, err = b.read(nil); err != nil {
		b.file.Close()
	}
	return b, l, err
}

// reading calls do with the log of the model at path as it is now. It locks nothing. The error names the log.
func reading(path string, do func(b *book) error) (err error) {
	defer about(&err, "read "+path+Suffix)
	b, err := openToRead(path)
	if err != nil {
		return err
	}
	defer b.file.Close()
	return do(b)
}

func openToRead(path string) (*book, error) {
	path, err := replace.Target(path)
	if errors.Is(err, replace.ErrDevice) { // it has no room for a log
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	file, _, err := replace.OpenRegular(path+Suffix, path, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist) && HasEarlier(path):
		return nil, ErrEarlier
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNone
	case err != nil:
		return nil, err
	}
	b, err := openBook(file)
	if err != nil {
		file.Close()
	}
	return b, err
}

// HasEarlier reports whether the model at path has a store of an earlier version, and no log.
func HasEarlier(path string) bool {
	_, noLog := os.Stat(path + Suffix)
	_, noStore := os.Stat(path + earlierSuffix)
	return errors.Is(noLog, os.ErrNotExist) && noStore == nil
}
