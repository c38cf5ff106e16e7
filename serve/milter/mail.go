package milter

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/emersion/go-milter"

	"chaff/filter"
	"chaff/internal/ascii"
	"chaff/internal/verdictfield"
	"chaff/serve"
)

// mail is the message that a client sends, one after another.
type mail struct {
	over       bool // the message has ended, or none has begun
	recipients int
	user       string
	queueID    string // what the server calls the message
	message    *serve.Message
	ends       []int32 // of the fields in message
	header     int     // length of the header in message, if it has ended
}

// reset makes room for the next message.
func (c *client) reset() {
	c.mail.message.Close()
	c.conn.Last = time.Time{}
	c.mail = mail{over: true, message: c.mail.message}
}

// macros takes the macro i, the queue ID, from those that come with a command: the byte of the command, then names and values, each with a NUL
// behind it. Sendmail sends it with MAIL, Postfix at the end of the message.
func (m *mail) macros(data []byte) {
	fields := bytes.Split(data[min(1, len(data)):], []byte{0})
	for i := 0; i+1 < len(fields); i += 2 {
		if name := string(fields[i]); name == "i" || name == "{i}" {
			m.queueID = string(fields[i+1][:min(len(fields[i+1]), longName)])
		}
	}
}

func (c *client) field(name, value []byte) {
	m := &c.mail
	line := append(append(make([]byte, 0, len(name)+len(value)+4), name...), ':')
	if !c.has(milter.OptHeaderLeadingSpace) {
		line = append(line, ' ')
	}
	line = append(appendCRLF(line, value), "\r\n"...)
	if _, err := m.message.Write(line); err == nil {
		m.ends = append(m.ends, int32(len(m.message.Bytes())))
	}
}

func lower(name []byte) string { return string(ascii.AppendLower(nil, name, len(name))) }

// appendCRLF appends text with all its line ends as CR LF.
func appendCRLF(dst, text []byte) []byte {
	for {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(append(dst, bytes.TrimSuffix(text[:i], []byte("\r"))...), "\r\n"...)
		text = text[i+1:]
	}
}

// body takes a piece of the body. The first one ends the header.
func (m *mail) body(piece []byte) {
	if m.header == 0 {
		if _, err := m.message.Write([]byte("\r\n")); err == nil {
			m.header = len(m.message.Bytes())
		}
	}
	_, _ = m.message.Write(piece)
}

// answer is what becomes of a message.
type answer struct {
	edits      []edit
	fields     []verdictfield.Field // on top
	quarantine string               // why the server keeps it, or ""
	reply      string               // why the server does not accept it, or ""
}

func (c *client) answer() (a answer) {
	s, m := c.server, &c.mail
	defer func() {
		if fault := recover(); fault != nil {
			s.Warn("internal error: %v: please report it", fault)
			a = answer{edits: a.edits, fields: serve.Verdict{Unjudged: serve.ErrInternal}.Fields()}
		}
	}()
	raw := m.message.Bytes()
	var isFew bool
	if a.edits, isFew = editsOf(raw[:m.header], m.ends, c.has(milter.OptHeaderLeadingSpace)); !isFew {
		a.reply = fmt.Sprintf("550 5.7.1 The message has more than %d fields of a spam filter", maxEdits)
		return a
	}
	v, err := s.Engine.Judge(s.Working, serve.Origin{Protocol: s.Protocol, QueueID: m.queueID, User: m.user, Cut: m.message.Cut}, raw)
	isSpam := v.Verdict == filter.Spam
	switch {
	case err != nil:
		a.reply = "451 4.3.2 The spam filter: " + serve.Temporary(err)
		return a
	case m.header == 0: // it is too large, and a forged verdict could be in the rest
		s.Warn("a message has a header of more than %d bytes: the mail server keeps it", s.options.MaxMessage)
		a.reply = "451 4.3.0 The header of the message is too large"
		return a
	case isSpam && s.options.MilterReject > 0 && v.Probability >= s.options.MilterReject:
		a.reply = "550 5.7.1 The message was judged to be spam"
		return a
	case isSpam && s.options.MilterQuarantine > 0 && v.Probability >= s.options.MilterQuarantine && c.actions&milter.OptQuarantine != 0:
		a.quarantine = fmt.Sprintf("chaff: spam, probability %.6f", v.Probability)
	}
	a.fields = v.Fields()
	return a
}

// edit changes or removes a field, or inserts one. Values have line ends of CR LF.
type edit struct {
	insert      bool
	index       int // of the fields with this name, from 1; when inserting, of all fields, from 0
	name, value string
}

// editsOf returns the edits that make a header what [verdictfield.Clean] makes of it, from the last field to the first. The fields end at the given offsets. With
// leadingSpace, values include the blank behind the colon. It also reports whether they are few, and their names short, so that they take little memory.
func editsOf(header []byte, ends []int32, leadingSpace bool) (all []edit, isFew bool) {
	clean, offsetOf := verdictfield.Clean(header)
	if bytes.Equal(clean, header) {
		return nil, true
	}
	changed := map[int][]byte{} // fields as they shall be, by their positions
	counts := map[string]int{}  // of the fields with their names
	start, from := 0, 0         // in header, in clean
	for i, end := range ends {
		field, to := header[start:end], offsetOf(int(end))
		if now := clean[from:to]; !bytes.Equal(now, field) {
			name, _, _ := bytes.Cut(field, []byte(":"))
			changed[i], counts[lower(name)] = now, 0
			if len(changed) > maxEdits || len(name) > longName {
				return nil, false
			}
		}
		start, from = int(end), to
	}
	start = 0
	for i, end := range ends {
		name, _, _ := bytes.Cut(header[start:end], []byte(":"))
		start = int(end)
		key := lower(name)
		if _, matters := counts[key]; !matters { // a message may have a million other names
			continue
		}
		counts[key]++
		now, isChanged := changed[i]
		if !isChanged {
			continue
		}
		newName, value, found := bytes.Cut(bytes.TrimSuffix(now, []byte("\r\n")), []byte(":"))
		if !leadingSpace {
			value = bytes.TrimPrefix(value, []byte(" "))
		}
		if bytes.Equal(newName, name) {
			all = append(all, edit{index: counts[key], name: string(name), value: string(value)})
			continue
		}
		if found { // under another name, behind the field Received that the server adds
			all = append(all, edit{insert: true, index: i + 1, name: string(newName), value: string(value)})
		}
		all = append(all, edit{index: counts[key], name: string(name)})
	}
	slices.Reverse(all)
	return all, len(all) <= maxEdits
}
