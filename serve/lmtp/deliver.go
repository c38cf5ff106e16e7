package lmtp

import (
	"bufio"
	"bytes"
	"errors"
	"slices"
	"time"

	"chaff/internal/verdictfield"
	"chaff/serve"
)

// deliver takes a message from the client to the backend, and sets the status of each recipient. An error is that of the client, who then gets
// none.
func (c *client) deliver() error {
	c.incoming = decoder{}
	c.conn.Last = time.Now().Add(c.server.Total)
	defer func() { c.conn.Last = time.Time{} }()
	m := c.server.Engine.NewMessage()
	defer m.Close()
	for c.incoming.at != atEnd {
		part, err := c.read()
		if err != nil {
			return err
		}
		n, err := m.Write(part)
		if err == nil {
			continue
		}
		v, err := c.server.Engine.Judge(c.server.Working, serve.Origin{Protocol: c.server.Protocol, Cut: err}, m.Bytes())
		if err != nil {
			refuse(c.transaction.recipients, err)
			return c.drain()
		}
		return c.passLarge(m, part[n:], v)
	}
	return c.pass(m)
}

// read reads a part of the message. The next call overwrites it.
func (c *client) read() ([]byte, error) {
	if c.in.Buffered() == 0 {
		c.conn.Expect(c.server.Idle)
		if _, err := c.in.Peek(1); err != nil {
			return nil, err
		}
	}
	from, _ := c.in.Peek(c.in.Buffered()) // no error: these bytes have come
	var used int
	c.part, used = c.incoming.decode(c.part[:0], from)
	_, err := c.in.Discard(used)
	return c.part, err
}

func (c *client) drain() error {
	for c.incoming.at != atEnd {
		if _, err := c.read(); err != nil {
			return err
		}
	}
	return nil
}

func refuse(recipients []*recipient, why error) {
	setStatus(recipients, reply{451, "4.3.2 " + serve.Temporary(why)})
}

func setStatus(recipients []*recipient, status reply) {
	for _, r := range recipients {
		r.status = status
	}
}

// passLarge passes on a message that is too large to be judged. Its beginning is m, then comes part, then the rest.
func (c *client) passLarge(m *serve.Message, part []byte, v serve.Verdict) error {
	text, headerEnded := verdictfield.Set(m.Bytes(), v.Fields()...)
	if !headerEnded {
		c.server.Warn("a message has a header of more than %d bytes: the mail server keeps it", len(m.Bytes()))
		setStatus(c.transaction.recipients, reply{451, "4.3.0 the header of the message is too large"})
		return c.drain()
	}
	part = slices.Clone(part)
	m.Drop()
	err := c.transfer(c.transaction.recipients, func(write func([]byte)) error {
		write(text)
		text = nil
		m.Close()
		write(part)
		for c.incoming.at != atEnd {
			part, err := c.read()
			if err != nil {
				return err
			}
			write(part)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.drain() // of a message that is refused
}

// pass judges the message for each recipient and passes it on. No group is begun that could come too late for the client: its recipients are
// refused for now.
func (c *client) pass(m *serve.Message) error {
	groups := c.groups()
	most, began := c.server.answer, time.Now()
	c.transaction.until = began.Add(most)
	for i, group := range groups {
		if i > 0 && time.Since(began) > most/2 {
			refuse(group, serve.ErrTimeout)
			continue
		}
		user := group[0].user
		if slices.ContainsFunc(group, func(r *recipient) bool { return r.user != user }) { // they share a model
			user = ""
		}
		text, err := c.judge(m.Bytes(), user)
		if i == len(groups)-1 {
			m.Drop()
		}
		if err != nil {
			refuse(group, err)
			continue
		}
		if len(groups) > 1 {
			group = c.begin(group)
		}
		_ = c.transfer(group, func(write func([]byte)) error { write(text); return nil })
		if err := c.report(); err != nil {
			return err
		}
	}
	return nil
}

// groups divides the recipients by the models that judge their mail. Groups are in the order of their first recipients. They are small if there are
// several: statuses go out in the order of the recipients, so the client may hear nothing until all of a group have theirs.
func (c *client) groups() (groups [][]*recipient) {
	all := c.transaction.recipients
	for _, r := range all {
		if c.server.Engine.HasModel(r.user) {
			r.model = r.user
		}
	}
	isOne := !slices.ContainsFunc(all, func(r *recipient) bool { return r.model != all[0].model })
	for _, r := range all {
		i := slices.IndexFunc(groups, func(g []*recipient) bool { return g[0].model == r.model && (isOne || len(g) < mostTogether) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// judge returns a message with the fields of its verdict, or unjudged.
func (c *client) judge(raw []byte, user string) ([]byte, error) {
	s := c.server
	v, err := s.Engine.Judge(s.Working, serve.Origin{Protocol: s.Protocol, User: user}, raw)
	if err != nil {
		return nil, err
	}
	text := v.Passed(raw)
	if len(raw) == 0 { // there is no line whose end the fields could have
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text, nil
}

// begin begins another transaction with the backend, for some of the recipients. It returns those who are accepted, and sets the status of
// the others.
func (c *client) begin(recipients []*recipient) (accepted []*recipient) {
	c.ask("RSET")
	c.transaction.isSent = false
	r, err := c.sender(c.transaction.sender)
	if err != nil {
		r = notDelivered
	}
	if !r.isDone() {
		setStatus(recipients, r.final())
		return nil
	}
	for _, recipient := range recipients {
		if r = c.ask(recipient.line); r.isDone() {
			accepted = append(accepted, recipient)
		} else {
			recipient.status = r.final()
		}
	}
	return accepted
}

// transfer lets the backend take a message, which text writes, and sets the status of each recipient. The error is that of text: then the backend
// does not get the end, or it would take what it has for all of the message.
func (c *client) transfer(recipients []*recipient, text func(write func(part []byte)) error) error {
	if len(recipients) == 0 {
		return nil
	}
	r := c.ask("DATA")
	if r.isDone() {
		c.lost(errors.New("it answers DATA with neither 354 nor an error"))
		r = notDelivered
	}
	if r.code != 354 {
		setStatus(recipients, r.final())
		return nil
	}
	l := c.link
	e := encoder{out: bufio.NewWriterSize(l, maxPart)}
	err := text(e.write)
	if err != nil {
		c.drop()
		return err
	}
	err, c.transaction.isSent = e.end(), true
	for i, recipient := range recipients {
		if i > 0 && c.server.backend.isSMTP { // which has one answer for all
			recipient.status = recipients[0].status
			continue
		}
		if err == nil {
			r, err = l.answer()
		}
		if err != nil {
			c.lost(err)
			setStatus(recipients[i:], notDelivered)
			break
		}
		recipient.status = r.final()
		_ = c.report() // an error comes again
	}
	return nil
}
