//go:build unix

package systemd

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"
)

func TestTheManagerIsTold(t *testing.T) {
	names := map[string]string{"a path": filepath.Join(t.TempDir(), "notify")}
	if runtime.GOOS == "linux" {
		names["an abstract socket"] = "@chaff-test-" + strconv.Itoa(os.Getpid())
	}
	for name, socket := range names {
		t.Run(name, func(t *testing.T) {
			manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
			if err != nil {
				t.Fatal(err)
			}
			defer manager.Close()
			m, err := Connect([]string{"NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=3000000"})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if m.Watchdog() != 3*time.Second {
				t.Errorf("the watchdog waits %v", m.Watchdog())
			}
			for _, want := range []string{Ready, Stopping, Alive, Reloading} {
				if err := m.Tell(want); err != nil {
					t.Fatal(err)
				}
				message := make([]byte, 1000)
				n, err := manager.Read(message)
				if err != nil || string(message[:n]) != want {
					t.Errorf("got %q, %v, want %q", message[:n], err, want)
				}
			}
		})
	}
}

func TestWithoutAManagerNothingIsTold(t *testing.T) {
	m, err := Connect([]string{"WATCHDOG_USEC=1000"})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Tell(Ready); err != nil || m.Watchdog() != 0 {
		t.Errorf("got %v, %v", err, m.Watchdog())
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	for _, socket := range []string{"/none/notify", "vsock:2:1234"} {
		if _, err := Connect([]string{"NOTIFY_SOCKET=" + socket}); err == nil {
			t.Errorf("%s: no error", socket)
		}
	}
}

func TestTheWatchdogOfAnotherProcessIsNotOurs(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for value, want := range map[string]time.Duration{
		"WATCHDOG_PID=1": 0, "WATCHDOG_PID=" + strconv.Itoa(os.Getpid()): time.Second, "WATCHDOG_USEC=x": 0, "WATCHDOG_USEC=-1": 0,
	} {
		m, err := Connect([]string{value, "NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=1000000"})
		if err != nil {
			t.Fatal(err)
		}
		if m.Watchdog() != want {
			t.Errorf("%s: got %v, want %v", value, m.Watchdog(), want)
		}
		m.Close()
	}
}

func TestSocketsOfAnotherProcessAreNotOurs(t *testing.T) {
	for _, tt := range []struct {
		environ []string
		wrong   bool
	}{
		{nil, false},
		{[]string{"LISTEN_PID=1", "LISTEN_FDS=1"}, false},
		{[]string{"LISTEN_PID=" + strconv.Itoa(os.Getpid()), "LISTEN_FDS=many"}, true},
		{[]string{"LISTEN_PID=" + strconv.Itoa(os.Getpid()), "LISTEN_FDS=-1"}, true},
		{[]string{"LISTEN_PID=" + strconv.Itoa(os.Getpid()), "LISTEN_FDS=100000"}, true},
		{[]string{"LISTEN_PID=" + strconv.Itoa(os.Getpid()), "LISTEN_FDS=0"}, false},
	} {
		all, err := Sockets(tt.environ)
		if len(all) != 0 || (err != nil) != tt.wrong {
			t.Errorf("%q: got %v, %v", tt.environ, all, err)
		}
	}
}
