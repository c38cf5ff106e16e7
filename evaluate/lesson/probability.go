package lesson

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/features"
	"chaff/models"
	"chaff/train"
)

// sampleMail returns the sample mail, divided as chaff train divides mail.
func sampleMail(ctx context.Context) (*train.Collection, error) {
	return train.Collect(ctx, sample.Source(), []string{"ham", "spam"}, train.DefaultCollectOptions())
}

func memoriser() Lesson {
	return Lesson{
		Name: "memoriser", Title: "A function that fits 50 examples and knows nothing",
		Source:  `Collins, "What Kind of Solution would Suffice?", "Model Selection"`,
		Formula: "f(x) = y_t if x is training example t, else -1",
		Code:    []string{"models/memoriser.go Memoriser"},
		show: func(ctx context.Context, p *page) error {
			mail, err := sampleMail(ctx)
			if err != nil {
				return err
			}
			members, trained := mail.Members(), [2]int{}
			for i, m := range members {
				if trained[m.Label]++; trained[m.Label] <= 25 {
					members[i].Part = corpus.Train
				} else {
					members[i].Part = corpus.Test
				}
			}
			if mail, err = mail.Select(members); err != nil {
				return err
			}
			p.say("Learned from 25 ham and 25 spam of the sample mail, tried on the other %d:", mail.Summary().Test)
			p.say("")
			p.say("                      training     test")
			for _, model := range []string{"memoriser", "majority", "perceptron"} {
				t, err := train.Fit(ctx, mail, model, train.DefaultOptions())
				if err != nil {
					return err
				}
				p.say("  %-18s %9.2f%% %7.2f%%", model, t.Result.Train.Accuracy, t.Result.Test.Accuracy)
			}
			p.say("")
			p.say("The memoriser makes no mistake in training and calls all other mail ham, which")
			p.say("is no better than the majority class. The set of all functions is too large: a")
			p.say("perceptron chooses from hyperplanes only, and generalises.")
			return nil
		},
	}
}

func naiveBayes() Lesson {
	return Lesson{
		Name: "naive-bayes", Title: "Naive Bayes: one bit a document, or one a word",
		Source:  `CS440 lecture 16, "Feature = One Bit Per Document", "... Per Word Token"`,
		Formula: "bits (a + documents with w) / (2a + N),  counts (a + tokens w) / (aV + tokens)",
		Code:    []string{"models/bernoulli.go Bernoulli", "models/multinomial.go Multinomial"},
		show: func(ctx context.Context, p *page) error {
			texts := []string{"who saw who with who", "ada saw bob", "who won", "buy won buy"}
			labels := []int32{0, 0, 1, 1}
			words := []string{"ada", "bob", "buy", "saw", "who", "with", "won"}
			counts := table{classes: []string{"ham", "spam"}, labels: labels}
			bits := counts
			for i, text := range texts {
				p.say("  %-4s  %s", counts.classes[labels[i]], text)
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
			bernoulli, _, err := models.Bernoulli{Smoothing: 1, Prior: models.PriorLearned}.Train(ctx, onBits, models.EpochOptions{})
			if err != nil {
				return err
			}
			multinomial, _, err := models.Multinomial{Smoothing: 1, Prior: models.PriorLearned}.Train(ctx, counts.dataset(), models.EpochOptions{})
			if err != nil {
				return err
			}
			p.say("")
			p.say("P(word | ham)   bits: a = 0   a = 1   counts: a = 0   a = 1")
			for w, word := range words {
				share := func(t table, class int32, a float64, total func(point []float32) float64, categories float64) float64 {
					sum, all := a, a*categories
					for i, point := range t.points {
						if t.labels[i] == class {
							sum, all = sum+float64(point[w]), all+total(point)
						}
					}
					return sum / all
				}
				one := func([]float32) float64 { return 1 }
				tokens := func(point []float32) (n float64) {
					for _, count := range point {
						n += float64(count)
					}
					return n
				}
				V := float64(len(words))
				p.say("  %-13s %11.3f %7.3f %15.3f %7.3f", word, share(bits, 0, 0, one, 2), share(bits, 0, 1, one, 2), share(counts, 0, 0, tokens, V), share(counts, 0, 1, tokens, V))
				odds := func(class int32) float64 {
					l := share(bits, class, 1, one, 2)
					return math.Log(l / (1 - l))
				}
				if err := near("the weight of "+word, odds(1)-odds(0), float64(bernoulli.Weights[w])); err != nil {
					return err
				}
				if err := near("the weight of "+word, math.Log(share(counts, 1, 1, tokens, V)/share(counts, 0, 1, tokens, V)), float64(multinomial.Weights[w])); err != nil {
					return err
				}
			}
			p.say("")
			p.say("a = 0 is the greatest likelihood, and makes words impossible. \"who saw who\":")
			spam := func(score float64) string { return fmt.Sprintf("P(spam) %.3f", 1/(1+math.Exp(-score))) }
			p.say("  by bits %s, by counts %s: the second who counts too", spam(bernoulli.Score(features.Vector{IDs: []uint32{3, 4}, Values: []float32{1, 1}})),
				spam(multinomial.Score(features.Vector{IDs: []uint32{3, 4}, Values: []float32{1, 2}})))
			return nil
		},
	}
}

func parts() Lesson {
	return Lesson{
		Name: "parts", Title: "Training, development and test mail",
		Source:  `CS440 lecture 16, "Classification as a learning problem"`,
		Formula: "fit on training, choose on development, measure once on test mail: disjoint",
		Code:    []string{"corpus/split.go SplitOptions", "train/fit.go Fit"},
		show: func(ctx context.Context, p *page) error {
			mail, err := sampleMail(ctx)
			if err != nil {
				return err
			}
			s := mail.Summary()
			p.say("The sample mail: %d training, %d development and %d test messages.", s.Train, s.Development, s.Test)
			p.say("Multinomial naive Bayes on counts, by the smoothing a:")
			p.say("")
			p.say("         a   training   development")
			best, chosen, test := -1., 0., 0.
			for _, a := range []float64{1e-3, 1e-2, 1e-1, 1, 10} {
				o := train.DefaultOptions()
				o.Models.Multinomial.Smoothing, o.Models.Multinomial.Features = a, features.Counts.String()
				t, err := train.Fit(ctx, mail, "multinomial", o)
				if err != nil {
					return err
				}
				p.say("  %8g %9.2f%% %12.2f%%", a, t.Result.Train.Accuracy, t.Result.Development.Accuracy)
				if t.Result.Development.Accuracy > best {
					best, chosen, test = t.Result.Development.Accuracy, a, t.Result.Test.Accuracy
				}
			}
			p.say("")
			p.say("Development mail chooses a = %g; test mail, looked at once, says %.2f%%.", chosen, test)
			p.say("Training accuracy is no guide, and test accuracy that is looked at five times is")
			p.say("too good. chaff tune searches in this way.")
			return nil
		},
	}
}
