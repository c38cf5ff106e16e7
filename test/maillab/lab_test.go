//go:build linux

package maillab_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chaff/test/maillab"
)

func TestOtherMailServersDeliver(t *testing.T) {
	for name, tt := range map[string]struct {
		is    maillab.Package
		start func(*maillab.Lab)
	}{
		"Exim": {maillab.Exim, func(l *maillab.Lab) { l.StartExim("", "  warn add_header = X-Lab: yes", "") }},
		"OpenSMTPD": {maillab.OpenSMTPD, func(l *maillab.Lab) {
			l.StartOpenSMTPD("listen on 127.0.0.1\naction \"deliver\" maildir\nmatch from any for domain \"lab.example\" action \"deliver\"\n")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := maillab.Start(t, tt.is)
			l.AddUser("anna")
			tt.start(l)
			l.Send(25, "anna@lab.example", ham(1))
			got := l.WaitFor(inbox, "minutes of meeting 1")
			if want := name == "Exim"; (got.Get("X-Lab") == "yes") != want {
				t.Errorf("a statement of the access list adds a field: %t, want %t", !want, want)
			}
		})
	}
}

func TestOtherFiltersAnswer(t *testing.T) {
	t.Parallel()
	l := maillab.Start(t, maillab.Redis, maillab.Rspamd, maillab.Spamd)
	l.StartRedis()
	l.StartRspamd()
	l.StartSpamd()
	for port, tt := range map[int]struct{ ask, want string }{
		6379:  {"PING\r\n", "+PONG"},
		783:   {"PING SPAMC/1.5\r\n\r\n", "SPAMD/1.5 0 PONG"},
		11333: {"GET /ping HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK"},
		11334: {"GET /ping HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK"},
	} {
		conn := l.Dial(port)
		if _, err := io.WriteString(conn, tt.ask); err != nil {
			t.Fatal(err)
		}
		got, err := bufio.NewReader(conn).ReadString('\n')
		if strings.TrimSpace(got) != tt.want {
			t.Errorf("port %d answers %q, %v, want %q", port, got, err, tt.want)
		}
	}
}

// A lab is a machine of its own: what is written there is nowhere else, and two labs use the same port.
func TestALabTouchesNothingOutside(t *testing.T) {
	t.Parallel()
	const file = "/etc/maillab-test"
	path := ""
	t.Run("lab", func(t *testing.T) {
		for range 2 {
			l := maillab.Start(t, maillab.Redis)
			l.Write(file, "written", 0o644)
			l.StartRedis()
			path = l.Path(file)
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
		}
	})
	if path == "" {
		t.Skip("no lab could be started")
	}
	for _, name := range []string{file, path} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is there after the labs", name)
		}
	}
	for _, status := range glob(t, "/proc/[0-9]*/cmdline") {
		if line, err := os.ReadFile(status); err == nil && strings.Contains(string(line), "/maillab/redis") {
			t.Errorf("%s: still running: %s", status, line)
		}
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal(fmt.Errorf("%s: %d files: %w", pattern, len(names), err))
	}
	return names
}
