package models

import (
	"context"

	"chaff/features"
)

// counts is what naive Bayes needs to know of a data set.
type counts struct {
	documents []int       // K: N_c
	terms     [][]float64 // K x V: n_cw
	totals    []float64   // K: n_c
}

// count sums the features of the documents of each class. With bits, n_cw is the number of documents of class c that
// contain w; with counts, the number of tokens of class c that are w. The documents are taken in the order of their
// contents, since sums of features that are no whole numbers round by their order.
func count(ctx context.Context, d *features.Dataset) (*counts, error) {
	documents, err := countDocuments(d)
	if err != nil {
		return nil, err
	}
	n := &counts{documents: documents, terms: newTable(len(d.Classes), d.Terms), totals: make([]float64, len(d.Classes))}
	rows := d.Rows()
	for read, i := range canonical(d) {
		if read%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x, row := rows.Row(int(i)), n.terms[d.Labels[i]]
		for j, w := range x.IDs {
			row[w] += float64(x.Values[j])
		}
	}
	for c, row := range n.terms {
		for _, ncw := range row {
			n.totals[c] += ncw
		}
	}
	return n, nil
}

// newTable returns a K x V table of zeros.
func newTable(classes, terms int) [][]float64 {
	table := make([][]float64, classes)
	for c := range table {
		table[c] = make([]float64, terms)
	}
	return table
}
