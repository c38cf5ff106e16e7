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

// cpu runs the program and returns the CPU time of its process, user and system. The exit codes 1 and 2 of bogofilter are verdicts.
func cpu(b *testing.B, program string, stdin []byte, args ...string) time.Duration {
	b.Helper()
	c := exec.Command(program, args...)
	c.Stdin = bytes.NewReader(stdin)
	c.Env = append(os.Environ(), "GOMEMLIMIT=") // that of the tests is not for it
	out, err := c.CombinedOutput()
	if isVerdict := program == "bogofilter" && c.ProcessState != nil && slices.Contains([]int{1, 2}, c.ProcessState.ExitCode()); err != nil && !isVerdict {
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

// bogofilter returns a folder with what bogofilter learned of mail, flags of chaff train, and the CPU time that it took. It has no folder without bogofilter.
func bogofilter(b *testing.B, mail []string) (dir string, total time.Duration) {
	b.Helper()
	if _, err := exec.LookPath("bogofilter"); err != nil {
		return "", 0
	}
	dir = b.TempDir()
	for i := 0; i < len(mail); i += 2 {
		total += cpu(b, "bogofilter", nil, "-C", "-d", dir, map[string]string{"--ham": "-n", "--spam": "-s"}[mail[i]], "-B", mail[i+1])
	}
	return dir, total
}

// atMost reports more seconds than a quiet machine may take, unless bogofilter shows that this one is slower: no more than
// some times what bogofilter took at the same moment.
func atMost(b *testing.B, took, quiet time.Duration, times float64, bogofilter time.Duration) {
	b.Helper()
	if limit := max(quiet, time.Duration(times*float64(bogofilter))); took > limit {
		b.Errorf("%v of CPU, want at most %v", took, limit)
	}
}

// BenchmarkTrainSpamAssassin measures training on the SpamAssassin corpus (33 MB) from the files to the saved model.
func BenchmarkTrainSpamAssassin(b *testing.B) {
	mail := spamAssassin(b)
	program := testmain.Build(b, "chaff")
	model := filepath.Join(b.TempDir(), "spam.model")
	var total, theirs time.Duration
	for b.Loop() {
		total += cpu(b, program, nil, append([]string{"train", "-m", model}, mail...)...)
		_, took := bogofilter(b, mail)
		theirs += took
	}
	runs := time.Duration(b.N)
	b.ReportMetric((total / runs).Seconds(), "cpu-s/op")
	if theirs > 0 {
		b.ReportMetric(total.Seconds()/theirs.Seconds(), "times-bogofilter")
	}
	// 2 seconds with one worker on a machine with nothing else to do; two threads of one core take 3.
	atMost(b, total/runs, 5*time.Second, 2, theirs/runs)
}

// BenchmarkClassifyOneMessage measures classifying one message in a fresh process, by both programs, with a model of the
// SpamAssassin corpus: an operation is twenty messages, of which the median is reported. The limit is for the least, since
// what else goes on on the machine can only add to it.
func BenchmarkClassifyOneMessage(b *testing.B) {
	mail := spamAssassin(b)
	chaff := testmain.Build(b, "chaff")
	model := filepath.Join(b.TempDir(), "spam.model")
	cpu(b, chaff, nil, append([]string{"train", "-m", model}, mail...)...)
	theirs, _ := bogofilter(b, mail)
	files, err := filepath.Glob(filepath.Join(os.Getenv("TEST_CORPORA"), "sa", "spam-2", "*"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no messages: %v", err)
	}
	time.Sleep(2500 * time.Millisecond) // all of a model that was just written is read
	b.Run("chaff classify", func(b *testing.B) {
		classifyEach(b, files, theirs, 10*time.Millisecond, 3, chaff, "classify", "-m", model)
	})
	lean := testmain.Build(b, "chaff-classify")
	b.Run("chaff-classify", func(b *testing.B) { classifyEach(b, files, theirs, 8*time.Millisecond, 2, lean, "-m", model) })
}

// classifyEach measures classifying files, one process each, and atMost of the least, with what bogofilter takes from theirs.
func classifyEach(b *testing.B, files []string, theirs string, quiet time.Duration, times float64, program string, args ...string) {
	var runs, peers []time.Duration
	for b.Loop() {
		for range 20 {
			raw, err := os.ReadFile(files[len(runs)*97%len(files)])
			if err != nil {
				b.Fatal(err)
			}
			runs = append(runs, cpu(b, program, raw, args...))
			if theirs != "" {
				peers = append(peers, cpu(b, "bogofilter", raw, "-C", "-d", theirs))
			}
		}
	}
	slices.Sort(runs)
	slices.Sort(peers)
	peers = append(peers, 0)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(runs[len(runs)/2]), "cpu-ms/message")
	b.ReportMetric(ms(runs[0]), "least-cpu-ms")
	b.ReportMetric(ms(peers[0]), "least-of-bogofilter-ms")
	atMost(b, runs[0], quiet, times, peers[0])
}
