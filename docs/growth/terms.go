//go:build unix

package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"chaff/features"
	"chaff/internal/evidence"
	"chaff/internal/garbage"
	"chaff/internal/parallel"
	"chaff/internal/screen"
	"chaff/internal/termkey"
	"chaff/models"
)

// stream is generated documents with about so many distinct terms each. Term frequencies follow Zipf's law; classes differ in
// some of their terms.
type stream struct{ documents, terms, vocabulary int }

// fill fills a bag with document i, the same in every run. It makes the terms in the given memory, which it returns for the next document.
func (s stream) fill(b *features.Bag, i int, term []byte) []byte {
	rng := rand.New(rand.NewPCG(uint64(i), 0))
	spam := s.isSpam(i)
	size := int(float64(s.terms) * (0.5 + rng.Float64()))
	b.Reset()
	term = term[:0]
	for range size {
		// Uniform logarithms of ranks give Zipf's law with exponent 1.
		rank := int(math.Pow(float64(s.vocabulary), rng.Float64())) - 1
		if spam && rng.IntN(10) == 0 {
			rank = s.vocabulary - 1 - rank
		}
		start := len(term)
		term = strconv.AppendInt(append(term, "body:term"...), int64(rank), 36)
		if name := term[start:]; b.Add((termkey.Key{}).Hash(name), evidence.Words, rng.IntN(3) == 0) {
			b.Name(name, nil) // which the bag keeps until Reset
		} else {
			term = term[:start]
		}
	}
	return term
}

func (stream) isSpam(i int) bool { return i%3 == 0 }

// trainOnTerms trains the default model on generated documents, and prints the cost of each step.
func trainOnTerms(ctx context.Context, s stream, kept int64, workers int) error {
	garbage.Limit(maxGarbage)
	workers = parallel.Workers(workers)
	screen.Printf(os.Stdout, "%d documents of about %d terms out of %d, at most %.0f MB of documents and matrices in memory, %d workers\n\n",
		s.documents, s.terms, s.vocabulary, float64(kept)/1e6, workers)
	fmt.Println("| step | CPU s | clock s | peak memory, MB |\n|---|---|---|---|")
	began, cpu := time.Now(), cpuTime()
	step := func(name string) {
		screen.Printf(os.Stdout, "| %s | %.0f | %.0f | %.0f |\n", name, (cpuTime() - cpu).Seconds(), time.Since(began).Seconds(), float64(peakMemory("self"))/1e6)
		began, cpu = time.Now(), cpuTime()
	}
	mail := features.NewDocuments(kept)
	refs, labels := make([]features.Ref, s.documents), make([]int32, s.documents)
	writers, bags, terms := make([]*features.Writer, workers), make([]features.Bag, workers), make([][]byte, workers)
	for w := range writers {
		writers[w] = mail.NewWriter()
	}
	parallel.Ranges(workers, s.documents, 1024, func(worker, from, to int) {
		for i := from; i < to && ctx.Err() == nil; i++ {
			terms[worker] = s.fill(&bags[worker], i, terms[worker])
			refs[i] = writers[worker].Add(bags[worker].Document(), bags[worker].Text)
			if s.isSpam(i) {
				labels[i] = 1
			}
		}
	})
	for _, w := range writers {
		w.Close()
	}
	if err := mail.Complete(workers); err != nil {
		return err
	}
	step("documents")
	index, _, err := mail.Build(refs, features.DefaultOptions(), workers)
	if err != nil {
		return err
	}
	step("vocabulary")
	trainer, kind, err := models.DefaultOptions().New("votes", 1)
	if err != nil {
		return err
	}
	d := index.Dataset(kind, []string{"ham", "spam"}, refs, labels, workers)
	refs, index, mail = nil, nil, nil
	step("matrix")
	var last models.Epoch
	linear, _, err := trainer.Train(ctx, d, models.EpochOptions{OnEpoch: func(e models.Epoch) { last = e }})
	if err != nil {
		return err
	}
	step("training")
	if err := d.Err(); err != nil {
		return err
	}
	screen.Printf(os.Stdout, "\n%d terms; training accuracy %.2f%%; hash of the weights %016x\n", linear.Terms, last.Train.Accuracy, hashOf(linear))
	return nil
}

// hashOf identifies what a run has learned.
func hashOf(l *models.Linear) uint64 {
	var digest uint64
	for _, w := range l.Weights {
		digest = (termkey.Key{}).Hash(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, digest), math.Float32bits(w)))
	}
	return digest
}
