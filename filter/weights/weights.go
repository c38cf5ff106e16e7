// Package weights reads and writes the linear function of a filter as a table of terms, for weights that people set or look at.
package weights

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
)

// Weights is a linear function of terms: K classes, their biases, and the weights of terms.
type Weights struct {
	Classes []string
	Bias    []float64 // K
	Terms   []WeightedTerm
}

// WeightedTerm is a term with its weight for each of K classes.
type WeightedTerm struct {
	Term    string // with its tag, such as `body:offer`
	Weights []float64
}

// biasName is the name of the bias in a table of weights. It cannot be a term, because a term has a tag and no parentheses.
const biasName = "(bias)"

// ErrWeights is returned for a file that is not a table of weights.
var ErrWeights = errors.New("not a table of weights")

// Read reads weights from CSV. The first row is "term" followed either by "weight", for a spam filter, or by the names of two or
// more classes. Each other row is a term with its weights; the term "(bias)" is the bias, by default 0. Terms and classes may have the
// escapes of [screen.Printable]. Lines that begin with # are comments. A byte order mark may come first, and at most 256 MiB are read. The error
// wraps [ErrWeights] and names the line.
func Read(r io.Reader) (w Weights, err error) {
	const maxTable = 256 << 20 // more bytes than any model has
	const byteOrderMark = "\ufeff"
	defer func() {
		if err != nil {
			w, err = Weights{}, fmt.Errorf("%w: %w", ErrWeights, err)
		}
	}()
	limited := &io.LimitedReader{R: r, N: maxTable + 1}
	in := bufio.NewReader(limited)
	if mark, _ := in.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = in.Discard(len(byteOrderMark)) // no error: they were read
	}
	table := csv.NewReader(in)
	table.Comment = '#'
	header, err := table.Read()
	if err == io.EOF {
		return w, errors.New("it is empty")
	}
	if err != nil {
		return w, err
	}
	if w, err = weightsOf(header); err != nil {
		return w, err
	}
	seen := make(map[string]bool)
	for {
		row, err := table.Read()
		switch {
		case limited.N == 0:
			return w, fmt.Errorf("it has more than %d bytes", maxTable)
		case err == io.EOF:
			return w, nil
		case err != nil:
			return w, err
		}
		if err := w.add(screen.Original(row[0]), row[1:], seen); err != nil {
			line, _ := table.FieldPos(0)
			return w, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// weightsOf returns weights without terms for the classes that the header names.
func weightsOf(header []string) (w Weights, err error) {
	switch {
	case header[0] != "term" || len(header) < 2:
		return Weights{}, errors.New("its first line must be `term,weight` or `term` and the names of classes")
	case len(header) == 2 && header[1] == "weight":
		return Weights{Classes: []string{string(filter.Ham), string(filter.Spam)}, Bias: []float64{0, 0}}, nil
	case len(header) == 2:
		return Weights{}, fmt.Errorf("one class only, %.100q: must be two or more, or `weight`", header[1])
	}
	seen := make(map[string]bool)
	for _, name := range header[1:] {
		class := screen.Original(name)
		if class == "" || !utf8.ValidString(class) || seen[class] {
			return Weights{}, fmt.Errorf("the class %.100q has no name, is not UTF-8, or comes twice", class)
		}
		seen[class] = true
		w.Classes = append(w.Classes, class)
	}
	w.Bias = make([]float64, len(w.Classes))
	return w, nil
}

// add adds a row of the table. A single weight is for the last class.
func (w *Weights) add(term string, fields []string, seen map[string]bool) error {
	if term == "" || !utf8.ValidString(term) || seen[term] {
		return fmt.Errorf("the term %.100q is empty, is not UTF-8, or comes twice", term)
	}
	seen[term] = true
	weights := make([]float64, len(w.Classes))
	first := len(weights) - len(fields)
	for i, field := range fields {
		weight, err := strconv.ParseFloat(field, 64)
		if err != nil || !(math.Abs(weight) <= math.MaxFloat32) {
			return fmt.Errorf("the weight %.100q is not a usable number", field)
		}
		weights[first+i] = weight
	}
	if term == biasName {
		w.Bias = weights
	} else {
		w.Terms = append(w.Terms, WeightedTerm{term, weights})
	}
	return nil
}

// Filter returns a filter with these weights. Its thresholds are 0, and its probabilities are the logistic function of the scores.
func (w Weights) Filter(reading filter.Reading, kind features.Kind) (*filter.Filter, error) {
	if kind == features.Whole {
		return nil, fmt.Errorf("features %v have no terms to weigh", kind)
	}
	hashes := make([]uint64, len(w.Terms))
	weights := make([][]float64, len(w.Classes))
	known := filter.Terms{Text: func(id int) []byte { return []byte(w.Terms[id].Term) }, Documents: make([]uint32, len(w.Terms))}
	for id, t := range w.Terms {
		hashes[id] = reading.Key.Hash([]byte(t.Term))
		for c := range weights {
			weights[c] = append(weights[c], t.Weights[c])
		}
	}
	vocabulary, err := features.NewVocabulary(hashes)
	if err != nil {
		return nil, err
	}
	if n := vocabulary.Shared(); n > 0 {
		return nil, fmt.Errorf("%d terms share the hash of another term", n)
	}
	linear, err := models.NewLinear(w.Bias, weights)
	if err != nil {
		return nil, err
	}
	s := filter.Settings{
		Classes: w.Classes, Model: ByHand, Kind: kind.String(), Reading: reading,
		Calibration: metrics.Identity(len(w.Classes)),
	}
	if filter.IsSpamFilter(w.Classes) {
		s.Thresholds = new(metrics.Thresholds)
	}
	return filter.New(filter.Parts{Settings: s, Vocabulary: vocabulary, Linear: linear, Terms: known, SaveTexts: true})
}

// ByHand is the model name of filters whose weights were set by hand.
const ByHand = "by-hand"

// ErrNotAffine is returned for a model whose score is more than a sum of weights.
var ErrNotAffine = errors.New("its score is no plain sum of weights")

// Of returns the linear function of f, without terms that have no text.
// The error is [ErrNotAffine] for a model with a form, or about the file that f was opened from.
func Of(f *filter.Filter) (Weights, error) {
	terms, err := f.Terms()
	if err != nil {
		return Weights{}, err
	}
	linear, settings := f.Linear(), f.Settings()
	if linear.Form != nil {
		return Weights{}, fmt.Errorf("the model %s bounds its evidence: %w", settings.Model, ErrNotAffine)
	}
	rows, classes := linear.Rows(), linear.Classes
	w := Weights{Classes: settings.Classes, Bias: make([]float64, classes)}
	copy(w.Bias[classes-rows:], linear.Bias) // one row is for the second of two classes
	for id := range terms.Documents {
		text := string(terms.Text(id))
		if text == "" {
			continue
		}
		weights := make([]float64, classes)
		for r, weight := range linear.Weights[id*rows:][:rows] {
			weights[classes-rows+r] = float64(weight)
		}
		w.Terms = append(w.Terms, WeightedTerm{text, weights})
	}
	return w, nil
}

// WriteCSV writes weights as [Read] reads them. It escapes terms and classes, because a terminal may show the table.
func (w Weights) WriteCSV(out io.Writer) error {
	table := csv.NewWriter(out)
	first := 0
	header := []string{"term"}
	for _, class := range w.Classes {
		header = append(header, screen.Printable(class))
	}
	if filter.IsSpamFilter(w.Classes) {
		first, header = filter.SpamClass, []string{"term", "weight"}
	}
	rows := append([]WeightedTerm{{biasName, w.Bias}}, w.Terms...)
	if err := table.Write(header); err != nil {
		return err
	}
	for i, row := range rows {
		size := 32 // bits of a weight; a bias has 64
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
