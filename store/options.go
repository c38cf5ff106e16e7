package store

import "time"

// Options are the limits of a log, and what it learns.
type Options struct {
	// MaxMessages is how many messages of each class the log keeps; of more, those that were learned first are forgotten, when the model is next
	// fitted. 0 is no limit. At least 0.
	// Default 100000.
	MaxMessages int `json:"max_messages" range:"at least 0"`
	// MaxAge is for how many days a message is known; 0 is for ever. The time of learning counts. At least 0. Default 0.
	MaxAge int `json:"max_age" range:"at least 0"`
	// RetrainAfter is after how many messages learned or forgotten chaff watch and chaff serve fit the model again, when
	// there is nothing else to do. They and chaff learn do so earlier if one class has learned twice its usual share. 0 is never. At least 0. Default 100.
	RetrainAfter int `json:"retrain_after" range:"at least 0"`
}

// DefaultOptions returns the default options.
func DefaultOptions() Options {
	return Options{MaxMessages: 100000, RetrainAfter: 100}
}

// The model is written anew when its log has so many records or bytes since, of which readers of the model read the rows: after maxOpen records while a
// process learns many messages, and when it ends if there are maxRecords.
const (
	maxRecords   = 64
	maxOpen      = 512
	maxTailBytes = 16 << 20
)

// lockWait is how long a writer waits for another one.
const lockWait = 30 * time.Second
