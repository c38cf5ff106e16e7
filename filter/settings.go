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

// Settings are what a filter is, and where it came from: the SETT section of the model file.
type Settings struct {
	Classes      []string                 `json:"classes"`
	Model        string                   `json:"model"`
	Kind         string                   `json:"kind"`
	TermsVersion string                   `json:"terms_version"`
	Message      message.Options          `json:"message"`
	Tokenize     tokenize.Options         `json:"tokenize"`
	Features     features.Options         `json:"features"`
	Trainer      models.Options           `json:"trainer"`
	Limits       metrics.ThresholdOptions `json:"threshold_limits"`
	Split        corpus.SplitOptions      `json:"split"`
	Seed         uint64                   `json:"seed"`
	Corpus       Summary                  `json:"corpus"`
	Thresholds   *metrics.Thresholds      `json:"thresholds,omitempty"`
	Calibration  metrics.Calibration      `json:"calibration"`
	Train        *metrics.Figures         `json:"train,omitempty"`
	Development  *metrics.Figures         `json:"development,omitempty"`
	Test         *metrics.Figures         `json:"test,omitempty"`
}

// Reading returns how bytes become the documents of the filter.
func (s Settings) Reading() Reading { return Reading{Message: s.Message, Tokenize: s.Tokenize} }

func encodeSettings(s Settings) ([]byte, error) { return json.MarshalIndent(s, "", "  ") }

// decodeSettings reads the settings of a model file and checks that this program can honour them.
func decodeSettings(data []byte) (Settings, error) {
	var s Settings
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Settings{}, fmt.Errorf("%w: settings: %w", ErrVersion, err)
	}
	if s.TermsVersion != tokenize.Version {
		return Settings{}, fmt.Errorf("%w: its terms were made by the rules %q, this program has %q", ErrVersion, s.TermsVersion, tokenize.Version)
	}
	if err := errors.Join(s.Message.Validate(), s.Tokenize.Validate()); err != nil {
		return Settings{}, fmt.Errorf("%w: settings: %w", ErrVersion, err)
	}
	return s, nil
}
