package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTooLittleHamRaisesTheThreshold(t *testing.T) {
	// Ten ham with the scores 0 to 9: k = 5, u = 4, and the excesses are 1 to 5, which add up to 15. The 0.05 quantile of
	// Gamma(5, 1) is half that of chi-squared with 10 degrees of freedom, 3.940299 / 2 = 1.9701495; theta is 15 / 1.9701495 =
	// 7.613635. For 10 % the tail is at 4 + 7.613635 ln(0.5 / 0.1) = 4 + 12.253674 = 16.253674.
	const tail = 16.253674
	hams := []float64{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}
	same := []float64{7, 7, 7, 7, 7, 7, 7, 7, 7, 7}
	tests := []struct {
		name      string
		ham, spam []float64
		limit     float64
		want      float64
	}{
		{"to the end of the tail", hams, []float64{15, 17, 18}, 10, tail},
		{"but not beyond the median of the spam", hams, []float64{10, 12, 18}, 10, 12},
		{"but not below the ham", hams, []float64{1, 2, 18}, 10, 9},
		// 1 + 2 / 0.0512933 ln(0.5 / 0.6) is below 0.
		{"but not below the ham for a large limit", []float64{3, 1}, []float64{15, 17, 18}, 60, 3},
		{"scores that are all the same have no tail", same, []float64{15, 17, 18}, 10, 7},
		{"one ham has no tail", []float64{3}, []float64{15, 17, 18}, 10, 3},
		// Two ham: k = 1, u = 1, and the 0.05 quantile of Gamma(1, 1) is -ln 0.95 = 0.0512933; 1 + 2 / 0.0512933 ln(0.5 / 0.1).
		{"two ham have one that exceeds the other", []float64{3, 1}, []float64{15, 90, 91}, 10, 63.75432},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := join(test.ham, test.spam)
			got, _ := ChooseThresholds(scores, spam, ThresholdOptions{HamLost: test.limit, SpamMissed: 100, Confidence: 95})
			if math.Abs(got.Spam-test.want) > 1e-5 {
				t.Errorf("spam above %v, want %v", got.Spam, test.want)
			}
		})
	}
}

func TestPromise(t *testing.T) {
	tests := []struct {
		name        string
		hams, above int // ham above the threshold
		options     ThresholdOptions
		want        Promise
		text        string
	}{
		// 0.999^2995 = 0.04996.
		{"what is asked for is promised", 2995, 0, DefaultThresholdOptions(), Promise{Ham: 2995, Confidence: 95, HamLost: 0.1, Limit: 0.1},
			"at most 0.1% of ham is called spam, with 95% confidence (2995 ham)"},
		// 1 - 0.05^(1/793) = 0.0037704: with two digits, and not rounded down, 0.38 %.
		{"too little ham promises less", 793, 0, DefaultThresholdOptions(),
			Promise{Ham: 793, Confidence: 95, HamLost: 0.37705, Limit: 0.1, MoreHam: 2202},
			"at most 0.38% of ham is called spam, with 95% confidence (793 ham); 2202 more ham are needed for 0.1%"},
		// 1 - 0.05^(1/10) = 0.25887.
		{"ten ham promise next to nothing", 10, 0, DefaultThresholdOptions(),
			Promise{Ham: 10, Confidence: 95, HamLost: 25.887, Limit: 0.1, MoreHam: 2985},
			"at most 26% of ham is called spam, with 95% confidence (10 ham); 2985 more ham are needed for 0.1%"},
		// 1 - 0.005 = 0.995, and ln 0.005 / ln 0.999 = 5295.7.
		{"one ham promises nothing", 1, 0, ThresholdOptions{HamLost: 0.1, Confidence: 99.5},
			Promise{Ham: 1, Confidence: 99.5, HamLost: 99.5, Limit: 0.1, MoreHam: 5295},
			"at most 100% of ham is called spam, with 99.5% confidence (1 ham); 5295 more ham are needed for 0.1%"},
		{"a limit stays as it was set", 2995, 0, ThresholdOptions{HamLost: 0.125, Confidence: 95},
			Promise{Ham: 2995, Confidence: 95, HamLost: 0.125, Limit: 0.125},
			"at most 0.125% of ham is called spam, with 95% confidence (2995 ham)"},
		// The bound of 1 of 46 is 0.0991.
		{"lost ham counts", 46, 1, ThresholdOptions{HamLost: 10, Confidence: 95}, Promise{Ham: 46, Confidence: 95, HamLost: 10, Limit: 10},
			"at most 10% of ham is called spam, with 95% confidence (46 ham)"},
		{"nothing promises 0", 10, 0, ThresholdOptions{Confidence: 95}, Promise{Ham: 10, Confidence: 95, HamLost: 25.887},
			"at most 26% of ham is called spam, with 95% confidence (10 ham); no mailbox is large enough for 0%"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			hams := make([]float64, test.hams)
			for i := range test.above {
				hams[i] = 2
			}
			scores, spam := join(hams, []float64{3})
			got, ok := test.options.Promise(Thresholds{Spam: 1}, scores, spam)
			if !ok || math.Abs(got.HamLost-test.want.HamLost) > 1e-3 {
				t.Errorf("got %+v, %v, want %+v", got, ok, test.want)
			}
			if text := got.String(); text != test.text {
				t.Errorf("got  %s\nwant %s", text, test.text)
			}
			got.HamLost = test.want.HamLost
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestThereIsNoPromise(t *testing.T) {
	for name, test := range map[string]struct {
		options   ThresholdOptions
		ham, spam []float64
	}{
		"without confidence": {ThresholdOptions{HamLost: 0.1}, []float64{-1}, []float64{1}},
		"with costs":         {ThresholdOptions{HamLost: 0.1, Confidence: 95, Costs: "10:1:0.2"}, []float64{-1}, []float64{1}},
		"without ham":        {DefaultThresholdOptions(), nil, []float64{1}},
		"without spam":       {DefaultThresholdOptions(), []float64{-1}, nil},
	} {
		scores, spam := join(test.ham, test.spam)
		if p, ok := test.options.Promise(Thresholds{}, scores, spam); ok {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// If the tail is exponential, a raised threshold keeps the limit on future mail as often as it should. The greatest score of so few
// messages seldom does.
func TestARaisedThresholdKeepsTheLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	const filters, hams, limit = 1000, 300, 0.001
	kept, keptByTheGreatest := 0, 0
	for range filters {
		scores, spam := make([]float64, hams+1), make([]bool, hams+1)
		greatest := 0.0
		for i := range hams {
			scores[i] = random.ExpFloat64() // the share above t is exp(-t)
			greatest = max(greatest, scores[i])
		}
		scores[hams], spam[hams] = 1000, true
		got, _ := ChooseThresholds(scores, spam, DefaultThresholdOptions())
		if math.Exp(-got.Spam) <= limit {
			kept++
		}
		if math.Exp(-greatest) <= limit {
			keptByTheGreatest++
		}
	}
	// Of 1,000 at 95 %, three standard deviations are 2 %. exp(-0.3) of the greatest scores leave more than 0.1 % above them.
	if kept < 930*filters/1000 {
		t.Errorf("%d of %d filters keep the limit, want 95 %%", kept, filters)
	}
	if keptByTheGreatest > filters/3 {
		t.Errorf("the greatest score keeps the limit in %d of %d filters: the test shows nothing", keptByTheGreatest, filters)
	}
}
