package share

import (
	"errors"
	"slices"
	"testing"
	"time"

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
