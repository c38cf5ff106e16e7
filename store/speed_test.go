package store

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/internal/cputime"
	"chaff/test/corpustest"
	"chaff/test/testmain"
)

// cpuOf returns the CPU time of a fresh process that reads a message, user and system.
func cpuOf(b *testing.B, raw []byte, program string, args ...string) time.Duration {
	b.Helper()
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "GOMEMLIMIT=") // that of the tests is not for it
	c.Stdin = bytes.NewReader(raw)
	if out, err := c.CombinedOutput(); err != nil && c.ProcessState.ExitCode() > 2 { // other filters return the verdict
		b.Fatalf("%s: %v\n%s", program, err, out)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// pairs are the CPU times of two programs that take turns.
type pairs struct{ ours, theirs []time.Duration }

// run measures both in turn: what else goes on on the machine meets both.
func (p *pairs) run(ours, theirs func() time.Duration) {
	if len(p.ours)%2 == 0 {
		p.ours, p.theirs = append(p.ours, ours()), append(p.theirs, theirs())
	} else {
		theirs := theirs()
		p.ours, p.theirs = append(p.ours, ours()), append(p.theirs, theirs)
	}
}

// report reports the medians and their ratio, which may be at most limit.
func (p *pairs) report(b *testing.B, than string, limit float64) {
	b.Helper()
	median := func(all []time.Duration) float64 {
		return slices.Sorted(slices.Values(all))[len(all)/2].Seconds() * 1e3
	}
	ours, theirs := median(p.ours), median(p.theirs)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours, "cpu-ms/message")
	b.ReportMetric(theirs, than+"-cpu-ms/message")
	b.ReportMetric(ours/theirs, "x")
	if ours/theirs > limit {
		b.Errorf("%.2f times the CPU time of %s, want at most %g", ours/theirs, than, limit)
	}
}

// someMail is mail to train on, to learn, and to judge.
type someMail struct {
	trained       corpus.Source
	learn, judged []Message
}

// largeMail returns three parts of Enron-Spam to train on, and the SpamAssassin corpus to learn and to judge.
func largeMail(b *testing.B) (m someMail) {
	b.Helper()
	dir, ok := corpustest.CorporaDir(b)
	if !ok {
		b.Skip(corpustest.NeedsCorpora)
	}
	sa, _ := corpustest.SpamAssassin(b)
	m.trained = corpus.Concat(corpustest.Enron(b, dir, 1), corpustest.Enron(b, dir, 2), corpustest.Enron(b, dir, 3))
	i := 0
	for item, raw := range corpustest.Each(b, sa) {
		switch i++; i % 9 {
		case 0:
			m.learn = append(m.learn, Message{Raw: bytes.Clone(raw), Label: item.Label, Way: ByHand})
		case 1:
			m.judged = append(m.judged, Message{Raw: bytes.Clone(raw), Label: item.Label})
		}
	}
	shuffle(m.learn)
	shuffle(m.judged)
	return m
}

// settle waits until programs read parts of a model that was just written.
func settle() { time.Sleep(3 * time.Second) }

// BenchmarkClassifyWithATail measures classifying one message in a fresh process with the most records that can wait, in pairs with the model
// alone.
func BenchmarkClassifyWithATail(b *testing.B) {
	m := largeMail(b)
	program := testmain.Build(b, "chaff-classify")
	for _, model := range []string{"multinomial", "votes"} {
		b.Run(model, func(b *testing.B) {
			path := trained(b, model, m.trained)
			alone := filepath.Join(b.TempDir(), "model")
			if err := os.WriteFile(alone, contents(b, path), 0o600); err != nil {
				b.Fatal(err)
			}
			s := opened(b, path)
			for _, message := range m.learn {
				if len(s.tail) < maxRecords-1 {
					learned(b, s, message)
				}
			}
			if len(s.tail) != maxRecords-1 {
				b.Fatalf("%d records", len(s.tail))
			}
			settle()
			var p pairs
			for b.Loop() {
				for _, message := range m.judged[:50] {
					p.run(func() time.Duration { return cpuOf(b, message.Raw, program, "-m", path) },
						func() time.Duration { return cpuOf(b, message.Raw, program, "-m", alone) })
				}
			}
			p.report(b, "the-model-alone", 1.4)
		})
	}
}

// BenchmarkLearnOneMessage measures learning one message in a fresh process into a large store, in pairs with `bogofilter -s` after the same
// training. Both sync their files. Writing the model is measured alone.
func BenchmarkLearnOneMessage(b *testing.B) {
	m := largeMail(b)
	bogofilter, err := exec.LookPath("bogofilter")
	if err != nil {
		b.Skip("needs bogofilter: apt-get install bogofilter")
	}
	database, mail := b.TempDir(), b.TempDir()
	lists := map[string]*bytes.Buffer{"ham": {}, "spam": {}}
	i := 0
	for item, raw := range corpustest.Each(b, m.trained) {
		i++
		path := filepath.Join(mail, fmt.Sprint(i))
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintln(lists[item.Label], path)
	}
	flagOf := map[string]string{"ham": "-n", "spam": "-s"}
	for label, list := range lists {
		c := exec.Command(bogofilter, "-C", "-d", database, flagOf[label], "-b")
		c.Stdin = list
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	program := testmain.Build(b, "chaff-learn")
	for _, model := range []string{"multinomial", "votes"} {
		b.Run(model, func(b *testing.B) {
			path := trained(b, model, m.trained)
			settle()
			var p pairs
			for b.Loop() {
				for _, message := range m.learn[len(p.ours):][:20] {
					p.run(func() time.Duration { return cpuOf(b, message.Raw, program, "--"+message.Label, "-m", path) },
						func() time.Duration {
							return cpuOf(b, message.Raw, bogofilter, "-C", "-d", database, flagOf[message.Label])
						})
				}
			}
			p.report(b, "bogofilter", 2.5)
			s := opened(b, path)
			began := cputime.Process()
			noError(b, s.fold())
			b.ReportMetric((cputime.Process()-began).Seconds()*1e3, "cpu-ms/model")
		})
	}
}

// BenchmarkRetrain measures fitting the default model to 20,000 messages of a store, from opening it to the saved files.
func BenchmarkRetrain(b *testing.B) {
	dir, ok := corpustest.CorporaDir(b)
	if !ok {
		b.Skip(corpustest.NeedsCorpora)
	}
	sa, _ := corpustest.SpamAssassin(b)
	all := corpus.Concat(sa, corpustest.Enron(b, dir, 1), corpustest.Enron(b, dir, 2), corpustest.Enron(b, dir, 3))
	path := trained(b, "votes", func(yield func(corpus.Item, error) bool) {
		n := 0
		for item, err := range all {
			if n++; n > 20000 || !yield(item, err) {
				return
			}
		}
	})
	var spent time.Duration
	for b.Loop() {
		began := cputime.Process()
		s, err := Open(b.Context(), path, DefaultOptions())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Retrain(b.Context(), nil, RetrainOptions{}); err != nil {
			b.Fatal(err)
		}
		s.Close()
		spent += cputime.Process() - began
	}
	seconds := spent.Seconds() / float64(b.N)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(seconds, "cpu-s/op")
	// 2.5 seconds on one thread; two threads of one core take 3.
	if seconds > 4.5 {
		b.Errorf("%.2f CPU seconds, want at most 4.5", seconds)
	}
}
