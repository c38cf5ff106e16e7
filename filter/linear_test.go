package filter

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/test/corpustest"
	"chaff/test/lineartest"
)

// hostileTexts returns functions that make texts of about n bytes with expensive terms. The tests of each hash table have the words that
// collide in it.
func hostileTexts() map[string]func(n int) string {
	numbered := func(format string) func(n int) string {
		return func(n int) string {
			var s strings.Builder
			for i := uint32(0); s.Len() < n; i++ {
				fmt.Fprintf(&s, format, i*0x9e3779b1)
			}
			return s.String()
		}
	}
	repeated := func(unit string) func(n int) string {
		return func(n int) string { return strings.Repeat(unit, n/len(unit)) }
	}
	return map[string]func(n int) string{
		"different words":                     numbered("w%x "),
		"different words with one beginning":  numbered("aaaaaaaaaaaaaaaa%x "),
		"different words of one length class": numbered(strings.Repeat("a", 40) + "%08x "),
		"different words without spaces":      numbered("é%x"),
		"signs at the start of words":         numbered("é%x éé "),
		"pairs of one word":                   numbered("a w%x "),
		"one word":                            repeated("word "),
		"one endless word":                    repeated("é"),
		"ligatures that grow":                 repeated("\ufdfa"),
	}
}

func TestEveryStageIsLinearInTheSizeOfHostileMail(t *testing.T) {
	const small, factor, limit, grain = 4 << 10, 8, 2 * 8, 2 * time.Millisecond
	mail := func(text func(n int) string, n int) []byte {
		return []byte(strings.Repeat("Subject: a\n", n/64) + "Content-Type: text/html\n\n" + text(n))
	}
	// The model knows the words, so each has a contribution.
	sources := []corpus.Source{corpustest.Mailbox(1, 40, "ham", "spam")}
	for _, text := range hostileTexts() {
		for i := range 3 {
			sources = append(sources, corpustest.Messages([2]string{"spam", string(mail(text, small*factor)) + fmt.Sprint(i)}))
		}
	}
	f := fitted(t, corpus.Concat(sources...), "softmax", hamName, spamName)
	reader, err := NewReader(f.settings.Reading, ReaderOptions{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	explain := func(raw []byte) Explanation {
		e, err := f.Explain(raw)
		if err != nil {
			t.Fatal(err)
		}
		known = max(known, len(e.Contributions))
		return e
	}
	stages := map[string]func(raw []byte) (work func()){
		"a verdict": func(raw []byte) func() { return func() { f.Classify(raw) } },
		"a document": func(raw []byte) func() {
			return func() {
				reader.Read(raw)
				w := features.NewDocuments(0).NewWriter()
				w.Add(reader.Bag.Document(), reader.Bag.Text)
				w.Close()
			}
		},
		"an explanation": func(raw []byte) func() { return func() { explain(raw) } },
		"highlighting": func(raw []byte) func() {
			e := explain(raw)
			return func() { e.Texts() }
		},
	}
	for name, text := range hostileTexts() {
		for stage, prepare := range stages {
			work, more := prepare(mail(text, small)), prepare(mail(text, small*factor))
			var once, many time.Duration
			for range 10 {
				if once, many = lineartest.Time(work), lineartest.Time(more); many <= limit*once+grain {
					break
				}
			}
			if many > limit*once+grain {
				t.Errorf("%s of %s: %d times the size took %v instead of %v", stage, name, factor, many, once)
			}
		}
	}
	if known < 1_000 {
		t.Errorf("the model knows at most %d words of a message: the test is too easy", known)
	}
}
