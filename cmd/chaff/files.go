package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chaff/config"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/places"
	"chaff/internal/replace"
	"chaff/internal/termkey"
)

// writeFile writes a file in one step: readers see the old content or all of the new.
func writeFile(path string, write func(w io.Writer) error) error {
	var data bytes.Buffer
	if err := write(&data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return writeBytes(path, data.Bytes())
}

// writeBytes is writeFile for data in memory.
func writeBytes(path string, data []byte) error {
	if err := replace.File(path, data, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, replace.Reason(err))
	}
	return nil
}

// secretReading returns how messages are read for a new model, with the secret key from the file in the configuration or in the
// data folder. If the file does not exist, the key is random, and keep writes it; call keep after a model is saved.
func (p *program) secretReading(cfg config.Config) (reading filter.Reading, keep func() error, err error) {
	reading = readingOf(cfg)
	path := cmp.Or(cfg.KeyFile, places.Key(p.environ))
	if path == "" {
		return reading, nil, hint.With(errors.New("no path for the secret key: the home directory is unknown"), keyHint)
	}
	about := func(err error) error {
		if err == nil {
			return nil
		}
		return hint.With(fmt.Errorf("secret key %s: %w", path, replace.Reason(err)), keyHint)
	}
	reading.Key, err = readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		reading.Key = termkey.New()
		return reading, func() error { return about(writeKey(path, reading.Key)) }, canSave(path)
	}
	if err != nil {
		return reading, nil, about(err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		hint.Print(p.stderr, hint.With(fmt.Errorf("secret key %s: other users can read it", path), "chmod 600 "+shellWord(path)))
	}
	return reading, func() error { return nil }, nil
}

const keyHint = "name its file: --set key_file=FILE"

// readKey reads a key file: 32 hexadecimal digits and a newline.
func readKey(path string) (termkey.Key, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return termkey.Key{}, err
	case !info.Mode().IsRegular():
		return termkey.Key{}, errors.New("not a regular file")
	case info.Size() > 1<<10:
		return termkey.Key{}, errors.New("not a key file")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return termkey.Key{}, err
	}
	return termkey.Parse(strings.TrimSpace(string(text)))
}

// writeKey writes a new key that only its owner can read. It keeps a key that another process has written meanwhile. Both
// models work, since each stores its own key.
func writeKey(path string, key termkey.Key) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replace.File(path, fmt.Appendf(nil, "%x\n", key.Bytes()), 0o600)
}

// canSave returns an error if a file cannot be written at path. It leaves nothing behind.
func canSave(path string) error {
	if path == "" {
		return hint.With(errors.New("no path for the model: the home directory is unknown"), "name one: -m FILE")
	}
	target, err := replace.Target(path)
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	dir := filepath.Dir(target)
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err := replace.Probe(dir); err != nil {
		return fmt.Errorf("save %s: cannot write in %s: %w", path, dir, err)
	}
	return nil
}

// canSaveModel is canSave for the model at path. Only the default folder may be missing: chaff makes it.
func (p *program) canSaveModel(path string) error {
	if path == "" || path == places.Model(p.environ) {
		return canSave(path)
	}
	return canSaveAll(path)
}

// canSaveAll is canSave for the paths that are not empty, whose folders must exist: a folder that is missing is a typing mistake.
func canSaveAll(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if dir := filepath.Dir(path); dir != "." {
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				return hint.With(fmt.Errorf("save %s: there is no folder %s", path, dir), "make it first: mkdir -p "+shellWord(dir))
			}
		}
		if err := canSave(path); err != nil {
			return err
		}
	}
	return nil
}

// makeFolder makes the folder of a file.
func makeFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}
