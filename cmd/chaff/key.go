package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chaff/config"
	"chaff/features"
	"chaff/internal/hint"
	"chaff/internal/places"
)

// key returns the key of the models to be made, that of the file in the configuration or else of the data folder, and what keeps it in
// that file once a model was saved. If the file does not exist the key is made at random.
func (p *program) key(cfg config.Config) (key features.Key, keep func() error, err error) {
	path := cfg.KeyFile
	if path == "" {
		path = places.Key(p.environ)
	}
	if path == "" {
		return key, nil, hint.With(errors.New("no place for the secret key: the home directory is unknown"), keyHint)
	}
	about := func(err error) error {
		if err == nil {
			return nil
		}
		return hint.With(fmt.Errorf("secret key %s: %w", path, withoutPath(err)), keyHint)
	}
	key, err = readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		key = features.NewKey()
		return key, func() error { return about(writeKey(path, key)) }, canSave(path)
	}
	if err != nil {
		return key, nil, about(err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		hint.Print(p.stderr, hint.With(fmt.Errorf("secret key %s: others than its owner may read it", path), "chmod 600 "+path))
	}
	return key, func() error { return nil }, nil
}

const keyHint = "say which file holds it, or shall hold it: --set key_file=FILE"

// readKey reads a key file: 32 hexadecimal digits and a line end.
func readKey(path string) (features.Key, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return features.Key{}, err
	case !info.Mode().IsRegular():
		return features.Key{}, errors.New("it is no regular file")
	case info.Size() > 1<<10:
		return features.Key{}, errors.New("it is no key file")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return features.Key{}, err
	}
	return features.ParseKey(strings.TrimSpace(string(text)))
}

// writeKey writes a new key, which its owner alone may read. A reader never sees a part of a key. One that another process wrote in the
// meantime stays: it is that of the models to come.
func writeKey(path string, key features.Key) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".chaff-*") // with the mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = fmt.Fprintf(file, "%x\n", key.Bytes())
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// withoutPath takes the path off an error about a file that is named already.
func withoutPath(err error) error {
	var pathError *fs.PathError
	var linkError *os.LinkError
	switch {
	case errors.As(err, &pathError):
		return pathError.Err
	case errors.As(err, &linkError):
		return linkError.Err
	}
	return err
}
