package fieldtags

import (
	"math"
	"testing"
	"time"
)

func TestASettingIsWhatItsTagSays(t *testing.T) {
	type Part struct {
		Share float64 `json:"share" range:"a percentage, 0 or from 1 to less than 100"`
		Seed  uint64  `json:"-"`
	}
	type settings struct {
		Part
		Rate  float64 `json:"rate" range:"above 0 and at most 1e6"`
		Terms int     `json:"terms" range:"at least 1"`
		Decay string  `json:"decay" range:"constant, 1/n or 1/sqrt(n)"`
		Any   float64 `json:"any"`
	}
	valid := settings{Part{Share: 95}, 1, 1, "1/n", 0}
	for _, tt := range []struct {
		name   string
		change func(*settings)
		want   string
	}{
		{"nothing is wrong", func(s *settings) {}, ""},
		{"the ends of the ranges", func(s *settings) { s.Share, s.Rate = 1, 1e6 }, ""},
		{"a number beside the range", func(s *settings) { s.Share = 0 }, ""},
		{"an empty text", func(s *settings) { s.Decay = "" }, ""},
		{"another text", func(s *settings) { s.Decay = "or" }, `decay is "or": must be constant, 1/n or 1/sqrt(n)`},
		{"a fraction below a range", func(s *settings) { s.Share = 0.95 }, "share is 0.95: must be a percentage, 0 or from 1 to less than 100"},
		{"an end that is not within", func(s *settings) { s.Share = 100 }, "share is 100: must be a percentage, 0 or from 1 to less than 100"},
		{"all that is wrong", func(s *settings) { s.Rate, s.Terms = 0, 0 }, "rate is 0: must be above 0 and at most 1e6\nterms is 0: must be at least 1"},
		{"too much", func(s *settings) { s.Rate = 1e7 }, "rate is 1e+07: must be above 0 and at most 1e6"},
		{"no number", func(s *settings) { s.Rate = math.NaN() }, "rate is NaN: must be above 0 and at most 1e6"},
	} {
		s, got := valid, ""
		tt.change(&s)
		if err := Check(&s); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDefaultsAreWhatTheTagsSay(t *testing.T) {
	type Part struct {
		Share float64  `default:"0.5"`
		Empty []string `default:""`
	}
	type section struct {
		Names []string      `default:"from subject"`
		Pause time.Duration `default:"1000"`
	}
	got := Default[struct {
		Part
		Section section
		On      bool   `default:"true"`
		Seed    uint64 `default:"1"`
		Name    string `default:"votes"`
		Other   string
	}]()
	if got.Share != 0.5 || got.Empty == nil || len(got.Section.Names) != 2 || got.Section.Pause != 1000 || !got.On || got.Seed != 1 || got.Name != "votes" || got.Other != "" {
		t.Errorf("got %+v", got)
	}
}
