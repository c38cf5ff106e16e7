package filter

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"chaff/corpus"
	"chaff/corpus/sample"
)

// relayed makes mail of which the spam came through a relay of its own, and the ham was kept by an archive. Both speak of
// the same things.
func relayed(n int) [][2]string {
	var all [][2]string
	for i := range n {
		text := fmt.Sprintf("Subject: minutes %d\n\nriver %d bread %d", i, i%7, i%11)
		all = append(all,
			[2]string{"ham", "X-Foo: 17\n" + text + " a"},
			[2]string{"spam", "Received: from bad.relay.example by us\n" + text + " b"})
	}
	return all
}

func TestTermsThatOnlyAnArchiveOrARelayHasAreNamed(t *testing.T) {
	o := DefaultCollectOptions()
	o.Reading.Tokenize.Received = true
	o.Split.Method = corpus.SplitByHash
	c := collect(t, messages(relayed(80)...), o, "ham", "spam")
	advised := make(map[string]Leak)
	for _, l := range c.Leaks() {
		if _, field, found := strings.Cut(l.Advice, "tokenize.ignore_headers="); found {
			field = strings.ToLower(field)
			if before, again := advised[field]; again {
				t.Errorf("%s is named twice: %q and %q", field, before.Term, l.Term)
			}
			advised[field] = l
		}
	}
	for _, field := range []string{"x-foo", "received"} {
		if l := advised[field]; l.Information < 0.99 {
			t.Errorf("%s: got %+v of %v", field, l, advised)
		}
	}
}

func TestTheFieldOfATermIsKnown(t *testing.T) {
	for term, want := range map[string]string{
		"header:X-Foo": "X-Foo", "x-foo:17": "x-foo", "value:x-foo:1:7": "x-foo", "shape:x-foo:9": "x-foo", "step:from host": "received",
		"body:word": "body", "zone:+0100": "zone",
		"order:X-Foo>Subject": "X-Foo", "order:^>X-Foo": "X-Foo", "order:From>Date": "order",
	} {
		if got := fieldOf(term); got != want {
			t.Errorf("%s: got %q, want %q", term, got, want)
		}
	}
	for term, want := range map[string]bool{
		"value:x-foo:1": true, "step:from host": true, "shape:date:9": false, "shape:message-id:<9": false, "zone:+0100": false,
		"message-id:@a.example": true, "x-mailer:foo": false, "value:x-mailer:Foo 1": false, "body:x": false,
	} {
		if got := isOnTheWay(term); got != want {
			t.Errorf("%s: on the way is %v, want %v", term, got, want)
		}
	}
}

func TestTheSampleHasNoLeaks(t *testing.T) {
	if leaks := collect(t, sample.Source(), DefaultCollectOptions(), "ham", "spam").Leaks(); len(leaks) > 0 {
		t.Errorf("got %+v", leaks)
	}
}

func TestInformation(t *testing.T) {
	tests := []struct {
		name        string
		present, of []int
		want        float64
	}{
		{"a term that is in all of one class and in none of the other tells all", []int{0, 8}, []int{8, 8}, 1},
		{"a term that is in half of both tells nothing", []int{4, 4}, []int{8, 8}, 0},
		{"a term that is nowhere tells nothing", []int{0, 0}, []int{8, 8}, 0},
		// H(class) = 1 bit. It is in 4 of 16 messages, all of one class: H = 0; of the other 12, 8 and 4 are of the classes:
		// H = log2(3) - 2/3. I = 1 - 12/16 (log2(3) - 2/3).
		{"a term that is in half of one class", []int{0, 4}, []int{8, 8}, 1 - 0.75*(math.Log2(3)-2./3)},
		{"one class only", []int{3, 0}, []int{8, 0}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := information(test.present, test.of); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestTheDefaultsHaveNoLeaksOnRealMail wants that the terms that are used by default say nothing about the way of a
// message, and that with route terms the relays of SpamAssassin's spam are found.
func TestTheDefaultsHaveNoLeaksOnRealMail(t *testing.T) {
	source, ok := spamAssassinCorpus(t)
	if !ok {
		t.Skip(needsCorpora)
	}
	o := DefaultCollectOptions()
	if leaks := collect(t, source, o, "ham", "spam").Leaks(); len(leaks) > 0 {
		t.Errorf("got %+v", leaks)
	}
	o.Reading.Tokenize.Received = true
	if leaks := collect(t, source, o, "ham", "spam").Leaks(); len(leaks) == 0 {
		t.Error("with the Received fields: got no leaks")
	}
}
