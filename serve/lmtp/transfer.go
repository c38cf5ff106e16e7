package lmtp

import (
	"errors"
	"slices"
)

// transfer is a message on its way to the backend.
type transfer struct {
	client     *client
	recipients []*recipient
	encoder    encoder
	buffer     []byte
	err        error
}

// begin begins another transaction with the backend, for some of the recipients. It returns those who are accepted, and sets the status of
// the others.
func (c *client) begin(recipients []*recipient) (accepted []*recipient) {
	_, _ = c.ask("RSET")
	r, err := c.sender(c.transaction.sender)
	switch {
	case err != nil:
		setStatus(recipients, notDelivered)
		return nil
	case !r.isDone():
		setStatus(recipients, r.final())
		return nil
	}
	for _, recipient := range recipients {
		r, err := c.ask(recipient.line)
		switch {
		case err != nil:
			setStatus(recipients, notDelivered)
			return nil
		case r.isDone():
			accepted = append(accepted, recipient)
		default:
			recipient.status = r.final()
		}
	}
	return accepted
}

var errDesynchronised = errors.New("it answers DATA with neither 354 nor an error")

// open lets the backend take a message. It returns nil if that refuses, and sets the status of the recipients.
func (c *client) open(recipients []*recipient) *transfer {
	if len(recipients) == 0 {
		return nil
	}
	r, err := c.ask("DATA")
	if err == nil && r.isDone() {
		err = errDesynchronised
		c.lost(err)
	}
	switch {
	case err != nil:
		setStatus(recipients, notDelivered)
		return nil
	case r.code != 354:
		setStatus(recipients, r.final())
		return nil
	}
	return &transfer{client: c, recipients: recipients}
}

// maxPart is how many bytes are sent at a time.
const maxPart = 32 << 10

func (t *transfer) write(part []byte) {
	for piece := range slices.Chunk(part, maxPart) {
		t.buffer = t.encoder.encode(t.buffer, piece)
		if len(t.buffer) >= maxPart {
			t.flush()
		}
	}
}

func (t *transfer) flush() {
	if t.err == nil {
		t.err = t.client.link.send(t.buffer)
	}
	t.buffer = t.buffer[:0]
}

// end ends the message and sets the status of each recipient.
func (t *transfer) end() {
	t.buffer = t.encoder.end(t.buffer)
	t.flush()
	for i, recipient := range t.recipients {
		if i > 0 && t.client.server.backend.isSMTP { // which has one answer for all
			recipient.status = t.recipients[0].status
			continue
		}
		var r reply
		if t.err == nil {
			r, t.err = t.client.link.answer()
		}
		if t.err != nil {
			t.client.lost(t.err)
			setStatus(t.recipients[i:], notDelivered)
			return
		}
		recipient.status = r.final()
		_ = t.client.report() // an error comes again
	}
}
