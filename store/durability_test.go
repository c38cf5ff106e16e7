//go:build darwin || linux || netbsd || openbsd

package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/logfile"
	"chaff/internal/replace"
	"chaff/message"
	"chaff/test/corpustest"
	"chaff/test/testmain"
	"chaff/tokenize"
	"chaff/train"
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

// runLearner learns messages until there are $MESSAGES of them, from number $FIRST on, into a file of at most $SIZE bytes. Without messages it fits the model.
func runLearner(path string) error {
	if size, err := strconv.ParseUint(os.Getenv("SIZE"), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ) // a write beyond the limit fails then
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
			return err
		}
	}
	first, _ := strconv.Atoi(os.Getenv("FIRST"))
	n, _ := strconv.Atoi(os.Getenv("MESSAGES"))
	for n == 0 { // it fits the model until it is killed
		s, err := Open(context.Background(), path, DefaultOptions())
		if err == nil {
			_, err = s.Retrain(context.Background(), nil, RetrainOptions{Workers: 1})
			s.Close()
		}
		if err != nil {
			return err
		}
	}
	for i := first; i < first+n; i++ {
		s, err := Open(context.Background(), path, DefaultOptions())
		if err != nil {
			return err
		}
		s.limit = 4 // so that the model is often written anew
		if i%9 == 8 {
			if _, err := s.Retrain(context.Background(), nil, RetrainOptions{Workers: 1}); err != nil {
				return err
			}
		}
		if i%9 == 4 {
			if err := shrunk(s); err != nil {
				return err
			}
		}
		o, err := s.Learn(numbered(i))
		s.Close()
		if err != nil {
			return fmt.Errorf("%v: %w", o.What, err)
		}
		fmt.Println(i)
	}
	return nil
}

// learner returns the command of a learner.
func learner(path string, first, messages int, environ ...string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "LEARNER="+path, fmt.Sprintf("FIRST=%d", first), fmt.Sprintf("MESSAGES=%d", messages))
	c.Env = append(c.Env, environ...)
	return c
}

func TestALogThatIsCutAnywhereHasTheStateBeforeOrAfterAMessage(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	s := opened(t, path)
	for _, cut := range []int64{s.log.Start, s.checkpoint.At, s.checkpoint.End - 1} {
		_, err := Look(copyStore(t, path, contents(t, path+Suffix)[:cut]))
		if !errors.Is(err, logfile.ErrDamaged) || !strings.HasSuffix(err.Error(), "it has no checkpoint") {
			t.Errorf("cut at %d, before its first checkpoint ends: %v", cut, err)
		}
	}
	ends := []int64{s.end}
	for i := range 3 {
		learned(t, s, numbered(i))
		ends = append(ends, s.end)
	}
	whole := contents(t, path+Suffix)
	to := copyStore(t, path, whole)
	for cut := ends[0]; cut <= ends[3]; cut++ {
		if cut%97 != 0 { // package logfile tries every byte of a log
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
	facts := bytes.Index(whole[s.checkpoint.At:], []byte(`{"options"`)) + int(s.checkpoint.At)
	factsEnd := facts + int(s.index) - checkpointHead
	for i := range 300 {
		damaged := bytes.Clone(whole)
		at := rng.IntN(len(damaged))
		if i%10 == 0 {
			at = facts + rng.IntN(factsEnd-facts)
		}
		damaged[at] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(to+Suffix, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := Look(to)
		if err == nil {
			// What a model needs of the log is no message. A crash may leave holes in the last record.
			if v.Close(); len(v.Entries()) != 23 || int64(at) >= s.tail[2].At || at >= facts && at < factsEnd {
				t.Errorf("byte %d: no error, and %d messages", at, len(v.Entries()))
			}
			continue
		}
		if !slices.ContainsFunc([]error{logfile.ErrDamaged, logfile.ErrNotLog, logfile.ErrVersion, logfile.ErrTruncated, features.ErrDamaged}, func(known error) bool {
			return errors.Is(err, known)
		}) {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

// Only learning reads the rows of the records before the last one, and what the learner knew when the model was written. The messages have all that is needed.
func TestDamagedRowsAreMadeAnewWhenTheyAreNeeded(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam"))
	s := opened(t, path)
	for i := range 3 {
		learned(t, s, numbered(i))
	}
	list := s.tail[1].At
	s.Close()
	model, log := contents(t, path), contents(t, path+Suffix)
	for name, tt := range map[string]struct {
		model, log int64 // the byte that is changed
		append     func(s *Store) error
	}{
		"a list, when a message is learned": {-1, list + 400, func(s *Store) error {
			o, err := s.Learn(numbered(3))
			if err == nil && o.What != Learned {
				t.Errorf("it is %s", o.What)
			}
			return err
		}},
		"a list, when files are seen": {-1, list + 400, func(s *Store) error { return s.See(1, nil, nil) }},
		"the index of the rows of the model": {int64(len(model)) - 20, -1, func(s *Store) error {
			_, err := s.Forget(numbered(2).Raw)
			return err
		}},
		"the rows of the model": {int64(len(model)) - 400, -1, func(s *Store) error {
			for item := range corpustest.Mailbox(1, 10, "ham", "spam") {
				raw, _ := item.Read(nil)
				if _, err := s.Forget(raw); err != nil {
					return err
				}
			}
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for at, data := range map[int64][]byte{tt.model: bytes.Clone(model), tt.log: bytes.Clone(log)} {
				file := path
				if at == tt.log {
					file += Suffix
				}
				if at >= 0 {
					data[at] ^= 1
				}
				noError(t, os.WriteFile(file, data, 0o600))
			}
			damaged := contents(t, path)
			ctx, interrupt := context.WithCancel(t.Context())
			s, err := Open(ctx, path, DefaultOptions())
			noError(t, err)
			if interrupt(); s.remade == nil { // it is not found out before
				if err := tt.append(s); !errors.Is(err, context.Canceled) || s.Finish() != nil || !bytes.Equal(contents(t, path), damaged) {
					t.Errorf("interrupted: %v, %v", err, s.Finish())
				}
				s.Close()
				s = opened(t, path)
			}
			noError(t, tt.append(s))
			if err := s.Finish(); !errors.Is(err, logfile.ErrDamaged) && !errors.Is(err, filter.ErrDamaged) {
				t.Errorf("it was not made anew: %v", err)
			}
			s.Close()
			if s := opened(t, path); s.Finish() != nil {
				t.Errorf("the second time: %v", s.Finish())
			}
		})
	}
}

func TestAnEntryOfAClassThatTheModelLacksIsDamage(t *testing.T) {
	s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam")))
	m := numbered(0)
	for _, label := range []int{2, -1} {
		e := Entry{Class: -1, what: learn}
		e.Fingerprint, e.Label = s.Fingerprint(m.Raw), label
		noError(t, s.append(e.record(), logfile.Rows{}, nil))
		if _, err := s.Learn(m); !errors.Is(err, logfile.ErrDamaged) {
			t.Errorf("class %d, learned: got %v", label, err)
		}
		if _, err := s.Forget(m.Raw); !errors.Is(err, logfile.ErrDamaged) {
			t.Errorf("class %d, forgotten: got %v", label, err)
		}
	}
}

func TestARecordWithoutTheDocumentThatItMeansIsDamage(t *testing.T) {
	s := opened(t, trained(t, "votes", corpustest.Mailbox(1, 10, "ham", "spam")))
	learned(t, s, numbered(0))
	learned(t, s, numbered(1))
	first, second := s.tail[0], s.tail[1]
	for name, body := range map[string][]byte{
		"no record":                     binary.LittleEndian.AppendUint64(nil, 1<<40),
		"the record of another message": binary.LittleEndian.AppendUint64(nil, uint64(first.At)),
		"the checkpoint":                binary.LittleEndian.AppendUint64(nil, uint64(s.checkpoint.At)),
		"itself":                        binary.LittleEndian.AppendUint64(nil, uint64(s.end)),
		"no offset":                     nil,
	} {
		r := second
		r.Reason = again
		noError(t, s.append(r, logfile.Rows{}, body))
		if _, err := s.Forget(numbered(1).Raw); !errors.Is(err, logfile.ErrDamaged) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, body := range map[string][]byte{"no size": {0, 0, 0}, "a size beyond its end": {9, 0, 0, 0, 1, 0, 0, 0}} {
		noError(t, s.append(second, logfile.Rows{}, body))
		if _, err := s.Forget(numbered(1).Raw); !errors.Is(err, logfile.ErrDamaged) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Else a message that is known would be learned again.
func TestADamagedIndexIsAnError(t *testing.T) {
	s := opened(t, trained(t, "multinomial", corpustest.Mailbox(1, 10, "ham", "spam")))
	size := s.checkpoint.BodySize()
	index := s.checkpoint.End - 8 - (size+7)&^7 + s.index
	for i := range size - s.index {
		old := make([]byte, 1)
		_, err1 := s.file.ReadAt(old, index+i)
		_, err2 := s.file.WriteAt([]byte{old[0] ^ 1}, index+i)
		if _, err := s.Forget(numbered(0).Raw); !errors.Is(err, logfile.ErrDamaged) {
			t.Errorf("byte %d: got %v", i, err)
		}
		_, err3 := s.file.WriteAt(old, index+i)
		noError(t, errors.Join(err1, err2, err3))
	}
	if o, err := s.Forget(numbered(0).Raw); err != nil || o.Reason != NeverKnown {
		t.Errorf("undamaged: %v, %v", o, err)
	}
}

func TestAnInterruptedChangeOfTheModelIsBeforeOrAfter(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 10, "ham", "spam"))
	s := opened(t, path)
	learned(t, s, numbered(0))
	model := contents(t, path)
	noError(t, s.fold())
	written := contents(t, path+Suffix)
	learned(t, s, numbered(1))
	retrain(t, s)
	fitted := contents(t, path+Suffix)
	for name, state := range map[string]struct {
		model, log []byte
		messages   int
		remade     error
		unused     error
	}{
		"the model was to be written anew":     {model, written, 1, nil, nil},
		"it was fitted, and is not in place":   {model, fitted, 2, logfile.ErrOtherModel, logfile.ErrOtherModel},
		"it is gone":                           {nil, fitted, 2, fs.ErrNotExist, nil},
		"it is damaged":                        {append(bytes.Clone(model[:len(model)-1]), model[len(model)-1]^1, 0), fitted, 2, filter.ErrDamaged, nil},
		"its end is missing":                   {model[:len(model)/2], fitted, 2, filter.ErrTruncated, nil},
		"it is of a later version":             {changed(model, 8), fitted, 2, filter.ErrVersion, nil},
		"it is of an earlier version, and old": {changed(model, 8), written, 1, filter.ErrVersion, nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := copyStore(t, writeFile(t, state.model), state.log)
			if state.model == nil {
				noError(t, os.Remove(path))
			} else if state.remade == nil || errors.Is(state.remade, logfile.ErrOtherModel) {
				f, err := filter.OpenOne(path)
				if err != nil || !errors.Is(f.LogErr(), state.unused) {
					t.Fatal(err, f.LogErr())
				}
				f.Close()
			}
			s := opened(t, path)
			if warning := s.Finish(); !errors.Is(warning, state.remade) || (warning == nil) != (state.remade == nil) {
				t.Errorf("the warning is %v, want one of %v", warning, state.remade)
			}
			for i := range state.messages {
				if o := learned(t, s, numbered(i)); o.What != Known {
					t.Errorf("message %d is %s, want known", i, o.What)
				}
			}
			learned(t, s, numbered(2))
			s.Close()
			f, err := filter.OpenOne(path)
			if err != nil || f.LogErr() != nil {
				t.Fatal(err, f.LogErr())
			}
			f.Close()
			if has := numbers(t, path, 3); len(has) != state.messages+1 {
				t.Errorf("a reader sees %v", has)
			}
		})
	}
}

// changed returns data with another byte.
func changed(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 64
	return data
}

func TestALogOfAnotherVersionOfTheProgramIsRead(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 12, "ham", "spam"))
	log := contents(t, path+Suffix)
	for old, changed := range map[string]string{`"terms_version":"`: `"terms_version":"0`, `"seed":`: `"sead":`, `"max_depth":`: `"max_dipth":`} {
		if !bytes.Contains(log, []byte(old)) {
			t.Fatalf("no setting %s", old)
		}
		log = bytes.Replace(log, []byte(old), []byte(changed), 1)
		if len(changed) > len(old) { // a digit in the place of the first one of the value
			at := bytes.Index(log, []byte(changed)) + len(changed)
			log = slices.Delete(log, at, at+1)
		}
	}
	end := int(binary.LittleEndian.Uint32(log[12:])) + 32
	end = (end + 7) / 8 * 8
	binary.LittleEndian.PutUint64(log[end:], xxhash.Sum64(log[:end]))
	noError(t, os.WriteFile(path+Suffix, log, 0o600))
	noError(t, os.Remove(path))
	s := opened(t, path)
	if entries, err := s.Entries(); err != nil || len(entries) != 24 {
		t.Errorf("%d messages: %v", len(entries), err)
	}
	if r, err := recipeIn(s.log); err != nil || r.Message != message.DefaultOptions() {
		t.Errorf("the setting that it lacks is %d: %v", r.Message.MaxDepth, err)
	}
	retrain(t, s)
	if r, err := recipeIn(s.log); err != nil || r.Terms != tokenize.Version {
		t.Errorf("after a fit the log says that its terms have version %q: %v", r.Terms, err)
	}
}

// JSON has no years of five digits, so that a log with one would have no status. Nor are there figures of a class that is none.
func TestALogWithAnEntryThatIsNoneIsDamaged(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam"))
	good := contents(t, path+Suffix)
	b, err := openToRead(path)
	noError(t, err)
	defer b.file.Close()
	for name, change := range map[string]func(l *ledger){
		"a time of learning that is none":        func(l *ledger) { l.entries[3].Learned = time.Unix(1<<62, 0) },
		"a time of learning long before our era": func(l *ledger) { l.entries[3].Learned = time.Unix(-1<<40, 0) },
		"a time of the fit that is none":         func(l *ledger) { l.facts.Fitted = 1 << 62 },
		"counts of three classes that learned":   func(l *ledger) { l.facts.Learned = []int{0, 0, 0} },
		"counts of one class that was known":     func(l *ledger) { l.facts.Known = []int{12} },
		"a class by the filter that is none":     func(l *ledger) { l.entries[3].Class = 2 },
		"the last time that is one, and no class": func(l *ledger) {
			l.entries[3].Learned, l.entries[3].Class = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), -1
		},
	} {
		noError(t, os.WriteFile(path+Suffix, good, 0o600))
		l, err := b.read(features.NewDocuments(0))
		noError(t, err)
		noError(t, l.documents.Complete(1))
		change(l)
		file, err := os.Create(path + Suffix)
		noError(t, err)
		noError(t, errors.Join(l.save(file, func() (uint64, error) { return b.checkpoint.Key, nil }), file.Close()))
		v, err := Look(path)
		if want := !strings.HasPrefix(name, "the last"); errors.Is(err, logfile.ErrDamaged) != want {
			t.Errorf("%s: got %v", name, err)
		}
		if err == nil {
			_, err = json.Marshal(v.Status(time.Now()))
			v.Close()
			noError(t, err)
		}
	}
}

// Whoever sends a backup may have written any settings, under a right checksum.
func TestALogWithForgedSettingsIsRefused(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam"))
	whole := contents(t, path+Suffix)
	for _, test := range []struct{ old, forged, want string }{
		{`"ham_lost":0.1`, `"ham_lost":-10`, "ham_lost is -10: must be a percentage from 0 to 100"},
		{`["ham","spam"]`, `["ham-orspam"]`, "its settings"},
	} {
		log := bytes.Replace(whole, []byte(test.old), []byte(test.forged), 1)
		end := (int(binary.LittleEndian.Uint32(log[12:])) + 32 + 7) / 8 * 8
		binary.LittleEndian.PutUint64(log[end:], xxhash.Sum64(log[:end]))
		noError(t, os.WriteFile(path+Suffix, log, 0o600))
		_, err := Restore(t.Context(), path+Suffix, filepath.Join(t.TempDir(), "model"), RetrainOptions{}, false)
		if len(log) != len(whole) || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v", test.forged, err)
		}
	}
}

func TestNobodyElseCanLockALog(t *testing.T) {
	path := trained(t, "multinomial", corpustest.Mailbox(1, 12, "ham", "spam"))
	info, err := os.Stat(path + Suffix)
	noError(t, err)
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("others can open the log: %v", mode)
	}
	folder, err := os.Open(filepath.Dir(path)) // as anyone can who may read it
	noError(t, err)
	defer folder.Close()
	if locked, err := replace.Lock(folder); !locked || err != nil {
		t.Fatal(locked, err)
	}
	learned(t, opened(t, path), numbered(0))
	other := filepath.Join(filepath.Dir(path), "other")
	noError(t, Begin(t.Context(), other, []string{"ham", "spam"}, "votes", train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions()))
}

func TestAModelOfTooLittleMailIsMadeAnewWithoutIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	noError(t, Begin(t.Context(), path, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), DefaultOptions()))
	s := opened(t, path)
	empty, err := s.Filter().Classify(numbered(0).Raw)
	noError(t, err)
	learned(t, s, numbered(0))
	s.facts.Fitted = 1 // as if there had been more mail
	noError(t, s.fold())
	s.Close()
	noError(t, os.Remove(path))
	s = opened(t, path)
	if s.Finish() == nil {
		t.Error("nothing is said of it")
	}
	if f := s.facts; f.Fitted != 0 || f.Changed != 0 || f.Known[0]+f.Known[1] != 1 {
		t.Errorf("its log says %+v", f)
	}
	if r, err := Restore(t.Context(), path+Suffix, path+".restored", RetrainOptions{}, false); err != nil || r.Messages != 1 {
		t.Errorf("restored, it has %d messages, %v", r.Messages, err)
	}
	for _, what := range []string{"of which it knows nothing", "which it never knew and forgets"} {
		if got, err := s.Filter().Classify(numbered(0).Raw); err != nil || got != empty || got.Verdict != filter.Unsure {
			t.Errorf("the message %s is judged as %+v, %v; want %+v", what, got, err, empty)
		}
		if o, err := s.Forget(numbered(0).Raw); what == "of which it knows nothing" && (err != nil || o.What != Forgotten) {
			t.Errorf("forgetting it: %+v, %v", o, err)
		}
	}
	for i := range 2 * minAhead {
		learned(t, s, numbered(i))
	}
	if refitted, err := s.FitIfDue(t.Context(), RetrainOptions{}, false); err != nil || refitted.Messages != 2*minAhead {
		t.Errorf("a fit to %d messages, %v", refitted.Messages, err)
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

func TestAFitThatIsKilledTakesNoLessonWithIt(t *testing.T) {
	path := trained(t, "votes", corpustest.Mailbox(1, 40, "ham", "spam"))
	kills, next := 8, 0
	if testmain.IsLong() {
		kills = 100
	}
	rng := rand.New(rand.NewPCG(1, 53))
	for range kills {
		fit := learner(path, 0, 0)
		noError(t, fit.Start())
		for range 1 + rng.IntN(6) {
			s, err := Open(t.Context(), path, DefaultOptions())
			noError(t, err)
			_, err = s.Learn(numbered(next))
			noError(t, errors.Join(err, s.Close()))
			next++
			time.Sleep(time.Duration(rng.IntN(15)) * time.Millisecond)
		}
		fit.Process.Kill()
		fit.Wait()
		if has := numbers(t, path, next); len(has) != next {
			t.Fatalf("%d messages, want %d", len(has), next)
		}
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
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "error: : ") || !strings.Contains(last, "file too large") { // nothing happened
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
				if err := errors.Join(err, f.LogErr()); err != nil {
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

func TestAModelWhoseLearnerIsDamagedIsMadeAnew(t *testing.T) {
	for _, name := range []string{"GLOB", "NONE"} {
		path := trained(t, "votes", corpustest.Mailbox(1, 12, "ham", "spam"))
		model := contents(t, path)
		entry := bytes.Index(model, []byte(name)) // in the table of sections: the offset follows the name and four zeros
		model[binary.LittleEndian.Uint64(model[entry+8:])] ^= 1
		noError(t, os.WriteFile(path, model, 0o600))
		s := opened(t, path)
		learned(t, s, numbered(0))
		if err := s.Finish(); !errors.Is(err, filter.ErrDamaged) {
			t.Errorf("section %s: %v, want %v", name, err, filter.ErrDamaged)
		}
	}
}
