// Package share tests package chaff/share with real servers of NATS. It is a module of its own, so that the program does without them.
package share

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"chaff/corpus"
	"chaff/share"
	"chaff/store"
	"chaff/test/corpustest"
	"chaff/train"
)

// servers are servers of NATS in this process.
type servers struct {
	t       *testing.T
	configs []string // their files
	ports   []int
	running []*server.Server
}

// freePorts returns ports that nobody listens on.
func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// newServers starts n servers with JetStream as a cluster. more is added to the configuration of each.
func newServers(t *testing.T, n int, more string) *servers {
	t.Helper()
	c := &servers{t: t, running: make([]*server.Server, n)}
	ports := freePorts(t, 2*n)
	c.ports = ports[:n]
	var routes []string
	for _, port := range ports[n:] {
		routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", port))
	}
	for i := range n {
		text := fmt.Sprintf("server_name: s%d\nlisten: \"127.0.0.1:%d\"\njetstream { store_dir: %q }\n%s\n", i, ports[i], t.TempDir(), more)
		if n > 1 {
			text += fmt.Sprintf("cluster { name: chaff, listen: \"127.0.0.1:%d\", routes: [%s] }\n", ports[n+i], strings.Join(routes, ", "))
		}
		path := filepath.Join(t.TempDir(), "nats.conf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.configs = append(c.configs, path)
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.running {
			c.stop(i)
		}
	})
	c.ready()
	return c
}

func (c *servers) start(i int) {
	c.t.Helper()
	o, err := server.ProcessConfigFile(c.configs[i])
	if err != nil {
		c.t.Fatal(err)
	}
	o.NoSigs, o.NoLog = true, true
	if c.running[i], err = server.NewServer(o); err != nil {
		c.t.Fatal(err)
	}
	c.running[i].Start()
}

func (c *servers) stop(i int) {
	if c.running[i] != nil {
		c.running[i].Shutdown()
		c.running[i].WaitForShutdown()
		c.running[i] = nil
	}
}

// ready waits until the servers have a leader.
func (c *servers) ready() {
	c.t.Helper()
	until(c.t, 30*time.Second, "the servers have a leader", func() bool {
		for _, s := range c.running {
			if s != nil && s.ReadyForConnections(time.Second) && s.JetStreamEnabled() && (len(c.running) == 1 || s.JetStreamIsLeader()) {
				return true
			}
		}
		return false
	})
}

func (c *servers) urls() (all []string) {
	for _, port := range c.ports {
		all = append(all, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	return all
}

// jetStream connects to the servers.
func (c *servers) jetStream(options ...nats.Option) jetstream.JetStream {
	c.t.Helper()
	connection, err := nats.Connect(strings.Join(c.urls(), ","), append(options, nats.MaxReconnects(-1))...)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(connection.Close)
	js, err := jetstream.New(connection)
	if err != nil {
		c.t.Fatal(err)
	}
	return js
}

// until waits for something.
func until(t *testing.T, limit time.Duration, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !is(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// host is a host with a model.
type host struct {
	t       *testing.T
	name    string
	path    string
	options share.Options
	store   store.Options
	stop    context.CancelFunc // nil if share does not run
	ended   chan error
	mu      sync.Mutex
	said    []string
}

// newHost returns a host with a copy of the model at base, or none if that is "".
func newHost(t *testing.T, name, base string, urls []string) *host {
	t.Helper()
	h := &host{t: t, name: name, path: filepath.Join(t.TempDir(), name), options: share.DefaultOptions(), store: store.DefaultOptions()}
	h.options.Nats, h.options.Host, h.options.Rate, h.options.Pause = urls, name, 0, time.Second
	if base != "" {
		for _, suffix := range []string{"", store.Suffix} {
			write(t, h.path+suffix, read(t, base+suffix))
		}
	}
	t.Cleanup(h.kill)
	return h
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run starts share.
func (h *host) run() {
	ctx, stop := context.WithCancel(context.Background())
	h.stop, h.ended = stop, make(chan error, 1)
	go func() {
		h.ended <- share.Run(ctx, share.Model{Path: h.path, Store: h.store, Retrain: store.RetrainOptions{Workers: 1}}, h.options, func(line string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.said = append(h.said, line)
			if testing.Verbose() {
				fmt.Println(h.name, line)
			}
		})
	}()
}

// kill stops share.
func (h *host) kill() {
	if h.stop != nil {
		h.stop()
		if err := <-h.ended; err != nil {
			h.t.Errorf("host %s: %v", h.name, err)
		}
		h.stop = nil
	}
}

// learn teaches a host messages.
func (h *host) learn(all ...store.Message) {
	h.t.Helper()
	h.with(func(s *store.Store) error {
		for _, m := range all {
			if o, err := s.Learn(m); err != nil || o.What != store.Learned && o.What != store.Relabelled && o.What != store.Known {
				return fmt.Errorf("%v: %v", o, err)
			}
		}
		return nil
	})
}

// with does something with the log of a host.
func (h *host) with(do func(s *store.Store) error) {
	h.t.Helper()
	s, err := store.Open(context.Background(), h.path, h.store)
	if err == nil {
		err = do(s)
		if e := s.Finish(); err == nil && e != nil {
			err = e
		}
		s.Close()
	}
	if err != nil {
		h.t.Fatalf("host %s: %v", h.name, err)
	}
}

func (h *host) status() store.Status {
	h.t.Helper()
	v, err := store.Look(h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	defer v.Close()
	return v.Status(time.Now())
}

// settled waits until nothing waits at any host, and all have what the stream has.
func settled(t *testing.T, js jetstream.JetStream, hosts ...*host) {
	t.Helper()
	state := ""
	defer func() {
		if t.Failed() {
			t.Log(state)
		}
	}()
	until(t, 120*time.Second, "all hosts have all that the stream has", func() bool {
		for _, h := range hosts {
			all, err := (&store.Outbox{Path: h.path}).Next(1, 0)
			if state = fmt.Sprintf("host %s: %d wait: %v", h.name, len(all), err); err != nil || len(all) > 0 {
				return false
			}
		}
		stream, err := js.Stream(t.Context(), "chaff-mail")
		for _, h := range hosts {
			at, e := store.StandOf(h.path)
			if state = fmt.Sprintf("host %s is at %d: %v %v", h.name, at.Position, err, e); err != nil || e != nil || at.Stream == 0 || at.Position != stream.CachedInfo().State.LastSeq {
				return false
			}
		}
		return true
	})
}

// same waits until the logs of hosts say the same. A host that takes over a fit lacks for a moment what came after the fit.
func same(t *testing.T, hosts ...*host) {
	t.Helper()
	digests := map[string]string{}
	defer func() {
		if t.Failed() {
			t.Log(digests)
		}
	}()
	until(t, 30*time.Second, "the logs say the same", func() bool {
		for _, h := range hosts {
			digests[h.name] = h.status().Digest
		}
		return len(slices.Compact(slices.Sorted(maps.Values(digests)))) == 1
	})
}

// fitted makes the first host fit the model, waits until all have it, and checks that they have the same bytes.
func fitted(t *testing.T, js jetstream.JetStream, fitter *host, others ...*host) {
	t.Helper()
	before, err := store.StandOf(fitter.path)
	if err != nil {
		t.Fatal(err)
	}
	fitter.kill()
	fitter.store.RetrainAfter = 1
	fitter.run()
	hosts := append(others, fitter)
	until(t, 120*time.Second, "all have the fit", func() bool {
		for _, h := range hosts {
			if at, err := store.StandOf(h.path); err != nil || at.Fit < before.Position {
				return false
			}
		}
		return true
	})
	fitter.kill()
	fitter.store.RetrainAfter = 1 << 30
	fitter.run()
	settled(t, js, hosts...)
	for _, h := range others {
		if !bytes.Equal(read(t, h.path), read(t, fitter.path)) {
			t.Errorf("the models of %s and %s have other bytes", h.name, fitter.name)
		}
	}
}

// realMail returns n messages of SpamAssassin's corpus.
func realMail(t *testing.T, n int) (all []store.Message) {
	t.Helper()
	source, ok := corpustest.SpamAssassin(t)
	if !ok {
		t.Skip(corpustest.NeedsCorpora)
	}
	for item, raw := range corpustest.Each(t, source) {
		all = append(all, store.Message{Raw: bytes.Clone(raw), Label: item.Label, Way: store.ByHand})
	}
	// each class evenly
	var some []store.Message
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

// trained trains a model and returns its path.
func trained(t *testing.T, source corpus.Source) string {
	t.Helper()
	c, err := train.Collect(t.Context(), source, []string{"ham", "spam"}, train.DefaultCollectOptions())
	if err != nil {
		t.Fatal(err)
	}
	f, err := train.Fit(t.Context(), c, "votes", train.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	refitted, _, err := c.Refit(t.Context(), f, train.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := store.Create(t.Context(), path, c.Mail, refitted, train.Refitted{}, store.DefaultOptions(), false); err != nil {
		t.Fatal(err)
	}
	return path
}

func containsAll(text string, all ...string) bool {
	return !slices.ContainsFunc(all, func(part string) bool { return !strings.Contains(text, part) })
}
