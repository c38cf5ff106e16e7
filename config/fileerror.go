package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileError returns the error about a configuration file that cannot be read, with the line and the column of the fault and the text
// of the line, as far as the format tells them.
func fileError(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("configuration %s: %w", path, e.Err)
	}
	text, _ := os.ReadFile(path) // without it, the line is not shown
	line, column, what := faultIn(text, err)
	place := fmt.Sprintf("configuration %s, line %d", path, line)
	if column > 0 {
		place += fmt.Sprintf(", column %d", column)
	}
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return fmt.Errorf("configuration %s: %s", path, what)
	}
	return fmt.Errorf("%s: %s: %s", place, what, shortened(string(bytes.TrimSpace(lines[line-1]))))
}

// maxQuoted is the length of the longest line that an error quotes whole, in bytes.
const maxQuoted = 60

func shortened(line string) string {
	if len(line) <= maxQuoted {
		return line
	}
	return strings.ToValidUTF8(line[:maxQuoted], "") + "..."
}

// yamlLine matches the line in an error of the YAML parser, which names all but the first.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// faultIn returns where in text a parser has found a fault, with lines and columns from 1 or 0 if unknown, and the fault.
func faultIn(text []byte, err error) (line, column int, what string) {
	what = strings.Join(strings.Fields(err.Error()), " ")
	if e, ok := errors.AsType[interface {
		error
		Position() (row, column int)
	}](err); ok { // of TOML
		line, column = e.Position()
		if what = strings.TrimPrefix(what, "toml: "); what == "incomplete number" && hasWord(text, line, column) {
			what = "a text needs quotes"
		}
		return line, column, what
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := text[:min(max(int(e.Offset)-1, 0), len(text))]
		return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n'), what
	}
	if found := yamlLine.FindStringSubmatch(what); found != nil {
		line = 1
		if n, err := strconv.Atoi(found[1]); err == nil {
			line = n
		}
		return line, 0, strings.TrimPrefix(what, found[0])
	}
	return 0, 0, what
}

// hasWord reports whether a letter is at a place of a text.
func hasWord(text []byte, line, column int) bool {
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) || column < 1 || column > len(lines[line-1]) {
		return false
	}
	first, _ := utf8.DecodeRune(lines[line-1][column-1:])
	return unicode.IsLetter(first)
}
