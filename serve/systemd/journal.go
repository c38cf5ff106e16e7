// Package systemd writes the log of the daemon into the journal of systemd.
package systemd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/journal"

	"chaff/internal/screen"
	"chaff/serve"
)

// Journal is a handler that writes records with fields: the attribute verdict is CHAFF_VERDICT. Source: https://systemd.io/JOURNAL_NATIVE_PROTOCOL.
type Journal struct {
	slog.Handler // of what is not overridden
	conn         net.Conn
	resume       atomic.Int64 // when it gets records again, in nanoseconds
}

// NewJournal connects to the journal if stderr leads there, else it returns nil.
func NewJournal() *Journal {
	if is, err := journal.StderrIsJournalStream(); err != nil || !is {
		return nil
	}
	return dial("/run/systemd/journal/socket")
}

func dial(socket string) *Journal {
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		return nil
	}
	return &Journal{Handler: slog.DiscardHandler, conn: conn}
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
	writeField(&fields, "MESSAGE", screen.Text("%s", screen.Quoted(serve.Line(r))))
	j.conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // the library would wait for ever, and mail with it
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
