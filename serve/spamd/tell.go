package spamd

import (
	"chaff/store"
)

// tell learns or forgets a message.
func (c *client) tell(r request) {
	s := c.server
	if !s.mayTell {
		c.fail(unavailable("TELL commands are not enabled over TCP: connect over a Unix socket, or set serve.tell_over_tcp"))
		return
	}
	if err := r.checkTell(); err != nil {
		c.fail(err)
		return
	}
	if !judges(s.engine.Settings()) {
		c.fail(errClasses)
		return
	}
	m := s.engine.NewMessage()
	defer m.Close()
	if err := c.readMessage(r, m); err != nil {
		c.fail(err)
		return
	}
	var o store.Outcome
	var err error
	switch {
	case r.set.local:
		o, err = s.engine.Learn(s.ctx, r.user, m.Bytes(), r.class)
	case r.remove.local:
		o, err = s.engine.Forget(s.ctx, r.user, m.Bytes())
	}
	if err != nil {
		c.fail(err)
		return
	}
	did := ""
	switch o.What {
	case store.Learned, store.Relabelled:
		did = "DidSet: local\r\n"
	case store.Forgotten:
		did = "DidRemove: local\r\n"
	}
	c.send("SPAMD/1.1 0 EX_OK\r\n", did, "\r\n\r\n")
}
