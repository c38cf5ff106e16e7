package hint

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestErrorsAreALineEachAndAHintStandsBelow(t *testing.T) {
	cause := errors.New("no such file")
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"one":                      {cause, "chaff: no such file\n"},
		"two":                      {errors.Join(cause, errors.New("disk full")), "chaff: no such file\nchaff: disk full\n"},
		"with a hint":              {With(cause, "train one"), "chaff: no such file\nchaff: hint: train one\n"},
		"two inside of one":        {fmt.Errorf("read settings: %w", errors.Join(cause, errors.New("disk full"))), "chaff: read settings: no such file\nchaff: disk full\n"},
		"a name with a newline":    {fmt.Errorf("open a\nchaff: saved\x1b[2J: %w", cause), "chaff: open a\\nchaff: saved\\x1b[2J: no such file\n"},
		"a name among two":         {errors.Join(fmt.Errorf("a\nb: %w", cause), errors.New("c\nd")), "chaff: a\\nb: no such file\nchaff: c\\nd\n"},
		"two causes on a line":     {fmt.Errorf("%w: a\nb: %w", cause, errors.New("c")), "chaff: no such file: a\\nb: c\n"},
		"a hint with a newline":    {With(cause, "say a\nb"), "chaff: no such file\nchaff: hint: say a\\nb\n"},
		"with a hint that is deep": {fmt.Errorf("open: %w", With(cause, "train one")), "chaff: open: no such file\nchaff: hint: train one\n"},
	} {
		var out strings.Builder
		Print(&out, tt.err)
		if out.String() != tt.want {
			t.Errorf("%s: got %q, want %q", name, out.String(), tt.want)
		}
		if !errors.Is(tt.err, cause) {
			t.Errorf("%s: the cause is lost", name)
		}
	}
}

// FuzzErrorsAreALineEach puts any text into errors that are wrapped and joined: there are as many lines as errors, and nothing
// in them that cannot be printed.
func FuzzErrorsAreALineEach(f *testing.F) {
	f.Add("a\nchaff: b", "\x1b[2J")
	f.Add("", "\n")
	f.Add(": ", "\xff\u202e")
	f.Fuzz(func(t *testing.T, name, reason string) {
		cause := errors.New(reason)
		err := fmt.Errorf("read %s: %w", name, errors.Join(fmt.Errorf("%s: %w", name, cause), fmt.Errorf("%w: %s: %w", cause, name, cause), cause))
		var out strings.Builder
		Print(&out, With(err, "try "+name))
		lines := strings.Split(out.String(), "\n")
		if len(lines) != 5 || lines[4] != "" {
			t.Errorf("%d lines: %q", len(lines)-1, out.String())
		}
		for _, line := range lines[:4] {
			if !strings.HasPrefix(line, "chaff: ") || !utf8.ValidString(line) || strings.IndexFunc(line, func(r rune) bool { return !strconv.IsPrint(r) && !unicode.Is(unicode.Zs, r) }) >= 0 {
				t.Errorf("got the line %q", line)
			}
		}
	})
}

func TestAPathIsQuotedForTheShell(t *testing.T) {
	paths := map[string]string{
		"spam.model": "spam.model", "~/a-b/c_d.model": "~/a-b/c_d.model", "my model": "'my model'", "it's": `'it'"'"'s'`, "": "''",
	}
	if runtime.GOOS == "windows" {
		paths = map[string]string{`C:\mail\spam.model`: "C:/mail/spam.model", `C:\my model`: `"C:/my model"`, "it's": `"it's"`, "": `""`}
	}
	for path, want := range paths {
		if got := Word(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestTheNearestNameIsTheOneThatWasMeant(t *testing.T) {
	commands := []string{"train", "compare", "tune", "classify", "version"}
	for name, tt := range map[string]struct {
		word  string
		known []string
		want  string
	}{
		"two letters are exchanged":         {"trian", commands, "train"},
		"a letter is missing":               {"clasify", commands, "classify"},
		"letters are exchanged in the rest": {"versoin", commands, "version"},
		"the beginning of a name":           {"comp", commands, "compare"},
		"another case":                      {"TRAIN", commands, "train"},
		"two letters begin nothing":         {"cl", commands, ""},
		"nothing is close":                  {"spam", commands, ""},
		"a short word has no neighbours":    {"x", []string{"l1", "l2"}, ""},
		"no word":                           {"", []string{"a", "l1"}, ""},
		"a flag":                            {"mailidr", []string{"mail", "maildir", "model"}, "maildir"},
		"a shell":                           {"bsh", []string{"bash", "zsh", "fish"}, "bash"},
		"no known names":                    {"train", nil, ""},
	} {
		if got := Nearest(tt.word, tt.known); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestDidYouMeanNamesAWordOrAList(t *testing.T) {
	if got, want := DidYouMean("trian", []string{"train"}, "see the list"), "did you mean train?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := DidYouMean("spam", []string{"train"}, "see the list"), "see the list"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
