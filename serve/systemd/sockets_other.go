//go:build !unix

package systemd

import "net"

// Socket is a socket that the service manager listens on.
type Socket struct {
	net.Listener
	// Name is what its unit calls it.
	Name string
}

// Sockets returns none: this system has no such service manager.
func Sockets([]string) ([]Socket, error) { return nil, nil }
