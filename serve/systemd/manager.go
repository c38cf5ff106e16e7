// Package systemd is the daemon's side of a service manager: sockets that it passes on, and messages that it waits for.
//
//	sockets, err := systemd.Sockets(environ)      // LISTEN_FDS of the socket units
//	manager, err := systemd.Connect(environ)      // NOTIFY_SOCKET
//	manager.Tell(systemd.Ready)
//
// Without a service manager there are no sockets, and the messages go nowhere.
package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Manager takes messages about the state of the daemon. The one of a daemon that nobody manages takes none.
type Manager struct {
	conn     net.Conn
	watchdog time.Duration
}

// Connect connects to the service manager. The connection stays open, since a confined process cannot make it again.
func Connect(environ []string) (*Manager, error) {
	socket := variable(environ, "NOTIFY_SOCKET")
	if socket == "" {
		return &Manager{}, nil
	}
	if !strings.HasPrefix(socket, "/") && !strings.HasPrefix(socket, "@") { // package net knows the names of abstract sockets
		return nil, fmt.Errorf("NOTIFY_SOCKET is %q: only Unix sockets are supported", socket)
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("connect to the service manager: %w", err)
	}
	m := &Manager{conn: conn}
	if pid := variable(environ, "WATCHDOG_PID"); pid == "" || pid == strconv.Itoa(os.Getpid()) {
		if n, err := strconv.ParseInt(variable(environ, "WATCHDOG_USEC"), 10, 64); err == nil && n > 0 {
			m.watchdog = time.Duration(min(n, maxWatchdog)) * time.Microsecond
		}
	}
	return m, nil
}

// maxWatchdog is a year in microseconds.
const maxWatchdog = 365 * 24 * 60 * 60 * 1e6

// Watchdog returns after how much time without [Alive] the service manager kills the daemon; 0 is never.
func (m *Manager) Watchdog() time.Duration { return m.watchdog }

// What the daemon says of itself.
const (
	Ready     = "READY=1"     // it answers, or has read its model again
	Reloading = "RELOADING=1" // it reads its model again
	Stopping  = "STOPPING=1"  // it finishes what it has accepted, and ends
	Alive     = "WATCHDOG=1"  // it works; see [Manager.Watchdog]
)

// patience is how long a busy service manager may take for a message.
const patience = 5 * time.Second

// Tell says something.
func (m *Manager) Tell(message string) error {
	if m.conn == nil {
		return nil
	}
	m.conn.SetWriteDeadline(time.Now().Add(patience))
	if _, err := m.conn.Write([]byte(message)); err != nil {
		return fmt.Errorf("report to the service manager: %w", err)
	}
	return nil
}

func (m *Manager) Close() error {
	if m.conn == nil {
		return nil
	}
	return m.conn.Close()
}

func variable(environ []string, name string) string {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
