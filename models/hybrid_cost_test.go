package models_test

import (
	"testing"

	"chaff/features"
	"chaff/models"
)

// BenchmarkTrainOfDefaults trains with the default settings on 3,600 documents of a thousand terms: a mailbox as the model
// of naive Bayes, the default and the other fast learner see it.
func BenchmarkTrainOfDefaults(b *testing.B) {
	d := randomDataset(1, features.NormalisedBits, 3_600, 200_000, 2, 1_050)
	for _, name := range []string{"multinomial", "hybrid", "arow"} {
		b.Run(name, func(b *testing.B) {
			trainer, _, err := models.DefaultOptions().New(name, 1)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(8 * len(d.IDs))) // an id and a value
			for b.Loop() {
				if _, _, err := trainer.Train(b.Context(), d, models.EpochOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
