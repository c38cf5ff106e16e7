//go:build unix

package main

import (
	"bytes"
	"testing"

	"chaff/features"
	"chaff/internal/termkey"
)

func TestGeneratedTermsHaveTheirOwnNames(t *testing.T) {
	var b features.Bag
	var memory []byte
	for i := range 3 {
		memory = stream{documents: 3, terms: 200, vocabulary: 1000}.fill(&b, i, memory)
		for n, hash := range b.Document().Terms {
			if name := bytes.Clone(b.Text(n)); (termkey.Key{}).Hash(name) != hash {
				t.Fatalf("document %d: term %d has the name %q of another one", i, n, name)
			}
		}
	}
}

func TestGeneratedDocumentsAreTrainedOn(t *testing.T) {
	if err := trainOnTerms(t.Context(), stream{documents: 300, terms: 20, vocabulary: 1000}, 1<<20, 1); err != nil {
		t.Error(err)
	}
}
