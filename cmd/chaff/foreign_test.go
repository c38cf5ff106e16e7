package main

import (
	"archive/tar"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"chaff/cmd/internal/delivery"
)

// forged is what a line of verdict looks like.
const forged = "spam       99.0000  1.000000  forged"

// evil is a name with all that a terminal obeys, and lines that look like ours.
const evil = "evil\x1b[2J\x1b]0;t\a\r\n" + forged + "\nchaff: " + forged + "\n\u009b31m\u0085\u202e\u2066\u200b\u2028\x9b\xff\x7f\v\f\b\\x1b"

// evilMail is a folder in which all that can have a name has that of evil, and all mail has it in its header and text.
type evilMail struct {
	t   *testing.T
	dir string
}

func (m evilMail) path(names ...string) string {
	return filepath.Join(append([]string{m.dir}, names...)...)
}

func (m evilMail) write(text string, names ...string) string {
	m.t.Helper()
	path := m.path(names...)
	must(m.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(m.t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// letter is a message about a word, with evil in all its places.
func letter(word string, n int) string {
	folded := strings.NewReplacer("\r", " ", "\n", " ").Replace(evil)
	return fmt.Sprintf("From: %[1]s <a@example.org>\nSubject: %[2]s %[1]s\nX-%[1]s: %[1]s\nContent-Type: text/html; charset=\"%[1]s\"; name=\"%[1]s\"\n\n"+
		"<p>%[2]s %[2]s%[3]d %[4]s</p> <a href=\"http://%[2]s.example/%[4]s\">%[4]s</a> <i hidden>%[4]s</i>\n", folded, word, n, evil)
}

func newEvilMail(t *testing.T) evilMail {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the file system takes no such names")
	}
	m := evilMail{t, t.TempDir()}
	var mbox, list, index, rows strings.Builder
	var archive bytes.Buffer
	members := tar.NewWriter(&archive)
	for i := range 12 {
		fmt.Fprintf(&rows, "ham,meeting %d\n\"s%s\",casino %d\n", i, evil, i)
		for class, word := range map[string]string{"ham": "meeting", "spam": "casino"} {
			text := letter(word, i)
			name := fmt.Sprint(i, evil)
			m.write(text, class+evil, name)
			m.write(text, "maildir"+evil, map[string]string{"ham": ".", "spam": ".Junk"}[class], "cur", name+":2,S")
			m.write("", "maildir"+evil, map[string]string{"ham": ".", "spam": ".Junk"}[class], "new", ".keep")
			m.write(text, "classes"+evil, class+evil, name)
			must(t, members.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}))
			members.Write([]byte(text))
			fmt.Fprintf(&mbox, "From a@example.org Thu Jan  1 00:00:00 2004\n%s\n\n", text)
		}
	}
	must(t, members.Close())
	m.write(archive.String(), "archive"+evil)
	m.write(mbox.String(), "mbox"+evil)
	for _, line := range strings.Split(evil, "\n") {
		fmt.Fprintf(&list, "%s\nham:%s\nspam: %s\n", line, line, line)
		fmt.Fprintf(&index, "%s\nham %s\nspam %s\n", line, line, line)
	}
	m.write(list.String(), "list"+evil)
	m.write(index.String(), "index"+evil)
	m.write("label,text\n"+rows.String(), "table"+evil)
	m.write("a,\"c"+evil+"\"\n\"d"+evil+"\",e\n", "odd"+evil)
	m.write("term,weight\nbody:\\x1b\\n"+forged+",1\n", "weights"+evil)
	m.write("term,\"a"+evil+"\",b\n\"body:"+evil+"\",1,x\n", "badweights"+evil)
	m.write("[tokenize]\nignore_headers = [\"\\u001b\\u009b\\n"+forged+"\"]\n", "config"+evil+".toml")
	m.write("[tokenize]\n\"\\u001b\\n"+forged+"\" = 1\n", "unknown"+evil+".toml")
	m.write("model = \"\x1b\u009b\u202e"+forged+"\n", "broken"+evil+".toml")
	m.write("a: \"\u202e\n"+forged+": [\n", "broken"+evil+".yaml")
	m.write("[tune]\n[[tune.search]]\nkey = \"model\"\nvalues = [\"bernoulli\", \"softmax\"]\n[[tune.search]]\nkey = \"tokenize.ignore_headers\"\nvalues = [[\"\\u001b\\n"+forged+"\"], [\"x-\\u202e\"]]\n", "search"+evil+".toml")
	m.write("\x89CHAFF\r\n"+evil, "damaged"+evil)
	return m
}

// mustBeOurs complains about what a terminal would obey, and of lines that others wrote.
func mustBeOurs(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is no UTF-8: %q", what, text)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return !strconv.IsPrint(r) }); i >= 0 {
			t.Errorf("%s has %q in the line %q", what, line[i:min(i+4, len(line))], line)
		}
		for _, prefix := range []string{"", "chaff: ", "== "} {
			if strings.HasPrefix(strings.TrimSpace(line), prefix+forged) {
				t.Errorf("%s has a line that is not ours: %q", what, line)
			}
		}
	}
}

// mustBePlain complains about a file with what a terminal would obey. It may have tabs and newlines, and lines of text.
func mustBePlain(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	text := string(data)
	i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && !strconv.IsPrint(r) })
	if i >= 0 || !utf8.ValidString(text) {
		t.Errorf("%.60q has %q", file, text[max(i-20, 0):min(i+20, len(text))])
	}
	if filepath.Ext(file) != ".svg" {
		return
	}
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%.60q: %v", file, err)
			return
		}
	}
}

// TestNothingForeignReachesTheTerminal runs every command on mail, models, settings and names that are full of what terminals
// obey. A command that is not among the runs is an error.
func TestNothingForeignReachesTheTerminal(t *testing.T) {
	m := newEvilMail(t)
	model, hand, page := m.path("model"+evil), m.path("hand"+evil), m.path("page"+evil)
	both := []string{"--ham", m.path("ham" + evil), "--spam", m.path("spam" + evil)}
	config := m.path("config" + evil + ".toml")
	message := m.path("ham"+evil, "0"+evil)
	key := m.path(".local", "share", "chaff", "key")
	with := func(args []string, more ...string) []string { return append(slices.Clone(args), more...) }
	runs := []struct {
		args  []string
		fails bool
	}{
		{args: with(both, "train", "-m", model, "--report", page, "--model", "softmax")},
		{args: with(both, "train", "-m", model+"json", "--json", "--config", config)},
		{args: []string{"train", "--maildir", m.path("maildir" + evil), "-m", model + "2"}},
		{args: []string{"train", "--folders", m.path("classes" + evil), "-m", model + "3", "--model", "votes", "--mistakes", "20", "--report", page + "3"}},
		{args: []string{"train", "--table", m.path("table" + evil), "-m", model + "4"}},
		{args: []string{"train", "--table", m.path("odd" + evil), "-m", model}, fails: true},
		{args: []string{"train", "--trec", m.path("index" + evil), "-m", model + "5"}, fails: true},
		{args: []string{"train", "--ham", m.path("absent" + evil), "--spam", m.path("mbox" + evil)}, fails: true},
		{args: with(both, "train", "-m", m.path("mbox"+evil, "below"+evil)), fails: true},
		{args: with(both, "train", "--format", evil), fails: true},
		{args: with(both, "train", "--"+evil), fails: true},
		{args: with(both, "train", "--set", evil), fails: true},
		{args: with(both, "train", "--set", evil+"=1"), fails: true},
		{args: with(both, "train", "--seed", evil), fails: true},
		{args: with(both, "train", "--model", evil), fails: true},
		{args: []string{"train", evil}, fails: true},
		{args: with(both, "compare", "--report", page, "--config", config)},
		{args: with(both, "compare", "--json")},
		{args: []string{"compare", "--folders", m.path("classes" + evil), "--models", "votes", "--folds", "3"}},
		{args: with(both, "tune", "--config", m.path("search"+evil+".toml"), "-o", m.path("best"+evil+".toml"), "--trials", m.path("trials"+evil))},
		{args: with(both, "tune", "--config", m.path("search"+evil+".toml"), "-o", m.path("best"+evil+".toml"), "--json")},
		{args: with(both, "tune", "--config", m.path("search"+evil+".toml"), "-o", evil), fails: true},
		{args: with(both, "evaluate", "-m", model, "--mistakes", "20", "--report", page+"2")},
		{args: with(both, "evaluate", "-m", model, "--json")},
		{args: []string{"evaluate", "-m", model + "3", "--folders", m.path("classes" + evil)}, fails: true}, // names in a model are UTF-8
		{args: []string{"evaluate", "-m", model, "--folders", m.path("classes" + evil)}, fails: true},
		{args: with(both, "evaluate", "--online")},
		{args: with(both, "compare", "--models", "votes", "--folds", "3", "--report", page)},
		{args: []string{"import", m.path("weights" + evil), "-m", hand, "--config", config}},
		{args: []string{"import", m.path("badweights" + evil), "-m", hand}, fails: true},
		{args: []string{"import", m.path("absent" + evil), "-m", hand}, fails: true},
		{args: []string{"import", m.path("weights" + evil), "-m", hand, "--features", evil}, fails: true},
		{args: []string{"export", "-m", model, "--weights", "--terms", m.path("terms" + evil)}},
		{args: with(both, "export", "-m", model, "--as", "vw")},
		{args: with(both, "export", "-m", model, "--as", evil), fails: true},
		{args: []string{"explain", "-m", model, message, "--terms", "0", "--html", page + "4"}},
		{args: []string{"explain", "-m", model, message, "--json"}},
		{args: []string{"explain", "-m", model + "3", message}},
		{args: []string{"explain", "-m", model, m.path("absent" + evil)}, fails: true},
		{args: []string{"inspect", "-m", model, "--terms", "1000"}},
		{args: []string{"inspect", "-m", model + "3", "--json"}},
		{args: []string{"inspect", "-m", model + "3"}},
		{args: []string{"inspect", "-m", hand}},
		{args: []string{"inspect", "-m", m.path("damaged" + evil)}, fails: true},
		{args: []string{"inspect", "-m", m.path("absent" + evil)}, fails: true},
		{args: []string{"tokens", message}},
		{args: []string{"tokens", message, "--json"}},
		{args: []string{"tokens", m.path("mbox" + evil)}},
		{args: []string{"tokens", m.path("archive" + evil)}},
		{args: []string{"tokens", m.path("maildir" + evil)}},
		{args: []string{"tokens", m.path("absent" + evil)}, fails: true},
		{args: []string{"classify", "-m", model, m.path("mbox" + evil), m.path("archive" + evil), m.path("maildir" + evil), message}},
		{args: []string{"classify", "-m", model, "--json", m.path("mbox" + evil), m.path("archive" + evil)}},
		{args: []string{"classify", "-m", model + "3", message}},
		{args: []string{"classify", "-m", model + "3", "--json", message}},
		{args: []string{"classify", "-m", model, m.path("absent" + evil)}, fails: true},
		{args: []string{"classify", "-m", m.path("absent" + evil)}, fails: true},
		{args: []string{"explain", "--terms", evil}, fails: true},
		{args: []string{"classify", "--exit-code=" + evil}, fails: true},
		{args: []string{"learn", "-m", model, "--spam", m.path("archive" + evil), m.path("mbox" + evil)}},
		{args: []string{"learn", "-m", model, m.path("maildir" + evil)}},
		{args: []string{"learn", "-m", model, "--maildir", m.path("maildir" + evil)}},
		{args: []string{"learn", "-m", model, "--maildir", m.path("maildir" + evil), "--json"}},
		{args: []string{"serve", "-m", m.path("absent" + evil), "--users", m.path("users" + evil)}, fails: true}, // TestADaemonPrintsNothingForeign has the rest
		{args: []string{"watch", "-m", model, "--maildir", m.path("nowhere" + evil)}, fails: true},               // TestAWatchPrintsWhatItLearns has the rest
		{args: []string{"imap", "-m", model, "--account", "imap://" + evil + "@127.0.0.1:1"}, fails: true},
		{args: []string{"imap", "-m", model, "--account", "imap://a@127.0.0.1:1", "--password-command", "echo " + evil}, fails: true},
		{args: []string{"imap", "-m", model, "--account", "imap://a@127.0.0.1:1", "--password-file", m.path("absent" + evil)}, fails: true}, // TestAMailboxByIMAP has the rest
		{args: []string{"review", "-m", model, "--maildir", m.path("maildir" + evil)}},
		{args: []string{"review", "-m", model, "--confirm", evil}, fails: true},
		{args: []string{"review", "-m", model, "--maildir", m.path("maildir" + evil), "--json"}},
		{args: []string{"learn", "-m", model, "--ham", "--json", message}},
		{args: []string{"learn", "-m", model, "--forget", message}},
		{args: []string{"learn", "-m", model, "--forget", message}, fails: true},
		{args: []string{"learn", "-m", model + "3", "--class", "class" + evil, message}, fails: true},
		{args: []string{"learn", "-m", model, "--ham", m.path("absent" + evil)}, fails: true},
		{args: []string{"learn", "-m", m.path("absent" + evil), "--ham"}, fails: true},
		{args: []string{"learn", "-m", model, "--spam"}},
		{args: []string{"train", "-m", model, "--maildir", m.path("maildir" + evil)}, fails: true}, // it has learned since
		{args: []string{"status", "-m", model}},
		{args: []string{"status", "-m", model, "--json"}},
		{args: []string{"status", "-m", model + "3"}},
		{args: []string{"status", "-m", m.path("absent" + evil)}, fails: true},
		{args: []string{"doctor", "-m", m.path("absent" + evil), "--maildir", m.path("maildir" + evil), "--http", "unix:" + evil, "--lmtp", evil}, fails: true},
		{args: []string{"doctor", "-m", m.path("damaged" + evil), "--maildir", evil, "--json"}, fails: true},
		{args: []string{"retrain", "-m", model}},
		{args: []string{"retrain", "-m", m.path("absent" + evil)}, fails: true},
		{args: with(both, "collect", "-m", m.path("part"+evil), "--set", "key_file="+key)},
		{args: with(both, "collect", "-m", m.path("part"+evil), "--set", "key_file="+key, "--json", "--shard", "1/2")},
		{args: with(both, "collect", "-m", m.path("part"+evil), "--set", "key_file="+evil), fails: true},
		{args: with(both, "collect", "-m", m.path("part"+evil), "--set", "key_file="+key, "--shard", evil), fails: true},
		{args: []string{"classify", "-m", m.path("part" + evil)}, fails: true},
		{args: []string{"merge", m.path("part" + evil), "--no-fit", "-o", m.path("part" + evil)}},
		{args: []string{"merge", model, model, "-o", model + "7"}},
		{args: []string{"merge", model, model + "3", "-o", model + "7"}, fails: true},
		{args: []string{"merge", model, evil, "-o", evil}, fails: true},
		{args: []string{"backup", "-m", model, "-o", model + "8"}},
		{args: []string{"backup", "-m", m.path("absent" + evil), "-o", model + "9"}, fails: true},
		{args: []string{"restore", model + "8", "-m", model + "9"}},
		{args: []string{"restore", model + "8", "-m", model + "9"}, fails: true},
		{args: []string{"restore", m.path("damaged" + evil), "-m", model + "10"}, fails: true},
		{args: []string{"config", "--config", config}},
		{args: []string{"config", "--config", config, "--explain"}},
		{args: []string{"config", "--config", config, "--json"}},
		{args: []string{"config", "--config", m.path("search" + evil + ".toml")}},
		{args: []string{"config", "--config", m.path("unknown" + evil + ".toml")}, fails: true},
		{args: []string{"config", "--config", m.path("broken" + evil + ".toml")}, fails: true},
		{args: []string{"config", "--config", m.path("broken" + evil + ".yaml")}, fails: true},
		{args: []string{"config", "--config", m.path("absent" + evil + ".toml")}, fails: true},
		{args: []string{"config", "--config", evil}, fails: true},
		{args: []string{"lesson", evil}, fails: true},
		{args: []string{"demo", "--set", evil}, fails: true}, // it prints the mail of the program alone
		{args: []string{"share", evil}, fails: true},
		{args: []string{"share", "--nats", "nats://" + evil}, fails: true},
		{args: []string{"share", "--nats", "nats://localhost", "--set", "share.host=" + evil}, fails: true},
		{args: []string{"share", "--nats", "nats://localhost", "--set", "share.host=a", "--set", "share.nkey_file=" + evil}, fails: true},
		{args: []string{"share", "--nats", "tls://localhost", "--set", "share.host=a", "--set", "share.ca_file=" + evil, "-m", m.path("absent" + evil)}, fails: true},
		{args: []string{"version", evil}, fails: true},
		{args: []string{evil}, fails: true},
		{args: []string{"help", "x" + evil}, fails: true},
		{args: []string{"help", "\u202e"}, fails: true},
		{args: []string{"help", "--man", m.path("man" + evil)}},
		{args: []string{"completion", evil}, fails: true},
		{args: []string{"train", "--" + evil}, fails: true},
		{args: []string{"train", "--mistakes", evil}, fails: true},
		{args: []string{"__complete", "train", m.path("")}},
	}
	tried := make(map[string]bool)
	for i, r := range runs {
		name := r.args[0]
		if strings.HasPrefix(name, "--") { // the sources came first
			name = r.args[len(both)]
			r.args = slices.Concat(r.args[len(both):len(both)+1], r.args[:len(both)], r.args[len(both)+1:])
		}
		tried[name] = true
		environ := []string{"HOME=" + m.dir, "CHAFF_SPLIT_METHOD=hash", "CHAFF_MODEL=multinomial"}
		got, what := chaffWith(t, environ, strings.NewReader(letter("casino", 1)), r.args...), fmt.Sprintf("run %d, %.60q", i, r.args)
		if r.fails != (got.code != 0) {
			t.Errorf("%s: %v", what, got)
		}
		mustBeOurs(t, what+": stdout", got.out)
		mustBeOurs(t, what+": stderr", got.errors)
	}
	for _, pattern := range []string{"page*", "trials*", "best*.toml", "terms*"} {
		files, err := filepath.Glob(m.path(pattern))
		if err != nil || len(files) == 0 {
			t.Errorf("no files %s were written: %v", pattern, err)
		}
		for _, file := range files {
			mustBePlain(t, file)
		}
	}
	for _, c := range rootCommand(new(program), nil).Commands() {
		if !tried[c.Name()] {
			t.Errorf("the command %s is not tried: give it all that others can name", c.Name())
		}
	}
}

// TestNothingForeignReachesTheTerminalFromChaffClassify is the same for the program that mail systems start.
func TestNothingForeignReachesTheTerminalFromChaffClassify(t *testing.T) {
	m := newEvilMail(t)
	for _, args := range [][]string{{"-m", m.path("absent" + evil)}, {"-m", m.path("damaged" + evil)}, {evil}, {"--" + evil}, {"-" + evil}, {"--terms", evil}, {"--exit-code=" + evil}, {"--help"}} {
		var stdout, stderr bytes.Buffer
		delivery.Main(args, []string{"HOME=" + m.dir}, delivery.Streams{In: strings.NewReader(letter("casino", 1)), Out: &stdout, Err: &stderr})
		mustBeOurs(t, fmt.Sprintf("%.40q: stdout", args), stdout.String())
		mustBeOurs(t, fmt.Sprintf("%.40q: stderr", args), stderr.String())
	}
}
