//go:build unix

// Command growth measures the CPU time and memory of training as mail grows.
//
//	go run ./docs/growth MAIL           1, 2, 4, 8 and 16 times the mail, or to -times; MAIL is a folder with folders ham... and spam...
//	go run ./docs/growth -documents N   N generated documents, with a memory limit
//
// It prints Markdown tables. The first generates mail from real mail (see letters.go) in a temporary folder of sixteen times
// its size.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"chaff/config"
	"chaff/internal/screen"
)

func main() {
	times := flag.Int("times", 16, "make the mail `N` times as much in the end")
	documents := flag.Int("documents", 0, "generate `N` documents instead of mail")
	terms := flag.Int("terms", 100, "of about `N` distinct terms each")
	vocabulary := flag.Int("vocabulary", 1_000_000, "out of `N` terms")
	memory := flag.String("memory", "32MB", "keep `SIZE` of documents and matrices in memory")
	workers := flag.Int("workers", 0, "use `N` cores; 0 for all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *times, *documents, *terms, *vocabulary, *memory, *workers, flag.Args()); err != nil {
		screen.Printf(os.Stderr, "growth: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, times, documents, terms, vocabulary int, memory string, workers int, folders []string) error {
	limit, err := config.ParseSize(memory)
	if err != nil {
		return fmt.Errorf("-memory is %w", err)
	}
	switch {
	case documents > 0:
		return trainOnTerms(ctx, stream{documents, terms, vocabulary}, limit, workers)
	case len(folders) == 1:
		return trainOnMail(ctx, folders[0], times, memory, workers)
	}
	return errors.New("name a folder of mail, or -documents")
}
