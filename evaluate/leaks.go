package evaluate

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/tokenize"
	"chaff/train"
)

// Leak is a term that an archive, a relay or a filter may have added to the messages of one class. A leak improves the figures on old mail
// only: new mail does not have it.
type Leak struct {
	Term string `json:"term"`
	// Messages counts the training messages of each class with the term, and Of all training messages of each class.
	Messages []int `json:"messages"`
	Of       []int `json:"of"`
	Alike    int   `json:"alike"` // the number of other leaks with the same Setting, or with no Setting either
	// Information is the share of the uncertainty about the class that the term removes, 0 to 1.
	Information float64 `json:"information"`
	// Setting removes the term from the model, as in `tokenize.ignore_headers=x-foo`; empty if no setting does.
	Setting string `json:"setting,omitempty"`
	Advice  string `json:"advice"` // what to do about the leak
}

const (
	// leakInformation is the least information of a leak.
	leakInformation = 0.6
	// leakMessages is the least number of messages with a leak, and of two classes. A word in fewer messages may be strong by chance, and so
	// may one that few messages lack.
	leakMessages = 20
	maxLeaks     = 10
)

// Leaks returns the terms of the training part that may not come from the senders, the strongest first: one for each header field, and
// one for the text. There is none unless two classes have 20 messages. A term is a leak if at least 20 messages have it and its information
// is at least 0.6:
//
//	I(w) = 1 - H(class | w in the message or not) / H(class)
//
// I(w) is the information gain of the term divided by the entropy of the class (T. M. Mitchell: Machine Learning, 1997, section 3.4.1).
// The best words of the public corpora reach half of it.
func Leaks(c *train.Collection) []Leak {
	counts, of := frequencies(c)
	if enough := slices.DeleteFunc(slices.Clone(of), func(n int) bool { return n < leakMessages }); len(enough) < 2 {
		return nil
	}
	reading := c.Options().Reading
	var found []Leak
	terms := c.Terms()
	present := make([]int, len(of))
	for w := range c.Summary().Terms {
		for k := range present {
			present[k] = int(counts[k][w])
		}
		if sum(present) < leakMessages {
			continue
		}
		if gain := information(present, of); gain >= leakInformation {
			l := Leak{Term: string(terms.Text(w)), Messages: slices.Clone(present), Of: of, Information: gain}
			l.advise(reading.Tokenize)
			found = append(found, l)
		}
	}
	leaks := strongestOfSetting(found)
	return leaks[:min(len(leaks), maxLeaks)]
}

// frequencies returns for each class the number of training messages that have each term, and the number of training messages.
func frequencies(c *train.Collection) (counts [][]uint32, of []int) {
	of = make([]int, len(c.Classes()))
	counts = make([][]uint32, len(of))
	byClass := make([][]features.Ref, len(of))
	training, labels := c.Part(corpus.Train)
	for i, document := range training {
		byClass[labels[i]] = append(byClass[labels[i]], document)
	}
	for k, documents := range byClass {
		of[k], counts[k] = len(documents), c.Index().Frequencies(documents)
	}
	return counts, of
}

// strongestOfSetting returns the strongest leak for each setting, and of those without one, the strongest first. Of equally strong leaks
// the clearest to a reader comes first.
func strongestOfSetting(all []Leak) []Leak {
	slices.SortFunc(all, func(x, y Leak) int {
		return cmp.Or(cmp.Compare(y.Information, x.Information), cmp.Compare(obscurity(x.Term), obscurity(y.Term)),
			cmp.Compare(len(y.Term), len(x.Term)), cmp.Compare(x.Term, y.Term))
	})
	var leaks []Leak
	first := make(map[string]int)
	for _, s := range all {
		at, again := first[s.Setting]
		if again {
			leaks[at].Alike++
			continue
		}
		first[s.Setting] = len(leaks)
		leaks = append(leaks, s)
	}
	// A leaking field between two others also changes which fields are neighbours.
	if slices.ContainsFunc(leaks, func(l Leak) bool { return tokenize.FieldOf(l.Term) != "" }) {
		leaks = slices.DeleteFunc(leaks, func(l Leak) bool { return strings.HasPrefix(l.Term, "order:") && tokenize.FieldOf(l.Term) == "" })
	}
	return leaks
}

// obscurity ranks the terms of one field: its name, then its words, then its form, then its position.
func obscurity(term string) int {
	tag, _, _ := strings.Cut(term, ":")
	rank, known := map[string]int{"header": 0, "value": 2, "shape": 2, "mime": 2, "order": 3}[tag]
	if !known {
		return 1
	}
	return rank
}

func (l *Leak) advise(o tokenize.Options) {
	if setting := o.Without(l.Term); setting != "" {
		l.Setting = "tokenize." + setting
		l.Advice = "if the senders did not write it, leave it out: --set " + l.Setting
		return
	}
	l.Advice = "if an archive, a list or a server added it, train on mail without it: no setting leaves it out"
}

// information returns I(w) for a term in present[k] of the of[k] documents of class k.
func information(present, of []int) float64 {
	all := entropy(of)
	if all == 0 {
		return 0
	}
	absent := make([]int, len(of))
	for k := range of {
		absent[k] = of[k] - present[k]
	}
	share := float64(sum(present)) / float64(sum(of))
	return 1 - (share*entropy(present)+(1-share)*entropy(absent))/all
}

func entropy(counts []int) float64 {
	var h float64
	for _, count := range counts {
		if count > 0 {
			p := float64(count) / float64(sum(counts))
			h -= p * math.Log2(p)
		}
	}
	return h
}

func sum(counts []int) int {
	n := 0
	for _, count := range counts {
		n += count
	}
	return n
}
