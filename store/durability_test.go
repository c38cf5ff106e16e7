//go:build darwin || linux || netbsd || openbsd

package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"chaff/corpus/corpustest"
	"chaff/filter"
	"chaff/internal/journal"
	"chaff/internal/testmain"
)

// The tests start this program again as a learner, which learns messages into the store of $LEARNER and prints the number of each one.
func TestMain(m *testing.M) {
	if path := os.Getenv("LEARNER"); path != "" {
		if err := runLearner(path); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	testmain.Run(m)
}

// runLearner learns messages until there are $MESSAGES of them, from number $FIRST on, into a file of at most $SIZE bytes.
func runLearner(path string) error {
	if size, err := strconv.ParseUint(os.Getenv("SIZE"), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit fails then
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
			return err
		}
	}
	first, _ := strconv.Atoi(os.Getenv("FIRST"))
	n, _ := strconv.Atoi(os.Getenv("MESSAGES"))
	for i := first; i < first+n; i++ {
		s, err := Open(context.Background(), path, DefaultOptions())
		if err != nil {
			return err
		}
		s.limit = 4 // so that the journal is often folded
		_, err = s.Learn(numbered(i))
		s.Close()
		if err != nil {
			return err
		}
		fmt.Println(i)
	}
	return nil
}

// numbered returns a message with a number.
func numbered(i int) Message {
	label := []string{"ham", "spam"}[i%2]
	return Message{Raw: fmt.Appendf(nil, "Subject: number %d of %s\n\nword%d and more words of %s\n", i, label, i, label), Label: label, Way: ByHand}
}

// learner returns the command of a learner.
func learner(path string, first, messages int, environ ...string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "LEARNER="+path, fmt.Sprintf("FIRST=%d", first), fmt.Sprintf("MESSAGES=%d", messages))
	c.Env = append(c.Env, environ...)
	return c
}

// numbers returns the numbers of the messages that the store at path has beside those of the training, by looking for each of the
// first n.
func numbers(t testing.TB, path string, n int) map[int]bool {
	t.Helper()
	v, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	has := make(map[int]bool)
	for i := range n {
		if _, ok := v.ledger.byFingerprint[v.Fingerprint(numbered(i).Raw)]; ok {
			has[i] = true
		}
	}
	return has
}

// copyStore copies a model and its store and returns the path of the copy.
func copyStore(t testing.TB, path string, store []byte) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "model")
	if err := errors.Join(os.WriteFile(to, contents(t, path), 0o600), os.WriteFile(to+Suffix, store, 0o600)); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestAJournalThatIsCutAnywhereHasTheStateBeforeOrAfterAMessage(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	s := opened(t, path)
	ends := []int64{s.end()}
	for i := range 3 {
		learned(t, s, numbered(i))
		ends = append(ends, s.end())
	}
	whole := contents(t, path+Suffix)
	to := copyStore(t, path, whole)
	for cut := ends[0]; cut <= ends[3]; cut++ {
		if cut%97 != 0 { // package journal tries every byte of a journal
			continue
		}
		if err := os.WriteFile(to+Suffix, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, end := range ends[1:] {
			if cut >= end {
				want++
			}
		}
		if has := numbers(t, to, 3); len(has) != want {
			t.Fatalf("cut at %d of %v: the messages %v, want %d", cut, ends, has, want)
		}
		again := opened(t, to)
		learned(t, again, numbered(3))
		again.Close()
		if has := numbers(t, to, 4); len(has) != want+1 || !has[3] {
			t.Fatalf("cut at %d of %v, then learned: %v", cut, ends, has)
		}
	}
}

func TestDamageIsAnError(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	s := opened(t, path)
	for i := range 3 {
		learned(t, s, numbered(i))
	}
	whole := contents(t, path+Suffix)
	to := copyStore(t, path, whole)
	rng := rand.New(rand.NewPCG(1, 0))
	for range 300 {
		damaged := bytes.Clone(whole)
		at := rng.IntN(len(damaged))
		damaged[at] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(to+Suffix, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := Look(to)
		switch {
		case err == nil && len(v.Entries()) < 22: // the last record may count as torn
			t.Errorf("byte %d: no error, and %d messages", at, len(v.Entries()))
		case err != nil && !errors.Is(err, journal.ErrDamaged) && !errors.Is(err, journal.ErrNotStore) && !errors.Is(err, journal.ErrVersion) &&
			!errors.Is(err, journal.ErrTruncated) && !errors.Is(err, ErrForeign):
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

func TestAnEntryOfAClassThatTheModelLacksIsDamage(t *testing.T) {
	s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam")))
	m := numbered(0)
	for _, label := range []int{2, -1} {
		e := Entry{Class: -1}
		e.Fingerprint, e.Label = s.Fingerprint(m.Raw), label
		if err := s.append(journal.Record{Meta: appendMeta(nil, &meta{change: learn, entry: e})}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Learn(m); !errors.Is(err, errMeta) {
			t.Errorf("class %d, learned: got %v", label, err)
		}
		if _, err := s.Forget(m.Raw); !errors.Is(err, errMeta) {
			t.Errorf("class %d, forgotten: got %v", label, err)
		}
	}
}

func TestAnInterruptedFoldIsBeforeOrAfter(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 10, "ham", "spam"))
	s := opened(t, path)
	learned(t, s, numbered(0))
	oldModel, oldStore := contents(t, path), contents(t, path+Suffix)
	if err := s.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	newModel, newStore := contents(t, path), contents(t, path+Suffix)
	states := []struct {
		name               string
		model, next, store []byte
	}{
		{"the new model waits", oldModel, newModel, oldStore},
		{"half of the new model waits", oldModel, newModel[:len(newModel)/2], oldStore},
		{"the new store is in place", oldModel, newModel, newStore},
	}
	for _, state := range states {
		t.Run(state.name, func(t *testing.T) {
			path := copyStore(t, writeFile(t, state.model), state.store)
			if err := os.WriteFile(path+nextSuffix, state.next, 0o600); err != nil {
				t.Fatal(err)
			}
			if has := numbers(t, path, 1); !has[0] {
				t.Error("a reader does not see the message")
			}
			f, err := filter.OpenOne(path)
			if err != nil || f.JournalErr() != nil {
				t.Fatal(err, f.JournalErr())
			}
			f.Close()
			s := opened(t, path)
			if o := learned(t, s, numbered(0)); o.What != Known {
				t.Errorf("the message is %s, want known", o.What)
			}
			if _, err := os.Stat(path + nextSuffix); !errors.Is(err, fs.ErrNotExist) {
				t.Error("the model still waits")
			}
		})
	}
}

// kills is how many learners are killed; $TEST_KILLS asks for more.
func kills(t testing.TB) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("TEST_KILLS")); err == nil {
		return n
	}
	return 10
}

func TestAKilledLearnerLeavesTheStateBeforeOrAfterAMessage(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	rng := rand.New(rand.NewPCG(1, 0))
	next := 0
	for range kills(t) {
		c := learner(path, next, 1000)
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		var told int
		for range 1 + rng.IntN(6) { // the next messages are cut off anywhere
			if lines.Scan(); strings.HasPrefix(lines.Text(), "error") {
				t.Fatal(lines.Text())
			}
			told, _ = strconv.Atoi(lines.Text())
		}
		time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond)
		c.Process.Kill()
		for lines.Scan() {
			told, _ = strconv.Atoi(lines.Text())
		}
		c.Wait()
		has := numbers(t, path, told+3)
		for i := range told + 1 {
			if !has[i] {
				t.Fatalf("message %d of %d that were learned is lost", i, told+1)
			}
		}
		if has[told+2] {
			t.Fatalf("message %d is there, and %d was the last that was learned", told+2, told)
		}
		next = len(has)
	}
}

func TestAFullDiskLeavesTheStateBeforeAMessage(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	info, err := os.Stat(path + Suffix)
	if err != nil {
		t.Fatal(err)
	}
	for size := info.Size(); size < info.Size()+3000; size += 150 {
		to := copyStore(t, path, contents(t, path+Suffix))
		out, err := learner(to, 0, 3, fmt.Sprintf("SIZE=%d", size)).Output()
		if err == nil {
			t.Fatalf("three messages in %d bytes", size-info.Size())
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, "file too large") {
			t.Fatalf("the error is %s", last)
		}
		if has := numbers(t, to, 3); len(has) != len(lines)-1 {
			t.Errorf("%d bytes: %d messages, want %d", size-info.Size(), len(has), len(lines)-1)
		}
		learned(t, opened(t, to), numbered(5))
	}
}

func TestLearnersAndReadersDoNotDisturbEachOther(t *testing.T) {
	const learners, each, readers = 4, 15, 8
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	var learning, reading sync.WaitGroup
	for i := range learners {
		learning.Go(func() {
			if out, err := learner(path, i*each, each).Output(); err != nil {
				t.Errorf("learner %d: %v: %s", i, err, out)
			}
		})
	}
	done := make(chan struct{})
	for range readers {
		reading.Go(func() {
			least := 0
			for {
				select {
				case <-done:
					return
				default:
				}
				f, err := filter.OpenOne(path)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = f.Classify(numbered(0).Raw)
				if err := errors.Join(err, f.JournalErr()); err != nil {
					t.Error(err)
				}
				f.Close()
				v, err := Look(path)
				if err != nil {
					t.Error(err)
					return
				}
				if n := len(v.Entries()); n < least {
					t.Errorf("%d messages after %d", n, least)
				} else {
					least = n
				}
			}
		})
	}
	learning.Wait()
	close(done)
	reading.Wait()
	if has := numbers(t, path, learners*each); len(has) != learners*each {
		t.Errorf("%d messages, want %d", len(has), learners*each)
	}
}
