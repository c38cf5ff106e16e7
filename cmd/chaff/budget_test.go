package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chaff/cmd/internal/delivery"
	"chaff/internal/garbage"
	"chaff/message"
	"chaff/test/testmain"
)

// mainWithPeak is a program of this module that leaves its largest resident set, in bytes, in the file that PEAK names. What
// the system says of a child after its end can be the size of its parent.
func mainWithPeak(program func() int) func() {
	return func() {
		code := program()
		status, err := os.ReadFile("/proc/self/status")
		if err == nil {
			_, peak, _ := bytes.Cut(status, []byte("VmHWM:"))
			peak, _, _ = bytes.Cut(bytes.TrimSpace(peak), []byte(" kB"))
			err = os.WriteFile(os.Getenv("PEAK"), peak, 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(125)
		}
		os.Exit(code)
	}
}

func chaffWithPeak() int {
	if firstWord(os.Args[1:]) != "classify" {
		garbage.Limit(maxGarbage) // as main does
	}
	return run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
}

func leanWithPeak() int {
	return delivery.Main(os.Args[1:], os.Environ(), delivery.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
}

// budget is what any command may take of memory for one message, the program and a model of sample mail included, in bytes.
const budget = 200_000_000

// stage is a command that is given a message.
type stage struct {
	name string
	args []string // of which @ stands for the message, where it is not on stdin, and % for the folder of the test
}

// stages are all commands that read mail. What is read besides the message is the sample mail.
func stages() []stage {
	const labelled = " --ham @ --ham %/mail/ham --spam %/mail/spam"
	var all []stage
	for name, line := range map[string]string{
		"classify":          "chaff-classify-peak",
		"classify --pass":   "chaff-classify-peak --pass",
		"classify PATH":     "chaff-peak classify @",
		"classify mbox":     "chaff-peak classify --format mbox %/mbox",
		"classify archive":  "chaff-peak classify %/archive.tar.gz",
		"explain":           "chaff-peak explain --terms 0",
		"explain --json":    "chaff-peak explain --json @",
		"explain --html":    "chaff-peak explain --html %/page.html",
		"tokens":            "chaff-peak tokens",
		"tokens --json":     "chaff-peak tokens --json @",
		"train":             "chaff-peak train -m %/other" + labelled,
		"evaluate":          "chaff-peak evaluate --mistakes 1000" + labelled,
		"evaluate --online": "chaff-peak evaluate --online" + labelled,
		"compare --folds 3": "chaff-peak compare --models votes --folds 3" + labelled,
	} {
		all = append(all, stage{name, strings.Fields(line)})
	}
	const anew = "rm -f %/learned %/learned.log && chaff-peak learn --begin -m %/learned && exec chaff-peak learn --spam -m %/learned"
	all = append(all, stage{"learn", []string{"sh", "-c", anew}}, stage{"learn PATH", []string{"sh", "-c", anew + " @"}})
	slices.SortFunc(all, func(a, b stage) int { return strings.Compare(a.name, b.name) })
	return all
}

// bench is a folder in which commands are run with one message.
type bench struct{ home, message string }

func newBench(t *testing.T) bench {
	if runtime.GOOS != "linux" {
		t.Skip("the largest resident set of a process is read as Linux shows it")
	}
	b := bench{home: trained(t)}
	b.message = filepath.Join(b.home, "message")
	mail, err := filepath.Abs(filepath.Join("..", "..", "corpus", "sample", "mail"))
	must(t, err)
	must(t, os.Symlink(mail, filepath.Join(b.home, "mail")))
	return b
}

// put makes raw the message of the bench, in what the command reads it from.
func (b bench) put(t *testing.T, s stage, raw []byte) {
	must(t, os.WriteFile(b.message, raw, 0o600))
	const from = "From a@b.example Thu Aug 22 12:36:23 2002\n"
	switch {
	case slices.Contains(s.args, "%/mbox"):
		must(t, os.WriteFile(filepath.Join(b.home, "mbox"), append([]byte(from), raw[:len(raw)-len(from)-1]...), 0o600))
	case slices.Contains(s.args, "%/archive.tar.gz"):
		b.pack(t, raw)
	}
}

// pack makes an archive of the message.
func (b bench) pack(t *testing.T, raw []byte) {
	var archive bytes.Buffer
	packed, err := gzip.NewWriterLevel(&archive, gzip.BestSpeed)
	must(t, err)
	members := tar.NewWriter(packed)
	must(t, members.WriteHeader(&tar.Header{Name: "message", Mode: 0o600, Size: int64(len(raw))}))
	_, err = members.Write(raw)
	must(t, errors.Join(err, members.Close(), packed.Close()))
	must(t, os.WriteFile(filepath.Join(b.home, "archive.tar.gz"), archive.Bytes(), 0o600))
}

// run gives the message to a command, and returns the most memory and the CPU time that it took.
func (b bench) run(t *testing.T, s stage) (peak int, took time.Duration) {
	t.Helper()
	in, err := os.Open(b.message)
	must(t, err)
	defer in.Close()
	var args []string
	for _, arg := range s.args {
		args = append(args, strings.ReplaceAll(strings.ReplaceAll(arg, "@", b.message), "%", b.home))
	}
	left := filepath.Join(b.home, "peak")
	if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	c := exec.Command(args[0], args[1:]...)
	var errs bytes.Buffer
	c.Stdin, c.Stderr = in, &errs
	c.Env = append(os.Environ(), "HOME="+b.home, "XDG_DATA_HOME=", "GOMEMLIMIT=", "PEAK="+left)
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v: %.500s", s.name, err, &errs)
	}
	text, err := os.ReadFile(left)
	must(t, err)
	kilobytes, err := strconv.Atoi(string(text))
	must(t, err)
	return kilobytes << 10, c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// check gives a message to a command in its largest size, and in a part of it, and reports what takes more memory than the
// budget, or more time than the size says.
func (b bench) check(t *testing.T, s stage, whole, part []byte) {
	t.Helper()
	const grain = 300 * time.Millisecond
	limit := 2.5 * float64(len(whole)) / float64(len(part))
	b.put(t, s, whole)
	peak, took := b.run(t, s)
	t.Logf("%-20s %4d MB %6.2f s of CPU", s.name, peak/1e6, took.Seconds())
	if peak > budget {
		t.Errorf("%s takes %d bytes of memory, want at most %d", s.name, peak, budget)
	}
	if took <= grain { // that is quick enough at any size
		return
	}
	b.put(t, s, part)
	if _, once := b.run(t, s); took > time.Duration(limit*float64(once))+grain {
		t.Errorf("%s takes %v of CPU for %d bytes, %v for %d", s.name, took, len(whole), once, len(part))
	}
}

// What the tables of terms are attacked with is made with their own hashes, in the tests of package features.
func TestNoMessageTakesMoreMemoryThanItsBudget(t *testing.T) {
	b := newBench(t)
	all := hostileMail()
	for _, s := range stages() {
		switch s.name {
		case "classify --pass", "explain --html", "learn":
			b.put(t, s, all["ligatures that grow"](1<<20))
			if peak, _ := b.run(t, s); peak > budget {
				t.Errorf("%s takes %d bytes of memory, want at most %d", s.name, peak, budget)
			}
		}
	}
}

func TestNoMessageOfTheLargestSizeTakesMoreThanItsBudget(t *testing.T) {
	if !testmain.IsLong() {
		t.Skip("takes minutes: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	b := newBench(t)
	worst := []string{"different words, in base64", "different words beyond ASCII, in base64", "ligatures that grow", "links",
		"different words that are hidden", "fields with long names", "entities", "bytes that are nothing"}
	all := hostileMail()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			whole, part := all[name](message.MaxSize), all[name](message.MaxSize/8)
			for _, s := range stages() {
				switch s.name {
				case "classify --pass", "explain --html":
				default:
					if !slices.Contains(worst, name) {
						continue
					}
				}
				b.check(t, s, whole, part)
			}
		})
	}
}
