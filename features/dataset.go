package features

import (
	"fmt"
	"slices"
	"strings"

	"chaff/internal/evidence"
)

// Kind says what the value of a term in a document is.
type Kind uint8

const (
	// Bits are 1 for each term that occurs in the document.
	Bits Kind = iota
	// Counts are how often each term occurs in the document.
	Counts
	// NormalisedBits are L2-normalised bits: with n distinct terms, each has the value 1/sqrt(n), so that long documents weigh as much as
	// short ones. Unknown terms add to n, so the score of a document of which little is known is near the bias.
	NormalisedBits
	// NormalisedCounts are L2-normalised counts.
	NormalisedCounts
	// Whole is 1 for the only term of a document, the hash of all its terms and counts.
	Whole
	// HeadBits are 1 for each term that occurs in the head of the document; see [Document.InHead].
	HeadBits
	// Evidence is bits, L2-normalised in each group of evidence: with n distinct terms in a group, each of them has the value 1/sqrt(n).
	// Unknown terms add to n. The cells of a document are one of the groups.
	Evidence
)

// kindNames has the names of the kinds in configuration and model files.
var kindNames = []string{"bits", "counts", "normalised bits", "normalised counts", "whole", "head bits", "evidence"}

// String returns the name of the kind, such as "normalised bits".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// ParseKind is the inverse of [Kind.String].
func ParseKind(name string) (Kind, error) {
	if k := slices.Index(kindNames, name); k >= 0 {
		return Kind(k), nil
	}
	return 0, fmt.Errorf("unknown kind of feature %q: known are %s", name, strings.Join(kindNames, ", "))
}

// counted reports whether values are counts.
func (k Kind) counted() bool { return k == Counts || k == NormalisedCounts }

// Dataset is N labelled documents over V terms in K classes: a sparse matrix. One with a kind, classes and a number of terms has no documents and is
// for [Dataset.Append]. Trainers only read it, by [Dataset.Rows].
type Dataset struct {
	Kind Kind
	// Classes are the names of the K classes.
	Classes []string
	// Labels are the true classes of the N documents, as indices of Classes.
	Labels []int32
	// Confirmed says which labels a person has confirmed; nil for none. It has no influence but on models that allow for wrong labels.
	Confirmed []bool
	// Terms is V, the size of the vocabulary, including the cells for the kind [Evidence].
	Terms int
	// Workers is how many goroutines a trainer may use; 0 means one. It changes no result.
	Workers int

	rows      []Vector // that were appended
	index     *Index   // of a data set made of [Documents], else nil
	documents []Ref
}

// Append adds one document as a row.
func (d *Dataset) Append(x Vector, label int32) {
	d.rows = append(d.rows, Vector{IDs: slices.Clone(x.IDs), Values: slices.Clone(x.Values), Groups: slices.Clone(x.Groups)})
	d.Labels = append(d.Labels, label)
}

// Err returns the first error of reading documents. Rows that could not be read look empty.
func (d *Dataset) Err() error {
	if d.index == nil {
		return nil
	}
	return d.index.documents.Err()
}

// Len returns N, the number of documents.
func (d *Dataset) Len() int { return len(d.Labels) }

// Subset returns the given documents of d, in the order given, over the same terms.
func (d *Dataset) Subset(documents []int) *Dataset {
	s := &Dataset{Kind: d.Kind, Classes: d.Classes, Terms: d.Terms, Workers: d.Workers, index: d.index}
	for _, i := range documents {
		if s.Labels = append(s.Labels, d.Labels[i]); d.index != nil {
			s.documents = append(s.documents, d.documents[i])
		} else {
			s.rows = append(s.rows, d.rows[i])
		}
		if d.Confirmed != nil {
			s.Confirmed = append(s.Confirmed, d.Confirmed[i])
		}
	}
	return s
}

// Row returns document i. Use [Dataset.Rows] to read many rows.
func (d *Dataset) Row(i int) Vector { return d.Rows().Row(i) }

// Rows reads the rows of a data set, one at a time. It belongs to one goroutine; a data set can have any number.
type Rows struct {
	dataset  *Dataset
	wanted   [evidence.Groups]bool
	hasTerms bool // not only cells are wanted
	reader   documentReader
	lookup   Lookup
	row      Vector
}

// Rows returns a reader of the rows of d.
func (d *Dataset) Rows() *Rows { return d.RowsOf(func(evidence.Group) bool { return true }) }

// RowsOf is [Dataset.Rows] for the terms of some groups: its rows may lack those of others.
func (d *Dataset) RowsOf(groups func(evidence.Group) bool) *Rows {
	r := &Rows{dataset: d}
	for g := range r.wanted {
		r.wanted[g] = groups(evidence.Group(g))
		r.hasTerms = r.hasTerms || r.wanted[g] && evidence.Group(g) != evidence.Grams
	}
	if d.index != nil {
		r.reader = documentReader{of: d.index.documents}
	}
	return r
}

// Row returns document i, valid until the next call. A row that could not be read is empty.
func (r *Rows) Row(i int) Vector {
	d := r.dataset
	if d.index == nil {
		return d.rows[i]
	}
	s := &r.reader
	s.read(d.documents[i])
	if d.Kind.counted() {
		s.readCounts()
	}
	if d.Kind == Evidence && r.wanted[evidence.Grams] {
		s.readCells()
	}
	if r.hasTerms {
		r.lookup.find(s, d.index.ids)
	}
	r.row = r.lookup.appendRow(r.row.Reset(), s.doc, s.sizes, d.Kind, &r.wanted)
	return r.row
}

// Vector is one sparse row: the ids of the terms of a document in ascending order, and their values. All other terms have the value 0. Of evidence the
// cells come first, then the terms of each group: ids ascend within a group only, and sums over a group are those of an ascending row.
type Vector struct {
	IDs    []uint32
	Values []float32
	Groups []evidence.Group // of the terms, for the kind [Evidence]; otherwise nil
	// Confirmed is whether a person has confirmed the label of the document. Trainers set it, see [Dataset.Confirmed].
	Confirmed bool
}

// Reset returns an empty vector in the same memory.
func (x Vector) Reset() Vector {
	return Vector{IDs: x.IDs[:0], Values: x.Values[:0], Groups: x.Groups[:0]}
}
