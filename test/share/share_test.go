package share

import (
	"testing"
	"time"

	"chaff/store"
	"chaff/test/corpustest"
)

// mailOf returns the messages of an invented mailbox.
func mailOf(t *testing.T, seed uint64, n int) (all []store.Message) {
	t.Helper()
	for item, raw := range corpustest.Each(t, corpustest.Mailbox(seed, n, "ham", "spam")) {
		all = append(all, store.Message{Raw: append([]byte(nil), raw...), Label: item.Label, Way: store.ByHand})
	}
	return all
}

func TestTwoHostsTeachEachOther(t *testing.T) {
	c := newServers(t, 1, "")
	base := trained(t, corpustest.Mailbox(1, 40, "ham", "spam"))
	a, b := newHost(t, "a", base, c.urls()), newHost(t, "b", base, c.urls())
	a.options.Fit = true
	for _, h := range []*host{a, b} {
		h.store.RetrainAfter = 1 << 30
	}
	mail := mailOf(t, 2, 20)
	a.learn(mail[:5]...) // before anything is shared
	a.run()
	b.run()
	b.learn(mail[5:20]...)
	a.learn(mail[20:]...)
	js := c.jetStream()
	settled(t, js, a, b)
	same(t, a, b)
	if n := a.status().Messages; n != 120 {
		t.Errorf("a has %d messages, want 120", n)
	}
	until(t, 10*time.Second, "the state of b says what was shared", func() bool {
		s, is, err := store.ReadSharing(b.path)
		return err == nil && is && s.Host == "b" && s.Published == 15 && s.Applied == 25 && s.Waiting == 0 && s.Position == 40 && s.Problem == ""
	})
	b.with(func(s *store.Store) error {
		_, err := s.Forget(mail[0].Raw)
		return err
	})
	settled(t, js, a, b)
	same(t, a, b)
	fitted(t, js, a, b)
	same(t, a, b)
	// A host without a model gets all there is.
	d := newHost(t, "d", "", c.urls())
	d.run()
	settled(t, js, a, b, d)
	same(t, a, b, d)
}
