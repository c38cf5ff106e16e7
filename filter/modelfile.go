package filter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/internal/sections"
)

// LogSuffix is appended to the path of a model to name its log.
const LogSuffix = ".log"

// LogOf returns the path of the log of the model at path: beside the file, not beside a link to it.
func LogOf(path string) string {
	if target, err := replace.Target(path); err == nil {
		path = target
	}
	return path + LogSuffix
}

// AboutLog returns an error of [Filter.LogErr] that names the file which it is about: the log of the model at path, or the model.
func AboutLog(path string, err error) error {
	ofModel := []error{ErrDamaged, ErrTruncated, ErrVersion, ErrNotLearning}
	if !slices.ContainsFunc(ofModel, func(reason error) bool { return errors.Is(err, reason) }) {
		path += LogSuffix
	}
	return fmt.Errorf("%s: %w", path, err)
}

// modelFile is an open model file, of which the table was read.
type modelFile struct {
	*sections.Reader
	opened fs.FileInfo
	file   *os.File
	log    *os.File       // as long as it is read
	tail   []logfile.Rows // what its log says was learned since it was written
	unused error          // why the log is not used
}

// openModelFile opens the model at path. The error names it.
func openModelFile(path string) (m modelFile, err error) {
	m.file, m.opened, err = replace.OpenRegular(path, "", os.O_RDONLY)
	if errors.Is(err, replace.ErrSpecial) {
		err = ErrNotModel
	}
	if err == nil {
		m.Reader, err = modelFormat.Open(m.file, m.opened.Size())
	}
	if err != nil {
		m.Close()
		return modelFile{}, fmt.Errorf("open model %s: %w", path, replace.Reason(err)) // whose path would name the file twice
	}
	return m, nil
}

// readAll reads the file into memory, and closes it.
func (m *modelFile) readAll() (err error) {
	data := make([]byte, m.opened.Size())
	if n, err := m.file.ReadAt(data, 0); n < len(data) {
		if err == io.EOF {
			err = ErrTruncated
		}
		return err
	}
	m.file.Close()
	m.Reader, err = modelFormat.Open(bytes.NewReader(data), m.opened.Size())
	return err
}

// settled is the least age of a model file of which parts are read. A program that rewrites a file in place updates its times before it writes the
// bytes, so the bytes of a younger file may still change.
const settled = 2 * time.Second

// settle reads a file that changed a moment ago into memory. It returns what reports whether another one has changed since it was opened.
func (m *modelFile) settle(now time.Time) (changed func() bool, err error) {
	if now.Sub(m.opened.ModTime()) > settled {
		return func() bool {
			is, err := m.file.Stat()
			return err != nil || !is.ModTime().Equal(m.opened.ModTime()) || is.Size() != m.opened.Size()
		}, nil
	}
	err = m.readAll()
	for _, name := range []string{"TERM", "CELL"} { // blocks of two models may be in a file that is being rewritten
		if err == nil && m.Has(name) {
			_, err = m.Section(name)
		}
	}
	return func() bool { return false }, err
}

// Close closes the file.
func (m *modelFile) Close() error {
	if m.log != nil {
		m.log.Close()
	}
	err := m.file.Close()
	if errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrInvalid) {
		return nil
	}
	return err
}

// openModel opens the model at path, and reads what was learned since, if that is wanted. A learner that writes a new model says so in the log first, so a
// reader may find the log ahead of the model that it has just opened, and opens that again. So does one in the middle of a fit.
func openModel(path string, learned bool) (m modelFile, err error) {
	if _, err := os.Readlink(path); err == nil { // the log is beside the file, not beside the link
		if target, err := replace.Real(path); err == nil {
			path = target
		}
	}
	for try := 0; ; try++ {
		if m, err = openModelFile(path); err != nil || !learned {
			return m, err
		}
		m.tail, m.unused = m.readTail(path)
		if errors.Is(m.unused, fs.ErrNotExist) {
			m.unused = nil
		}
		if try == 7 || !errors.Is(m.unused, logfile.ErrOtherModel) && !errors.Is(m.unused, logfile.ErrTruncated) { // a learner cuts off half a record
			return m, nil
		}
		m.Close()
		if errors.Is(m.unused, logfile.ErrOtherModel) {
			time.Sleep(time.Millisecond << try) // a fit is about to put the model in its place, when the disk has the log; 127 ms at most
		}
	}
}

// readTail returns the rows of the records that the log of the model at path has for it.
func (m *modelFile) readTail(path string) ([]logfile.Rows, error) {
	file, info, err := replace.OpenRegular(path+LogSuffix, path, os.O_RDONLY)
	if err != nil {
		return nil, err // whoever prints it names the file
	}
	if m.log = file; info.Size() == 0 { // of a learner that is about to begin
		return nil, fs.ErrNotExist
	}
	log, err := logfile.Open(file)
	if err != nil {
		return nil, replace.Reason(err)
	}
	lists, err := log.Lists(m.Identity, info.Size())
	if len(lists) == 0 {
		file.Close()
	}
	return lists, err
}
