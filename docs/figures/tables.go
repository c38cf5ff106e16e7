package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"chaff/docs/markdown"
	"chaff/evaluate"
	"chaff/internal/screen"
	"chaff/metrics"
	"chaff/models"
	"chaff/train"
)

// blocks are all blocks of figures by name.
func blocks(m measurements) map[string]figures {
	return map[string]figures{
		"spamassassin": func() (string, error) {
			compared, err := m.spamAssassin()
			if err != nil {
				return "", err
			}
			counts, err := m.counts()
			if err != nil {
				return "", err
			}
			return spamAssassinText(compared, counts), nil
		},
		"enron": func() (string, error) {
			compared, err := m.enronApart()
			if err != nil {
				return "", err
			}
			return enronText(compared), nil
		},
		"near-duplicates": func() (string, error) {
			var n nearDuplicates
			var errs [4]error
			n.foldsApart, errs[0] = m.foldsApart()
			n.foldsTogether, errs[1] = m.foldsTogether()
			n.enronApart, errs[2] = m.enronApart()
			n.enronTogether, errs[3] = m.enronTogether()
			if err := errors.Join(errs[:]...); err != nil {
				return "", err
			}
			return n.text(), nil
		},
		"replay": func() (string, error) {
			all, err := m.replay()
			if err != nil {
				return "", err
			}
			return replayText(all), nil
		},
		"recipe":       written(m.recipe),
		"ablation":     written(m.ablation),
		"cross-corpus": written(m.crossings),
		"small":        written(m.small),
		"noise":        written(m.noise),
		"labels":       written(m.labels),
		"good-words":   written(m.goodWords),
		"languages":    written(m.languages),
		"bogofilter":   written(m.bogofilter),
		"robust":       written(m.robust),
		"verdicts":     written(m.verdicts),
		"mailboxes":    written(m.mailboxes),
		"counted":      written(m.counted),
	}
}

// written returns the content of a block from a measurement and its text.
func written[T interface{ text() string }](measure func() (T, error)) figures {
	return func() (string, error) {
		measured, err := measure()
		if err != nil {
			return "", err
		}
		return measured.text(), nil
	}
}

// spamAssassinText is the comparison on one corpus, in which the first model is the best on development mail.
func spamAssassinText(m measured, counts train.Result) string {
	var rows []string
	for i, r := range m.models {
		name := r.Model
		if i == 0 {
			name += " *"
		}
		test := *r.Test
		rows = append(rows, fmt.Sprintf("%s | %s | %.2f%% | %.2f%% | %.2f%% (%.2f-%.2f) | %s | %s | %s | %s | %s | %s", name, r.Kind,
			r.Train.Accuracy, r.Development.Accuracy, test.Accuracy, test.AccuracyLow, test.AccuracyHigh,
			markdown.Decimals(test.HM, 2), markdown.Decimals(test.SM, 2), markdown.Decimals(test.OneMinusROCA, 4), against(r.AgainstBest),
			markdown.Decimals(test.LogLoss, 4), markdown.Decimals(test.Brier, 4)))
	}
	return fmt.Sprintf("SpamAssassin public corpus (%s messages):\n\n", screen.Grouped(m.mail.Used)) +
		markdown.Table("model | features | train | development | test (95% interval) | hm% | sm% | (1-ROCA)% | against the best | log loss | Brier", rows) +
		fmt.Sprintf("\nWith `--set models.multinomial.features=counts` multinomial has %.2f%%.\n", counts.Test.Accuracy)
}

// enronText is the comparison on several corpora, the best on their development mail first.
func enronText(all []measured) string {
	header := "model"
	listed, used := 0, 0
	for i, m := range all {
		header += fmt.Sprintf(" | enron%d", i+1)
		listed, used = listed+m.mail.Listed, used+m.mail.Used
	}
	var rows []string
	for _, model := range byDevelopment(all) {
		row := model
		for _, r := range resultsOf(all, model) {
			row += fmt.Sprintf(" | %.2f%%", r.Test.Accuracy)
		}
		rows = append(rows, fmt.Sprintf("%s | %.2f%% | %s | %s | %s", row, meanAccuracy(all, model),
			markdown.Decimals(meanOfTests(all, model, func(f *metrics.Figures) *float64 { return f.HM }), 2),
			markdown.Decimals(meanOfTests(all, model, func(f *metrics.Figures) *float64 { return f.SM }), 2),
			markdown.Decimals(meanOfTests(all, model, func(f *metrics.Figures) *float64 { return f.OneMinusROCA }), 4)))
	}
	return fmt.Sprintf(`Enron-Spam, test accuracy. %s messages, %s without copies; hm%%, sm%% and (1-ROCA)%% are means of the six corpora:

`, screen.Grouped(listed), screen.Grouped(used)) + markdown.Table(header+" | mean | hm% | sm% | (1-ROCA)%", rows)
}

// nearDuplicates shows the influence of near-duplicates.
type nearDuplicates struct {
	foldsApart, foldsTogether validated
	enronApart, enronTogether []measured
}

// text has the models in the order of the table about Enron-Spam.
func (n nearDuplicates) text() string {
	var rows []string
	for _, model := range byDevelopment(n.enronApart) {
		rows = append(rows, fmt.Sprintf("%s | %.2f%% | %.2f%% | %.2f%% | %.2f%%", model,
			n.foldsApart.accuracy(model), n.foldsTogether.accuracy(model),
			meanAccuracy(n.enronApart, model), meanAccuracy(n.enronTogether, model)))
	}
	grouped, groups := 0, 0
	for _, m := range n.enronTogether {
		grouped, groups = grouped+m.mail.Grouped, groups+m.mail.Groups
	}
	mail := n.foldsTogether.mail
	return fmt.Sprintf(`%s messages of SpamAssassin are in %s groups of near-duplicates, and %s of Enron-Spam in %s. Test accuracy, split by hash and
grouped:

`, screen.Grouped(mail.Grouped), screen.Grouped(mail.Groups), screen.Grouped(grouped), screen.Grouped(groups)) +
		markdown.Table("model | SpamAssassin, 10 folds: hash | grouped | Enron-Spam, mean of the six test parts: hash | grouped", rows)
}

// replayText is the comparison of replays, the best first.
func replayText(all []evaluate.Replay) string {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y evaluate.Replay) int { return cmp.Compare(y.Figures.Accuracy, x.Figures.Accuracy) })
	var rows []string
	for _, r := range all {
		f := r.Figures
		rows = append(rows, fmt.Sprintf("%s | %.2f%% | %d | %s | %s | %s | %s", r.Model, f.Accuracy, f.Errors(),
			markdown.Decimals(f.HM, 2), markdown.Decimals(f.SM, 2), markdown.Decimals(f.LAM, 2), markdown.Decimals(f.OneMinusROCA, 4)))
	}
	return markdown.Table("model | accuracy | errors | hm% | sm% | lam% | (1-ROCA)%", rows)
}

// byDevelopment returns the names of the models by decreasing mean accuracy on development mail, then by name.
func byDevelopment(all []measured) []string {
	mean := make(map[string]float64)
	for _, m := range all {
		for _, r := range m.models {
			mean[r.Model] += r.Development.Accuracy / float64(len(all))
		}
	}
	names := slices.DeleteFunc(models.Names(), func(name string) bool { _, has := mean[name]; return !has })
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(mean[y], mean[x]) })
	return names
}

// resultsOf returns the results of a model on each corpus.
func resultsOf(all []measured, model string) []train.Result {
	var results []train.Result
	for _, m := range all {
		for _, r := range m.models {
			if r.Model == model {
				results = append(results, r)
			}
		}
	}
	return results
}

func meanAccuracy(all []measured, model string) float64 {
	return *meanOfTests(all, model, func(f *metrics.Figures) *float64 { return &f.Accuracy })
}

// meanOfTests returns the mean of a figure over the test parts, nil if one is undefined.
func meanOfTests(all []measured, model string, figure func(*metrics.Figures) *float64) *float64 {
	sum := 0.0
	results := resultsOf(all, model)
	for _, r := range results {
		v := figure(r.Test)
		if v == nil {
			return nil
		}
		sum += *v
	}
	mean := sum / float64(len(results))
	return &mean
}

func (v validated) accuracy(model string) float64 {
	for _, r := range v.models {
		if r.Model == model {
			return r.Test.Accuracy
		}
	}
	return 0
}

// against describes whether the errors of a model differ significantly from those of the best, as chaff compare does.
func against(m *metrics.McNemar) string {
	if m == nil {
		return "-"
	}
	verdict := [...]string{"worse", "chance", "better"}[1+m.Difference()]
	p := fmt.Sprintf("%.3f", m.P)
	if m.P < 0.001 {
		p = "<0.001"
	}
	return fmt.Sprintf("+%d -%d %s (p %s)", m.Better, m.Worse, verdict, p)
}
