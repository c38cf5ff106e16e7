//go:build linux

package systemd

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// newJournal returns a socket in the place of the journal's, and a journal that writes to it.
func newJournal(t *testing.T) (*net.UnixConn, *Journal) {
	t.Helper()
	dir, err := os.MkdirTemp("", "j") // short, as the names of sockets must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	server, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	j := dial(socket)
	if j == nil {
		t.Fatal("no connection")
	}
	t.Cleanup(func() { j.conn.Close() })
	return server, j
}

func TestRecordsReachTheJournalWithTheirFields(t *testing.T) {
	server, j := newJournal(t)
	slog.New(j).Warn("judged", "verdict", "spam", "user", "a\nPRIORITY=0")
	slog.New(j).Info("a note of\nwrong token client=192.0.2.1")
	got := make([]byte, 1000)
	n, err := server.Read(got)
	if err != nil {
		t.Fatal(err)
	}
	field := func(name, value string) string {
		return name + "\n" + string(rune(len(value))) + "\x00\x00\x00\x00\x00\x00\x00" + value + "\n"
	}
	want := field("CHAFF_VERDICT", "spam") + field("CHAFF_USER", "a\nPRIORITY=0") + field("PRIORITY", "4") + field("SYSLOG_IDENTIFIER", "chaff") +
		field("MESSAGE", `judged verdict=spam user="a\nPRIORITY=0"`)
	if string(got[:n]) != want {
		t.Errorf("got %q, want %q", got[:n], want)
	}
	n, err = server.Read(got)
	if err != nil {
		t.Fatal(err)
	}
	if want := field("MESSAGE", `a note of\nwrong token client=192.0.2.1`); !bytes.HasSuffix(got[:n], []byte(want)) {
		t.Errorf("got %q, want %q at its end", got[:n], want)
	}
	t.Setenv("JOURNAL_STREAM", "1:2")
	if NewJournal() != nil {
		t.Error("stderr is taken for the journal, and is not")
	}
}

// TestAJournalThatHangsHoldsUpNothing logs to a journal that reads nothing, until it takes no more.
func TestAJournalThatHangsHoldsUpNothing(t *testing.T) {
	_, j := newJournal(t)
	log := slog.New(j)
	began := time.Now()
	for range 10000 {
		log.Info("judged", "verdict", "ham")
	}
	if took := time.Since(began); took > 3*time.Second || j.resume.Load() == 0 {
		t.Errorf("it took %v", took)
	}
}
