package corpus

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSplitOptionsValidate(t *testing.T) {
	with := func(change func(*SplitOptions)) SplitOptions {
		o := DefaultSplitOptions()
		change(&o)
		return o
	}
	tests := []struct {
		about string
		o     SplitOptions
		want  []string // one for each complaint
	}{
		{"the defaults are valid", DefaultSplitOptions(), nil},
		{"by time", with(func(o *SplitOptions) { o.Method = "time" }), nil},
		{"all for training", SplitOptions{"hash", 0.5, 1, 0, 0}, nil},
		{"a rounding error in the sum", SplitOptions{"hash", 0.5, 0.7, 0.2, 0.1}, nil},
		{"an unknown method", with(func(o *SplitOptions) { o.Method = "random" }), []string{`method is "random": must be grouped, hash or time`}},
		{"nothing to train on", SplitOptions{"hash", 0.5, 0, 0.5, 0.5}, []string{"train is 0: must be above 0"}},
		{"a sum below one", SplitOptions{"hash", 0.5, 0.5, 0.2, 0.2}, []string{"add up to 0.9"}},
		{"not a number", SplitOptions{"hash", 0.5, 0.5, math.NaN(), 0.5}, []string{"development is NaN", "add up to NaN"}},
		{"no similarity", with(func(o *SplitOptions) { o.Similarity = 0 }), []string{"similarity is 0: must be above 0"}},
		{"everything at once", SplitOptions{"", 1.5, -1, -1, 2}, []string{"similarity is 1.5", "train is -1", "development is -1", "test is 2", "method", "add up to 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			var got []string
			if err := tt.o.Validate(); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i := range got {
				if !strings.Contains(got[i], tt.want[i]) {
					t.Errorf("got %q, want %q in it", got[i], tt.want[i])
				}
			}
		})
	}
}

func TestByHashKeepsTheShares(t *testing.T) {
	const n = 100_000
	o := DefaultSplitOptions()
	for seed := range uint64(3) {
		// Consecutive numbers are the worst keys.
		var count [3]float64
		for fp := range uint64(n) {
			count[o.ByHash(seed, fp)]++
		}
		for part, share := range []float64{o.Train, o.Development, o.Test} {
			// Five standard deviations of a binomial count.
			if d := math.Abs(count[part] - share*n); d > 5*math.Sqrt(n*share*(1-share)) {
				t.Errorf("seed %d: %v got %v of %d messages, want about %v", seed, Part(part), count[part], n, share*n)
			}
		}
	}
}

func TestByHashDependsOnTheSeed(t *testing.T) {
	o := SplitOptions{Method: "hash", Train: 0.5, Test: 0.5}
	const n = 10_000
	same := 0
	for fp := range uint64(n) {
		if o.ByHash(1, fp) == o.ByHash(2, fp) {
			same++
		}
	}
	if same < n/2-250 || same > n/2+250 {
		t.Errorf("%d of %d messages are in the same part with two seeds, want about half", same, n)
	}
}

// The first output of splitmix64 for the seed 0, as published with the generator.
func TestMixIsSplitmix64(t *testing.T) {
	if got, want := mix(0), uint64(0xe220a8397b1dcdaf); got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
}

func TestByHashIsTheSameForEver(t *testing.T) {
	var got []Part
	for fp := range uint64(12) {
		got = append(got, DefaultSplitOptions().ByHash(1, fp))
	}
	want := []Part{
		Train, Test, Development, Train, Test, Development,
		Train, Train, Train, Train, Development, Train,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestByHashLeavesPartsWithoutAShareEmpty(t *testing.T) {
	// The shares add up to far too little, so that the remainder occurs often.
	tests := []SplitOptions{
		{"hash", 0.5, 0.5, 0, 0}, {"hash", 0.5, 0.5, 0.2, 0}, {"hash", 0.5, 0.5, 0, 0.5},
	}
	for _, o := range tests {
		for fp := range uint64(1000) {
			switch p := o.ByHash(7, fp); {
			case p == Development && o.Development == 0, p == Test && o.Test == 0:
				t.Fatalf("%+v: a message is in %v", o, p)
			}
		}
	}
}

func TestByTime(t *testing.T) {
	day := func(days ...int) (times []time.Time) {
		for _, d := range days {
			when := time.Time{}
			if d > 0 {
				when = time.Date(2002, 8, d, 0, 0, 0, 0, time.UTC)
			}
			times = append(times, when)
		}
		return times
	}
	o := DefaultSplitOptions()
	tests := []struct {
		about string
		o     SplitOptions
		times []time.Time
		want  string // t, d or x (for test) for each message
	}{
		{"oldest first", o, day(5, 4, 3, 2, 1), "xdttt"},
		{"the same time: by position", o, day(1, 1, 1, 1, 1), "tttdx"},
		{"without a time: older than all", o, day(1, 2, 0, 3, 0), "tdtxt"},
		{"sizes are rounded", o, day(1, 2, 3, 4), "ttdx"},
		{"one message is for training", o, day(1), "t"},
		{"no message", o, nil, ""},
		{"all for training", SplitOptions{"time", 0.5, 1, 0, 0}, day(2, 1), "tt"},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			got := ""
			for _, p := range tt.o.ByTime(tt.times) {
				got += string("tdx"[p])
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPartsHaveNames(t *testing.T) {
	got := []string{Train.String(), Development.String(), Test.String()}
	if want := []string{"train", "development", "test"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
