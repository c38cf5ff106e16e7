package main

import (
	"fmt"
	"os"
	"path/filepath"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/docs/markdown"
	"chaff/filter"
	"chaff/internal/screen"
	"chaff/train"
)

// goodWords is the number of words added to a spam, remedy the share of the training spam with such words after the attack is
// known.
const (
	goodWords = 100
	remedy    = 0.1
)

// attacked is the share of test spam that is caught before and after the attack.
type attacked struct {
	spam int
	rows []attackRow
}

type attackRow struct {
	model         string
	before, after caught
	// remedied is the share after the model was trained with some attacked spam, and attacked again with its own strongest
	// words.
	remedied, anew caught
}

// caught counts spam above the natural boundary, and above the threshold that loses 0.1% of the ham.
type caught struct{ boundary, threshold int }

// letter is a message with its path and class.
type letter struct {
	origin, label string
	raw           []byte
}

// wordTest measures how few good words turn a spam into ham.
type wordTest struct{ *bench }

// measureGoodWords attacks each model with its own strongest words.
func (b wordTest) measureGoodWords() (attacked, error) {
	collection, err := b.spamAssassinApart()
	if err != nil {
		return attacked{}, err
	}
	tested, err := b.readSpam(collection, func(m train.Member) bool { return m.Part == corpus.Test })
	if err != nil {
		return attacked{}, err
	}
	share := corpus.SplitOptions{Train: remedy, Test: 1 - remedy}
	seen, err := b.readSpam(collection, func(m train.Member) bool {
		return m.Part == corpus.Train && share.ByHash(b.settings.Seed^noiseSeed, m.SplitKey) == corpus.Train
	})
	if err != nil {
		return attacked{}, err
	}
	b.tell("  words of ham pasted into spam of SpamAssassin")
	names := b.rivals()
	rows, err := inParallel(len(names), func(i int) (attackRow, error) {
		return b.attack(collection, names[i], tested, seen)
	})
	return attacked{len(tested), rows}, err
}

// attack adds words to the test spam, then also to training spam.
func (b wordTest) attack(collection *train.Collection, model string, tested, seen []letter) (attackRow, error) {
	row := attackRow{model: model}
	f, words, err := b.strongest(collection, model)
	if err != nil {
		return attackRow{}, err
	}
	row.before, row.after = catch(f, tested, nil), catch(f, tested, words)
	warned, err := b.withAttacked(seen, words)
	if err != nil {
		return attackRow{}, err
	}
	g, others, err := b.strongest(warned, model)
	if err != nil {
		return attackRow{}, err
	}
	row.remedied, row.anew = catch(g, tested, words), catch(g, tested, others)
	return row, nil
}

// strongest trains a model and returns its strongest words for ham.
func (b wordTest) strongest(collection *train.Collection, model string) (*filter.Filter, []string, error) {
	o := b.trainOptions()
	o.Thresholds.Confidence = 0 // the text names the share that is seen on development mail
	t, err := train.Fit(b.ctx, collection, model, o)
	if err != nil {
		return nil, nil, err
	}
	words, err := hammiest(t.Filter, goodWords)
	return t.Filter, words, err
}

// catch classifies spam with words added, if there are any.
func catch(f *filter.Filter, spam []letter, words []string) caught {
	var c caught
	for _, s := range spam {
		raw := s.raw
		if words != nil {
			raw = paste(raw, words)
		}
		c.count(f.Classify(raw))
	}
	return c
}

func (c *caught) count(v filter.Classification) {
	if v.Score > 0 {
		c.boundary++
	}
	if v.Verdict == filter.Spam {
		c.threshold++
	}
}

// withAttacked is SpamAssassin with words added to some of the training spam.
func (b wordTest) withAttacked(spam []letter, words []string) (*train.Collection, error) {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	replaced := make(map[string]bool)
	for i, s := range spam {
		replaced[s.origin] = true
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d.eml", i)), paste(s.raw, words), 0o600); err != nil {
			return nil, err
		}
	}
	more, err := sources.OpenLabelled(dir, sources.Options{Label: sources.Spam})
	if err != nil {
		return nil, err
	}
	source, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	all, err := b.collect(corpus.Concat(source, more.Source), corpus.SplitByHash)
	if err != nil {
		return nil, err
	}
	var members []train.Member
	for _, m := range all.Members() {
		if replaced[m.Origin] {
			continue
		}
		if filepath.Dir(m.Origin) == dir {
			m.Part = corpus.Train
		}
		members = append(members, m)
	}
	return all.Select(members)
}

// readSpam returns unchanged spam.
func (b *bench) readSpam(collection *train.Collection, want func(train.Member) bool) ([]letter, error) {
	return b.lettersOf(collection, func(m train.Member) bool {
		return collection.Classes[m.Label] == sources.Spam && want(m)
	})
}

// lettersOf returns some unchanged messages of SpamAssassin.
func (b *bench) lettersOf(collection *train.Collection, want func(train.Member) bool) ([]letter, error) {
	wanted := make(map[string]bool)
	for _, m := range collection.Members() {
		if want(m) {
			wanted[m.Origin] = true
		}
	}
	all, err := b.letters()
	if err != nil {
		return nil, err
	}
	var letters []letter
	for _, l := range all {
		if wanted[l.origin] {
			letters = append(letters, l)
		}
	}
	return letters, nil
}

// readLetters reads the unchanged messages of SpamAssassin.
func (b *bench) readLetters() ([]letter, error) {
	source, err := b.spamAssassin()
	if err != nil {
		return nil, err
	}
	var letters []letter
	for item, err := range source {
		if err != nil {
			continue // it is in no collection
		}
		raw, err := item.Read(nil)
		if err != nil {
			return nil, err
		}
		letters = append(letters, letter{item.Origin, item.Label, raw})
	}
	return letters, nil
}

func (a attacked) text() string {
	share := func(n int) string { return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(max(a.spam, 1))) }
	rows := func(of func(caught) int) []string {
		var rows []string
		for _, r := range a.rows {
			rows = append(rows, fmt.Sprintf("%s | %s | %s | %s | %s", r.model,
				share(of(r.before)), share(of(r.after)), share(of(r.remedied)), share(of(r.anew))))
		}
		return rows
	}
	header := "model | before | attacked | trained on attacks | attacked again"
	return fmt.Sprintf(`Share of %s test spams of SpamAssassin that each model catches, before and after the attack with its %d strongest ham words of the
text. In the last two columns %.0f%% of the training spam has these words too; "attacked again" pastes the strongest words of the
model trained so. At the score 0:

`, screen.Grouped(a.spam), goodWords, 100*remedy) +
		markdown.Table(header, rows(func(c caught) int { return c.boundary })) +
		"\nAt the threshold that loses 0.1% of the development ham:\n\n" +
		markdown.Table(header, rows(func(c caught) int { return c.threshold }))
}
