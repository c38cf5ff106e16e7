package delivery

import (
	"errors"
	"fmt"
	"io/fs"

	"chaff/filter"
	"chaff/internal/hint"
)

// OpenModel opens a model file; the error says what to do.
func OpenModel(path string) (*filter.Filter, error) {
	if path == "" {
		return nil, hint.With(errors.New("no model: the home directory is unknown"), "say where it is: -m FILE")
	}
	f, err := filter.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = hint.With(err, "train one first: chaff train --maildir ~/Maildir, or say where it is: -m FILE")
	case errors.Is(err, filter.ErrVersion), errors.Is(err, filter.ErrDamaged), errors.Is(err, filter.ErrTruncated):
		err = hint.With(err, "train it again with chaff train")
	}
	return f, err
}

// ModelError is an error about a model that was opened.
func ModelError(path string, err error) error {
	err = fmt.Errorf("open model %s: %w", path, err)
	if errors.Is(err, filter.ErrNoTexts) {
		return hint.With(err, "train it again with --set features.texts=true")
	}
	return err
}
