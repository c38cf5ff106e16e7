//go:build linux

package load

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"chaff/corpus/sample"
	"chaff/test/corpustest"
)

// What the daemon must do on two cores, which it shares with the clients.
const (
	leastRate = 2000 // messages a second
	mostP99   = 50 * time.Millisecond
)

// period is how long each measurement takes.
const period = 5 * time.Second

// clients is how many send messages at a time.
const clients = 8

// daemon is a program that speaks the protocol of spamd.
type daemon struct {
	name, socket string
	process      *os.Process
}

func TestLoad(t *testing.T) {
	messages, err := strconv.Atoi(os.Getenv("TEST_LOAD"))
	if err != nil {
		t.Skip("set TEST_LOAD=NUMBER to send so many messages to chaff serve, at least 20000")
	}
	mail := realMail(t)
	d := startChaff(t)
	// The first requests read the model, and fill what is reused.
	send(t, d, mail, 2000, time.Minute)

	t.Run("it judges so many messages a second", func(t *testing.T) {
		got := send(t, d, mail, messages, period)
		for n := 0; n < 2 && (got.rate < leastRate || got.p99 > mostP99); n++ { // another program may have had the processor
			t.Logf("chaff, again: %v", got)
			got = send(t, d, mail, messages, period)
		}
		t.Logf("chaff: %v", got)
		if got.rate < leastRate || got.p99 > mostP99 {
			t.Errorf("want at least %d messages/s, 99%% of them within %v", leastRate, mostP99)
		}
		other := startSpamd(t)
		send(t, other, mail, 10, time.Minute)
		slow := send(t, other, mail, messages, period)
		t.Logf("spamd: %v", slow)
		if slow.rate > got.rate {
			t.Error("spamd is faster")
		}
	})
	t.Run("idle and slow clients harm nobody", func(t *testing.T) {
		stop := make(chan struct{})
		var slow sync.WaitGroup
		defer slow.Wait()
		defer close(stop)
		for n := range 1200 {
			c, err := net.Dial("unix", d.socket)
			if err != nil {
				t.Fatal(err)
			}
			slow.Go(func() {
				defer c.Close()
				text := request("CHECK", mail[n%len(mail)])
				for i := range text {
					if n >= 200 { // idle
						i = 0
					} else if _, err := c.Write(text[i : i+1]); err != nil {
						return // the daemon has lost its patience
					}
					select {
					case <-stop:
						return
					case <-time.After(200 * time.Millisecond):
					}
				}
			})
		}
		got := send(t, d, mail, messages, period)
		t.Logf("chaff, with 1,000 idle and 200 slow clients: %v", got)
		if got.p99 > mostP99 {
			t.Errorf("want 99%% of them within %v", mostP99)
		}
	})
	t.Run("its log costs little", func(t *testing.T) { compareLogs(t, mail, messages) })
	t.Run("its memory stays flat", func(t *testing.T) {
		began := time.Now()
		halves := [2]float64{}
		for i := range halves {
			halves[i] = d.memoryDuring(t, func() { send(t, d, mail, messages/2, time.Hour) })
		}
		t.Logf("%d messages in %.0f s: %.1f MB of memory in the first half, %.1f MB in the second", messages, time.Since(began).Seconds(), halves[0], halves[1])
		if halves[1] > 1.1*halves[0] {
			t.Error("want at most 10% more")
		}
	})
	if err := d.process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// realMail returns the SpamAssassin corpus if it is there, else the sample mail.
func realMail(t *testing.T) (all [][]byte) {
	t.Helper()
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		source = sample.Source()
	}
	for item, err := range source {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := item.Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
	}
	sizes := make([]int, len(all))
	for i, raw := range all {
		sizes[i] = len(raw)
	}
	slices.Sort(sizes)
	t.Logf("%d messages, median size %d bytes", len(all), sizes[len(all)/2])
	return all
}

// startChaff trains a model and starts a daemon.
func startChaff(t *testing.T) daemon {
	t.Helper()
	folder := t.TempDir()
	program, model := buildChaff(t, folder)
	socket := filepath.Join(folder, "socket")
	return start(t, "chaff", socket, exec.Command(program, "serve", "-m", model, "--spamd", "unix:"+socket))
}

// leastWithLogs is the share of the throughput that is left with a log.
const leastWithLogs = 0.9

// compareLogs compares a daemon that logs each message into a file with one that logs none, in turns. Others may use the machine too, so what counts
// is their CPU time. What the log leaves out is counted there.
func compareLogs(t *testing.T, mail [][]byte, messages int) {
	const turns = 5
	folder := t.TempDir()
	program, model := buildChaff(t, folder)
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	kinds := []string{"text", "warnings"}
	var daemons [2]daemon
	for i, kind := range kinds {
		socket := filepath.Join(folder, kind)
		command := exec.Command(program, "serve", "-m", model, "--set", "serve.log="+kind, "--spamd", "unix:"+socket)
		if kind == "text" {
			command.Stderr = log
		}
		daemons[i] = start(t, "chaff", socket, command)
		send(t, daemons[i], mail, 2000, time.Minute)
	}
	ratios := make([]float64, turns)
	for turn := range ratios {
		var used [2]float64
		for i, d := range daemons {
			before := d.cpu(t)
			got := send(t, d, mail, messages/turns, time.Minute)
			used[i] = (d.cpu(t) - before) / float64(got.sent)
			t.Logf("log %s: %v, %.0f us of CPU a message", kinds[i], got, 1e6*used[i])
			if got.p99 > mostP99 {
				t.Errorf("want 99%% of them within %v", mostP99)
			}
		}
		ratios[turn] = used[1] / used[0]
	}
	slices.Sort(ratios)
	t.Logf("throughput with a log by the CPU: %.3f of that without, from %.3f to %.3f", ratios[turns/2], ratios[0], ratios[turns-1])
	if ratios[turns/2] < leastWithLogs {
		t.Errorf("want at least %v", leastWithLogs)
	}
	time.Sleep(time.Second)
	send(t, daemons[0], mail, 1, time.Minute) // a line of another second says what was left out
	text, err := os.ReadFile(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	lines, left := bytes.Count(text, []byte("chaff: judged ")), 0
	for _, rest := range bytes.Split(text, []byte("left out events="))[1:] {
		number, _, _ := bytes.Cut(rest, []byte("\n"))
		n, err := strconv.Atoi(string(number))
		if err != nil {
			t.Fatal(err)
		}
		left += n
	}
	sent := 2000 + messages/turns*turns + 1
	t.Logf("the log has a line for %d of %d messages, and has left out %d", lines, sent, left)
	if lines+left != sent {
		t.Error("they do not add up")
	}
}

// cpu returns how many seconds of CPU a process has used.
func (d daemon) cpu(t *testing.T) float64 {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", d.process.Pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("%d threads, %v", len(threads), err)
	}
	sum := 0.0
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // it has ended
		}
		nanoseconds, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseFloat(nanoseconds, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += n / 1e9
	}
	return sum
}

// buildChaff builds chaff and trains a model in a folder.
func buildChaff(t *testing.T, folder string) (program, model string) {
	t.Helper()
	program, model = filepath.Join(folder, "chaff"), filepath.Join(folder, "model")
	training := []string{program, "train", "-q", "-m", model}
	mail, ham, spam := filepath.Join("..", "..", "corpus", "sample", "mail"), []string{"ham"}, []string{"spam"}
	if corpora, ok := corpustest.CorporaDir(t); ok {
		mail, ham, spam = filepath.Join(corpora, "sa"), []string{"easy-ham-1", "easy-ham-2", "hard-ham-1"}, []string{"spam-1", "spam-2"}
	}
	for _, folder := range ham {
		training = append(training, "--ham", filepath.Join(mail, folder))
	}
	for _, folder := range spam {
		training = append(training, "--spam", filepath.Join(mail, folder))
	}
	for _, command := range [][]string{{"go", "build", "-o", program, "chaff/cmd/chaff"}, training} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command[0], err, out)
		}
	}
	return program, model
}

// startSpamd starts SpamAssassin's spamd, or skips the test.
func startSpamd(t *testing.T) daemon {
	t.Helper()
	path, err := exec.LookPath("spamd")
	if err != nil || os.Geteuid() != 0 {
		t.Skip("to compare, it takes root and spamd: apt-get install --no-install-recommends spamd")
	}
	socket := filepath.Join(t.TempDir(), "socket")
	return start(t, "spamd", socket, exec.Command(path, "--local", "--nouser-config", "--syslog=null", "--min-children=2", "--max-children=2", "--max-conn-per-child=100000", "--socketpath="+socket))
}

func start(t *testing.T, name, socket string, command *exec.Cmd) daemon {
	t.Helper()
	var log bytes.Buffer
	if command.Stderr == nil {
		command.Stderr = &log
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	d := daemon{name, socket, command.Process}
	t.Cleanup(func() {
		syscall.Kill(-d.process.Pid, syscall.SIGTERM)
		if err := command.Wait(); err != nil && name == "chaff" {
			t.Errorf("%v: %s", err, &log)
		}
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, err := exchange(d, []byte("PING SPAMC/1.5\r\n\r\n"))
		if err == nil {
			return d
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not answer: %v: %s", name, err, &log)
		}
	}
}

// memoryDuring does something, and returns the mean of the memory that a process has in the meantime, in MB.
func (d daemon) memoryDuring(t *testing.T, do func()) float64 {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	sum, n := 0, 0
	for {
		sum += d.statusOf(t, "VmRSS:")
		n++
		select {
		case <-done:
			return float64(sum) / float64(n) / 1000
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func request(command string, raw []byte) []byte {
	return fmt.Appendf(nil, "%s SPAMC/1.5\r\nContent-length: %d\r\n\r\n%s", command, len(raw), raw)
}

// exchange sends a request by a connection of its own, as spamc does.
func exchange(d daemon, text []byte) ([]byte, error) {
	c, err := net.Dial("unix", d.socket)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	_, err = c.Write(text)
	err = errors.Join(err, c.(*net.UnixConn).CloseWrite())
	reply, readErr := io.ReadAll(c)
	return reply, errors.Join(err, readErr)
}

// speed is what was measured.
type speed struct {
	sent, bytes int
	rate        float64 // messages a second
	p50, p99    time.Duration
}

func (s speed) String() string {
	return fmt.Sprintf("%d messages, %.0f a second, %.1f MB/s, half of them within %.2f ms, 99%% within %.1f ms", s.sent, s.rate,
		float64(s.bytes)/1e6*s.rate/float64(s.sent), s.p50.Seconds()*1000, s.p99.Seconds()*1000)
}

// send sends messages by some clients at a time, until there were enough or the time is over.
func send(t *testing.T, d daemon, mail [][]byte, messages int, most time.Duration) speed {
	t.Helper()
	var next, size atomic.Int64
	took := make([][]time.Duration, clients)
	var running sync.WaitGroup
	began := time.Now()
	for i := range took {
		running.Go(func() {
			for n := int(next.Add(1)) - 1; n < messages && time.Since(began) < most && !t.Failed(); n = int(next.Add(1)) - 1 {
				raw := mail[n%len(mail)]
				text := request([]string{"CHECK", "PROCESS"}[n/len(mail)%2], raw)
				sent := time.Now()
				reply, err := exchange(d, text)
				took[i] = append(took[i], time.Since(sent))
				if first, _, _ := bytes.Cut(reply, []byte("\r\n")); err != nil || !bytes.HasSuffix(first, []byte(" 0 EX_OK")) {
					t.Errorf("%s, message %d: %q, %v", d.name, n%len(mail), first, err)
				}
				size.Add(int64(len(raw)))
			}
		})
	}
	running.Wait()
	elapsed := time.Since(began)
	all := slices.Concat(took...)
	if len(all) == 0 {
		t.Fatal("nothing was sent")
	}
	slices.SortFunc(all, cmp.Compare)
	return speed{len(all), int(size.Load()), float64(len(all)) / elapsed.Seconds(), all[len(all)/2], all[len(all)*99/100]}
}
