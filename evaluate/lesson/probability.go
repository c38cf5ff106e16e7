package lesson

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/models"
	"chaff/train"
)

func (p *page) memoriser() {
	mail := p.mail()
	members, trained := mail.Members(), [2]int{}
	for i, m := range members {
		members[i].Part = corpus.Train
		if trained[m.Label]++; trained[m.Label] > 25 {
			members[i].Part = corpus.Test
		}
	}
	mail, err := mail.Select(members)
	p.check(err == nil, "%w", err)
	p.say("Learned from 25 ham and 25 spam of the sample mail, tried on the other %d:\n", mail.Summary().Test)
	p.say("                      training     test")
	for _, model := range []string{"memoriser", "majority", "perceptron"} {
		r := p.fit(mail, model, train.DefaultOptions())
		p.say("  %-18s %9.2f%% %7.2f%%", model, r.Train.Accuracy, r.Test.Accuracy)
	}
	p.say(`
The memoriser makes no mistake in training and calls all other mail ham, which
is no better than the majority class. The set of all functions is too large: a
perceptron chooses from hyperplanes only, and generalises.`)
}

func (p *page) naiveBayes() {
	texts := []string{"who saw who with who", "ada saw bob", "who won", "buy won buy"}
	words := []string{"ada", "bob", "buy", "saw", "who", "with", "won"}
	counts := table{classes: []string{"ham", "spam"}, labels: []int32{0, 0, 1, 1}}
	bits := counts
	for i, text := range texts {
		p.say("  %-4s  %s", counts.classes[counts.labels[i]], text)
		count, bit := make([]float32, len(words)), make([]float32, len(words))
		for word := range strings.FieldsSeq(text) {
			w := slices.Index(words, word)
			count[w]++
			bit[w] = 1
		}
		counts.points, bits.points = append(counts.points, count), append(bits.points, bit)
	}
	onBits := bits.dataset()
	onBits.Kind = features.Bits
	bernoulli, _ := p.train(models.Bernoulli{Smoothing: 1, Prior: models.PriorLearned}, onBits)
	multinomial, _ := p.train(models.Multinomial{Smoothing: 1, Prior: models.PriorLearned}, counts.dataset())
	// The share of the documents of a class with word w, and of its tokens that are w, smoothed by a.
	byBits := func(w int, class int32, a float64) float64 {
		with, all := a, 2*a
		for i, point := range bits.points {
			if bits.labels[i] == class {
				with, all = with+float64(point[w]), all+1
			}
		}
		return with / all
	}
	byCounts := func(w int, class int32, a float64) float64 {
		of, all := a, a*float64(len(words))
		for i, point := range counts.points {
			if counts.labels[i] == class {
				of += float64(point[w])
				for _, count := range point {
					all += float64(count)
				}
			}
		}
		return of / all
	}
	odds := func(share float64) float64 { return math.Log(share / (1 - share)) }
	p.say("\nP(word | ham)   bits: a = 0   a = 1   counts: a = 0   a = 1")
	for w, word := range words {
		p.say("  %-13s %11.3f %7.3f %15.3f %7.3f", word, byBits(w, 0, 0), byBits(w, 0, 1), byCounts(w, 0, 0), byCounts(w, 0, 1))
		p.near("the weight of "+word, odds(byBits(w, 1, 1))-odds(byBits(w, 0, 1)), float64(bernoulli.Weights[w]))
		p.near("the weight of "+word, math.Log(byCounts(w, 1, 1)/byCounts(w, 0, 1)), float64(multinomial.Weights[w]))
	}
	spam := func(l *models.Linear, whoSawWho []float32) string {
		return fmt.Sprintf("P(spam) %.3f", 1/(1+math.Exp(-l.Score(features.Vector{IDs: []uint32{3, 4}, Values: whoSawWho}))))
	}
	p.say("\na = 0 is maximum likelihood, and makes words impossible. \"who saw who\", a = 1:")
	p.say("  by bits %s, by counts %s: the second who counts too", spam(bernoulli, []float32{1, 1}), spam(multinomial, []float32{1, 2}))
}

func (p *page) parts() {
	mail := p.mail()
	s := mail.Summary()
	p.say("The sample mail: %d training, %d development and %d test messages.", s.Train, s.Development, s.Test)
	p.say("Multinomial naive Bayes on counts, by the smoothing a:\n\n         a   training   development")
	best, chosen, test := -1., 0., 0.
	for _, a := range []float64{1e-3, 1e-2, 1e-1, 1, 10} {
		o := train.DefaultOptions()
		o.Models.Multinomial.Smoothing, o.Models.Multinomial.Features = a, features.Counts.String()
		r := p.fit(mail, "multinomial", o)
		p.say("  %8g %9.2f%% %12.2f%%", a, r.Train.Accuracy, r.Development.Accuracy)
		if r.Development.Accuracy > best {
			best, chosen, test = r.Development.Accuracy, a, r.Test.Accuracy
		}
	}
	p.say(`
Development mail chooses a = %g; test mail, looked at once, says %.2f%%.
Training accuracy is no guide, and test accuracy that is looked at five times is
too good. chaff tune searches in this way.`, chosen, test)
}
