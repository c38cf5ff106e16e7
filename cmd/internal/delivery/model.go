package delivery

import (
	"errors"
	"fmt"
	"io/fs"

	"chaff/filter"
	"chaff/internal/hint"
)

// OpenModel opens a model file. Its errors have a hint.
func OpenModel(path string) (*filter.Filter, error) { return openModel(path, filter.Open) }

func openModel(path string, open func(path string) (*filter.Filter, error)) (*filter.Filter, error) {
	if path == "" {
		return nil, hint.With(errors.New("no model: the home directory is unknown"), "say where it is: -m FILE")
	}
	f, err := open(path)
	return f, advised(err)
}

// advised adds a hint to an error about a model file.
func advised(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hint.With(err, "train one first: chaff train --maildir ~/Maildir, or say where it is: -m FILE")
	case errors.Is(err, filter.ErrVersion), errors.Is(err, filter.ErrDamaged), errors.Is(err, filter.ErrTruncated):
		return hint.With(err, "train it again with chaff train")
	}
	return err
}

// classify returns the verdict of a model that is open for one message.
func (r Request) classify(f *filter.Filter, raw []byte) (filter.Classification, error) {
	v := f.Classify(raw)
	if err := f.Err(); err != nil {
		return filter.Classification{}, ModelError(r.Model, err)
	}
	return v, nil
}

// ModelError names the model file in an error about an open model, and adds a hint.
func ModelError(path string, err error) error {
	err = fmt.Errorf("open model %s: %w", path, err)
	if errors.Is(err, filter.ErrNoTexts) {
		return hint.With(err, "train it again with --set features.texts=true")
	}
	return advised(err)
}
