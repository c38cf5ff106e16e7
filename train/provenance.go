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

// Provenance records how a filter was trained: the INFO section of the model file. Corpus, Train, Development and Test describe the
// model that was fitted to the training part; FittedTo says whether this filter is another one.
type Provenance struct {
	Features features.Options `json:"features"`
	// Trainer is the settings of the model, as in the configuration; nil for weights that were set by hand.
	Trainer     json.RawMessage          `json:"trainer,omitempty"`
	Limits      metrics.ThresholdOptions `json:"threshold_limits"`
	Split       corpus.SplitOptions      `json:"split"`
	Seed        uint64                   `json:"seed"`
	Corpus      Summary                  `json:"corpus"`
	Train       *metrics.Figures         `json:"train,omitempty"`
	Development *metrics.Figures         `json:"development,omitempty"`
	Test        *metrics.Figures         `json:"test,omitempty"`
	// Promise is what the thresholds promise about future ham; nil without confidence.
	Promise *metrics.Promise `json:"promise,omitempty"`
	// FittedTo is the number of messages that [Collection.Refit] fitted the filter to, and OutOfFold the number of scores that its
	// thresholds and calibration come from; 0 for a filter that was fitted to the training part.
	FittedTo  int `json:"fitted_to,omitempty"`
	OutOfFold int `json:"out_of_fold_scores,omitempty"`
}

// ProvenanceOf returns how f was trained. The error is about the file that f was opened from.
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

// measuredOn takes over the figures of a model of the training part, with the sizes of the parts.
func (p *Provenance) measuredOn(m Provenance) {
	terms := p.Corpus.Terms
	p.Corpus = m.Corpus
	p.Corpus.Terms = terms
	p.Train, p.Development, p.Test = m.Train, m.Development, m.Test
}
