package filter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"chaff/features"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
)

// Settings are everything beside weights and vocabulary that classifying needs: the sections SETT and HKEY of the model file.
type Settings struct {
	Classes      []string            `json:"classes"`
	Model        string              `json:"model"`
	Kind         string              `json:"kind"`
	Form         models.Form         `json:"form,omitempty"`
	TermsVersion string              `json:"terms_version"`
	Key          features.Key        `json:"-"` // a secret, in a section of its own, so that nothing that prints settings prints it
	Message      message.Options     `json:"message"`
	Tokenize     tokenize.Options    `json:"tokenize"`
	Thresholds   *metrics.Thresholds `json:"thresholds,omitempty"`
	Calibration  metrics.Calibration `json:"calibration"`
}

// Reading returns how the filter reads messages.
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

// decodeJSON reads a section. A member that this program does not know is an error.
func decodeJSON(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: settings: %w", ErrVersion, err)
	}
	return nil
}
