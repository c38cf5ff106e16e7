package train

import (
	"bytes"
	"encoding/json"
	"fmt"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/metrics"
)

// Provenance records how a filter was trained, in section INFO of the model file. Corpus, Train, Development and Test describe the model
// fitted to the training part, even if the filter is a model fitted to all the mail (see FittedTo).
type Provenance struct {
	Features features.Options `json:"features"`
	// Trainer has the settings of the trainer as in the configuration; nil for weights that were set by hand.
	Trainer     json.RawMessage          `json:"trainer,omitempty"`
	Limits      metrics.ThresholdOptions `json:"threshold_limits"`
	Split       corpus.SplitOptions      `json:"split"`
	Seed        uint64                   `json:"seed"`
	Corpus      Summary                  `json:"corpus"`
	Train       *metrics.Figures         `json:"train,omitempty"`
	Development *metrics.Figures         `json:"development,omitempty"`
	Test        *metrics.Figures         `json:"test,omitempty"`
	// Promise is the guarantee of the thresholds for future ham; nil if no confidence is set.
	Promise *metrics.Promise `json:"promise,omitempty"`
	// AtFit is what the fit chose, if a fold has chosen anew since; else nil.
	AtFit *Choice `json:"at_fit,omitempty"`
	// FittedTo is the number of messages that [Collection.Refit] fitted the filter to, and OutOfFold the number of scores behind its
	// thresholds and calibration. Both are 0 for a filter fitted to the training part.
	FittedTo  int `json:"fitted_to,omitempty"`
	OutOfFold int `json:"out_of_fold_scores,omitempty"`
	// Typical has the typical out-of-fold margins, and Verdicts counts the verdicts on the scores.
	Typical  metrics.Typical `json:"typical_margins,omitempty"`
	Verdicts *VerdictCounts  `json:"out_of_fold_verdicts,omitempty"`
	// Usual is how new messages of its kind are to the model, by the class that it gives them, from messages that it had not learned.
	Usual []metrics.Usual `json:"usual,omitempty"`
	// Sample identifies some of the messages that the filter was fitted to, for [Provenance.Learned].
	Sample []byte `json:"sample,omitempty"`
}

// Choice is what is chosen on scores of messages that the model had not learned.
type Choice struct {
	Thresholds  *metrics.Thresholds `json:"thresholds,omitempty"`
	Calibration metrics.Calibration `json:"calibration"`
	Promise     *metrics.Promise    `json:"promise,omitempty"`
}

// ProvenanceOf returns the provenance of f. The error is about the file that f was opened from.
func ProvenanceOf(f *filter.Filter) (Provenance, error) {
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
	return p, nil
}
