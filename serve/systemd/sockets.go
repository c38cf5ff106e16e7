//go:build unix

package systemd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// firstSocket is the number of the first file that a service manager passes.
const firstSocket = 3

// maxSockets is how many it may pass.
const maxSockets = 1000

// Socket is a socket that the service manager listens on.
type Socket struct {
	net.Listener
	// Name is what FileDescriptorName= of its unit says.
	Name string
}

// Sockets returns the sockets that the service manager has passed to this process. It can be called once: it takes them over.
func Sockets(environ []string) (all []Socket, err error) {
	if variable(environ, "LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	defer func() {
		if err != nil {
			for _, s := range all {
				s.Close()
			}
		}
	}()
	n, err := strconv.Atoi(variable(environ, "LISTEN_FDS"))
	if err != nil || n < 0 || n > maxSockets {
		return nil, fmt.Errorf("LISTEN_FDS is %q: must be from 0 to %d", variable(environ, "LISTEN_FDS"), maxSockets)
	}
	names := strings.Split(variable(environ, "LISTEN_FDNAMES"), ":")
	for i := range n {
		name := "unknown"
		if i < len(names) && names[i] != "" {
			name = names[i]
		}
		l, err := takeOver(firstSocket + i)
		if err != nil {
			return all, fmt.Errorf("the socket %s of the service manager: %w", name, err)
		}
		all = append(all, Socket{l, name})
	}
	return all, nil
}

var errNoListener = errors.New("no stream socket that listens: its unit needs ListenStream= and Accept=no")

func takeOver(number int) (net.Listener, error) {
	file := os.NewFile(uintptr(number), "")
	if file == nil {
		return nil, syscall.EBADF
	}
	defer file.Close() // the listener has a copy
	syscall.CloseOnExec(number)
	if listens, err := syscall.GetsockoptInt(number, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN); err != nil || listens == 0 {
		return nil, errNoListener
	}
	l, err := net.FileListener(file)
	if err != nil {
		return nil, errNoListener
	}
	return l, nil
}
