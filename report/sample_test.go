package report

import (
	"math"
	"math/rand/v2"
	"slices"

	"chaff/evaluate"
	"chaff/filter"
	"chaff/message"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

func known(x float64) *float64 { return &x }

// drawn returns the plots of a page that show something.
func (p Page) drawn() []Plot {
	all := []Plot{p.evidence(), p.models(), p.roc(), p.epochs("Accuracy by epoch", "", false), p.epochs("Loss by epoch", "", true), p.twoTerms()}
	return slices.DeleteFunc(all, func(plot Plot) bool { return plot.chart == nil })
}

func (p Plot) title() string { return p.chart.Title.Text }

// samplePage returns a page with every part, as a comparison with replay and tuning would have it. The figures are made up.
func samplePage() Page {
	names := []string{"multinomial", "lms", "averaged-perceptron", "multiclass-perceptron", "perceptron",
		"passive-aggressive", "bernoulli", "votes", "tanh", "softmax", "memoriser", "majority"}
	p := Page{
		Title: "chaff compare", Subtitle: "6,046 messages: 4,149 ham, 1,897 spam",
		Facts: []Fact{{"messages", "6046, of which 37 copies are left out"}, {"split", "60/20/20 by hash, near-duplicates together"},
			{"seed", "1"}, {"chaff", "v0.5.0"}},
		Tables:   [][][]string{{{"model", "test", "hm%"}, {"multinomial *", "99.42%", "0.12%"}, {"lms", "99.10%", "-"}}},
		Notes:    []string{"* is the best on development mail."},
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
		margins := metrics.NewMargins(append(slices.Clone(ham), spam...), spamOf(ham, spam))
		f.MeasureSpam(margins)
		f.LogLoss, f.Brier = known(0.02+0.003*float64(i)), known(0.005+0.0005*float64(i))
		m := train.Result{Model: name, Kind: "normalised bits", Train: &metrics.Figures{Accuracy: 100},
			Development: &metrics.Figures{Accuracy: 99.5 - 0.08*float64(i)}, Test: &f, Seconds: 0.1 + 0.07*float64(i), Choice: train.Choice{Thresholds: &metrics.Thresholds{Unsure: -0.4, Spam: 1.1}}}
		if i > 0 {
			m.AgainstBest = &metrics.McNemar{Better: 12 - i, Worse: 4 + i*i, P: math.Exp(-float64(i))}
		}
		if j := slices.Index([]string{"perceptron", "softmax", "votes"}, name); j >= 0 {
			m.Epochs = sampleEpochs(j)
		}
		p.Models = append(p.Models, m)
		p.Curves = append(p.Curves, margins.ErrorCurve())
		if i == 0 {
			p.Thresholds = &metrics.Thresholds{Unsure: -0.4, Spam: 1.1}
		}
	}
	p.Explanation = sampleExplanation()
	for i := range 10 {
		x := 0.05 + 0.1*float64(i)
		of := p.Models[0].Test
		of.Reliability = append(of.Reliability, metrics.ReliabilityBin{Low: x - 0.05, High: x + 0.05, Messages: 10 + 90*(i-5)*(i-5), Predicted: x, Observed: x + 0.07*math.Sin(9*x), ObservedLow: x, ObservedHigh: min(1, x+0.07)})
	}
	addText(&p)
	return p
}

// addText adds the parts that are text.
func addText(p *Page) {
	p.Strongest = [][]filter.TermWeight{
		{{Term: "header:in-reply-to", Weight: -4.213, Messages: 1893}, {Term: "wrote", Weight: -3.902, Messages: 1622}, {Term: "subject:re", Weight: -3.1, Messages: 1900}},
		{{Term: "html:font-size:1px", Weight: 5.117, Messages: 212}, {Term: "click here", Weight: 4.881, Messages: 640}, {Term: "viagra", Weight: 4.218, Messages: 96}},
	}
	p.Mistakes = []evaluate.Judged{
		{Path: "sa/easy-ham-1/00117.327fcb3ca6ce9ecb5e7ceae30cbd5b20", Subject: "[ILUG] Special offer: free conference passes", From: "Ann <ann@example.com>", Score: 4.817,
			Probability: 0.9934, Label: "ham", Class: "spam", Terms: []evaluate.Reason{{Term: "free", Contribution: 2.31}, {Term: "offer", Contribution: 1.92}}},
		{Path: "sa/spam-2/00915.mbox", Score: -3.2, Probability: 0.04, Label: "spam", Class: "ham", Terms: []evaluate.Reason{{Term: "wrote", Contribution: 1.5}}},
	}
	p.Boundary = &evaluate.Boundary{X: "free", Y: "wrote", A: 1.1, B: -0.9, C: 0.3, Points: [2][]evaluate.TermPoint{
		{{X: 0, Y: 0, Messages: 610}, {X: 0, Y: 1, Messages: 480}, {X: 0, Y: 2, Messages: 120}, {X: 1, Y: 1, Messages: 60}, {X: 1, Y: 2, Messages: 30}},
		{{X: 1, Y: 0, Messages: 330}, {X: 2, Y: 0, Messages: 150}, {X: 0, Y: 0, Messages: 210}, {X: 3, Y: 1, Messages: 20}, {X: 4, Y: 0, Messages: 12}},
	}}
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

// sampleEpochs are twelve epochs that learn more slowly for a greater i.
func sampleEpochs(i int) (all []models.Epoch) {
	for e := range 12 {
		k := math.Exp(-float64(e) / float64(2+i))
		all = append(all, models.Epoch{Epoch: e + 1, Train: models.EpochFigures{Loss: 0.2*k + 0.001, Accuracy: 100 - 4*k},
			Development: &models.EpochFigures{Loss: 0.2*k + 0.02 + 0.001*float64(e), Accuracy: 99.3 - 4*k - 0.01*float64(e*i)}})
	}
	return all
}

// sampleExplanation explains a message that says "Dear winner!".
func sampleExplanation() *filter.Explanation {
	term := filter.Contribution{SeenTerm: filter.SeenTerm{Term: "body:winner", Count: 1, Tokens: []string{"winner"}}, Value: 1, Weight: -0.25, Contribution: -0.25}
	return &filter.Explanation{
		Classification: filter.Classification{Score: -0.25}, For: "spam", Against: "ham", Margin: -0.25, Contributions: []filter.Contribution{term},
		Votes: []filter.Vote{{Group: "words", Contribution: -0.5}, {Group: "links", Contribution: 0.25}},
		View:  filter.View{Message: &message.Message{Parts: []message.Part{{Type: []byte("text/plain"), Text: []byte("\r\n\nDear winner!\n\n")}}}},
	}
}
