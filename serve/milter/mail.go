package milter

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/emersion/go-milter"

	"chaff/filter"
	"chaff/internal/ascii"
	"chaff/internal/headerfield"
	"chaff/internal/verdictfield"
	"chaff/serve"
)

// mail is the message that a client sends, one after another.
type mail struct {
	client     *client
	over       bool // the message has ended, or none has begun
	content    time.Time
	recipients int
	user       string
	queueID    string // what the server calls the message
	message    *serve.Message
	ends       []int32        // of the fields in message
	header     int            // length of the header in message, if it has ended
	line       []byte         // of a field
	why        error          // it cannot be judged; message has its beginning
	own        map[string]int // how many fields there are by each name that only chaff may write
	owned      int
	late       []edit // that remove such fields which are not in message
}

// reset makes room for the next message.
func (m *mail) reset() {
	m.message.Close()
	*m = mail{client: m.client, over: true, message: m.message}
}

// guard makes a fault of the program the reason why there is no verdict.
func (m *mail) guard() {
	if fault := recover(); fault != nil {
		m.client.server.Warn("internal error: %v: please report it", fault)
		m.why = serve.ErrInternal
	}
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

func (m *mail) begin() {
	id := m.queueID // came before
	m.reset()
	m.over, m.queueID = false, id
}

func (m *mail) recipient(to string) {
	m.recipients++
	m.user = ""
	if m.recipients == 1 {
		m.user = serve.UserOf(to)
	}
}

func (m *mail) field(name, value []byte) {
	defer m.guard()
	if m.content.IsZero() {
		m.content = time.Now()
	}
	isOwn := m.count(name)
	if m.why == nil {
		m.line = append(append(m.line[:0], name...), ':')
		if !m.client.has(milter.OptHeaderLeadingSpace) {
			m.line = append(m.line, ' ')
		}
		m.line = append(appendCRLF(m.line, value), "\r\n"...)
		if _, m.why = m.message.Write(m.line); m.why == nil {
			m.ends = append(m.ends, int32(len(m.message.Bytes())))
			return
		}
	}
	if isOwn && m.owned <= maxEdits {
		m.late = append(m.late, edit{index: m.own[lower(name)], name: string(name)})
	}
}

// longName is a size in bytes that no name of an honest field has.
const longName = 1000

// count counts a field, and reports whether only chaff may write it. A long name counts as many, since it is kept outside of the message.
func (m *mail) count(name []byte) bool {
	own := headerfield.OwnPrefixes()
	if !slices.ContainsFunc(own[:], func(prefix string) bool { return ascii.HasPrefixFold(name, prefix) }) {
		return false
	}
	m.owned += 1 + len(name)/longName
	if m.owned <= maxEdits {
		if m.own == nil {
			m.own = map[string]int{}
		}
		m.own[lower(name)]++
	}
	return true
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

func (m *mail) endHeader() {
	if m.header == 0 && m.why == nil {
		if _, m.why = m.message.Write([]byte("\r\n")); m.why == nil {
			m.header = len(m.message.Bytes())
		}
	}
}

func (m *mail) body(piece []byte) {
	defer m.guard()
	m.endHeader()
	if m.why == nil {
		_, m.why = m.message.Write(piece)
	}
}

// answer is what becomes of a message.
type answer struct {
	edits      []edit
	fields     []verdictfield.Field // on top
	quarantine string               // why the server keeps it, or ""
	reply      string               // why the server does not accept it, or ""
}

// answer judges the message.
func (m *mail) answer() (a answer) {
	defer func() {
		if fault := recover(); fault != nil {
			m.client.server.Warn("internal error: %v: please report it", fault)
			a = answer{edits: a.edits, fields: serve.Verdict{Unjudged: serve.ErrInternal}.Fields()}
		}
	}()
	m.endHeader()
	s := m.client.server
	raw := m.message.Bytes()
	header := raw[:m.header]
	if m.header == 0 {
		header = raw // the whole message, cut
	}
	slices.Reverse(m.late)
	a.edits = append(m.late, editsOf(header, m.ends, m.client.has(milter.OptHeaderLeadingSpace))...)
	if len(a.edits) > maxEdits || m.owned > maxEdits {
		a.reply = fmt.Sprintf("550 5.7.1 The message has more than %d fields of a spam filter", maxEdits)
		return a
	}
	v, err := serve.Unjudged(m.why)
	if m.why == nil {
		v, err = s.Engine.Judge(s.From(m.queueID), m.user, raw)
	}
	isSpam := v.Verdict == filter.Spam
	switch {
	case err != nil:
		a.reply = "451 4.3.2 The spam filter: " + serve.Temporary(err)
		return a
	case isSpam && s.options.MilterReject > 0 && v.Probability >= s.options.MilterReject:
		a.reply = "550 5.7.1 The message was judged to be spam"
		return a
	case isSpam && s.options.MilterQuarantine > 0 && v.Probability >= s.options.MilterQuarantine && m.client.actions&milter.OptQuarantine != 0:
		a.quarantine = fmt.Sprintf("chaff: spam, probability %.6f", v.Probability)
	}
	a.fields = v.Fields()
	return a
}
