package train

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/sections"
	"chaff/internal/termkey"
	"chaff/metrics"
)

// Provenance records how a filter was trained, in section INFO of the model file. Corpus, Train, Development and Test describe the model
// fitted to the training part, even if the filter is a model fitted to all the mail (see FittedTo).
type Provenance struct {
	Features    features.Options         `json:"features"`
	Trainer     json.RawMessage          `json:"trainer,omitempty"` // its settings as in the configuration; nil for weights that were set by hand
	Limits      metrics.ThresholdOptions `json:"threshold_limits"`
	Split       corpus.SplitOptions      `json:"split"`
	Seed        uint64                   `json:"seed"`
	Corpus      Summary                  `json:"corpus"`
	Train       *metrics.Figures         `json:"train,omitempty"`
	Development *metrics.Figures         `json:"development,omitempty"`
	Test        *metrics.Figures         `json:"test,omitempty"`
	Promise     *metrics.Promise         `json:"promise,omitempty"` // see [Choice]
	AtFit       json.RawMessage          `json:"at_fit,omitempty"`  // what earlier programs wrote
	// Those of [Refitted]; 0 and nil for a filter fitted to the training part.
	FittedTo  int                    `json:"fitted_to,omitempty"`
	OutOfFold int                    `json:"out_of_fold_scores,omitempty"`
	Typical   metrics.Typical        `json:"typical_margins,omitempty"` // of the out-of-fold scores
	Verdicts  *metrics.VerdictCounts `json:"out_of_fold_verdicts,omitempty"`
	// Usual is how new messages of its kind are to the model, by the class that it gives them, from messages that it had not learned.
	Usual  []metrics.Usual `json:"usual,omitempty"`
	Sample []byte          `json:"sample,omitempty"` // some of the messages that the filter was fitted to, for [Provenance.Learned]
}

// Made is a [filter.Filter] or a [filter.One].
type Made interface {
	Settings() filter.Settings
	Provenance() (json.RawMessage, error)
}

// ProvenanceOf returns the provenance of f. The error is about the file that f was opened from.
func ProvenanceOf(f Made) (Provenance, error) {
	data, err := f.Provenance()
	if err != nil {
		return Provenance{}, err
	}
	var p Provenance
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Provenance{}, fmt.Errorf("%w: provenance: %w", filter.ErrVersion, err)
	}
	if t := f.Settings().Thresholds; t != nil && t.Spam >= metrics.Beyond { // earlier programs wrote one for these, too
		p.Promise = nil
	}
	return p, nil
}

// sampleSize is the number of messages in the sample of a model file, which takes 8 bytes for each, little-endian and in ascending order.
const sampleSize = 512

func (m *Mail) hashes(messages []int, key termkey.Key) []uint64 {
	hashes := make([]uint64, len(messages))
	for n, i := range messages {
		hashes[n] = key.Hash(binary.LittleEndian.AppendUint64(nil, m.documents[i].SplitKey))
	}
	return hashes
}

// Learned returns how many messages of m a filter with the given key was fitted to. The number is exact for a filter of at most 512
// messages. Of a larger one the model file has a sample, and the number is an estimate:
//
//	N s/n       n of the N messages have a hash within the range of the sample, and s of these are in it
//
// Source: A. Broder 1997, "On the resemblance and containment of documents", for samples of smallest hashes.
func (p Provenance) Learned(m *Mail, key termkey.Key) int {
	sample := sections.Decode[uint64](p.Sample)
	last := uint64(math.MaxUint64)
	if len(sample) >= sampleSize {
		last = sample[len(sample)-1]
	}
	within, found := 0, 0
	for _, hash := range m.hashes(m.All(), key) {
		if hash > last {
			continue
		}
		within++
		if _, known := slices.BinarySearch(sample, hash); known {
			found++
		}
	}
	return int(math.Round(float64(m.Len()) * float64(found) / float64(max(1, within))))
}
