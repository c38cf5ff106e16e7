package evaluate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/parallel"
	"chaff/tokenize"
	"chaff/train"
)

// Leak is a term that an archive, a relay or a filter may have put into the messages of one class. It makes figures better than
// the filter is, since new mail does not have it.
type Leak struct {
	Term string `json:"term"`
	// Messages is in how many training messages of each class the term occurs, and Of how many there are.
	Messages []int `json:"messages"`
	Of       []int `json:"of"`
	// Alike is how many other terms with the same Setting are leaks too; without one, of the text, the links and the parts.
	Alike int `json:"alike"`
	// Information is how much of the uncertainty about the class the term takes away, 0 to 1.
	Information float64 `json:"information"`
	// Setting is the one setting that leaves the term out, as `tokenize.ignore_headers=x-foo`; empty if there is none.
	Setting string `json:"setting,omitempty"`
	// Advice is what to do about it.
	Advice string `json:"advice"`
}

const (
	// leakInformation is the share of the uncertainty from which on any term is a leak.
	leakInformation = 0.6
	// A term of a field that is not the sender's is a leak too, if at most leakOthers of the messages of other classes have it,
	// and so much of its own class: leakShare if the field is known to be written on the way, leakUnknown if its name is any
	// that starts with X-. Bulk mailers write such fields for many senders, into a tenth of the ham of a mailbox.
	leakShare   = 0.08
	leakUnknown = 0.2
	leakOthers  = 0.002
	// leakMessages is how many messages a leak is in at least. In fewer, a word of the text may be strong by chance.
	leakMessages = 20
	// leakSenders is of how many domains the senders of these are at least, and one has half of them at most. A field that
	// one sender writes is no leak.
	leakSenders = 10
	maxLeaks    = 10
)

// Leaks returns the terms of the training part that may come from elsewhere than the senders, the strongest first: one of each
// header field, and one of the text. A term is a leak if it is in at least 20 messages, and takes away at least 0.6 of the
// uncertainty about the class:
//
//	I(w) = 1 - H(class | w in the message or not) / H(class)
//
// the information gain of the term as a share of the entropy of the class (T. M. Mitchell: Machine Learning, 1997, section
// 3.4.1); the best words of the public corpora have half of it. A term of a field that others write than the sender, such as a
// relay, is a leak also if it is in much of one class and in hardly any message of the others, and their senders are many.
func Leaks(c *train.Collection) ([]Leak, error) {
	of := make([]int, len(c.Classes())) // training messages by class
	counts := make([][]uint32, len(of))
	for k := range of {
		documents := trainingOf(c, k)
		of[k], counts[k] = len(documents), c.Index().Frequencies(documents, parallel.Workers(c.Options().Workers))
	}
	reading := c.Options().Reading
	var found []suspect
	texts := c.Known().Texts
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
		text := texts[w]
		if gain >= leakInformation || share >= leastShare(text) {
			l := Leak{Term: text, Messages: slices.Clone(present), Of: of, Information: gain}
			l.advise(reading.Tokenize)
			found = append(found, suspect{l, uint32(w), gain < leakInformation})
		}
	}
	certain, err := ofManySenders(c, found)
	leaks := oneOfEachSetting(certain)
	return leaks[:min(len(leaks), maxLeaks)], err
}

// suspect is a term that may be a leak.
type suspect struct {
	Leak
	id       uint32
	doubtful bool // whether it is one only if many senders have it
}

// trainingOf returns the training documents of a class.
func trainingOf(c *train.Collection, class int) []features.Ref {
	var documents []features.Ref
	for i, part := range c.Parts() {
		if part == corpus.Train && c.Label(i) == class {
			documents = append(documents, c.Terms(i))
		}
	}
	return documents
}

// shareOfOne returns how much of one class has a term that hardly any message of the others has, 0 if it is no such term.
func shareOfOne(present, of []int) float64 {
	for k, n := range present {
		others, rest := sum(present)-n, sum(of)-of[k]
		if n >= leakMessages && float64(others) <= leakOthers*float64(rest) {
			return float64(n) / float64(of[k])
		}
	}
	return 0
}

// leastShare returns how much of one class has a term at least that is a leak because of its field. No share is enough for
// the field of a sender, nor for the shape of a step of the route: relays of senders write in few shapes.
func leastShare(term string) float64 {
	field := tokenize.FieldOf(term)
	tag, _, _ := strings.Cut(term, ":")
	words := tag == "header" || tag == field
	switch {
	case words && (field == "date" || tokenize.IsInTransit(field)):
		return leakShare
	case strings.HasPrefix(field, "x-") && tag != "order" && !isOfAProgram(field):
		return leakUnknown
	}
	return math.Inf(1)
}

// isOfAProgram reports whether a field with X- is one that senders' programs are known to write.
func isOfAProgram(field string) bool {
	switch field {
	case "x-mailer", "x-priority", "x-msmail-priority", "x-mimeole", "x-accept-language":
		return true
	}
	return false
}

// senderTag is the tag of the registered domain of a sender.
const senderTag = "from:@."

// ofManySenders returns the suspects without those that are doubtful and of few senders. A message without a sender counts as
// one of a sender of its own.
func ofManySenders(c *train.Collection, all []suspect) ([]suspect, error) {
	if !slices.ContainsFunc(all, func(s suspect) bool { return s.doubtful }) {
		return all, nil
	}
	texts := c.Known().Texts
	position := make(map[uint32]int, len(all))
	messages := make([]map[string]int, len(all)) // of each suspect, by sender
	for i, s := range all {
		position[s.id], messages[i] = i, make(map[string]int)
	}
	documents, labels := c.Part(corpus.Train)
	d := c.Index().Dataset(features.Bits, c.Classes(), documents, labels, parallel.Workers(c.Options().Workers))
	rows := d.Rows()
	var has []int
	for i := range documents {
		has = has[:0]
		sender := strconv.Itoa(i)
		for _, id := range rows.Row(i).IDs {
			if at, is := position[id]; is {
				has = append(has, at)
			}
			if strings.HasPrefix(texts[id], senderTag) {
				sender = texts[id]
			}
		}
		for _, at := range has {
			messages[at][sender]++
		}
	}
	var kept []suspect
	for i, s := range all {
		most := 0
		for _, n := range messages[i] {
			most = max(most, n)
		}
		if !s.doubtful || len(messages[i]) >= leakSenders && 2*most <= sum(s.Messages) {
			kept = append(kept, s)
		}
	}
	return kept, d.Err()
}

// oneOfEachSetting returns of the leaks with the same setting, or without one, the strongest, and the strongest first; of equal
// ones that which says most to a reader.
func oneOfEachSetting(all []suspect) []Leak {
	slices.SortFunc(all, func(x, y suspect) int {
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
		leaks = append(leaks, s.Leak)
	}
	// A field that stands between two others also takes away that these are neighbours.
	if slices.ContainsFunc(leaks, func(l Leak) bool { return tokenize.FieldOf(l.Term) != "" }) {
		leaks = slices.DeleteFunc(leaks, func(l Leak) bool { return strings.HasPrefix(l.Term, "order:") && tokenize.FieldOf(l.Term) == "" })
	}
	return leaks
}

// obscurity orders the terms of one field: that it occurs, its words, how it is written.
func obscurity(term string) int {
	switch tag, _, _ := strings.Cut(term, ":"); tag {
	case "header":
		return 0
	case "value", "shape", "mime":
		return 2
	case "order":
		return 3
	}
	return 1
}

// advise says what to do about a leak.
func (l *Leak) advise(o tokenize.Options) {
	if setting := o.Without(l.Term); setting != "" {
		l.Setting = "tokenize." + setting
		l.Advice = "if the senders did not write it, leave it out: --set " + l.Setting
		return
	}
	l.Advice = "if an archive, a list or a server added it, train on mail without it: no setting leaves it out"
}

// information is I(w) of a term that is in so many documents of each class, of so many.
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

// entropy is that of the class, in bits, of so many messages of each.
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
