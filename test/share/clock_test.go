package share

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chaff/store"
	"chaff/test/corpustest"
)

// runServer runs a server of NATS as a program of its own, until stop is called, or the test ends.
func runServer(t *testing.T, program, folder string, port int, environment ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, program, "-a", "127.0.0.1", "-p", fmt.Sprint(port), "-js", "-sd", folder)
	command.Env = append(os.Environ(), environment...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() { cancel(); command.Wait() }
	t.Cleanup(stop)
	until(t, 10*time.Second, "the server answers", func() bool {
		l, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			l.Close()
		}
		return err == nil
	})
	return stop
}

// serverWithClock builds a server of NATS whose clock is ahead by as many days as CLOCK_DAYS says. A program in Go asks the kernel for the time, and no
// library, so the source of time.Now is another one.
func serverWithClock(t *testing.T) (program string) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder, original := t.TempDir(), filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source := string(read(t, original))
	for _, change := range [][2]string{
		{"import (", "import (\n\t\"syscall\""},
		{"func Now() Time {", `var daysAhead = func() (days int) {
	text, _ := syscall.Getenv("CLOCK_DAYS")
	for _, digit := range text {
		days = 10*days + int(digit-'0')
	}
	return days
}()

func Now() Time { return realNow().Round(0).AddDate(0, 0, daysAhead) }

func realNow() Time {`},
	} {
		if strings.Count(source, change[0]) != 1 {
			t.Fatalf("%s has %q not once", original, change[0])
		}
		source = strings.Replace(source, change[0], change[1], 1)
	}
	write(t, filepath.Join(folder, "time.go"), []byte(source))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: filepath.Join(folder, "time.go")}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "overlay.json"), overlay)
	program = filepath.Join(folder, "nats-server")
	build := exec.Command("go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, "github.com/nats-io/nats-server/v2")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return program
}

// The clock of the server is set on, so that it forgets records for their age.
func TestAHostIsAwayFor31Days(t *testing.T) {
	program, folder, port := serverWithClock(t), t.TempDir(), freePorts(t, 1)[0]
	c := &servers{t: t, ports: []int{port}}
	var stop func()
	js := c.jetStream
	setClock := func(days int) {
		if stop != nil {
			stop()
		}
		stop = runServer(t, program, folder, port, fmt.Sprintf("CLOCK_DAYS=%d", days))
	}
	setClock(0)
	mail := mailOf(t, 7, 100)
	hosts := newGroup(t, trained(t, corpustest.Mailbox(1, 60, "ham", "spam")), c.urls())
	taught := &lessons{by: map[uint64]map[string]string{}}
	for _, h := range hosts {
		h.run()
	}
	taught.teach(t, 1, mail[:60], hosts...)
	settled(t, js(), hosts...)
	away, others := hosts[2], hosts[:2]
	away.kill()
	taught.teach(t, 2, mail[60:100], others...)
	settled(t, js(), others...)
	fitted(t, js(), others[0], others[1])
	taught.teach(t, 3, mail[100:110], away)

	has := func() (first, last uint64) {
		t.Helper()
		stream, err := js().Stream(t.Context(), "chaff-mail")
		if err != nil {
			t.Fatal(err)
		}
		if keep := stream.CachedInfo().Config.MaxAge; keep != 30*24*time.Hour {
			t.Errorf("the stream keeps records for %v, want 30 days", keep)
		}
		return stream.CachedInfo().State.FirstSeq, stream.CachedInfo().State.LastSeq
	}
	_, last := has()
	setClock(29)
	if first, _ := has(); first != 1 {
		t.Errorf("after 29 days the stream begins with record %d, want 1", first)
	}
	setClock(31)
	if first, _ := has(); first != last+1 {
		t.Errorf("after 31 days the stream begins with record %d, want %d", first, last+1)
	}
	taught.teach(t, 4, mail[110:140], others...)
	settled(t, js(), others...)
	away.run()
	settled(t, js(), hosts...)
	same(t, hosts...)
	for _, h := range hosts {
		taught.check(t, h)
	}
	if at, err := store.StandOf(away.path); err != nil || at.Fit != last {
		t.Errorf("the host that was away has the fit at %d, want %d: %v", at.Fit, last, err)
	}
	fitted(t, js(), hosts[0], hosts[1:]...)

	// Once more, and nobody fits.
	away.kill()
	taught.teach(t, 5, mail[140:160], others...)
	settled(t, js(), others...)
	setClock(62)
	taught.teach(t, 6, mail[160:180], others...)
	settled(t, js(), others...)
	away.run()
	err := <-away.ended
	away.stop = nil
	if err == nil || !containsAll(err.Error(), "the stream begins with record", "copy the model and its log") {
		t.Errorf("a host that cannot catch up ended with %v", err)
	}
	same(t, others...)
}

// Debian's server is older than the one that the other tests run.
func TestTheServerOfDebian(t *testing.T) {
	program, err := exec.LookPath("nats-server")
	if err != nil {
		t.Skip("no nats-server: apt-get install nats-server")
	}
	c := &servers{t: t, ports: freePorts(t, 1)}
	runServer(t, program, t.TempDir(), c.ports[0])
	js := c.jetStream()
	hosts := newGroup(t, trained(t, corpustest.Mailbox(1, 40, "ham", "spam")), c.urls())
	mail := mailOf(t, 5, 15)
	for i, h := range hosts {
		h.run()
		h.learn(mail[10*i : 10*i+10]...)
	}
	settled(t, js, hosts...)
	same(t, hosts...)
	fitted(t, js, hosts[0], hosts[1:]...)
	same(t, hosts...)
	version, _ := exec.Command(program, "--version").Output()
	t.Logf("%s", bytes.TrimSpace(version))
}
