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

// goodPairs and goodLinks are how many pairs of words and links the harder attack pastes beside the words.
const (
	goodPairs = 100
	goodLinks = 30
)

// attack is a change that a spammer makes to his mail: its description, and what returns the i-th spam after it.
type attack struct {
	what string
	on   func(i int, spam []byte) []byte
}

// againstWords pastes into spam what speaks most for ham by the model under attack.
func (b *bench) againstWords(models []string) ([]robustRow, error) {
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
		for _, at := range []place{atEnd, atFront} {
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

// againstHeaders writes the header of each spam as a training ham drawn by chance has it.
func (b *bench) againstHeaders(models []string) ([]robustRow, error) {
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

// underAttack trains models and attacks the test spam that each catches. A row is the share that is still caught after an
// attack. The attacker knows the model and the training ham.
func (b *bench) underAttack(models []string, prepare func(f *filter.Filter, seed uint64, ham []letter) ([]attack, error)) ([]robustRow, error) {
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
			return divided.Classes()[m.Label] == sources.Ham.String() && m.Part == corpus.Train
		})
		if err != nil {
			return nil, err
		}
		var all []resisted
		for _, model := range models {
			t, err := b.fit(divided, model)
			if err != nil {
				return nil, err
			}
			attacks, err := prepare(t.Filter, seed, ham)
			if err != nil {
				return nil, err
			}
			all = append(all, resist(t.Filter, spam, attacks))
		}
		return all, nil
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

// resisted counts the spam that a filter catches before the attacks, and how much of that it still catches after each.
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

// shot is a term, and the text that shall give a message this term.
type shot struct{ term, text string }

// pairsAndLinks returns text with the pairs of words and the links that speak most for ham, each on a line.
func (b *bench) pairsAndLinks(f *filter.Filter) (string, error) {
	terms, err := f.Terms()
	if err != nil {
		return "", err
	}
	strongest, err := f.Strongest(len(terms.Texts))
	if err != nil {
		return "", err
	}
	var pairs, links []shot
	host := "" // the strongest of ham, for words of paths
	for _, t := range strongest[0] {
		if t.Weight <= 0 {
			break
		}
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

// hits returns the texts of the first n shots that give a message their term. Some miss: not every stem is its own stem. Of
// more than 5n shots the rest is not tried.
func (b *bench) hits(shots []shot, n int) ([]string, error) {
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
