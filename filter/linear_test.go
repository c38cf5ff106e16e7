package filter

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/features"
	"chaff/internal/lineartest"
)

// hostileTexts are texts of about n bytes that are made to make each look at a term dear. Words that are chosen by the hashes of
// the tables they come to are in the tests of these tables.
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
		"signs where many words begin":        numbered("é%x éé "),
		"pairs of one word":                   numbered("a w%x "),
		"one word":                            repeated("word "),
		"one word without an end":             repeated("é"),
		"ligatures that grow":                 repeated("\ufdfa"),
	}
}

// From the bytes of a message to its verdict, to the reasons for it, and to what is learnt of it, work is linear in its size.
func TestEveryStageIsLinearInTheSizeOfHostileMail(t *testing.T) {
	const small, factor, limit, grain = 8 << 10, 8, 2 * 8, 5 * time.Millisecond
	mail := func(text func(n int) string, n int) []byte {
		return []byte(strings.Repeat("Subject: a\n", n/64) + "Content-Type: text/html\n\n" + text(n))
	}
	// A model that knows the words has a reason for each.
	sources := []corpus.Source{mailbox(1, 40, "ham", "spam")}
	for _, text := range hostileTexts() {
		for i := range 3 {
			sources = append(sources, messages([2]string{"spam", string(mail(text, small*factor)) + fmt.Sprint(i)}))
		}
	}
	f := trainedOn(t, corpus.Concat(sources...))
	reader := f.newReader()
	reader.named = true
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
				reader.gather(raw)
				w := features.NewDocuments(0).NewWriter()
				w.Add(&reader.bag)
				w.Close()
			}
		},
		"reasons": func(raw []byte) func() { return func() { explain(raw) } },
		"shades": func(raw []byte) func() {
			e := explain(raw)
			return func() { e.Texts() }
		},
	}
	for name, text := range hostileTexts() {
		for stage, prepare := range stages {
			work, more := prepare(mail(text, small)), prepare(mail(text, small*factor))
			var once, many time.Duration
			for range 10 {
				if once, many = lineartest.CPUTime(work), lineartest.CPUTime(more); many <= limit*once+grain {
					break
				}
			}
			if many > limit*once+grain {
				t.Errorf("%s of %s: %d times the size took %v instead of %v", stage, name, factor, many, once)
			}
		}
	}
	if known < 2_000 {
		t.Errorf("the model knows no more than %d words of any message: that is too easy", known)
	}
}

// What is shown of a message is no more than can be read, and what is left out is counted.
func TestShadedTextsHaveALimit(t *testing.T) {
	f := spamFilter(t)
	for name, text := range map[string]string{
		"known words":           strings.Repeat("spama ", 100_000),
		"characters of no word": strings.Repeat("é", 300_000),
		"words between others":  strings.Repeat("é spama ", 50_000),
		"one word for all":      strings.Repeat("a", 1_000_000),
		"a short text":          "spama",
	} {
		raw := []byte("\n" + text)
		e, err := f.Explain(raw)
		if err != nil {
			t.Fatal(err)
		}
		texts, left := e.Texts()
		shown, words := 0, 0
		for _, text := range texts {
			for _, s := range text.Stretches {
				shown += len(s.Text)
				if len(s.Terms) > 0 {
					words++
				}
			}
		}
		if shown+left != len(text) || shown > maxShadedText || words > maxShadedWords || left > 0 && shown == 0 {
			t.Errorf("%s: %d bytes shown, %d left out of %d, %d words", name, shown, left, len(text), words)
		}
	}
}
