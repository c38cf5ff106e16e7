package filter

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"chaff/corpus"
	"chaff/corpus/corpustest"
	"chaff/corpus/sample"
	"chaff/internal/cputime"
	"chaff/message"
	"chaff/tokenize"
)

func messagesOf(t testing.TB, source corpus.Source) [][]byte {
	t.Helper()
	var all [][]byte
	for _, raw := range corpustest.Each(t, source) {
		all = append(all, raw)
	}
	return all
}

// The mail is classified again and again, so no word is new. The remaining allocations are those of the HTML tokenizer and of the Unicode
// normaliser.
func TestMailOfKnownWordsAllocatesLittle(t *testing.T) {
	f := fitted(t, sample.Source(), "hybrid", hamName, spamName)
	mail := messagesOf(t, sample.Source())
	s := &scratch{reader: f.newReader()}
	classify := func() {
		for _, raw := range mail {
			f.classify(s, raw)
		}
	}
	classify()
	if got := testing.AllocsPerRun(1, classify); got > 20*float64(len(mail)) {
		t.Errorf("%d messages: %v allocations, want at most 20 a message", len(mail), got)
	}
}

// BenchmarkStages measures the CPU time of one goroutine for each stage of classification, including all stages before it, over whole
// corpora in memory: decode, terms, bag, verdict. Each pass has a new reader, which stems each distinct word once; the results named "again"
// use a reader that knows the words. "read" reads the files, and cat and wc -w show what the machine can do.
func BenchmarkStages(b *testing.B) {
	dir, ok := corpustest.CorporaDir(b)
	if !ok {
		b.Skip(corpustest.NeedsCorpora)
	}
	sa, _ := corpustest.SpamAssassin(b)
	for _, of := range []struct {
		name, folder string
		source       corpus.Source
	}{{"SpamAssassin", "sa", sa}, {"Enron1", "enron/enron1", corpustest.Enron(b, dir, 1)}} {
		b.Run(of.name, func(b *testing.B) {
			for _, command := range []string{"cat", "wc -w"} {
				b.Run(command, func(b *testing.B) { benchmarkCommand(b, command, filepath.Join(dir, of.folder)) })
			}
			benchmarkStages(b, of.source)
		})
	}
}

func benchmarkCommand(b *testing.B, command, folder string) {
	var spent time.Duration
	var size int64
	for b.Loop() {
		c := exec.Command("sh", "-c", "find . -type f -print0 | xargs -0 "+command+" >/dev/null")
		c.Dir = folder
		if err := c.Run(); err != nil {
			b.Skip(err)
		}
		spent += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(size)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
}

func benchmarkStages(b *testing.B, source corpus.Source) {
	f := fitted(b, source, "hybrid", hamName, spamName)
	mail := messagesOf(b, source)
	size := 0
	for _, raw := range mail {
		size += len(raw)
	}
	measure := func(name string, prepare func() (each func(raw []byte))) {
		b.Run(name, func(b *testing.B) {
			var spent time.Duration
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				each := prepare()
				b.StartTimer()
				began := cputime.Process()
				for _, raw := range mail {
					each(raw)
				}
				spent += cputime.Process() - began
			}
			b.ReportMetric(float64(size)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
			b.ReportMetric(spent.Seconds()*1e6/float64(b.N*len(mail)), "us/message")
		})
	}
	b.Run("read", func(b *testing.B) {
		var spent time.Duration
		for b.Loop() {
			began := cputime.Process()
			var raw []byte
			for item := range source {
				raw, _ = item.Read(raw)
			}
			spent += cputime.Process() - began
		}
		b.ReportMetric(float64(size)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
	})
	measure("decode", func() func([]byte) {
		decoder := message.NewDecoder(message.DefaultOptions())
		return func(raw []byte) { decoder.Decode(raw) }
	})
	measure("terms", func() func([]byte) {
		reader := f.newReader()
		return func(raw []byte) { reader.terms(raw, func(*tokenize.Term) {}) }
	})
	known := f.newReader()
	terms := func(raw []byte) { known.terms(raw, func(*tokenize.Term) {}) }
	for _, raw := range mail {
		terms(raw)
	}
	measure("terms again", func() func([]byte) { return terms })
	measure("read into a bag", func() func([]byte) {
		reader := f.newReader()
		return func(raw []byte) { reader.Read(raw) }
	})
	measure("classify", func() func([]byte) {
		s := &scratch{reader: f.newReader()}
		return func(raw []byte) { f.classify(s, raw) }
	})
	s := &scratch{reader: f.newReader()}
	again := func(raw []byte) { f.classify(s, raw) }
	for _, raw := range mail {
		again(raw)
	}
	measure("classify again", func() func([]byte) { return again })
}

// BenchmarkClassifyWithAJournal measures classifying one message in a fresh process with a journal, in pairs with the model alone: 500 records,
// and 1 MB of records. The model knows the SpamAssassin corpus and parts 1 and 2 of Enron-Spam.
func BenchmarkClassifyWithAJournal(b *testing.B) {
	dir, ok := corpustest.CorporaDir(b)
	if !ok {
		b.Skip(corpustest.NeedsCorpora)
	}
	sa, _ := corpustest.SpamAssassin(b)
	collected := collect(b, corpus.Concat(sa, corpustest.Enron(b, dir, 1), corpustest.Enron(b, dir, 2)), hamName, spamName)
	var learned, judged []string
	var classes []int
	i := 0
	for item, raw := range corpustest.Each(b, corpus.Concat(corpustest.Enron(b, dir, 4), sa)) {
		if i++; i%20 == 0 && len(learned) < 500 {
			learned, classes = append(learned, string(raw)), append(classes, slices.Index([]string{hamName, spamName}, item.Label))
		} else if i%500 == 1 {
			judged = append(judged, string(raw))
		}
	}
	program := filepath.Join(b.TempDir(), "chaff-classify")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/chaff-classify").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	run := func(model, raw string) time.Duration {
		c := exec.Command(program, "-m", model)
		c.Stdin = strings.NewReader(raw)
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	for _, name := range []string{"multinomial", "votes"} {
		p := newPupil(b, collected.fit(b, name))
		bare, small := filepath.Join(b.TempDir(), "bare"), filepath.Join(b.TempDir(), "small")
		model, err := os.ReadFile(p.path)
		noError(b, err)
		noError(b, os.WriteFile(bare, model, 0o600))
		noError(b, os.WriteFile(small, model, 0o600))
		for i, raw := range learned {
			p.learn(raw, classes[i])
			if len(p.journal) <= 1<<20 {
				noError(b, os.WriteFile(StorePath(small), p.journal, 0o600))
			}
		}
		time.Sleep(3 * time.Second) // a model that was just written is copied instead of mapped
		for journal, path := range map[string]string{"500 records": p.path, "1 MB": small} {
			b.Run(name+" "+journal, func(b *testing.B) {
				var with, without []time.Duration
				for b.Loop() {
					for _, raw := range judged {
						with, without = append(with, run(path, raw)), append(without, run(bare, raw))
					}
				}
				slices.Sort(with)
				slices.Sort(without)
				median := len(with) / 2
				b.ReportMetric(with[median].Seconds()*1e3, "cpu-ms/message")
				b.ReportMetric(without[median].Seconds()*1e3, "bare-cpu-ms/message")
				ratio := with[median].Seconds() / without[median].Seconds()
				if b.ReportMetric(ratio, "x"); ratio > 1.5 || path == small && ratio > 1.3 {
					b.Errorf("%.2f times the CPU time of the model alone", ratio)
				}
			})
		}
	}
}
