package report

import (
	"math"
	"math/rand/v2"

	"chaff/metrics"
)

func known(x float64) *float64 { return &x }

// samplePage returns a page with every part, as a comparison with replay and tuning would have it. The figures are made up.
func samplePage() Page {
	names := []string{"multinomial", "lms", "averaged-perceptron", "multiclass-perceptron", "perceptron",
		"passive-aggressive", "bernoulli", "votes", "tanh", "softmax", "memoriser", "majority"}
	p := Page{
		Title: "chaff compare", Subtitle: "6,046 messages: 4,149 ham, 1,897 spam",
		Facts: []Fact{{"messages", "6046, of which 37 copies are left out"}, {"split", "60/20/20 by hash, near-duplicates together"},
			{"seed", "1"}, {"chaff", "v0.5.0"}},
		Warnings: []string{"too little ham to show that at most 0.1% of it is lost: 838 messages, 1000 are needed"},
		Classes:  []string{"ham", "spam"},
	}
	for i, name := range names {
		quality := 2.8 - 0.09*float64(i)
		if i > 10 {
			quality = 0.15 * float64(12-i)
		}
		ham, spam := normalScores(i, quality)
		f := metrics.Measure(labelsOf(ham, spam), predictionsOf(ham, spam), 2)
		f.MeasureSpam(append(append([]float64{}, ham...), spam...), spamOf(ham, spam))
		f.LogLoss, f.Brier = known(0.02+0.003*float64(i)), known(0.005+0.0005*float64(i))
		m := Model{Name: name, Features: "normalised bits", Best: i == 0, Train: &metrics.Figures{Accuracy: 100},
			Development: &metrics.Figures{Accuracy: 99.5 - 0.08*float64(i)}, Test: &f, Seconds: 0.1 + 0.07*float64(i)}
		if i > 0 {
			m.AgainstBest = &metrics.McNemar{Better: 12 - i, Worse: 4 + i*i, P: math.Exp(-float64(i))}
		}
		p.Models = append(p.Models, m)
		p.ROC = append(p.ROC, rates(name, ham, spam))
		for _, o := range []Operating{{Point: SpamVerdict, Threshold: 1.1}, {Point: UnsureVerdict, Threshold: -0.4}, {Point: HamLimit, Limit: 0.1, Threshold: 2}, {Point: SpamLimit, Limit: 1, Threshold: 0.2}} {
			o.Model, o.Ham, o.Spam = name, len(ham), len(spam)
			o.HamLost, o.SpamMissed = int(above(ham, o.Threshold)*float64(len(ham))), len(spam)-int(above(spam, o.Threshold)*float64(len(spam)))
			p.Operating = append(p.Operating, o)
		}
		if i == 0 {
			p.Confusion = f.Confusion
			p.Scores, p.Thresholds = histogram(ham, spam), &metrics.Thresholds{Unsure: -0.4, Spam: 1.1}
		}
	}
	p.Votes = []Vote{{"words", -0.5}, {"links", 0.25}}
	for i, name := range []string{"perceptron", "softmax", "votes"} {
		curve := EpochCurve{Model: name, Kept: 9}
		for e := range 12 {
			k := math.Exp(-float64(e) / float64(2+i))
			curve.Epochs = append(curve.Epochs, Epoch{Epoch: e + 1, TrainLoss: known(0.2*k + 0.001), DevelopmentLoss: known(0.2*k + 0.02 + 0.001*float64(e)),
				TrainAccuracy: known(100 - 4*k), DevelopmentAccuracy: known(99.3 - 4*k - 0.01*float64(e*i))})
		}
		p.Epochs = append(p.Epochs, curve)
	}
	learning := LearningCurve{Model: "multinomial"}
	for n := 250; n <= 6000; n += 250 {
		k := 1000 / float64(n)
		learning.Points = append(learning.Points, metrics.LearningPoint{Messages: n, SpamFigures: metrics.SpamFigures{
			OneMinusROCA: known(0.08 * k), LAM: known(0.9 * k), HM: known(0.35 * k), SM: known(2.2 * k)}})
	}
	p.Learning = []LearningCurve{learning}
	for i := range 10 {
		x := 0.05 + 0.1*float64(i)
		p.Reliability = append(p.Reliability, metrics.ReliabilityBin{Low: x - 0.05, High: x + 0.05, Messages: 10 + 90*(i-5)*(i-5), Predicted: x, Observed: x + 0.07*math.Sin(9*x), ObservedLow: x, ObservedHigh: min(1, x+0.07)})
	}
	addText(&p)
	return p
}

// addText adds the parts that are text.
func addText(p *Page) {
	p.Strongest = []ClassTerms{
		{"ham", []Term{{"header:in-reply-to", -4.213, 1893}, {"wrote", -3.902, 1622}, {"header:list-id:linux", -3.555, 803}, {"subject:re", -3.1, 1900}}},
		{"spam", []Term{{"html:font-size:1px", 5.117, 212}, {"click here", 4.881, 640}, {"url:path:unsubscribe.php?id=", 4.402, 318}, {"viagra", 4.218, 96}}},
	}
	mistake := Mistake{Path: "sa/easy-ham-1/00117.327fcb3ca6ce9ecb5e7ceae30cbd5b20", Subject: "[ILUG] Special offer: free conference passes", Score: 4.817,
		Probability: known(0.9934), True: "ham", Given: "spam", Terms: []Contribution{{"free", 2.31}, {"offer", 1.92}, {"subject:special", 1.4}, {"header:list-id:ilug", -3.2}}}
	p.Mistakes = []Mistake{mistake, {Path: "sa/spam-2/00915.mbox", Subject: "", Score: -3.2, True: "spam", Given: "ham"}}
	p.LeastCertain = []Mistake{{Path: "sa/hard-ham-1/00031", Subject: "Your CNET newsletter", Score: 0.012, Probability: known(0.5012), True: "ham", Given: "spam", Terms: mistake.Terms}}
	p.Suspects = []Mistake{{Path: "sa/spam-1/00042", Subject: "Re: meeting on Thursday", Score: -8.31, Probability: known(0.9998), True: "spam", Given: "ham"}}
	p.Leaks = []Leak{{Term: "header:delivered-to:zzzz@localhost", Messages: []int{2, 1201}, Of: []int{1480, 1520}, Advice: "add the header to tokenize.ignore_headers"}}
	for i, label := range []string{"2002-06", "2002-07", "2002-08", "2002-09", "2002-10", "2002-11", "2002-12"} {
		at := 99.4 - 0.2*float64(i*i%5)
		p.Drift = append(p.Drift, Period{label, "", 300 + 40*i, at, at - 1.4, at + 0.5})
	}
	p.Drift[0].From, p.Drift[0].To = "2001-06", "2002-06"
	p.Growth = &Growth{Model: "multinomial", Advice: "8 errors in 1206 test messages, against 17 with half the training mail: more mail will probably help.",
		Points: []GrowthPoint{{453, 35, 97.1, 96, 98}, {905, 22, 98.2, 97.3, 98.8}, {1810, 17, 98.6, 97.8, 99.1}, {3627, 8, 99.3, 98.7, 99.7}}}
	p.TwoTerms = &TwoTerms{X: "free", Y: "wrote", Unit: "occurrences", A: 1.1, B: -0.9, C: 0.3, Points: []TermPoint{
		{0, 0, 0, 610}, {0, 1, 0, 480}, {0, 2, 0, 120}, {1, 1, 0, 60}, {1, 0, 1, 330}, {2, 0, 1, 150}, {0, 0, 1, 210}, {3, 1, 1, 20}, {4, 0, 1, 12}, {1, 2, 0, 30}}}
	p.Trials = []Trial{
		{Settings: []Fact{{"smoothing", "0.5"}, {"features", "bits"}}, Development: &metrics.Figures{Accuracy: 99.5, SpamFigures: metrics.SpamFigures{HM: known(0.35), SM: known(2.17)}}, Best: true},
		{Settings: []Fact{{"smoothing", "1"}, {"features", "bits"}}, Development: &metrics.Figures{Accuracy: 99.4, SpamFigures: metrics.SpamFigures{HM: known(0.4), SM: known(2.2)}}},
		{Settings: []Fact{{"smoothing", "1"}, {"features", "counts"}}, Note: "stopped: training diverges"},
	}
}

// normalScores returns scores of 838 ham and 368 spam from two normal distributions.
func normalScores(seed int, quality float64) (ham, spam []float64) {
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	for range 838 {
		ham = append(ham, random.NormFloat64()-quality)
	}
	for range 368 {
		spam = append(spam, random.NormFloat64()+quality)
	}
	return ham, spam
}

func labelsOf(ham, spam []float64) []int32 {
	return append(make([]int32, len(ham)), ones(len(spam))...)
}

func ones(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

func spamOf(ham, spam []float64) []bool {
	all := make([]bool, len(ham)+len(spam))
	for i := range spam {
		all[len(ham)+i] = true
	}
	return all
}

func predictionsOf(ham, spam []float64) []int32 {
	var all []int32
	for _, score := range append(append([]float64{}, ham...), spam...) {
		var class int32
		if score > 0 {
			class = 1
		}
		all = append(all, class)
	}
	return all
}

// rates returns the ROC curve, with a point for each of many limits.
func rates(name string, ham, spam []float64) Curve {
	roc := Curve{Name: name}
	for limit := 6.0; limit >= -6; limit -= 0.05 {
		roc.Points = append(roc.Points, Point{above(ham, limit), above(spam, limit)})
	}
	return roc
}

func above(scores []float64, limit float64) float64 {
	n := 0
	for _, s := range scores {
		if s > limit {
			n++
		}
	}
	return float64(n) / float64(len(scores))
}

func histogram(ham, spam []float64) *metrics.Histogram {
	h := &metrics.Histogram{Ham: make([]int, 30), Spam: make([]int, 30)}
	for i := range 31 {
		h.Edges = append(h.Edges, -6+0.4*float64(i))
	}
	for _, s := range ham {
		h.Ham[min(max(int((s+6)/0.4), 0), 29)]++
	}
	for _, s := range spam {
		h.Spam[min(max(int((s+6)/0.4), 0), 29)]++
	}
	return h
}
