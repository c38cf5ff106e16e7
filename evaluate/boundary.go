package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/models"
	"chaff/train"
)

// Boundary is the decision boundary of a model on two terms. It can be drawn: messages are points, and the boundary is a line.
// Source: cs440 lecture 16, "Linear Classifiers in General".
type Boundary struct {
	X, Y string // the terms
	// Unit says what the axes count.
	Unit string
	// Points is how many messages of the training part there are at each place.
	Points []TermPoint
	// A, B and C are the boundary: A x + B y + C = 0.
	A, B, C float64
	// Model is the model that is drawn: the one that was asked for, or [affineModel] if that has no line.
	Model string
}

// TermPoint is a place in the plane of two terms, with the messages of a class that are there.
type TermPoint struct {
	X, Y     float64
	Class    int
	Messages int
}

// affineModel is drawn in the place of a model that bounds its evidence, whose boundary is no line.
const affineModel = "hybrid"

// BoundaryOf trains the model of the given name on two terms of the training part of c, which must have two classes: on
// counts if it takes them, since bits have four places only. Without names the terms are those that tell f most of ham and
// of spam, over all messages. The error is that of the trainer, or names a term that the vocabulary does not know.
func BoundaryOf(ctx context.Context, c *train.Collection, f *filter.Filter, model string, o train.Options, names []string) (Boundary, error) {
	if len(c.Classes()) != 2 {
		return Boundary{}, fmt.Errorf("two terms are drawn of two classes, not of %d", len(c.Classes()))
	}
	ids, err := pair(c, f, names)
	if err != nil {
		return Boundary{}, err
	}
	if _, kind, err := o.Models.New(model, 0); err == nil && kind == features.Evidence {
		model = affineModel
	}
	linear, d, err := trainOn(ctx, c, ids, model, o)
	for tries := 0; errors.Is(err, models.ErrDiverged) && tries < maxTries; tries++ {
		// Steps that are right for a document of length 1 are too long for counts.
		o.Models = o.Models.WithShorterSteps(shorter)
		linear, d, err = trainOn(ctx, c, ids, model, o)
	}
	if err != nil {
		return Boundary{}, err
	}
	texts := c.Known().Texts
	t := Boundary{
		X: texts[ids[0]], Y: texts[ids[1]], Unit: "occurrences",
		A: float64(linear.Weights[0]), B: float64(linear.Weights[1]), C: linear.Bias[0], Model: model,
	}
	if d.Kind == features.Bits || d.Kind == features.HeadBits {
		t.Unit = "0 or 1"
	}
	t.Points = points(d)
	return t, nil
}

// Steps that are too long become shorter by as many times, so often at most.
const (
	shorter  = 4
	maxTries = 8
)

// trainOn trains a model on some terms only, on counts if it takes them.
func trainOn(ctx context.Context, c *train.Collection, ids []uint32, model string, o train.Options) (*models.Linear, *features.Dataset, error) {
	trainer, kind, err := o.Models.WithFeatures(features.Counts).New(model, c.Options().Seed)
	if err != nil {
		return nil, nil, err
	}
	if kind == features.Whole {
		return nil, nil, fmt.Errorf("%s has no terms", model)
	}
	d := c.Dataset(corpus.Train, kind).Select(ids)
	linear, _, err := o.Train(ctx, trainer, model, d, nil)
	return linear, d, err
}

// pair finds the ids of two terms.
func pair(c *train.Collection, f *filter.Filter, names []string) ([]uint32, error) {
	if len(names) == 0 {
		return mostTelling(f)
	}
	if len(names) != 2 {
		return nil, fmt.Errorf("%d terms: must be two", len(names))
	}
	var ids []uint32
	for _, name := range names {
		id, known := c.Index().Vocabulary().ID(c.Options().Reading.Key.Hash([]byte(name)))
		if !known {
			return nil, fmt.Errorf("the term %q is in no training message", name)
		}
		ids = append(ids, id)
	}
	if ids[0] == ids[1] {
		return nil, fmt.Errorf("the term %q is given twice", names[0])
	}
	return ids, nil
}

// mostTelling are the words whose weight for each class, times the messages that have them, is the largest.
func mostTelling(f *filter.Filter) ([]uint32, error) {
	terms, err := f.Terms()
	if err != nil {
		return nil, err
	}
	var ids [2]uint32
	var best [2]float64
	for id, documents := range terms.Documents {
		if !isWord(terms.Texts[id]) {
			continue
		}
		for class := range best {
			if tells := f.WeightFor(f.FirstTerm()+id, class) * float64(documents); tells > best[class] {
				ids[class], best[class] = uint32(id), tells
			}
		}
	}
	if best[0] == 0 || best[1] == 0 {
		return nil, fmt.Errorf("%w: no term has a weight", models.ErrNoDocuments)
	}
	return ids[:], nil
}

// isWord says whether a term is a word of the text or of the subject.
func isWord(term string) bool {
	tag, word, _ := strings.Cut(term, ":")
	r, _ := utf8.DecodeRuneInString(word)
	return (tag == "body" || tag == "subject") && unicode.IsLetter(r)
}

// points counts the documents of two terms by place and class.
func points(d *features.Dataset) []TermPoint {
	count := make(map[TermPoint]int)
	rows := d.Rows()
	for i, label := range d.Labels {
		var at [2]float64
		x := rows.Row(i)
		for j, w := range x.IDs {
			at[w] = float64(x.Values[j])
		}
		count[TermPoint{X: at[0], Y: at[1], Class: int(label)}]++
	}
	var all []TermPoint
	for p, n := range count {
		p.Messages = n
		all = append(all, p)
	}
	slices.SortFunc(all, func(p, q TermPoint) int {
		return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y), cmp.Compare(p.Class, q.Class))
	})
	return all
}
