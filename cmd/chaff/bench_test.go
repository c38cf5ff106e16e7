package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"chaff/test/testmain"
)

// cpu runs the program and returns the CPU time of its process, user and system.
func cpu(b *testing.B, program string, stdin []byte, args ...string) time.Duration {
	b.Helper()
	c := exec.Command(program, args...)
	c.Stdin = bytes.NewReader(stdin)
	c.Env = append(os.Environ(), "GOMEMLIMIT=") // that of the tests is not for it
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

func spamAssassin(b *testing.B) []string {
	b.Helper()
	dir := os.Getenv("TEST_CORPORA")
	if dir == "" {
		b.Skip("needs real mail: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	sa := filepath.Join(dir, "sa")
	return []string{
		"--ham", filepath.Join(sa, "easy-ham-1"), "--ham", filepath.Join(sa, "easy-ham-2"), "--ham", filepath.Join(sa, "hard-ham-1"),
		"--spam", filepath.Join(sa, "spam-1"), "--spam", filepath.Join(sa, "spam-2"),
	}
}

// BenchmarkTrainSpamAssassin measures training on the SpamAssassin corpus (33 MB) from the files to the saved model.
func BenchmarkTrainSpamAssassin(b *testing.B) {
	mail := spamAssassin(b)
	program := testmain.Build(b, "chaff")
	model := filepath.Join(b.TempDir(), "spam.model")
	var total time.Duration
	for b.Loop() {
		total += cpu(b, program, nil, append([]string{"train", "-m", model}, mail...)...)
	}
	seconds := total.Seconds() / float64(b.N)
	b.ReportMetric(seconds, "cpu-s/op")
	// 2 seconds with one worker on a machine with nothing else to do; two threads of one core take 3.
	if seconds > 5 {
		b.Errorf("%.2f CPU seconds, want at most 5", seconds)
	}
}

// BenchmarkClassifyOneMessage measures classifying one message in a fresh process, by both programs, with a model of the
// SpamAssassin corpus: an operation is twenty messages, of which the median is reported. The limit is for the least, since
// what else goes on on the machine can only add to it.
func BenchmarkClassifyOneMessage(b *testing.B) {
	mail := spamAssassin(b)
	chaff := testmain.Build(b, "chaff")
	model := filepath.Join(b.TempDir(), "spam.model")
	cpu(b, chaff, nil, append([]string{"train", "-m", model}, mail...)...)
	files, err := filepath.Glob(filepath.Join(os.Getenv("TEST_CORPORA"), "sa", "spam-2", "*"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no messages: %v", err)
	}
	time.Sleep(2500 * time.Millisecond) // all of a model that was just written is read
	b.Run("chaff classify", func(b *testing.B) { classifyEach(b, files, 10, chaff, "classify", "-m", model) })
	lean := testmain.Build(b, "chaff-classify")
	b.Run("chaff-classify", func(b *testing.B) { classifyEach(b, files, 8, lean, "-m", model) })
}

// classifyEach measures classifying files, one process each, of which the least may take limit milliseconds.
func classifyEach(b *testing.B, files []string, limit float64, program string, args ...string) {
	var runs []time.Duration
	for b.Loop() {
		for range 20 {
			raw, err := os.ReadFile(files[len(runs)*97%len(files)])
			if err != nil {
				b.Fatal(err)
			}
			runs = append(runs, cpu(b, program, raw, args...))
		}
	}
	slices.Sort(runs)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(runs[len(runs)/2]), "cpu-ms/message")
	b.ReportMetric(ms(runs[0]), "least-cpu-ms")
	if least := ms(runs[0]); least > limit {
		b.Errorf("%.1f ms of CPU, want at most %g", least, limit)
	}
}
