// Package hint prints errors for people, with a guess at what they can do.
package hint

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// hinted is an error together with a guess at what the user can do.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// With returns err with a guess at what the user can do, for [Print].
func With(err error, hint string) error { return hinted{err, hint} }

// Print prints err, a line for each error that was joined, and the hint if there is one.
func Print(w io.Writer, err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(w, "chaff: %s\n", strings.TrimSpace(line))
	}
	var h hinted
	if errors.As(err, &h) {
		fmt.Fprintf(w, "chaff: hint: %s\n", h.hint)
	}
}
