package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"chaff/filter"
	"chaff/internal/cputime"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/train"
)

// Backup writes the log of the model at path to out, as it is at one time, while others may learn, and returns how many messages it has. It reads and
// verifies all of it.
func Backup(path, out string) (messages int, err error) {
	target, err := replace.Target(path)
	var b *book
	if err == nil {
		b, err = openToRead(target)
	}
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path+Suffix, err)
	}
	defer b.file.Close()
	all, _, err := b.entries()
	if err == nil {
		err = b.each(b.log.Verify)
	}
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path+Suffix, err)
	}
	err = replace.Written(out, LogKind(), filter.NewFileMode, func(file *os.File) error {
		_, err := io.Copy(file, io.NewSectionReader(sections.Plain(b.file), 0, b.end))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("save %s: %w", out, err)
	}
	return len(all), nil
}

// Restore makes the model at path and its log of a backup, or of any log: the model that [Store.Retrain] makes, byte for byte. If there is a model or a
// log already, the error wraps fs.ErrExist, unless replacing is true.
func Restore(ctx context.Context, from, path string, o RetrainOptions, replacing bool) (train.Refitted, error) {
	began := cputime.Process()
	file, err := openRegular(from, os.O_RDONLY)
	var b *book
	if err == nil {
		defer file.Close()
		b, err = openBook(file)
	}
	var l *ledger
	if err == nil {
		l, err = b.ledger(o.Memory)
	}
	if err == nil {
		err = l.documents.Complete(1)
	}
	if err != nil {
		return train.Refitted{}, fmt.Errorf("read %s: %w", from, err)
	}
	f, refitted, err := l.made(ctx, o, time.Now(), began)
	if err != nil {
		return refitted, fmt.Errorf("make the model of %s: %w", from, err)
	}
	return refitted, save(ctx, path, f, l, func(target string) error {
		for _, name := range []string{target, target + Suffix} {
			if info, err := os.Lstat(name); !replacing && err == nil && info.Size() > 0 {
				return fs.ErrExist
			}
		}
		return nil
	})
}

// damages are the errors of a model that its log can replace.
func damages() []error {
	return []error{fs.ErrNotExist, filter.ErrTruncated, filter.ErrDamaged, filter.ErrVersion, filter.ErrOtherModel, logfile.ErrDamaged}
}

// remake makes the model anew from the log.
func (s *writer) remake(ctx context.Context) error {
	began := cputime.Process()
	l, err := s.ledger(0)
	if err == nil {
		err = l.documents.Complete(1)
	}
	if err != nil {
		return err
	}
	f, _, err := l.made(ctx, RetrainOptions{}, s.now(), began)
	if err != nil {
		return err
	}
	why := s.remade
	err = s.replace(f, l)
	s.remade = why
	return err
}

// made makes the model of a log: by a fit, or if there is too little mail for one, by learning one message after the other.
func (l *ledger) made(ctx context.Context, o RetrainOptions, now time.Time, began time.Duration) (*filter.Filter, train.Refitted, error) {
	f, refitted, err := l.fit(ctx, o, now, began)
	if errors.Is(err, ErrTooFew) {
		if f, err = l.replay(); err == nil {
			refitted = train.Refitted{Messages: len(l.entries), Terms: f.Vocabulary().Len()}
		}
	}
	return f, refitted, err
}
