package main

import (
	"net"
	"path/filepath"
	"strings"

	"chaff/serve"
	"chaff/serve/confine"
	"chaff/serve/lmtp"
)

// confineTo confines the process to the files that the daemon needs from here on.
func confineTo(o serve.Options, listeners []listener, logger serve.Logger) error {
	if !o.Confine {
		return nil
	}
	rights, err := rightsOf(o, listeners)
	if err != nil {
		return err
	}
	version, err := confine.Process(rights)
	if err != nil {
		return err
	}
	switch {
	case version < confine.FileVersion:
		logger.Warn("this system cannot confine the daemon: that needs Landlock, as Linux has from 5.13 on; it can read all that its user can; serve.confine=false silences this")
		return nil
	case version < confine.NetworkVersion:
		logger.Warn("this system cannot keep the daemon from the network: that needs Linux 6.7")
	}
	logger.Note("confined to %s", strings.Join(rights.Folders, ", "))
	return nil
}

// rightsOf returns what the daemon needs: its folders, the folders of its sockets, to remove them, and the backend of LMTP.
func rightsOf(o serve.Options, listeners []listener) (r confine.Rights, err error) {
	r.Folders = o.Folders()
	for i, folder := range r.Folders {
		if r.Folders[i], err = filepath.Abs(folder); err != nil {
			return r, err
		}
	}
	for _, l := range listeners {
		if path, isUnix := strings.CutPrefix(l.address, "unix:"); isUnix {
			r.Sockets = append(r.Sockets, filepath.Dir(path))
		}
	}
	if o.LMTPBackend == "" {
		return r, nil
	}
	backend, err := lmtp.ParseBackend(o.LMTPBackend)
	if err != nil || backend.Network != "tcp" {
		return r, err
	}
	host, service, err := net.SplitHostPort(backend.Address)
	if err != nil {
		return r, err
	}
	port, err := net.LookupPort("tcp", service)
	if err != nil {
		return r, err
	}
	r.Ports = append(r.Ports, uint16(port))
	if net.ParseIP(host) == nil { // its address is looked up each time, in files that are replaced when they change, or by DNS
		r.Files = append(r.Files, "/etc", "/run/systemd/resolve")
		r.Ports = append(r.Ports, 53)
	}
	return r, nil
}
