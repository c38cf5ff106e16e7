package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"chaff/test/testmain"
)

// A shown is a command of a page. Commands in a block ```sh, and whole commands in the text, must succeed. A block
// ```console holds one command behind "$ ", and its output, in which a line "..." stands for lines that are left out.
type shown struct {
	command string
	console bool
	output  []string
}

// elided is the line of a console block for output that is left out.
const elided = "..."

// shownCommands returns the commands of a page that run chaff, and those that set variables for them.
func shownCommands(t *testing.T, page string) []shown {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	must(t, err)
	var commands []shown
	block := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		kind, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case isFence:
			block = kind
		case block == "console" && isCommand:
			commands = append(commands, shown{command: command, console: true})
		case block == "console":
			last := &commands[len(commands)-1]
			last.output = append(last.output, line)
		case block == "sh" && ((strings.Contains(line, "chaff ") || strings.Contains(line, "chaff-classify ")) && !strings.HasPrefix(line, "go ") || strings.Contains(line, "=\"")):
			commands = append(commands, shown{command: strings.TrimSpace(line)})
		case block == "":
			for _, inline := range regexp.MustCompile("`(chaff [a-z]+ [^`]*(?:--|<)[^`]*)`").FindAllStringSubmatch(line, -1) {
				commands = append(commands, shown{command: inline[1]})
			}
		}
	}
	if len(commands) < 4 {
		t.Fatalf("%s has only %d commands", page, len(commands))
	}
	return commands
}

// TestShownCommandsRun runs every command of the README, and in a long run of other pages, in their order, with mail in the places they name,
// and compares the output that a page shows.
func TestShownCommandsRun(t *testing.T) {
	t.Parallel()
	p := scriptParams(t)
	pages := []string{"README.md"}
	if testmain.IsLong() {
		pages = append(pages, "docs/evaluation.md", "docs/learning.md", "docs/inside/results.md", "docs/sources.md")
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) { runShown(t, page, p) })
	}
}

func runShown(t *testing.T, page string, p testscript.Params) {
	var script strings.Builder
	mailbox := "easymail"
	if page == "README.md" { // which shows what training on it prints
		mailbox = "samplemail"
	}
	fmt.Fprintf(&script, `[!exec:sh] skip 'this needs a shell: install sh'
samplemail sample
%s Maildir maildir
easymail mail copy
easymail sa copy
easymodel spam.model store
mkdir .local/share/chaff lists junk enron sa/easy-ham-1 sa/easy-ham-2 sa/hard-ham-1 sa/spam-1 sa/spam-2
exec sh spread.sh
`, mailbox)
	var files strings.Builder
	inScript := false
	for i, c := range shownCommands(t, page) {
		c.command = strings.ReplaceAll(c.command, "for n in 1 2 3 4 5 6;", "for n in 1;") // the others are the same mail
		switch {
		case c.command == "chaff demo": // the script demo.txtar runs it
			continue
		case isPlain(c.command):
			plain, _, _ := strings.Cut(c.command, " #")
			fmt.Fprintf(&script, "%s 2>&1\n", strings.ReplaceAll(plain, "~", "$HOME"))
		case c.console:
			fmt.Fprintf(&script, "exec sh -c '(%s) 2>&1'\n", c.command)
		case strings.Contains(c.command, "--exit-code"):
			c.command = "{ " + strings.SplitN(c.command, "#", 2)[0] + "; } || test $? -le 2"
			fallthrough
		default:
			if !inScript { // commands in a row share their variables
				fmt.Fprintf(&script, "exec sh %d.sh\n", i)
				fmt.Fprintf(&files, "-- %d.sh --\nset -e\n", i)
			}
			inScript = true
			files.WriteString(c.command + "\n")
			continue
		}
		inScript = false
		if c.console {
			fmt.Fprintf(&script, "shown %s '%s'\n", page, c.command)
		}
	}
	script.WriteString(`
-- spread.sh --
set -e
cp mail/ham/0* lists
mv mail/spam/0* mail/spam/1* junk
awk -f mbox.awk mail/ham/0[1-4].eml > inbox.mbox
for f in mail/ham/*; do echo "ham $f"; done > index
for f in junk/*; do echo "spam $f"; done >> index
(echo ham:lists; echo ham:inbox.mbox; echo spam:junk) > sources
echo label,text > sms.csv
for f in lists/*; do while read -r line; do :; done < $f; echo "ham,\"$line\""; done >> sms.csv
for w in watch car house phone boat holiday loan pills; do echo "spam,win a $w"; echo "spam,free $w $w today"; done >> sms.csv
mv sa/ham/0* sa/easy-ham-1; mv sa/ham/1* sa/easy-ham-2; mv sa/ham/* sa/hard-ham-1
mv sa/spam/0* sa/spam-1; mv sa/spam/* sa/spam-2
rmdir sa/ham sa/spam
for n in 1 2 3 4 5 6; do ln -s ../mail enron/enron$n; done
tar czf old-mail.tar.gz lists
awk -f mbox.awk junk/* | gzip > junk.mbox.gz
cp sample/spam/45-rate-drop.eml message
ln -s mail/ham inbox
cp mail/ham/2* lists
cp spam.model .local/share/chaff/model
cp spam.model.log .local/share/chaff/model.log
-- mbox.awk --
FNR == 1 { print before "From a@b.example Mon Jan  1 10:00:00 2024"; before = "\n" }
{ print }
END { print "" }
` + files.String())
	file := filepath.Join(t.TempDir(), "readme.txtar")
	must(t, os.WriteFile(file, []byte(script.String()), 0o600))
	p.Files = []string{file}
	testscript.Run(t, p)
}

// isPlain reports whether a command of a page needs no shell but for the home folder: a script runs it as it is.
func isPlain(command string) bool {
	command, _, _ = strings.Cut(command, " #")
	program, _, _ := strings.Cut(command, " ")
	return program == "chaff" && !strings.Contains(command, "--exit-code") && !strings.ContainsAny(strings.ReplaceAll(command, " < ", " "), `$|&;<>()'"*?[`+"`")
}

// compareShown compares the output of the command before it with the output that a page shows: shown PAGE COMMAND. With
// TEST_UPDATE it writes the page.
func compareShown(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: shown PAGE COMMAND")
	}
	if runtime.GOARCH != "amd64" { // other processors round the last digits otherwise
		return
	}
	updating.Lock()
	defer updating.Unlock()
	page := filepath.Join(root(ts), filepath.FromSlash(args[0]))
	text, err := os.ReadFile(page)
	ts.Check(err)
	before, rest, ok := strings.Cut(string(text), "```console\n$ "+args[1]+"\n")
	want, after, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		ts.Fatalf("%s shows no output of %s", args[0], args[1])
	}
	got := likeShown(steady(ts.ReadFile("stdout"), ts.Getenv("WORK")), want)
	switch {
	case got == want:
	case os.Getenv("TEST_UPDATE") != "":
		ts.Check(os.WriteFile(page, []byte(before+"```console\n$ "+args[1]+"\n"+got+"```\n"+after), 0o644))
	default:
		ts.Fatalf("%s shows other output of %s (-shown +got; TEST_UPDATE=1 go test ./cmd/chaff writes it):\n%s", args[0], args[1], cmp.Diff(want, got))
	}
}

// updating is held while a page is compared and written, since scripts run in parallel.
var updating sync.Mutex

// root returns the root of the project.
func root(ts *testscript.TestScript) string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	ts.Check(err)
	return dir
}

// steady replaces what differs between runs, times and the folder of the test, and the line ends of messages.
func steady(output, work string) string {
	output = strings.ReplaceAll(strings.ReplaceAll(output, "\r\n", "\n"), work, "/home/me")
	output = regexp.MustCompile(`[0-9.]+ CPU seconds`).ReplaceAllString(output, "0.03 CPU seconds")
	output = regexp.MustCompile(`20[0-9-]{8} [0-9:]{5}`).ReplaceAllString(output, "2026-11-22 18:17")
	output = regexp.MustCompile(`, [0-9]+ ms\n`).ReplaceAllString(output, ", 4 ms\n")
	return regexp.MustCompile(` +\n`).ReplaceAllString(output, "\n")
}

// likeShown leaves out of output what the shown text leaves out. The text before the first "..." stands at the start of the
// output, the text behind the last at its end, and text between two of them where a line begins with the same word.
func likeShown(output, shownText string) string {
	parts := strings.Split(shownText, elided+"\n")
	if len(parts) == 1 {
		return output
	}
	lines := strings.SplitAfter(output, "\n")
	lines = lines[:len(lines)-1]
	var got strings.Builder
	for i, part := range parts {
		size, at := strings.Count(part, "\n"), 0
		switch {
		case i == 0:
		case i == len(parts)-1:
			at = len(lines) - size
		default:
			first, _, _ := strings.Cut(part, "\n")
			word, _, _ := strings.Cut(first, " ")
			at = slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, word) })
		}
		if at < 0 || at+size > len(lines) {
			return output
		}
		if i > 0 {
			got.WriteString(elided + "\n")
		}
		got.WriteString(strings.Join(lines[at:at+size], ""))
		lines = lines[at+size:]
	}
	return got.String()
}
