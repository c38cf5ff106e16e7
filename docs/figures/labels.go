package main

import (
	"fmt"
	"math"
	"strings"

	"chaff/corpus"
	"chaff/docs/markdown"
	"chaff/internal/screen"
	"chaff/train"
)

// inversions are the shares of inverted labels in mailboxes whose doubtful labels are named.
func inversions() []float64 { return []float64{0, 0.01, 0.03, 0.05} }

// boxes are the sizes of these mailboxes; 0 is all mail of a corpus.
func boxes() []int { return []int{300, 1000, 3000, 0} }

// boxDraws is how many mailboxes of a size are drawn from SpamAssassin, and from each corpus of Enron-Spam.
const boxDraws = 4

// naming counts the labels that are named as doubtful.
type naming struct{ messages, inverted, named, found int }

func (n *naming) add(m naming) {
	n.messages, n.inverted, n.named, n.found = n.messages+m.messages, n.inverted+m.inverted, n.named+m.named, n.found+m.found
}

// namings are the results by corpus, size and share.
type namings struct {
	corpora []string
	of      [][][]naming
}

// labelTest measures how many wrong labels are found.
type labelTest struct{ *bench }

// measureLabels trains models on mailboxes with inverted labels, and counts how many of these are named, and how many others.
func (b labelTest) measureLabels() (namings, error) {
	n := namings{corpora: []string{spamAssassinName, enronName}}
	for _, read := range []func() ([]*train.Collection, error){
		func() ([]*train.Collection, error) { return one(b.readSpamAssassin(corpus.SplitGrouped)) },
		func() ([]*train.Collection, error) { return b.readEnron(corpus.SplitGrouped) },
	} {
		mail, err := read()
		if err != nil {
			return namings{}, err
		}
		b.tell("  doubtful labels")
		var bySize [][]naming
		for _, size := range boxes() {
			seeds := boxDraws
			if size == 0 {
				seeds = 1
			}
			all, err := overSeeds(mail, seeds, func(divided *train.Collection, seed uint64) ([]naming, error) { return b.name(divided, size, seed) })
			if err != nil {
				return namings{}, err
			}
			byShare := make([]naming, len(inversions()))
			for _, of := range all {
				for i := range byShare {
					byShare[i].add(of[i])
				}
			}
			bySize = append(bySize, byShare)
		}
		n.of = append(n.of, bySize)
	}
	return n, nil
}

// name boxDraws a mailbox, and trains a model on it with each share of inverted labels.
func (b labelTest) name(mail *train.Collection, size int, seed uint64) ([]naming, error) {
	members := mail.Members()
	shuffle(members, seed)
	if size > 0 {
		members = members[:min(size, len(members))]
	}
	var all []naming
	for _, share := range inversions() {
		inverted, n := make(map[int]bool), naming{messages: len(members)}
		box := make([]train.Member, len(members))
		chance := corpus.SplitOptions{Train: share, Test: 1 - share}
		for i, m := range members {
			if share > 0 && chance.ByHash(seed^noiseSeed, m.SplitKey) == corpus.Train {
				m.Label, inverted[i] = 1-m.Label, true
			}
			box[i] = m
		}
		drawn, err := mail.Select(box)
		if err != nil {
			return nil, err
		}
		trained, err := train.Fit(b.ctx, drawn, b.settings.Model, b.trainOptions())
		if err != nil {
			return nil, err
		}
		_, refitted, err := drawn.Refit(b.ctx, trained, b.trainOptions())
		if err != nil {
			return nil, err
		}
		n.inverted, n.named = len(inverted), refitted.Doubtful
		for _, d := range refitted.Doubts {
			if inverted[d.Message] {
				n.found++
			}
		}
		all = append(all, n)
	}
	return all, nil
}

func (n namings) text() string {
	header := "mailboxes | no label inverted: named of 1,000"
	for _, share := range inversions()[1:] {
		header += fmt.Sprintf(" | %.0f%% inverted: found | inverted among those named", 100*share)
	}
	var rows []string
	for c, bySize := range n.of {
		for s, byShare := range bySize {
			name := "all messages"
			if size := boxes()[s]; size > 0 {
				name = screen.Grouped(size) + " messages"
			}
			cells := []string{n.corpora[c] + ", " + name, fmt.Sprintf("%.1f", 1000*float64(byShare[0].named)/float64(byShare[0].messages))}
			for _, of := range byShare[1:] {
				cells = append(cells, shareOf(of.found, of.inverted), shareOf(of.found, of.named))
			}
			rows = append(rows, strings.Join(cells, " | "))
		}
	}
	return fmt.Sprintf("Default model, %d mailboxes of each size from SpamAssassin and from each corpus of Enron-Spam, with labels inverted at random:\n\n", boxDraws) +
		markdown.Table(header, rows)
}

// shareOf formats a share as a percentage; a dash for one of nothing.
func shareOf(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", math.Round(100*float64(n)/float64(of)))
}
