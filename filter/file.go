package filter

import (
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
	"chaff/internal/replace"
	"chaff/models"
)

// newFileMode keeps a model to its owner: its terms come from somebody's mail.
const newFileMode fs.FileMode = 0o600

// Encode returns the bytes of the model file: the same filter has the same bytes. A model with a number that is not finite
// is an error: whoever opens the file relies on its checksums, and does not look at each number again.
func (f *Filter) Encode() ([]byte, error) {
	if err := f.linear.Validate(); err != nil {
		return nil, err
	}
	set, err := json.Marshal(f.settings)
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	info, err := f.Provenance()
	if err != nil {
		return nil, err
	}
	terms, weights := bytesOf(f.vocabulary.Table()), bytesOf(f.linear.Weights)
	all := []section{
		{"SETT", set},
		{"HKEY", f.settings.Key.Bytes()},
		{"PREF", bytesOf(f.vocabulary.BucketStarts())},
		{"TERM", terms},
		{"BIAS", bytesOf(f.linear.Bias)},
		{"WGHT", weights},
		{"SUMS", bytesOf(newLazyChecksums(f.linear.Terms, f.vocabulary.Len(), weights, terms).sums())},
		{"INFO", info},
	}
	if f.saveTexts {
		t, err := f.Terms()
		if err != nil {
			return nil, err
		}
		all = append(all, section{"DOCF", encodeCounts(t.Documents)}, section{"TEXT", encodeTexts(t.Texts)})
	}
	return encodeSections(all), nil
}

// Save writes the model to path in one step: whoever opens it sees the old model or the new one, and if writing fails,
// the old one stays as it was. A file that is replaced keeps its permissions.
func (f *Filter) Save(path string) error {
	data, err := f.Encode()
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	if err := replace.File(path, data, newFileMode); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// cause strips the name of a file from an error, which has it already.
func cause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// Open reads a model file into memory, where nobody changes it. The error wraps [ErrNotModel], [ErrTruncated], [ErrDamaged],
// [ErrVersion] or that of the file system, and names the file.
func Open(path string) (*Filter, error) {
	data, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", path, cause(err))
	}
	f, err := Decode(data)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	return f, nil
}

// OpenForOne is Open for one message: the file is mapped, and of the tables, what is looked up is verified when it is, which in a
// large model is a small part. The filter belongs to one goroutine, and is there to classify and explain; what it says holds if
// [Filter.Err] finds nothing after it.
func OpenForOne(path string) (*Filter, error) { return openForOne(path, time.Now()) }

// openForOne takes the time, so that a test need not wait until a file is settled.
func openForOne(path string, now time.Time) (*Filter, error) {
	data, m, err := mapFile(path, now)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", path, cause(err))
	}
	f, err := decodeMapped(data, m)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	return f, nil
}

// decodeMapped is Decode for data that is mapped, or that m is nil for.
func decodeMapped(data []byte, m *mapping) (f *Filter, err error) {
	if m == nil {
		return decode(data, false)
	}
	defer func() {
		if m.changed() {
			f, err = nil, ErrChanged
		}
	}()
	defer m.catch(debug.SetPanicOnFault(true))
	if f, err = decode(data, true); err == nil {
		f.mapped = m
	}
	return f, err
}

// load reads a file of at least a few bytes. A FIFO is none, and not waited for.
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
	case !info.Mode().IsRegular(), info.Size() < int64(len(magic)):
		return nil, ErrNotModel
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	return data, nil
}

// Decode returns the filter that a model file holds. It keeps data, which must not change.
func Decode(data []byte) (*Filter, error) { return decode(data, false) }

// decode is Decode, which with byBlock leaves the large tables to be verified by block, if they have such sums.
func decode(data []byte, byBlock bool) (*Filter, error) {
	s, err := decodeSections(data)
	if err != nil {
		return nil, err
	}
	set, err := s.get("SETT")
	if err != nil {
		return nil, err
	}
	f := &Filter{file: s, saveTexts: s.has("TEXT")}
	if f.settings, err = decodeSettings(set); err != nil {
		return nil, err
	}
	key, err := s.get("HKEY")
	if err != nil {
		return nil, err
	}
	if f.settings.Key, err = features.KeyOf(key); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if f.kind, err = features.ParseKind(f.settings.Kind); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	byBlock = byBlock && s.has("SUMS")
	table := s.get
	if byBlock {
		table = s.unverified
	}
	starts, err1 := numbers[uint32](s.get, "PREF")
	terms, err2 := numbers[uint32](table, "TERM")
	bias, err3 := numbers[float64](s.get, "BIAS")
	weights, err4 := numbers[float32](table, "WGHT")
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			return nil, err
		}
	}
	if f.vocabulary, err = features.RestoreVocabulary(terms, starts); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	f.linear = &models.Linear{
		Classes: len(f.settings.Classes), Terms: f.FirstTerm() + f.vocabulary.Len(), Form: f.settings.Form, Bias: bias, Weights: weights,
	}
	if err := f.linear.ValidateLengths(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err := f.settings.Calibration.Validate(f.linear.Classes); err != nil {
		return nil, fmt.Errorf("%w: calibration: %w", ErrDamaged, err)
	}
	if IsSpamFilter(f.settings.Classes) && f.settings.Thresholds == nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, errNoThresholds)
	}
	if err := f.checkNumbers(byBlock); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if byBlock {
		return f, f.verifyByBlock(s)
	}
	return f, nil
}

// checkNumbers returns an error for numbers of which no finite score or probability comes: sums say only that the file is as it
// was written. Of weights that are verified by block the score is looked at.
func (f *Filter) checkNumbers(byBlock bool) error {
	for _, number := range slices.Concat(f.linear.Bias, f.settings.Calibration.Offsets, []float64{f.settings.Calibration.Slope}) {
		if !(math.Abs(number) <= math.MaxFloat32) {
			return fmt.Errorf("it has the number %v: %w", number, models.ErrNotFinite)
		}
	}
	if byBlock {
		return nil
	}
	return f.linear.Validate()
}

// verifyByBlock lets each look-up verify the blocks of the tables that it reads.
func (f *Filter) verifyByBlock(s *sections) error {
	terms, err1 := s.unverified("TERM")
	weights, err2 := s.unverified("WGHT")
	sums, err3 := numbers[uint32](s.get, "SUMS")
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	f.lazy = newLazyChecksums(f.linear.Terms, f.vocabulary.Len(), weights, terms)
	f.vocabulary = f.vocabulary.OnLookup(f.lazy.verifyTerms)
	return f.lazy.expect(sums)
}

// Close unmaps and closes the file of a filter that [OpenForOne] opened. The filter cannot be used afterwards. Other filters need no
// Close; it does nothing.
func (f *Filter) Close() error {
	if f.mapped == nil {
		return nil
	}
	return f.mapped.close()
}

// Err returns the first damage that was found since the filter was opened by [OpenForOne], or [ErrChanged].
func (f *Filter) Err() error {
	switch {
	case f.mapped != nil && f.mapped.changed():
		return ErrChanged
	case f.lazy != nil:
		return f.lazy.err
	}
	return nil
}

// numbers returns a section, got by get, as numbers.
func numbers[T number](get func(name string) ([]byte, error), name string) ([]T, error) {
	data, err := get(name)
	if err != nil {
		return nil, err
	}
	return numbersOf[T](data)
}
