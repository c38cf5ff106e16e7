package hint

import (
	"errors"
	"fmt"
	"strings"
	"testing"
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
