package sources

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"chaff/corpus"
	"chaff/internal/lines"
	"chaff/message"
)

// mboxBuffer is how much of an mbox is in memory at a time, and the part of a longer line that is examined.
const mboxBuffer = 16 << 10

const (
	maxShown  = 60      // how much of a line a remark shows
	maxLabels = 4 << 10 // how much of X-Gmail-Labels counts
)

// listMbox lists the messages of the mbox file name of fsys, which may be compressed. Text before the first From_ line
// belongs to no message. A file with text and without a From_ line is an error.
//
// QUIRK: a message that was moved or deleted stays in an mbox until the file is rewritten; Thunderbird marks it in X-Mozilla-Status. Mail moved
// to Junk must not count as ham in the inbox as well, so listMbox leaves it out, and also the message without a sender in which IMAP servers
// and Pine keep notes. Both count in the numbers of the origins. A sender can write the same below the field Received of our server, where it means
// nothing. See testdata/mbox/expunged.mbox. A message that Pine or Dovecot marks as deleted, anywhere in the header, is no ham; spam stays spam.
//
// The origin of the only message of a file is the path, and that of the second of several is PATH#2.
func listMbox(fsys fs.FS, name, label string) Source {
	return func(yield func(Item, error) bool) {
		fail := func(err error) { yield(Item{Origin: name, Label: label}, explain("list", name, err)) }
		fsys, f, err := openAtOffsets(fsys, name)
		if err != nil {
			fail(err)
			return
		}
		defer f.Close()
		emit := func(origin string, m mboxMessage) bool {
			label := label
			if label == "" && m.labels != nil {
				label = gmailLabel(string(m.labels))
			}
			return m.leftOut || m.deleted && label == Ham || yield(Item{Origin: origin, Label: label, Content: location{fsys, name, m.offset, m.size, fromMbox}}, nil)
		}
		n := 0
		var first mboxMessage // held until it is known whether there are others
		err = scanMbox(f, func(m mboxMessage) bool {
			if n++; n == 1 {
				first = m
				return true
			}
			return (n > 2 || emit(name+"#1", first)) && emit(fmt.Sprintf("%s#%d", name, n), m)
		})
		if (n != 1 || emit(name, first)) && err != nil {
			fail(err)
		}
	}
}

// An mboxMessage is the section of an mbox that holds a message and its From_ line.
type mboxMessage struct {
	offset, size int64
	leftOut      bool   // it is not mail, or no longer in the folder
	deleted      bool   // it is marked so, perhaps by its sender
	labels       []byte // the value of X-Gmail-Labels; nil for none
	inLabels     bool   // the last line is a part of it
	belowTop     bool   // a field was read that is none of Gmail's
	belowTrace   bool   // so was one that a mail server has put above all that a sender wrote
}

var errNoFromLine = errors.New("has no From_ line, so it is not an mbox")

// scanMbox calls emit for each message of the mbox r until emit returns false. A message extends from its From_ line to the next one,
// including the empty line before that. If reading fails, the unfinished message is not emitted. Lines end in LF, CRLF or, as on an old Mac,
// in CR alone. The error is a [corpus.Remark] if lines that look like From_ lines were taken for text.
//
// A From_ line begins a message in two cases:
//
//   - It is the first line or follows an empty line, and a field of mail follows.
//   - It is dated, and any header field follows. QUIRK: files joined with cat lack the empty line. A writer that quotes "From " has
//     quoted any such line of a letter, so this rule splits only letters that show an unquoted mbox; none of the 6,046 in the
//     SpamAssassin corpus does. See testdata/mbox/joined.mbox.
//
// The first dated line, and one after an empty line, also begin a message without a header. No line in the header of a message begins another one.
//
// QUIRK: Content-Length, by which mboxcl2 parts messages, counts nothing: most writers copy or miscount it, and any sender can write it.
//
// QUIRK: git format-patch begins each patch with a From_ line that has the name of a commit. Such lines part messages only in a
// file that begins with one: in other mail, they are in letters with a patch.
func scanMbox(r io.Reader, emit func(mboxMessage) bool) error {
	file := mboxReaders.Get().(*bufio.Reader)
	defer mboxReaders.Put(file)
	file.Reset(r)
	head, _ := file.Peek(mboxBuffer) // reading on returns the error
	if err := message.CheckFormat(head); err != nil {
		return err
	}
	lineEnd := lineEndOf(head)
	s := mboxScanner{emit: emit, afterEmpty: true}
	for within := false; !s.stopped; {
		line, err := file.ReadSlice(lineEnd)
		isPart := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && err != io.EOF && !isPart {
			return err
		}
		if len(line) > 0 && !within {
			s.line(line)
		}
		s.offset += int64(len(line))
		if within = isPart; err == io.EOF {
			return s.end()
		}
	}
	return nil
}

var mboxReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, mboxBuffer) }}

// hasSeveral reports whether a file begins with a From_ line and has several messages.
//
// QUIRK: mutt, Pine, Dovecot and mail servers keep each folder in an mbox without a suffix: ~/mail/work, /var/mail/ann.
func hasSeveral(fsys fs.FS, name string) bool {
	f, err := fsys.Open(name)
	if err != nil { // which reading says
		return false
	}
	defer f.Close()
	plain, err := decompressed(f)
	start := make([]byte, len(lines.FromPrefix))
	if err == nil {
		_, err = io.ReadFull(plain, start)
	}
	if err != nil || string(start) != lines.FromPrefix {
		return false
	}
	n := 0
	_ = scanMbox(io.MultiReader(bytes.NewReader(start), io.LimitReader(plain, message.MaxSize)), func(m mboxMessage) bool { n++; return n == 1 && m.offset == 0 })
	return n > 1
}

// An mboxScanner takes the lines of an mbox one after the other.
type mboxScanner struct {
	emit    func(mboxMessage) bool
	stopped bool // emit has returned false

	offset     int64        // of the line
	afterEmpty bool         // the previous line is empty, or there is none
	message    *mboxMessage // that the line belongs to; nil before the first
	inHeader   bool         // the line is in its header

	held           bool // the previous line may begin a message, and this line decides about it
	heldAt         int64
	heldLine       []byte // its beginning
	heldAfterEmpty bool
	likeness       likeness // of it

	text       bool   // a line was not empty
	patches    bool   // the file begins with a patch of git
	missed     int    // lines that look like From_ lines and were taken for text
	missedLine string // the first of them
}

// line takes the next line, or the beginning of a very long one.
func (s *mboxScanner) line(line []byte) {
	start := s.offset
	if start == 0 {
		rest := bytes.TrimPrefix(line, []byte(byteOrderMark))
		start += int64(len(line) - len(rest))
		line = rest
	}
	text := bytes.TrimRight(line, "\r\n")
	if s.held {
		s.decide(text)
	}
	switch {
	case len(text) == 0:
		s.inHeader, s.afterEmpty = false, true
		return
	case s.inHeader:
		s.message.read(text)
	case bytes.HasPrefix(text, []byte(lines.FromPrefix)): // the next line decides about it
		s.likeness, s.heldAfterEmpty = likenessOf(text), s.afterEmpty
		s.held = s.likeness != likeText || s.afterEmpty
		s.heldAt, s.heldLine = start, append(s.heldLine[:0], text[:min(len(text), maxShown)]...)
		s.patches = s.patches || s.likeness == likePatch && s.message == nil
	}
	s.afterEmpty, s.text = false, true
}

// decide settles whether the held line begins a message, given the text of the next line.
func (s *mboxScanner) decide(next []byte) {
	s.held = false
	next = bytes.TrimPrefix(next, []byte(byteOrderMark)) // of the file that the message was in
	dated := s.likeness == likeDated || s.likeness == likePatch && s.patches
	another := bytes.HasPrefix(bytes.TrimPrefix(next, []byte(">")), []byte(lines.FromPrefix))
	switch {
	case dated && (isField(next) || s.heldAfterEmpty && (s.message == nil || len(next) == 0 || another)),
		s.likeness == likeSender && s.heldAfterEmpty && isMailField(next):
		s.close(s.heldAt)
		s.message, s.inHeader = &mboxMessage{offset: s.heldAt}, true
	case s.likeness >= likeDated, (s.heldAfterEmpty || s.likeness == likeSender) && isMailField(next):
		if s.missed++; s.missed == 1 {
			s.missedLine = string(s.heldLine)
		}
	}
}

// end ends the last message.
func (s *mboxScanner) end() error {
	if s.held {
		s.decide(nil)
	}
	switch {
	case s.message == nil && !s.text:
		return nil
	case s.message == nil:
		return errNoFromLine
	}
	s.close(s.offset)
	switch {
	case s.stopped || s.missed == 0: // the caller wants no more
		return nil
	case s.missed == 1:
		return corpus.Remark(fmt.Sprintf("has a line that looks like the beginning of a message and was taken for text: %q", s.missedLine))
	}
	return corpus.Remark(fmt.Sprintf("has %d lines that look like the beginning of a message and were taken for text, the first: %q", s.missed, s.missedLine))
}

// close emits the current message, which ends at an offset.
func (s *mboxScanner) close(end int64) {
	if s.message != nil && !s.stopped {
		s.message.size = end - s.message.offset
		s.stopped = !s.emit(*s.message)
	}
}

// read reads a line of the header. The labels of Gmail are above all that a sender could write.
func (m *mboxMessage) read(line []byte) {
	if line[0] == ' ' || line[0] == '\t' {
		if m.inLabels && len(m.labels) < maxLabels {
			m.labels = append(m.labels, line...)
		}
		return
	}
	var room [lines.NameSize]byte
	value := bytes.TrimSpace(line[bytes.IndexByte(line, ':')+1:])
	m.inLabels = false
	switch string(lines.AppendName(room[:0], line)) {
	case "x-gm-thrid":
		return
	case "x-gmail-labels":
		if m.inLabels = !m.belowTop && m.labels == nil; m.inLabels {
			m.labels = append([]byte{}, value[:min(len(value), maxLabels)]...)
		}
	case "received":
		m.belowTrace = true
	case "x-mozilla-status": // four hexadecimal digits, in which Thunderbird sets the bit 8 (expunged)
		m.leftOut = m.leftOut || !m.belowTrace && len(value) == 4 && bytes.IndexByte([]byte("89abcdefABCDEF"), value[3]) >= 0
	case "x-status":
		m.deleted = m.deleted || bytes.IndexByte(value, 'D') >= 0 && len(bytes.Trim(value, "ADFORTU")) == 0
	case "subject": // that of the notes of the c-client library
		m.leftOut = m.leftOut || !m.belowTrace && bytes.HasPrefix(value, []byte("DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA"))
	}
	m.belowTop = true
}

// fromMbox makes a message of its section of an mbox.
func fromMbox(raw []byte) ([]byte, error) {
	if !bytes.HasPrefix(raw, []byte(lines.FromPrefix)) {
		return raw, errChanged
	}
	if lineEndOf(raw) == '\r' {
		raw = bytes.ReplaceAll(raw, []byte("\r"), []byte("\n"))
	}
	return unquoteFrom(raw), nil
}

// unquoteFrom removes, in place, one ">" from the lines of the body of message that consist of any number of them and then "From ", as mboxrd
// quotes them. In mboxo, which quotes only lines without ">", an original ">From " cannot be told from a quoted one.
func unquoteFrom(message []byte) []byte {
	body := message
	for isField := true; isField; {
		_, body, isField = lines.CutField(body)
	}
	kept := len(message) - len(body)
	for len(body) > 0 {
		line, quotes := lines.NextQuotedFrom(body)
		kept += copy(message[kept:], body[:line])
		if quotes > 0 {
			kept += copy(message[kept:], body[line+1:line+quotes])
		}
		body = body[line+quotes:]
	}
	return message[:kept]
}
