package share

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"chaff/filter"
	"chaff/store"
	"chaff/test/corpustest"
)

// flaky returns the address of a way to a server that breaks every so often, so that what was sent, or the answer to it, is lost.
func flaky(t *testing.T, server string, every time.Duration) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			back, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			time.AfterFunc(time.Duration((0.5+rand.Float64())*float64(every)), func() {
				client.Close()
				back.Close()
			})
			go io.Copy(client, back)
			go io.Copy(back, client)
		}
	}()
	return "nats://" + l.Addr().String()
}

// lessons is what hosts were taught.
type lessons struct {
	mu    sync.Mutex
	by    map[uint64]map[string]string // of each message: what each host was taught last, "" to forget it
	count int
}

func (l *lessons) note(id uint64, host, label string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by[id] == nil {
		l.by[id] = map[string]string{}
	}
	l.by[id][host] = label
	l.count++
}

// check checks that a host has what was taught: of a message that hosts disagree on, what one of them was taught.
func (l *lessons) check(t *testing.T, h *host) {
	t.Helper()
	v, err := store.Look(h.path)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	has := map[uint64]store.Entry{}
	for _, e := range v.Entries() {
		has[e.Fingerprint] = e
	}
	lost := 0
	for id, by := range l.by {
		e, known := has[id]
		label := ""
		if known {
			label = v.Classes()[e.Label]
		}
		right := !known && slices.Contains(slices.Collect(func(yield func(string) bool) {
			for _, taught := range by {
				if !yield(taught) {
					return
				}
			}
		}), "")
		for host, taught := range by {
			right = right || known && taught == label && e.Origin == host
		}
		if !right {
			lost++
			t.Logf("message %x is %q by %q, and was taught as %v", id, label, e.Origin, by)
		}
	}
	if lost > 0 {
		t.Errorf("host %s has lost %d of %d messages", h.name, lost, len(l.by))
	}
	t.Logf("host %s: %d messages of %d lessons, 0 lost: %v", h.name, len(l.by), l.count, lost == 0)
}

// teach teaches hosts some mail: each message to one of them, one in thirty to a second one with the other label, and one in fifty is forgotten again.
func (l *lessons) teach(t *testing.T, seed uint64, mail []store.Message, hosts ...*host) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	for some := range slices.Chunk(mail, 10) {
		h := hosts[random.IntN(len(hosts))]
		other := hosts[random.IntN(len(hosts))]
		h.with(func(s *store.Store) error {
			for _, m := range some {
				if _, err := s.Learn(m); err != nil {
					return err
				}
				l.note(s.Fingerprint(m.Raw), h.name, m.Label)
			}
			if random.IntN(5) == 0 {
				m := some[random.IntN(len(some))]
				if o, err := s.Forget(m.Raw); err != nil || o.What != store.Forgotten {
					return err
				}
				l.note(s.Fingerprint(m.Raw), h.name, "")
			}
			return nil
		})
		if random.IntN(3) == 0 && other != h {
			m := some[random.IntN(len(some))]
			m.Label = map[string]string{"ham": "spam", "spam": "ham"}[m.Label]
			other.with(func(s *store.Store) error {
				o, err := s.Learn(m)
				if err == nil && o.What != store.Known {
					l.note(s.Fingerprint(m.Raw), other.name, m.Label)
				}
				return err
			})
		}
	}
}

// judge judges messages with the model of a host, each as a process of its own would, until stop is called, which returns the longest time.
func (h *host) judge(mail []store.Message) (stop func() time.Duration) {
	var ended atomic.Bool
	longest := make(chan time.Duration, 1)
	go func() {
		most := time.Duration(0)
		for i := 0; !ended.Load(); i++ {
			began := time.Now()
			f, err := filter.OpenOne(h.path)
			if err == nil {
				_, err = f.Classify(mail[i%len(mail)].Raw)
				f.Close()
			}
			if err != nil {
				h.t.Errorf("host %s: %v", h.name, err)
			}
			most = max(most, time.Since(began))
			time.Sleep(50 * time.Millisecond)
		}
		longest <- most
	}()
	return func() time.Duration {
		ended.Store(true)
		return <-longest
	}
}

// newGroup returns three hosts, of which the first fits.
func newGroup(t *testing.T, base string, urls ...[]string) (all []*host) {
	t.Helper()
	for i, name := range []string{"a", "b", "c"} {
		h := newHost(t, name, base, urls[i%len(urls)])
		h.options.Fit = i == 0
		h.store.RetrainAfter = 1 << 30
		all = append(all, h)
	}
	return all
}

func TestThreeHostsAndThreeServersLoseNothing(t *testing.T) {
	mail := realMail(t, 2000)
	base := trained(t, corpustest.Mailbox(1, 150, "ham", "spam"))
	c := newServers(t, 3, "")
	js := c.jetStream()
	var broken []string
	for _, port := range c.ports {
		broken = append(broken, flaky(t, fmt.Sprintf("127.0.0.1:%d", port), 4*time.Second))
	}
	hosts := newGroup(t, base, c.urls(), broken, broken)
	taught := &lessons{by: map[uint64]map[string]string{}}
	var judging []func() time.Duration
	for _, h := range hosts {
		h.run()
		judging = append(judging, h.judge(mail))
	}
	began := time.Now()
	taught.teach(t, 1, mail[:500], hosts...)
	twice(t, js, 25)
	leader := slices.IndexFunc(c.running, func(s *server.Server) bool { return s.JetStreamIsLeader() })
	c.stop(leader)
	t.Log("a server is gone")
	taught.teach(t, 2, mail[500:1000], hosts...)
	c.start(leader)
	c.ready()
	twice(t, js, 25)
	c.stop(0)
	c.stop(1)
	t.Log("two servers are gone")
	taught.teach(t, 3, mail[1000:1500], hosts...)
	c.start(0)
	c.start(1)
	c.ready()
	taught.teach(t, 4, mail[1500:2000], hosts...)
	settled(t, js, hosts...)
	twice(t, js, 50)
	settled(t, js, hosts...)
	t.Logf("%d lessons in %v", taught.count, time.Since(began).Round(time.Second))
	same(t, hosts...)
	for _, h := range hosts {
		taught.check(t, h)
	}
	fitted(t, js, hosts[0], hosts[1:]...)
	same(t, hosts...)

	for i, stop := range judging {
		t.Logf("host %s: a verdict took at most %v", hosts[i].name, stop().Round(time.Millisecond))
	}
}

// twice puts some records into the stream again.
func twice(t *testing.T, js jetstream.JetStream, n int) {
	t.Helper()
	stream, err := js.Stream(t.Context(), "chaff-mail")
	if err != nil {
		t.Fatal(err)
	}
	last := int(stream.CachedInfo().State.LastSeq)
	for range min(n, last) {
		m, err := stream.GetMsg(t.Context(), uint64(1+rand.IntN(last)))
		if err == nil {
			_, err = js.Publish(t.Context(), m.Subject, m.Data)
		}
		if err != nil {
			t.Log(err)
		}
	}
}

// program builds chaff.
func program(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "chaff")
	build := exec.Command("go", "build", "-o", out, "./cmd/chaff")
	build.Dir = filepath.Join("..", "..")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

// A host that is killed at any instant loses nothing and says nothing twice.
func TestAHostMayBeKilledAtAnyInstant(t *testing.T) {
	kills := 15
	if text := os.Getenv("TEST_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	mail := realMail(t, 30*kills)
	c := newServers(t, 1, "")
	js := c.jetStream()
	hosts := newGroup(t, trained(t, corpustest.Mailbox(1, 60, "ham", "spam")), c.urls())
	hosts[0].run()
	chaff := program(t)
	taught := &lessons{by: map[uint64]map[string]string{}}
	victim := hosts[1]
	random := rand.New(rand.NewPCG(1, 1))
	for i := range kills {
		command := exec.Command(chaff, "share", "-m", victim.path, "--nats", c.urls()[0], "--set", "share.host=b", "--set", "share.rate=0", "--set", "store.retrain_after=0")
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			time.Sleep(time.Duration(100+random.IntN(900)) * time.Millisecond)
			command.Process.Kill()
			command.Wait()
			close(ended)
		}()
		taught.teach(t, uint64(i), mail[30*i:30*i+30], hosts[:2]...)
		<-ended
	}
	victim.run()
	settled(t, js, hosts[:2]...)
	same(t, hosts[:2]...)
	for _, h := range hosts[:2] {
		taught.check(t, h)
	}
	t.Logf("killed %d times", kills)
	fitted(t, js, hosts[0], hosts[1])
}
