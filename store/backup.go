package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/train"
)

// Backup writes the log of the model at path to out, as it is at one time, while others may learn, and returns how many messages it has. It reads and
// verifies all of it.
func Backup(path, out string) (messages int, err error) {
	b, l, err := readAll(path)
	if err != nil {
		return 0, err
	}
	defer b.file.Close()
	if err := b.each(b.log.Verify); err != nil {
		return 0, fmt.Errorf("read %s: %w", path+Suffix, err)
	}
	err = replace.Written(out, LogKind(), filter.NewFileMode, func(file *os.File) error {
		_, err := io.Copy(file, io.NewSectionReader(b.file, 0, b.end))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("save %s: %w", out, err)
	}
	return l.learned, nil
}

// Restore makes the model at path and its log of a backup, or of any log: the model that [Store.Retrain] makes, byte for byte. If there is a model or a
// log already, the error wraps fs.ErrExist, unless replacing is true.
func Restore(ctx context.Context, from, path string, o RetrainOptions, replacing bool) (train.Refitted, error) {
	file, _, err := replace.OpenRegular(from, os.O_RDONLY)
	var b *book
	if err == nil {
		defer file.Close()
		b, err = openBook(file)
	}
	var l *ledger
	if err == nil {
		l, err = b.read(features.NewDocuments(o.Memory))
	}
	if err != nil {
		return train.Refitted{}, fmt.Errorf("read %s: %w", from, err)
	}
	f, refitted, err := l.make(ctx, o, time.Now())
	if err != nil {
		return refitted, fmt.Errorf("make the model of %s: %w", from, err)
	}
	return refitted, save(ctx, path, f, l, func(target string) error {
		if replacing {
			return nil
		}
		return cmp.Or(absent(target), absent(target+Suffix))
	})
}

// isDamage reports whether an error is one of a model that its log can replace.
func isDamage(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrNotExist, filter.ErrTruncated, filter.ErrDamaged, filter.ErrVersion, filter.ErrOtherModel, logfile.ErrDamaged},
		func(damage error) bool { return errors.Is(err, damage) })
}
