package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"chaff/corpus"
	"chaff/features"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
)

// Settings are what a filter needs to know to classify: the SETT section of the model file, and the HKEY section.
type Settings struct {
	Classes      []string            `json:"classes"`
	Model        string              `json:"model"`
	Kind         string              `json:"kind"`
	Form         models.Form         `json:"form,omitempty"`
	TermsVersion string              `json:"terms_version"`
	Key          features.Key        `json:"-"` // a secret, in a section of its own: whatever prints settings must not print it
	Message      message.Options     `json:"message"`
	Tokenize     tokenize.Options    `json:"tokenize"`
	Thresholds   *metrics.Thresholds `json:"thresholds,omitempty"`
	Calibration  metrics.Calibration `json:"calibration"`
}

// Provenance is where a filter came from: the INFO section of the model file. Corpus, Train, Development and Test are those of
// a model that was fitted to the training part; FittedTo says whether this one is another.
type Provenance struct {
	Features features.Options `json:"features"`
	// Trainer is the settings of the model, as they are in the configuration; nothing for weights that were set by hand.
	Trainer     json.RawMessage          `json:"trainer,omitempty"`
	Limits      metrics.ThresholdOptions `json:"threshold_limits"`
	Split       corpus.SplitOptions      `json:"split"`
	Seed        uint64                   `json:"seed"`
	Corpus      Summary                  `json:"corpus"`
	Train       *metrics.Figures         `json:"train,omitempty"`
	Development *metrics.Figures         `json:"development,omitempty"`
	Test        *metrics.Figures         `json:"test,omitempty"`
	// Promise is what the thresholds promise about ham to come; nil without confidence.
	Promise *metrics.Promise `json:"promise,omitempty"`
	// FittedTo is to how many messages the filter was fitted by [Collection.Refit], all there were, and OutOfFold how many
	// scores its thresholds and calibration come from; 0 for a filter that was fitted to the training part.
	FittedTo  int `json:"fitted_to,omitempty"`
	OutOfFold int `json:"out_of_fold_scores,omitempty"`
}

// Reading returns how bytes become the documents of the filter.
func (s Settings) Reading() Reading {
	return Reading{Key: s.Key, Message: s.Message, Tokenize: s.Tokenize}
}

// decodeSettings reads the settings of a model file and checks that this program can honour them.
func decodeSettings(data []byte) (Settings, error) {
	var s Settings
	if err := decodeJSON(data, &s); err != nil {
		return Settings{}, err
	}
	if s.TermsVersion != tokenize.Version {
		return Settings{}, fmt.Errorf("%w: its terms were made by the rules %q, this program has %q", ErrVersion, s.TermsVersion, tokenize.Version)
	}
	if err := errors.Join(s.Message.Validate(), s.Tokenize.Validate()); err != nil {
		return Settings{}, fmt.Errorf("%w: settings: %w", ErrVersion, err)
	}
	return s, nil
}

// decodeJSON reads a section that must have no member that this program does not know.
func decodeJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: settings: %w", ErrVersion, err)
	}
	return nil
}
