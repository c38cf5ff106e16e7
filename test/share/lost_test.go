package share

import (
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"chaff/store"
	"chaff/test/corpustest"
)

// What hosts were taught outlasts the stream and the fits: those that are made anew while the hosts run, and those that the host that fits has not followed.
func TestAStreamThatIsLostTakesNothingWithIt(t *testing.T) {
	c := newServers(t, 1, "")
	js := c.jetStream()
	hosts := newGroup(t, trained(t, corpustest.Mailbox(1, 60, "ham", "spam")), c.urls())
	mail := mailOf(t, 7, 100)
	taught := &lessons{by: map[uint64]map[string]string{}}
	lose := func() {
		t.Helper()
		if err := errors.Join(js.DeleteStream(t.Context(), "chaff-mail"), js.DeleteKeyValue(t.Context(), "chaff-mail"), js.DeleteObjectStore(t.Context(), "chaff-mail")); err != nil {
			t.Fatal(err)
		}
	}
	check := func() {
		t.Helper()
		settled(t, js, hosts...)
		fitted(t, js, hosts[0], hosts[1:]...)
		settled(t, js, hosts...)
		same(t, hosts...)
		for _, h := range hosts {
			taught.check(t, h)
		}
	}
	for _, h := range hosts {
		h.run()
	}
	taught.teach(t, 1, mail[:60], hosts...)
	settled(t, js, hosts...)
	fitted(t, js, hosts[0], hosts[1:]...)
	taught.teach(t, 2, mail[60:100], hosts...)
	settled(t, js, hosts...)
	lose()
	taught.teach(t, 3, mail[100:120], hosts...)
	check()

	hosts[0].kill()
	taught.teach(t, 4, mail[120:160], hosts[1:]...)
	settled(t, js, hosts[1:]...)
	lose()
	taught.teach(t, 5, mail[160:180], hosts...)
	hosts[0].run()
	until(t, 60*time.Second, "all have a fit of the new stream", func() bool {
		stream, err := js.Stream(t.Context(), "chaff-mail")
		return err == nil && !slices.ContainsFunc(hosts, func(h *host) bool {
			at, err := store.StandOf(h.path)
			return err != nil || at.Fit == 0 || at.Stream != stream.CachedInfo().Created.UnixNano()
		})
	})
	check()
}

// wires are ways between servers that can be cut.
type wires struct {
	t     *testing.T
	mu    sync.Mutex
	isCut bool
	ends  []net.Conn
}

func (w *wires) set(isCut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = isCut
	for _, end := range w.ends {
		end.Close()
	}
	w.ends = nil
}

// to returns the address of a way to a server.
func (w *wires) to(server string) string {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			here, err := l.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", server)
			if err != nil {
				here.Close()
				continue
			}
			w.mu.Lock()
			w.ends = append(w.ends, here, there)
			if w.isCut {
				here.Close()
				there.Close()
			}
			w.mu.Unlock()
			for _, way := range [][2]net.Conn{{here, there}, {there, here}} {
				go func() {
					io.Copy(way[0], way[1])
					way[0].Close()
				}()
			}
		}
	}()
	return l.Addr().String()
}

// Two of three servers, with their hosts, are cut off from the third one, which its host stays connected to, and later joined again.
func TestAClusterThatIsDividedLosesNothing(t *testing.T) {
	ports := freePorts(t, 6)
	c := &servers{t: t, ports: ports[:3], running: make([]*server.Server, 3)}
	inner, outer := &wires{t: t}, &wires{t: t}
	for i := range 3 {
		var routes []string
		for j := range 3 {
			way := inner
			if i == 2 || j == 2 {
				way = outer
			}
			if i != j {
				routes = append(routes, "nats-route://"+way.to(fmt.Sprintf("127.0.0.1:%d", ports[3+j])))
			}
		}
		c.configs = append(c.configs, filepath.Join(t.TempDir(), "nats.conf"))
		write(t, c.configs[i], fmt.Appendf(nil, "server_name: s%d\nlisten: \"127.0.0.1:%d\"\njetstream { store_dir: %q }\n"+
			"cluster { name: chaff, listen: \"127.0.0.1:%d\", no_advertise: true, advertise: \"127.0.0.1:1\", routes: [%s] }\n",
			i, ports[i], t.TempDir(), ports[3+i], strings.Join(routes, ", ")))
		c.start(i)
	}
	t.Cleanup(func() {
		for i := range c.running {
			c.stop(i)
		}
	})
	c.ready()
	js := (&servers{t: t, ports: ports[:2]}).jetStream()
	hosts := newGroup(t, trained(t, corpustest.Mailbox(1, 60, "ham", "spam")), c.urls()[:1], c.urls()[1:2], c.urls()[2:])
	hosts[0].options.Nats = c.urls() // so that there are three copies of the stream
	mail := mailOf(t, 7, 80)
	taught := &lessons{by: map[uint64]map[string]string{}}
	for _, h := range hosts {
		h.run()
	}
	taught.teach(t, 1, mail[:40], hosts...)
	settled(t, js, hosts...)
	outer.set(true)
	taught.teach(t, 2, mail[40:100], hosts...)
	time.Sleep(5 * time.Second)
	settled(t, js, hosts[:2]...)
	fitted(t, js, hosts[0], hosts[1])
	outer.set(false)
	taught.teach(t, 3, mail[100:130], hosts...)
	settled(t, js, hosts...)
	same(t, hosts...)
	for _, h := range hosts {
		taught.check(t, h)
	}
	fitted(t, js, hosts[0], hosts[1:]...)
	same(t, hosts...)
}
