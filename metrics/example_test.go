package metrics_test

import (
	"fmt"
	"math"

	"chaff/metrics"
)

// The filter calls one of six messages, a spam, ham.
func Example() {
	labels := []int32{0, 0, 0, 1, 1, 1} // 0 is ham, 1 is spam
	scores := []float64{-4, -2, -1, -1.5, 3, 5}
	predictions := make([]int32, len(labels))
	spam := make([]bool, len(labels))
	for i, score := range scores {
		if score > 0 {
			predictions[i] = 1
		}
		spam[i] = labels[i] == 1
	}
	f := metrics.Measure(labels, predictions, 2)
	f.MeasureSpam(metrics.NewMargins(scores, spam))
	fmt.Printf("accuracy %.1f %% (%.1f to %.1f)\n", f.Accuracy, f.AccuracyLow, f.AccuracyHigh)
	fmt.Printf("ham lost %.1f %%, spam let through %.1f %%, (1-ROCA)%% %.1f\n", *f.HM, *f.SM, *f.OneMinusROCA)

	// Output:
	// accuracy 83.3 % (43.6 to 97.0)
	// ham lost 0.0 %, spam let through 33.3 %, (1-ROCA)% 11.1
}

// Scores of development mail become probabilities.
func ExampleCalibrate() {
	labels := []int32{0, 0, 0, 0, 1, 1, 1, 1}
	var scores []float64
	for _, z := range []float64{-400, -300, -200, 100, -100, 200, 300, 400} {
		scores = append(scores, 0, z)
	}
	c, warnings := metrics.Calibrate(labels, scores, 2)
	fmt.Printf("%d warnings\n", len(warnings))
	for _, z := range []float64{-300, 0, 300} {
		fmt.Printf("score %v: probability %.2f\n", z, c.Probability(z))
	}

	f := metrics.Measure(labels, []int32{0, 0, 0, 1, 0, 1, 1, 1}, 2)
	f.MeasureScores(labels, scores, c.All(scores), 2)
	fmt.Printf("log loss %.3f, Brier %.3f\n", *f.LogLoss, *f.Brier)
	// Output:
	// 0 warnings
	// score -300: probability 0.23
	// score 0: probability 0.50
	// score 300: probability 0.77
	// log loss 0.429, Brier 0.133
}

// Of ten ham and five spam, one ham is scored above one spam.
func ExampleChooseThresholds() {
	scores := []float64{-9, -8, -7, -6, -5, -4, -3, -2, -1, 2, 1, 3, 4, 5, 6}
	spam := make([]bool, len(scores))
	for i := 10; i < len(spam); i++ {
		spam[i] = true
	}
	margins, limits := metrics.NewMargins(scores, spam), metrics.DefaultThresholdOptions()
	half := math.Log(0.5) // a spam for each two ham
	oneToTwo := metrics.Scale{Prior: half, Apart: half, LogOdds: 0.72, Bounds: [2]float64{-5.5, 8}}
	t, _ := metrics.ChooseThresholds(margins, oneToTwo, limits)
	fmt.Printf("by limits: spam above %.1f, unsure above %.1f\n", t.Spam, t.Unsure)
	fmt.Println(limits.Promise(t, margins))

	costs := metrics.ThresholdOptions{Costs: "10:1:0.2"}
	t, _ = metrics.ChooseThresholds(margins, oneToTwo, costs)
	fmt.Printf("by costs: spam above %.1f, unsure above %.1f: %.3f a message\n", t.Spam, t.Unsure, *costs.Cost(*margins.Verdicts(t)))
	// Output:
	// by limits: spam above 5.3, unsure above -0.7
	// at most 26% of ham like this is called spam, with 95% confidence (10 ham); 2,985 more ham are needed for 0.1%
	// by costs: spam above 2.0, unsure above 0.0: 0.027 a message
}

// A learning curve measures the filter on each message before the filter learns its class.
