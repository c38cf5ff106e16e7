package spamd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"chaff/filter"
	"chaff/serve"
	"chaff/test/servetest"
	"chaff/test/testmain"
)

// Both programs take these messages for what they are named. Chaff learns them first.
const (
	gtube   = "From: a@spam.example\nTo: b@ham.example\nSubject: pills casino 1\nDate: Sun, 01 Nov 2026 10:00:00 +0000\nMessage-ID: <1@spam.example>\n\npills casino winner lottery\nXJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\n"
	minutes = "From: A <a@ham.example>\nTo: B <b@ham.example>\nSubject: meeting agenda 1\nDate: Sun, 01 Nov 2026 10:00:00 +0000\nMessage-ID: <1@ham.example>\n\nThe minutes of the meeting: agenda and report.\n"
)

// realSpamd starts SpamAssassin's spamd and returns where it listens, or skips the test.
func realSpamd(t *testing.T) started {
	t.Helper()
	for _, name := range []string{"spamd", "spamc"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("needs SpamAssassin: apt-get install --no-install-recommends spamd spamc")
		}
	}
	if _, set := os.LookupEnv("TEST_MAILLAB"); !set {
		t.Skip("set TEST_MAILLAB=FOLDER to test with mail programs")
	}
	dir := testmain.ShortDir(t)
	home, socket := filepath.Join(dir, "home"), filepath.Join(dir, "s")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(home, 0o700)); err != nil {
		t.Fatal(err)
	}
	args := []string{"--local", "--socketpath=" + socket, "--socketmode=0666", "--nouser-config", "--max-children=1", "--allow-tell",
		"--helper-home-dir=" + home, "--syslog=stderr", "--cf=bayes_path " + home + "/bayes", "--cf=bayes_auto_learn 0", "--cf=report_safe 0"}
	if os.Geteuid() == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(nobody.Uid)
		gid, _ := strconv.Atoi(nobody.Gid)
		if err := os.Chown(home, uid, gid); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--username=nobody")
	}
	c := exec.Command("spamd", args...)
	var log bytes.Buffer
	c.Stderr = &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		c.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	d := started{Addr: &net.UnixAddr{Name: socket, Net: "unix"}}
	for until := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if conn, err := net.Dial("unix", socket); err == nil {
			conn.Close()
			return d
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("spamd ended: %v\n%s", err, log.String())
		default:
		}
		if time.Now().After(until) {
			t.Fatal("spamd does not start")
		}
	}
}

// spamc runs spamc and returns what it prints and its exit code.
func (d started) spamc(t *testing.T, message, flags string) string {
	t.Helper()
	c := exec.Command("spamc", append([]string{"-U", d.String(), "-F", os.DevNull}, strings.Fields(flags)...)...)
	c.Stdin = strings.NewReader(message)
	out, err := c.Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return fmt.Sprintf("%sexit code %d", out, c.ProcessState.ExitCode())
}

var (
	figures = regexp.MustCompile(`-?\d+\.\d( ?/ ?)-?\d+\.\d`)
	length  = regexp.MustCompile(`Content-length: \d+`)
	ours    = regexp.MustCompile(`(?m)^X-(Spam|Chaff)-.*\n([ \t].*\n)*`)
)

// alike removes from a reply what follows from the verdict: the figures, the fields and the length.
func alike(reply string) string {
	return ours.ReplaceAllString(length.ReplaceAllString(figures.ReplaceAllString(reply, "1.0${1}5.0"), "Content-length: 9"), "")
}

// Spamc prints the same and ends with the same code beside both daemons, apart from the figures, the texts of reports, the names of
// symbols, and the fields of the verdict.
func TestChaffBesideSpamd(t *testing.T) {
	real := realSpamd(t)
	e := servetest.NewEngine(t, nil)
	ours := start(t, "unix", e, nil)
	for range 3 {
		ours.spamc(t, gtube, "-L spam")
		ours.spamc(t, minutes, "-L ham")
	}
	rewriting := []string{"-E", "--headers"}
	flags := []string{"-c", "-E", "", "-x", "-K", "--headers", "--headers -E", "-c -u anna", "-y", "-y -E", "-r", "-r -E", "-R", "-R -E", "-c -x -s 10", "-x -s 10"}
	for _, try := range []struct {
		name, message string
		flags         []string
	}{
		{"spam", gtube, flags},
		{"ham", minutes, flags},
		{"spam in CR LF", strings.ReplaceAll(gtube, "\n", "\r\n"), rewriting},
		{"ham in CR LF", strings.ReplaceAll(minutes, "\n", "\r\n"), rewriting},
		{"ham without its last line end", strings.TrimSuffix(minutes, "\n"), rewriting},
		{"spam with forged fields", "X-Spam-Flag: NO\nX-Spam-Status: No\n\tscore=0\n" + gtube, rewriting},
	} {
		for _, flags := range try.flags {
			got, want := alike(ours.spamc(t, try.message, flags)), alike(real.spamc(t, try.message, flags))
			switch {
			case strings.Contains(flags, "-y"): // symbols
				for _, s := range []*string{&got, &want} {
					*s = regexp.MustCompile(`^[A-Z0-9_,]*`).ReplaceAllString(*s, "SYMBOLS")
				}
			case strings.Contains(flags, "-R"), strings.Contains(flags, "-r") && !strings.HasPrefix(want, "exit"): // texts
				for _, s := range []*string{&got, &want} {
					first, rest, _ := strings.Cut(*s, "\n")
					if !figures.MatchString(first) {
						first = "text"
					}
					*s = first + " " + rest[strings.LastIndex(rest, "exit code"):]
				}
			}
			if got != want {
				t.Errorf("spamc %s, %s: got\n%s\nand of spamd\n%s", flags, try.name, got, want)
			}
		}
	}
	offer := "From: a@shop.example\nSubject: tarpaulins\nDate: Sun, 01 Nov 2026 10:00:00 +0000\n\nHeavy tarpaulins keep firewood dry.\n"
	for i, flags := range []string{"-L forget", "-L spam", "-L spam", "-L ham", "-L forget", "-L forget", "-C report", "-C revoke", "-C report -x"} {
		if got, want := ours.spamc(t, offer, flags), real.spamc(t, offer, flags); got != want {
			t.Errorf("step %d, spamc %s: got\n%s\nand of spamd\n%s", i, flags, got, want)
		}
	}
	for _, request := range []string{
		"", "FROB SPAMC/1.5\r\n\r\n", "check SPAMC/1.2\r\n\r\n", "CHECK  SPAMC/1.2\r\n\r\n", "PING SPAMC/1.5\r\n\r\n", "PING SPAMC/1.5\r\n", "PING SPAMC/1.2\r\n", "SKIP SPAMC/1.5\r\n\r\n", "SKIP SPAMC/1.2\r\n",
		"CHECK SPAMC/1.2\r\nfrob\r\n\r\n", "CHECK SPAMC/1.2\r\nUser: anna\r\n", "CHECK SPAMC/1.2\r\nContent-length: ten\r\n\r\n", "CHECK SPAMC/1.2\r\nContent-length: -1\r\n\r\n", "CHECK SPAMC/1.2\r\nUser: a\x07b\r\n\r\n",
		"CHECK SPAMC/1.5\r\n" + strings.Repeat("A: b\r\n", 256) + "\r\n" + minutes, "CHECK SPAMC/1.5\r\n" + strings.Repeat("A: b\r\n", 255) + "\r\n" + minutes,
		requestOf("CHECK", "1.5", "Compress: xz\r\n", minutes),
		"PROCESS SPAMC/1.2\r\nContent-length: 1000\r\n\r\n" + minutes, "PROCESS SPAMC/1.2\r\nContent-length: 10\r\n\r\n" + minutes,
		requestOf("PROCESS", "1.5", "", minutes), requestOf("PROCESS", "1.4", "", gtube), requestOf("PROCESS", "1.3", "", minutes), requestOf("PROCESS", "1.2", "", gtube), requestOf("PROCESS", "1.1", "", minutes), "PROCESS SPAMC/1.0\r\n" + minutes,
		requestOf("HEADERS", "1.4", "", minutes), requestOf("HEADERS", "1.2", "", gtube), requestOf("CHECK", "1.5", "", gtube), requestOf("CHECK", "1.2", "", minutes), "CHECK SPAMC/1.0\r\n" + gtube, "CHECK SPAMC/1.2 \r\n\r\n" + gtube,
		requestOf("REPORT_IFSPAM", "1.5", "", minutes), requestOf("REPORT_IFSPAM", "1.2", "", minutes),
		requestOf("TELL", "1.5", "", minutes), requestOf("TELL", "1.2", "Remove: local\r\n", "Subject: x\n\ny\n"),
		requestOf("TELL", "1.5", "Set: local\r\nRemove: local\r\n", minutes),
	} {
		if got, want := alike(ours.ask(t, request)), alike(real.ask(t, request)); got != want {
			t.Errorf("%q: got\n%q\nand of spamd\n%q", request, got, want)
		}
	}
	// The beginnings of replies with a text.
	for _, command := range []string{"SYMBOLS", "REPORT"} {
		for _, version := range []string{"1.2", "1.3", "1.5"} {
			request := requestOf(command, version, "", gtube)
			got, _, _ := strings.Cut(alike(ours.ask(t, request)), "\r\n\r\n")
			want, _, _ := strings.Cut(alike(real.ask(t, request)), "\r\n\r\n")
			if got != want {
				t.Errorf("%s %s: got\n%q\nand of spamd\n%q", command, version, got, want)
			}
		}
	}
}

// Spamc reads an error as that of spamd: it passes on the message that it has, or ends with a code for errors.
func TestSpamcUnderstandsErrors(t *testing.T) {
	if _, err := exec.LookPath("spamc"); err != nil {
		t.Skip("needs spamc: apt-get install --no-install-recommends spamc")
	}
	e := servetest.NewEngine(t, func(o *serve.Options) { o.MaxMessage = 10 << 10 })
	busy := start(t, "unix", broken{e, func(context.Context) (serve.Verdict, error) { return serve.Verdict{}, serve.ErrBusy }, filter.Settings{}}, nil)
	for flags, want := range map[string]string{
		"-c": "0/0\nexit code 0", "": minutes + "exit code 0", "-E": minutes + "exit code 0", "--headers": minutes + "exit code 0", "-R": "0/0\nexit code 0", "-x": "exit code 74",
	} {
		if got := busy.spamc(t, minutes, flags); got != want {
			t.Errorf("busy, spamc %s: got %q, want %q", flags, got, want)
		}
	}
	usual := start(t, "unix", e, nil)
	large := minutes + strings.Repeat("minutes\n", 40<<10) // 320 kB do not fit into the buffers of a socket
	for flags, want := range map[string]string{
		"": large + "exit code 0", "--headers": "X-Chaff-Unjudged: the message is too large\n" + large + "exit code 0", "-y": "CHAFF_UNJUDGEDexit code 0", "-L ham": "exit code 74", "-x": "exit code 74",
	} {
		if got := usual.spamc(t, large, flags); got != want {
			t.Errorf("a large message, spamc %s: got %.300q, want %.300q", flags, got, want)
		}
	}
}
