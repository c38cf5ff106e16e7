//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"chaff/serve"
)

// echoProtocol answers each line, a message, with its verdict. Between the line and the answer it waits for hold.
func echoProtocol(held chan<- struct{}, hold <-chan struct{}) protocol {
	return protocol{flag: "echo", usage: "answer lines", open: func(l net.Listener, e *serve.Engine, _ serve.Logger) (serve.Running, error) {
		return func(ctx context.Context) error {
			var clients sync.WaitGroup
			defer clients.Wait()
			defer context.AfterFunc(ctx, func() { l.Close() })()
			for {
				c, err := l.Accept()
				if err != nil {
					return nil
				}
				clients.Go(func() {
					defer c.Close()
					line, err := bufio.NewReader(c).ReadBytes('\n')
					if err != nil {
						return
					}
					if held != nil {
						held <- struct{}{}
						<-hold
					}
					v, err := e.Judge(context.WithoutCancel(ctx), serve.Origin{}, line)
					fmt.Fprintln(c, v.Verdict, err)
				})
			}
		}, nil
	}}
}

// daemon is a chaff serve in this process.
type daemon struct {
	stop   context.CancelFunc
	log    *growing
	result chan error
}

// growing is a buffer that grows while another goroutine reads it.
type growing struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (g *growing) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(p)
}

func (g *growing) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// has waits until there is a text.
func (g *growing) has(t *testing.T, text string) {
	t.Helper()
	for range 1000 {
		if strings.Contains(g.String(), text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%q is not in %q", text, g)
}

func startDaemon(t *testing.T, protocols []protocol, args ...string) *daemon {
	ctx, stop := context.WithCancel(t.Context())
	d := &daemon{stop, &growing{}, make(chan error, 1)}
	p := &program{environ: []string{"HOME=" + t.TempDir()}, stdout: newOutput(d.log), stderr: newOutput(d.log)}
	c := serveCommand(p, protocols)
	c.SetArgs(append(args, "--set", "serve.confine=false")) // this process goes on with other tests
	c.SilenceErrors, c.SilenceUsage = true, true
	go func(c *cobra.Command) { d.result <- c.ExecuteContext(ctx) }(c)
	t.Cleanup(stop)
	return d
}

func (d *daemon) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-d.result:
		return err
	case <-time.After(20 * time.Second):
		t.Fatalf("the daemon does not end: %s", d.log)
	}
	return nil
}

// ask sends a line to a Unix socket, and returns the answer.
func ask(t *testing.T, socket, line string) string {
	t.Helper()
	c, err := net.Dial("unix", socket)
	must(t, err)
	defer c.Close()
	if _, err := io.WriteString(c, line); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	must(t, err)
	return string(answer)
}

func TestADaemonFinishesWhatItHasAccepted(t *testing.T) {
	h := newHome(t, "")
	h.writeModel()
	held, hold := make(chan struct{}), make(chan struct{})
	socket := h.path("socket")
	other, err := net.Listen("unix", socket)
	must(t, err)
	d := startDaemon(t, []protocol{echoProtocol(held, hold)}, "-m", h.path("model"), "--echo", "unix:"+socket)
	if err := d.ended(t); err == nil || !strings.Contains(err.Error(), "another program listens there") {
		t.Fatalf("a socket that is in use: got %v", err)
	}
	other.Close()
	d = startDaemon(t, []protocol{echoProtocol(held, hold)}, "-m", h.path("model"), "--echo", "unix:"+socket)
	d.log.has(t, "serving echo on unix:"+socket)
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("the socket: %v, %v", info.Mode(), err)
	}
	answer := make(chan string)
	go func() { answer <- ask(t, socket, "hello\n") }()
	<-held
	d.stop()
	d.log.has(t, "stopping")
	close(hold)
	if got := <-answer; !strings.HasSuffix(got, " <nil>\n") {
		t.Errorf("got %q", got)
	}
	if err := d.ended(t); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("the socket is still there")
	}
}

func TestAHangupReadsTheModelAgain(t *testing.T) {
	h := newHome(t, "")
	h.writeModel()
	socket := h.path("socket")
	d := startDaemon(t, []protocol{echoProtocol(nil, nil)}, "-m", h.path("model"), "--echo", "unix:"+socket)
	d.log.has(t, "serving")
	must(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	d.log.has(t, "read the model "+h.path("model")+" again")
	must(t, os.WriteFile(h.path("model"), []byte("damaged"), 0o600))
	must(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	d.log.has(t, "going on with the model in memory")
	if got := ask(t, socket, "hello\n"); !strings.HasSuffix(got, " <nil>\n") {
		t.Errorf("got %q", got)
	}
	d.stop()
	if err := d.ended(t); err != nil {
		t.Error(err)
	}
}

func TestAddressesOfADaemon(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	must(t, err)
	l.SetUnlinkOnClose(false)
	l.Close()
	must(t, errors.Join(os.WriteFile(filepath.Join(dir, "file"), nil, 0o600), os.Symlink(filepath.Join(dir, "none"), filepath.Join(dir, "link"))))
	for _, tt := range []struct{ name, address, want string }{
		{"a port is on this machine", "0", "127.0.0.1:"},
		{"no host is this machine", ":0", "127.0.0.1:"},
		{"a host and a port", "127.0.0.1:0", "127.0.0.1:"},
		{"a socket that a killed daemon left", "unix:" + stale, stale},
		{"a file in the way", "unix:" + filepath.Join(dir, "file"), "it exists and is not a socket"},
		{"a link in the way", "unix:" + filepath.Join(dir, "link"), "it exists and is not a socket"},
		{"no folder", "unix:" + filepath.Join(dir, "none", "socket"), "there is no folder " + filepath.Join(dir, "none")},
		{"a long path", "unix:" + filepath.Join(dir, strings.Repeat("a", 108)), "too long for a socket"},
		{"an abstract socket", "unix:@chaff", "abstract sockets have no mode"},
		{"no path", "unix:", "must be unix:PATH, HOST:PORT or a port"},
		{"no port", "localhost", "must be unix:PATH, HOST:PORT or a port"},
		{"no port behind a host", "localhost:", "must be unix:PATH, HOST:PORT or a port"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := listenOn(tt.address)
			got := fmt.Sprint(err)
			if err == nil {
				got = l.Addr().String()
				l.Close()
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestADaemonPrintsNothingForeign(t *testing.T) {
	h := newHome(t, "")
	h.writeModel()
	name := "model\x1b[2J\nforged"
	must(t, os.Rename(h.path("model"), h.path(name)))
	tells := protocol{flag: "tell", usage: "tell", open: func(l net.Listener, _ *serve.Engine, logger serve.Logger) (serve.Running, error) {
		return func(ctx context.Context) error {
			defer l.Close()
			logger.Warn("a client said %s", "\x1b[2J\nforged")
			<-ctx.Done()
			return errors.New("an error about \x1b[2J\nforged")
		}, nil
	}}
	d := startDaemon(t, []protocol{tells}, "-m", h.path(name), "--tell", "0", "--tell", "unix:"+h.path("s\x1b"))
	d.log.has(t, "a client said")
	must(t, os.WriteFile(h.path(name), []byte("damaged"), 0o600))
	must(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	d.log.has(t, "going on with the model in memory")
	d.stop()
	if err := d.ended(t); err == nil {
		t.Error("the error of a protocol is lost")
	}
	for line := range strings.Lines(d.log.String()) {
		if strings.ContainsRune(line, '\x1b') || strings.HasPrefix(line, "forged") {
			t.Errorf("printed %q", line)
		}
	}
}

func TestADaemonWhoseLogNobodyReadsJudgesOn(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	writeStore(t, h.path("model"))
	log, stderr, err := os.Pipe()
	must(t, err)
	defer stderr.Close()
	c := exec.Command("chaff", "serve", "-m", h.path("model"), "--spamd", "unix:"+h.path("s"))
	c.Stderr = stderr
	must(t, c.Start())
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "serving spamd") {
	}
	must(t, log.Close())
	for range 3 {
		if got := ask(t, h.path("s"), "CHECK SPAMC/1.5\r\nContent-length: 12\r\n\r\nSubject: a\n\n"); !strings.HasPrefix(got, "SPAMD/1.1 0 EX_OK") {
			t.Fatalf("got %q", got)
		}
	}
}

// fullOnce is a file whose disk is full at the second write.
type fullOnce struct {
	bytes.Buffer
	writes int
}

func (f *fullOnce) Write(text []byte) (int, error) {
	if f.writes++; f.writes == 2 {
		return 0, syscall.ENOSPC
	}
	return f.Buffer.Write(text)
}

func TestALogGoesOnAfterTheDiskWasFull(t *testing.T) {
	t.Parallel()
	for _, form := range []string{serve.LogText, serve.LogJSON} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			var file fullOnce
			log := newDaemonLog(&program{stderr: newOutput(&file)}, form)
			for _, line := range []string{"before", "lost", "after", "at last"} {
				log.Warn("%s", line)
			}
			for line, want := range map[string]bool{"before": true, "lost": false, "after": true, "at last": true} {
				if strings.Contains(file.String(), line) != want {
					t.Errorf("the log has %q, and whether it has %q should be %v", file.String(), line, want)
				}
			}
		})
	}
}
