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
