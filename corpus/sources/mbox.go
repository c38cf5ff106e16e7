package sources

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sort"

	"chaff/corpus"
	"chaff/corpus/internal/lines"
)

// mboxBuffer is how much of an mbox is in memory at a time. Of a longer line only
// so much is looked at.
const mboxBuffer = 256 << 10

// maxFromLine bounds the bytes of a From_ line.
const maxFromLine = 1024

// listMbox lists the messages of the mbox file name of fsys, which may be
// compressed. Text before the first From_ line belongs to no message; a file with
// text and no From_ line at all is an error.
//
// QUIRK: a message that was moved away or deleted stays in an mbox until the file
// is written anew; Thunderbird marks it in X-Mozilla-Status. It is not in the
// folder any more for those who look at it, and what was moved to Junk must not
// count as ham in the inbox as well, so it is left out. So is the message without
// a sender that IMAP servers and Pine keep their own notes in. Both are counted in
// the origins. See isInternal and testdata/mbox/expunged.mbox.
func listMbox(fsys fs.FS, name, label string) Source {
	return func(yield func(Item, error) bool) {
		fail := func(err error) { yield(Item{Origin: name, Label: label}, explain("list", name, err)) }
		fsys, err := randomAccess(fsys, name)
		if err != nil {
			fail(err)
			return
		}
		f, err := fsys.Open(name)
		if err != nil {
			fail(err)
			return
		}
		defer f.Close()
		n := 0
		err = scanMbox(f, func(m mboxMessage) bool {
			n++
			return m.leftOut || yield(Item{
				Origin: fmt.Sprintf("%s#%d", name, n), Label: label,
				Place: place{fsys: fsys, path: name, offset: m.offset, size: m.size},
			}, nil)
		})
		if err != nil {
			fail(err)
		}
	}
}

// An mboxMessage is the place of a message in an mbox, its From_ line included.
type mboxMessage struct {
	offset, size int64
	leftOut      bool // it is no mail, or no longer in the folder
}

var errNoFromLine = errors.New("has no From_ line, so it is no mbox")

// scanMbox calls emit for each message of the mbox r, in order, until it returns
// false. A message reaches from its From_ line to the next, with the empty line
// before that one. When reading fails, the message it fails in is left out.
//
// Lines end in LF or CRLF, and a byte order mark may come first. A From_ line is
// one that parseFromLine takes, and begins a message if
//
//   - it is the first line or comes after an empty line, as all mbox writers have it
//   - or it is full (isFullFromLine), a header field follows, and it is not in the
//     header of the message before. QUIRK: files that were joined with cat have no
//     empty line there. A writer that quotes "From " has quoted this line if it was
//     part of a letter, so the only letters that are cut by this rule are those in
//     which somebody shows an unquoted mbox; none of the 6,046 of the SpamAssassin
//     corpus is. See testdata/mbox/joined.mbox.
//
// QUIRK: mboxcl2 does not quote, and says by Content-Length how long a body is. But
// the field is often wrong: copied from another system, counted with CRLF, or made
// up. So it decides only if there is a From_ line exactly where it points, after at
// most an empty line, or the end of the file. Then the From_ lines before that
// place are part of the letter. See testdata/mbox/mboxcl2.mbox.
func scanMbox(r io.Reader, emit func(mboxMessage) bool) error {
	lines := bufio.NewReaderSize(r, mboxBuffer)
	s := mboxScanner{emit: emit, afterEmpty: true}
	whole := true // the last line ended
	for !s.stopped {
		line, err := lines.ReadSlice('\n')
		if err != nil && err != io.EOF && err != bufio.ErrBufferFull {
			s.settle(true)
			return err
		}
		if whole && len(line) > 0 {
			s.line(line)
		}
		s.offset += int64(len(line))
		whole = err != bufio.ErrBufferFull
		if err == io.EOF {
			return s.end()
		}
	}
	return nil
}

// An mboxScanner takes the lines of an mbox one after the other.
//
// Whether a From_ line begins a message is known only when the lines up to the
// place that a Content-Length points to have been seen. Until then it is open.
type mboxScanner struct {
	emit    func(mboxMessage) bool
	stopped bool // emit has returned false

	offset     int64       // of the line
	afterEmpty bool        // the line before is empty, or there is none
	emptyAt    int64       // offset of that empty line
	inHeader   bool        // the line is in the header that follows the last From_ line
	last       *fromLine   // the last From_ line, which may have turned out to begin nothing
	held       bool        // last is the line before: what follows it decides
	open       []*fromLine // the From_ line of the message we are in, and candidates after it
	text       bool        // there was a line that is not empty
}

// A fromLine is a From_ line, or the end of the file.
type fromLine struct {
	offset  int64
	emptyAt int64 // offset of the empty line before it, or its own
	full    bool
	begins  bool  // begins a message unless a Content-Length says otherwise
	points  int64 // where its Content-Length points to; 0: it has none
	length  int64 // the Content-Length; -1: none
	leftOut bool
}

// line takes the next line, or the beginning of a very long one.
func (s *mboxScanner) line(line []byte) {
	start := s.offset
	if start == 0 {
		rest, _ := bytes.CutPrefix(line, []byte("\xef\xbb\xbf"))
		start += int64(len(line) - len(rest))
		line = rest
	}
	text := lines.TrimLineEnd(line)
	if s.held {
		s.decide(text)
	}
	switch {
	case len(text) == 0:
		if s.inHeader {
			s.endHeader(start + int64(len(line)))
		}
		s.afterEmpty, s.emptyAt = true, start
		return
	case s.inHeader:
		s.last.field(text)
	case len(text) <= maxFromLine && bytes.HasPrefix(text, []byte(lines.FromPrefix)):
		s.hold(start, text)
	}
	s.afterEmpty, s.text = false, true
}

// hold keeps the line at start, if it is a From_ line, until the next line tells
// what it is.
func (s *mboxScanner) hold(start int64, text []byte) {
	if _, ok := lines.ParseFromLine(text); !ok {
		return
	}
	s.last = &fromLine{offset: start, emptyAt: start, begins: s.afterEmpty, full: lines.IsFullFromLine(text), length: -1}
	if s.afterEmpty {
		s.last.emptyAt = s.emptyAt
	}
	s.held = true
}

// decide settles what the held From_ line is, given the text of the line after it.
func (s *mboxScanner) decide(next []byte) {
	s.held = false
	l := s.last
	field := isField(next)
	l.begins = l.begins || l.full && field
	if len(s.open) == 0 && !l.begins {
		return // a line of foreign text before the first message
	}
	s.inHeader = l.begins || field
	s.open = append(s.open, l)
	s.settle(false)
}

// endHeader ends the header after the last From_ line; the body begins at body.
func (s *mboxScanner) endHeader(body int64) {
	s.inHeader = false
	if s.last.length >= 0 {
		s.last.points = body + s.last.length
	}
}

// end takes the end of the file for the From_ line of one more message.
func (s *mboxScanner) end() error {
	if s.held {
		s.decide(nil)
	}
	switch {
	case len(s.open) == 0 && s.text:
		return errNoFromLine
	case len(s.open) == 0:
		return nil
	}
	eof := &fromLine{offset: s.offset, emptyAt: s.offset, begins: true}
	if s.afterEmpty {
		eof.emptyAt = s.emptyAt
	}
	s.open = append(s.open, eof)
	s.settle(true)
	return nil
}

// settle emits the messages whose end is known. At the end nothing more is to come
// that a Content-Length could point to.
func (s *mboxScanner) settle(end bool) {
	for len(s.open) > 1 && !s.stopped {
		next, known := s.next(end)
		if !known {
			return
		}
		if next == 0 {
			s.open = s.open[:1] // none of the candidates begins a message
			return
		}
		first := s.open[0]
		s.stopped = !s.emit(mboxMessage{first.offset, s.open[next].offset - first.offset, first.leftOut})
		s.open = s.open[next:]
	}
}

// next finds which of the open From_ lines follows the first, 0 for none of them;
// it is not known as long as the place that a Content-Length points to is ahead.
func (s *mboxScanner) next(end bool) (next int, known bool) {
	if points := s.open[0].points; points > 0 {
		i := 1 + sort.Search(len(s.open)-1, func(i int) bool { return s.open[i+1].offset >= points })
		if i < len(s.open) && (s.open[i].offset == points || s.open[i].emptyAt == points) {
			return i, true
		}
		if i == len(s.open) && !end {
			return 0, false
		}
	}
	for i, l := range s.open {
		if i > 0 && l.begins {
			return i, true
		}
	}
	return 0, true
}

// field looks at a line of the header after the From_ line.
func (l *fromLine) field(line []byte) {
	name := lines.NameOf(line)
	value := bytes.TrimSpace(line[bytes.IndexByte(line, ':')+1:])
	switch string(name.Text()) {
	case "content-length":
		if n, ok := contentLength(value); ok && l.length < 0 {
			l.length = n
		}
	case "x-mozilla-status", "subject":
		l.leftOut = l.leftOut || isInternal(string(name.Text()), value)
	}
}

// contentLength reads a number of bytes that a message can have.
func contentLength(digits []byte) (n int64, ok bool) {
	for _, c := range digits {
		if c < '0' || c > '9' || n > corpus.MaxMessageBytes {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, len(digits) > 0 && n <= corpus.MaxMessageBytes
}

// isInternal reports whether a field shows that a message of an mbox is none, or
// none any more: the bit 8 (expunged) in the four hexadecimal digits of Thunderbird,
// or the subject that the c-client library gives its notes.
func isInternal(name string, value []byte) bool {
	if name == "subject" {
		return bytes.HasPrefix(value, []byte("DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA"))
	}
	return len(value) == 4 && bytes.IndexByte([]byte("89abcdefABCDEF"), value[3]) >= 0
}

// isField reports whether a line can be the first of a header field (RFC 5322,
// 2.2): a name of printable characters without blanks, and a colon.
func isField(line []byte) bool {
	name, _, ok := bytes.Cut(line, []byte(":"))
	for _, c := range name {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return ok && len(name) > 0
}

// unquoteFrom takes one ">" off the lines of the body of message that are "From "
// after any number of them, in place. That undoes what mboxrd does when it is
// written; mboxo quotes only lines without ">", and what it has made of a line that
// began with one cannot be told from it.
func unquoteFrom(message []byte) []byte {
	body := headerEnd(message)
	kept, from := body, body // message[from:] is still to be copied to message[kept:]
	for pos := body; ; {
		i := bytes.Index(message[pos:], []byte("\n>"))
		if i < 0 {
			break
		}
		pos += i + 1
		quotes := pos
		for pos < len(message) && message[pos] == '>' {
			pos++
		}
		if bytes.HasPrefix(message[pos:], []byte(lines.FromPrefix)) {
			kept += copy(message[kept:], message[from:quotes])
			from = quotes + 1
		}
	}
	kept += copy(message[kept:], message[from:])
	return message[:kept]
}

// headerEnd returns where the empty line after the header begins, or the end of
// its line end: a place from which the first line of the body follows an LF.
func headerEnd(message []byte) int {
	end := 0
	for end < len(message) {
		n := lines.LineEnd(message[end:])
		if len(lines.TrimLineEnd(message[end:end+n])) == 0 {
			return end + n - 1
		}
		end += n
	}
	return end
}
