package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxAlt is the number of characters of a text that replaces a plot.
const maxAlt = 900

// altText joins sentences.
func altText(sentences ...string) string { return clean(joined(sentences...), maxAlt) }

func withInterval(value, low, high float64) string {
	return percentage(value) + " (" + fixed(low, 2) + " to " + fixed(high, 2) + ")"
}

func (p Page) modelsAlt() string {
	var all []string
	for _, m := range p.Models {
		if f := m.Test; f != nil {
			all = append(all, clean(m.Name, maxName)+" "+withInterval(f.Accuracy, f.AccuracyLow, f.AccuracyHigh))
		}
	}
	return altText("With 95% intervals: " + strings.Join(all, ", ") + ".")
}

// curvesAlt describes each curve by its figures.
func curvesAlt(curves []Curve, of func(Curve) string) string {
	var all []string
	for _, c := range curves {
		if len(c.Points) > 0 {
			all = append(all, clean(c.Name, maxName)+" "+of(c)+".")
		}
	}
	return altText(all...)
}

// caughtText names the spam caught at some rates of ham lost.
func caughtText(c Curve) string {
	var caught []string
	for _, limit := range []float64{0, 0.1, 1} {
		best := 0.
		for _, p := range c.Points {
			if 100*p.X <= limit {
				best = max(best, p.Y)
			}
		}
		caught = append(caught, short(100*best)+"%")
	}
	return "catches " + listed(caught) + " of spam where 0%, 0.1% and 1% of ham is lost"
}

// lostText names the ham lost at some rates of spam let through.
func lostText(c Curve) string {
	var lost []string
	for _, limit := range []float64{0.1, 1, 5} {
		least := 1.
		for _, p := range c.Points {
			if 100*p.Y <= limit {
				least = min(least, p.X)
			}
		}
		lost = append(lost, short(100*least)+"%")
	}
	return "loses " + listed(lost) + " of ham where 0.1%, 1% and 5% of spam is let through"
}

func (p Page) growthAlt() string {
	if p.Growth == nil {
		return ""
	}
	var all []string
	for _, at := range p.Growth.Points {
		all = append(all, withInterval(at.Accuracy, at.AccuracyLow, at.AccuracyHigh)+" with "+counted(at.Messages, "message"))
	}
	return altText(clean(p.Growth.Model, maxName)+": "+strings.Join(all, ", ")+".", clean(p.Growth.Advice, maxLine))
}

func learningAlt(curves []LearningCurve) string {
	var all []string
	for _, c := range curves {
		if len(c.Points) == 0 {
			continue
		}
		first, last := c.Points[0], c.Points[len(c.Points)-1]
		for _, f := range []struct {
			name        string
			first, last *float64
		}{{"(1-ROCA)%", first.OneMinusROCA, last.OneMinusROCA}, {"hm%", first.HM, last.HM}, {"sm%", first.SM, last.SM}} {
			if f.last == nil || len(curves) > 1 && f.name != "(1-ROCA)%" {
				continue
			}
			from := ""
			if f.first != nil {
				from = fmt.Sprintf(" from %s after %s", short(*f.first), counted(first.Messages, "message"))
			}
			all = append(all, fmt.Sprintf("%s: %s%s to %s after %s.", clean(c.Model, maxName), f.name, from, short(*f.last), counted(last.Messages, "message")))
		}
	}
	return altText(all...)
}

func epochsAlt(curves []EpochCurve, figure func(float64) string, of func(Epoch) (train, development *float64)) string {
	var all []string
	for _, c := range curves {
		for part, name := range []string{"training", "development"} {
			if part == 0 && len(curves) > fewCurves { // not drawn
				continue
			}
			var values []float64
			for _, e := range c.Epochs {
				train, development := of(e)
				if v := [...]*float64{train, development}[part]; v != nil {
					values = append(values, *v)
				}
			}
			if len(values) > 1 {
				all = append(all, fmt.Sprintf("%s, %s part: from %s to %s in %d epochs.", clean(c.Model, maxName), name, figure(values[0]), figure(values[len(values)-1]), len(values)))
			}
		}
	}
	return altText(all...)
}

func (p Page) scoresAlt() string {
	h := p.Scores
	if h == nil || len(h.Edges) < 2 {
		return ""
	}
	var all []string
	for _, class := range []struct {
		name   string
		counts []int
	}{{"ham", h.Ham}, {"spam", h.Spam}} {
		first, last, n := -1, -1, 0
		for i, count := range class.counts[:min(len(class.counts), len(h.Edges)-1)] {
			if count > 0 {
				if first < 0 {
					first = i
				}
				last, n = i, n+count
			}
		}
		if n > 0 {
			all = append(all, fmt.Sprintf("%d %s with scores from %s to %s.", n, class.name, short(h.Edges[first]), short(h.Edges[last+1])))
		}
	}
	if t := p.Thresholds; t != nil {
		all = append(all, fmt.Sprintf("Unsure above %s, spam above %s.", short(t.Unsure), short(t.Spam)))
	}
	return altText(all...)
}

func (p Page) reliabilityAlt() string {
	share := "are spam"
	if len(p.Classes) > 2 {
		share = "are predicted right"
	}
	var all []string
	for _, b := range p.Reliability {
		predicted := short(100 * b.Predicted)
		if b.Predicted > 0 && b.Predicted < 1e-4 {
			predicted = "below 0.01"
		}
		all = append(all, fmt.Sprintf("%s%% predicted, %s%% (%s to %s) of %d %s", predicted, short(100*b.Observed),
			short(100*b.ObservedLow), short(100*b.ObservedHigh), b.Messages, share))
	}
	return altText(strings.Join(all, "; ") + ".")
}

func driftAlt(periods []Period) string {
	var all []string
	for _, m := range periods {
		all = append(all, fmt.Sprintf("%s %s of %s", m.String(), withInterval(m.Accuracy, m.AccuracyLow, m.AccuracyHigh), counted(m.Messages, "message")))
	}
	return altText(strings.Join(all, ", ") + ".")
}

// String returns the name of the period, such as "2002-01 to 2002-04".
func (m Period) String() string {
	if m.To == "" || m.To == m.From {
		return clean(m.From, maxName)
	}
	return clean(m.From, maxName) + " to " + clean(m.To, maxName)
}

func (p Page) twoTermsAlt() string {
	t := p.TwoTerms
	if t == nil {
		return ""
	}
	count := make(map[int]int)
	right := 0
	for _, at := range t.Points {
		count[at.Class] += at.Messages
		if (t.A*at.X+t.B*at.Y+t.C > 0) == (at.Class == 1) {
			right += at.Messages
		}
	}
	var counts []string
	all := 0
	for _, class := range slices.Sorted(maps.Keys(count)) {
		counts, all = append(counts, strconv.Itoa(count[class])+" "+p.className(class)), all+count[class]
	}
	return altText(fmt.Sprintf("%s by %s and %s.", listed(counts), clean(t.X, maxTerm), clean(t.Y, maxTerm)), p.originText(),
		fmt.Sprintf("The boundary has %d of %d messages on the right side.", right, all))
}
