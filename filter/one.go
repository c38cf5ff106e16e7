package filter

import (
	"errors"
	"fmt"
	"math"
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
	bias    models.Linear // without weights
	tables  tables
	knows   knowledge
	changed func() bool // whether the model file changed since it was opened, so that no result counts
	file    modelFile
	unused  error // why what was learned since is not used
	scratch scratch
}

// OpenOne opens the model at path, with what was learned since it was written, as [OpenLearned] does.
func OpenOne(path string) (*One, error) { return openOne(path, time.Now()) }

// openOne is OpenOne at a time, so that tests need not wait until a file is settled.
func openOne(path string, now time.Time) (*One, error) {
	model, since, err := openLearned(path)
	if err != nil {
		return nil, err
	}
	o, err := newOne(path, model, now)
	if err != nil {
		return nil, err
	}
	if o.unused = since.unused; len(since.tail) > 0 {
		o.unused = o.Know(since.tail)
	}
	return o, nil
}

// OpenToLearn opens the model at path for a program that learns, and holds the lock of the log. [One.Know] tells it what was learned since it was
// written.
func OpenToLearn(path string) (*One, error) {
	model, err := openModelFile(path)
	if err != nil {
		return nil, err
	}
	return newOne(path, model, time.Now().Add(2*settled)) // nobody else writes it now
}

// newOne returns the filter in a file, which it closes after an error.
func newOne(path string, model modelFile, now time.Time) (*One, error) {
	o := &One{file: model}
	var err error
	if o.changed, err = o.file.settle(now); err == nil {
		if err = o.decode(); err != nil && o.changed() {
			err = ErrChanged
		}
	}
	if err != nil {
		o.Close()
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	return o, nil
}

// decode reads what every message needs.
func (o *One) decode() error {
	h, linear, tables, err := decodeHead(o.file.Reader)
	if err == nil {
		o.head, o.bias, o.tables = h, *linear, tables
	}
	return err
}

// Know makes o know later records, in the place of those that it knew. The error may be [ErrNotLearning].
func (o *One) Know(tail []logfile.Rows) error {
	k, err := readKnowledge(o.Terms(), o.file.Reader, tail)
	if err != nil {
		return err
	}
	o.knows = k
	o.details.(*inFile).later = tail
	return nil
}

// Terms returns the number of cells and terms of the model.
func (o *One) Terms() int { return o.FirstTerm() + o.tables.terms() }

// Learns reports whether the model learns from one message after the other, and whether it forgets one at once.
func (o *One) Learns() (learns, forgets bool) {
	l, err := o.knows.newLearner(&o.head)
	return err == nil, err == nil && l.Forgets()
}

// LogErr returns why o does without what was learned since its file was written, or nil.
func (o *One) LogErr() error { return o.unused }

// Close closes the file.
func (o *One) Close() error { return o.file.Close() }

// Classify is [Filter.Classify].
func (o *One) Classify(raw []byte) (Classification, error) {
	if o.scratch.reader == nil { // a program that learns may do without
		o.scratch.reader = o.newReader()
	}
	c, err := o.classify(o, &o.scratch, raw)
	return c, o.checked(err)
}

// ClassifyDocument is [Filter.ClassifyDocument].
func (o *One) ClassifyDocument(doc features.Document) (Classification, error) {
	c, err := o.classifyDocument(o, &o.scratch, doc)
	return c, o.checked(err)
}

// Explain is [Filter.Explain].
func (o *One) Explain(raw []byte) (Explanation, error) {
	e, err := o.explain(o, raw)
	return e, o.checked(err)
}

// checked returns an error of reading, or [ErrChanged].
func (o *One) checked(err error) error {
	if o.changed() || errors.Is(err, ErrTruncated) {
		return ErrChanged
	}
	return err
}

// weigh is that of [weigher]: with the rows of a learner if something was learned since the file was written, else with the weights in the file.
func (o *One) weigh(s *scratch, doc features.Document) error {
	known, weights, err := o.tables.find(s.lookup.Hashes(doc, o.kind))
	if err != nil {
		return err
	}
	if len(o.knows.tail) > 0 && o.unused == nil {
		var p Partial
		if p, o.unused = o.partial(s, doc, known, math.MaxInt, false); o.unused == nil {
			if s.linear, o.unused = p.Learner.Linear(); o.unused == nil {
				return nil
			}
		}
	}
	s.vector = s.lookup.AppendFound(s.vector.Reset(), known, doc, o.kind)
	s.renumber()
	rows, first := o.tables.rows, uint32(o.FirstTerm())
	linear := o.bias
	linear.Terms, linear.Weights = len(s.ids), make([]float32, len(s.ids)*rows)
	s.linear = &linear
	cells, _ := slices.BinarySearch(s.ids, first)
	for i, k := range known {
		if at, has := slices.BinarySearch(s.ids[cells:], first+uint32(k>>32)); has { // of head bits, only terms of the head are in the vector
			copy(linear.Weights[(cells+at)*rows:][:rows], weights[i*rows:])
		}
	}
	if cells == 0 {
		return nil
	}
	section, err := o.tables.file.Part("CELL")
	if err != nil {
		return err
	}
	return o.tables.readCells(section, int(section.Size()), linear.Weights, slices.Clone(s.ids[:cells]))
}

// Partial is a learner that knows the terms of one document, and this document. It scores and learns the document as the whole learner
// would.
type Partial struct {
	Learner *models.Online
	// Vector is the document, in the ids of Learner: 0, 1, 2, ...
	Vector features.Vector
	// Forgotten is the document that is to be forgotten, in the same ids.
	Forgotten features.Vector
	// IDs are the ids that these have in the model, in ascending order: cells by number, terms by id behind the cells.
	IDs []uint32
	// New are the terms that neither the model nor a later record has, in the order of their ids, which are the last of IDs. Learner does
	// not know them until it learns.
	New []LaterTerm
	// Unknown reports for each term of the document whether neither the model nor a later record has it.
	Unknown []bool
}

// Partial returns the learner for a document that is to be learned, and one that is to be forgotten before; one of them may be nil. Both
// were read with the settings of o. The forgotten one counted only for terms whose id is below counted: a fit leaves rare terms out, which later messages
// bring back. The error may be [ErrNotLearning].
func (o *One) Partial(learned, forgotten *features.Document, counted int) (p Partial, err error) {
	if learned == nil {
		p, err = o.find(*forgotten, counted, false)
		p.Forgotten, p.Vector, p.New = p.Vector, features.Vector{}, nil
		return p, o.checked(err)
	}
	if p, err = o.find(*learned, math.MaxInt, true); err != nil || forgotten == nil {
		return p, o.checked(err)
	}
	old, err := o.find(*forgotten, counted, false)
	if err != nil {
		return p, o.checked(err)
	}
	before := p.IDs
	p.IDs = slices.Concat(before, old.IDs)
	slices.Sort(p.IDs)
	p.IDs = slices.Compact(p.IDs)
	p.Forgotten = old.Vector
	p.Vector.IDs, p.Forgotten.IDs = placesOf(before, p.IDs), placesOf(old.IDs, p.IDs)
	return p, o.checked(o.knows.restore(p.Learner, p.IDs))
}

// placesOf returns the indices in all of ids, which it has.
func placesOf(ids, all []uint32) []uint32 {
	places := make([]uint32, len(ids))
	for i, id := range ids {
		at, _ := slices.BinarySearch(all, id)
		places[i] = uint32(at)
	}
	return places
}

// find looks a document up and returns its learner.
func (o *One) find(doc features.Document, counted int, learn bool) (Partial, error) {
	s := new(scratch)
	known, _, err := o.tables.find(s.lookup.Hashes(doc, o.kind))
	if err != nil {
		return Partial{}, err
	}
	return o.partial(s, doc, known, counted, learn)
}

// partial returns the learner for a document, by its terms that the model or a later record has, if their id is below counted. Terms that both lack
// are left out, or get ids if the document is to be learned.
func (o *One) partial(s *scratch, doc features.Document, known []uint64, counted int, learn bool) (p Partial, err error) {
	if p.Learner, err = o.knows.newLearner(&o.head); err != nil {
		return p, err
	}
	hashes, terms := s.lookup.Hashes(doc, o.kind), o.knows.total()-o.FirstTerm()
	known = o.knows.later(known, hashes, uint32(o.tables.terms()), o.tables.shift())
	known = slices.DeleteFunc(known, func(k uint64) bool { return int(k>>32) >= counted })
	if learn {
		p.Unknown = slices.Repeat([]bool{true}, len(doc.Terms))
		if o.kind != features.Whole { // which has no terms of the document
			for _, k := range known {
				p.Unknown[uint32(k)] = false
			}
		}
		known, p.New = o.appendNew(known, hashes, doc, uint32(terms))
	}
	s.vector = s.lookup.AppendFound(s.vector.Reset(), known, doc, o.kind)
	s.renumber()
	p.IDs, p.Vector = s.ids, s.vector
	return p, o.knows.restore(p.Learner, p.IDs)
}

// appendNew gives the terms of a document that are not known ids from next on. Of head bits, only terms of the head get one.
func (o *One) appendNew(known, hashes []uint64, doc features.Document, next uint32) (all []uint64, added []LaterTerm) {
	has := make([]bool, len(hashes))
	for _, k := range known {
		has[uint32(k)] = true
	}
	ids := make(map[uint64]uint32)
	for i, hash := range hashes {
		if has[i] || o.kind == features.HeadBits && !doc.InHead[i] {
			continue
		}
		bits := hash >> o.tables.shift()
		id, again := ids[bits]
		if !again { // two hashes can be one term
			id = next + uint32(len(ids))
			ids[bits] = id
			added = append(added, LaterTerm{i, hash, id})
		}
		known = append(known, uint64(id)<<32|uint64(i))
	}
	return known, added
}

// Judge returns the classification by the K scores of a learner of the model.
func (h *head) Judge(scores []float64) Classification { return h.judge(scores, new([]float64)) }
