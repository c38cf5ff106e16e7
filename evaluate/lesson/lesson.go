// Package lesson shows what the lectures say about linear classifiers, with the trainers of package models: each lesson is one screen.
//
//	for _, l := range lesson.All() {
//		err := l.Write(ctx, os.Stdout)
//	}
//
// A lesson computes what it prints. Where the lecture has a formula, the lesson works it out by hand and returns an error if the trainer disagrees.
package lesson

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"chaff/features"
	"chaff/models"
)

// Lesson is a piece of a lecture.
type Lesson struct {
	Name  string
	Title string
	// Source is the lecture and the section.
	Source string
	// Formula is what the lesson is about, in one line.
	Formula string
	// Code is where the formula is in this program, as "FILE IDENTIFIER".
	Code []string

	show func(ctx context.Context, p *page) error
}

// All returns the lessons in the order of the lectures.
func All() []Lesson {
	return []Lesson{
		memoriser(), naiveBayes(), logic(), updates(), margin(), xor(), translations(), multiclass(), tanh(), softmax(), losses(), meanSquares(), parts(),
	}
}

// Write writes the lesson: at most 24 lines of 80 columns.
func (l Lesson) Write(ctx context.Context, w io.Writer) error {
	p := &page{}
	p.say("%s", l.Title)
	p.say("%s", l.Source)
	p.say("  %s", l.Formula)
	p.say("")
	if err := l.show(ctx, p); err != nil {
		return fmt.Errorf("lesson %s: %w", l.Name, err)
	}
	p.say("")
	p.say("In the code: %s", strings.Join(l.Code, ", "))
	_, err := io.WriteString(w, p.text.String())
	return err
}

// page collects the lines of a lesson.
type page struct{ text strings.Builder }

func (p *page) say(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// table is labelled points: their coordinates are the values of the terms.
type table struct {
	names   []string // of the points
	points  [][]float32
	labels  []int32
	classes []string
}

// dataset returns the points as documents.
func (t table) dataset() *features.Dataset {
	d := features.NewDataset(features.Counts, t.classes, len(t.points[0]))
	for i := range t.points {
		d.Append(t.row(i), t.labels[i])
	}
	return d
}

// row returns a point as a document, without the terms whose value is 0.
func (t table) row(i int) (x features.Vector) {
	for w, value := range t.points[i] {
		if value != 0 {
			x.IDs, x.Values = append(x.IDs, uint32(w)), append(x.Values, value)
		}
	}
	return x
}

// target returns +1 for class 1 and -1 for class 0.
func target(label int32) float64 { return 2*float64(label) - 1 }

// passes are the settings of a trainer that reads the points in their order.
func passes(epochs int) models.Passes {
	return models.Passes{Epochs: epochs, Order: models.OrderFixed, Listed: true, Features: features.Counts.String(), ClassWeights: models.WeightsNone}
}

// steps are those of a constant learning rate, from weights of 0.
func steps(rate float64) models.Steps {
	return models.Steps{LearningRate: rate, Decay: models.RateConstant, Start: models.StartZeros}
}

// near returns an error unless two numbers, one by hand and one of a trainer, are the same but for rounding to float32.
func near(what string, byHand, trained float64) error {
	if math.Abs(byHand-trained) > 1e-5*max(1, math.Abs(byHand)) {
		return fmt.Errorf("%s is %v by hand, and %v of the trainer", what, byHand, trained)
	}
	return nil
}

// numbers formats numbers in columns.
func numbers(format string, all ...float64) string {
	var text strings.Builder
	for _, x := range all {
		fmt.Fprintf(&text, format, x+0) // no -0
	}
	return text.String()
}
