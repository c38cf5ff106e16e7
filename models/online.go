package models

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"chaff/features"
	"chaff/internal/evidence"
)

// Online learns from one document after the other and can score a document at any time: a filter in use, which learns
// from corrections. Its vocabulary grows with the ids that it is given. It belongs to one goroutine. Source: cs446 lecture
// 4, "Why online learning?".
//
// What it knows is a row for each term, of [Online.TermSize] bytes, and its globals, of any size. Learn and Scores of a document
// depend only on the globals and the rows of the document's terms, and Learn changes only these. So a learner that was restored
// with the rows of some terms as those of 0, 1, ... stands for the whole one, for documents of these terms and of new ones, as
// long as the terms keep their order. Both are numbers of 8, 4 or 1 bytes, little-endian, in the order in which the learner lists them.
type Online struct {
	learner
	classes int       // K
	codec   codec     // memory, as is the rest
	weights []float64 // of the terms of the document that is scored
	order   []uint32  // 0, 1, 2, ...
}

// learner learns from one document after the other. Its vocabulary grows.
type learner interface {
	weighted
	// learn reads a document of class c for member m of the form, with the terms of its groups, and reports whether the weights changed. Members
	// have no weight in common, so they can learn at the same time.
	learn(m int, x features.Vector, c int) bool
	// globals lists what it knows apart from terms, for a codec, which writes or reads it.
	globals(c *codec)
	// term lists what it knows of a term: numbers of so many bytes as its shape says.
	term(c *codec, w int)
	// resize changes the size of the vocabulary. New terms have learned nothing.
	resize(terms int)
}

// NewOnline returns the online learner of the named model, which has learned nothing, and the kind of feature it takes.
// After n documents it scores like the model trained on them: naive Bayes up to the rounding of weights, and trainers in
// epochs like one epoch in the order of the data set, softmax regression with its full penalties from the start.
// Votes differs: training counts all documents before it learns from the first. Weights of new terms start at 0, whatever the settings
// say. Batch methods, which need all documents in advance, are errors.
func (o Options) NewOnline(name string, classes []string) (*Online, features.Kind, error) {
	trainer, kind, err := o.New(name, 0)
	if err != nil {
		return nil, 0, err
	}
	if len(classes) < 2 {
		return nil, 0, fmt.Errorf("one class only: %w", ErrOneClass)
	}
	l := onlineOf(trainer.(settings).newLearner(&features.Dataset{Kind: kind, Classes: classes}), classes)
	if l == nil {
		return nil, 0, fmt.Errorf("%s learns from one message after the other: method is %q: must be %s", name, MethodBatch, MethodStochastic)
	}
	return l, kind, nil
}

// onlineOf returns l as an online learner, and nil if it makes a step for all documents together.
func onlineOf(l learner, classes []string) *Online {
	if _, is := l.(*batch); is {
		return nil
	}
	return &Online{learner: l, classes: len(classes)}
}

// Learn learns that a document is of class c.
func (l *Online) Learn(x features.Vector, c int) {
	l.Grow(termsOf(x))
	for m := range l.shape().form.members() {
		l.learn(m, x, c)
	}
}

// termsOf returns the size of the smallest vocabulary that has all terms of x.
func termsOf(x features.Vector) int {
	if len(x.IDs) == 0 {
		return 0
	}
	return int(slices.Max(x.IDs)) + 1
}

// Forgets reports whether it can forget documents: whether all that it knows is sums.
func (l *Online) Forgets() bool {
	_, is := l.learner.(*counts)
	return is
}

// counter is a learner that counts documents, and can take one out of its counts that was learned as one of class c.
type counter interface {
	forget(x features.Vector, c int)
}

// Counts reports whether some of what it knows is sums.
func (l *Online) Counts() bool {
	_, is := l.learner.(counter)
	return is
}

// Forget takes a document that was learned as one of class c out of all sums. It panics unless Counts. What else it has learned stays.
func (l *Online) Forget(x features.Vector, c int) { l.learner.(counter).forget(x, c) }

// Scores returns the K scores of a document, in the memory of dst if that suffices: of two classes the first is 0, as
// for [Linear]. Terms that were not learned yet have no weight.
func (l *Online) Scores(dst []float64, x features.Vector) []float64 {
	l.Grow(termsOf(x))
	shape, n := l.shape(), len(x.IDs)
	R := shape.rows
	l.weights = slices.Grow(l.weights[:0], R*n)[:R*n]
	l.model(l.weights, x.IDs)
	for i := len(l.order); i < n; i++ {
		l.order = append(l.order, uint32(i))
	}
	x.IDs = l.order[:n]
	dst = scoresOf(slices.Grow(dst[:0], l.classes)[:R], x, l.weights, R, l.biases(), shape.form)
	switch {
	case l.classes > 2:
		return dst
	case R == 2:
		return append(dst[:0], 0, dst[1]-dst[0])
	}
	return append(dst[:0], 0, dst[0])
}

// Linear returns the model with these scores, up to the rounding of its weights.
func (l *Online) Linear() (*Linear, error) { return linearOf(l.learner, l.classes, 1) }

// Terms returns the size of the vocabulary: all ids so far are below it.
func (l *Online) Terms() int { return l.shape().terms }

// Grow enlarges the vocabulary to the given number of terms. New terms have learned nothing.
func (l *Online) Grow(terms int) {
	if terms > l.Terms() {
		l.resize(terms)
	}
}

// TermSize returns the size of a row in bytes. It depends on nothing but the model, its settings and the number of classes.
func (l *Online) TermSize() int { return l.shape().bytes }

// AppendGlobals appends the globals: what the learner knows apart from terms.
func (l *Online) AppendGlobals(dst []byte) []byte {
	l.codec = codec{data: dst}
	l.globals(&l.codec)
	return l.codec.data
}

// AppendTerm appends the row of term w, which must be below Terms.
func (l *Online) AppendTerm(dst []byte, w int) []byte {
	l.codec = codec{data: dst}
	l.term(&l.codec, w)
	return l.codec.data
}

// ErrState is for bytes that are not what a learner knew.
var ErrState = errors.New("not the saved state of a learner")

// Restore replaces all that the learner knows by globals and the rows of the terms 0, 1, ..., which it copies. The error wraps
// [ErrState]; the learner is then good for nothing but another Restore.
func (l *Online) Restore(globals, rows []byte) error {
	c, size := codec{data: globals, reading: true}, l.TermSize()
	if len(rows)%size != 0 {
		c.err = fmt.Errorf("%d bytes of rows of %d bytes", len(rows), size)
	}
	l.globals(&c)
	if c.err == nil && len(c.data) > 0 {
		c.err = fmt.Errorf("globals with %d bytes too many", len(c.data))
	}
	if c.err == nil {
		l.resize(len(rows) / size)
		c.data = rows
		for w := range len(rows) / size {
			l.term(&c, w)
		}
	}
	if c.err != nil {
		return fmt.Errorf("%w: %w", ErrState, c.err)
	}
	return nil
}

// codec writes numbers to data or reads them from it, so that a learner lists its numbers once for both. After an error it
// reads zeros.
type codec struct {
	data    []byte
	reading bool
	err     error
}

var errTruncated = errors.New("truncated")

// bits writes the low 8, 4 or 1 bytes of n, or reads them.
func (c *codec) bits(n uint64, bytes int) uint64 {
	if !c.reading {
		c.data = binary.LittleEndian.AppendUint64(c.data, n)
		c.data = c.data[:len(c.data)-8+bytes]
		return n
	}
	if c.err == nil && len(c.data) < bytes {
		c.err = errTruncated
	}
	if c.err != nil {
		return 0
	}
	var number [8]byte
	copy(number[:], c.data[:bytes])
	c.data = c.data[bytes:]
	return binary.LittleEndian.Uint64(number[:])
}

// list lists numbers, each given by a pointer. A float is finite, an int takes 8 bytes and is not negative, and a group exists.
func (c *codec) list(numbers ...any) {
	for _, number := range numbers {
		float := 0.0
		switch p := number.(type) {
		case *float64:
			*p = math.Float64frombits(c.bits(math.Float64bits(*p), 8))
			float = *p
		case *float32:
			*p = math.Float32frombits(uint32(c.bits(uint64(math.Float32bits(*p)), 4)))
			float = float64(*p)
		case *uint32:
			*p = uint32(c.bits(uint64(*p), 4))
		case *int:
			n := c.bits(uint64(*p), 8)
			if c.reading && n > math.MaxInt32 {
				c.err, n = fmt.Errorf("the number %d is out of range", n), 0
			}
			*p = int(n)
		case *evidence.Group:
			if *p = evidence.Group(c.bits(uint64(*p), 1)); *p >= evidence.Groups {
				c.err, *p = fmt.Errorf("a term is in the group %d", *p), 0
			}
		}
		if c.reading && float-float != 0 {
			c.err = ErrNotFinite
		}
	}
}

// listAll lists the numbers of a slice.
func listAll[T int | float64](c *codec, numbers []T) {
	for i := range numbers {
		c.list(&numbers[i])
	}
}

// varint is for small numbers that are not negative.
func (c *codec) varint(p *int) {
	if !c.reading {
		c.data = binary.AppendUvarint(c.data, uint64(*p))
		return
	}
	n, size := binary.Uvarint(c.data)
	if size <= 0 || n > math.MaxInt32 {
		c.err = cmp.Or(c.err, errTruncated)
	}
	if *p = 0; c.err == nil {
		*p, c.data = int(n), c.data[size:]
	}
}
