package models_test

import (
	"context"
	"fmt"

	"chaff/features"
	"chaff/models"
)

// Four documents of three terms teach that term 1 is spam: documents 0 to 2, with the terms {0, 2}, {0} and {2}, are ham,
// and document 3, with {1, 2}, is spam.
func Example() {
	trainer, kind, err := models.DefaultOptions().New("bernoulli", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	dataset := &features.Dataset{Kind: kind, Classes: []string{"ham", "spam"}, Terms: 3}
	dataset.Append(features.Vector{IDs: []uint32{0, 2}, Values: []float32{1, 1}}, 0)
	dataset.Append(features.Vector{IDs: []uint32{0}, Values: []float32{1}}, 0)
	dataset.Append(features.Vector{IDs: []uint32{2}, Values: []float32{1}}, 0)
	dataset.Append(features.Vector{IDs: []uint32{1, 2}, Values: []float32{1, 1}}, 1)
	linear, _, err := trainer.Train(context.Background(), dataset, models.EpochOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	vector := features.Vector{IDs: []uint32{1}, Values: []float32{1}}
	class := linear.Predict(vector)
	fmt.Printf("%s, log odds of spam %.4f\n", dataset.Classes[class], linear.Score(vector))
	// Output: spam, log odds of spam 2.1932
}

// An online learner learns one document after the other.
func ExampleOnline() {
	learner, kind, err := models.DefaultOptions().NewOnline("multinomial", []string{"ham", "spam"})
	if err != nil {
		fmt.Println(err)
		return
	}
	meeting := features.Vector{IDs: []uint32{0}, Values: []float32{1}}
	offer := features.Vector{IDs: []uint32{1}, Values: []float32{1}}
	learner.Learn(meeting, 0)
	learner.Learn(offer, 1)
	scores := learner.Scores(nil, offer)
	learner.Forget(offer, 1)
	fmt.Printf("%s: %.2f before it is forgotten, %.2f after\n", kind, scores[1], learner.Scores(nil, offer)[1])
	// Output: normalised bits: 6.91 before it is forgotten, 0.00 after
}
