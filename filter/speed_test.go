package filter

import (
	"bytes"
	"io/fs"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"chaff/corpus"
	"chaff/corpus/sample"
	"chaff/features"
	"chaff/internal/cputime"
	"chaff/internal/hashtable"
	"chaff/internal/termkey"
	"chaff/message"
	"chaff/test/corpustest"
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
	f := fitted(t, sample.Source(), "softmax", hamName, spamName)
	mail := messagesOf(t, sample.Source())
	s := &scratch{reader: f.newReader()}
	classify := func() {
		for _, raw := range mail {
			f.classify(s, raw)
		}
	}
	classify()
	if got := testing.AllocsPerRun(5, classify); got > 20*float64(len(mail)) {
		t.Errorf("%d messages: %v allocations, want at most 20 a message", len(mail), got)
	}
}

// BenchmarkStages measures the CPU time of one goroutine for each stage of training and classification, including all stages before it, over
// whole corpora in memory: decode, terms, bag, documents beside a dictionary; verdict. Each pass has a new reader, which stems each distinct
// word once; the results named "again" use a reader that knows the words. "read" reads the files. cat, wc -w and "floor" show what the machine
// can do: the floor counts the words of raw mail, cut at white space, and their pairs in a hash table.
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
	f := fitted(b, source, "softmax", hamName, spamName)
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
	measure("floor", func() func([]byte) {
		var terms hashtable.Table
		counts := make([]uint32, 0, 1<<20)
		count := func(hash uint64) {
			n, added := terms.Add(hash)
			if added {
				counts = append(counts, 0)
			}
			counts[n]++
		}
		return func(raw []byte) {
			before := uint64(0)
			for word := range bytes.FieldsSeq(raw) {
				hash := xxhash.Sum64(word)
				count(hash)
				count(termkey.Pair(before, hash))
				before = hash
			}
		}
	})
	measure("decode", func() func([]byte) {
		decoder := message.NewDecoder(message.DefaultOptions())
		return func(raw []byte) { decoder.Decode(raw) }
	})
	measure("terms", func() func([]byte) {
		reader := f.newReader()
		return func(raw []byte) { reader.tokenizer.Terms(reader.decoder.Decode(raw), func(*tokenize.Term) {}) }
	})
	known := f.newReader()
	terms := func(raw []byte) { known.tokenizer.Terms(known.decoder.Decode(raw), func(*tokenize.Term) {}) }
	for _, raw := range mail {
		terms(raw)
	}
	measure("terms again", func() func([]byte) { return terms })
	measure("read into a bag", func() func([]byte) {
		reader := f.newReader()
		return func(raw []byte) { reader.Read(raw) }
	})
	measure("documents", func() func([]byte) {
		reader, err := NewReader(f.settings.Reading, ReaderOptions{Grams: true, Names: true})
		if err != nil {
			b.Fatal(err)
		}
		writer := features.NewDocuments(0).NewWriter()
		return func(raw []byte) {
			reader.Read(raw)
			writer.Add(reader.Bag.Document(), reader.Bag.Text)
		}
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
