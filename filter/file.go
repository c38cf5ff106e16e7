package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"chaff/features"
	"chaff/internal/littleendian"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/internal/termkey"
	"chaff/models"
)

// NewFileMode is the mode of a new model, which makes it readable by its owner only, because its terms come from private mail.
const NewFileMode fs.FileMode = 0o600

// FileKind is the kind of model files.
func FileKind() replace.Kind { return replace.Kind{Name: "model", Start: modelFormat().Magic} }

// Encode returns the bytes of the model file.
func (f *Filter) Encode() ([]byte, error) {
	var file sections.Memory
	_, err := f.SaveTo(&file)
	return file, err
}

// SaveTo writes the model file to the start of a file, and returns its [Filter.Identity]. Equal filters have equal bytes. A number that is not
// finite is an error: readers of the file rely on its checksums and do not check each number.
func (f *Filter) SaveTo(file io.WriterAt) (identity uint64, err error) {
	if f, err = f.whole(); err != nil {
		return 0, err
	}
	if err := cmp.Or(f.linear.Validate(), f.validate()); err != nil {
		return 0, err
	}
	info, err := f.Provenance()
	if err != nil {
		return 0, err
	}
	rows := f.linear.Rows()
	cells, weights := f.linear.Weights[:f.FirstTerm()*rows], f.linear.Weights[f.FirstTerm()*rows:]
	pref := encodePref(f.vocabulary)
	areFrequent, err := f.areFrequent()
	if err != nil {
		return 0, err
	}
	w := modelFormat().NewWriter(file, 10)
	for _, s := range []sections.Section{
		{Name: "SETT", Data: encodeSettings(f.settings)},
		{Name: "HKEY", Data: f.settings.Key.Bytes()},
		{Name: "BIAS", Data: littleendian.Bytes(f.linear.Bias)},
		{Name: "PREF", Data: littleendian.Bytes(pref)},
	} {
		w.Begin(s.Name)
		w.Write(s.Data)
	}
	w.Begin("FREQ")
	w.Write(encodeFrequent(f.vocabulary, areFrequent, weights, rows))
	w.Begin("TERM")
	w.WriteEach(len(pref)-2, func(dst []byte, number int) []byte { return appendBlock(dst, f.vocabulary, weights, rows, number) })
	if len(cells) > 0 {
		w.Begin("CELL")
		w.Write(encodeCells(cells, rows))
	}
	w.Begin("INFO")
	w.Write(info)
	if f.saveTexts {
		t, err := f.Terms()
		if err != nil {
			return 0, err
		}
		w.Begin("DOCF")
		w.WriteEach(len(t.Documents), func(dst []byte, id int) []byte { return binary.AppendUvarint(dst, uint64(t.Documents[id])) })
		w.Begin("TEXT")
		w.WriteEach(len(t.Documents), func(dst []byte, id int) []byte { return appendText(dst, t.Text(id)) })
	}
	_, identity, err = w.Close()
	return identity, err
}

// IdentityOf returns [Filter.Identity] of the filter in a model file of so many bytes. It reads no more than the table of the file.
func IdentityOf(file io.ReaderAt, size int64) (uint64, error) {
	base, err := openModel(file, size)
	if err != nil {
		return 0, err
	}
	return base.Identity(), nil
}

// Save writes the model to path atomically: readers see the old model or the new one, and an error leaves the old one unchanged. A file
// that Save replaces keeps its permissions. What is not empty and no model is not replaced.
func (f *Filter) Save(path string) error {
	err := replace.Written(path, FileKind(), NewFileMode, func(file *os.File) error {
		_, err := f.SaveTo(file)
		return err
	})
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// Open reads the vocabulary and the weights of a model file into memory. The file stays open for what is rarely needed, such as the texts of
// terms, until [Filter.Close] or until nothing refers to the filter. The error names the file and wraps [ErrNotModel], [ErrTruncated],
// [ErrDamaged], [ErrVersion] or an error of the file system.
func Open(path string) (*Filter, error) {
	f, err := openWhole(path)
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err // it would name the file twice
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
	base, err := openModel(file, size)
	if err != nil {
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

// openWhole is [Open] without the name of the file in the error.
func openWhole(path string) (f *Filter, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which does not wait for a FIFO
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < int64(len(modelFormat().Magic)) {
		return nil, ErrNotModel
	}
	from, open, err := keptOpen(file)
	if err != nil {
		return nil, err
	}
	if f, err = decodeFile(from, info.Size()); err != nil {
		return nil, err
	}
	f.open = open
	return f, nil
}

// keptOpen returns a reader of a file and what closes it. On Windows, which does not replace files that are open, it reads and closes the file.
func keptOpen(file *os.File) (io.ReaderAt, io.Closer, error) {
	if runtime.GOOS != "windows" {
		return sections.Plain(file), file, nil
	}
	data, err := io.ReadAll(file)
	return bytes.NewReader(data), nil, cmp.Or(err, file.Close())
}

// Decode returns the filter in the bytes of a model file.
func Decode(data []byte) (*Filter, error) { return decodeFile(bytes.NewReader(data), int64(len(data))) }

// decodeFile returns the filter in a model file of the given size.
func decodeFile(from io.ReaderAt, size int64) (*Filter, error) {
	base, err := openModel(from, size)
	if err != nil {
		return nil, err
	}
	return decode(base)
}

// openModel reads the table of a model file of the given size.
func openModel(from io.ReaderAt, size int64) (*sections.Reader, error) {
	base, err := modelFormat().Open(from)
	if err == nil {
		err = base.CheckSize(size)
	}
	return base, err
}

// whole returns f with all of its terms and weights in memory.
func (f *Filter) whole() (*Filter, error) {
	if f.part == nil {
		return f, nil
	}
	return decode(f.part.base)
}

func decode(file *sections.Reader) (*Filter, error) {
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
	if err := blocks.checkSize(len(terms)); err != nil {
		return nil, err
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

// decodeSmall returns the filter in a file, without its vocabulary and weights, and section PREF.
func decodeSmall(file *sections.Reader) (f *Filter, pref []uint32, err error) {
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
	if t := f.settings.Thresholds; t != nil && (t.Unsure-t.Unsure != 0 || t.Spam-t.Spam != 0) { // NaN or infinite
		return fmt.Errorf("it has the thresholds %v and %v: %w", t.Unsure, t.Spam, models.ErrNotFinite)
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
	var err1, err2, err3 error
	if f.part != nil {
		err1 = f.part.file.close()
	}
	if f.open != nil {
		err2 = f.open.Close()
	}
	if f.store != nil {
		err3 = f.store.Close()
	}
	return cmp.Or(err1, err2, err3)
}

// Err returns the first error of a look-up in the model file or in the journal, or [ErrChanged], for a filter that [OpenForOne] or
// [OpenToLearn] opened; else nil.
func (f *Filter) Err() error {
	var err1, err2 error
	if f.part != nil {
		err1 = f.part.Err()
	}
	if f.knowledge != nil {
		err2 = f.knowledge.err
	}
	return cmp.Or(err1, err2)
}
