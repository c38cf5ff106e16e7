package filter

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/parallel"
	"chaff/internal/screen"
)

// Dataset reads all messages of source, whose labels must be among the classes of f, as f sees them: a matrix (documents x
// terms). Workers, progress and the error are as in [Filter.Evaluate].
func (f *Filter) Dataset(ctx context.Context, source corpus.Source, workers int, progress func(read, all int)) (*features.Dataset, Summary, error) {
	g, _, err := gather(ctx, source, f.settings.Classes, gatherOptions{reading: f.settings.Reading(), workers: workers, progress: progress})
	if err != nil {
		return nil, Summary{}, err
	}
	d := f.datasetOf(g, workers)
	return d, g.summary, d.Err()
}

// datasetOf is all documents that were gathered, as f sees them.
func (f *Filter) datasetOf(g *gathered, workers int) *features.Dataset {
	refs, labels := make([]features.Ref, len(g.documents)), make([]int32, len(g.documents))
	for i, d := range g.documents {
		refs[i], labels[i] = d.terms, d.label
	}
	return f.dataset(g.mail, refs, labels, parallel.Workers(workers))
}

// dataset is documents as f sees them.
func (f *Filter) dataset(mail *features.Documents, documents []features.Ref, labels []int32, workers int) *features.Dataset {
	if f.kind == features.Whole {
		return wholeDataset(f.vocabulary, f.settings.Classes, mail.Wholes(documents, workers), labels)
	}
	return mail.Index(f.vocabulary, workers).Dataset(f.kind, f.settings.Classes, documents, labels, workers)
}

// ErrNotAffine is returned where the weights of a model are asked for as a sum, and the model is more than that.
var ErrNotAffine = errors.New("its score is no plain sum of weights")

// Weights returns the linear function of f. For a filter that was opened, the error is about its file; for a model with a form
// it wraps [ErrNotAffine].
func (f *Filter) Weights() (Weights, error) {
	terms, err := f.Terms()
	if err != nil {
		return Weights{}, err
	}
	if f.linear.Form != nil {
		return Weights{}, fmt.Errorf("%w: the model %s bounds its evidence", ErrNotAffine, f.settings.Model)
	}
	rows, classes := f.linear.Rows(), f.linear.Classes
	w := Weights{Classes: f.settings.Classes, Bias: make([]float64, classes)}
	copy(w.Bias[classes-rows:], f.linear.Bias) // of two classes the second has the difference
	for id, text := range terms.Texts {
		weights := make([]float64, classes)
		for r, weight := range f.linear.Weights[id*rows:][:rows] {
			weights[classes-rows+r] = float64(weight)
		}
		w.Terms = append(w.Terms, WeightedTerm{text, weights})
	}
	return w, nil
}

// WriteCSV writes weights as [ReadWeights] reads them. Terms and classes are written as chaff prints them, since the table
// may be printed on a terminal.
func (w Weights) WriteCSV(out io.Writer) error {
	table := csv.NewWriter(out)
	first := 0
	header := []string{"term"}
	for _, class := range w.Classes {
		header = append(header, screen.Printable(class))
	}
	if isSpamFilter(w.Classes) {
		first, header = spamClass, []string{"term", "weight"}
	}
	rows := append([]WeightedTerm{{biasName, w.Bias}}, w.Terms...)
	if err := table.Write(header); err != nil {
		return err
	}
	for i, row := range rows {
		size := 32 // bits of a weight; of a bias 64
		if i == 0 {
			size = 64
		}
		record := []string{screen.Printable(row.Term)}
		for _, weight := range row.Weights[first:] {
			record = append(record, strconv.FormatFloat(weight, 'g', -1, size))
		}
		if err := table.Write(record); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}
