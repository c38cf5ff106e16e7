package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/train"
)

// Outputs returns the files that saving a model with its log at path replaces: of a device only that.
func Outputs(path string) []replace.Output {
	all := []replace.Output{{Path: path, Kind: filter.FileKind()}}
	target, err := replace.Target(path)
	if err != nil {
		return all
	}
	return append(all, replace.Output{Path: target + Suffix, Kind: LogKind()})
}

// LogKind returns the kind of logs.
func LogKind() replace.Kind { return replace.Kind{Name: "log", Start: logfile.Magic} }

// Create begins the log of a model that was fitted to all messages of mail, and saves both. It replaces an older log; unless replacing is
// true, only one in which nothing was taught but by training, for else the error wraps [ErrLearned].
func Create(ctx context.Context, path string, mail *train.Mail, f *filter.Filter, fitted train.Refitted, o Options, replacing bool) error {
	r, err := recipeOf(f)
	if err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Second)
	l := ledgerOf(r, facts{Options: o, Fitted: now.Unix(), FitSeconds: fitted.Seconds}, mail, now)
	l.doubt(fitted.Doubts)
	return save(ctx, path, f, l, replacing, ofTraining)
}

// Collect writes a part of the mail that a model is to be trained on: a log, and in the place of the model a file that says that it is a part. [Merge] makes a
// model of parts. Their messages have no time of learning until then, so what a log says of a message counts more. It replaces what [Create] does.
func Collect(ctx context.Context, path string, mail *train.Mail, model string, c train.CollectOptions, t train.Options, o Options, replacing bool) error {
	r, err := newRecipe(mail.Classes, model, c, t)
	if err != nil {
		return err
	}
	return save(ctx, path, nil, ledgerOf(r, facts{Options: o}, mail, time.Time{}), replacing, ofTraining)
}

// ledgerOf returns the ledger of mail that was learned by training at a time.
func ledgerOf(r recipe, f facts, mail *train.Mail, learned time.Time) *ledger {
	l := newLedger(r, f, mail.Documents())
	l.entries = make([]Entry, 0, mail.Len())
	for i := range mail.Len() {
		l.say(Entry{Entry: mail.Entry(i), Learned: learned, Way: ByTraining, Score: math.NaN(), Class: -1, what: learn})
	}
	l.tidy()
	l.count()
	return l
}

// ofTraining returns an error if the log of the model at path was taught other than by training.
func ofTraining(path string) error {
	n, err := Later(path)
	if n > 0 {
		err = ErrLearned
	}
	return err
}

// Later returns how many messages the log of the model at path has learned or forgotten other than by training, or has labels of that a person has confirmed;
// 0 without a log. It reads no document, and not the model.
func Later(path string) (n int, err error) {
	b, l, err := readAll(path)
	switch {
	case errors.Is(err, ErrNone):
		return 0, nil
	case err != nil:
		return 0, err
	}
	b.file.Close()
	n = len(l.entries) - l.learned
	for _, e := range l.entries[:l.learned] {
		n += int(flag(e.Confirmed || e.Way != ByTraining && e.Way != ByImport))
	}
	return n, nil
}

// Begin begins a log without messages, and its model, which learns from one message after the other. The error wraps fs.ErrExist if
// there is a model already, or its log.
func Begin(ctx context.Context, path string, classes []string, model string, c train.CollectOptions, t train.Options, o Options) error {
	r, err := newRecipe(classes, model, c, t)
	return begin(ctx, path, r, err, o)
}

// BeginLike is [Begin] for a model with the classes and the settings of f.
func BeginLike(ctx context.Context, path string, f train.Made, o Options) error {
	r, err := recipeOf(f)
	return begin(ctx, path, r, err, o)
}

// begin begins a log by a recipe, unless there was an error before.
func begin(ctx context.Context, path string, r recipe, err error, o Options) error {
	var mail *train.Mail
	var f *filter.Filter
	if err == nil {
		mail, f, err = r.empty()
	}
	if err != nil {
		return fmt.Errorf("begin %s: %w", path, err)
	}
	return save(ctx, path, f, ledgerOf(r, facts{Options: o}, mail, time.Time{}), false, absent)
}

// absent returns an error if there is a model at path, or a log that one can be made of.
func absent(path string) error {
	if hasBytes(path) || hasBytes(path+Suffix) {
		return fs.ErrExist
	}
	return nil
}

// hasBytes reports whether there is a file at path that is not empty.
func hasBytes(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Size() > 0
}

// save writes a model, or a part for nil, and its log to path. Unless replacing is true, check returns no error about what is there, once nobody else can
// change it.
func save(ctx context.Context, path string, f *filter.Filter, l *ledger, replacing bool, check func(target string) error) (err error) {
	target, err := replace.Target(path)
	if errors.Is(err, replace.ErrDevice) && f != nil { // it has no room for a log
		return f.Save(path)
	}
	defer about(&err, "save "+path)
	if err != nil {
		return err
	}
	if err := replace.Probe(filepath.Dir(target), true); err != nil { // nothing is begun where it cannot go on
		return err
	}
	// Whoever begins a log locks it before it has a byte.
	begun, err := replace.Open(target+Suffix, os.O_RDWR, filter.NewFileMode)
	if err != nil {
		return replace.Reason(err)
	}
	begun.Close()
	old, err := lockFile(ctx, target, Suffix, lockWait)
	if err != nil {
		return err
	}
	defer old.Close()
	if !replacing {
		err = check(target)
	}
	if err == nil {
		var file *os.File
		if file, err = commit(target, f, l, nil); file != nil {
			err = cmp.Or(err, file.Close())
		}
	}
	if info, e := old.Stat(); err != nil && e == nil && info.Size() == 0 {
		replace.Remove(target + Suffix)
	}
	return err
}

// SaveAlone saves a model without a log, and removes the log of the model that it replaces.
func SaveAlone(ctx context.Context, path string, f *filter.Filter) error {
	target, err := replace.Target(path)
	var log *os.File
	if err == nil {
		log, err = lockFile(ctx, target, Suffix, lockWait)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, replace.ErrDevice) {
		return f.Save(path)
	}
	if err == nil {
		defer log.Close() // nobody learns while it is removed
		err = LogKind().Check(target + Suffix)
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := f.Save(path); err != nil {
		return err
	}
	return replace.Remove(target + Suffix)
}

// commit writes a log, and a model that has learned all of it, or a part for nil: the log takes the place of the old one first. Whoever opens it before the
// model is in its place makes that anew. It returns the new log, locked, also with an error if that is in place. last, if it is not nil, gets both when they are
// written and not in their place.
func commit(path string, f *filter.Filter, l *ledger, last func(model string, log *os.File) error) (log *os.File, err error) {
	write := filter.SavePart
	if l.facts.Terms = 0; f != nil {
		l.facts.Terms = f.Vocabulary().Len()
		write = func(file io.WriterAt) (identity uint64, err error) { return f.SaveTo(file, true) }
	}
	err = replace.Written(path, filter.FileKind(), filter.NewFileMode, func(model *os.File) error {
		written := sync.OnceValues(func() (identity uint64, err error) {
			if identity, err = write(model); err == nil {
				err = model.Sync() // so that the new log waits for its model no longer than it must
			}
			return identity, err
		})
		go written() // beside the log, whose last record waits for it
		log, err = replace.Locked(path+Suffix, path, LogKind(), filter.NewFileMode, func(file *os.File) error {
			err := l.save(file, written)
			if err == nil && last != nil {
				err = last(model.Name(), file)
			}
			return err
		})
		if _, failed := written(); err != nil || failed != nil {
			return cmp.Or(err, failed)
		}
		return syncFolder(path) // a crash of the system must not undo the first change and keep the second
	})
	if err == nil {
		err = syncFolder(path)
	}
	return log, replace.Reason(err)
}

// syncFolder syncs the folder of a file, where the system does not do so by itself.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) { // some file systems cannot either
		return err
	}
	return nil
}

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
	file, info, err := replace.OpenRegular(from, "", os.O_RDONLY)
	var b *book
	if err == nil {
		defer file.Close()
		b, err = openBook(file)
	}
	if errors.Is(err, ErrNone) {
		err = logfile.ErrTruncated
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
	if info.Size() > b.end { // as a crash leaves a log, or a copy that was cut off
		refitted.Warnings = append(refitted.Warnings, "the end of "+from+" is missing: it ends within a record, which was left out")
	}
	return refitted, save(ctx, path, f, l, replacing, absent)
}

// isDamage reports whether an error is one of a model that its log can replace.
func isDamage(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrNotExist, filter.ErrTruncated, filter.ErrDamaged, filter.ErrVersion, logfile.ErrOtherModel, logfile.ErrDamaged},
		func(damage error) bool { return errors.Is(err, damage) })
}
