package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/cespare/xxhash/v2"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/evidence"
	"chaff/internal/hint"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/internal/termkey"
	"chaff/models"
	"chaff/tokenize"
	"chaff/train"
)

// This file reads what programs up to November 2026 kept beside a model: FILE.store of format 3, a base with a journal behind it, of a model FILE of format 8.
// It is read once, and turned into a log. Nothing writes it any more; `git show 1fc1223:docs/formats.md` describes it byte by byte.

// earlierSuffix is appended to the path of a model to name its store of an earlier version.
const earlierSuffix = ".store"

// Reasons for what is done with a store of an earlier version.
var (
	// ErrEarlier is returned for a model whose store of an earlier version was not turned into a log yet.
	ErrEarlier = hint.With(errors.New("it has a store of an earlier version"), "chaff retrain turns it into a log, which nothing is lost by")
	errTurned  = errors.New("the log was made of the store of an earlier version")
)

// convert turns the store of the model at path into a log, and makes the model anew. The store goes once both are in place.
func convert(ctx context.Context, path string) error {
	file, err := lockFile(ctx, path, earlierSuffix, lockWait)
	if errors.Is(err, os.ErrNotExist) { // somebody else has turned it
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	l, err := readEarlier(path, file)
	if err != nil {
		return fmt.Errorf("read %s: %w", path+earlierSuffix, err)
	}
	f, _, err := l.make(ctx, RetrainOptions{}, time.Now())
	if err != nil {
		return err
	}
	err = save(ctx, path, f, l, false, func(target string) error {
		if hasBytes(target + Suffix) {
			return ErrLearned
		}
		return nil
	})
	if err != nil {
		return err
	}
	return replace.Reason(replace.Remove(path + earlierSuffix))
}

// earlier is a container of an earlier version.
func earlier(magic string, version uint32) sections.Format {
	return sections.Format{
		Magic: magic, Version: version,
		ErrForeign: logfile.ErrNotLog, ErrTruncated: logfile.ErrTruncated, ErrDamaged: logfile.ErrDamaged, ErrVersion: logfile.ErrVersion,
	}
}

// readEarlier reads a store of format 3 and the settings of its model.
func readEarlier(path string, file *os.File) (*ledger, error) {
	base, err := earlier("\x89CHSTO\r\n", 3).Open(file, -1)
	if err != nil {
		return nil, err
	}
	journal, err := io.ReadAll(io.NewSectionReader(file, base.Size, math.MaxInt64-base.Size))
	if err != nil {
		return nil, replace.Reason(err)
	}
	if len(journal) < journalHead {
		return nil, logfile.ErrTruncated
	}
	r, err := earlierRecipe(path, binary.LittleEndian.Uint64(journal[8:]))
	if err != nil {
		return nil, fmt.Errorf("its model: %w", err)
	}
	l := newLedger(r, facts{}, features.NewDocuments(0))
	w := l.documents.NewWriter()
	defer w.Close()
	if err = l.readBase(base, w); err == nil {
		err = l.readJournal(journal, w)
	}
	return l, cmp.Or(err, l.documents.Err())
}

// earlierRecipe returns the recipe of the model with this identity, which is at path, or beside it after a crash. A trainer or a setting that is gone leaves the
// default.
func earlierRecipe(path string, identity uint64) (r recipe, err error) {
	var model *sections.Reader
	for _, name := range [...]string{path, path + ".next"} {
		file, _, failed := replace.OpenRegular(name, "", os.O_RDONLY)
		if failed == nil {
			defer file.Close()
			model, failed = earlier("\x89CHAFF\r\n", 8).Open(file, -1)
		}
		if failed == nil && model.Identity == identity {
			err = nil
			break
		}
		err = cmp.Or(err, failed, fmt.Errorf("%w: the store is of another model", logfile.ErrDamaged))
	}
	if err != nil {
		return r, err
	}
	key, err1 := model.Section("HKEY")
	data, err2 := model.Section("SETT")
	info, err3 := model.Section("INFO")
	if err := errors.Join(err1, err2, err3); err != nil {
		return r, err
	}
	var made struct {
		train.Provenance
		Summary json.RawMessage `json:"corpus"` // of another kind then
	}
	s, known := filter.EarlierSettings(data)
	if s.Key, err = termkey.FromBytes(key); err != nil || json.Unmarshal(info, &made) != nil || !known || len(s.Classes) < 2 {
		return r, fmt.Errorf("%w: its settings", logfile.ErrDamaged)
	}
	s.TermsVersion = tokenize.Version
	r = recipeFrom(s, made.Provenance)
	if models.Gone(r.Model) != nil {
		r.Model, r.Trainer = "votes", json.RawMessage("{}")
	}
	if _, err := models.OptionsFrom(r.Model, r.Trainer); err != nil {
		r.Trainer = json.RawMessage("{}")
	}
	return r, nil
}

// readBase reads the messages of a base.
func (l *ledger) readBase(base *sections.Reader, w *features.Writer) (err error) {
	section := func(name string) *bytesReader {
		data, sectionErr := base.Section(name)
		err = cmp.Or(err, sectionErr)
		return &bytesReader{data: data}
	}
	facts, entries, docs, ends, hashes, groups := section("FACT"), section("MSGS"), section("DOCS"), section("ENDS"), section("HASH"), section("GRPS")
	seen, texts, text := section("SEEN"), make([][]byte, len(groups.data)), new(bytesReader)
	if base.Has("TEXT") {
		text = section("TEXT")
		for i := 0; i < len(texts) && !text.failed; i++ {
			texts[i] = text.take(int(text.uvarint(math.MaxInt32)))
		}
	}
	if err != nil {
		return err
	}
	ok := json.Unmarshal(facts.data, &l.facts) == nil && len(entries.data) == entrySize*len(ends.data)/8 && len(hashes.data) == 8*len(groups.data)
	for from := uint64(0); len(entries.data) > 0 && ok; {
		to := binary.LittleEndian.Uint64(ends.take(8))
		doc, numbers, isDocument := earlierDocument(docs.take(int(to-from)), hashes.data, groups.data)
		if ok = isDocument && !docs.failed; ok {
			ok = l.sayEarlier(learn, entries.take(entrySize), w.Add(doc, func(k int) []byte { return texts[numbers[k]] }))
		}
		from = to
	}
	for len(seen.data) > 8 && ok {
		ok = l.sawEarlier(seen.take(int(min(binary.LittleEndian.Uint64(seen.take(8)), math.MaxInt32))))
	}
	if !ok || text.failed || seen.failed {
		return fmt.Errorf("%w: its sections", logfile.ErrDamaged)
	}
	return nil
}

// sayEarlier enters what is said of a message, and reports whether its entry is of this store. The last number of an entry had another meaning.
func (l *ledger) sayEarlier(what op, entry []byte, terms features.Ref) bool {
	e := readEntry(entry)
	e.what, e.Terms, e.Origin = what, terms, ""
	if !e.fits(len(l.Classes)) {
		return false
	}
	l.say(e)
	return true
}

// earlierDocument reads a document: how many terms, doubled, plus 1 if their numbers have four bytes, and how many cells; the numbers; a bit for each term that
// is in the head; one for each that occurs more than once; how often these do; the cells.
func earlierDocument(record, hashes, groups []byte) (doc features.Document, numbers []uint32, ok bool) {
	r := bytesReader{data: record}
	le := binary.LittleEndian
	header, cells := r.u32(), r.u32()
	n, width, known := int(header/2), 3+int(header%2), map[uint32]bool{}
	for len(numbers) < n && !r.failed {
		number := uint32(0)
		for k, b := range r.take(width)[:width] {
			number |= uint32(b) << (8 * k)
		}
		if uint(number) >= uint(len(groups)) || groups[number] >= byte(evidence.Grams) || known[number] {
			return doc, nil, false
		}
		known[number], numbers = true, append(numbers, number)
	}
	head, repeated := r.take((n+7)/8), r.take((n+7)/8)
	for i := 0; i < n && !r.failed; i++ {
		number, count := numbers[i], uint32(1)
		if repeated[i/8]>>(i%8)&1 != 0 {
			count = uint32(r.uvarint(math.MaxUint32))
		}
		doc.Terms, doc.Counts = append(doc.Terms, le.Uint64(hashes[8*number:])), append(doc.Counts, count)
		doc.Marks = append(doc.Marks, features.Mark(evidence.Group(groups[number]), head[i/8]>>(i%8)&1 != 0, count))
	}
	doc.Cells = r.cells(cells, func() uint64 {
		if gap := le.Uint16(r.take(2)); gap < math.MaxUint16 {
			return uint64(gap)
		}
		return uint64(r.u32())
	})
	return doc, numbers, !r.failed
}

// journalHead is the size of what precedes the records of a journal: its magic, the identity of its model, and a number.
const journalHead = 24

// readJournal enters what the records of a journal say. Half a record at the end is what a crash has left; before a whole one it is damage.
func (l *ledger) readJournal(journal []byte, w *features.Writer) error {
	at, ok := journalHead, string(journal[:8]) == "CHJOUR1\n"
	for ok {
		meta, size := earlierRecord(journal, at)
		if size == 0 {
			break
		}
		ok = meta == nil || l.enterEarlier(meta, w)
		at += size
	}
	for later := at + 8; later < len(journal) && ok; later += 8 {
		_, size := earlierRecord(journal, later)
		ok = size == 0
	}
	if !ok {
		return fmt.Errorf("%w: its journal at %d", logfile.ErrDamaged, at)
	}
	l.tidy()
	return nil
}

// earlierRecord returns the meta of the record at an offset of a journal, nil for a summary of the records before it, and its size, 0 if no whole record is there.
func earlierRecord(journal []byte, at int) (meta []byte, size int) {
	const fixed, mark = 64, 0x43524843
	data, le := journal[at:], binary.LittleEndian
	if len(data) < fixed || le.Uint32(data[16:]) != mark {
		return nil, 0
	}
	pad := func(n uint64) uint64 { return (n + 7) &^ 7 }
	var n [6]uint64 // new terms, ids, bytes of a row, of the globals, of the texts and of the meta
	for i := range n {
		n[i] = uint64(le.Uint32(data[20+4*i:]))
	}
	before, behind := 8*n[0]+pad(4*n[1])+pad(4*((n[1]+31)/32)), pad(n[1]*n[2])
	isSummary := le.Uint64(data[56:]) > 0
	if isSummary {
		before, behind = 16, 8*n[0]+16*min(le.Uint64(data[48:]), math.MaxUint32)+behind
	}
	rest := fixed + before
	from := rest + pad(n[3]) + pad(n[4])
	end := from + pad(n[5])
	has := uint64(len(data))
	if behind > has || end+behind > has {
		return nil, 0
	}
	place := le.Uint64(journal[8:]) + uint64(at)
	if xxhash.Sum64(data[8:rest])^place != le.Uint64(data) || xxhash.Sum64(data[rest:end]) != le.Uint64(data[8:]) {
		return nil, 0
	}
	if isSummary {
		return nil, int(end + behind)
	}
	return data[from : from+n[5]], int(end + behind)
}

// enterEarlier enters the meta of a record: what it says, why a message was refused, six zeros, an entry, the sizes of the lists, the sketch, the hashes and the
// groups of the terms; how often each occurs, doubled, plus 1 in the head; its text behind its size plus 1, 0 for one that was told; the distances of the cells.
// It reports whether it is one.
func (l *ledger) enterEarlier(data []byte, w *features.Writer) bool {
	r := bytesReader{data: data}
	what := op(r.take(8)[0])
	if what == see {
		return l.sawEarlier(data)
	}
	entry := r.take(entrySize)[:entrySize]
	sketch, n, cells, _ := int(r.u32()), int(r.u32()), r.u32(), r.u32()
	if r.failed || max(uint(sketch), uint(n)) > uint(len(data))/8 {
		return false
	}
	if what == forget {
		return l.sayEarlier(what, entry, 0)
	}
	if what != learn {
		return true
	}
	r.take(8 * sketch)
	var doc features.Document
	texts, distinct, hashes, groups := make([][]byte, n), map[uint64]bool{}, r.take(8*n), r.take(n)
	for i := 0; i < n && !r.failed; i++ {
		hash, count := binary.LittleEndian.Uint64(hashes[8*i:]), r.uvarint(math.MaxUint32<<1)
		distinct[hash] = true
		doc.Terms, doc.Counts = append(doc.Terms, hash), append(doc.Counts, uint32(count>>1))
		doc.Marks = append(doc.Marks, features.Mark(min(evidence.Group(groups[i]), evidence.Grams-1), count&1 != 0, doc.Counts[i]))
		if size := r.uvarint(math.MaxInt32); size > 0 {
			texts[i] = r.take(int(size - 1))
		}
	}
	doc.Cells = r.cells(cells, func() uint64 { return r.uvarint(features.CellCount) })
	return !r.failed && len(distinct) == n && l.sayEarlier(learn, entry, w.Add(doc, func(i int) []byte { return texts[i] }))
}

// sawEarlier enters what was noted of the files of a mailbox, and reports whether it is that. Of a file it has the first 24 bytes of a [seenFile]: its folder
// is not known, nor when it was read.
func (l *ledger) sawEarlier(data []byte) bool {
	const head, size = 8 + 24, 24
	if len(data) < head {
		return false
	}
	files := data[head:]
	now := bytes.Clone(data[head-24 : head])
	for range min(binary.LittleEndian.Uint64(now[8:]), uint64(len(files)/size)) {
		now = append(append(now, files[:size]...), make([]byte, binary.Size(seenFile{})-size)...)
		files = files[size:]
	}
	return l.seen.apply(append(now, files...), len(l.Classes)) == nil
}

// bytesReader reads numbers and bytes. After a failure it returns zeros.
type bytesReader struct {
	data   []byte
	failed bool
}

// take returns the next n bytes, or 64 KiB of zeros if there are fewer.
func (r *bytesReader) take(n int) []byte {
	if r.failed || n < 0 || n > len(r.data) {
		r.failed = true
		return make([]byte, 1<<16)
	}
	taken := r.data[:n:n]
	r.data = r.data[n:]
	return taken
}

func (r *bytesReader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

// uvarint returns the next number, which is at most limit.
func (r *bytesReader) uvarint(limit uint64) uint64 {
	n, size := binary.Uvarint(r.data)
	if r.failed || size <= 0 || n > limit {
		r.failed = true
		return 0
	}
	r.data = r.data[size:]
	return n
}

// cells returns n cells, of which gap returns the distance to the one before.
func (r *bytesReader) cells(n uint32, gap func() uint64) (all []uint32) {
	last := uint64(0)
	for range n {
		next := last + gap()
		if next >= features.CellCount || next == last && len(all) > 0 {
			r.failed = true
			return all
		}
		last, all = next, append(all, uint32(next))
	}
	return all
}
