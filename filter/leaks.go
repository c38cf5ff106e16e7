package filter

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/features"
)

// Leak is a term that tells the classes apart almost alone. Words rarely do; a mark of the archive that one class came from,
// or of a filter, does, and on other mail it is worth nothing.
type Leak struct {
	Term string `json:"term"`
	// Messages is in how many training messages of each class the term occurs.
	Messages []int `json:"messages"`
	// Information is how much of the uncertainty about the class the term takes away, 0 to 1.
	Information float64 `json:"information"`
	// Advice is what to do about it.
	Advice string `json:"advice"`
}

const (
	// leakInformation is from which share of the uncertainty on a term is a leak.
	leakInformation = 0.6
	// A term that tells of the way of a message, or of where it was kept, is a leak too if it is in leakShare of a class, in
	// leakMessages of them at least, and in leakOthers of all other messages at most.
	leakShare    = 0.08
	leakOthers   = 0.002
	leakMessages = 20
	maxLeaks     = 10
)

// Leaks returns the terms of the training part that tell the classes apart almost alone, the strongest first. These are
// terms that take away at least 0.6 of the uncertainty about the class:
//
//	I(w) = 1 - H(class | w in the message or not) / H(class)
//
// the information gain of the term as a share of the entropy of the class (T. M. Mitchell: Machine Learning, 1997, section
// 3.4.1); the best words of the public corpora have half of it. And these are terms of header fields that others write than
// the sender, such as a relay, that are in at least 8% of one class and in hardly any message of the others.
func (c *Collection) Leaks() []Leak {
	of := make([]int, len(c.classes)) // training messages by class
	counts := make([][]uint32, len(c.classes))
	for k := range of {
		documents := c.trainingOf(k)
		of[k], counts[k] = len(documents), c.words.index.Frequencies(documents, c.workers())
	}
	fewest := fewestThatLeak(of)
	var leaks []Leak
	present := make([]int, len(of))
	for w := range c.summary.Terms {
		for k := range present {
			present[k] = int(counts[k][w])
		}
		leaksClass := sum(present) >= fewest && information(present, of) >= leakInformation
		if !leaksClass && !isOfOneClass(present, of) {
			continue
		}
		text := c.words.terms().Texts[w]
		if leaksClass || isOnTheWay(text) {
			leaks = append(leaks, Leak{text, slices.Clone(present), information(present, of), leakAdvice(text)})
		}
	}
	slices.SortStableFunc(leaks, func(x, y Leak) int { return cmp.Compare(y.Information, x.Information) })
	leaks = oneOfEachField(leaks)
	return leaks[:min(len(leaks), maxLeaks)]
}

// trainingOf returns the training documents of a class.
func (c *Collection) trainingOf(class int) []features.Ref {
	var documents []features.Ref
	for i, d := range c.documents {
		if c.parts[i] == corpus.Train && int(d.label) == class {
			documents = append(documents, d.terms)
		}
	}
	return documents
}

// fewestThatLeak is a number of messages so small that a term which is in fewer cannot take away enough of the uncertainty
// about the class: not more than there is about the term itself.
func fewestThatLeak(of []int) int {
	const rounding = 1e-6
	all, n := sum(of), 1
	for n < all/2 && entropy([]int{n, all - n}) < (leakInformation-rounding)*entropy(of) {
		n++
	}
	return n
}

// oneOfEachField returns the leaks without those of a header field that another one before is of, too: they all come from the
// same words.
func oneOfEachField(leaks []Leak) []Leak {
	seen := make(map[string]bool)
	return slices.DeleteFunc(leaks, func(l Leak) bool {
		if !isOnTheWay(l.Term) {
			// A field that stands between two others also takes away that these are neighbours.
			return strings.HasPrefix(l.Term, "order:") && len(seen) > 0
		}
		field := strings.ToLower(fieldOf(l.Term))
		again := seen[field]
		seen[field] = true
		return again
	})
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

// isOfOneClass says whether a term is in much of one class, and in hardly any message of the others.
func isOfOneClass(present, of []int) bool {
	for k, n := range present {
		others, rest := sum(present)-n, sum(of)-of[k]
		if n >= leakMessages && float64(n) >= leakShare*float64(of[k]) && float64(others) <= leakOthers*float64(rest) {
			return true
		}
	}
	return false
}

// isOnTheWay says whether a term is of a header field that others write than the sender and the sender's program.
func isOnTheWay(term string) bool {
	if strings.HasPrefix(term, "shape:date:") || strings.HasPrefix(term, "shape:message-id:") {
		return false // how the sender's program writes
	}
	return isWrittenOnTheWay(fieldOf(term))
}

// isWrittenOnTheWay says whether others write a header field than the sender and the sender's program.
func isWrittenOnTheWay(field string) bool {
	field = strings.ToLower(field)
	switch field {
	case "received", "return-path", "delivered-to", "envelope-to", "delivery-date", "date", "message-id", "status", "errors-to", "sender", "precedence":
		return true
	case "x-mailer", "x-priority", "x-msmail-priority", "x-mimeole", "x-accept-language":
		return false
	}
	return strings.HasPrefix(field, "x-") || strings.HasPrefix(field, "list-") || strings.HasPrefix(field, "resent-")
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

// fieldOf returns the name of the header field that a term is of: its tag, or what comes after that.
func fieldOf(term string) string {
	tag, rest, _ := strings.Cut(term, ":")
	switch tag {
	case "header":
		return rest
	case "value", "shape":
		field, _, _ := strings.Cut(rest, ":")
		return field
	case "order": // of two neighbours the one that does not belong there
		before, after, _ := strings.Cut(rest, ">")
		for _, field := range []string{before, after} {
			if strings.HasPrefix(strings.ToLower(field), "x-") && isWrittenOnTheWay(field) {
				return field
			}
		}
	case "step":
		return "received"
	}
	return tag
}

// leakAdvice says what to do about a term, by the field that it is from.
func leakAdvice(term string) string {
	field := fieldOf(term)
	switch {
	case strings.HasPrefix(term, "header:"):
		return "add it to the ignore list if only the archive, a filter or your own server writes it: tokenize.ignore_headers=" + field
	case isOnTheWay(term):
		return "add its header to the ignore list if only the archive, a filter or your own server writes it: tokenize.ignore_headers=" + field
	}
	return "if the messages themselves did not have it, such as a footer that an archive adds, train on other mail"
}
