package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/train"
)

// goodPairs and goodLinks are the numbers of pairs of words and links that the harder attack adds to the words.
const (
	goodPairs = 100
	goodLinks = 30
)

// attack is a change that a spammer makes: its description, and a function that returns the i-th spam after it.
type attack struct {
	what string
	on   func(i int, spam []byte) []byte
}

// againstWords adds the strongest evidence for ham, by the model under attack, to spam.
func (b protocolTest) againstWords(models []string) ([]robustRow, error) {
	return b.underAttack(models, func(f *filter.Filter, _ uint64, _ []letter) ([]attack, error) {
		words, err := hammiest(f, goodWords)
		if err != nil {
			return nil, err
		}
		more, err := b.pairsAndLinks(f)
		if err != nil {
			return nil, err
		}
		var attacks []attack
		for _, at := range []position{atEnd, atFront} {
			for _, all := range []bool{false, true} {
				what, text := fmt.Sprintf("%d good words", goodWords), lines(words)
				if all {
					what, text = what+fmt.Sprintf(", %d pairs and %d links", goodPairs, goodLinks), text+more
				}
				attacks = append(attacks, attack{what + " " + at.String(), func(_ int, spam []byte) []byte { return pasteText(spam, text, at) }})
			}
		}
		return attacks, nil
	})
}

// againstHeaders gives each spam the header of a random training ham.
func (b protocolTest) againstHeaders(models []string) ([]robustRow, error) {
	return b.underAttack(models, func(_ *filter.Filter, seed uint64, ham []letter) ([]attack, error) {
		if len(ham) == 0 {
			return nil, errors.New("there is no ham to imitate")
		}
		return []attack{{"header in the style of ham", func(i int, spam []byte) []byte {
			random := rand.New(rand.NewPCG(seed^noiseSeed, uint64(i))) // the same ham whichever model it is
			return forge(spam, ham[random.IntN(len(ham))].raw)
		}}}, nil
	})
}

// underAttack trains models and attacks the test spam that each catches. A row is the share still caught after an attack. The
// attacker knows the model and the training ham.
func (b protocolTest) underAttack(models []string, prepare func(f *filter.Filter, seed uint64, ham []letter) ([]attack, error)) ([]robustRow, error) {
	mail, err := one(b.spamAssassinApart())
	if err != nil {
		return nil, err
	}
	outcomes, err := overSeeds(mail, seeds, func(divided *train.Collection, seed uint64) ([]resisted, error) {
		divided, err := b.judged(divided)
		if err != nil {
			return nil, err
		}
		spam, err := b.readSpam(divided, func(m train.Member) bool { return m.Part == corpus.Test })
		if err != nil {
			return nil, err
		}
		ham, err := b.lettersOf(divided, func(m train.Member) bool {
			return divided.Classes[m.Label] == sources.Ham && m.Part == corpus.Train
		})
		if err != nil {
			return nil, err
		}
		return fitEach(b.bench, divided, models, func(t train.Trained) (resisted, error) {
			attacks, err := prepare(t.Filter, seed, ham)
			if err != nil {
				return resisted{}, err
			}
			return resist(t.Filter, spam, attacks), nil
		})
	})
	if err != nil {
		return nil, err
	}
	var rows []robustRow
	for a, what := range outcomes[0][0].what {
		shares := make([]*float64, len(models))
		for i := range models {
			before, after := 0, 0
			for _, r := range column(outcomes, i) {
				before, after = before+r.before, after+r.after[a]
			}
			if before > 0 {
				share := 100 * float64(after) / float64(before)
				shares[i] = &share
			}
		}
		rows = append(rows, rowOf("SpamAssassin, "+what, "caught spam still caught", shares, percent))
	}
	return rows, nil
}

// resisted counts the spam that a filter catches before the attacks, and the part it still catches after each.
type resisted struct {
	before int
	what   []string
	after  []int
}

// resist attacks the spam that a filter scores above 0.
func resist(f *filter.Filter, spam []letter, attacks []attack) resisted {
	r := resisted{after: make([]int, len(attacks))}
	for _, a := range attacks {
		r.what = append(r.what, a.what)
	}
	for i, s := range spam {
		if f.Classify(s.raw).Score <= 0 {
			continue
		}
		r.before++
		for n, a := range attacks {
			if f.Classify(a.on(i, s.raw)).Score > 0 {
				r.after[n]++
			}
		}
	}
	return r
}

// shot is a term, and text that should produce it.
type shot struct{ term, text string }

// pairsAndLinks returns the pairs of words and the links with the strongest evidence for ham, one a line.
func (b protocolTest) pairsAndLinks(f *filter.Filter) (string, error) {
	terms, err := f.Terms()
	if err != nil {
		return "", err
	}
	strongest, err := f.Strongest(len(terms.Documents))
	if err != nil {
		return "", err
	}
	var pairs, links []shot
	host := "" // the strongest of ham, for words of paths
	for _, t := range strongest[0] {
		tag, text, _ := strings.Cut(t.Term, ":")
		switch first, second, isPair := strings.Cut(text, " "); {
		case tag == "body" && isPair && isWord(first) && isWord(second):
			pairs = append(pairs, shot{t.Term, text})
		case tag == "host" || tag == "domain":
			if host == "" {
				host = text
			}
			links = append(links, shot{t.Term, "http://" + text + "/"})
		case tag == "path" && isWord(text) && host != "":
			links = append(links, shot{t.Term, "http://" + host + "/" + text})
		}
	}
	var pasted []string
	for _, kind := range []struct {
		shots []shot
		n     int
	}{{pairs, goodPairs}, {links, goodLinks}} {
		hits, err := b.hits(kind.shots, kind.n)
		if err != nil {
			return "", err
		}
		pasted = append(pasted, hits...)
	}
	return strings.Join(pasted, "\n") + "\n", nil
}

// hits returns the texts of the first n shots that produce their term. Not every stem is its own stem. It tries at most 5n
// shots.
func (b protocolTest) hits(shots []shot, n int) ([]string, error) {
	tried := shots[:min(len(shots), 5*n)]
	var raw strings.Builder
	raw.WriteString("Subject: x\n\n")
	for _, s := range tried {
		raw.WriteString(s.text + "\n")
	}
	view, err := filter.Reading{Message: b.settings.Message, Tokenize: b.settings.Tokenize}.View([]byte(raw.String()))
	if err != nil {
		return nil, err
	}
	has := make(map[string]bool)
	for _, t := range view.Terms {
		has[t.Term] = true
	}
	var texts []string
	for _, s := range tried {
		if has[s.term] && len(texts) < n && !slices.Contains(texts, s.text) {
			texts = append(texts, s.text)
		}
	}
	return texts, nil
}
