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
	"chaff/models"
	"chaff/train"
)

// Boundary is the decision boundary of softmax regression on the counts of two terms, a line in the plane. Source: cs440 lecture 16, "Linear
// Classifiers in General".
type Boundary struct {
	X, Y   string         // the terms
	Points [2][]TermPoint // the messages of each class of the training part at each point of the plane
	// A, B and C define the line A x + B y + C = 0.
	A, B, C float64
}

// TermPoint counts messages at one point of the plane.
type TermPoint struct {
	X, Y     float64
	Messages int
}

// BoundaryOf fits softmax regression to two terms of the training part of c, which must have two classes: the words that separate best for each class.
func BoundaryOf(ctx context.Context, c *train.Collection) (Boundary, error) {
	if len(c.Classes) != 2 {
		return Boundary{}, fmt.Errorf("a boundary needs two classes, not %d", len(c.Classes))
	}
	ids, err := separatingWords(c)
	if err != nil {
		return Boundary{}, err
	}
	d, points := plane(c.Dataset(corpus.Train, features.Counts), ids)
	trainer := models.DefaultOptions().Softmax
	trainer.Epochs, trainer.Tolerance, trainer.LearningRate = 200, 0, 1 // to the minimum
	linear, _, err := trainer.Train(ctx, d, models.EpochOptions{})
	if err != nil {
		return Boundary{}, err
	}
	text := c.Terms().Text
	return Boundary{
		X: string(text(int(ids[0]))), Y: string(text(int(ids[1]))), Points: points,
		A: float64(linear.Weights[0]), B: float64(linear.Weights[1]), C: linear.Bias[0],
	}, d.Err()
}

// A word that separates is timesMore times as frequent in its class as in the other, and has at least minWord bytes. Most stop words are
// frequent in both classes, and the others short.
const timesMore, minWord = 6, 4

// separatingWords returns, for each class, the word of the training part whose shares of messages differ most between the classes, among
// those that separate.
func separatingWords(c *train.Collection) ([]uint32, error) {
	counts, of := c.Frequencies()
	text := c.Terms().Text
	var ids [2]uint32
	var best [2]float64
	for w := range counts[0] {
		for class := range best {
			own, other := float64(counts[class][w])/float64(of[class]), float64(counts[1-class][w])/float64(of[1-class])
			if own-other > best[class] && own >= timesMore*other && isWord(string(text(w))) {
				ids[class], best[class] = uint32(w), own-other
			}
		}
	}
	if best[0] == 0 || best[1] == 0 {
		return nil, errors.New("no word separates the classes")
	}
	return ids[:], nil
}

// isWord reports whether a term is a single word of the text or of the subject.
func isWord(term string) bool {
	tag, word, _ := strings.Cut(term, ":")
	r, _ := utf8.DecodeRuneInString(word)
	return (tag == "body" || tag == "subject") && unicode.IsLetter(r) && len(word) >= minWord && !strings.Contains(word, " ")
}

// plane returns the documents of all with two of its terms, and counts those of each class by their two values.
func plane(all *features.Dataset, ids []uint32) (d *features.Dataset, points [2][]TermPoint) {
	d = &features.Dataset{Kind: all.Kind, Classes: all.Classes, Terms: len(ids)}
	count := [2]map[[2]float64]int{{}, {}}
	rows := all.Rows()
	for i, label := range all.Labels {
		var at [2]float64
		var some features.Vector
		x := rows.Row(i)
		for w, id := range ids {
			if k, has := slices.BinarySearch(x.IDs, id); has {
				some.IDs, some.Values = append(some.IDs, uint32(w)), append(some.Values, x.Values[k])
				at[w] = float64(x.Values[k])
			}
		}
		d.Append(some, label)
		count[label][at]++
	}
	for class := range points {
		for at, n := range count[class] {
			points[class] = append(points[class], TermPoint{at[0], at[1], n})
		}
		slices.SortFunc(points[class], func(p, q TermPoint) int { return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y)) })
	}
	return d, points
}
