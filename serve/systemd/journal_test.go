//go:build unix

package systemd

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestRecordsReachTheJournalWithTheirFields(t *testing.T) {
	dir, err := os.MkdirTemp("", "j") // short, as the names of sockets must be
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	journal, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	j := dialJournal(socket)
	if j == nil {
		t.Fatal("no connection")
	}
	defer j.conn.Close()
	slog.New(j).Warn("judged", "verdict", "spam", "user", "a\nPRIORITY=0")
	got := make([]byte, 1000)
	n, err := journal.Read(got)
	if err != nil {
		t.Fatal(err)
	}
	field := func(name, value string) string {
		return name + "\n" + string(rune(len(value))) + "\x00\x00\x00\x00\x00\x00\x00" + value + "\n"
	}
	want := field("CHAFF_VERDICT", "spam") + field("CHAFF_USER", "a\nPRIORITY=0") + field("PRIORITY", "4") + field("SYSLOG_IDENTIFIER", "chaff") +
		field("MESSAGE", "judged verdict=spam user=a\nPRIORITY=0")
	if string(got[:n]) != want {
		t.Errorf("got %q, want %q", got[:n], want)
	}
	if NewJournal([]string{"JOURNAL_STREAM=1:2"}, os.Stderr) != nil {
		t.Error("stderr is taken for the journal, and is not")
	}
}
