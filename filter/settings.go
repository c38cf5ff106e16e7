package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"chaff/internal/termkey"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
)

// Settings has everything that classification needs except weights and vocabulary: sections SETT and HKEY of the model file.
type Settings struct {
	Classes      []string            `json:"classes"`
	Model        string              `json:"model"`
	Kind         string              `json:"kind"`
	Form         models.Form         `json:"form,omitempty"`
	TermsVersion string              `json:"terms_version"`
	Key          termkey.Key         `json:"-"` // a secret with a section of its own, so that printing settings never shows it
	Message      message.Options     `json:"message"`
	Tokenize     tokenize.Options    `json:"tokenize"`
	Thresholds   *metrics.Thresholds `json:"thresholds,omitempty"`
	Calibration  metrics.Calibration `json:"calibration"`
}

// Reading returns the settings for reading messages.
func (s Settings) Reading() Reading {
	return Reading{Key: s.Key, Message: s.Message, Tokenize: s.Tokenize}
}

// decodeSettings reads the settings of a model file and checks that this program supports them. An unknown member is an error.
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
