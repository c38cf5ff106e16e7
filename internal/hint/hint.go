// Package hint prints errors, with a hint at what the user can do.
package hint

import (
	"errors"
	"io"
	"strings"

	"chaff/internal/screen"
)

// hinted is an error with a hint.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// With returns err with a hint at what the user can do, for [Print].
func With(err error, hint string) error { return hinted{err, hint} }

// Print prints err, one line for each joined error, and the hint if there is one. The names of files and classes in an error
// are escaped, so none of them can add a line.
func Print(w io.Writer, err error) {
	for _, line := range lines(err) {
		screen.Printf(w, "chaff: %v\n", line)
	}
	var h hinted
	if errors.As(err, &h) {
		screen.Printf(w, "chaff: hint: %s\n", h.hint)
	}
}

// lines returns the errors joined in err, the first with the text that err puts before it.
func lines(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		var all []error
		var texts []string
		for _, joined := range e.Unwrap() {
			all, texts = append(all, lines(joined)...), append(texts, joined.Error())
		}
		if err.Error() == strings.Join(texts, "\n") {
			return all
		}
	case interface{ Unwrap() error }:
		inner := e.Unwrap()
		if inner == nil {
			break
		}
		if before, found := strings.CutSuffix(err.Error(), inner.Error()); found {
			all := lines(inner)
			all[0] = errors.New(before + all[0].Error())
			return all
		}
	}
	return []error{err}
}
