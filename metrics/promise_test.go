package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPromise(t *testing.T) {
	tests := []struct {
		name        string
		hams, above int // ham above the threshold
		options     ThresholdOptions
		want        Promise
		text        string
	}{
		// 1 - 0.05^(1/2995) = 0.00099975: rounded up, 0.1 %.
		{"what is asked for is promised", 2995, 0, DefaultThresholdOptions(), Promise{Ham: 2995, Confidence: 95, HamLost: 0.099975, IfMislabelled: 0.099975, Limit: 0.1},
			"at most 0.1% of ham like this is called spam, with 95% confidence (2,995 ham)"},
		// 1 - 0.05^(1/793) = 0.0037704: with two digits, and not rounded down, 0.38 %.
		{"too little ham promises less", 793, 0, DefaultThresholdOptions(),
			Promise{Ham: 793, Confidence: 95, HamLost: 0.37705, IfMislabelled: 0.37705, Limit: 0.1, MoreHam: 2202},
			"at most 0.38% of ham like this is called spam, with 95% confidence (793 ham); 2,202 more ham are needed for 0.1%"},
		// 1 - 0.05^(1/10) = 0.25887.
		{"ten ham promise next to nothing", 10, 0, DefaultThresholdOptions(),
			Promise{Ham: 10, Confidence: 95, HamLost: 25.887, IfMislabelled: 25.887, Limit: 0.1, MoreHam: 2985},
			"at most 26% of ham like this is called spam, with 95% confidence (10 ham); 2,985 more ham are needed for 0.1%"},
		// 1 - 0.005 = 0.995, and ln 0.005 / ln 0.999 = 5295.7.
		{"one ham promises nothing", 1, 0, ThresholdOptions{HamLost: 0.1, Confidence: 99.5},
			Promise{Ham: 1, Confidence: 99.5, HamLost: 99.5, IfMislabelled: 99.5, Limit: 0.1, MoreHam: 5295},
			"at most 100% of ham like this is called spam, with 99.5% confidence (1 ham); 5,295 more ham are needed for 0.1%"},
		// The bound of 20 of 1,900 is 0.015259, that of 0 of 1,880 is 1 - 0.05^(1/1880) = 0.0015922.
		{"ham that scores as spam may be mislabelled", 1900, 20, DefaultThresholdOptions(),
			Promise{Ham: 1900, Lost: 20, Confidence: 95, HamLost: 1.52593, IfMislabelled: 0.15922, Limit: 0.1},
			"at most 1.6% of ham like this is called spam, with 95% confidence (0.16% if the ham lost, 20 of 1,900, is mislabelled)"},
		{"no number promises 0", 10, 0, ThresholdOptions{Confidence: 95}, Promise{Ham: 10, Confidence: 95, HamLost: 25.887, IfMislabelled: 25.887},
			"at most 26% of ham like this is called spam, with 95% confidence (10 ham)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			hams := make([]float64, test.hams)
			for i := range test.above {
				hams[i] = 2
			}
			scores, spam := join(hams, []float64{3})
			got := *test.options.Promise(Thresholds{Spam: 1}, NewMargins(scores, spam))
			if math.Abs(got.HamLost-test.want.HamLost) > 1e-3 || math.Abs(got.IfMislabelled-test.want.IfMislabelled) > 1e-3 {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if text := got.String(); text != test.text {
				t.Errorf("got  %s\nwant %s", text, test.text)
			}
			got.HamLost, got.IfMislabelled = test.want.HamLost, test.want.IfMislabelled
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestThereIsNoPromise(t *testing.T) {
	for name, test := range map[string]struct {
		options   ThresholdOptions
		above     float64
		ham, spam []float64
	}{
		"without confidence":           {ThresholdOptions{HamLost: 0.1}, 0, []float64{-1}, []float64{1}},
		"with costs":                   {ThresholdOptions{HamLost: 0.1, Confidence: 95, Costs: "10:1:0.2"}, 0, []float64{-1}, []float64{1}},
		"without ham":                  {DefaultThresholdOptions(), 0, nil, []float64{1}},
		"without spam":                 {DefaultThresholdOptions(), 0, []float64{-1}, nil},
		"where nothing is called spam": {ThresholdOptions{Confidence: 95}, Beyond, []float64{-1}, []float64{1}},
	} {
		scores, spam := join(test.ham, test.spam)
		if p := test.options.Promise(Thresholds{Spam: test.above}, NewMargins(scores, spam)); p != nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// Of many filters whose true share of lost ham is known, as many as promised must lose no more than the promise.
func TestThePromiseIsKeptOnMailToCome(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	const filters, hams = 2000, 400
	kept := 0
	for range filters {
		scores, spam := make([]float64, hams+1), make([]bool, hams+1)
		for i := range hams {
			scores[i] = random.Float64() // the share above a threshold is 1 less the threshold
		}
		scores[hams], spam[hams] = 2, true
		o := ThresholdOptions{HamLost: 2, Confidence: 90}
		if o.Promise(Thresholds{Spam: 0.98}, NewMargins(scores, spam)).HamLost >= 2 {
			kept++
		}
	}
	// Three standard deviations are 2 %. The bound of a whole number of messages is kept a little more often.
	if got := 100 * float64(kept) / filters; got < 88 || got > 97 {
		t.Errorf("%v %% of the filters keep the promise, want 90", got)
	}
}
