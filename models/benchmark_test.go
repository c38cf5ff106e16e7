package models_test

import (
	"testing"

	"chaff/features"
	"chaff/models"
	"chaff/models/modelstest"
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
		{"softmax", features.UnitBits, models.Softmax{Passes: passes, LearningRate: 1, L2: 0.01}},
		{"softmax with L1", features.UnitBits, models.Softmax{Passes: passes, LearningRate: 1, L1: 0.01, L2: 0.01}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			d := modelstest.Random(1, bench.kind, 5_000, 50_000, 2, 300)
			b.ReportAllocs()
			b.SetBytes(int64(8 * len(d.IDs))) // an id and a value
			for b.Loop() {
				if _, _, err := bench.trainer.Train(b.Context(), d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
