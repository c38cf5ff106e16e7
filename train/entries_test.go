package train

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/features"
	"chaff/filter"
	"chaff/test/corpustest"
	"chaff/test/modelstest"
)

// Entries returns what is kept of the messages of m.
func (m *Mail) Entries() []Entry {
	entries := make([]Entry, m.Len())
	for i := range entries {
		entries[i] = m.Entry(i)
	}
	return entries
}

// readLedger reads mail whose entries are kept.
func readLedger(t testing.TB, source corpus.Source, r filter.Reading) *Mail {
	t.Helper()
	m, err := Read(t.Context(), source, []string{"ham", "spam"}, ReadOptions{Reading: r})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// stored returns the mail of the entries of m, as if m had been written to a file and read again.
func stored(t testing.TB, m *Mail) *Mail {
	t.Helper()
	entries := m.Entries()
	refs := make([]features.Ref, len(entries))
	for i, e := range entries {
		refs[i] = e.Terms
	}
	documents := features.NewDocuments(0)
	var terms []byte
	var records [][]byte
	err := m.Documents().Save(refs, func(some []byte) { terms = append(terms, some...) }, func(_ int, record []byte) {
		records = append(records, slices.Clone(record))
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := documents.AddSaved(func(do func(hash uint64, text []byte) error) error { return features.EachTerm(terms, do) })
	if err != nil {
		t.Fatal(err)
	}
	keeper, n := documents.NewWriter(), 0
	for i, record := range records {
		if entries[i].Terms, err = keeper.AddRecord(record, &file); err != nil {
			t.Fatal(err)
		}
		n++
	}
	if err != nil || n != len(entries) {
		t.Fatal(n, err)
	}
	keeper.Close()
	if err := documents.Complete(1); err != nil {
		t.Fatal(err)
	}
	return NewMail(m.Classes, documents, entries)
}

func divide(t testing.TB, m *Mail, o CollectOptions) *Collection {
	t.Helper()
	c, err := m.Divide(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sampleMail returns every fourth message of the sample mail, with copies and a message that cannot be read.
func sampleMail(t testing.TB) corpus.Source {
	t.Helper()
	var items []corpus.Item
	n := 0
	for item := range corpustest.Each(t, sample.Source()) {
		if n++; n%4 == 1 {
			items = append(items, item)
		}
	}
	return func(yield func(corpus.Item, error) bool) {
		for i, item := range slices.Concat(items, items[:5]) {
			if i == 7 && !yield(corpus.Item{Origin: "gone.eml", Label: "ham"}, errors.New("gone.eml: no such file")) {
				return
			}
			if !yield(item, nil) {
				return
			}
		}
	}
}

func TestEveryModelFollowsFromTheEntries(t *testing.T) {
	o := DefaultCollectOptions()
	mail := readLedger(t, sampleMail(t), o.Reading)
	if s := mail.Summary(); s.Duplicates != 5 || s.Unreadable != 1 {
		t.Fatalf("summary %+v: want 5 copies and an unreadable message", s)
	}
	o.Workers = 2
	first := divide(t, mail, o)
	o.Workers = 1
	second := divide(t, stored(t, mail), o)
	modelstest.EachModel(t, func(t *testing.T, model string) {
		refitted, _, fitted := refit(t, first, model, DefaultOptions())
		again, _, fittedAgain := refit(t, second, model, DefaultOptions())
		if !bytes.Equal(encode(t, fitted.Filter), encode(t, fittedAgain.Filter)) {
			t.Error("the model of the training part has other bytes")
		}
		if !bytes.Equal(encode(t, refitted), encode(t, again)) {
			t.Error("the model of all the mail has other bytes")
		}
	})
}

func TestAllDivisionsFollowFromTheEntries(t *testing.T) {
	source := corpustest.Mailbox(5, 50, "ham", "spam")
	for name, o := range divisionsOfMail() {
		for _, texts := range []bool{true, false} {
			o.Features.Texts = texts
			mail := readLedger(t, source, o.Reading)
			want, _, _ := refit(t, collect(t, source, o, "ham", "spam"), "multinomial", DefaultOptions())
			got, _, _ := refit(t, divide(t, stored(t, mail), o), "multinomial", DefaultOptions())
			if !bytes.Equal(encode(t, want), encode(t, got)) {
				t.Errorf("%s, texts %v: the model has other bytes", name, texts)
			}
		}
	}
}

func TestDividingMailLeavesItAsItWas(t *testing.T) {
	mail := readLedger(t, corpustest.Mailbox(5, 20, "ham", "spam"), filter.DefaultReading())
	summary, entries := mail.Summary(), mail.Entries()
	first := divide(t, mail, DefaultCollectOptions())
	second := divide(t, mail, DefaultCollectOptions())
	if diff := cmp.Diff(summary, mail.Summary()); diff != "" {
		t.Errorf("summary (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(entries, mail.Entries()); diff != "" {
		t.Errorf("entries (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(first.Summary(), second.Summary()); diff != "" {
		t.Errorf("summaries (-first +second):\n%s", diff)
	}
}

func TestMailOfEntriesNamesItsMessagesByNumber(t *testing.T) {
	mail := stored(t, readLedger(t, corpustest.Mailbox(5, 20, "ham", "spam"), filter.DefaultReading()))
	if got := mail.Item(16).Origin; got != "message 17 of the log" {
		t.Errorf("got the origin %q", got)
	}
	_, err := mail.Item(16).Read(nil)
	if err == nil || err.Error() != "read message 17 of the log: no message" {
		t.Errorf("got the error %v", err)
	}
	c := divide(t, mail, DefaultCollectOptions())
	o := c.Options
	o.Reading.Tokenize.Pairs = !o.Reading.Tokenize.Pairs
	if _, err := c.With(t.Context(), o, c.Members()); err == nil || !strings.Contains(err.Error(), "no message") {
		t.Errorf("read again: got the error %v", err)
	}
}

func TestMailThatCannotBeDivided(t *testing.T) {
	classes := []string{"ham", "spam"}
	two := readLedger(t, corpustest.Mailbox(5, 20, "ham", "spam"), filter.DefaultReading())
	noParts := DefaultCollectOptions()
	noParts.Split.Train = 2
	for _, tt := range []struct {
		name string
		mail *Mail
		o    CollectOptions
		want string
	}{
		{"no entries", NewMail(classes, features.NewDocuments(0), nil), DefaultCollectOptions(), "no messages"},
		{"one class", NewMail(classes, two.Documents(), two.Entries()[:20]), DefaultCollectOptions(), "all 20 messages are ham: training needs mail of two classes"},
		{"a share above 1", two, noParts, "train is 2: must be above 0 and at most 1"},
	} {
		if _, err := tt.mail.Divide(tt.o); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestNearDuplicatesAreKnownByTheirTerms(t *testing.T) {
	letters := map[string][2]string{
		"a campaign in English":      {"Dear Anna, the bank has closed your account until you confirm it on our page, which takes a minute of your time.", "Dear Bob, the bank has closed your account until you confirm it on our page, which takes a minute of your time!"},
		"one without spaces":         {"我们的产品质量非常好价格也很便宜欢迎您来电咨询购买", "您好我们的产品质量非常好价格也很便宜欢迎您来电咨询购买"},
		"a letter of subject alone":  {"", ""},
		"a letter and its quotation": {"We shall meet on Monday in the office behind the station at nine and talk about the garden.", "I agree.\n> We shall meet on Monday in the office behind the station at nine and talk about the garden."},
	}
	for name, texts := range letters {
		for _, pairs := range []bool{true, false} {
			o := DefaultCollectOptions()
			o.Reading.Tokenize.Pairs = pairs
			labelled := [][2]string{{"spam", "Subject: pills\n\nThey are cheaper than ever this week, and they work."}}
			for i, text := range texts {
				labelled = append(labelled, [2]string{"ham", fmt.Sprintf("Subject: about the garden\nX-Copy: %d\n\n%s", i, text)})
			}
			c := collect(t, corpustest.Messages(labelled...), o, "ham", "spam")
			if m := c.Members(); m[1].Group != m[2].Group || m[0].Group == m[1].Group {
				t.Errorf("%s, pairs %v: its groups are %x and %x", name, pairs, m[1].Group, m[2].Group)
			}
		}
	}
}
