// Package hint prints errors, with a hint at what the user can do.
package hint

import (
	"errors"
	"io"
	"path/filepath"
	"runtime"
	"strings"

	"chaff/internal/indices"
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

// Or returns err with a hint, unless it has one.
func Or(err error, hint string) error {
	if _, has := errors.AsType[hinted](err); has {
		return err
	}
	return With(err, hint)
}

// Word returns a path as a shell reads it.
func Word(path string) string {
	path = filepath.ToSlash(path) // a backslash would be escaped for the terminal
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./~+-,@%=:"
	if path != "" && strings.Trim(path, plain) == "" {
		return path
	}
	if runtime.GOOS == "windows" { // where no name has a double quote
		return `"` + path + `"`
	}
	return "'" + strings.ReplaceAll(path, "'", `'"'"'`) + "'"
}

// Print prints err, one line for each joined error, and the hint if there is one. The names of files and classes in an error
// are escaped, so none of them can add a line.
func Print(w io.Writer, err error) {
	for _, line := range lines(err) {
		screen.Printf(w, "chaff: %v\n", line)
	}
	if h, has := errors.AsType[hinted](err); has {
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

// Nearest returns the known name that was probably meant by word, or "" if none is close. Case does not count. A name is close if at
// most a third of the letters of word differ, where two exchanged neighbours are one difference, or if word begins it and has at least
// three letters. Of equally close names the first wins.
func Nearest(word string, known []string) string {
	nearest, least := "", max(1, len(word)/3)+1
	typed := strings.ToLower(word)
	for _, name := range known {
		d := distance(typed, strings.ToLower(name))
		if len(typed) >= 3 && strings.HasPrefix(strings.ToLower(name), typed) {
			d = min(d, 1)
		}
		if d < least && d < len(word) {
			nearest, least = name, d
		}
	}
	return nearest
}

// distance is the number of bytes to insert, delete, replace or exchange with a neighbour to turn a into b (the optimal string alignment
// distance).
func distance(a, b string) int {
	var before []int // the row before the last
	last := indices.Below[int](len(b) + 1)
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 0
			if a[i] != b[j] {
				cost = 1
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// DidYouMean returns what to add to an error about an unknown word: a question that names the known word that was probably meant, or
// otherwise where the known words are listed.
func DidYouMean(word string, known []string, otherwise string) string {
	if name := Nearest(word, known); name != "" {
		return "did you mean " + name + "?"
	}
	return otherwise
}
