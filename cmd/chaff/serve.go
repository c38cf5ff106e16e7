package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"chaff/cmd/internal/delivery"
	"chaff/config"
	"chaff/internal/screen"
	"chaff/serve"
	"chaff/serve/lmtp"
	"chaff/serve/milter"
	"chaff/serve/spamd"
	"chaff/serve/systemd"
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
		{"milter", "answer Postfix and Sendmail as a milter", func(ctx context.Context, l net.Listener, e *serve.Engine, c config.Config, log serve.Logger) error {
			o := milter.DefaultOptions()
			o.Quarantine, o.Reject, o.Log = c.Serve.MilterQuarantine, c.Serve.MilterReject, log
			return milter.Serve(ctx, l, e, o)
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

func serveCommand(p *program, all []protocol) *cobra.Command {
	x := serving{protocols: all, addresses: make([][]string, len(all))}
	c := &cobra.Command{
		Use:        "serve [-m FILE] --PROTOCOL ADDRESS...",
		Short:      "Judge and learn mail as a daemon, for mail servers",
		SuggestFor: []string{"daemon", "server", "listen", "spamd", "milter"},
		Long: `Serve keeps a model in memory, and judges and learns mail for mail servers and
other programs, by any of its protocols at the same time.

An ADDRESS is unix:PATH for a Unix socket, HOST:PORT, a port, which only this
machine can reach, or fd:NAME for a socket that systemd has passed. Sockets of
systemd that have the name of a protocol need no address.

A model that changes on disk is read again, as chaff learn or chaff train change
it; a hangup signal reads it at once. No message is lost by that. A termination
signal stops it when all messages that it has accepted are judged. Messages over
a limit (chaff config --explain serve) pass unjudged.

On Linux the daemon confines itself to the folders of its models: put the model
into a folder of its own.`,
		Example: `  chaff serve --spamd 783
  chaff serve --milter unix:/run/chaff/milter.sock -m /var/lib/chaff/model`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return p.serve(&x) },
	}
	x.command = c
	for i, proto := range all {
		c.Flags().StringArrayVar(&x.addresses[i], proto.flag, nil, proto.usage+" on `ADDRESS`; repeatable")
	}
	x.settings.add(p, c, "workers", "users")
	completePaths(c, "users")
	p.addModelFile(c, &x.model, "judge with")
	return c
}

// closeWait is how long a daemon that stops waits for what it has accepted.
const closeWait = 30 * time.Second

// judgingMemory is what the daemon needs in bytes beside the messages in transit: less than 200 MB for the one large message that is judged at a
// time, and some for small ones, the history and the models of users. Beyond both, Go collects garbage at any price: without that, clients that
// send large messages slowly make it take 600 MB.
const judgingMemory = 256 << 20

func (p *program) serve(x *serving) error {
	loaded, err := p.load(&x.settings)
	if err != nil {
		return err
	}
	if err := hasModel(x.model); err != nil {
		return err
	}
	logger := &daemonLog{p: p}
	sockets, err := systemd.Sockets(p.environ)
	if err != nil {
		return err
	}
	manager, err := systemd.Connect(p.environ)
	if err != nil {
		return err
	}
	defer manager.Close()
	listeners, err := x.listen(loaded.Serve, sockets)
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
	defer delivery.LimitMemoryTo(int64(o.Memory) + judgingMemory)()
	e, err := serve.New(x.command.Context(), o, logger)
	if err != nil {
		return err
	}
	if err = confineTo(o, listeners, logger); err == nil {
		err = p.serveAll(x, listeners, e, loaded.Config, logger, manager)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.command.Context()), closeWait)
	defer cancel()
	if err := errors.Join(err, e.Close(ctx)); err != nil {
		return err
	}
	logger.Note("stopped")
	return nil
}

// serveAll serves all listeners until the context of the command ends or one of them fails.
func (p *program) serveAll(x *serving, listeners []listener, e *serve.Engine, c config.Config, logger serve.Logger, manager *systemd.Manager) error {
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
	tell := func(message func() error) {
		if err := message(); err != nil {
			logger.Warn("%v", err)
		}
	}
	tell(manager.Ready)
	protocols.Go(func() { keepAlive(ctx, e, manager, tell) })
	for ctx.Err() == nil {
		select {
		case <-hangups:
			tell(manager.Reloading)
			if err := e.Reload(); err == nil {
				logger.Note("read the model %s again", x.model)
			} // else the engine has reported it
			tell(manager.Ready)
		case <-ctx.Done():
		}
	}
	logger.Note("stopping")
	tell(manager.Stopping)
	protocols.Wait()
	close(failures)
	var errs []error
	for err := range failures {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
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
