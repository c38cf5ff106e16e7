package store

import (
	"errors"
	"fmt"
	"time"
)

// Options are the limits of a store, and what it learns.
type Options struct {
	// MaxMessages is how many messages the store keeps; of more, those with the oldest dates are forgotten, when the store
	// is next folded or fitted. 0 is no limit. At least 0.
	// Default 100000.
	MaxMessages int `json:"max_messages"`
	// MaxAge is the age in days beyond which a message is forgotten; 0 is never. At least 0. Default 0.
	MaxAge int `json:"max_age"`
	// OnError learns a message only if the filter got it wrong or was not sure of it. Default false.
	OnError bool `json:"on_error"`
	// Sure is the probability of the right class, in percent, from which the filter is sure. It counts with on_error
	// only. From 50 to 100. Default 99.
	Sure float64 `json:"sure"`
	// RetrainAfter is after how many messages learned or forgotten chaff watch and chaff serve fit the model again, when
	// there is nothing else to do, and chaff imap --idle at once. They and chaff learn do so earlier if one class has learned twice its usual
	// share. 0 is never. At least 0. Default 100.
	RetrainAfter int `json:"retrain_after"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{MaxMessages: 100000, Sure: 99, RetrainAfter: 100}
}

// Validate returns everything that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	for _, s := range []struct {
		name  string
		value int
	}{{"max_messages", o.MaxMessages}, {"max_age", o.MaxAge}, {"retrain_after", o.RetrainAfter}} {
		if s.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %d: must be at least 0", s.name, s.value))
		}
	}
	if !(o.Sure >= 50 && o.Sure <= 100) {
		errs = append(errs, fmt.Errorf("sure is %v: must be a percentage from 50 to 100", o.Sure))
	}
	return errors.Join(errs...)
}

// The journal is folded into a new base when it has so many records or bytes, which readers of the ledger read. A filter reads the newest
// summary and the records since.
const (
	maxRecords      = 500
	maxJournalBytes = 64 << 20
)

// lockWait is how long a writer waits for another one.
const lockWait = 30 * time.Second
