package filter

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
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

// Encode returns the bytes of the model file.
func (f *Filter) Encode() ([]byte, error) {
	var file sections.Memory
	_, err := f.SaveTo(&file)
	return file, err
}

// SaveTo writes the model file to the start of a file, and returns its [Filter.Identity]. Equal filters have equal bytes. A number that is not
// finite is an error: readers of the file rely on its checksums and do not check each number.
func (f *Filter) SaveTo(file io.WriterAt) (identity uint64, err error) {
	if err := f.linear.Validate(); err != nil {
		return 0, err
	}
	settings, err := json.Marshal(f.settings)
	if err != nil {
		return 0, fmt.Errorf("encode settings: %w", err)
	}
	info, err := f.Provenance()
	if err != nil {
		return 0, err
	}
	terms, weights := littleendian.Bytes(f.vocabulary.Table()), littleendian.Bytes(f.linear.Weights)
	sums := append(blockSums(weights, f.linear.Terms), blockSums(terms, f.vocabulary.Len())...)
	all := []sections.Section{
		{Name: "SETT", Data: settings},
		{Name: "HKEY", Data: f.settings.Key.Bytes()},
		{Name: "PREF", Data: littleendian.Bytes(f.vocabulary.BucketStarts())},
		{Name: "TERM", Data: terms},
		{Name: "BIAS", Data: littleendian.Bytes(f.linear.Bias)},
		{Name: "WGHT", Data: weights},
		{Name: "SUMS", Data: littleendian.Bytes(sums)},
		{Name: "INFO", Data: info},
	}
	w := modelFormat().NewWriter(file, len(all)+2)
	for _, s := range all {
		w.Begin(s.Name)
		w.Write(s.Data)
	}
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
	err := replace.Written(path, NewFileMode, func(file *os.File) error {
		_, err := f.SaveTo(file)
		return err
	})
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

// OpenForOne is Open for classifying or explaining one message: it maps the file and verifies the parts of the large tables that the
// message needs, a few percent of a large model. It uses what was learned since the model was written, as [OpenLearned] does. The result is
// valid only if [Filter.Err] returns nil after it. The filter belongs to one goroutine.
func OpenForOne(path string) (*Filter, error) { return openForOne(path, time.Now()) }

// openForOne takes the time, so that tests need not wait until a file is settled.
func openForOne(path string, now time.Time) (*Filter, error) {
	return openFollowing(path, func(path string) (*Filter, error) { return openMapped(path, now) })
}

func openMapped(path string, now time.Time) (*Filter, error) {
	m := mapFile(path, now)
	if m == nil {
		return Open(path)
	}
	f, err := decodeMapped(m)
	if err != nil {
		m.close()
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	return f, nil
}

func decodeMapped(m *mapping) (f *Filter, err error) {
	defer func() {
		if m.changed() {
			f, err = nil, ErrChanged
		}
	}()
	defer m.catch(debug.SetPanicOnFault(true))
	if f, err = decode(m.data, true); err == nil {
		f.mapped = m
	}
	return f, err
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

// Decode returns the filter in a model file. It keeps data, which must not change.
func Decode(data []byte) (*Filter, error) { return decode(data, false) }

// decode is Decode. If lazy is true and the file has checksums of blocks, look-ups verify the large tables block by block.
func decode(data []byte, lazy bool) (*Filter, error) {
	file, err := modelFormat().Decode(data)
	if err != nil {
		return nil, err
	}
	lazy = lazy && file.Has("SUMS")
	table := file.Section
	if lazy {
		table = file.Unverified
	}
	settings, err1 := file.Section("SETT")
	key, err2 := file.Section("HKEY")
	starts, err3 := decodeNumbers[uint32](file.Section("PREF"))
	terms, err4 := decodeNumbers[uint32](table("TERM"))
	bias, err5 := decodeNumbers[float64](file.Section("BIAS"))
	weights, err6 := decodeNumbers[float32](table("WGHT"))
	if err := cmp.Or(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	f := &Filter{file: file, saveTexts: file.Has("TEXT")}
	if f.settings, err = decodeSettings(settings); err != nil {
		return nil, err
	}
	if f.settings.Key, err = termkey.FromBytes(key); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if f.kind, err = features.ParseKind(f.settings.Kind); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	if f.vocabulary, err = features.RestoreVocabulary(terms, starts); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	f.linear = &models.Linear{
		Classes: len(f.settings.Classes), Terms: f.FirstTerm() + f.vocabulary.Len(), Form: f.settings.Form, Bias: bias, Weights: weights,
	}
	if err := f.validate(lazy); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if lazy {
		return f, f.verifyLazily()
	}
	return f, nil
}

// validate returns an error for parts of different sizes, and for numbers that give no finite score or probability: correct checksums
// do not exclude them. If lazy is true, each score shows whether its weights are finite.
func (f *Filter) validate(lazy bool) error {
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
	if lazy {
		return nil
	}
	return f.linear.Validate()
}

// verifyLazily makes look-ups verify the blocks of the tables that they read.
func (f *Filter) verifyLazily() error {
	terms, err1 := f.file.Unverified("TERM")
	weights, err2 := f.file.Unverified("WGHT")
	sums, err3 := decodeNumbers[uint32](f.file.Section("SUMS"))
	err := cmp.Or(err1, err2, err3)
	if err == nil {
		f.lazy, err = newLazyChecksums(weights, f.linear.Terms, terms, f.vocabulary.Len(), sums)
	}
	if err == nil {
		f.vocabulary = f.vocabulary.OnLookup(f.lazy.verifyTerms)
	}
	return err
}

// Close unmaps and closes the files of a filter, which cannot be used afterwards.
func (f *Filter) Close() error {
	err1, err2 := error(nil), error(nil)
	if f.mapped != nil {
		err1 = f.mapped.close()
	}
	if f.store != nil {
		err2 = f.store.Close()
	}
	return cmp.Or(err1, err2)
}

// Err returns the first damage that a look-up found, or [ErrChanged], for a filter that [OpenForOne] opened; else nil.
func (f *Filter) Err() error {
	switch {
	case f.mapped != nil && f.mapped.changed():
		return ErrChanged
	case f.lazy != nil:
		return f.lazy.err
	}
	return nil
}
