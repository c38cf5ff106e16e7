package models_test

import (
	"testing"

	"chaff/features"
	"chaff/models"
)

// BenchmarkTrainTenEpochs trains on as many documents as BenchmarkTrain.
func BenchmarkTrainTenEpochs(b *testing.B) {
	passes := models.Passes{Epochs: 10, Order: models.OrderRandom, Seed: 1}
	for _, bench := range []struct {
		name    string
		kind    features.Kind
		trainer models.Trainer
	}{
		{"averaged-perceptron", features.Bits, models.Perceptron{Passes: passes, Steps: models.Steps{LearningRate: 1}, Averaged: true}},
		{"softmax", features.NormalisedBits, models.Softmax{Passes: passes, LearningRate: 1, L2: 0.01}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			d := randomDataset(1, bench.kind, 5_000, 50_000, 2, 300)
			for i := 0; i < d.Len(); i += 7 { // wrong labels keep a perceptron from being done early
				d.Labels[i] = 1 - d.Labels[i]
			}
			b.ReportAllocs()
			for b.Loop() {
				_, report, err := bench.trainer.Train(b.Context(), d, models.EpochOptions{})
				if err != nil || len(report.Epochs) != passes.Epochs {
					b.Fatal(len(report.Epochs), err)
				}
			}
		})
	}
}
