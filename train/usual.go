package train

import (
	"cmp"
	"slices"

	"chaff/corpus"
	"chaff/features"
	"chaff/filter"
	"chaff/internal/parallel"
	"chaff/metrics"
)

// maxUsual is how many messages of each class say what is usual.
const maxUsual = 1000

// usual returns how new the messages of the development and the test part are to f, which is fitted to the training part, by the class that f
// gives them. It returns nil if no messages say so.
func (c *Collection) usual(f *filter.Filter) []metrics.Usual {
	if f.Kind() == features.Whole {
		return nil
	}
	byLabel := make([]int, len(c.classes))
	held := slices.Concat(c.InPart(corpus.Development), c.InPart(corpus.Test))
	slices.SortFunc(held, func(i, j int) int { // so that the order in which mail is found decides nothing
		a, b := c.documents[i], c.documents[j]
		return cmp.Or(cmp.Compare(a.splitKey, b.splitKey), cmp.Compare(a.fingerprint, b.fingerprint))
	})
	held = slices.DeleteFunc(held, func(i int) bool {
		byLabel[c.documents[i].label]++
		return byLabel[c.documents[i].label] > maxUsual
	})
	judged := make([]filter.Classification, len(held))
	parallel.Ranges(c.workers(), len(held), 64, func(_, from, to int) {
		for n := from; n < to; n++ {
			judged[n] = f.ClassifyDocument(c.store.Document(c.documents[held[n]].terms))
		}
	})
	usual := make([]metrics.Usual, len(c.classes))
	some := false
	for class, name := range c.classes {
		var novelty []float64
		for _, j := range judged {
			if j.Class == name {
				novelty = append(novelty, j.Novelty)
			}
		}
		usual[class] = metrics.NewUsual(novelty)
		some = some || usual[class].Messages > 0
	}
	if !some {
		return nil
	}
	return usual
}
