package filter

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"chaff/features"
	"chaff/internal/logfile"
	"chaff/models"
)

// One is a filter in a file, which classifies, explains, learns or forgets one message: for each it reads and verifies what the message needs
// of the model, and what was learned since. It belongs to one goroutine. Its errors are about the files.
type One struct {
	head
	bias    *models.Linear // without weights
	changed func() bool    // whether the model file changed since it was opened, so that no result counts
	scratch scratch
}

// OpenOne opens the model at path, with what was learned since it was written, as [OpenLearned] does.
func OpenOne(path string) (*One, error) { return openOne(path, true, time.Now()) }

// OpenToLearn opens the model at path for a program that learns, and holds the lock of the log. [One.Know] tells it what was learned since it was
// written.
func OpenToLearn(path string) (*One, error) {
	return openOne(path, false, time.Now().Add(2*settled)) // nobody else writes it now
}

// openOne opens a model at a time, so that tests need not wait until a file is settled.
func openOne(path string, learned bool, now time.Time) (*One, error) {
	model, err := openModel(path, learned)
	if err != nil {
		return nil, err
	}
	o := &One{}
	if o.changed, err = model.settle(now); err == nil {
		if o.head, o.bias, err = decodeHead(model); err != nil && o.changed() {
			err = ErrChanged
		}
	}
	if err != nil {
		model.Close()
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	if len(model.tail) > 0 {
		o.file.unused = o.know(model.tail)
	}
	return o, nil
}

// Know makes o know later records, in the place of those that it knew. A model that does not learn knows none.
func (o *One) Know(tail []logfile.Rows) error {
	err := o.know(tail)
	if errors.Is(err, ErrNotLearning) {
		return nil
	}
	return err
}

// Learns reports whether the model learns from one message after the other.
func (o *One) Learns() bool { return len(o.knows.none) > 0 }

// Counts reports whether it also takes a message that is forgotten out of its counts at once.
func (o *One) Counts() bool {
	l, err := o.newLearner()
	return err == nil && o.Learns() && l.Counts()
}

// Classify is [Filter.Classify].
func (o *One) Classify(raw []byte) (Classification, error) {
	if o.scratch.reader == nil { // a program that learns may do without
		o.scratch.reader = o.newReader()
	}
	repairs := o.scratch.reader.Read(raw)
	c, err := o.ClassifyDocument(o.scratch.reader.Bag.Document())
	c.Repairs = repairs
	return c, err
}

// ClassifyDocument is [Filter.ClassifyDocument].
func (o *One) ClassifyDocument(doc features.Document) (c Classification, err error) {
	doc = doc.As(o.kind)
	if err = o.load(&o.scratch, doc); err == nil {
		c = o.score(&o.scratch, doc)
		if sum := c.Score + c.Probability; sum-sum != 0 { // 0 for finite numbers only
			err = fmt.Errorf("%w: the score is %v", ErrDamaged, c.Score)
		}
	}
	return c, o.checked(err)
}

// checked returns an error of reading, or [ErrChanged].
func (o *One) checked(err error) error {
	if o.changed() || errors.Is(err, ErrTruncated) {
		return ErrChanged
	}
	return err
}

// load sets what scores a document: the rows of a learner if something was learned since the file was written, else the weights in the file.
func (o *One) load(s *scratch, doc features.Document) error {
	known, weights, err := o.find(doc.Terms)
	if err != nil {
		return err
	}
	s.vector = s.lookup.AppendFound(s.vector.Reset(), known, doc, o.kind)
	if len(o.knows.tail) > 0 {
		l, err := o.learner(ranked(s.vector))
		if err == nil {
			s.linear, err = l.Linear()
		}
		if err != nil {
			o.file.unused, o.knows.tail = err, nil
			return o.load(s, doc)
		}
		return nil
	}
	ids := slices.Clone(s.vector.IDs)
	rows, first, cells := o.tables.rows, uint32(o.FirstTerm()), 0
	if o.kind == features.Evidence {
		cells = len(doc.Cells) // which come first
	}
	linear := *o.bias
	linear.Terms, linear.Weights = len(ids), make([]float32, len(ids)*rows)
	s.linear = &linear
	byID := s.lookup.Known
	for i, id := range ids {
		if s.vector.IDs[i] = uint32(i); i >= cells {
			at, _ := slices.BinarySearch(byID, uint64(id-first)<<32)
			copy(linear.Weights[i*rows:][:rows], weights[int(uint32(byID[at]))*rows:])
		}
	}
	if cells == 0 {
		return nil
	}
	return o.tables.readCells(linear.Weights, slices.Clone(ids[:cells]))
}

// ranked returns the ids of vectors in ascending order, and puts the place of each there in its place: 0, 1, 2, ..., for a learner that has no others.
func ranked(vectors ...features.Vector) (ids []uint32) {
	for _, x := range vectors {
		ids = append(ids, x.IDs...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for _, x := range vectors {
		for i, id := range x.IDs {
			at, _ := slices.BinarySearch(ids, id)
			x.IDs[i] = uint32(at)
		}
	}
	return ids
}

// Partial is a learner that knows the terms of one document, and this document. It scores and learns the document as the whole learner
// would.
type Partial struct {
	Learner *models.Online
	// Vector is the document, in the ids of Learner: 0, 1, 2, ...
	Vector features.Vector
	// Verdict is that on the document.
	Verdict Classification
	// Unknown reports for each term of the document whether neither the model nor a later record has it; nil for a model that has no terms of the document.
	Unknown []bool

	forgets   bool            // a document is to be forgotten
	forgotten features.Vector // this, in the same ids
	ids       []uint32        // that these have in the model, in ascending order: cells by number, terms by id behind the cells
	added     []uint64        // the hashes of new terms, whose ids are the last of ids; Learner does not know them until it learns
}

// Partial returns the learner for a document that is to be learned, and one that is to be forgotten before; one of them may be nil. Both
// were read with the settings of o. The forgotten one counted only for terms whose id is below counted: a fit leaves rare terms out, which later messages
// bring back. If that is 0, it did not count at all. There is no learner if nothing is to change before a fit.
func (o *One) Partial(learned, forgotten *features.Document, counted int) (p Partial, err error) {
	p.forgets = forgotten != nil && counted > 0
	switch {
	case learned == nil && !p.forgets:
		return p, nil
	case !o.Learns() && learned != nil:
		p.Verdict, err = o.ClassifyDocument(*learned)
		return p, err
	}
	var lookup features.Lookup
	if learned != nil {
		doc := learned.As(o.kind)
		known, _, err := o.find(doc.Terms)
		if err != nil {
			return p, o.checked(err)
		}
		known, p.added, p.Unknown = o.appendNew(known, doc, uint32(o.total()-o.FirstTerm()))
		if o.kind == features.Whole {
			p.Unknown = nil
		}
		p.Vector = lookup.AppendFound(p.Vector, known, doc, o.kind)
	}
	if p.forgets {
		doc := forgotten.As(o.kind)
		known, _, err := o.find(doc.Terms)
		if err != nil {
			return p, o.checked(err)
		}
		known = slices.DeleteFunc(known, func(k uint64) bool { return int(k>>32) >= counted })
		p.forgotten = lookup.AppendFound(p.forgotten, known, doc, o.kind)
	}
	p.ids = ranked(p.Vector, p.forgotten)
	if p.Learner, err = o.learner(p.ids); err == nil && learned != nil {
		p.Verdict = o.judge(p.Learner.Scores(nil, p.Vector))
		if sum := p.Verdict.Score + p.Verdict.Probability; sum-sum != 0 { // of finite numbers that are too large
			err = fmt.Errorf("%w: the score is %v", ErrDamaged, p.Verdict.Score)
		}
	}
	return p, o.checked(err)
}

// Learn forgets the forgotten document, if there is one, as one of class before, and learns the other as one of class after, -1 for none. It returns what that
// changed, nothing without a learner.
func (p Partial) Learn(before, after int) (r logfile.Rows) {
	if p.Learner == nil {
		return r
	}
	if p.forgets {
		p.Learner.Forget(p.forgotten, before)
	}
	if after >= 0 {
		p.Learner.Learn(p.Vector, after)
	}
	r = logfile.Rows{New: p.added, IDs: p.ids, Rows: make([]byte, 0, len(p.ids)*p.Learner.TermSize()), Globals: p.Learner.AppendGlobals(nil)}
	for w := range p.ids {
		r.Rows = p.Learner.AppendTerm(r.Rows, w)
	}
	if len(r.New) > 0 { // whose ids are the last
		r.First = p.ids[len(p.ids)-1] + 1 - uint32(len(r.New))
	}
	return r
}

// appendNew gives the terms of a document that are not known ids from next on. Of head bits, only terms of the head get one. It reports for each term
// whether it was unknown.
func (o *One) appendNew(known []uint64, doc features.Document, next uint32) (all, added []uint64, unknown []bool) {
	unknown = slices.Repeat([]bool{true}, len(doc.Terms))
	for _, k := range known {
		unknown[uint32(k)] = false
	}
	ids := make(map[uint64]uint32)
	for i, hash := range doc.Terms {
		if !unknown[i] || o.kind == features.HeadBits && !doc.InHead(i) {
			continue
		}
		bits := hash >> o.tables.shift
		id, again := ids[bits]
		if !again { // two hashes can be one term
			id = next + uint32(len(ids))
			ids[bits] = id
			added = append(added, hash)
		}
		known = append(known, uint64(id)<<32|uint64(i))
	}
	return known, added, unknown
}
