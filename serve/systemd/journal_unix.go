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
	"syscall"
)

// Journal is a handler that writes records with fields into the journal of systemd: the attribute verdict is CHAFF_VERDICT. Source:
// https://systemd.io/JOURNAL_NATIVE_PROTOCOL.
type Journal struct {
	slog.Handler // of what is not overridden
	conn         net.Conn
}

// journalSocket is where the journal takes records.
const journalSocket = "/run/systemd/journal/socket"

// NewJournal connects to the journal if stderr leads there, else it returns nil. The connection stays open, since a confined process cannot
// make it again.
func NewJournal(environ []string, stderr *os.File) *Journal {
	info, err := stderr.Stat()
	if err != nil {
		return nil
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || variable(environ, "JOURNAL_STREAM") != fmt.Sprintf("%d:%d", stat.Dev, stat.Ino) {
		return nil
	}
	return dialJournal(journalSocket)
}

func dialJournal(socket string) *Journal {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return nil
	}
	return &Journal{slog.DiscardHandler, conn}
}

// Enabled reports that all records are written.
func (j *Journal) Enabled(context.Context, slog.Level) bool { return true }

// Handle writes a record. Its message and attributes are the MESSAGE, for those who read the journal without fields.
func (j *Journal) Handle(_ context.Context, r slog.Record) error {
	priority, text := "6", r.Message
	if r.Level >= slog.LevelWarn {
		priority = "4"
	}
	var fields bytes.Buffer
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.Key + "=" + a.Value.String()
		writeField(&fields, "CHAFF_"+strings.ToUpper(strings.ReplaceAll(a.Key, " ", "_")), a.Value.String())
		return true
	})
	writeField(&fields, "PRIORITY", priority)
	writeField(&fields, "SYSLOG_IDENTIFIER", "chaff")
	writeField(&fields, "MESSAGE", text)
	_, err := j.conn.Write(fields.Bytes())
	if errors.Is(err, syscall.EMSGSIZE) { // our records are short
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
