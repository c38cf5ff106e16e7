package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"chaff/serve"
	"chaff/test/servetest"
)

func TestAnswersOfRspamd(t *testing.T) {
	s := newSite(t, func(o *serve.Options) { o.MaxMessage = 5000 })
	spam := string(mail("spam", 100))
	password := []string{"Password", s.token}
	twice, err := os.ReadFile(filepath.Join("..", "..", "test", "cases", "54-learn-twice", "mail.eml"))
	must(t, err)
	for _, tt := range []struct {
		name, path, body string
		fields           []string
		status           int
		has              string
	}{
		{"a verdict", "/checkv2", spam, nil, 200, `"action":"add header"`},
		{"a verdict on nothing", "/checkv2", "", nil, 200, `"action":"no action"`},
		{"compressed", "/checkv2", spam, []string{"Compression", "zstd"}, 415, "send the message itself"},
		{"a file of the server", "/checkv2", "", []string{"File", "/etc/passwd"}, 415, "send the message itself"},
		{"compressed for its way", "/checkv2", spam, []string{"Content-Encoding", "gzip"}, 415, "send the message itself"},
		{"the same to be learned", "/learnspam", spam, append([]string{"Content-Encoding", "zstd"}, password...), 415, "send the message itself"},
		{"the same of the API", "/v1/classify", spam, []string{"Content-Encoding", "deflate"}, 415, "X-Chaff-Unjudged"},
		{"not compressed, and it says so", "/checkv2", spam, []string{"Content-Encoding", "identity"}, 200, `"action":"add header"`},
		{"learn what is no mail", "/learnspam", "\x1f\x8b\x08\x00\x00", password, 422, "the body is no mail"},
		{"large", "/checkv2", strings.Repeat("x", 5001), nil, 200, `"X-Chaff-Unjudged":{"order":0,"value":"the message is too large`},
		{"learn a large message", "/learnspam", strings.Repeat("x", 5001), password, 413, "too large"},
		{"learn", "/learnspam", spam, password, 200, `{"success":true}`},
		{"learn again", "/learnspam", spam, password, 208, `{"error":"<100@spam> has been already learned as spam, ignore it"}`},
		{"learn the other class", "/learnham", spam, password, 200, `{"success":true}`},
		{"learn what another filter learned", "/learnspam", string(twice), password, 200, `{"success":true}`},
		{"and again", "/learnspam", string(twice), password, 208, `already learned as spam`},
		{"learn nothing", "/learnspam", "", password, 400, "the request has no message"},
		{"learn with a wrong password", "/learnspam", spam, []string{"Password", "x"}, 401, `"error"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := s.do("POST", tt.path, tt.body, tt.fields...)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.has) {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, tt.status, tt.has)
			}
		})
	}
	servetest.WantUnjudged(t, s.engine, "too_large", 1)
	if n := s.engine.Counters.Unlearned.All()["too_large"]; n != 1 {
		t.Errorf("%d lessons are counted as too large, want 1", n)
	}
	if w := s.do("GET", "/ping", ""); w.Body.String() != "pong\r\n" {
		t.Errorf("ping: %q", w.Body)
	}
}

// TestRspamdsAnswersHaveTheMembersOfRspamd compares the members of the answers with those that rspamd 3.4 sends, apart from those about its own
// memory.
func TestRspamdsAnswersHaveTheMembersOfRspamd(t *testing.T) {
	s := newSite(t, nil)
	for _, tt := range []struct{ method, path, want string }{
		{"POST", "/checkv2", "is_skipped score required_score action symbols messages message-id time_real milter"},
		{"GET", "/stat", "version config_id uptime read_only scanned learned actions scan_times spam_count ham_count connections control_connections total_learns statfiles"},
	} {
		w := s.do(tt.method, tt.path, string(mail("spam", 1)), s.bearer()...)
		var got map[string]any
		must(t, json.Unmarshal(w.Body.Bytes(), &got))
		for _, name := range strings.Fields(tt.want) {
			if _, ok := got[name]; !ok {
				t.Errorf("%s has no %s: %s", tt.path, name, w.Body)
			}
		}
	}
}

// TestRspamcWorksWithBoth runs the client of rspamd with chaff, and with rspamd itself if its server is there as well: the lines that it
// prints about the same requests have the same shape.
func TestRspamcWorksWithBoth(t *testing.T) {
	rspamc, err := exec.LookPath("rspamc")
	if err != nil {
		t.Skip("needs rspamc: apt-get install rspamd")
	}
	s := newSite(t, nil)
	address, _ := s.listen()
	spam, ham := filepath.Join(t.TempDir(), "spam"), filepath.Join(t.TempDir(), "ham")
	must(t, os.WriteFile(spam, mail("spam", 100), 0o600))
	must(t, os.WriteFile(ham, mail("ham", 100), 0o600))
	ask := func(address, password string, args ...string) string {
		out, _ := exec.Command(rspamc, append([]string{"-h", address, "-P", password, "-t", "20"}, args...)...).CombinedOutput() // it exits with 1 for some answers
		return string(out)
	}
	token := s.token
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"symbols", spam}, `(?s)Action: add header\nSpam: true\nScore: [0-9.]+ / [0-9.]+\nSymbol: CHAFF_SPAM \([0-9.]+\)\[probability=0\.\d+\]\nMessage-ID: 100@spam\n`},
		{[]string{"symbols", ham}, `Action: no action\nSpam: false\nScore: -[0-9.]+ / `},
		{[]string{"-u", "joe", "-d", "joe@b.example", "-i", "192.0.2.1", "-F", "a@b.example", "-r", "joe@b.example", "symbols", spam}, `Action: add header`},
		{[]string{"--mime", spam}, `(?s)X-Spam-Action: add header\r?\n.*X-Spam-Symbols: CHAFF_SPAM`},
		{[]string{"learn_spam", spam}, `success = true;`},
		{[]string{"learn_spam", spam}, `error = "<100@spam> has been already learned as spam, ignore it";`},
		{[]string{"learn_ham", spam}, `success = true;`},
		{[]string{"stat"}, `(?s)Messages scanned: 4\n.*Messages treated as spam: 3.*Messages learned: 2\n.*Average scan time: .*Total learns: 2\n`},
	} {
		if got := ask(address, token, tt.args...); !regexp.MustCompile(tt.want).MatchString(got) {
			t.Errorf("rspamc %q: got %s", tt.args, got)
		}
	}
	if got := ask(address, "wrong", "learn_spam", ham); !strings.Contains(got, "HTTP error: 401") {
		t.Errorf("a wrong password: got %s", got)
	}
	real := startRspamd(t)
	for _, args := range [][]string{{"symbols", spam}, {"symbols", ham}, {"--mime", ham}} {
		ours, theirs := shapeOf(ask(address, token, args...)), shapeOf(ask(real, "", args...))
		if ours != theirs {
			t.Errorf("rspamc %q prints\n%s\nwith chaff, and\n%s\nwith rspamd", args, ours, theirs)
		}
	}
}

// shapeOf returns the names of the lines of rspamc, without the symbols, of which each program has its own.
func shapeOf(out string) string {
	var names []string
	for line := range strings.Lines(out) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name != "Symbol" && !strings.HasPrefix(name, "Results for") {
			names = append(names, name)
		}
	}
	return strings.Join(names, "\n")
}

// startRspamd starts rspamd with nothing but its own reading of messages, and returns its address.
func startRspamd(t *testing.T) string {
	program, err := exec.LookPath("rspamd")
	if err != nil {
		t.Skip("needs rspamd: apt-get install rspamd")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	address := l.Addr().String()
	must(t, l.Close())
	dir := t.TempDir()
	settings := filepath.Join(dir, "rspamd.conf")
	must(t, os.WriteFile(settings, fmt.Appendf(nil, `
options { pidfile = "%[1]s/pid"; filters = ""; rrd = ""; dns { nameserver = ["127.0.0.1:1:1"]; timeout = 0.1s; retransmits = 1; } url_tld = "%[1]s/tld"; }
logging { type = "file"; filename = "%[1]s/log"; level = "error"; }
worker "normal" { bind_socket = "%[2]s"; count = 1; }
actions { reject = 15; add_header = 6; greylist = 4; }
`, dir, address), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "tld"), []byte("example\n"), 0o600))
	c := exec.Command(program, "-f", "-i", "-c", settings, "--var=DBDIR="+dir, "--var=RUNDIR="+dir, "--var=CONFDIR="+dir, "--var=LOCAL_CONFDIR="+dir, "--var=LOGDIR="+dir)
	var log bytes.Buffer
	c.Stdout, c.Stderr = &log, &log
	must(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = c.Process.Kill()
			<-ended
		}
	})
	for range 300 {
		if answer, err := http.Get("http://" + address + "/ping"); err == nil {
			answer.Body.Close()
			http.DefaultClient.CloseIdleConnections()
			return address
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("rspamd ended: %v: %s", err, &log)
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatalf("rspamd does not answer: %s", &log)
	return ""
}

func TestTheUserOfRspamdIsThatOfTheOtherProtocols(t *testing.T) {
	for _, test := range []struct{ to, user, want string }{
		{"anna+lists@lab.example", "bert", "anna@lab.example"},
		{"", "bert", "bert"},
	} {
		r := httptest.NewRequest("POST", "/checkv2", nil)
		r.Header.Set("Deliver-To", test.to)
		r.Header.Set("User", test.user)
		if got := rspamdOrigin(r, &serve.Message{}).User; got != test.want {
			t.Errorf("Deliver-To %q, User %q: got %q, want %q", test.to, test.user, got, test.want)
		}
	}
}
