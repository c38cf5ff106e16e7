package models_test

import (
	"errors"
	"testing"

	"chaff/features"
	"chaff/models"
)

func TestTrainersCheckTheirSettings(t *testing.T) {
	for _, trainer := range []models.Trainer{models.Bernoulli{Smoothing: -1}, models.Multinomial{Prior: "no"}} {
		kind := features.Bits
		if _, is := trainer.(models.Multinomial); is {
			kind = features.Counts
		}
		if l, _, err := trainer.Train(t.Context(), fourDocuments(kind), models.EpochOptions{}); err == nil || l != nil {
			t.Errorf("%+v: got %v and error %v, want an error", trainer, l, err)
		}
	}
}

func TestWrongKindIsNamed(t *testing.T) {
	const want = "wrong kind of feature: the data set has counts"
	_, _, err := models.DefaultOptions().Bernoulli.Train(t.Context(), fourDocuments(features.Counts), models.EpochOptions{})
	if !errors.Is(err, models.ErrKind) || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
