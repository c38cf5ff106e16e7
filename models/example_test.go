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
	d := &features.Dataset{
		Kind:     features.Bits,
		Classes:  []string{"ham", "spam"},
		Labels:   []int32{0, 0, 0, 1},
		RowStart: []int{0, 2, 3, 4, 6},
		IDs:      []uint32{0, 2, 0, 2, 1, 2},
		Values:   []float32{1, 1, 1, 1, 1, 1},
		Terms:    3,
	}
	linear, _, err := models.Bernoulli{Smoothing: 1}.Train(context.Background(), d)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := features.Vector{IDs: []uint32{1}, Values: []float32{1}}
	fmt.Printf("%s, log odds of spam %.4f\n", d.Classes[linear.Predict(x)], linear.Score(x))
	// Output: spam, log odds of spam 0.4339
}
