// Package corpustest provides mail for tests.
package corpustest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"chaff/corpus"
	"chaff/corpus/sources"
)

// Mailbox returns a source of n messages for each class. Some words belong to a class, such as spama and spamb; all classes share others,
// such as shareda.
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

// Messages returns a source of messages, each given by its label and text, which need not look like mail.
func Messages(labelled ...[2]string) corpus.Source {
	var opened []corpus.Source
	for i, m := range labelled {
		fsys := fstest.MapFS{fmt.Sprintf("m/%d.eml", i): &fstest.MapFile{Data: []byte(m[1])}}
		opened = append(opened, sources.FromFS(fsys, "m", m[0]))
	}
	return func(yield func(corpus.Item, error) bool) {
		for item, err := range corpus.Concat(opened...) {
			if item.Text = true; !yield(item, err) {
				return
			}
		}
	}
}

// Campaigns returns n near-duplicates of each letter, which differ in a name and a number. The origin of a message begins with the label and
// the number of its letter.
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

// Each yields the messages of source with their bytes. An unreadable message ends the test, and so does a source without messages.
func Each(t testing.TB, source corpus.Source) iter.Seq2[corpus.Item, []byte] {
	return func(yield func(corpus.Item, []byte) bool) {
		t.Helper()
		messages := 0
		for item, err := range source {
			var raw []byte
			if err == nil {
				raw, err = item.Read(nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			if messages++; !yield(item, raw) {
				return
			}
		}
		if messages == 0 {
			t.Fatal("the source has no messages")
		}
	}
}
