//go:build !unix

package systemd

import (
	"log/slog"
	"net"
	"os"
)

// Socket is a socket that the service manager listens on.
type Socket struct {
	net.Listener
	Name string
}

// Sockets returns none: this system has no such service manager.
func Sockets([]string) ([]Socket, error) { return nil, nil }

// Journal is a handler for the journal of systemd, which is not here.
type Journal struct{ slog.Handler }

// NewJournal returns nil.
func NewJournal([]string, *os.File, func(slog.Record) string) *Journal { return nil }
