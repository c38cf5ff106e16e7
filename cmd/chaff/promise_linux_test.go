package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chaff/test/testmain"
)

// The tests of this file hold the promise of --pass: the message comes out again, whole, or the exit code is 75. They run the
// program itself, which under the race detector has other limits than a test.

// deliveryProgram is chaff-classify with a model.
type deliveryProgram struct{ path, home, model string }

func newDeliveryProgram(t *testing.T) deliveryProgram {
	t.Helper()
	home, err := filepath.EvalSymlinks(trained(t)) // as the system names a program that runs
	must(t, err)
	p := deliveryProgram{filepath.Join(home, "chaff-classify"), home, filepath.Join(home, ".local", "share", "chaff", "model")}
	// Unlike go build, go run keeps the program that it has linked.
	if out, err := exec.Command("go", "run", "-buildvcs=false", "-exec=cp", "chaff/cmd/chaff-classify", p.path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

// shell returns the command that runs a script in which "$@" is the program with the arguments.
func (p deliveryProgram) shell(script string, args ...string) *exec.Cmd {
	c := exec.Command("sh", append([]string{"-c", script, p.path, p.path}, args...)...)
	c.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}
	return c
}

// answerTo runs a command with a message on stdin.
func answerTo(t *testing.T, c *exec.Cmd, message []byte) outcome {
	t.Helper()
	var out, errs strings.Builder
	out.Grow(len(message) + 4096) // it comes out again, with other fields
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(message), &out, &errs
	return ended(t, c, c.Run(), &out, &errs)
}

func ended(t *testing.T, c *exec.Cmd, err error, out, errs *strings.Builder) outcome {
	t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	return outcome{c.ProcessState.ExitCode(), out.String(), errs.String()}
}

// isJudged reports whether out is the message with our fields, which say what the verdict is, or why there is none.
func isJudged(out string, message []byte) bool {
	for strings.HasPrefix(out, "X-Spam-") || strings.HasPrefix(out, "X-Chaff-") {
		_, out, _ = strings.Cut(out, "\n")
	}
	return out == string(message)
}

// keeps reports whether the promise was kept.
func (a outcome) keeps(message []byte) bool {
	return a.code == 75 || a.code == 0 && isJudged(a.out, message) && a.out != string(message)
}

// longMail returns a message that takes a while to judge.
func longMail(size int) []byte { return longestMail()[:size] }

var longestMail = sync.OnceValue(func() []byte {
	size := 4 << 20
	if testmain.IsLong() {
		size = 38 << 20
	}
	mail := append(make([]byte, 0, size+64), "Subject: words\n\n"...)
	random := rand.New(rand.NewPCG(1, 1))
	for len(mail) < size {
		for _, end := range "  \n" {
			mail = append(strconv.AppendUint(mail, random.Uint64()>>20, 16), byte(end))
		}
	}
	return mail
})

const shortMail = "Subject: hello\n\nHow are you? Cheap pills, casino.\n"

func TestAMessageGivenToPassComesOutOrTheCodeIs75(t *testing.T) {
	t.Parallel()
	p := newDeliveryProgram(t)
	for name, test := range map[string]func(*testing.T, deliveryProgram){
		"signals": testSignals, "crashes": testCrashes, "limits": testLimits, "streams": testStreams,
		"large messages": testLargeMessages, "rewritten models": testRewrittenModels,
	} {
		t.Run(name, func(t *testing.T) {
			if slices.Contains([]string{"signals", "crashes"}, name) && runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
				t.Skip("needs the handler of signals in assembly, which amd64 and arm64 have")
			}
			test(t, p)
		})
	}
}

// ignored are the signals that were ignored when the tests began. Tests of the daemon change what package signal says of them later.
var ignored = func() (all [32]bool) {
	for s := range all {
		all[s] = s > 0 && signal.Ignored(syscall.Signal(s))
	}
	return all
}()

func testSignals(t *testing.T, p deliveryProgram) {
	mail := longMail(4 << 20)
	rescued := []syscall.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE,
		syscall.SIGSEGV, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGTERM, syscall.SIGSTKFLT, syscall.SIGXCPU, syscall.SIGVTALRM, syscall.SIGSYS,
	}
	for s := syscall.Signal(1); s < 32; s++ {
		if slices.Contains([]syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}, s) {
			continue
		}
		if !testmain.IsLong() && !slices.Contains([]syscall.Signal{syscall.SIGTERM, syscall.SIGSEGV, syscall.SIGUSR1, syscall.SIGPIPE}, s) {
			continue
		}
		for _, when := range []string{"while it is read", "while it is judged"} {
			t.Run(s.String()+" "+when, func(t *testing.T) {
				t.Parallel()
				message := mail
				if when == "while it is read" || !slices.Contains(rescued, s) {
					message = []byte(shortMail)
				}
				// One that the tests were started without, as nohup does, stays ignored.
				caught := when == "while it is judged" && slices.Contains(rescued, s) && !ignored[s]
				var got outcome
				if caught {
					got = p.whileItJudges(t, s, message, "--pass")
				} else {
					got = p.signalled(t, s, message, when == "while it is read", 0, "--pass")
				}
				if !got.keeps(message) {
					t.Errorf("got %v", got)
				}
				if caught && (got.code != 75 || got.out != string(message)) {
					t.Errorf("got %v, want 75 and the message as it is", got)
				}
			})
		}
	}
	t.Run("what cannot be caught is no success", func(t *testing.T) {
		if got := p.signalled(t, syscall.SIGKILL, mail, false, 0, "--pass"); got.code != -1 {
			t.Errorf("got %v", got)
		}
	})
}

// whileItJudges sends a signal to the program while it judges a message. On a busy machine it comes too early at times, when the end of the message is
// still in the pipe, or too late: then it is tried again.
func (p deliveryProgram) whileItJudges(t *testing.T, s syscall.Signal, message []byte, args ...string) (got outcome) {
	t.Helper()
	wait := time.Duration(0)
	for range 20 {
		got = p.signalled(t, s, message, false, wait, args...)
		switch isLate, isEarly := got.errors == "" && got.code != 75, got.code == 75 && got.out == ""; {
		case isLate:
			wait /= 2
		case isEarly:
			wait += 5 * time.Millisecond
		default:
			return got
		}
	}
	return got
}

// signalled sends a signal to the program while it reads a message, or some time after it has read it.
func (p deliveryProgram) signalled(t *testing.T, s syscall.Signal, message []byte, reading bool, after time.Duration, args ...string) outcome {
	t.Helper()
	c := p.shell(`exec "$@"`, args...)
	var out, errs strings.Builder
	out.Grow(len(message) + 4096)
	c.Stdout, c.Stderr = &out, &errs
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err == nil {
		awaitProgram(t, c.Process.Pid, p.path)
		_, err = in.Write(message[:len(message)-1])
	}
	must(t, err)
	send := func() {
		awaitEnd(t, c.Process.Pid, reading)
		time.Sleep(after)
		if err := c.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
	}
	if reading {
		send()
	}
	in.Write(message[len(message)-1:]) // it may be gone
	in.Close()
	if !reading {
		send()
	}
	return ended(t, c, c.Wait(), &out, &errs)
}

// awaitProgram waits until a process is the program, and no longer what started it, and has set its handlers.
func awaitProgram(t *testing.T, pid int, path string) {
	t.Helper()
	for range 500 {
		name, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/wchan", pid))
		if name == path && len(status) > 0 {
			time.Sleep(10 * time.Millisecond)
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal("the program does not start")
}

// awaitEnd waits until a process has read all that was written to its stdin, a pipe, and either waits for more or has seen the end.
func awaitEnd(t *testing.T, pid int, forMore bool) {
	t.Helper()
	pipe, err := os.Open(fmt.Sprintf("/proc/%d/fd/0", pid))
	if err != nil {
		return // it has ended: not all signals are for long messages
	}
	defer pipe.Close()
	for range 2000 {
		left, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
		if err == nil && left == 0 && forMore {
			time.Sleep(40 * time.Millisecond) // for what comes next
			return
		}
		if err == nil && left == 0 && !reads(pid) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the program does not read")
}

// reads reports whether a thread of a process waits for what comes through a pipe.
func reads(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", pid))
	return slices.ContainsFunc(threads, func(path string) bool {
		where, _ := os.ReadFile(path)
		return bytes.Contains(where, []byte("pipe_read"))
	})
}

func testCrashes(t *testing.T, p deliveryProgram) {
	message := longMail(4 << 20)
	for args, code := range map[string]int{"--exit-code": 3, "--exit-code=spamassassin": 2, "--json": 1, "--pass": 75, "--pass --exit-code=spamassassin": 75} {
		signals := []syscall.Signal{syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGILL}
		if !testmain.IsLong() {
			signals = signals[:1]
		}
		for _, signal := range signals {
			t.Run(args+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				got := p.whileItJudges(t, signal, message, strings.Fields(args)...)
				if got.code != code || strings.HasPrefix(args, "--pass") != (got.out == string(message)) {
					t.Errorf("got %v, want exit code %d", got, code)
				}
			})
		}
	}
}

func testLimits(t *testing.T, p deliveryProgram) {
	wide := append([]byte("Subject: x\nContent-Type: text/plain; charset=utf-8\n\n"), bytes.Repeat([]byte("\ufdfa"), 1<<18)...)
	type trial struct {
		limit   string
		message []byte
		judged  bool // it must be
	}
	trials := map[string]trial{
		"the smallest address space of the documentation": {"-v 1500000", []byte(shortMail), true},
		"that, and a message that grows":                  {"-v 1500000", wide, false},
		"more, and a message that grows":                  {"-v 1600000", wide, false},
		"the smallest data segment of the documentation":  {"-d 150000", []byte(shortMail), true},
		"that, and text that grows":                       {"-d 150000", wide, false},
		"that, and a message of two megabytes":            {"-d 150000", longMail(2 << 20), true},
		"no descriptor":                                   {"-n 3", []byte(shortMail), false},
		"one descriptor":                                  {"-n 4", []byte(shortMail), false},
		"a small file":                                    {"-f 1", longMail(1 << 20), false},
		"no file":                                         {"-f 0", []byte(shortMail), false},
	}
	if testmain.IsLong() {
		trials["the smallest address space, and a message that takes long"] = trial{"-v 1500000", longMail(16 << 20), false}
		trials["address space for the largest message"] = trial{"-v 1600000", longMail(36 << 20), true}
		trials["a data segment for it"] = trial{"-d 300000", longMail(36 << 20), true}
		trials["a second"] = trial{"-t 1", longMail(38 << 20), false}
	}
	for name, tt := range trials {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(p.home, strings.ReplaceAll(name, " ", "-"))
			got := answerTo(t, p.shell(`exec >`+out+`; ulimit `+tt.limit+` && exec "$@"`, "--pass"), tt.message)
			file, err := os.Open(out)
			must(t, err)
			defer file.Close()
			var data strings.Builder
			data.Grow(len(tt.message) + 4096)
			_, err = io.Copy(&data, file)
			must(t, err)
			got.out = data.String()
			if !got.keeps(tt.message) || tt.judged && (got.code != 0 || strings.Contains(got.out, "X-Chaff-Unjudged")) {
				t.Errorf("got %v", got)
			}
		})
	}
}

func testStreams(t *testing.T, p deliveryProgram) {
	for name, tt := range map[string]struct {
		script string
		args   string
		code   int
		errors string
	}{
		"stdout is closed":                    {`exec "$@" >&-`, "--pass", 75, "stdout is closed"},
		"stdout is closed, and a flag wrong":  {`exec "$@" >&-`, "--pass --modle", 75, "stdout is closed"},
		"the disk is full":                    {`exec "$@" >/dev/full`, "--pass", 75, "no space left"},
		"the disk is full, and a flag wrong":  {`exec "$@" >/dev/full`, "--pass --modle", 75, "no space left"},
		"stdout cannot be written to":         {`exec "$@" 1</dev/null`, "--pass", 75, "bad file descriptor"},
		"nobody reads":                        {`{ sleep 0.2; "$@"; echo $? >&2; } | exit`, "--pass", 0, "75"},
		"stdin is closed":                     {`exec "$@" <&-`, "--pass", 75, "stdin is closed"},
		"stdin is closed, for a verdict":      {`exec "$@" <&-`, "--exit-code", 3, "stdin is closed"},
		"stdin is empty":                      {`exec "$@" </dev/null`, "--pass", 75, "stdin is empty"},
		"stdin is a folder":                   {`exec "$@" </`, "--pass", 75, "is a directory"},
		"all is closed":                       {`exec "$@" <&- >&- 2>&-`, "--pass", 75, ""},
		"errors cannot be written":            {`exec "$@" 2>/dev/full`, "--pass -m nowhere", 75, ""},
		"a FIFO for a model":                  {`mkfifo $HOME/fifo; exec "$@"`, "--pass -m " + p.home + "/fifo", 75, "not a chaff model"},
		"a folder for a model":                {`exec "$@"`, "--pass -m /", 75, "not a chaff model"},
		"a device for a model":                {`exec "$@"`, "--pass -m /dev/zero", 75, "not a chaff model"},
		"an empty model":                      {`: >$HOME/empty; exec "$@"`, "--pass -m " + p.home + "/empty", 75, "model is truncated"},
		"a damaged model":                     {`exec "$@"`, "--pass -m " + p.home + "/damaged", 75, "damaged"},
		"no model":                            {`exec "$@"`, "--pass -m nowhere", 75, "no such file"},
		"no model, for a verdict":             {`{ head -c 1000000 /dev/zero; echo wrote $? >&2; } | "$@"`, "-m nowhere", 1, "wrote 0"},
		"pass by another word":                {`exec "$@"`, "--pass=1 --modle", 75, "unknown flag"},
		"pass by another word, without need":  {`exec "$@"`, "--pass=TRUE -m nowhere", 75, "no such file"},
		"pass by a wrong word":                {`exec "$@"`, "--pass=yes", 75, "must be true or false"},
		"pass behind what ends flags or not":  {`exec "$@"`, "--modle -m -- --pass=T", 75, "unknown flag"},
		"pass by a flag that was taken back":  {`exec "$@"`, "--pass --pass=0 --modle", 1, "unknown flag"},
		"pass as a path":                      {`exec "$@"`, "-- --pass", 75, "takes paths"},
		"pass as the value of a flag":         {`exec "$@"`, "-m --pass --modle", 1, "unknown flag"},
		"a crash of the shell's own is no 75": {`exit 3`, "", 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := answerTo(t, p.shell(tt.script, strings.Fields(tt.args)...), []byte(shortMail))
			if got.code != tt.code || !strings.Contains(got.errors, tt.errors) {
				t.Errorf("got %v, want exit code %d and %q", got, tt.code, tt.errors)
			}
			streams := strings.ContainsAny(tt.script, "<>|") && !strings.Contains(tt.script, "2>") || strings.Contains(tt.script, "&- ")
			if tt.code == 75 && !streams && got.out != shortMail {
				t.Errorf("got %v, want the message as it is", got)
			}
		})
	}
}

// In a short run, the first of these is in TestAMessageThatIsTooLargeIsNotJudged.
func testLargeMessages(t *testing.T, p deliveryProgram) {
	if !testmain.IsLong() {
		t.Skip("takes long: set TEST_CORPORA to a folder with the corpora sa and enron (see docs/inside/results.md)")
	}
	const header = "Subject: large\nX-Spam-Flag: NO\n\n"
	const text = "text and text\n"
	message := append([]byte(header), bytes.Repeat([]byte(text), 3<<20)...)
	got := answerTo(t, p.shell(`exec "$@"`, "--pass"), message)
	rest, judged := strings.CutPrefix(got.out, "X-Chaff-Unjudged: larger than 37748736 bytes\nSubject: large\n\n")
	if got.code != 0 || !judged || rest != string(message[len(header):]) {
		t.Errorf("with a text: got %v", got)
	}
	if got := answerTo(t, p.shell(`exec "$@"`), message[len(header):]); got.code != 1 || got.out != "" {
		t.Errorf("without --pass: got %v", got)
	}
	long := append(message[:len(header)-1], "To: "...)
	for i := range message[len(long):] {
		message[len(long)+i] = 'b'
	}
	if got := answerTo(t, p.shell(`exec "$@"`, "--pass"), message); got.code != 75 || got.out != string(message) {
		t.Errorf("with a header: got %v", got)
	}
}

// testRewrittenModels delivers mail while another process changes the model, each way as often.
func testRewrittenModels(t *testing.T, p deliveryProgram) {
	deliveries := 20
	if testmain.IsLong() {
		deliveries = 1000
	}
	one, err := os.ReadFile(p.model)
	must(t, err)
	easy := t.TempDir()
	writeEasy(t, easy, 0)
	other := modelOf(t, easy)
	const letter = shortMail
	verdicts := make(map[string]bool)
	for _, model := range [][]byte{one, other} {
		must(t, os.WriteFile(p.model, model, 0o600))
		verdicts[answerTo(t, p.shell(`exec "$@"`, "--pass"), []byte(letter)).out] = true
	}
	if len(verdicts) != 2 {
		t.Fatal("the models say the same")
	}
	for name, tt := range map[string]struct {
		rewrite func(path string, model []byte) error
		pause   time.Duration
	}{
		"by rename":              {renameModel, 0},
		"in place":               {func(path string, model []byte) error { return os.WriteFile(path, model, 0o600) }, 0},
		"in place, step by step": {writeSlowly, 0},
		"in place, with a pause": {writeSlowly, 2100 * time.Millisecond}, // for who looks how old it is
	} {
		t.Run(name, func(t *testing.T) {
			stop := make(chan struct{})
			var writer sync.WaitGroup
			writer.Go(func() {
				for i := 0; ; i++ {
					if err := tt.rewrite(p.model, [][]byte{one, other}[i%2]); err != nil {
						t.Error(err)
						return
					}
					select {
					case <-stop:
						return
					case <-time.After(tt.pause):
					}
				}
			})
			judged, kept := 0, 0
			for range deliveries {
				switch got := answerTo(t, p.shell(`exec "$@"`, "--pass"), []byte(letter)); {
				case got.code == 0 && verdicts[got.out]:
					judged++
				case got.code == 75 && got.out == letter:
					kept++
				default:
					t.Errorf("got %v", got)
				}
			}
			close(stop)
			writer.Wait()
			if name == "by rename" && kept > 0 {
				t.Errorf("%d of %d messages were not judged", kept, deliveries)
			}
			t.Logf("%d messages were judged, %d came out unchanged with exit code 75", judged, kept)
		})
	}
}

func renameModel(path string, model []byte) error {
	if err := os.WriteFile(path+"~", model, 0o600); err != nil {
		return err
	}
	return os.Rename(path+"~", path)
}

// writeSlowly cuts the file off and writes it again in pieces.
func writeSlowly(path string, model []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	for len(model) > 0 {
		n := min(len(model), 64<<10)
		if _, err := file.Write(model[:n]); err != nil {
			return err
		}
		model = model[n:]
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}

func TestClassifyIsFoundBehindWrongFlags(t *testing.T) {
	for args, want := range map[string]bool{
		"classify --pass": true, "--modle classify": true, "": false, "--help": false, "train classify": false, "-x train classify": false,
	} {
		if got := firstWord(strings.Fields(args)) == "classify"; got != want {
			t.Errorf("%q: got %v, want %v", args, got, want)
		}
	}
}
