// Package systemd is the daemon's side of a service manager: sockets that it passes on, and messages that it waits for.
//
//	sockets, err := systemd.Sockets(environ)      // LISTEN_FDS of the socket units
//	manager, err := systemd.Connect(environ)      // NOTIFY_SOCKET
//	manager.Ready()
//
// Without a service manager there are no sockets, and the messages go nowhere.
package systemd

import "strings"

func variable(environ []string, name string) string {
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
