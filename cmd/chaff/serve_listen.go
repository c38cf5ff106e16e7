package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/coreos/go-systemd/v22/activation"

	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/serve"
	"chaff/serve/confine"
	"chaff/serve/lmtp"
)

// listener is where a protocol listens.
type listener struct {
	net.Listener
	protocol
	address string
}

// listen listens on all addresses, and takes the sockets of the service manager, which have the names of protocols.
func (x *serving) listen() error {
	for i, proto := range x.protocols {
		for _, address := range x.addresses[i] {
			l, err := listenOn(address)
			if err != nil {
				return fmt.Errorf("--%s %s: %w", proto.flag, address, err)
			}
			if l.Addr().Network() == "tcp" {
				address = l.Addr().String()
			}
			x.listeners = append(x.listeners, listener{l, proto, address})
		}
	}
	for _, file := range activation.Files(true) {
		name := file.Name()
		l, err := net.FileListener(file)
		file.Close() // the listener has a copy
		if err != nil {
			return fmt.Errorf("the socket %s of the service manager: no stream socket that listens: its unit needs ListenStream= and Accept=no", name)
		}
		i := slices.IndexFunc(x.protocols, func(p protocol) bool { return p.flag == name })
		if i < 0 {
			return hint.With(fmt.Errorf("the socket %s of the service manager has no protocol", name),
				"FileDescriptorName= of its unit says it, such as "+x.protocols[0].flag)
		}
		x.listeners = append(x.listeners, listener{l, x.protocols[i], "fd:" + name + ", " + l.Addr().String()})
	}
	if len(x.listeners) == 0 {
		var flags []string
		for _, proto := range x.protocols {
			flags = append(flags, "--"+proto.flag)
		}
		return hint.With(errors.New("no address to listen on"), "give one of "+strings.Join(flags, ", ")+" an address, such as unix:/run/chaff/socket or a port")
	}
	if slices.ContainsFunc(x.listeners, func(l listener) bool { return l.flag == "lmtp" }) {
		_, err := lmtp.ParseBackend(x.Serve.LMTPBackend)
		return err
	}
	return nil
}

var errAddress = errors.New("must be unix:PATH, HOST:PORT or a port")

// parseAddress returns the network and the address that package net knows an ADDRESS by, or [errAddress].
func parseAddress(text string) (network, address string, err error) {
	if path, isUnix := strings.CutPrefix(text, "unix:"); isUnix && path != "" {
		return "unix", path, nil
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = "", text
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 && port != "0" {
		return "", "", errAddress
	}
	return "tcp", net.JoinHostPort(cmp.Or(host, "localhost"), port), nil
}

func listenOn(text string) (net.Listener, error) {
	network, address, err := parseAddress(text)
	switch {
	case err != nil:
		return nil, err
	case network == "unix":
		return listenUnix(address)
	}
	l, err := net.Listen(network, address)
	if errors.Is(err, syscall.EACCES) {
		return nil, errors.New("permission denied: only root listens on ports below 1024; give a higher one, or unix:PATH")
	}
	return l, plainNetError(err)
}

// socketMode is the mode of Unix sockets: for the owner and the group.
const socketMode = 0o660

// listenUnix listens on a Unix socket. It takes the place of one that a killed daemon has left behind.
func listenUnix(path string) (net.Listener, error) {
	if path[0] == '@' { // package net would make an abstract socket
		return nil, errors.New("abstract sockets have no mode, so anyone could connect: give a path of a file")
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, errors.New("it exists and is not a socket: give another path, or remove it")
		}
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, errors.New("another program listens there")
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			os.Remove(path)
		}
	}
	l, err := net.Listen("unix", path)
	switch {
	case errors.Is(err, syscall.EINVAL):
		return nil, fmt.Errorf("the path has %d bytes, which is too long for a socket", len(path))
	case errors.Is(err, syscall.ENOENT):
		return nil, fmt.Errorf("there is no folder %s", filepath.Dir(path))
	case err != nil:
		return nil, plainNetError(err)
	}
	if err := os.Chmod(path, socketMode); err != nil {
		l.Close()
		return nil, replace.Reason(err)
	}
	return l, nil
}

// plainNetError removes the operation and the address that package net adds to an error.
func plainNetError(err error) error {
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}

// confine confines the process to the files that the daemon needs from here on.
func (x *serving) confine(o serve.Options) error {
	if !o.Confine {
		return nil
	}
	rights, err := rightsOf(o, x.listeners)
	if err != nil {
		return err
	}
	version, err := confine.Process(rights)
	if err != nil {
		return err
	}
	switch {
	case version < confine.FileVersion:
		x.log.Warn("this system cannot confine the daemon: that needs Landlock, as Linux has from 5.13 on; it can read all that its user can; serve.confine=false silences this")
		return nil
	case version < confine.NetworkVersion:
		x.log.Warn("this system cannot keep the daemon from the network: that needs Linux 6.7")
	}
	x.log.Note("confined to %s", strings.Join(rights.Folders, ", "))
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
