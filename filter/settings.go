package filter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"chaff/internal/fieldtags"
	"chaff/metrics"
	"chaff/models"
	"chaff/tokenize"
)

// Settings has everything that classification needs except weights and vocabulary: sections SETT and HKEY of the model file.
type Settings struct {
	Classes      []string    `json:"classes"`
	Model        string      `json:"model"`
	Kind         string      `json:"kind"`
	Form         models.Form `json:"form,omitempty"`
	TermsVersion string      `json:"terms_version"`
	Reading
	Thresholds  *metrics.Thresholds `json:"thresholds,omitempty"`
	Calibration metrics.Calibration `json:"calibration"`
}

func encodeSettings(s Settings) []byte {
	var c settingsCodec
	c.all(&s)
	return c.data
}

// decodeSettings reads the settings of a model file and checks that this program supports them. Bytes that are left over are an error.
func decodeSettings(data []byte) (Settings, error) {
	var s Settings
	c := settingsCodec{data: data, reads: true}
	c.each(&s.TermsVersion)
	if !c.failed && s.TermsVersion != tokenize.Version {
		return Settings{}, fmt.Errorf("%w: its terms were made by the rules %q, this program has %q", ErrVersion, s.TermsVersion, tokenize.Version)
	}
	c.data = data
	c.all(&s)
	if c.failed || len(c.data) > 0 {
		return Settings{}, fmt.Errorf("%w: its settings are of another program", ErrVersion)
	}
	if err := models.Gone(s.Model); err != nil {
		return Settings{}, fmt.Errorf("%w: %w", ErrVersion, err)
	}
	if err := errors.Join(fieldtags.Check(s.Message), s.Tokenize.Validate()); err != nil {
		return Settings{}, fmt.Errorf("%w: settings: %w", ErrVersion, err)
	}
	return s, nil
}

// EarlierSettings reads the settings of a model file of version 8, and reports whether they are such settings.
func EarlierSettings(data []byte) (s Settings, known bool) {
	c := settingsCodec{data: data, reads: true, earlier: true}
	c.all(&s)
	if s.Tokenize.Language == "auto" {
		s.Tokenize.Language = tokenize.DefaultOptions().Language
	}
	return s, !c.failed && errors.Join(fieldtags.Check(s.Message), s.Tokenize.Validate()) == nil
}

// settingsCodec writes settings, or reads them, in one order: without the field names and the reflection of JSON, which took longer than the
// terms of a short message. A setting that is added, moved or removed needs another format version.
type settingsCodec struct {
	data    []byte // what was written, or is still to be read
	reads   bool
	earlier bool // it reads those of version 8
	failed  bool // to read
}

// all handles all settings but the key.
func (c *settingsCodec) all(s *Settings) {
	m, t := &s.Message, &s.Tokenize
	shortest, cased, shaped := 1, false, false // settings that are gone
	c.each(&s.TermsVersion, &s.Classes, &s.Model, &s.Kind, &s.Form)
	c.each(&m.MaxDepth, &m.MaxParts, &m.MaxTextBytes, &m.MaxHeaderBytes, &m.MaxHeaderFields, &m.MaxSeconds)
	c.each(&t.Language, &shortest, &t.MaxLength, &t.PairBytes, &t.GramHeaderBytes, &t.GramTextBytes, &t.StartBytes, &t.MaxTokens)
	c.each(&cased, &t.Pairs, &t.Grams, &t.Structure, &t.Symbols)
	if c.earlier {
		c.each(new(bool)) // classes of numbers, which are gone
	}
	c.each(&shaped, &t.Received, &t.DeliveredTo, &t.List, &t.Date, &t.MessageID, &t.Headers, &t.IgnoreHeaders)
	c.failed = c.failed || shortest != 1 || cased || shaped
	has := s.Thresholds != nil
	if c.each(&has); has {
		if c.reads {
			s.Thresholds = new(metrics.Thresholds)
		}
		c.each(&s.Thresholds.Unsure, &s.Thresholds.Spam)
	}
	c.each(&s.Calibration.Slope, &s.Calibration.Offsets)
}

// each handles values, of which it is given the addresses.
func (c *settingsCodec) each(values ...any) {
	for _, value := range values {
		switch v := value.(type) {
		case *[]string:
			list(c, v)
		case *[]float64:
			list(c, v)
		case *models.Form:
			list(c, (*[]models.Member)(v))
		case *[]models.Bounds:
			list(c, v)
		case *models.Member:
			c.each((*uint8)(&v.First), &v.Groups, &v.Bounds)
		case *models.Bounds:
			c.each(&v.Below, &v.Above)
		case *bool:
			if c.reads {
				n := c.take(1)[0]
				*v, c.failed = n == 1, c.failed || n > 1
			} else if c.data = append(c.data, 0); *v {
				c.data[len(c.data)-1] = 1
			}
		case *uint8:
			if c.reads {
				*v = c.take(1)[0]
			} else {
				c.data = append(c.data, *v)
			}
		case *int:
			*v = c.number(*v)
		case *float64:
			if c.reads {
				*v = math.Float64frombits(binary.LittleEndian.Uint64(c.take(8)))
			} else {
				c.data = binary.LittleEndian.AppendUint64(c.data, math.Float64bits(*v))
			}
		case *string:
			text := string([]rune(*v)) // bytes that are not UTF-8 as U+FFFD, as JSON does, which the log keeps the names of classes in
			if n := c.number(len(text)); c.reads {
				*v = string(c.take(n))
			} else {
				c.data = append(c.data, text...)
			}
		}
	}
}

// number writes a number, or reads one. One that an int of this machine cannot hold fails.
func (c *settingsCodec) number(n int) int {
	if !c.reads {
		c.data = binary.AppendVarint(c.data, int64(n))
		return n
	}
	read, size := binary.Varint(c.data)
	c.failed, c.data = c.failed || size <= 0 || int64(int(read)) != read, c.data[max(size, 0):]
	return int(read)
}

// take returns the next n bytes, 8 zeros if there are fewer.
func (c *settingsCodec) take(n int) []byte {
	if uint(n) > uint(len(c.data)) {
		c.failed, c.data = true, nil
		return make([]byte, 8)
	}
	taken := c.data[:n]
	c.data = c.data[n:]
	return taken
}

// list handles a list: its length plus 1, or 0 for one that is nil, and its elements.
func list[T any](c *settingsCodec, l *[]T) {
	n := 0
	if *l != nil {
		n = len(*l) + 1
	}
	if n = c.number(n); c.reads {
		if c.failed = c.failed || n < 0 || n > len(c.data)+1; !c.failed && n > 0 { // each element takes a byte
			*l = make([]T, n-1)
		}
	}
	for i := range *l {
		c.each(&(*l)[i])
	}
}
