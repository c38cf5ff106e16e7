package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// repeat returns n scores.
func repeat(n int, score float64) []float64 { return slices.Repeat([]float64{score}, n) }

func TestChooseThresholds(t *testing.T) {
	defaults := DefaultThresholdOptions()
	odds := Scale{Prior: math.Log(0.5), Apart: math.Log(0.5), LogOdds: 0.72, Bounds: [2]float64{-5.5, 8}}
	moreSpam := Scale{Prior: math.Log(20), Apart: math.Log(20), LogOdds: 0.72, Bounds: [2]float64{-5.5, 8}}
	manyOfHam := Scale{Prior: math.Log(0.1), Apart: math.Log(0.5), LogOdds: 0.72, Bounds: [2]float64{-5.5, 8}}
	manyOfSpam := Scale{Prior: math.Log(0.5), Apart: math.Log(0.1), LogOdds: 0.72, Bounds: [2]float64{-5.5, 8}}
	tests := []struct {
		name      string
		ham, spam []float64
		scale     Scale
		options   ThresholdOptions
		want      Thresholds
		warning   string
	}{
		// Of ln 0.5 = -0.693147, -11.578825 tanh(0.693147 / 11.578825) counts beside 11/9 0.72 ln 1000 = 6.078825, and -5.5 tanh(0.693147 / 5.5) beside 0.
		{"log odds need the prior and the ratio", repeat(9, -5), repeat(9, 7), odds, defaults, Thresholds{-0.689501, 5.386504}, ""},
		// 11/9 0.72 ln 100 = 4.052550, and 9.552550 tanh(0.693147 / 9.552550) = 0.691933
		{"a larger limit needs a smaller ratio", repeat(9, -5), repeat(9, 7), odds, ThresholdOptions{HamLost: 1, SpamMissed: 1}, Thresholds{-0.689501, 3.360617}, ""},
		// 11/9 0.72 ln(100 / 99) = 0.008844
		{"a large limit is near the prior", repeat(9, -5), repeat(9, 7), odds, ThresholdOptions{HamLost: 99, SpamMissed: 1}, Thresholds{-0.689501, -0.680668}, ""},
		{"with the largest nothing is unsure", repeat(9, -5), repeat(9, 7), odds, ThresholdOptions{HamLost: 100, SpamMissed: 100}, Thresholds{-0.689501, -0.689501}, ""},
		// ln 0.1 = -2.302585, and 3.197415 tanh(0.693147 / 3.197415) = 0.682489
		{"a limit on spam below 1% makes more unsure", repeat(9, -5), repeat(9, 7), odds, ThresholdOptions{HamLost: 0.1, SpamMissed: 0.1}, Thresholds{-2.985074, 5.386504}, ""},
		{"near-duplicates of ham do not count", repeat(9, -5), repeat(9, 7), manyOfHam, defaults, Thresholds{-0.689501, 5.386504}, ""},
		// 5.5 tanh(2.302585 / 5.5) = 2.176867
		{"those of spam make more unsure", repeat(9, -5), repeat(9, 7), manyOfSpam, defaults, Thresholds{-2.176867, 5.386504}, ""},
		// x = 6.078825 leaves room for 1.921175: x + 1.921175 tanh(2.995732 / 1.921175) = 7.837297; 8 tanh(2.995732 / 8) = 2.863139
		{"much spam counts as far as the bound leaves room", repeat(9, -5), repeat(9, 7.5), moreSpam, defaults, Thresholds{2.863139, 7.837297}, ""},
		// 11/9 0.72 ln 1e6 = 12.157650 is beyond the bound, which no prior changes.
		{"a limit that no score can meet calls nothing spam", repeat(9, -5), repeat(9, 7.5), moreSpam, ThresholdOptions{HamLost: 0.0001, SpamMissed: 1}, Thresholds{2.863139, 15.153382},
			"nothing is called spam: with 9 ham no score is high enough for thresholds.ham_lost=0.0001"},
		{"a limit of 0 calls nothing spam", repeat(9, -5), repeat(9, 7), odds, ThresholdOptions{SpamMissed: 1}, Thresholds{-0.689501, Beyond},
			"nothing is called spam: thresholds.ham_lost is 0"},
		{"a limit of 0 calls nothing ham", repeat(9, -5), repeat(9, 7), odds, ThresholdOptions{HamLost: 0.1}, Thresholds{-Beyond, 5.386504},
			"nothing is called ham: thresholds.spam_missed is 0"},
		// 19/9 0.7 60 ln 1.797693e308 / ln 1000 = 9110.639371
		{"a limit next to 0 has a threshold", repeat(9, -50), []float64{20, 60, 90}, Scale{}, ThresholdOptions{HamLost: 1e-320, SpamMissed: 1}, Thresholds{0, 9110.639371}, ""},
		// 19/9 0.7 60 = 88.666667
		{"without a unit it is 0.7 of the median of the spam", repeat(9, -50), []float64{20, 60, 90}, Scale{}, defaults, Thresholds{0, 88.666667}, ""},
		{"with all the ham that was learned", repeat(9, -50), []float64{20, 60, 90}, Scale{Ham: 100}, defaults, Thresholds{0, 46.2}, ""}, // 1.1 0.7 60
		// 88.666667 ln 100 / ln 1000 = 59.111111; -35 ln 10 / ln 1000 = -11.666667
		{"and in proportion to the logarithm", repeat(9, -50), []float64{20, 60, 90}, Scale{}, ThresholdOptions{HamLost: 1, SpamMissed: 0.1}, Thresholds{-11.666667, 59.111111}, ""},
		{"spam that scores as ham gives no unit, and not all of it is ham", repeat(50, -5), repeat(9, -6), Scale{}, defaults, Thresholds{-5, 0}, ""},
		{"though less than 50 ham do not show how much may be unsure, nor that any may be spam", repeat(49, -5), repeat(9, -6), Scale{}, defaults,
			Thresholds{0, Beyond}, ""},
		{"log odds show it with any number", repeat(9, -5), repeat(9, -6), odds, defaults, Thresholds{-0.689501, 5.386504}, ""},
		{"1% of the spam may be ham", repeat(100, -5), slices.Concat(repeat(1, -4), repeat(99, 10)), Scale{}, defaults, Thresholds{0, 7.7}, ""},
		{"and no more", repeat(100, -5), slices.Concat(repeat(2, -4), repeat(98, 10)), Scale{}, defaults, Thresholds{-4, 7.7}, ""},
		{"also if 2% of the ham is unsure then", slices.Concat(repeat(98, -5), []float64{-3, -2}), slices.Concat(repeat(2, -4), repeat(98, 10)), Scale{}, defaults,
			Thresholds{-4, 7.7}, ""},
		{"but not if 3% is", slices.Concat(repeat(97, -5), []float64{-3, -2, -1}), slices.Concat(repeat(2, -4), repeat(98, 10)), Scale{}, defaults, Thresholds{-3, 7.7}, ""},
		{"less ham is unsure if 1% of the spam may be ham", slices.Concat(repeat(97, -5), repeat(3, 1)), slices.Concat(repeat(1, 0.5), repeat(99, 10)), Scale{}, defaults,
			Thresholds{1, 7.7}, ""},
		{"as far as it may", slices.Concat(repeat(97, -5), repeat(3, 1)), slices.Concat(repeat(2, 0.5), repeat(98, 10)), Scale{}, defaults, Thresholds{0.5, 7.7}, ""},
		{"and not if 2% is unsure", slices.Concat(repeat(98, -5), repeat(2, 1)), repeat(100, 10), Scale{}, defaults, Thresholds{0, 7.7}, ""},
		{"nor if there is too little spam to tell", slices.Concat(repeat(97, -5), repeat(3, 1)), repeat(99, 10), Scale{}, defaults, Thresholds{0, 7.7}, ""},
		// Of 100 ham, two are above the median of the spam: e = 6.8%.
		{"nor if it may be spam", slices.Concat(repeat(93, -5), repeat(5, 1), repeat(2, 11)), repeat(100, 10), Scale{}, defaults, Thresholds{0, 7.7}, ""},
		{"but if more is", slices.Concat(repeat(91, -5), repeat(7, 1), repeat(2, 11)), repeat(100, 10), Scale{}, defaults, Thresholds{1, 7.7}, ""},
		// Of 1,000 ham, 10 are above the median of the spam: e = 2.6%, and 10 are no more than 2% and 0.1%.
		{"spam that is called ham moves nothing", slices.Concat(repeat(990, -5), repeat(10, 8)), repeat(99, 7), odds, defaults, Thresholds{-0.689501, 4.291392}, ""},
		// None is above the median, so the limit alone explains them: P(10 or more of 1,000 at 0.1%) = 1e-7.
		{"ham that scores as no spam does raises the threshold", slices.Concat(repeat(990, -5), repeat(10, 5)), repeat(99, 7), odds, defaults, Thresholds{-0.689501, 5}, ""},
		// P(3 or more of 1,000 at 0.1%) = 0.080, P(4 or more) = 0.019: one of the four must not be lost.
		{"as far as chance does not explain it", slices.Concat(repeat(996, -5), []float64{5, 5.5, 6, 6.5}), repeat(99, 7), odds, defaults, Thresholds{-0.689501, 5}, ""},
		{"chance explains three", slices.Concat(repeat(997, -5), []float64{5.5, 6, 6.5}), repeat(99, 7), odds, defaults, Thresholds{-0.689501, 4.291392}, ""},
		{"small scores of spam have half of it found if no ham is near", repeat(90, -3), []float64{2, 3, 4}, odds, defaults, Thresholds{-0.689501, 3.066667}, ""},
		{"also if a third of it is large", repeat(90, -3), []float64{2, 3, 5}, odds, defaults, Thresholds{-0.689501, 3.066667}, ""},
		{"and not if half of it is", repeat(90, -3), []float64{2, 3, 5, 6}, odds, defaults, Thresholds{-0.689501, 4.391950}, ""},
		{"and not if less than 50 ham show it", repeat(49, -3), []float64{2, 3, 4}, odds, defaults, Thresholds{-0.689501, 4.484412}, ""},
		{"and if 50 do", repeat(50, -3), []float64{2, 3, 4}, odds, defaults, Thresholds{-0.689501, 3.12}, ""},
		{"and not if ham is near", slices.Concat(repeat(90, -3), repeat(9, 2.5)), []float64{2, 3, 4}, odds, defaults, Thresholds{-0.689501, 4.381904}, ""},
		{"a model that knows nothing calls nothing spam", repeat(90, 1), repeat(90, 1), odds, ThresholdOptions{HamLost: 50, SpamMissed: 1}, Thresholds{-0.689501, 1}, ""},
		{"no ham", nil, repeat(7, 7), odds, defaults, Thresholds{0, Beyond}, "nothing is called spam: the held-out mail has 0 ham and 7 spam, and both are needed"},
		{"no spam", repeat(7, -7), nil, odds, defaults, Thresholds{0, Beyond}, "nothing is called spam: the held-out mail has 7 ham and 0 spam, and both are needed"},
		{"nothing", nil, nil, odds, defaults, Thresholds{0, Beyond}, "nothing is called spam: the held-out mail has 0 ham and 0 spam, and both are needed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scores, spam := join(test.ham, test.spam)
			got, warnings := ChooseThresholds(NewMargins(scores, spam), test.scale, test.options)
			if math.Abs(got.Spam-test.want.Spam) > 1e-6 || math.Abs(got.Unsure-test.want.Unsure) > 1e-6 {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if warning := slices.Concat(warnings, []string{""})[0]; warning != test.warning {
				t.Errorf("got %q, want %q", warning, test.warning)
			}
		})
	}
}

// Three in a hundred wrong labels, in both classes or in one, must not move the thresholds far, whatever the scores mean: no more than 2% of the ham is unsure
// for them.
func TestWrongLabelsMoveNoThresholdFar(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for name, scale := range map[string]Scale{"log odds": {LogOdds: 0.72, Bounds: [2]float64{-5.5, 8}}, "no unit": {}} {
		for range 100 {
			scores, spam := make([]float64, 2000), make([]bool, 2000)
			for i := range scores {
				if scores[i] = -5 + 1.5*random.NormFloat64(); i%2 == 1 {
					scores[i], spam[i] = 7+random.NormFloat64(), true
				}
			}
			right, _ := ChooseThresholds(NewMargins(scores, spam), scale, DefaultThresholdOptions())
			for _, wrong := range [][2]float64{{0.03, 0.03}, {0.03, 0}, {0, 0.03}} {
				labels := slices.Clone(spam)
				for i := range labels {
					if random.Float64() < wrong[i%2] {
						labels[i] = !labels[i]
					}
				}
				m := NewMargins(scores, labels)
				got, _ := ChooseThresholds(m, scale, DefaultThresholdOptions())
				moved := got.Unsure < right.Unsure && above(m.Ham, got.Unsure) <= len(m.Ham)/50
				if math.Abs(got.Spam-right.Spam) > 0.5 || got.Unsure != right.Unsure && !moved {
					t.Fatalf("%s, %v wrong: %v, with right labels %v", name, wrong, got, right)
				}
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
			"confidence is 0.95: must be a percentage, 0 or from 1 to less than 100\nconfidence is 0.95: for 95% it is 95"},
		{"a promise as a share of one, with decimals", ThresholdOptions{Confidence: 0.999},
			"confidence is 0.999: must be a percentage, 0 or from 1 to less than 100\nconfidence is 0.999: for 99.9% it is 99.9"},
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

func TestNeededIsTheLeastNumberThatMakesAPromise(t *testing.T) {
	for _, percent := range []float64{0.1, 0.5, 1, 3, 10, 25, 50, 99} {
		for _, confidence := range []float64{0.1, 50, 90, 95, 99, 99.9} {
			n := int(needed(percent/100, confidence/100))
			promised := func(n int) bool { return UpperBound(0, n, confidence/100) <= percent/100*(1+rounding) }
			if !promised(n) || n > 1 && promised(n-1) {
				t.Errorf("%v %%, %v %%: %d is not the least", percent, confidence, n)
			}
		}
	}
}
