package filter

import (
	"bytes"
	"encoding/json"
	"fmt"

	"chaff/features"
	"chaff/internal/logfile"
	"chaff/metrics"
)

// details are what classification does not need of a filter.
type details interface {
	identity() uint64 // see [Filter.Identity]
	provenance() (json.RawMessage, error)
	texts() (text func(id int) []byte, err error)
	documents() ([]uint32, error)       // how many training messages have each term; the error is [ErrNoTexts] without texts
	frequent(terms int) ([]bool, error) // reports for each term whether section FREQ has it
}

// given are the details of a filter that was made of its parts.
type given struct{ Parts }

func (given) identity() uint64 { return 0 }

func (g given) provenance() (json.RawMessage, error) { return g.Provenance, nil }

func (g given) texts() (func(id int) []byte, error) { return g.Terms.Text, nil }

func (g given) documents() ([]uint32, error) { return g.Terms.Documents, nil }

func (g given) frequent(n int) ([]bool, error) {
	are, documents := make([]bool, n), g.Terms.Documents
	if terms := min(mostFrequent, len(documents)/frequentShare); terms > 0 {
		limit := features.MostFrequent(documents, 1, terms)
		for id, n := range documents {
			are[id] = limit.Admits(n)
		}
	}
	return are, nil
}

// inFile are the details in a model file, and the terms of later records of the log.
type inFile struct {
	tables tables
	later  []logfile.Rows
}

func (d *inFile) identity() uint64 { return d.tables.file.Identity() }

func (d *inFile) provenance() (json.RawMessage, error) { return d.tables.file.Section("INFO") }

func (d *inFile) texts() (func(id int) []byte, error) {
	data, err := d.tables.file.Section("TEXT")
	if err != nil {
		return nil, err
	}
	text, err := decodeTexts(data, d.tables.terms())
	if err != nil {
		return nil, err
	}
	var later []string
	for _, r := range d.later {
		if err := r.EachText(func(text []byte) { later = append(later, string(text)) }); err != nil {
			return nil, err
		}
	}
	return func(id int) []byte {
		if id >= d.tables.terms() {
			return []byte(later[id-d.tables.terms()])
		}
		return text(id)
	}, nil
}

func (d *inFile) documents() ([]uint32, error) {
	if !d.tables.file.Has("TEXT") {
		return nil, ErrNoTexts
	}
	data, err := d.tables.file.Section("DOCF")
	if err != nil {
		return nil, err
	}
	counts, err := decodeCounts(data, d.tables.terms())
	if err != nil {
		return nil, fmt.Errorf("%w: section DOCF is not for %d terms", ErrDamaged, d.tables.terms())
	}
	for _, r := range d.later {
		counts = append(counts, make([]uint32, len(r.New))...)
	}
	return counts, nil
}

func (d *inFile) frequent(n int) ([]bool, error) {
	are := make([]bool, n)
	for of := d.tables.often; len(of) > 0; of = of[3+d.tables.rows:] {
		if id := int(of[2]); id < n {
			are[id] = true
		}
	}
	return are, nil
}

// member returns a member of the provenance, nil if it has none. It reads no more of the provenance than it must.
func (h *head) member(wanted string) (value json.RawMessage, err error) {
	info, err := h.Provenance()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(info))
	_, err = d.Token() // the brace
	for err == nil && d.More() {
		var name json.Token
		if name, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		if name == wanted && err == nil {
			return value, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: provenance: %w", ErrVersion, err)
	}
	return nil, nil
}

// decided are details with a provenance of their own.
type decided struct {
	details
	info json.RawMessage
}

func (d decided) provenance() (json.RawMessage, error) { return d.info, nil }

// Decide returns f with other thresholds, another calibration and another provenance. f cannot be used afterwards.
func (f *Filter) Decide(t *metrics.Thresholds, c metrics.Calibration, provenance json.RawMessage) *Filter {
	f.settings.Thresholds, f.settings.Calibration = t, c
	f.details = decided{f.details, provenance}
	return f
}
