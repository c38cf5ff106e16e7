package filter

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/cespare/xxhash/v2"

	"chaff/features"
	"chaff/internal/indices"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/internal/sections"
	"chaff/internal/termkey"
	"chaff/models"
)

// A model file is a table of named, checksummed sections. docs/inside/formats.md describes it byte by byte, and has the versions of the format.
const formatVersion = 9

var modelFormat = sections.Format{
	Magic: "\x89CHAFF\r\n", Version: formatVersion,
	ErrForeign: ErrNotModel, ErrTruncated: ErrTruncated, ErrDamaged: ErrDamaged, ErrVersion: ErrVersion,
}

// Reasons why a file cannot be used as a model.
var (
	// ErrNotModel is returned for a file of another kind.
	ErrNotModel = errors.New("not a chaff model")
	// ErrTruncated is returned for a model whose end is missing.
	ErrTruncated = errors.New("model is truncated")
	// ErrDamaged is returned for a model whose bytes have changed since it was written.
	ErrDamaged = errors.New("model is damaged")
	// ErrChanged is returned for a model that was rewritten while it was in use.
	ErrChanged = errors.New("model was changed while it was read")
	// ErrVersion is returned for a model of another version of the program.
	ErrVersion = errors.New("model is of another version")
	// ErrPart is returned for a part of the mail of a model.
	ErrPart = errors.New("a part; chaff merge makes a model of it")
)

// NewFileMode is the mode of a new model, which makes it readable by its owner only, because its terms come from private mail.
const NewFileMode fs.FileMode = 0o600

// FileKind returns the kind of model files.
func FileKind() replace.Kind { return replace.Kind{Name: "model", Start: modelFormat.Magic} }

// Encode returns the bytes of the model file.
func (f *Filter) Encode() ([]byte, error) {
	var file sections.Memory
	_, err := f.SaveTo(&file, false)
	return file, err
}

// SaveTo writes the model file to the start of a file, and returns its [Filter.Identity]. With learning it has what the learner of f knows, if that can
// learn on. Equal filters have equal bytes. A number that is not finite is an error: readers of the file rely on its checksums and do not check each
// number.
func (f *Filter) SaveTo(file io.WriterAt, learning bool) (identity uint64, err error) {
	if err := cmp.Or(f.linear.Validate(), f.validate(f.linear)); err != nil {
		return 0, err
	}
	info, err := f.Provenance()
	if err != nil {
		return 0, err
	}
	rows := f.linear.Rows()
	cells, weights := f.linear.Weights[:f.FirstTerm()*rows], f.linear.Weights[f.FirstTerm()*rows:]
	pref := encodePref(f.vocabulary)
	documents, err := f.documents()
	if errors.Is(err, ErrNoTexts) { // nor the numbers of documents: the terms of FREQ stay those of the file
		documents, err = make([]uint32, f.vocabulary.Len()), nil
		for of := f.tables.often; len(of) > 0; of = of[3+rows:] {
			if id := of[2]; id < uint32(len(documents)) {
				documents[id] = 1
			}
		}
	}
	if err != nil {
		return 0, err
	}
	w := modelFormat.NewWriter(file, 14)
	w.Add("SETT", encodeSettings(f.settings))
	w.Add("HKEY", f.settings.Key.Bytes())
	w.Add("BIAS", sections.Bytes(f.linear.Bias))
	w.Add("PREF", sections.Bytes(pref))
	w.Add("FREQ", encodeFrequent(f.vocabulary, documents, weights, rows))
	w.Begin("TERM")
	for number := range len(pref) - 2 {
		w.Write(appendBlock(w.AvailableBuffer(), f.vocabulary, weights, rows, number))
	}
	if len(cells) > 0 {
		w.Add("CELL", encodeCells(cells, rows))
	}
	w.Add("INFO", info)
	if f.saveTexts {
		text, err := f.texts()
		if err != nil {
			return 0, err
		}
		w.Begin("DOCF")
		for _, n := range documents {
			w.Write(binary.AppendUvarint(w.AvailableBuffer(), uint64(n)))
		}
		w.Begin("TEXT")
		for id := range documents {
			w.Write(append(binary.AppendUvarint(w.AvailableBuffer(), uint64(len(text(id)))), text(id)...))
		}
	}
	if learning {
		if err := f.saveLearned(w); err != nil {
			return 0, err
		}
	}
	return w.Close()
}

// checksumOf returns the checksum of a block or a chunk. The number makes it that of this block and of no other.
func checksumOf(data []byte, number int) uint64 { return xxhash.Sum64(data) + uint64(number) }

// partSection is the name of the only section of a part.
const partSection = "PART"

// SavePart writes a part to the start of a file, and returns its identity. It has nothing but the reason why it judges no message: what a model is made of is
// in its log.
func SavePart(file io.WriterAt) (identity uint64, err error) {
	w := modelFormat.NewWriter(file, 1)
	w.Add(partSection, []byte(ErrPart.Error()+"\n"))
	return w.Close()
}

// Save writes the model to path atomically: readers see the old model or the new one, and an error leaves the old one unchanged. A file
// that Save replaces keeps its permissions. What is not empty and no model is not replaced. The model cannot learn on, for it has no log.
func (f *Filter) Save(path string) error {
	err := replace.Written(path, FileKind(), NewFileMode, func(file *os.File) error {
		_, err := f.SaveTo(file, false)
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
func Open(path string) (*Filter, error) { return open(path, false) }

// OpenLearned is [Open] with what was learned since the model was written: the last records of path.log. A log that cannot be used is no error;
// [Filter.LogErr] returns the reason.
func OpenLearned(path string) (*Filter, error) { return open(path, true) }

func open(path string, learned bool) (*Filter, error) {
	model, err := openModel(path, learned)
	if err != nil {
		return nil, err
	}
	f, err := decode(model)
	if err != nil {
		model.Close()
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	if len(model.tail) > 0 {
		f.file.unused = f.learn(model.tail)
		model.log.Close()
	}
	return f, nil
}

// learn makes f, which knows what is in its file, know later records. After an error it is unchanged.
func (f *Filter) learn(tail []logfile.Rows) error {
	h := f.head
	if err := h.know(tail); err != nil {
		return err
	}
	learner, err := h.learner(indices.Below[uint32](h.total()))
	if err != nil {
		return err
	}
	linear, err := learner.Linear()
	if err != nil {
		return err
	}
	var hashes []uint64
	for _, r := range tail {
		hashes = append(hashes, r.New...)
	}
	f.head, f.learner, f.linear, f.vocabulary = h, learner, linear, f.vocabulary.Extended(hashes)
	return nil
}

// decode returns the filter in a file.
func decode(file modelFile) (*Filter, error) {
	h, linear, err := decodeHead(file)
	if err != nil {
		return nil, err
	}
	f := &Filter{head: h, linear: linear}
	if f.vocabulary, linear.Weights, err = f.tables.all(f.FirstTerm() > 0); err != nil {
		return nil, err
	}
	linear.Terms = f.FirstTerm() + f.vocabulary.Len()
	if err := linear.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return f, nil
}

// decodeHead returns the filter in a file without its vocabulary and its weights, and what scores terms without weights.
func decodeHead(file modelFile) (h head, linear *models.Linear, err error) {
	settings, err1 := file.Section("SETT")
	if err1 != nil && file.Has(partSection) {
		return h, nil, ErrPart
	}
	key, err2 := file.Section("HKEY")
	bias, err3 := file.Section("BIAS")
	if err := cmp.Or(err1, err2, err3); err != nil {
		return h, nil, err
	}
	h.file, h.saveTexts = file, file.Has("TEXT")
	if h.settings, err = decodeSettings(settings); err != nil {
		return h, nil, err
	}
	if h.settings.Key, err = termkey.FromBytes(key); err != nil {
		return h, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.kind, err = features.ParseKind(h.settings.Kind); err != nil {
		return h, nil, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	linear = &models.Linear{Classes: len(h.settings.Classes), Form: h.settings.Form, Bias: sections.Decode[float64](bias)}
	if err := h.validate(linear); err != nil {
		return h, nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	h.tables, err = newTables(file.Reader, linear.Rows())
	return h, linear, err
}

// validate returns an error for numbers that give no finite score or probability, whatever the weights are: correct checksums do not exclude
// them.
func (h *head) validate(linear *models.Linear) error {
	if err := linear.ValidateLengths(); err != nil {
		return err
	}
	if err := h.settings.Calibration.Validate(linear.Classes); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	if IsSpamFilter(h.settings.Classes) && h.settings.Thresholds == nil {
		return errNoThresholds
	}
	if t := h.settings.Thresholds; t != nil && (t.Unsure-t.Unsure != 0 || t.Spam-t.Spam != 0) { // NaN or infinite
		return fmt.Errorf("it has the thresholds %v and %v: %w", t.Unsure, t.Spam, models.ErrNotFinite)
	}
	for _, number := range slices.Concat(linear.Bias, h.settings.Calibration.Offsets, []float64{h.settings.Calibration.Slope}) {
		if !(math.Abs(number) <= math.MaxFloat32) {
			return fmt.Errorf("it has the number %v: %w", number, models.ErrNotFinite)
		}
	}
	return nil
}
