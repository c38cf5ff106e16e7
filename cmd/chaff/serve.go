package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	sd "github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/internal/hint"
	"chaff/internal/replace"
	"chaff/internal/screen"
	"chaff/serve"
	"chaff/serve/confine"
	"chaff/serve/lmtp"
	"chaff/serve/milter"
	"chaff/serve/spamd"
	"chaff/serve/systemd"
	"chaff/serve/web"
	"chaff/share"
)

type protocol struct {
	flag, usage string
	open        func(l net.Listener, e *serve.Engine, log serve.Logger) (serve.Running, error)
	say, hear   string   // what a client says first, and how the answer begins
	addresses   []string // where to listen
}

func protocols() []protocol {
	return []protocol{
		{flag: "spamd", usage: "answer spamc, Exim and other clients of SpamAssassin's spamd", open: spamd.Open, say: "PING SPAMC/1.5\r\n\r\n", hear: "SPAMD/1."},
		// Version 6 of the protocol, which offers all actions and steps: the answer is such a packet too.
		{flag: "milter", usage: "answer Postfix and Sendmail as a milter", open: milter.Open, say: "\x00\x00\x00\x0dO\x00\x00\x00\x06\x00\x00\x01\xff\x00\x1f\xff\xff", hear: "\x00\x00\x00\x0dO"},
		{flag: "http", usage: "serve HTTP with JSON, the requests of rspamc, and a console for people", open: web.Open, say: "GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n", hear: "HTTP/1.0 200"},
		{flag: "lmtp", usage: "judge mail on its way from a mail server to serve.lmtp_backend", open: lmtp.Open, hear: "220 "},
	}
}

// serving is the command serve: its flags, and what it runs with.
type serving struct {
	onModel
	protocols []protocol
	log       daemonLog
	engine    *serve.Engine
	listeners []listener
	manager   net.Conn // to the service manager; nil for none
}

func serveCommand(p *program, all []protocol) *cobra.Command {
	x := serving{protocols: all}
	c := &cobra.Command{
		Use:   "serve [-m FILE] --PROTOCOL ADDRESS...",
		Short: "Judge and learn mail as a daemon, for mail servers",
		Long: `Serve keeps a model in memory, and judges and learns mail for mail servers and
other programs, by any of its protocols at the same time.

An ADDRESS is unix:PATH for a Unix socket, HOST:PORT, or a port, which only this
machine can reach. Sockets of systemd that have the name of a protocol need no
address.

A model that changes on disk is read again, as chaff learn or chaff train change
it; a hangup signal reads it at once. No message is lost by that. A termination
signal stops it when all messages that it has accepted are judged. Messages over
a limit (chaff config --explain serve) pass unjudged.

On Linux the daemon confines itself to the folders of its models: put the model
into a folder of its own.`,
		Example: `  chaff serve --spamd 783
  chaff serve --milter unix:/run/chaff/milter.sock -m /var/lib/chaff/model`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return x.run() },
	}
	for i, proto := range all {
		c.Flags().StringArrayVar(&all[i].addresses, proto.flag, nil, proto.usage+" on `ADDRESS`; repeatable")
	}
	x.add(p, c, "judge with", "", "workers", "users")
	return c
}

// judgingMemory is what the daemon needs in bytes beside the messages in transit: less than 200 MB for the one large message that is judged at a
// time, and some for small ones and the history. Beyond both, Go collects garbage at any price: without that, clients that
// send large messages slowly make it take 600 MB.
const judgingMemory = 256 << 20

func (x *serving) run() error {
	if _, err := os.Stat(x.model); x.model == "" || errors.Is(err, fs.ErrNotExist) {
		if err := x.hasStore(x.model); err != nil {
			if x.model != "" {
				err = hint.With(err, "chaff train -m "+hint.Word(x.model)+" --maildir PATH makes one")
			}
			return err
		}
	}
	x.log = newDaemonLog(x.program, x.Serve.Log)
	o := x.Serve
	var err error
	if socket := delivery.Variable(x.environ, "NOTIFY_SOCKET"); socket != "" { // a confined process may not connect
		if x.manager, err = net.Dial("unixgram", socket); err != nil {
			return fmt.Errorf("connect to the service manager: %w", err)
		}
		defer x.manager.Close()
	}
	defer func() {
		for _, l := range x.listeners {
			l.Close()
		}
	}()
	if err = x.listen(); err != nil {
		return err
	}
	o.Model, o.Store, o.Retrain, o.Workers = x.model, x.Store, retrainOptions(x.Config), x.Workers
	if o.Log != serve.LogWarnings && !x.quiet {
		o.Events = x.log.Logger
	}
	defer delivery.LimitMemory(int64(o.Memory) + judgingMemory)()
	if x.engine, err = serve.New(x.command.Context(), o, x.log); err != nil {
		return delivery.Advised(x.model, err)
	}
	for i, l := range x.listeners {
		if err == nil {
			x.listeners[i].running, err = l.open(l, x.engine, x.log)
		}
	}
	if err == nil {
		err = x.confine(o)
	}
	if err == nil {
		err = x.answer()
	}
	const closeWait = 30 * time.Second // for what it has accepted
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.command.Context()), closeWait)
	defer cancel()
	if err := errors.Join(err, x.engine.Close(ctx)); err != nil {
		return err
	}
	x.log.Note("stopped")
	return nil
}

// answer serves all listeners until the context of the command ends or one of them fails.
func (x *serving) answer() error {
	ctx, stop := context.WithCancel(x.command.Context())
	defer stop()
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	var protocols sync.WaitGroup
	failures := make([]error, len(x.listeners))
	for i, l := range x.listeners {
		x.log.Note("serving %s on %s", l.flag, l.address)
		protocols.Go(func() {
			defer stop() // the others as well
			if err := l.running(ctx); err != nil {
				failures[i] = fmt.Errorf("serve %s on %s: %w", l.flag, l.address, err)
			}
		})
	}
	x.tell(sd.SdNotifyReady)
	protocols.Go(func() { x.keepAlive(ctx) })
	for ctx.Err() == nil {
		select {
		case <-hangups:
			x.tell(sd.SdNotifyReloading)
			if err := x.engine.Reload(); err == nil {
				x.log.Note("read the model %s again", x.model)
			} // else the engine has reported it
			x.tell(sd.SdNotifyReady)
		case <-ctx.Done():
		}
	}
	x.log.Note("stopping")
	x.tell(sd.SdNotifyStopping)
	protocols.Wait()
	return errors.Join(failures...)
}

// tell tells the service manager, if there is one, of a state of the daemon.
func (x *serving) tell(state string) {
	if x.manager == nil {
		return
	}
	x.manager.SetWriteDeadline(time.Now().Add(5 * time.Second))
	if _, err := x.manager.Write([]byte(state)); err != nil {
		x.log.Warn("report to the service manager: %v", err)
	}
}

// keepAlive reports to the service manager that messages are judged, until ctx ends.
func (x *serving) keepAlive(ctx context.Context) {
	patience, err := sd.SdWatchdogEnabled(false)
	if err != nil || patience <= 0 {
		return
	}
	tick := time.NewTicker(patience / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if x.engine.IsAlive(ctx) {
				x.tell(sd.SdNotifyWatchdog)
			}
		}
	}
}

// daemonLog logs what a daemon reports, and what happens to each message.
type daemonLog struct {
	*slog.Logger
	quiet bool
}

// newDaemonLog returns a log in one of the forms of [serve.Options]. Text goes into the journal of systemd with its fields.
func newDaemonLog(p *program, form string) daemonLog {
	var handler slog.Handler = &textHandler{Handler: slog.DiscardHandler, p: p}
	if form == serve.LogJSON {
		handler = slog.NewJSONHandler(screen.JSON{To: p.stderr}, nil)
	} else if journal := systemd.NewJournal(); journal != nil {
		handler = journal
	}
	return daemonLog{slog.New(handler), p.quiet}
}

func (l daemonLog) Note(format string, args ...any) {
	if !l.quiet {
		l.Info(fmt.Sprintf(format, args...))
	}
}

func (l daemonLog) Warn(format string, args ...any) { l.Logger.Warn(fmt.Sprintf(format, args...)) }

// textHandler prints each record as a line: its text and its attributes, which may be anyone's.
type textHandler struct {
	slog.Handler // of what is not overridden
	p            *program
	mu           sync.Mutex
}

func (h *textHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Level >= slog.LevelWarn {
		h.p.warn(serve.Line(r))
		return nil
	}
	_, err := screen.Printf(h.p.stderr, "chaff: %s\n", screen.Quoted(serve.Line(r)))
	return err
}

// listener is where a protocol listens.
type listener struct {
	net.Listener
	protocol
	address string
	running serve.Running // once it is open
}

// listen listens on all addresses, and takes the sockets of the service manager, which have the names of protocols.
func (x *serving) listen() error {
	for _, proto := range x.protocols {
		for _, address := range proto.addresses {
			l, err := listenOn(address)
			if err != nil {
				return fmt.Errorf("--%s %s: %w", proto.flag, address, err)
			}
			if l.Addr().Network() == "tcp" {
				address = l.Addr().String()
			}
			x.listeners = append(x.listeners, listener{Listener: l, protocol: proto, address: address})
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
		x.listeners = append(x.listeners, listener{Listener: l, protocol: x.protocols[i], address: "fd:" + name + ", " + l.Addr().String()})
	}
	if len(x.listeners) == 0 {
		flags := mapped(x.protocols, func(p protocol) string { return "--" + p.flag })
		return hint.With(errors.New("no address to listen on"), "give one of "+strings.Join(flags, ", ")+" an address, such as unix:/run/chaff/socket or a port")
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
	return l, replace.Reason(err)
}

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
		return nil, replace.Reason(err)
	}
	if err := os.Chmod(path, 0o660); err != nil { // for the owner and the group
		l.Close()
		return nil, replace.Reason(err)
	}
	return l, nil
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

func shareCommand(p *program) *cobra.Command {
	var x onModel
	c := &cobra.Command{
		Use:   "share [-m FILE] --nats URL,...",
		Short: "Teach the filters of other hosts, and learn from them",
		Long: `Share connects the model of this host with those of others by NATS JetStream:
what users teach one of them, all learn. It runs beside chaff serve, or whatever
else learns and judges; nothing else waits for it or for the network, and what
is taught meanwhile is shared later.

One host has share.fit=true: it fits the model for all, and the others take over
its model and its log. A host without a model gets them from there.

A host has a name of at most 8 letters, share.host, by which chaff learn
--forget --origin NAME takes out what was taught there. chaff status shows what
was shared. Servers that are not this machine are reached by TLS only, since
records have the words of mail. docs/scale.md has a worked example.`,
		Example: `  chaff share --nats nats://localhost:4222 --set share.fit=true
  chaff share -m spam.model --nats tls://a.example.org,tls://b.example.org`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			m := share.Model{Path: x.model, Store: x.Store, Retrain: retrainOptions(x.Config)}
			return share.Run(c.Context(), m, x.Share, p.warn)
		},
	}
	x.add(p, c, "share", "", "nats", "workers", "memory")
	return c
}
