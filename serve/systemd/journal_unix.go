//go:build unix

package systemd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"chaff/internal/screen"
)

// Journal is a handler that writes records with fields into the journal of systemd: the attribute verdict is CHAFF_VERDICT. Source:
// https://systemd.io/JOURNAL_NATIVE_PROTOCOL.
type Journal struct {
	slog.Handler // of what is not overridden
	conn         net.Conn
	line         func(slog.Record) string
	resume       atomic.Int64 // when it gets records again, in nanoseconds
}

// journalPatience is how long the journal may take for a record.
const journalPatience = 100 * time.Millisecond

// journalSocket is where the journal takes records.
const journalSocket = "/run/systemd/journal/socket"

// NewJournal connects to the journal if stderr leads there, else it returns nil. Line returns a record as a line of text. The connection
// stays open, since a confined process cannot make it again.
func NewJournal(environ []string, stderr *os.File, line func(slog.Record) string) *Journal {
	info, err := stderr.Stat()
	if err != nil {
		return nil
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || variable(environ, "JOURNAL_STREAM") != fmt.Sprintf("%d:%d", stat.Dev, stat.Ino) {
		return nil
	}
	return dialJournal(journalSocket, line)
}

func dialJournal(socket string, line func(slog.Record) string) *Journal {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return nil
	}
	return &Journal{Handler: slog.DiscardHandler, conn: conn, line: line}
}

// Enabled reports that all records are written.
func (j *Journal) Enabled(context.Context, slog.Level) bool { return true }

// Handle writes a record. The MESSAGE is all of it in one line, whatever a sender wrote, for those who read the journal without fields.
// A journal that takes no records holds up no mail: it gets none for a second.
func (j *Journal) Handle(_ context.Context, r slog.Record) error {
	if time.Now().Before(time.Unix(0, j.resume.Load())) {
		return nil
	}
	priority := "6"
	if r.Level >= slog.LevelWarn {
		priority = "4"
	}
	var fields bytes.Buffer
	r.Attrs(func(a slog.Attr) bool {
		writeField(&fields, "CHAFF_"+strings.ToUpper(strings.ReplaceAll(a.Key, " ", "_")), a.Value.String())
		return true
	})
	writeField(&fields, "PRIORITY", priority)
	writeField(&fields, "SYSLOG_IDENTIFIER", "chaff")
	var line strings.Builder
	_, _ = screen.Printf(&line, "%s", screen.Quoted(j.line(r)))
	writeField(&fields, "MESSAGE", line.String())
	j.conn.SetWriteDeadline(time.Now().Add(journalPatience))
	_, err := j.conn.Write(fields.Bytes())
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		j.resume.Store(time.Now().Add(time.Second).UnixNano())
		err = nil
	case errors.Is(err, syscall.EMSGSIZE): // our records are short
		err = nil
	}
	return err
}

// writeField writes a field whose value may have any bytes: its size comes before it.
func writeField(w *bytes.Buffer, name, value string) {
	w.WriteString(name + "\n")
	w.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(value))))
	w.WriteString(value + "\n")
}
