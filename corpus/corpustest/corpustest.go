// Package corpustest makes mail for tests.
package corpustest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing/fstest"

	"chaff/corpus"
	"chaff/corpus/sources"
)

// Mailbox returns a source of n messages for each class. Each class has words of its own, as spama and spamb, beside words that all
// classes share, as shareda.
func Mailbox(seed uint64, n int, classes ...string) corpus.Source {
	rng := rand.New(rand.NewPCG(seed, 0))
	fsys := fstest.MapFS{}
	for c, class := range classes {
		for i := range n {
			var words []string
			for range 20 + rng.IntN(30) {
				word := fmt.Sprintf("shared%c", 'a'+rng.IntN(26))
				if rng.IntN(4) == 0 {
					word = fmt.Sprintf("%s%c", class, 'a'+rng.IntN(26))
				} else if rng.IntN(8) == 0 {
					word = fmt.Sprintf("%s%c", classes[(c+1)%len(classes)], 'a'+rng.IntN(26))
				}
				words = append(words, word)
			}
			text := fmt.Sprintf("From: someone%d@%s.example\nSubject: about %s\n\n%s\n", i, class, words[0], strings.Join(words, " "))
			fsys[fmt.Sprintf("%s/%04d.eml", class, i)] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	var opened []corpus.Source
	for _, class := range classes {
		opened = append(opened, sources.FromFS(fsys, class, class))
	}
	return corpus.Concat(opened...)
}

// Messages returns a source of messages given by label and text.
func Messages(labelled ...[2]string) corpus.Source {
	var opened []corpus.Source
	for i, m := range labelled {
		fsys := fstest.MapFS{fmt.Sprintf("m/%d.eml", i): &fstest.MapFile{Data: []byte(m[1])}}
		opened = append(opened, sources.FromFS(fsys, "m", m[0]))
	}
	return corpus.Concat(opened...)
}

// Campaigns returns mail in which each letter goes out in n copies that differ in the name and a number. The origin of a
// message begins with the number of its letter.
func Campaigns(letters, n int) corpus.Source {
	rng := rand.New(rand.NewPCG(3, 0))
	files := make(fstest.MapFS)
	for i := range letters {
		label := []string{"ham", "spam"}[i%2]
		var text strings.Builder
		for range 60 {
			fmt.Fprintf(&text, "%s%c%c ", label, 'a'+rng.IntN(26), 'a'+rng.IntN(26))
		}
		for n := range n {
			raw := fmt.Sprintf("Subject: letter %d\n\nDear %c%c,\n%s\n%d\n", i, 'a'+n, 'm'+n, text.String(), n)
			files[fmt.Sprintf("%s/%d-%d", label, i, n)] = &fstest.MapFile{Data: []byte(raw)}
		}
	}
	return corpus.Concat(sources.FromFS(files, "ham", "ham"), sources.FromFS(files, "spam", "spam"))
}
