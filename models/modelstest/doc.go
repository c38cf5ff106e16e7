// Package modelstest is what every trainer has to do right, as a test: [Run] takes a trainer and tries it on data sets
// that are empty, one-sided, of the wrong kind, easy, random and rearranged. The data sets are made up and small; a
// trainer's formula has its own tests beside it.
package modelstest
