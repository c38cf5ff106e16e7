package store

import (
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
	"chaff/internal/cputime"
	"chaff/internal/evidence"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/internal/termkey"
	"chaff/message"
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
	ErrEarlier = errors.New("it has a store of an earlier version")
	errTurned  = errors.New("a store of an earlier version was turned into that")
)

// HasEarlier reports whether the model at path has a store of an earlier version, and no log.
func HasEarlier(path string) bool {
	_, noLog := os.Stat(path + Suffix)
	_, noStore := os.Stat(path + earlierSuffix)
	return errors.Is(noLog, os.ErrNotExist) && noStore == nil
}

// convert turns the store of the model at path into a log, and makes the model anew. The store goes once both are in place.
func convert(ctx context.Context, path string, o *Options) error {
	if err := replace.CheckOwner(path+earlierSuffix, path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	began := cputime.Process()
	file, err := lockFile(ctx, path+earlierSuffix, os.O_RDWR)
	if err != nil {
		return err
	}
	defer file.Close()
	l, err := readEarlier(path, file)
	if err != nil {
		return fmt.Errorf("read %s: %w", path+earlierSuffix, err)
	}
	if err := l.documents.Complete(1); err != nil {
		return err
	}
	if o != nil {
		l.facts.Options = *o
	}
	f, _, err := l.made(ctx, RetrainOptions{}, time.Now(), began)
	if err != nil {
		return err
	}
	err = save(ctx, path, f, l, func(target string) error {
		if !HasEarlier(target) && !isEmpty(target+Suffix) {
			return ErrLearned
		}
		return nil
	})
	if err != nil {
		return err
	}
	return replace.Reason(os.Remove(path + earlierSuffix))
}

func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() == 0
}

// earlier is a container of an earlier version.
func earlier(magic string, version uint32) sections.Format {
	return sections.Format{Magic: magic, Version: version, ErrForeign: logfile.ErrNotLog, ErrTruncated: logfile.ErrTruncated, ErrDamaged: logfile.ErrDamaged, ErrVersion: logfile.ErrVersion}
}

// readEarlier reads a store of format 3 and the settings of its model.
func readEarlier(path string, file *os.File) (*ledger, error) {
	base, err := earlier("\x89CHSTO\r\n", 3).Open(file)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, replace.Reason(err)
	}
	if info.Size() < base.Size()+24 {
		return nil, logfile.ErrTruncated
	}
	journal := make([]byte, info.Size()-base.Size())
	if _, err := file.ReadAt(journal, base.Size()); err != nil && err != io.EOF {
		return nil, replace.Reason(err)
	}
	r, err := earlierRecipe(path, binary.LittleEndian.Uint64(journal[8:]))
	if err != nil {
		return nil, fmt.Errorf("its model: %w", err)
	}
	l := newLedger(r, facts{}, features.NewDocuments(0))
	w := l.documents.NewWriter()
	defer w.Close()
	if err := l.readBase(base, w); err != nil {
		return nil, err
	}
	if err := l.readJournal(journal, w); err != nil {
		return nil, err
	}
	return l, l.documents.Err()
}

// openEarlier opens the model of a store, and reports whether it is the one with this identity.
func openEarlier(path string, identity uint64) (file *os.File, model *sections.Reader, isIt bool, err error) {
	if file, err = openRegular(path, os.O_RDONLY); err != nil {
		return nil, nil, false, err
	}
	if model, err = earlier("\x89CHAFF\r\n", 8).Open(file); err != nil {
		file.Close()
		return nil, nil, false, err
	}
	return file, model, model.Identity() == identity, nil
}

// earlierRecipe returns the recipe of the model with this identity, which is at path, or beside it after a crash. A trainer or a setting that is gone leaves the
// default.
func earlierRecipe(path string, identity uint64) (r recipe, err error) {
	file, model, isIt, err := openEarlier(path, identity)
	if err != nil {
		return r, err
	}
	defer file.Close()
	if !isIt {
		next, after, isIt, err := openEarlier(path+".next", identity)
		if err != nil || !isIt {
			return r, fmt.Errorf("%w: the store is of another model", logfile.ErrDamaged)
		}
		defer next.Close()
		model = after
	}
	r = recipe{Message: message.DefaultOptions(), Tokenize: tokenize.DefaultOptions(), Features: features.DefaultOptions(), Terms: tokenize.Version}
	key, err1 := model.Section("HKEY")
	data, err2 := model.Section("SETT")
	info, err3 := model.Section("INFO")
	if err := errors.Join(err1, err2, err3); err != nil {
		return r, err
	}
	if r.Key, err = termkey.FromBytes(key); err != nil {
		return r, fmt.Errorf("%w: section HKEY", logfile.ErrDamaged)
	}
	var made struct {
		train.Provenance
		Summary json.RawMessage `json:"corpus"` // of another kind then
	}
	if json.Unmarshal(info, &made) != nil {
		return r, fmt.Errorf("%w: section INFO", logfile.ErrDamaged)
	}
	r.Trainer, r.Features, r.Split, r.Seed, r.Limits = made.Trainer, made.Features, made.Split, made.Seed, made.Limits
	s := bytesReader{data: data}
	s.text()
	r.Classes = s.texts()
	r.Model = s.text()
	s.text()
	for range max(s.number()-1, 0) { // the form: its members, and the bounds of each
		s.take(1)
		s.take(16 * max(s.number()-1, 0))
		s.take(16)
	}
	m, t := &r.Message, &r.Tokenize
	for _, n := range [...]*int{&m.MaxDepth, &m.MaxParts, &m.MaxTextBytes, &m.MaxHeaderBytes, &m.MaxHeaderFields, &m.MaxSeconds} {
		*n = s.number()
	}
	if language := s.text(); language != "auto" {
		t.Language = language
	}
	for _, n := range [...]*int{&t.MinLength, &t.MaxLength, &t.PairBytes, &t.GramHeaderBytes, &t.GramTextBytes, &t.StartBytes, &t.MaxTokens} {
		*n = s.number()
	}
	for _, is := range [...]*bool{&t.CaseSensitive, &t.Pairs, &t.Grams, &t.Structure, &t.Symbols, new(bool), &t.Shape, &t.Received, &t.DeliveredTo,
		&t.List, &t.Date, &t.MessageID} { // the sixth was classes of numbers
		*is = s.take(1)[0] == 1
	}
	t.Headers, t.IgnoreHeaders = s.texts(), s.texts()
	if s.failed || errors.Join(m.Validate(), t.Validate()) != nil || len(r.Classes) < 2 {
		return r, fmt.Errorf("%w: section SETT", logfile.ErrDamaged)
	}
	if models.Gone(r.Model) != nil {
		r.Model, r.Trainer = "votes", json.RawMessage("{}")
	}
	if _, err := models.OptionsFrom(r.Model, r.Trainer); err != nil {
		r.Trainer = json.RawMessage("{}")
	}
	return r, nil
}

// readBase reads the messages of a base.
func (l *ledger) readBase(base *sections.Reader, w *features.Writer) error {
	var all [9][]byte
	for i, name := range [...]string{"FACT", "MSGS", "SKCH", "DOCS", "ENDS", "HASH", "GRPS", "SURE", "SEEN"} {
		var err error
		if all[i], err = base.Section(name); err != nil {
			return err
		}
	}
	entries, sketches, docs, ends, hashes, groups := all[1], bytesReader{data: all[2]}, all[3], all[4], all[5], all[6]
	if json.Unmarshal(all[0], &l.facts) != nil || len(entries)%entrySize != 0 || len(entries)/entrySize != len(ends)/8 || len(hashes) != 8*len(groups) {
		return fmt.Errorf("%w: its sections", logfile.ErrDamaged)
	}
	texts := make([][]byte, len(groups))
	if base.Has("TEXT") {
		data, err := base.Section("TEXT")
		if err != nil {
			return err
		}
		r := bytesReader{data: data}
		for i := range texts {
			texts[i] = r.take(int(r.uvarint(math.MaxInt32)))
		}
		if r.failed {
			return fmt.Errorf("%w: section TEXT", logfile.ErrDamaged)
		}
	}
	from := uint64(0)
	for i := range len(ends) / 8 {
		to := binary.LittleEndian.Uint64(ends[8*i:])
		if from > to || to > uint64(len(docs)) {
			return fmt.Errorf("%w: section ENDS", logfile.ErrDamaged)
		}
		doc, numbers, err := earlierDocument(docs[from:to], hashes, groups)
		if err != nil {
			return err
		}
		e, sketch := earlierEntry(entries[entrySize*i:])
		terms := w.AddDocument(doc, func(k int) []byte { return texts[numbers[k]] })
		sketches.take(8 * sketch)
		if err := l.add(e, terms); err != nil {
			return err
		}
		from = to
	}
	for sure := all[7]; len(sure) >= entrySize; sure = sure[entrySize:] {
		e, _ := earlierEntry(sure)
		if !e.fits(len(l.recipe.Classes)) {
			return fmt.Errorf("%w: section SURE", logfile.ErrDamaged)
		}
		l.trusted = append(l.trusted, e)
	}
	seen := bytesReader{data: all[8]}
	for len(seen.data) > 8 {
		if err := l.sawEarlier(seen.take(int(min(binary.LittleEndian.Uint64(seen.take(8)), math.MaxInt32)))); err != nil {
			return err
		}
	}
	if sketches.failed || seen.failed {
		return fmt.Errorf("%w: its sections", logfile.ErrDamaged)
	}
	return nil
}

// add adds a message, unless its entry is of another store.
func (l *ledger) add(e Entry, terms features.Ref) error {
	if !e.fits(len(l.recipe.Classes)) {
		return fmt.Errorf("%w: a message of class %d", logfile.ErrDamaged, e.Label)
	}
	e.Terms = terms
	l.distrust(e.Fingerprint)
	delete(l.forgotten, e.Fingerprint)
	l.put(e)
	return nil
}

// earlierEntry reads an entry, whose last number was the size of its sketch.
func earlierEntry(data []byte) (e Entry, sketch int) {
	e = readEntry(data)
	e.Origin = ""
	return e, int(min(binary.LittleEndian.Uint64(data[entrySize-8:]), math.MaxInt32/8))
}

// earlierDocument reads a document: how many terms, doubled, plus 1 if their numbers have four bytes, and how many cells; the numbers; a bit for each term that
// is in the head; one for each that occurs more than once; how often these do; the cells.
func earlierDocument(record, hashes, groups []byte) (doc features.Document, numbers []uint32, err error) {
	r := bytesReader{data: record}
	le := binary.LittleEndian
	header := le.Uint32(r.take(4))
	cells, n, width := int(le.Uint32(r.take(4))), int(header/2), 3+int(header%2)
	if n > len(record) || cells > len(record) {
		return doc, nil, fmt.Errorf("%w: a document", logfile.ErrDamaged)
	}
	known := map[uint32]bool{}
	for range n {
		number := uint32(0)
		for i, b := range r.take(width)[:width] {
			number |= uint32(b) << (8 * i)
		}
		if int(number) >= len(groups) || groups[number] >= byte(evidence.Grams) || known[number] {
			return doc, nil, fmt.Errorf("%w: a document", logfile.ErrDamaged)
		}
		known[number] = true
		numbers, doc.Terms = append(numbers, number), append(doc.Terms, le.Uint64(hashes[8*number:]))
		doc.Groups = append(doc.Groups, evidence.Group(groups[number]))
	}
	head, repeated := r.take((n+7)/8), r.take((n+7)/8)
	for i := range n {
		doc.InHead, doc.Counts = append(doc.InHead, head[i/8]>>(i%8)&1 != 0), append(doc.Counts, 1)
		if repeated[i/8]>>(i%8)&1 != 0 {
			doc.Counts[i] = uint32(r.uvarint(math.MaxUint32))
		}
	}
	last := uint64(0)
	for range cells {
		gap := uint64(le.Uint16(r.take(2)))
		if gap == math.MaxUint16 {
			gap = uint64(le.Uint32(r.take(4)))
		}
		if last += gap; last >= features.CellCount || gap == 0 && len(doc.Cells) > 0 {
			r.failed = true
			break
		}
		doc.Cells = append(doc.Cells, uint32(last))
	}
	if r.failed {
		err = fmt.Errorf("%w: a document", logfile.ErrDamaged)
	}
	return doc, numbers, err
}

// readJournal enters what the records of a journal say. Half a record at the end is what a crash has left; before a whole one it is damage.
func (l *ledger) readJournal(journal []byte, w *features.Writer) error {
	const head = 24
	if len(journal) < head || string(journal[:8]) != "CHJOUR1\n" {
		return fmt.Errorf("%w: no journal", logfile.ErrDamaged)
	}
	gone := map[int]bool{}
	for at := head; at < len(journal); {
		meta, size := earlierRecord(journal, at)
		if size == 0 {
			for later := at + 8; later < len(journal); later += 8 {
				if _, size := earlierRecord(journal, later); size > 0 {
					return fmt.Errorf("%w: its journal at %d", logfile.ErrDamaged, at)
				}
			}
			break
		}
		if meta != nil {
			if err := l.enterEarlier(meta, w, gone); err != nil {
				return err
			}
		}
		at += size
	}
	l.remove(func(i int) bool { return gone[i] })
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
	if before > has || behind > has || end+behind > has {
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
func (l *ledger) enterEarlier(data []byte, w *features.Writer, gone map[int]bool) error {
	r := bytesReader{data: data}
	what := op(r.take(8)[0])
	if what == see {
		return l.sawEarlier(data)
	}
	e, _ := earlierEntry(r.take(entrySize)[:entrySize])
	le, sizes := binary.LittleEndian, r.take(16)
	sketch, n, cells := int(le.Uint32(sizes)), int(le.Uint32(sizes[4:])), int(le.Uint32(sizes[8:]))
	if r.failed || sketch > len(data) || n > len(data) || cells > len(data) || what != refuse && !e.fits(len(l.recipe.Classes)) {
		return fmt.Errorf("%w: its journal", logfile.ErrDamaged)
	}
	switch what {
	case refuse:
		l.facts.refused(Reason(data[1]).String(), 1)
	case trust:
		l.distrust(e.Fingerprint)
		l.trusted = append(l.trusted, e)
	case forget:
		l.distrust(e.Fingerprint)
		if at, known := l.byFingerprint[e.Fingerprint]; known {
			gone[at] = true
			delete(l.byFingerprint, e.Fingerprint)
			l.facts.Forgotten++
		}
		l.forgotten[e.Fingerprint] = e
	case learn:
		r.take(8 * sketch)
		var doc features.Document
		texts, distinct := make([][]byte, n), map[uint64]bool{}
		for range n {
			hash := le.Uint64(r.take(8))
			doc.Terms, distinct[hash] = append(doc.Terms, hash), true
		}
		for _, g := range r.take(n) {
			doc.Groups = append(doc.Groups, min(evidence.Group(g), evidence.Grams-1))
		}
		for i := range n {
			count := r.uvarint(math.MaxUint32 << 1)
			doc.Counts, doc.InHead = append(doc.Counts, uint32(count>>1)), append(doc.InHead, count&1 != 0)
			if size := r.uvarint(math.MaxInt32); size > 0 {
				texts[i] = r.take(int(size - 1))
			}
		}
		last := uint64(0)
		for i := range cells {
			gap := r.uvarint(features.CellCount)
			if last += gap; last >= features.CellCount || gap == 0 && i > 0 {
				r.failed = true
				break
			}
			doc.Cells = append(doc.Cells, uint32(last))
		}
		if r.failed || len(distinct) < n {
			return fmt.Errorf("%w: its journal", logfile.ErrDamaged)
		}
		return l.add(e, w.AddDocument(doc, func(i int) []byte { return texts[i] }))
	}
	return nil
}

// sawEarlier enters what was noted of the files of a mailbox. The folder of a file is not known.
func (l *ledger) sawEarlier(data []byte) error {
	r, le := bytesReader{data: data}, binary.LittleEndian
	r.take(8)
	mailbox, n, m := le.Uint64(r.take(8)), le.Uint64(r.take(8)), le.Uint64(r.take(8))
	if n > uint64(len(data)) || m > uint64(len(data)) || r.failed {
		return errSightings
	}
	seen := make(map[uint64]Sighting, n)
	for range n {
		name, fingerprint, label := le.Uint64(r.take(8)), le.Uint64(r.take(8)), le.Uint64(r.take(8))
		if label >= uint64(len(l.recipe.Classes)) {
			return errSightings
		}
		seen[name] = Sighting{Fingerprint: fingerprint, Label: int(label)}
	}
	gone := make([]uint64, m)
	for i := range gone {
		gone[i] = le.Uint64(r.take(8))
	}
	if r.failed {
		return errSightings
	}
	l.seen.note(mailbox, seen, gone)
	return nil
}

// bytesReader reads numbers and bytes. After a failure it returns zeros.
type bytesReader struct {
	data   []byte
	failed bool
}

// take returns the next n bytes, or zeros, some more than are asked for, if there are fewer.
func (r *bytesReader) take(n int) []byte {
	if r.failed || n < 0 || n > len(r.data) {
		r.failed = true
		return make([]byte, min(max(n, 0), 1<<16)+entrySize)
	}
	taken := r.data[:n:n]
	r.data = r.data[n:]
	return taken
}

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

// number returns the next zigzag varint.
func (r *bytesReader) number() int {
	n := r.uvarint(math.MaxUint32)
	return int(int64(n>>1) ^ -int64(n&1))
}

func (r *bytesReader) text() string { return string(r.take(r.number())) }

// texts returns a list of texts, behind how many there are plus 1.
func (r *bytesReader) texts() (all []string) {
	n := r.number()
	for i := 1; i < n && !r.failed; i++ {
		all = append(all, r.text())
	}
	return all
}
