package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// below is the next number below x.
func below(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

func TestChooseThresholds(t *testing.T) {
	// Limits so that of 10 ham or 10 spam 0, 1 or 2 may go wrong.
	none, one, two := 5., 10., 29.
	tests := []struct {
		name             string
		ham, spam        []float64
		hamLost, spamOut float64
		want             Thresholds
	}{
		{
			"what is in order within the limits needs no unsure",
			[]float64{-9, -8, -7, -6, -5, -4, -3, -2, -1, 0}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, none, none,
			Thresholds{Unsure: 0, Spam: 0},
		},
		{
			// The highest ham is 5: no ham is above 5. The lowest spam is -4: with -4 it would be called ham.
			"with no error allowed the worst of each decides",
			[]float64{-9, -8, -7, -6, -5, -4, -3, 2, 3, 5}, []float64{-4, -2, 3, 4, 5, 6, 7, 8, 9, 10}, none, none,
			Thresholds{Unsure: below(-4), Spam: 5},
		},
		{
			// One ham above 3, one spam at or below any number under -2.
			"with one error allowed the second worst of each decides",
			[]float64{-9, -8, -7, -6, -5, -4, -3, 2, 3, 5}, []float64{-4, -2, 3, 4, 5, 6, 7, 8, 9, 10}, one, one,
			Thresholds{Unsure: below(-2), Spam: 3},
		},
		{
			// 29 % of 10 is 2.9, so two are allowed: ham 5 and 3 above 2; spam -4 and -2. The third spam is above 0.
			"a limit is rounded down",
			[]float64{-9, -8, -7, -6, -5, -4, -3, 2, 3, 5}, []float64{-4, -2, 3, 4, 5, 6, 7, 8, 9, 10}, two, two,
			Thresholds{Unsure: 0, Spam: 2},
		},
		{
			// Two ham have 3: with a threshold below 3 three would be lost, with 3 only the one with 5.
			"ham with the same score is kept together",
			[]float64{-9, -8, -7, -6, -5, -4, -3, 3, 3, 5}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, two, none,
			Thresholds{Unsure: 0, Spam: 3},
		},
		{
			// Three spam have -2: two may be called ham, but not all three, so none of them is.
			"spam with the same score is kept together",
			[]float64{-9, -8, -7, -6, -5, -4, -3, -2, -1, 0}, []float64{-2, -2, -2, 4, 5, 6, 7, 8, 9, 10}, none, two,
			Thresholds{Unsure: below(-2), Spam: 0},
		},
		{
			// A score of 0 is not above 0, so this ham is not lost; and this spam would be called ham at 0.
			"a score of 0 goes to ham",
			[]float64{-9, -8, -7, -6, -5, -4, -3, -2, -1, 0}, []float64{0, 2, 3, 4, 5, 6, 7, 8, 9, 10}, none, none,
			Thresholds{Unsure: below(0), Spam: 0},
		},
		{
			"if everything may go wrong there is no unsure",
			[]float64{5, 6}, []float64{-5, -6}, 100, 100,
			Thresholds{Unsure: 0, Spam: 0},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := join(test.ham, test.spam)
			got, _ := ChooseThresholds(scores, spam, ThresholdOptions{HamLost: test.hamLost, SpamMissed: test.spamOut})
			if got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestThresholdWarnings(t *testing.T) {
	seen := ThresholdOptions{HamLost: 0.1, SpamMissed: 1}
	tests := []struct {
		name      string
		ham, spam int
		options   ThresholdOptions
		want      []string
	}{
		{"enough of both", 1000, 100, seen, nil},
		{"one ham too few", 999, 100, seen,
			[]string{"999 ham are too few to check a 0.1% limit: at least 1000 are needed"}},
		{"too few of both", 10, 99, seen, []string{
			"10 ham are too few to check a 0.1% limit: at least 1000 are needed",
			"99 spam are too few to check a 1% limit: at least 100 are needed",
		}},
		{"a third of a percent", 299, 300, ThresholdOptions{HamLost: 1. / 3, SpamMissed: 1. / 3},
			[]string{"299 ham are too few to check a 0.3333333333333333% limit: at least 300 are needed"}},
		{"a limit of 0 is no matter of numbers", 1, 1, ThresholdOptions{}, nil},
		{"no ham", 0, 7, seen, []string{"thresholds stay at 0, and no message is unsure: the held-out mail has 0 ham and 7 spam, and both are needed"}},
		{"no spam", 7, 0, seen, []string{"thresholds stay at 0, and no message is unsure: the held-out mail has 7 ham and 0 spam, and both are needed"}},
		{"a promise says itself what it is worth", 10, 100, DefaultThresholdOptions(), nil},
		{"spam is counted, and not promised", 10, 99, DefaultThresholdOptions(),
			[]string{"99 spam are too few to check a 1% limit: at least 100 are needed"}},
		{"nothing", 0, 0, seen, []string{"thresholds stay at 0, and no message is unsure: the held-out mail has 0 ham and 0 spam, and both are needed"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			hams, spams := make([]float64, test.ham), make([]float64, test.spam)
			for i := range hams {
				hams[i] = 3
			}
			for i := range spams {
				spams[i] = -3
			}
			scores, spam := join(hams, spams)
			thresholds, got := ChooseThresholds(scores, spam, test.options)
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if want := (Thresholds{}); (test.ham == 0 || test.spam == 0) && thresholds != want {
				t.Errorf("got %v, want %v", thresholds, want)
			}
		})
	}
}

func TestThresholdsKeepWithinTheLimitsAndAreTheClosestToZero(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 300 {
		scores, spam := randomScores(random, 2+random.IntN(60))
		o := ThresholdOptions{HamLost: 40 * random.Float64(), SpamMissed: 40 * random.Float64()}
		t1, _ := ChooseThresholds(scores, spam, o)
		hams, lost := 0, func(threshold float64) (n int) {
			for i, score := range scores {
				if !spam[i] && score > threshold {
					n++
				}
			}
			return n
		}
		spams, missed := 0, func(threshold float64) (n int) {
			for i, score := range scores {
				if spam[i] && score <= threshold {
					n++
				}
			}
			return n
		}
		for _, is := range spam {
			if is {
				spams++
			} else {
				hams++
			}
		}
		if hams == 0 || spams == 0 {
			continue
		}
		hamLimit, spamLimit := o.HamLost/100*float64(hams), o.SpamMissed/100*float64(spams)
		if t1.Spam < 0 || float64(lost(t1.Spam)) > hamLimit || t1.Spam > 0 && float64(lost(below(t1.Spam))) <= hamLimit {
			t.Fatalf("spam above %v: %d ham lost, %d just below; limit %v", t1.Spam, lost(t1.Spam), lost(below(t1.Spam)), hamLimit)
		}
		above := math.Nextafter(t1.Unsure, math.Inf(1))
		if t1.Unsure > 0 || float64(missed(t1.Unsure)) > spamLimit || t1.Unsure < 0 && float64(missed(above)) <= spamLimit {
			t.Fatalf("unsure above %v: %d spam missed, %d just above; limit %v", t1.Unsure, missed(t1.Unsure), missed(above), spamLimit)
		}
	}
}

func TestFloorOfIsExactForDecimalPercentages(t *testing.T) {
	// h hundredths of a percent of n messages are h*n/10000 of them.
	for h := range 10_001 {
		for _, n := range []int{1, 7, 100, 999, 1000, 10_000, 123_400} {
			if got, want := floorOf(n, float64(h)/100), h*n/10_000; got != want {
				t.Fatalf("%v %% of %d: got %d, want %d", float64(h)/100, n, got, want)
			}
		}
	}
}

func TestThresholdOptionsValidate(t *testing.T) {
	tests := []struct {
		name    string
		options ThresholdOptions
		want    string // "" is valid
	}{
		{"the defaults", DefaultThresholdOptions(), ""},
		{"nothing may go wrong", ThresholdOptions{}, ""},
		{"everything may go wrong", ThresholdOptions{HamLost: 100, SpamMissed: 100}, ""},
		{"a promise", ThresholdOptions{Confidence: 99.9}, ""},
		{"a promise of everything", ThresholdOptions{Confidence: 100}, "confidence is 100: must be a percentage, 0 or from 1 to less than 100"},
		{"a promise that is no number", ThresholdOptions{Confidence: math.NaN()}, "confidence is NaN: must be a percentage, 0 or from 1 to less than 100"},
		{"a promise as a share of one", ThresholdOptions{Confidence: 0.95},
			"confidence is 0.95: must be a percentage, 0 or from 1 to less than 100; for 95 % it is 95"},
		{"a promise as a share of one, with decimals", ThresholdOptions{Confidence: 0.999},
			"confidence is 0.999: must be a percentage, 0 or from 1 to less than 100; for 99.9 % it is 99.9"},
		{"costs", ThresholdOptions{Costs: "10:1:0.2"}, ""},
		{"two costs", ThresholdOptions{Costs: "10:1"},
			`costs is "10:1": must be three numbers, of a lost ham, a missed spam and an unsure message, as 10:1:0.2`},
		{"a negative cost", ThresholdOptions{Costs: "10:-1:0.2"}, `costs is "10:-1:0.2": "-1" must be a number from 0 to 100000`},
		{"an infinite cost", ThresholdOptions{Costs: "inf:1:0.2"}, `costs is "inf:1:0.2": "inf" must be a number from 0 to 100000`},
		{"a cost that is no number", ThresholdOptions{Costs: "nan:1:0.2"}, `costs is "nan:1:0.2": "nan" must be a number from 0 to 100000`},
		{"a cost of seven decimals", ThresholdOptions{Costs: "1:1:0.0000001"}, `costs is "1:1:0.0000001": "0.0000001" must have at most six decimals`},
		{"a confidence, which does not count, with costs", ThresholdOptions{Confidence: 95, Costs: "10:1:0.2"}, ""},
		{"negative", ThresholdOptions{HamLost: -0.1, SpamMissed: 1}, "ham_lost is -0.1: must be a percentage from 0 to 100"},
		{"above a hundred", ThresholdOptions{HamLost: 1, SpamMissed: 101}, "spam_missed is 101: must be a percentage from 0 to 100"},
		{"no number, and infinite", ThresholdOptions{HamLost: math.NaN(), SpamMissed: math.Inf(1)},
			"ham_lost is NaN: must be a percentage from 0 to 100\nspam_missed is +Inf: must be a percentage from 0 to 100"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got string
			if err := test.options.Validate(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestThresholdsWithConfidence(t *testing.T) {
	ascending := func(n int, sign float64) []float64 { // the worst is n
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = sign * float64(i+1)
		}
		return scores
	}
	tests := []struct {
		name      string
		ham, spam int
		options   ThresholdOptions
		want      Thresholds
		warn      []string
	}{
		// 0.9^29 = 0.047, 0.9^28 = 0.052: 29 messages without an error, and the 29th is the worst. Of the spam 2.9 may be missed.
		{"just enough for no error", 29, 29, ThresholdOptions{HamLost: 10, SpamMissed: 10, Confidence: 95}, Thresholds{below(-27), 29}, nil},
		// The bounds of 1 of 46 and 1 of 45 are 0.0991 and 0.1012: one may go wrong of 46.
		{"just enough for one error", 46, 45, ThresholdOptions{HamLost: 10, SpamMissed: 100, Confidence: 95}, Thresholds{0, 45}, nil},
		{"too few for one error", 45, 45, ThresholdOptions{HamLost: 10, SpamMissed: 100, Confidence: 95}, Thresholds{0, 45}, nil},
		{"a limit of 0 has no tail", 50, 1, ThresholdOptions{HamLost: 0, SpamMissed: 100, Confidence: 50}, Thresholds{0, 50}, nil},
		// (1-p)^1 = 0.5 for p = 0.5, exactly the limit.
		{"a bound that is the limit", 1, 1, ThresholdOptions{HamLost: 50, SpamMissed: 100, Confidence: 50}, Thresholds{0, 1}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := join(ascending(test.ham, 1), ascending(test.spam, -1))
			if err := test.options.Validate(); err != nil {
				t.Fatal(err)
			}
			got, warnings := ChooseThresholds(scores, spam, test.options)
			if got != test.want || !slices.Equal(warnings, test.warn) {
				t.Errorf("got %v, %q, want %v, %q", got, warnings, test.want, test.warn)
			}
		})
	}
}

func TestNeededIsTheLeastNumberThatMakesAPromise(t *testing.T) {
	for _, percent := range []float64{0.1, 0.5, 1, 3, 10, 25, 50, 99} {
		for _, confidence := range []float64{0.1, 50, 90, 95, 99, 99.9} {
			o := ThresholdOptions{HamLost: percent, Confidence: confidence}
			n := int(needed(percent/100, confidence/100))
			if !o.promised(0, n) || n > 1 && o.promised(0, n-1) {
				t.Errorf("%v %%, %v %%: %d is not the least", percent, confidence, n)
			}
		}
	}
}

// Among many filters whose true share of lost ham is known, as many as promised must keep the limit. With a confidence of 0, many do
// not, because the threshold is chosen on the mail that is counted.
func TestThePromiseIsKeptOnMailToCome(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	const hams = 400
	kept := func(filters int, confidence float64) float64 {
		n := 0
		for range filters {
			scores, spam := make([]float64, hams+1), make([]bool, hams+1)
			for i := range hams {
				scores[i] = random.Float64() // the share above a threshold is 1 less the threshold
			}
			scores[hams], spam[hams] = 2, true
			o := ThresholdOptions{HamLost: 2, SpamMissed: 100, Confidence: confidence}
			if got, _ := ChooseThresholds(scores, spam, o); 1-got.Spam <= 0.02 {
				n++
			}
		}
		return 100 * float64(n) / float64(filters)
	}
	// Of 2,000 at 90 %, three standard deviations are 2 %.
	if got := kept(2000, 90); got < 88 {
		t.Errorf("%v %% of the filters keep the limit, want 90", got)
	}
	if got := kept(500, 0); got > 60 {
		t.Errorf("without confidence %v %% of the filters keep the limit: the test shows nothing", got)
	}
}
