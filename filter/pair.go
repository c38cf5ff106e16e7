package filter

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"chaff/internal/journal"
	"chaff/internal/replace"
	"chaff/internal/sections"
)

// The files of a model beside the model itself.
const (
	storeSuffix = ".store"
	nextSuffix  = ".next" // the model that a fold is about to put in place
)

// StorePath returns the path of the store of the model at path.
func StorePath(path string) string { return path + storeSuffix }

// ErrOtherModel is the reason for not using a journal of another model.
var ErrOtherModel = errors.New("the store belongs to another model")

// modelFile is an open model file, of which the table was read.
type modelFile struct {
	*sections.Reader
	from   io.ReaderAt
	opened fs.FileInfo
	file   *os.File
}

// openModelFile opens the model at path. The error names it.
func openModelFile(path string) (m modelFile, err error) {
	m.file, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which does not wait for a FIFO
	if err == nil {
		if m.opened, err = m.file.Stat(); err == nil {
			err = m.readTable()
		}
		if err != nil {
			m.file.Close()
		}
	}
	if err != nil {
		return modelFile{}, fmt.Errorf("open model %s: %w", path, replace.Reason(err)) // whose path would name the file twice
	}
	return m, nil
}

func (m *modelFile) readTable() (err error) {
	if !m.opened.Mode().IsRegular() || m.opened.Size() < int64(len(modelFormat().Magic)) {
		return ErrNotModel
	}
	m.from = sections.Plain(m.file)
	if runtime.GOOS == "windows" { // which does not replace files that are open
		if err := m.readAll(); err != nil {
			return err
		}
	}
	m.Reader, err = openModel(m.from, m.opened.Size())
	return err
}

// readAll reads the file into memory, and closes it.
func (m *modelFile) readAll() error {
	data := make([]byte, m.opened.Size())
	if n, err := m.from.ReadAt(data, 0); n < len(data) {
		return shorter(err)
	}
	m.from = bytes.NewReader(data)
	m.file.Close()
	return nil
}

// settled is the least age of a model file of which parts are read. A program that rewrites a file in place updates its times before it writes the
// bytes, so the bytes of a younger file may still change.
const settled = 2 * time.Second

// settle reads a file that changed a moment ago into memory. It returns what reports whether another one has changed since it was opened.
func (m *modelFile) settle(now time.Time) (changed func() bool, err error) {
	if latest, known := lastChange(m.opened); known && now.Sub(latest) > settled {
		return func() bool { // when another file replaces this one, only the change time differs
			is, err := m.file.Stat()
			return err != nil || !is.ModTime().Equal(m.opened.ModTime()) || is.Size() != m.opened.Size()
		}, nil
	}
	if err = m.readAll(); err == nil {
		m.Reader, err = openModel(m.from, m.opened.Size())
	}
	for _, name := range []string{"TERM", "CELL"} { // blocks of two models may be in a file that is being rewritten
		if err == nil && m.Has(name) {
			_, err = m.Section(name)
		}
	}
	return func() bool { return false }, err
}

// pair is the open files of a model and of its store.
type pair struct {
	model   modelFile
	journal *journal.Journal // without records if it is not used
	unused  error            // why the journal is not used; nil if it is, or there is none
	store   *os.File
}

// Close closes the files.
func (p pair) Close() error {
	var err error
	for _, file := range []*os.File{p.model.file, p.store} {
		if e := file.Close(); !errors.Is(e, os.ErrClosed) && !errors.Is(e, os.ErrInvalid) {
			err = cmp.Or(err, e)
		}
	}
	return err
}

// maxOpens is how often a reader opens the files of a model to find two that belong together. A fold replaces them once.
const maxOpens = 20

// openPair opens the model at path, and its store if that can be used.
func openPair(path string) (p pair, err error) {
	if _, err := os.Readlink(path); err == nil { // the store is beside the file, not beside the link
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
	}
	for range maxOpens {
		p.Close()
		if p.model, err = openModelFile(path); err != nil {
			return pair{}, err
		}
		p.unused = p.openStore(path)
		switch {
		case errors.Is(p.unused, fs.ErrNotExist):
			p.unused = nil
			return p, nil
		case errors.Is(p.unused, journal.ErrTruncated): // a writer cut off a torn record
			continue
		case p.unused != nil || p.journal.Model() == p.model.Identity():
			return p, nil
		}
		p.unused = ErrOtherModel
		if replace.CheckOwner(path+nextSuffix, path) == nil {
			if next, err := openModelFile(path + nextSuffix); err == nil {
				if next.Identity() == p.journal.Model() {
					p.model.file.Close()
					p.model, p.unused = next, nil
					return p, nil
				}
				next.file.Close()
			}
		}
		p.journal = &journal.Journal{}
	}
	return p, nil
}

// openStore opens the store of the model at path.
func (p *pair) openStore(path string) (err error) {
	p.journal = &journal.Journal{}
	if err := replace.CheckOwner(path+storeSuffix, path); err != nil {
		return err
	}
	p.store, err = os.OpenFile(path+storeSuffix, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which does not wait for a FIFO
	if err != nil {
		return replace.Reason(err) // whoever prints it names the file
	}
	info, err := p.store.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = journal.ErrNotStore
	}
	if err != nil {
		return replace.Reason(err)
	}
	j, err := journal.Open(sections.Plain(p.store), info.Size(), false)
	if err != nil {
		return replace.Reason(err)
	}
	p.journal = j
	return nil
}
