package spamd

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"chaff/filter"
	"chaff/serve"
	"chaff/store"
)

// judged is what a client is told of a message.
type judged struct {
	serve.Verdict
	settings filter.Settings // of the model
}

func (c *client) check(r request) error {
	e := c.server.Engine
	m := e.NewMessage()
	defer m.Close()
	from, err := c.readMessage(r, m)
	if err != nil {
		return err
	}
	j := judged{settings: e.Settings()}
	if !filter.IsSpamFilter(j.settings.Classes) {
		return errClasses
	}
	if j.Verdict, err = e.Judge(c.server.Working, from, m.Bytes()); err != nil {
		return err
	}
	if m.Cut != nil && !r.keeps(m.Bytes()) {
		return m.Cut
	}
	head, text := j.replyTo(r, m.Bytes())
	m.Drop()
	c.write(head, text)
	if m.Cut != nil {
		c.drain()
	}
	return nil
}

// Requests that are right, and cannot be fulfilled: the model judges nothing, or clients of a port may not teach it.
var (
	errClasses = errors.New("the model has other classes than ham and spam, or no thresholds")
	errTell    = errors.New("TELL commands are not enabled over TCP: connect over a Unix socket, or set serve.tell_over_tcp")
)

// keeps reports whether the reply to a request needs no more than the given beginning of a message.
func (r request) keeps(beginning []byte) bool {
	switch r.command {
	case process:
		return false
	case headers:
		return headerLength(beginning) < len(beginning)
	}
	return true
}

func (j judged) replyTo(r request, raw []byte) (head string, text []byte) {
	switch r.command {
	case process, headers:
		text = j.Passed(raw)
		if r.command == headers {
			text = text[:len(text)-(len(raw)-headerLength(raw))]
		}
	case symbols:
		text = append(text, j.Symbol()...)
		if r.version < 1.3 {
			text = append(text, "\r\n"...)
		}
	case report, reportIfSpam:
		if r.command == report || j.isSpam() {
			text = j.report()
		}
	}
	length, verdict := fmt.Sprintf("Content-length: %d\r\n", len(text)), j.line(r.command)
	switch hasMessage := r.command == process || r.command == headers; {
	case r.command == check, r.version < 1.3 && !hasMessage:
		length = ""
	case r.version >= 1.3:
	case r.version >= 1.2:
		verdict = ""
	default:
		return "SPAMD/1.0 0 EX_OK\r\n", text
	}
	return "SPAMD/1.1 0 EX_OK\r\n" + length + verdict + "\r\n", text
}

func (j judged) isSpam() bool { return j.Verdict.Verdict == filter.Spam }

// line returns the field Spam. Clients compare the numbers, so they agree with the verdict after rounding.
func (j judged) line(asked command) string {
	words := map[bool]string{true: "True", false: "False"}
	if asked == reportIfSpam {
		words = map[bool]string{true: "Yes", false: "No"}
	}
	score, threshold := j.figures()
	return fmt.Sprintf("Spam: %s ; %.1f / %.1f\r\n", words[j.isSpam()], score, threshold)
}

// figures returns the score and the threshold in tenths, so that score >= threshold if and only if the message is spam.
func (j judged) figures() (score, threshold float64) {
	score, threshold = tenths(j.Score), tenths(j.settings.Thresholds.Spam)
	switch {
	case j.isSpam():
		score = max(score, threshold)
	case score >= threshold:
		score = threshold - 0.1
	}
	return score, threshold
}

func tenths(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return math.Round(10*max(-maxFigure, min(v, maxFigure)))/10 + 0 // no -0
}

// headerLength returns where spamc cuts a message before it joins the body to a header from us: behind the first empty line. A message
// without one is all header.
func headerLength(raw []byte) int {
	length := len(raw)
	for _, end := range []string{"\n\n", "\r\n\r\n"} {
		if i := bytes.Index(raw[:length], []byte(end)); i >= 0 {
			length = i + len(end)
		}
	}
	return length
}

func (j judged) report() []byte {
	if j.Unjudged != nil {
		return fmt.Appendf(nil, "chaff has not judged this message: %v\n", j.Unjudged)
	}
	score, threshold := j.figures()
	from := ""
	if j.settings.Thresholds.FindsSpam() {
		from = fmt.Sprintf(", spam from %.1f", threshold)
	}
	return fmt.Appendf(nil, "chaff judges this message: %s\nScore %.1f%s. Probability of spam %.3f\n", j.Verdict.Verdict, score, from, j.Probability)
}

func (c *client) tell(r request) error {
	s := c.server
	switch {
	case c.conn.LocalAddr().Network() != "unix" && !s.Engine.Options().TellOverTCP:
		return errTell
	case r.set && r.remove:
		return protocolError("Unable to set local and remove local in the same operation.")
	case r.set && r.class == "":
		return protocolError("(Message-class header is missing)")
	case !filter.IsSpamFilter(s.Engine.Settings().Classes):
		return errClasses
	}
	m := s.Engine.NewMessage()
	defer m.Close()
	from, err := c.readMessage(r, m)
	var o store.Outcome
	switch {
	case err != nil:
	case r.set:
		o, err = s.Engine.Learn(s.Working, from, m.Bytes(), r.class)
	case r.remove:
		o, err = s.Engine.Forget(s.Working, from, m.Bytes())
	}
	if err != nil {
		return err
	}
	did := ""
	switch o.What {
	case store.Learned, store.Relabelled:
		did = "DidSet: local\r\n"
	case store.Forgotten:
		did = "DidRemove: local\r\n"
	}
	c.write("SPAMD/1.1 0 EX_OK\r\n"+did+"\r\n\r\n", nil)
	return nil
}
