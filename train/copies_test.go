package train

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"chaff/corpus"
	"chaff/filter"
	"chaff/test/corpustest"
)

// bytesOf returns the model of mail, and how many copies were left out, those with another label apart.
func bytesOf(t *testing.T, items []corpus.Item, remark string) (model []byte, duplicates, conflicts int) {
	t.Helper()
	source := func(yield func(corpus.Item, error) bool) {
		if remark != "" && !yield(corpus.Item{}, corpus.Remark(remark)) {
			return
		}
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
	o := DefaultCollectOptions()
	c, err := Collect(t.Context(), source, []string{"ham", "spam"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if remark != "" && !slices.Contains(c.Summary().Remarks, remark) {
		t.Errorf("the summary has the remarks %q", c.Summary().Remarks)
	}
	trained, err := Fit(t.Context(), c, "multinomial", DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := c.Refit(t.Context(), trained, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if model, err = f.Encode(); err != nil {
		t.Fatal(err)
	}
	return model, c.Summary().Duplicates, c.Summary().Conflicts
}

// Copies differ in what relays and mailboxes add, and one has another label. Which one counts does not depend on where it was found.
func TestWhichCopyCountsDependsOnNoOrder(t *testing.T) {
	var messages [][2]string
	add := func(label, raw string) { messages = append(messages, [2]string{label, raw}) }
	for i, class := range []string{"ham", "spam"} {
		for n := range 12 {
			body := fmt.Sprintf("Subject: number %d\n\nwords of %s: a%d b%d c%d\n", n, class, n*i, n+i, n)
			for _, before := range []string{"", "Received: from a by b; Thu, 1 Jan 2026 10:00:00 +0000\n", "X-Spam-Status: No\nStatus: RO\n", "X-Spam-Status: No\nStatus: OR\n"} {
				add(class, before+body)
			}
			if n == 3 {
				add([]string{"spam", "ham"}[i], "Status: O\n"+body)
			}
		}
	}
	var items []corpus.Item
	for item, err := range corpustest.Messages(messages...) {
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	want, duplicates, conflicts := bytesOf(t, items, "")
	if duplicates < 24 || conflicts == 0 {
		t.Fatalf("%d copies, %d with other labels: too few", duplicates, conflicts)
	}
	slices.Reverse(items)
	got, again, others := bytesOf(t, items, "who knows what these lines are")
	if !bytes.Equal(got, want) {
		t.Error("mail that was found in another order, with a remark, gives another model")
	}
	if again != duplicates || others != conflicts {
		t.Errorf("%d copies, %d with other labels, want %d and %d", again, others, duplicates, conflicts)
	}
}

func TestOneFitTakesSoManyMessages(t *testing.T) {
	if err := checkMessages(MaxMessages); err != nil {
		t.Error(err)
	}
	if err := checkMessages(MaxMessages + 1); !errors.Is(err, ErrTooMuch) {
		t.Errorf("got %v, want %v", err, ErrTooMuch)
	}
}

// A sample has whole groups of near-duplicates, is about the share that was asked for, and is the same for some of the mail.
func TestASampleHasWholeGroups(t *testing.T) {
	o := DefaultCollectOptions()
	mail := readLedger(t, corpustest.Mailbox(3, 200, "ham", "spam"), filter.DefaultReading())
	in, err := mail.Sample(4, o.Split, o.Reading.Key)
	if err != nil {
		t.Fatal(err)
	}
	groups := map[uint64]bool{}
	kept := 0
	for i, m := range divide(t, mail, o).Members() {
		if is, seen := groups[m.Group]; seen && is != in[i] {
			t.Errorf("group %x is in the sample and is not", m.Group)
		}
		if groups[m.Group] = in[i]; in[i] {
			kept++
		}
	}
	if kept == 0 || kept == mail.Len() || len(groups) < 10 {
		t.Errorf("%d of %d messages in %d groups: the test shows nothing", kept, mail.Len(), len(groups))
	}
	all, err := mail.Sample(0, o.Split, o.Reading.Key)
	if err != nil || slices.Contains(all, false) {
		t.Error("without a sample a message is missing", err)
	}
}
