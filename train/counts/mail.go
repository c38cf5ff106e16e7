package counts

import (
	"context"

	"chaff/corpus"
	"chaff/filter"
	"chaff/message"
	"chaff/metrics"
	"chaff/train"
)

// NameBy is [Counts.Name] for all messages of source that can be read. The error comes from the context.
func (c *Counts) NameBy(ctx context.Context, source corpus.Source, o message.Options) error {
	decoder := message.NewDecoder(o)
	return each(ctx, source, func(_ corpus.Item, raw []byte) { c.Name(decoder.Decode(raw)) })
}

// Given returns thresholds and calibration for the model f of counts by its scores of mail of the classes ham and spam, with the warnings about
// them. The mail should not be among what the other filter has learned. Without [train.FewMessages] of each class there are none. The error
// comes from the context.
func Given(ctx context.Context, f *filter.Filter, source corpus.Source, o metrics.ThresholdOptions) (*train.Given, []string, error) {
	s := train.Scores{Classes: 2}
	err := each(ctx, source, func(item corpus.Item, raw []byte) {
		label := int32(0)
		if item.Label == f.Settings().Classes[filter.SpamClass] {
			label = filter.SpamClass
		}
		s.Labels, s.Scores = append(s.Labels, label), append(s.Scores, 0, f.Classify(raw).Score)
	})
	if err != nil {
		return nil, nil, err
	}
	if s.Rarest() < train.FewMessages {
		return nil, nil, f.Err()
	}
	thresholds, warnings := metrics.ChooseThresholds(s.Margins(), s.Spam(), metrics.Scale{}, o)
	calibration, more := metrics.Calibrate(s.Labels, s.Scores, s.Classes)
	return &train.Given{Thresholds: thresholds, Calibration: calibration}, append(warnings, more...), f.Err()
}

// each calls use for each message of source that can be read.
func each(ctx context.Context, source corpus.Source, use func(item corpus.Item, raw []byte)) error {
	var raw []byte
	for item, err := range source {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			continue
		}
		if raw, err = item.Read(raw[:0]); err == nil {
			use(item, raw)
		}
	}
	return nil
}
