package filter

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"syscall"
	"time"

	"chaff/features"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/internal/termkey"
	"chaff/models"
)

// NewFileMode is the mode of a new model, which makes it readable by its owner only, because its terms come from private mail.
const NewFileMode fs.FileMode = 0o600

// Encode returns the bytes of the model file. Equal filters have equal bytes. A number that is not finite is an error: readers of the
// file rely on its checksums and do not check each number.
func (f *Filter) Encode() ([]byte, error) {
	if err := f.linear.Validate(); err != nil {
		return nil, err
	}
	info, err := f.Provenance()
	if err != nil {
		return nil, err
	}
	rows := f.linear.Rows()
	cells, weights := f.linear.Weights[:f.FirstTerm()*rows], f.linear.Weights[f.FirstTerm()*rows:]
	pref, terms := encodePref(f.vocabulary), []byte(nil)
	for number := range len(pref) - 2 {
		terms = appendBlock(terms, f.vocabulary, weights, rows, number)
	}
	all := []sections.Section{
		{Name: "SETT", Data: encodeSettings(f.settings)},
		{Name: "HKEY", Data: f.settings.Key.Bytes()},
		{Name: "BIAS", Data: encodeNumbers(f.linear.Bias)},
		{Name: "PREF", Data: encodeNumbers(pref)},
		{Name: "TERM", Data: terms},
	}
	if len(cells) > 0 {
		all = append(all, sections.Section{Name: "CELL", Data: encodeCells(cells, rows)})
	}
	all = append(all, sections.Section{Name: "INFO", Data: info})
	if f.saveTexts {
		t, err := f.Terms()
		if err != nil {
			return nil, err
		}
		all = append(all, sections.Section{Name: "DOCF", Data: encodeCounts(t.Documents)}, sections.Section{Name: "TEXT", Data: encodeTexts(t.Texts)})
	}
	return modelFormat().Encode(all), nil
}

// IdentityOf returns [Filter.Identity] of the filter in a model file.
func IdentityOf(data []byte) (uint64, error) {
	file, err := modelFormat().Decode(data)
	if err != nil {
		return 0, err
	}
	return file.Identity(), nil
}

// Save writes the model to path atomically: readers see the old model or the new one, and an error leaves the old one unchanged. A file
// that Save replaces keeps its permissions.
func (f *Filter) Save(path string) error {
	data, err := f.Encode()
	if err == nil {
		err = replace.File(path, data, NewFileMode)
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// Open reads a model file into memory. The error names the file and wraps [ErrNotModel], [ErrTruncated], [ErrDamaged], [ErrVersion] or
// an error of the file system.
func Open(path string) (*Filter, error) {
	data, err := load(path)
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err // it would name the file twice
	}
	var f *Filter
	if err == nil {
		f, err = Decode(data)
	}
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	return f, nil
}

// OpenForOne is Open for classifying or explaining one message: it reads and verifies the parts of the large tables that the message needs,
// a few percent of a large model. It uses what was learned since the model was written, as [OpenLearned] does. The result is
// valid only if [Filter.Err] returns nil after it. The filter belongs to one goroutine.
func OpenForOne(path string) (*Filter, error) { return openForOne(path, time.Now()) }

// openForOne takes the time, so that tests need not wait until a file is settled.
func openForOne(path string, now time.Time) (*Filter, error) {
	return openFollowing(path, func(path string) (*Filter, error) { return openPart(path, now) })
}

func openPart(path string, now time.Time) (*Filter, error) {
	file, size := openSettled(path, now)
	if file == nil {
		return Open(path)
	}
	f, err := decodePart(file, size)
	if err != nil {
		file.close()
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	return f, nil
}

// decodePart returns the filter in a file of the given size, of which it reads parts.
func decodePart(file partFile, size int64) (f *Filter, err error) {
	defer func() {
		if err != nil && file.changed() {
			f, err = nil, ErrChanged
		}
	}()
	base, err := modelFormat().Open(file)
	if err != nil {
		return nil, err
	}
	if err := base.CheckSize(size); err != nil {
		return nil, err
	}
	f, pref, err := decodeSmall(base)
	if err != nil {
		return nil, err
	}
	if f.part, f.vocabulary, err = newPart(file, base, pref, f.linear.Rows(), f.FirstTerm() > 0); err != nil {
		return nil, err
	}
	f.linear.Terms = f.FirstTerm() + f.vocabulary.Len()
	return f, nil
}

// load reads a file that may be a model. O_NONBLOCK keeps it from waiting for a FIFO.
func load(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(), info.Size() < int64(len(modelFormat().Magic)):
		return nil, ErrNotModel
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	return data, nil
}

// Decode returns the filter in a model file.
func Decode(data []byte) (*Filter, error) {
	file, err := modelFormat().Decode(data)
	if err != nil {
		return nil, err
	}
	f, pref, err := decodeSmall(file)
	if err != nil {
		return nil, err
	}
	rows := f.linear.Rows()
	blocks, err := newTermBlocks(pref, rows)
	if err != nil {
		return nil, err
	}
	terms, err := file.Section("TERM")
	if err != nil {
		return nil, err
	}
	if len(terms) < blocks.terms() {
		return nil, fmt.Errorf("%w: section TERM is not for %d terms", ErrDamaged, blocks.terms())
	}
	cells := f.FirstTerm() * rows
	weights := make([]float32, cells+blocks.terms()*rows)
	if f.vocabulary, err = blocks.decode(terms, weights[cells:]); err != nil {
		return nil, err
	}
	if cells > 0 {
		data, err := file.Section("CELL")
		if err == nil {
			err = decodeCells(weights[:cells], data, rows)
		}
		if err != nil {
			return nil, err
		}
	}
	f.linear.Terms, f.linear.Weights = f.FirstTerm()+f.vocabulary.Len(), weights
	if err := f.linear.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, nil
}

// container has the sections of a model file: all in memory, or read when they are asked for.
type container interface {
	Has(name string) bool
	Section(name string) ([]byte, error)
	Identity() uint64
}

// decodeSmall returns the filter in a file, without its vocabulary and weights, and section PREF.
func decodeSmall(file container) (f *Filter, pref []uint32, err error) {
	settings, err1 := file.Section("SETT")
	key, err2 := file.Section("HKEY")
	pref, err3 := decodeNumbers[uint32](file.Section("PREF"))
	bias, err4 := decodeNumbers[float64](file.Section("BIAS"))
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, nil, err
	}
	f = &Filter{file: file, saveTexts: file.Has("TEXT")}
	if f.settings, err = decodeSettings(settings); err != nil {
		return nil, nil, err
	}
	if f.settings.Key, err = termkey.FromBytes(key); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if f.kind, err = features.ParseKind(f.settings.Kind); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	f.linear = &models.Linear{Classes: len(f.settings.Classes), Form: f.settings.Form, Bias: bias}
	if err := f.validate(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, pref, nil
}

// validate returns an error for numbers that give no finite score or probability, whatever the weights are: correct checksums do not exclude
// them.
func (f *Filter) validate() error {
	if err := f.linear.ValidateLengths(); err != nil {
		return err
	}
	if err := f.settings.Calibration.Validate(f.linear.Classes); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	if IsSpamFilter(f.settings.Classes) && f.settings.Thresholds == nil {
		return errNoThresholds
	}
	for _, number := range slices.Concat(f.linear.Bias, f.settings.Calibration.Offsets, []float64{f.settings.Calibration.Slope}) {
		if !(math.Abs(number) <= math.MaxFloat32) {
			return fmt.Errorf("it has the number %v: %w", number, models.ErrNotFinite)
		}
	}
	return nil
}

// Close closes the files of a filter, which cannot be used afterwards.
func (f *Filter) Close() error {
	err1, err2 := error(nil), error(nil)
	if f.part != nil {
		err1 = f.part.file.close()
	}
	if f.store != nil {
		err2 = f.store.Close()
	}
	return cmp.Or(err1, err2)
}

// Err returns the first damage that a look-up found, or [ErrChanged], for a filter that [OpenForOne] opened; else nil.
func (f *Filter) Err() error {
	if f.part == nil {
		return nil
	}
	return f.part.Err()
}
