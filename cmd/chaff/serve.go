package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"chaff/config"
	"chaff/internal/hint"
	"chaff/internal/screen"
	"chaff/serve"
	"chaff/serve/lmtp"
	"chaff/serve/spamd"
	"chaff/serve/web"
)

// protocol is a protocol of chaff serve.
type protocol struct {
	flag, usage string
	// serve answers clients until ctx ends, and then finishes what it has accepted.
	serve func(ctx context.Context, l net.Listener, e *serve.Engine, c config.Config, logger serve.Logger) error
}

// protocols returns all protocols.
func protocols() []protocol {
	return []protocol{
		{"spamd", "answer spamc, Exim and other clients of SpamAssassin's spamd", func(ctx context.Context, l net.Listener, e *serve.Engine, c config.Config, log serve.Logger) error {
			o := spamd.DefaultOptions()
			o.TellOverTCP, o.Log = c.Serve.TellOverTCP, log
			return spamd.Serve(ctx, l, e, o)
		}},
		{"http", "serve HTTP with JSON, the requests of rspamc, and a console for people", func(ctx context.Context, l net.Listener, e *serve.Engine, _ config.Config, log serve.Logger) error {
			return web.Serve(ctx, l, e, log)
		}},
		{"lmtp", "judge mail on its way from a mail server to serve.lmtp_backend", func(ctx context.Context, l net.Listener, e *serve.Engine, c config.Config, log serve.Logger) error {
			o := lmtp.DefaultOptions()
			o.Log = log
			var err error
			if o.Backend, err = lmtp.ParseBackend(c.Serve.LMTPBackend); err != nil {
				return err
			}
			return lmtp.Serve(ctx, l, e, o)
		}},
	}
}

// serving is the command serve: its flags, and the settings in force.
type serving struct {
	command   *cobra.Command
	settings  settingFlags
	model     string
	protocols []protocol
	addresses [][]string // of each protocol
}

func (p *program) serveCommand() *cobra.Command { return p.serveProtocols(protocols()) }

func (p *program) serveProtocols(all []protocol) *cobra.Command {
	x := serving{protocols: all, addresses: make([][]string, len(all))}
	c := &cobra.Command{
		Use:        "serve [-m FILE] --PROTOCOL ADDRESS...",
		Short:      "Judge and learn mail as a daemon, for mail servers",
		SuggestFor: []string{"daemon", "server", "listen", "spamd", "milter"},
		Long: `Serve keeps a model in memory, and judges and learns mail for mail servers and
other programs, by any of its protocols at the same time.

An ADDRESS is unix:PATH for a Unix socket, HOST:PORT, or a port, which only this
machine can reach.

A model that changes on disk is read again, as chaff learn or chaff train change
it; a hangup signal reads it at once. No message is lost by that. A termination
signal stops it when all messages that it has accepted are judged. Messages over
a limit (chaff config --explain serve) pass unjudged.`,
		Example: `  chaff serve --spamd 783
  chaff serve --milter unix:/run/chaff/milter.sock -m /var/lib/chaff/model`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return p.serve(&x) },
	}
	x.command = c
	for i, proto := range all {
		c.Flags().StringArrayVar(&x.addresses[i], proto.flag, nil, proto.usage+" on `ADDRESS`; repeatable")
	}
	x.settings.add(p, c, "workers", "memory")
	users := &namedFlag{flag: "users", key: "serve.users"}
	c.Flags().StringVar(&users.value, users.flag, "", "keep a model for each user in the folder `PATH`")
	x.settings.named = append(x.settings.named, users)
	completePaths(c, "users")
	p.addModelFile(c, &x.model, "judge with")
	return c
}

// closeWait is how long a daemon that stops waits for what it has accepted.
const closeWait = 30 * time.Second

func (p *program) serve(x *serving) error {
	loaded, err := p.load(x.command, &x.settings)
	if err != nil {
		return err
	}
	if err := hasModel(x.model); err != nil {
		return err
	}
	logger := &daemonLog{p: p}
	listeners, err := x.listen(loaded.Serve)
	if err != nil {
		return err
	}
	defer func() {
		for _, l := range listeners {
			l.Close()
		}
	}()
	o := loaded.Serve
	o.Model, o.Store, o.Retrain, o.Workers = x.model, loaded.Store, retrainOptions(loaded.Config), loaded.Workers
	e, err := serve.New(x.command.Context(), o, logger)
	if err != nil {
		return err
	}
	err = p.serveAll(x, listeners, e, loaded.Config, logger)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.command.Context()), closeWait)
	defer cancel()
	if err := errors.Join(err, e.Close(ctx)); err != nil {
		return err
	}
	logger.Note("stopped")
	return nil
}

// listener is where a protocol listens.
type listener struct {
	net.Listener
	protocol
	address string
}

// serveAll serves all listeners until the context of the command ends or one of them fails.
func (p *program) serveAll(x *serving, listeners []listener, e *serve.Engine, c config.Config, logger serve.Logger) error {
	ctx, stop := context.WithCancel(x.command.Context())
	defer stop()
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	var protocols sync.WaitGroup
	failures := make(chan error, len(listeners))
	for _, l := range listeners {
		logger.Note("serving %s on %s", l.flag, l.address)
		protocols.Go(func() {
			defer stop() // the others as well
			if err := l.serve(ctx, l, e, c, logger); err != nil {
				failures <- fmt.Errorf("serve %s on %s: %w", l.flag, l.address, err)
			}
		})
	}
	for ctx.Err() == nil {
		select {
		case <-hangups:
			if err := e.Reload(); err == nil {
				logger.Note("read the model %s again", x.model)
			} // else the engine has reported it
		case <-ctx.Done():
		}
	}
	logger.Note("stopping")
	protocols.Wait()
	close(failures)
	var errs []error
	for err := range failures {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// listen listens on all addresses.
func (x *serving) listen(o serve.Options) (all []listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range all {
				l.Close()
			}
		}
	}()
	for i, proto := range x.protocols {
		for _, address := range x.addresses[i] {
			l, err := listenOn(address, o)
			if err != nil {
				return all, fmt.Errorf("--%s %s: %w", proto.flag, address, err)
			}
			all = append(all, listener{l, proto, address})
		}
	}
	if len(all) == 0 {
		var flags []string
		for _, proto := range x.protocols {
			flags = append(flags, "--"+proto.flag)
		}
		return nil, hint.With(errors.New("no address to listen on"), "give one of "+strings.Join(flags, ", ")+" an address, such as unix:/run/chaff/socket or a port")
	}
	return all, nil
}

// listenOn listens on an address.
func listenOn(address string, o serve.Options) (net.Listener, error) {
	if path, isUnix := strings.CutPrefix(address, "unix:"); isUnix {
		return listenUnix(path, o)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = "", address
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 && port != "0" {
		return nil, errors.New("must be unix:PATH, HOST:PORT or a port")
	}
	if host == "" {
		host = "localhost"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	return l, plainNetError(err)
}

// listenUnix listens on a Unix socket. It takes the place of one that a killed daemon has left behind.
func listenUnix(path string, o serve.Options) (net.Listener, error) {
	if path == "" {
		return nil, errors.New("must be unix:PATH")
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, errors.New("another program listens there")
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			os.Remove(path)
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, plainNetError(err)
	}
	mode, err := strconv.ParseUint(o.SocketMode, 8, 32)
	if err == nil {
		err = withoutPath(os.Chmod(path, fs.FileMode(mode)))
	}
	if err != nil {
		l.Close()
		return nil, err
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

// hasModel returns an error that says how to make one if there is no model at path.
func hasModel(path string) error {
	if path == "" {
		return hasStore(path)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return hasStore(path)
	}
	return nil
}

// daemonLog prints what a daemon reports, a line for each event.
type daemonLog struct {
	p  *program
	mu sync.Mutex
}

func (l *daemonLog) Note(format string, args ...any) {
	if !l.p.quiet {
		l.print("chaff: "+format+"\n", args)
	}
}

func (l *daemonLog) Warn(format string, args ...any) {
	l.print("chaff: %s "+format+"\n", append([]any{warning()}, args...))
}

func (l *daemonLog) print(format string, args []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	screen.Printf(l.p.stderr, format, args...)
}
