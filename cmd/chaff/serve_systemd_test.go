//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// activated is a daemon in a process of its own, with sockets and messages as systemd has them.
type activated struct {
	*exec.Cmd
	log      growing
	messages *net.UnixConn // from the daemon to the service manager
}

// startActivated starts a daemon with sockets of some names.
func startActivated(t *testing.T, h home, sockets map[string]*net.UnixListener, args ...string) *activated {
	t.Helper()
	name := "@chaff-test-" + strconv.Itoa(os.Getpid()) + t.Name()
	messages, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	must(t, err)
	t.Cleanup(func() { messages.Close() })
	d := &activated{Cmd: exec.Command("sh", append([]string{"-c", `LISTEN_PID=$$ exec chaff serve "$@"`, "sh", "-m", h.path("model")}, args...)...), messages: messages}
	var names []string
	for name, l := range sockets {
		file, err := l.File()
		must(t, err)
		defer file.Close()
		names = append(names, name)
		d.ExtraFiles = append(d.ExtraFiles, file)
	}
	d.Env = append(os.Environ(), "HOME="+h.path("."), "NOTIFY_SOCKET="+name, "WATCHDOG_USEC=30000",
		"LISTEN_FDS="+strconv.Itoa(len(names)), "LISTEN_FDNAMES="+strings.Join(names, ":"))
	d.Stderr = &d.log
	must(t, d.Start())
	t.Cleanup(func() {
		d.Process.Kill()
		d.Wait()
	})
	return d
}

// says waits until the daemon has sent a message to the service manager.
func (d *activated) says(t *testing.T, want string) {
	t.Helper()
	d.messages.SetReadDeadline(time.Now().Add(20 * time.Second))
	for buffer := make([]byte, 1000); ; {
		n, err := d.messages.Read(buffer)
		if err != nil {
			t.Fatalf("%q: %v: %s", want, err, &d.log)
		}
		if strings.HasPrefix(string(buffer[:n]), want) {
			return
		}
	}
}

func listenTest(t *testing.T, path string) *net.UnixListener {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func TestADaemonThatSystemdManages(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	h.writeModel()
	byName := h.path("by-name")
	backend, err := net.Listen("tcp", "localhost:0")
	must(t, err)
	defer backend.Close()
	d := startActivated(t, h, map[string]*net.UnixListener{"spamd": listenTest(t, byName)},
		"--spamd", "unix:"+h.path("own"),
		"--lmtp", "unix:"+h.path("lmtp"), "--set", fmt.Sprintf("serve.lmtp_backend=localhost:%d", backend.Addr().(*net.TCPAddr).Port))
	d.says(t, "READY=1")
	for _, socket := range []string{byName, h.path("own")} {
		if got := ask(t, socket, "PING SPAMC/1.5\r\n\r\n"); got != "SPAMD/1.5 0 PONG\r\n" {
			t.Errorf("%s: got %q", socket, got)
		}
	}
	client, err := net.Dial("unix", h.path("lmtp"))
	must(t, err)
	defer client.Close()
	_, err = client.Write([]byte("LHLO mx.example.org\r\n"))
	must(t, err)
	must(t, backend.(*net.TCPListener).SetDeadline(time.Now().Add(20*time.Second)))
	passedOn, err := backend.Accept()
	if err != nil {
		t.Fatalf("the backend of LMTP: %v: %s", err, &d.log)
	}
	passedOn.Close()
	d.says(t, "WATCHDOG=1")
	must(t, d.Process.Signal(syscall.SIGHUP))
	d.says(t, "RELOADING=1")
	d.says(t, "READY=1")
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.Process.Pid)); err != nil || !strings.Contains(string(status), "NoNewPrivs:\t1\n") {
		t.Errorf("the daemon may gain privileges: %v\n%s", err, status)
	}
	must(t, d.Process.Signal(syscall.SIGTERM))
	d.says(t, "STOPPING=1")
	if err := d.Wait(); err != nil {
		t.Errorf("%v: %s", err, &d.log)
	}
	if _, err := os.Stat(byName); err != nil {
		t.Errorf("the socket of systemd: %v", err)
	}
	if _, err := os.Stat(h.path("own")); err == nil {
		t.Error("the daemon's own socket is still there")
	}
	if got := d.log.String(); !strings.Contains(got, "confined to "+h.path(".")) && !strings.Contains(got, "cannot confine") {
		t.Error(got)
	}
}

func TestSocketsThatNobodyServesAreErrors(t *testing.T) {
	t.Parallel()
	h := newHome(t, "")
	h.writeModel()
	for _, tt := range []struct {
		name, socket, want string
	}{
		{"a name that is no protocol", "nonsense\x1b", `the socket nonsense\x1b of the service manager has no protocol`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := startActivated(t, h, map[string]*net.UnixListener{tt.socket: listenTest(t, h.path("socket"))})
			err := d.Wait()
			if _, failed := errors.AsType[*exec.ExitError](err); !failed || !strings.Contains(d.log.String(), tt.want) {
				t.Errorf("got %v, %s", err, &d.log)
			}
		})
	}
	t.Run("a file that is no socket", func(t *testing.T) {
		c := exec.Command("sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec chaff serve -m "$1" 3</dev/null`, "sh", h.path("model"))
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "no stream socket that listens") {
			t.Errorf("got %v, %s", err, out)
		}
	})
}

func TestTheUnitsOfSystemd(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is missing: apt-get install --no-install-recommends systemd")
	}
	units, err := filepath.Glob(filepath.Join("systemd", "chaff*"))
	if err != nil || len(units) == 0 {
		t.Fatalf("%d units, %v", len(units), err)
	}
	here, err := os.Executable() // stands for the installed program
	must(t, err)
	folder := t.TempDir()
	verify := []string{"verify"}
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		must(t, err)
		copied := filepath.Join(folder, filepath.Base(unit))
		must(t, os.WriteFile(copied, bytes.ReplaceAll(text, []byte("ExecStart=chaff"), []byte("ExecStart="+here)), 0o644))
		if instance, isTemplate := strings.CutSuffix(copied, "@.socket"); isTemplate {
			copied = instance + "@spamd.socket"
		}
		verify = append(verify, copied)
		if strings.HasSuffix(unit, ".service") {
			if out, err := exec.Command("systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=20", copied).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", unit, err, out)
			}
		}
	}
	if out, err := exec.Command("systemd-analyze", verify...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
