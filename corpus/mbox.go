package corpus

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// fromPrefix is how a From_ line begins.
const fromPrefix = "From "

// maxFromLine bounds the bytes of a From_ line that are looked at.
const maxFromLine = 1024

// mboxBuffer is how much of an mbox is in memory at a time.
const mboxBuffer = 256 << 10

// listMbox lists the messages of an mbox file of fsys, which may be compressed. Text before the first From_ line
// belongs to no message.
func listMbox(fsys fs.FS, path, label string) Source {
	return func(yield func(Item, error) bool) {
		fail := func(err error) { yield(Item{Origin: path, Label: label}, explain("list", path, err)) }
		fsys, err := randomAccess(fsys, path)
		if err != nil {
			fail(err)
			return
		}
		f, err := fsys.Open(path)
		if err != nil {
			fail(err)
			return
		}
		defer f.Close()
		n := 0
		err = scanMbox(f, func(m mboxMessage) bool {
			n++
			return yield(Item{
				Origin: fmt.Sprintf("%s#%d", path, n), Label: label, Time: m.time,
				fsys: fsys, path: path, offset: m.offset, size: m.size,
			}, nil)
		})
		if err != nil {
			fail(err)
		}
	}
}

// An mboxMessage is the place of a message in an mbox, its From_ line included,
// and the time in that line: zero when there is none that can be read.
type mboxMessage struct {
	offset, size int64
	time         time.Time
}

// scanMbox calls emit for each message of the mbox r, in order, until it returns
// false. A message reaches from its From_ line to the next, with the empty line
// before that one. When reading fails, the message it fails in is left out.
//
// A From_ line is one that parseFromLine takes, at the start of the file or after
// an empty line. Lines end in LF or CRLF.
func scanMbox(r io.Reader, emit func(mboxMessage) bool) error {
	s := mboxScanner{r: r, buf: append(make([]byte, 0, mboxBuffer), "\n\n"...), base: -2}
	var current mboxMessage
	found := false
	for {
		start, date, err := s.next()
		if err != nil && err != io.EOF {
			return err
		}
		if found {
			current.size = start - current.offset
			if !emit(current) {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		current, found = mboxMessage{offset: start, time: date}, true
	}
}

// An mboxScanner finds From_ lines in a window that moves over a file. The window
// starts with an empty line that is not in the file, so that the first line needs
// no rule of its own.
type mboxScanner struct {
	r    io.Reader
	buf  []byte // the window
	base int64  // offset of the window in the file
	pos  int    // where in the window to go on
	eof  bool
}

// next returns the offset of the next From_ line and the time in it. At the end
// of the file it returns the length of the file and io.EOF.
func (s *mboxScanner) next() (int64, time.Time, error) {
	for {
		i := bytes.Index(s.buf[s.pos:], []byte("\n"+fromPrefix))
		if i < 0 {
			if s.eof {
				return s.base + int64(len(s.buf)), time.Time{}, io.EOF
			}
			s.pos = max(s.pos, len(s.buf)-len(fromPrefix))
			if err := s.fill(); err != nil {
				return 0, time.Time{}, err
			}
			continue
		}
		s.pos += i
		line, ended := cutLine(s.buf[s.pos+1:])
		if !ended && !s.eof && len(line) < maxFromLine {
			if err := s.fill(); err != nil {
				return 0, time.Time{}, err
			}
			continue
		}
		start := s.pos + 1
		s.pos = start
		if !endsInEmptyLine(s.buf[:start]) {
			continue
		}
		if date, ok := parseFromLine(line); ok {
			return s.base + int64(start), date, nil
		}
	}
}

// fill moves the window on, keeping what is before pos as far as an empty line
// reaches, and reads what fits into it.
func (s *mboxScanner) fill() error {
	const before = len("\n\r\n")
	if drop := s.pos - before; drop > 0 {
		s.buf = s.buf[:copy(s.buf, s.buf[drop:])]
		s.base += int64(drop)
		s.pos = before
	}
	n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
	s.buf = s.buf[:len(s.buf)+n]
	if err == io.EOF {
		s.eof, err = true, nil
	}
	return err
}

// cutLine returns the first line of b, without its end, as far as maxFromLine,
// and whether its end is in b.
func cutLine(b []byte) (line []byte, ended bool) {
	b = b[:min(len(b), maxFromLine)]
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return b, false
	}
	return b[:i], true
}

// endsInEmptyLine reports whether b, which ends in LF, ends in an empty line.
func endsInEmptyLine(b []byte) bool {
	return bytes.HasSuffix(b, []byte("\n\n")) || bytes.HasSuffix(b, []byte("\n\r\n"))
}

// parseFromLine reports whether line is a From_ line, the mark between two
// messages of an mbox:
//
//	From ann@example.org Thu Aug 22 12:36:23 2002
//
// and returns the time in it, or zero if it is incomplete. There is no standard
// for the line, and a paragraph of a letter may begin with "From", so the end of
// the line decides: its last words must be those of a date, with a month and a
// time of day among them. After an address and nothing else, a time of day or a
// year will do.
func parseFromLine(line []byte) (time.Time, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(fromPrefix))
	if !ok {
		return time.Time{}, false
	}
	// QUIRK: mail that came by UUCP has " remote from host" after the date.
	rest, _, _ = bytes.Cut(rest, []byte(" remote from "))
	date := bytes.TrimRight(rest, " \t\r")
	sender, seen := trimDateWords(date)
	address := bytes.Contains(sender, []byte("@")) && !bytes.ContainsAny(sender, " \t")
	if !seen.has(monthWord|clockWord) && !(address && (seen.has(clockWord) || seen.has(yearWord))) {
		return time.Time{}, false
	}
	t, _ := parseDate(date[len(sender):])
	return t, true
}

// trimDateWords takes the words of a date off the end of line, and returns what is
// before them and the kinds of word there were.
func trimDateWords(line []byte) (before []byte, seen dateWord) {
	for {
		i := bytes.LastIndexAny(line, " \t") + 1
		kind := dateWordKind(line[i:])
		if kind == notDateWord {
			return line, seen
		}
		seen |= kind
		line = bytes.TrimRight(line[:i], " \t")
	}
}
