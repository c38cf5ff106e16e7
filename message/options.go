package message

import (
	"errors"
	"fmt"
	"time"
)

// Options are the limits of a [Decoder]. They bound time and memory on hostile mail; ordinary mail stays below all of them.
type Options struct {
	// MaxDepth is how deep parts and attached messages may nest; deeper ones are read as plain text. From 1 to 1000;
	// zero means the default. Default 30.
	MaxDepth int `json:"max_depth"`
	// MaxParts is how many parts of a message are read. From 1 to 1000000; zero means the default. Default 1000.
	MaxParts int `json:"max_parts"`
	// MaxTextBytes is how many bytes of decoded text, HTML with its tags, are read of all parts together. From 1 to
	// 1073741824 (1 GiB); zero means the default. Default 4194304.
	MaxTextBytes int `json:"max_text_bytes"`
	// MaxHeaderBytes is how many bytes of a header field are read. From 1 to 16777216 (16 MiB); zero means the
	// default. Default 65536.
	MaxHeaderBytes int `json:"max_header_bytes"`
	// MaxHeaderFields is how many header fields are kept, those of attached messages included. From 1 to 1000000; zero
	// means the default. Default 1000.
	MaxHeaderFields int `json:"max_header_fields"`
	// MaxSeconds is how many seconds decoding a message may take; the rest is dropped. The other limits keep all mail
	// far below it, so that results do not depend on the machine. From 1 to 3600; zero means the default. Default 60.
	MaxSeconds int `json:"max_seconds"`
}

// limit is the range of an option: from 1 to most, def for 0.
type limit struct {
	key       string
	value     *int
	def, most int
}

func (o *Options) limits() []limit {
	return []limit{
		{"max_depth", &o.MaxDepth, 30, 1000},
		{"max_parts", &o.MaxParts, 1000, 1_000_000},
		{"max_text_bytes", &o.MaxTextBytes, 4 << 20, 1 << 30},
		{"max_header_bytes", &o.MaxHeaderBytes, 64 << 10, 16 << 20},
		{"max_header_fields", &o.MaxHeaderFields, 1000, 1_000_000},
		{"max_seconds", &o.MaxSeconds, 60, 3600},
	}
}

// DefaultOptions returns the default limits.
func DefaultOptions() Options { return Options{}.orDefaults() }

// Validate returns all complaints about o, joined, or nil.
func (o Options) Validate() error {
	var errs []error
	for _, l := range o.limits() {
		if *l.value < 0 || *l.value > l.most {
			errs = append(errs, fmt.Errorf("%s is %d: want 1 to %d, or 0 for the default", l.key, *l.value, l.most))
		}
	}
	return errors.Join(errs...)
}

// orDefaults returns o with defaults for limits that are zero or negative.
func (o Options) orDefaults() Options {
	for _, l := range o.limits() {
		if *l.value <= 0 {
			*l.value = l.def
		}
	}
	return o
}

// minTimed is the size of the least message that has a deadline. Smaller ones cannot take long.
const minTimed = 64 << 10

// timer says when the time for a message is up.
type timer struct {
	clock    func() time.Time
	deadline time.Time // zero for a message without a time limit
}

func (t *timer) isUp() bool { return !t.deadline.IsZero() && !t.clock().Before(t.deadline) }
