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
	"chaff/internal/replace"
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
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // the path is named already
		}
		return hint.With(fmt.Errorf("secret key %s: %w", path, err), keyHint)
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

// writeKey writes a new key, which its owner alone may read. One that another process wrote in the meantime stays, for the
// models to come; of several that write at the same moment the last one wins. Each model has its own key, so all of them work.
func writeKey(path string, key features.Key) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replace.File(path, fmt.Appendf(nil, "%x\n", key.Bytes()), 0o600)
}
