package train

import (
	"chaff/features"
	"chaff/filter"
	"chaff/metrics"
)

// Empty returns mail without messages and a filter of the named model that has seen none, which can learn from one message after the
// other. It calls every message unsure, and gives each class the same probability, until it has thresholds and a calibration: one learned
// message of spam would make spam of all mail.
func Empty(classes []string, model string, c CollectOptions, o Options) (*Mail, *filter.Filter, error) {
	trainer, kind, err := o.Models.New(model, c.Seed)
	if err != nil {
		return nil, nil, err
	}
	learner, _, err := o.Models.NewOnline(model, classes)
	if err != nil {
		return nil, nil, err
	}
	if kind == features.Evidence {
		learner.Grow(features.CellCount)
	}
	linear, err := learner.Linear()
	if err != nil {
		return nil, nil, err
	}
	mail := NewMail(classes, features.NewDocuments(0), nil)
	if err := mail.store.Complete(); err != nil {
		return nil, nil, err
	}
	empty := &Collection{Mail: mail, options: c}
	if err := empty.buildVocabulary(); err != nil {
		return nil, nil, err
	}
	var a adjustment
	a.calibration, _ = metrics.Calibrate(nil, nil, len(classes))
	if filter.IsSpamFilter(classes) {
		a.thresholds = &metrics.Thresholds{Unsure: -metrics.Beyond, Spam: metrics.Beyond}
	}
	f, err := empty.newFilter(linear, learner, trainer, model, kind, o, a, func(*Provenance) {})
	return mail, f, err
}
