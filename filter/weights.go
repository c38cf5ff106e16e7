package filter

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"chaff/features"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
)

// Weights is a linear function that was set by hand: K classes, their biases, and the weights of terms.
type Weights struct {
	Classes []string
	Bias    []float64 // K
	Terms   []WeightedTerm
}

// WeightedTerm is a term with its weight for each of K classes.
type WeightedTerm struct {
	Term    string // as chaff makes it of a message: `body:offer`
	Weights []float64
}

// biasName stands for the bias in the place of a term. No term has parentheses and no tag.
const biasName = "(bias)"

// ErrWeights is for a file that is no table of weights.
var ErrWeights = errors.New("not a table of weights")

// ReadWeights reads weights as CSV. The first row names the columns: "term" and then either "weight", for a spam filter
// whose score is the sum, or the names of two or more classes, each with its own weights. Every other row is a term with
// its weights; the term "(bias)" stands for the bias, which is 0 if there is none. Terms and classes may have the escapes of
// [screen.Printable]. Lines that begin with # are comments.
// The error wraps [ErrWeights] and names the line.
func ReadWeights(r io.Reader) (Weights, error) {
	table := csv.NewReader(r)
	table.Comment = '#'
	header, err := table.Read()
	if err == io.EOF {
		return Weights{}, fmt.Errorf("%w: it is empty", ErrWeights)
	}
	if err != nil {
		return Weights{}, fmt.Errorf("%w: %w", ErrWeights, err)
	}
	w, columns, err := weightsOf(header)
	if err != nil {
		return Weights{}, err
	}
	seen := make(map[string]bool)
	for {
		row, err := table.Read()
		if err == io.EOF {
			return w, nil
		}
		if err != nil {
			return Weights{}, fmt.Errorf("%w: %w", ErrWeights, err)
		}
		line, _ := table.FieldPos(0)
		term := screen.Original(row[0])
		if term == "" || !utf8.ValidString(term) || seen[term] {
			return Weights{}, fmt.Errorf("%w: line %d: the term %q is empty, is not UTF-8, or comes twice", ErrWeights, line, term)
		}
		seen[term] = true
		weights, err := parseWeights(row[1:], columns)
		if err != nil {
			return Weights{}, fmt.Errorf("%w: line %d: %w", ErrWeights, line, err)
		}
		if term == biasName {
			w.Bias = weights
		} else {
			w.Terms = append(w.Terms, WeightedTerm{term, weights})
		}
	}
}

// weightsOf returns empty weights for the classes that the header names, and for each column the class it is of.
func weightsOf(header []string) (w Weights, columns []int, err error) {
	switch {
	case header[0] != "term" || len(header) < 2:
		return Weights{}, nil, fmt.Errorf("%w: its first line must be `term,weight` or `term` and the names of classes", ErrWeights)
	case len(header) == 2 && header[1] == "weight":
		w.Classes, columns = []string{hamName, spamName}, []int{SpamClass}
	case len(header) == 2:
		return Weights{}, nil, fmt.Errorf("%w: one class only, %q: must be two or more, or `weight`", ErrWeights, header[1])
	default:
		for _, class := range header[1:] {
			w.Classes = append(w.Classes, screen.Original(class))
		}
		for c, class := range w.Classes {
			if class == "" || !utf8.ValidString(class) || slices.Index(w.Classes, class) < c {
				return Weights{}, nil, fmt.Errorf("%w: the class %q has no name, is not UTF-8, or comes twice", ErrWeights, class)
			}
			columns = append(columns, c)
		}
	}
	w.Bias = make([]float64, len(w.Classes))
	return w, columns, nil
}

func parseWeights(fields []string, columns []int) ([]float64, error) {
	weights := make([]float64, max(columns[len(columns)-1]+1, len(columns)))
	for i, field := range fields {
		weight, err := strconv.ParseFloat(field, 64)
		if err != nil || math.Abs(weight) > math.MaxFloat32 || math.IsNaN(weight) {
			return nil, fmt.Errorf("the weight %q is no number that can be used", field)
		}
		weights[columns[i]] = weight
	}
	return weights, nil
}

// Filter makes the weights a filter for messages that are read in the given way, with features of the given kind. Nothing
// was learnt, so its thresholds are 0, and its probabilities the logistic function of the scores.
func (w Weights) Filter(reading Reading, kind features.Kind) (*Filter, error) {
	if kind == features.Whole {
		return nil, fmt.Errorf("features %v have no terms to weigh", kind)
	}
	hashes := make([]uint64, len(w.Terms))
	weights := make([][]float64, len(w.Classes))
	known := Terms{Texts: make([]string, len(w.Terms)), Documents: make([]uint32, len(w.Terms))}
	for id, t := range w.Terms {
		hashes[id], known.Texts[id] = reading.Key.Hash([]byte(t.Term)), t.Term
		for c := range weights {
			weights[c] = append(weights[c], t.Weights[c])
		}
	}
	vocabulary, err := features.NewVocabulary(hashes)
	if err != nil {
		return nil, err
	}
	if n := vocabulary.Shared(); n > 0 {
		return nil, fmt.Errorf("%d terms have the hash of another one", n)
	}
	linear, err := models.NewLinear(w.Bias, weights)
	if err != nil {
		return nil, err
	}
	s := Settings{
		Classes: w.Classes, Model: ByHand, Kind: kind.String(), Key: reading.Key, Message: reading.Message, Tokenize: reading.Tokenize,
		Calibration: metrics.Identity(len(w.Classes)),
	}
	if IsSpamFilter(w.Classes) {
		s.Thresholds = new(metrics.Thresholds)
	}
	return New(Parts{Settings: s, Vocabulary: vocabulary, Linear: linear, Terms: func() Terms { return known }, SaveTexts: true})
}

// ByHand is the model of filters whose weights were set by hand.
const ByHand = "by-hand"

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
	if IsSpamFilter(w.Classes) {
		first, header = SpamClass, []string{"term", "weight"}
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
