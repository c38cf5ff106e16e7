// Package modelstest tests that a trainer fulfils the contract of models.Trainer. [Run] trains it on small synthetic data sets:
// empty, with one class, of the wrong kind, separable, random and reordered. Tests of formulas stand beside the trainers.
package modelstest
