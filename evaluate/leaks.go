package evaluate

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/headerfield"
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

	id uint32 // of the term
}

const (
	// leakInformation is the least information of a leak.
	leakInformation = 0.6
	// A term of a field that the sender did not write is also a leak if at most leakOthers of the messages of other classes have it and
	// at least leakShare of its own class, for fields that relays write, or leakUnknown, for other fields named X-. Bulk mailers write
	// such fields for many senders, in a tenth of the ham of a mailbox.
	leakShare   = 0.08
	leakUnknown = 0.2
	leakOthers  = 0.002
	// leakMessages is the least number of messages with a leak, and of two classes. A word in fewer messages may be strong by chance, and so
	// may one that few messages lack.
	leakMessages = 20
	// leakSenders is the least number of sender domains of such a field, none of which may have more than half of the messages: a field
	// that one sender writes is no leak.
	leakSenders = 10
	maxLeaks    = 10
)

// Leaks returns the terms of the training part that may not come from the senders, the strongest first: one for each header field, and
// one for the text. There is none unless two classes have 20 messages. A term is a leak if at least 20 messages have it and its information
// is at least 0.6:
//
//	I(w) = 1 - H(class | w in the message or not) / H(class)
//
// I(w) is the information gain of the term divided by the entropy of the class (T. M. Mitchell: Machine Learning, 1997, section 3.4.1).
// The best words of the public corpora reach half of it. A term of a field that relays or filters write is also a leak if many messages
// of one class have it, from many senders, and hardly any message of the other classes.
func Leaks(c *train.Collection) ([]Leak, error) {
	counts, of := c.Frequencies()
	if enough := slices.DeleteFunc(slices.Clone(of), func(n int) bool { return n < leakMessages }); len(enough) < 2 {
		return nil, nil
	}
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
		gain, share := information(present, of), shareOfOne(present, of)
		if gain < leakInformation && share < leakShare {
			continue
		}
		text := string(terms.Text(w))
		if gain >= leakInformation || share >= leastShare(text) {
			l := Leak{Term: text, Messages: slices.Clone(present), Of: of, Information: gain, id: uint32(w)}
			l.Advice = "if an archive, a list or a server added it, train on mail without it: no setting leaves it out"
			if setting := c.Options.Reading.Tokenize.Without(text); setting != "" {
				l.Setting = "tokenize." + setting
				l.Advice = "if the senders did not write it, leave it out: --set " + l.Setting
			}
			found = append(found, l)
		}
	}
	found, err := dropFewSenders(c, found)
	leaks := strongestOfSetting(found)
	return leaks[:min(len(leaks), maxLeaks)], err
}

// shareOfOne returns the share of one class that has the term, if hardly any message of the other classes has it; else 0.
func shareOfOne(present, of []int) float64 {
	for k, n := range present {
		others, rest := sum(present)-n, sum(of)-of[k]
		if n >= leakMessages && float64(others) <= leakOthers*float64(rest) {
			return float64(n) / float64(of[k])
		}
	}
	return 0
}

// leastShare returns the share of one class from which a term is a leak because of its field. It is infinite for a field that senders
// write, and for the shape of a step of the route, because senders' relays write few shapes.
func leastShare(term string) float64 {
	writtenByMailers := []string{"x-mailer", "x-priority", "x-msmail-priority", "x-mimeole", "x-accept-language"} // of the fields named X-
	field := tokenize.FieldOf(term)
	tag, _, _ := strings.Cut(term, ":")
	words := tag == "header" || tag == field
	switch kind := headerfield.KindOf([]byte(field)); {
	case words && (field == "date" || kind == headerfield.Trace || kind == headerfield.Delivery || kind == headerfield.List):
		return leakShare
	case strings.HasPrefix(field, "x-") && tag != "order" && !slices.Contains(writtenByMailers, field):
		return leakUnknown
	}
	return math.Inf(1)
}

// dropFewSenders removes the leaks that need many senders and have few. A message without a sender counts as a sender of its own.
func dropFewSenders(c *train.Collection, all []Leak) ([]Leak, error) {
	senders := make(map[uint32]map[string]int) // of each leak that needs many: the number of messages of each
	for _, l := range all {
		if l.Information < leakInformation {
			senders[l.id] = make(map[string]int)
		}
	}
	if len(senders) == 0 {
		return all, nil
	}
	terms := c.Terms()
	d := c.Dataset(corpus.Train, features.Bits)
	rows := d.Rows()
	const senderTag = "from:@." // of the registered domain
	var leaks []map[string]int  // of a message
	for i := range d.Len() {
		leaks = leaks[:0]
		sender := strconv.Itoa(i)
		for _, id := range rows.Row(i).IDs {
			if of := senders[id]; of != nil {
				leaks = append(leaks, of)
			}
			if text := terms.Text(int(id)); bytes.HasPrefix(text, []byte(senderTag)) {
				sender = string(text)
			}
		}
		for _, of := range leaks {
			of[sender]++
		}
	}
	return slices.DeleteFunc(all, func(l Leak) bool {
		of := slices.Collect(maps.Values(senders[l.id]))
		return senders[l.id] != nil && (len(of) < leakSenders || 2*slices.Max(of) > sum(l.Messages))
	}), d.Err()
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
	for _, l := range all {
		at, again := first[l.Setting]
		if again {
			leaks[at].Alike++
			continue
		}
		first[l.Setting] = len(leaks)
		leaks = append(leaks, l)
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

// information returns I(w) for a term in present[k] of the of[k] documents of class k. Two classes have documents.
func information(present, of []int) float64 {
	absent := make([]int, len(of))
	for k := range of {
		absent[k] = of[k] - present[k]
	}
	share := float64(sum(present)) / float64(sum(of))
	return 1 - (share*entropy(present)+(1-share)*entropy(absent))/entropy(of)
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
