package config

import (
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

// yamlLine matches the line in an error of the YAML parser, which names all but the first.
var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// maxQuoted is the length of the longest line that an error quotes whole, in bytes.
const maxQuoted = 60

// fileError returns the error about a configuration file that cannot be read, with the line and the column of the fault and the text
// of the line, as far as the format tells them.
func fileError(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("configuration %s: %w", path, e.Err)
	}
	text, _ := os.ReadFile(path) // without it, the line is not shown
	line, column, what := 0, 0, strings.Join(strings.Fields(err.Error()), " ")
	var toml interface{ Position() (row, column int) }
	var syntax *json.SyntaxError
	switch found := yamlLine.FindStringSubmatch(what); {
	case errors.As(err, &toml):
		line, column = toml.Position()
		what = strings.TrimPrefix(what, "toml: ")
	case errors.As(err, &syntax):
		before := string(text[:min(max(int(syntax.Offset)-1, 0), len(text))])
		line, column = 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
	case found != nil:
		line, what = 1, strings.TrimPrefix(what, found[0])
		if n, err := strconv.Atoi(found[1]); err == nil {
			line = n
		}
	}
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return fmt.Errorf("configuration %s: %s", path, what)
	}
	quoted, place := strings.TrimSpace(lines[line-1]), fmt.Sprintf("line %d", line)
	if column > 0 {
		place += fmt.Sprintf(", column %d", column)
		if first, _ := utf8.DecodeRuneInString(lines[line-1][min(column-1, len(lines[line-1])):]); what == "incomplete number" && unicode.IsLetter(first) {
			what = "a text needs quotes"
		}
	}
	if len(quoted) > maxQuoted {
		quoted = strings.ToValidUTF8(quoted[:maxQuoted], "") + "..."
	}
	return fmt.Errorf("configuration %s, %s: %s: %s", path, place, what, quoted)
}
