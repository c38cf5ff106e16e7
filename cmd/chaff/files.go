package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chaff/cmd/internal/delivery"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/internal/termkey"
	"chaff/store"
	"chaff/train"
)

// writeFile writes a file of a kind that a flag names, and says so.
func (p *program) writeFile(path string, kind replace.Kind, write func(w io.Writer) error) error {
	var data bytes.Buffer
	if err := write(&data); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err := writeBytes(path, kind, data.Bytes())
	if err == nil && !p.quiet {
		p.aside("wrote %s", path)
	}
	return err
}

// writeBytes writes a file of a kind in one step: readers see the old content or all of the new.
func writeBytes(path string, kind replace.Kind, data []byte) error {
	if err := replace.File(path, kind, data, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, replace.Reason(err))
	}
	return nil
}

// forNewModel is canMake, and returns how mail is read for a new model, with the secret key from the file in the configuration or in the data
// folder. If the file does not exist, the key is random, and keep writes it; call keep after a model is saved.
func (x *onModel) forNewModel(reads []string, others ...replace.Output) (o train.CollectOptions, keep func() error, err error) {
	keyKind := replace.Kind{Name: "secret key"} // of which no file is, since no key is replaced
	const keyHint = "name its file: --set key_file=FILE"
	if err := x.canMake(reads, others...); err != nil {
		return o, nil, err
	}
	x.warnOfModels()
	o = collectOptions(x.Config)
	_, kind, err := x.Models.New(x.Model, x.Seed)
	if err != nil {
		return o, nil, err
	}
	o.NoGrams = kind != features.Evidence
	path := cmp.Or(x.KeyFile, delivery.Path(x.environ, delivery.DataHome, "key"))
	if path == "" {
		return o, nil, hint.With(errors.New("no path for the secret key: the home directory is unknown"), keyHint)
	}
	about := func(err error) error {
		if err == nil {
			return nil
		}
		return hint.With(fmt.Errorf("secret key %s: %w", path, replace.Reason(err)), keyHint)
	}
	text, isShared, err := readSecret(path)
	if err == nil {
		o.Reading.Key, err = termkey.Parse(strings.TrimSpace(string(text)))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		if err == nil && isShared {
			hint.Print(x.stderr, hint.With(fmt.Errorf("secret key %s: other users can read it", path), "chmod 600 "+hint.Word(path)))
		}
		return o, func() error { return nil }, about(err)
	}
	var secret [termkey.Size]byte
	_, _ = rand.Read(secret[:]) // it never fails
	o.Reading.Key = termkey.New(secret)
	if err := canWrite(nil, replace.Output{Path: path, Kind: keyKind, Made: true}); err != nil {
		return o, nil, hint.With(fmt.Errorf("the secret key of the model cannot be kept: %w", err), "name a folder of data that can be written: XDG_DATA_HOME=DIR; or the file of the key: --set key_file=FILE")
	}
	return o, func() error {
		if _, err := os.Stat(path); err == nil { // another process has written one: both models work, since each stores its own
			return nil
		}
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = replace.File(path, keyKind, fmt.Appendf(nil, "%x\n", o.Reading.Key.Bytes()), 0o600)
		}
		return about(err)
	}, nil
}

// readSecret reads a file or a pipe with a secret, and reports whether it is a file that other users can read.
func readSecret(path string) (text []byte, isShared bool, err error) {
	const maxSecret = 64 << 10 // bytes of a key, password or token
	file, err := os.Open(path)
	if err != nil {
		return nil, false, replace.Reason(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err == nil {
		isShared = replace.Others(info) != 0 && info.Mode()&fs.ModeNamedPipe == 0
		text, err = io.ReadAll(io.LimitReader(file, maxSecret))
	}
	return text, isShared, replace.Reason(err)
}

// canMake is canWrite for a new model and other outputs of a command that reads the settings, too. Only the default folder may be missing, which it makes. Without --replace it returns an error
// if saving the model would lose what its log has learned since it was trained.
func (x *onModel) canMake(reads []string, others ...replace.Output) error {
	if x.model == "" {
		return hint.With(errors.New("no path for the model: the home directory is unknown"), "name one: -m FILE")
	}
	if x.model == delivery.Path(x.environ, delivery.DataHome, "model") {
		if err := os.MkdirAll(filepath.Dir(x.model), 0o700); err != nil {
			return hint.With(fmt.Errorf("save %s: %w", x.model, replace.Reason(err)), "name another place: -m FILE")
		}
	}
	if err := canWrite(append(reads, x.File), append(others, store.Outputs(x.model)...)...); err != nil || x.replace {
		return err
	}
	n, err := store.Later(x.model)
	command := x.command.CommandPath()
	switch {
	case errors.Is(err, store.ErrEarlier):
		return err
	case err != nil:
		return hint.With(err, command+" --replace replaces the log")
	case n > 0:
		return hint.With(fmt.Errorf("%s has learned, forgotten or confirmed %s since it was trained: %s would undo that", x.model, screen.Plural(n, "message"), command),
			"chaff learn"+x.use()+" PATH adds mail to what it knows; "+command+" --replace drops what it has learned")
	}
	return nil
}

// addReplace adds the flag that lets a command replace a model that has learned since it was trained.
func (x *onModel) addReplace() {
	x.command.Flags().BoolVar(&x.replace, "replace", false, "replace the model even if it has learned messages since it was trained")
}

// canWrite returns an error if an output with a path cannot be written, or if that would cost what the command reads, what is not chaff's,
// or another output. It leaves nothing behind. A folder that is missing is a typing mistake, unless it is made.
func canWrite(reads []string, outputs ...replace.Output) error {
	for i, o := range outputs {
		if o.Path == "" {
			continue
		}
		if o.Path == stdinPath {
			return hint.With(errors.New("save -: it names no file"), stdoutPath+" names stdout, and ./- a file of this name")
		}
		dir := filepath.Dir(o.Path)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && !o.Made {
			return hint.With(fmt.Errorf("save %s: there is no folder %s", o.Path, dir), "make it first: mkdir -p "+hint.Word(dir))
		}
		target, err := replace.Target(o.Path)
		isDevice := errors.Is(err, replace.ErrDevice)
		if isDevice {
			target = o.Path
		} else if err != nil {
			return fmt.Errorf("save %s: %w", o.Path, err)
		}
		if info, err := os.Stat(target); err == nil && info.Mode()&fs.ModeCharDevice != 0 {
			continue // a terminal is read and written, and /dev/null by anyone
		}
		for _, from := range reads {
			if from != "" && isSame(from, target) {
				return hint.With(fmt.Errorf("save %s: the same command reads %s", o.Path, from), "name a file that is elsewhere")
			}
		}
		for _, other := range outputs[:i] {
			if other.Path != "" && (isSame(other.Path, target) || isSame(other.Path, o.Path)) {
				return fmt.Errorf("save %s: the command would write two files there", o.Path)
			}
		}
		if isDevice {
			continue
		}
		if err := o.Kind.Check(target); err != nil {
			return fmt.Errorf("save %s: %w", o.Path, err)
		}
		dir = filepath.Dir(target)
		for _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
			dir = filepath.Dir(dir) // the nearest that exists
		}
		if err := replace.Probe(dir, o.Kind == store.LogKind()); err != nil { // a log is locked
			return fmt.Errorf("save %s: cannot write in %s: %w", o.Path, dir, err)
		}
	}
	return nil
}

// isSame reports whether two paths lead to one file, which need not exist.
func isSame(a, b string) bool {
	of, err1 := os.Stat(a)
	with, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(of, with) || filepath.Clean(a) == filepath.Clean(b)
}

// openModel opens the model for messages at paths. Without a model it reads what is on stdin, if that is a path: a program that pipes a message may be ended by a
// signal if nobody reads it.
func (p *program) openModel(paths ...string) (*filter.Filter, error) {
	f, err := delivery.OpenModel(p.model, p.stderr)
	if err != nil && slices.Contains(paths, stdinPath) {
		p.streams.Drain()
	}
	return f, err
}

// look opens the log of the model for reading.
func (p *program) look() (*store.View, error) {
	if err := p.hasStore(p.model); err != nil {
		return nil, err
	}
	v, err := store.Look(p.model)
	return v, delivery.Advised(p.model, err)
}

// hasStore returns an error that says how to begin if the model at path does not exist or has no log.
func (p *program) hasStore(path string) error {
	if path == "" {
		return hint.With(errors.New("no model: the home directory is unknown"), "say where it is: -m FILE")
	}
	if _, err := os.Stat(filter.LogOf(path)); !errors.Is(err, fs.ErrNotExist) || store.HasEarlier(path) {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return hint.With(fmt.Errorf("there is no model %s", path), "begin with the mail you have: chaff train"+p.use()+" ~/Maildir; or with none: chaff learn --begin"+p.use())
	}
	f, err := delivery.OpenModel(path, io.Discard)
	if err != nil {
		return err
	}
	defer f.Close()
	return fmt.Errorf("read %s: %w", filter.LogOf(path), store.ErrNone) // it was lost, or the model saved without
}

// unused returns why the model at path is used without its log, or nil.
func unused(path string) error {
	f, err := filter.OpenLearned(path)
	if err != nil {
		return nil // which whoever opens it says
	}
	defer f.Close()
	if err = f.LogErr(); err != nil {
		err = filter.AboutLog(path, err)
	}
	return err
}

// fromLog says how to make a model anew.
func fromLog(path string) string {
	return "chaff retrain -m " + hint.Word(path) + " makes the model anew from its log"
}

// saved names the model and its log, if it has one, with their sizes.
func (a *answer) saved() {
	sizeAt := func(path string) (text string) {
		if info, err := os.Stat(path); err == nil {
			text = sizeOf(info.Size())
		}
		return text
	}
	text := filepath.ToSlash(a.model) + ", " + sizeAt(a.model)
	if size := sizeAt(filter.LogOf(a.model)); size != "" {
		text += "; " + filepath.Base(a.model) + store.Suffix + ", " + size
	}
	a.line("%-12s%s", "saved", text)
}
