package features

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is the kind of feature a document is described by.
type Kind uint8

const (
	// Bits is one bit per document and term: the value is 1 if the term occurs anywhere in the document.
	Bits Kind = iota
	// Counts is one count per token: the value is how often the term occurs in the document.
	Counts
	// NormalisedBits are bits divided by the Euclidean length of the document, so that long documents weigh as much as short
	// ones: with n different terms each has the value 1/sqrt(n). Terms that the vocabulary does not know add to the
	// length, too: a message of which little is known gets a score near the bias.
	NormalisedBits
	// NormalisedCounts are counts divided by the Euclidean length of the document, likewise.
	NormalisedCounts
	// Whole is one bit per document: its only term is the document itself, as [Document.Whole] has it.
	Whole
	// HeadBits is one bit per document and term: the value is 1 if the term occurs at the start of the document, as
	// [Document.Start] has it.
	HeadBits
	// Evidence is bits in groups of evidence, each group of a document divided by its Euclidean length: of a group with n
	// different terms each has the value 1/sqrt(n). The cells of a document are one more group. Unknown terms add to the
	// length.
	Evidence
)

// kindNames are the names used in configuration and model files.
func kindNames() []string {
	return []string{"bits", "counts", "normalised bits", "normalised counts", "whole", "head bits", "evidence"}
}

// String returns "bits", "counts", "normalised bits", "normalised counts", "whole", "head bits" or "evidence".
func (k Kind) String() string {
	if names := kindNames(); int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// ParseKind is the inverse of [Kind.String].
func ParseKind(name string) (Kind, error) {
	if k := slices.Index(kindNames(), name); k >= 0 {
		return Kind(k), nil
	}
	return 0, fmt.Errorf("unknown kind of feature %q: known are %s", name, strings.Join(kindNames(), ", "))
}

// counted says whether values grow with the number of tokens.
func (k Kind) counted() bool { return k == Counts || k == NormalisedCounts }

// unit reports whether documents are L2-normalised.
func (k Kind) normalised() bool { return k == NormalisedBits || k == NormalisedCounts }

// Dataset is N labelled documents over V terms in K classes: a compressed sparse row matrix. It is read-only for
// trainers. One that was made of [Documents] is kept in fewer bytes, or on disk, and read by [Dataset.Rows] alone.
type Dataset struct {
	// Kind says what the values are.
	Kind Kind
	// Classes are the names of the K classes.
	Classes []string
	// Labels is the true class of each of the N documents, as an index into Classes.
	Labels []int32
	// RowStart has N+1 entries: row i is IDs[RowStart[i]:RowStart[i+1]] and the Values beside them.
	RowStart []int
	// IDs are the term ids of all rows, one row after the other, ascending within a row.
	IDs []uint32
	// Values are the values of all rows, beside IDs.
	Values []float32
	// Groups are the groups of evidence of all rows, beside IDs; nil but for the kind [Evidence].
	Groups []Group
	// Terms is V, the size of the vocabulary; of the kind [Evidence] with the cells.
	Terms int
	// Workers is how many goroutines a trainer may use; 0 and 1 are for one. It changes no result.
	Workers int

	matrix *matrix // of documents, instead of RowStart, IDs and Values
}

// NewDataset returns an empty data set for [Dataset.Append].
func NewDataset(kind Kind, classes []string, terms int) *Dataset {
	return &Dataset{Kind: kind, Classes: classes, RowStart: []int{0}, Terms: terms}
}

// Append adds one document as a row.
func (d *Dataset) Append(x Vector, label int32) {
	d.IDs, d.Values, d.Groups = append(d.IDs, x.IDs...), append(d.Values, x.Values...), append(d.Groups, x.Groups...)
	d.RowStart = append(d.RowStart, len(d.IDs))
	d.Labels = append(d.Labels, label)
}

// Err returns an error if documents could not be read: the rows of these were empty.
func (d *Dataset) Err() error {
	if d.matrix == nil {
		return nil
	}
	return d.matrix.store.failed()
}

// Len returns N, the number of documents.
func (d *Dataset) Len() int { return len(d.Labels) }

// Select returns the documents of d over the given terms only, which become 0, 1, 2 in the order given.
func (d *Dataset) Select(ids []uint32) *Dataset {
	selected := NewDataset(d.Kind, d.Classes, len(ids))
	rows := d.Rows()
	for i, label := range d.Labels {
		x := rows.Row(i)
		for n, id := range ids {
			if at, found := slices.BinarySearch(x.IDs, id); found {
				selected.IDs = append(selected.IDs, uint32(n))
				selected.Values = append(selected.Values, x.Values[at])
				if x.Groups != nil {
					selected.Groups = append(selected.Groups, x.Groups[at])
				}
			}
		}
		selected.RowStart = append(selected.RowStart, len(selected.IDs))
		selected.Labels = append(selected.Labels, label)
	}
	return selected
}

// Subset returns some documents of d, in the order given, over the same terms. Rows of [Documents] are shared with d, others
// are copied.
func (d *Dataset) Subset(documents []int) *Dataset {
	s := NewDataset(d.Kind, d.Classes, d.Terms)
	s.Workers = d.Workers
	if d.matrix == nil {
		for _, i := range documents {
			s.Append(d.Row(i), d.Labels[i])
		}
		return s
	}
	s.RowStart = nil
	s.matrix = &matrix{store: d.matrix.store, rows: make([]Ref, len(documents)), groups: d.matrix.groups}
	s.Labels = make([]int32, len(documents))
	for n, i := range documents {
		s.matrix.rows[n], s.Labels[n] = d.matrix.rows[i], d.Labels[i]
	}
	return s
}

// Row returns document i: a view into the matrix, or a copy. Use [Dataset.Rows] to read many rows.
func (d *Dataset) Row(i int) Vector {
	if d.matrix != nil {
		return d.Rows().Row(i)
	}
	lo, hi := d.RowStart[i], d.RowStart[i+1]
	x := Vector{IDs: d.IDs[lo:hi:hi], Values: d.Values[lo:hi:hi]}
	if d.Groups != nil {
		x.Groups = d.Groups[lo:hi:hi]
	}
	return x
}
