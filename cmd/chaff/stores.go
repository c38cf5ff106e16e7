package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"chaff/cmd/internal/delivery"
	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/models"
	"chaff/store"
	"chaff/train"
)

// openStore opens the log of the model at path for learning.
func openStore(ctx context.Context, path string, o store.Options) (*store.Store, error) {
	if err := hasStore(path); err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, path, o)
	return s, aboutStore(err)
}

// look opens the log of the model at path for reading.
func look(path string) (*store.View, error) {
	if err := hasStore(path); err != nil {
		return nil, err
	}
	v, err := store.Look(path)
	return v, aboutStore(err)
}

// storeOf returns the path of the log of the model at path, or at the end of a link at path.
func storeOf(path string) string {
	if target, err := replace.Target(path); err == nil {
		path = target
	}
	return path + store.Suffix
}

// hasStore returns an error that says how to begin if the model at path does not exist or has no log.
func hasStore(path string) error {
	if path == "" {
		return hint.With(errors.New("no model: the home directory is unknown"), "say where it is: -m FILE")
	}
	if _, err := os.Stat(storeOf(path)); !errors.Is(err, fs.ErrNotExist) || store.HasEarlier(path) {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return hint.With(fmt.Errorf("there is no model %s", path), "begin with the mail you have: chaff train ~/Maildir; or with none: chaff learn --begin")
	}
	f, err := delivery.OpenModel(path, io.Discard)
	if err != nil {
		return err
	}
	defer f.Close()
	return hint.With(fmt.Errorf("the model %s was saved without a log, so it cannot learn", path),
		"chaff train saves a model that can: chaff train ~/Maildir")
}

type advice struct {
	about error
	hint  string
}

// advise adds to an error the first hint that is about it.
func advise(err error, all ...advice) error {
	for _, a := range all {
		if errors.Is(err, a.about) {
			return hint.With(err, a.hint)
		}
	}
	return err
}

// aboutStore adds a hint to an error about the log of a model.
func aboutStore(err error) error {
	const anew = "chaff restore --replace makes the model anew from a backup, chaff train --replace from your mail"
	return aboutOutput(advise(err,
		advice{store.ErrVersion, "install the version of chaff that wrote it, or a later one"},
		advice{store.ErrEarlier, "chaff retrain turns it into a log, which nothing is lost by"},
		advice{store.ErrNone, anew},
		advice{store.ErrDamaged, anew},
		advice{store.ErrTruncated, anew},
		advice{store.ErrLearned, "run it again, so that they are not lost"},
		advice{filter.ErrPart, "chaff merge PART... -o FILE"},
		advice{train.ErrTooMuch, "chaff merge --sample 1/2 -o FILE fits a model to half of them, chaff collect --sample 1/2 reads half"},
		advice{corpus.ErrTooMuchText, "chaff merge --sample 1/2 fits a model to half of them, or --set split.method=hash looks for none"},
		advice{features.ErrTooManyTerms, "chaff collect --sample 1/2 reads half of the mail"},
		advice{models.ErrFull, "chaff merge --sample 1/2 -o FILE fits a model to half of the messages"},
		advice{store.ErrLocked, "try again when it is done"},
		advice{store.ErrTooFew, "learn messages of each class first: chaff learn --ham PATH, chaff learn --spam PATH"}))
}

// anew says how the model at path, which cannot be opened because of err, is made anew of its log. It is empty if that is no cure.
func anew(path string, err error) string {
	if _, missing := os.Stat(storeOf(path)); missing != nil {
		return ""
	}
	_, gone := os.Stat(path)
	command := "chaff retrain -m " + shellWord(path) + " makes it anew from its log"
	switch {
	case errors.Is(err, filter.ErrNotModel): // which could be a file of another program
		return "remove it, then " + command
	case errors.Is(err, filter.ErrTruncated), errors.Is(err, filter.ErrDamaged), errors.Is(gone, fs.ErrNotExist):
		return command
	}
	return ""
}

// savedFiles names a model and its log, if it has one, with their sizes.
func savedFiles(path string) string {
	sizeAt := func(path string) (text string) {
		if info, err := os.Stat(path); err == nil {
			text = sizeOf(info.Size())
		}
		return text
	}
	text := path + ", " + sizeAt(path)
	if size := sizeAt(storeOf(path)); size != "" {
		text += "; " + filepath.Base(path) + store.Suffix + ", " + size
	}
	return text
}
