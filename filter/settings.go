package filter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

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

// encodeSettings returns section SETT.
func encodeSettings(s Settings) []byte {
	var c settingsCodec
	c.all(&s)
	return c.data
}

// decodeSettings reads the settings of a model file and checks that this program supports them. Bytes that are left over are an error.
func decodeSettings(data []byte) (Settings, error) {
	var s Settings
	c := settingsCodec{data: data, reads: true}
	c.text(&s.TermsVersion)
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
	if err := errors.Join(s.Message.Validate(), s.Tokenize.Validate()); err != nil {
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
	return s, !c.failed && errors.Join(s.Message.Validate(), s.Tokenize.Validate()) == nil
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
	c.text(&s.TermsVersion)
	list(c, &s.Classes, c.text)
	c.text(&s.Model)
	c.text(&s.Kind)
	list(c, (*[]models.Member)(&s.Form), func(m *models.Member) {
		c.byte((*uint8)(&m.First))
		bounds := func(b *models.Bounds) {
			c.float(&b.Below)
			c.float(&b.Above)
		}
		list(c, &m.Groups, bounds)
		bounds(&m.Bounds)
	})
	m := &s.Message
	for _, n := range [...]*int{&m.MaxDepth, &m.MaxParts, &m.MaxTextBytes, &m.MaxHeaderBytes, &m.MaxHeaderFields, &m.MaxSeconds} {
		c.int(n)
	}
	t := &s.Tokenize
	c.text(&t.Language)
	shortest, cased, shaped := 1, false, false // settings that are gone
	for _, n := range [...]*int{&shortest, &t.MaxLength, &t.PairBytes, &t.GramHeaderBytes, &t.GramTextBytes, &t.StartBytes, &t.MaxTokens} {
		c.int(n)
	}
	for i, b := range [...]*bool{&cased, &t.Pairs, &t.Grams, &t.Structure, &t.Symbols, &shaped, &t.Received, &t.DeliveredTo, &t.List, &t.Date,
		&t.MessageID} {
		if i == 5 && c.earlier { // classes of numbers, which are gone
			c.bool(new(bool))
		}
		c.bool(b)
	}
	c.failed = c.failed || shortest != 1 || cased || shaped
	list(c, &t.Headers, c.text)
	list(c, &t.IgnoreHeaders, c.text)
	has := s.Thresholds != nil
	if c.bool(&has); has {
		if c.reads {
			s.Thresholds = new(metrics.Thresholds)
		}
		c.float(&s.Thresholds.Unsure)
		c.float(&s.Thresholds.Spam)
	}
	c.float(&s.Calibration.Slope)
	list(c, &s.Calibration.Offsets, c.float)
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

func (c *settingsCodec) byte(b *uint8) {
	if !c.reads {
		c.data = append(c.data, *b)
		return
	}
	*b = c.take(1)[0]
}

func (c *settingsCodec) bool(b *bool) {
	var n uint8
	if *b {
		n = 1
	}
	c.byte(&n)
	*b = n == 1
	c.failed = c.failed || n > 1
}

func (c *settingsCodec) int(n *int) {
	if !c.reads {
		c.data = binary.AppendVarint(c.data, int64(*n))
		return
	}
	value, size := binary.Varint(c.data)
	c.failed = c.failed || size <= 0
	c.data = c.data[max(size, 0):]
	*n = int(value)
}

func (c *settingsCodec) float(f *float64) {
	if !c.reads {
		c.data = binary.LittleEndian.AppendUint64(c.data, math.Float64bits(*f))
		return
	}
	*f = math.Float64frombits(binary.LittleEndian.Uint64(c.take(8)))
}

// text handles a text. It writes bytes that are not UTF-8 as U+FFFD, as JSON does, which the log keeps the names of classes in.
func (c *settingsCodec) text(s *string) {
	text := *s
	if !c.reads {
		text = string([]rune(text))
	}
	n := len(text)
	if c.int(&n); !c.reads {
		c.data = append(c.data, text...)
		return
	}
	*s = string(c.take(n))
}

// list handles a list: its length plus 1, or 0 for one that is nil, and its elements.
func list[T any](c *settingsCodec, l *[]T, element func(*T)) {
	n := 0
	if *l != nil {
		n = len(*l) + 1
	}
	c.int(&n)
	if c.reads {
		*l = nil
		if c.failed = c.failed || n < 0 || n > len(c.data)+1; !c.failed && n > 0 { // each element takes a byte
			*l = make([]T, n-1)
		}
	}
	for i := range *l {
		element(&(*l)[i])
	}
}
