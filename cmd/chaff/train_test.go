package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chaff/config"
	"chaff/corpus/sources"
	"chaff/train"
)

// TestWithoutRefittingTheMeasuredModelIsSaved holds the bytes of train.refit=false to those of the model of the training part.
func TestWithoutRefittingTheMeasuredModelIsSaved(t *testing.T) {
	dir := t.TempDir()
	folders, err := sources.OpenLabelled(sampleDir(), sources.Options{Format: sources.Subfolders})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Model = "multinomial" // it is soon trained
	mail, err := train.Collect(t.Context(), folders.Source, spamClasses(), collectOptions(cfg, readingOf(cfg)))
	if err != nil {
		t.Fatal(err)
	}
	trained, err := train.Fit(t.Context(), mail, cfg.Model, train.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	want, err := trained.Filter.Encode()
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(dir, "key")
	if err := os.WriteFile(keyFile, []byte(strings.Repeat("0", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	saved := func(refit string) []byte {
		path := filepath.Join(dir, "model-"+refit)
		var stderr bytes.Buffer
		args := []string{"train", "--folders", sampleDir(), "--model", cfg.Model, "-m", path, "--set", "train.refit=" + refit, "--set", "key_file=" + keyFile}
		if code := run(t.Context(), args, nil, nil, io.Discard, &stderr); code != 0 {
			t.Fatalf("exit code %d: %s", code, &stderr)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if !bytes.Equal(saved("false"), want) {
		t.Error("with train.refit=false the model has other bytes than that of the training part")
	}
	if bytes.Equal(saved("true"), want) {
		t.Error("with train.refit=true the model has the bytes of that of the training part: the test shows nothing")
	}
}
