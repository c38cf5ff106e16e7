package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// shownCommands returns the lines of a page's shell blocks that run chaff, and those that say with what.
func shownCommands(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	inShell := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inShell = line == "```sh"
		case inShell && ((strings.Contains(line, "chaff ") || strings.Contains(line, "chaff-classify ")) && !strings.HasPrefix(line, "go ") || strings.Contains(line, "=\"")):
			commands = append(commands, line)
		}
	}
	if len(commands) < 10 {
		t.Fatalf("%s has only %d commands", page, len(commands))
	}
	return commands
}

// TestShownCommandsRun runs every command of the README and of the page on evaluation, in their order, with mail in the
// places they name.
func TestShownCommandsRun(t *testing.T) {
	t.Parallel()
	t.Run("README.md", func(t *testing.T) { runShown(t, "README.md") })
	t.Run("docs/evaluation.md", func(t *testing.T) { runShown(t, "docs/evaluation.md") })
}

func runShown(t *testing.T, page string) {
	var script strings.Builder
	script.WriteString(`[!exec:sh] skip 'this needs a shell: install sh'
samplemail Maildir maildir
easymail mail copy
easymail sa copy
mkdir lists sa/easy-ham-1 sa/easy-ham-2 sa/hard-ham-1 sa/spam-1 sa/spam-2
exec sh spread.sh
exec sh readme.sh
`)
	script.WriteString(`
-- spread.sh --
set -e
cp mail/ham/0* lists
mv mail/spam/0* mail/spam/1* .
mkdir junk && mv 0*.eml 1*.eml junk
for i in 01 02 03 04; do
	(echo "From a@b.example Mon Jan  1 10:00:00 2024"; cat mail/ham/$i.eml; echo) >> inbox.mbox
done
for f in mail/ham/*; do echo "ham $f"; done > index
for f in junk/*; do echo "spam $f"; done >> index
(echo ham:lists; echo ham:inbox.mbox; echo spam:junk) > sources
tar czf old-mail.tar.gz lists
for f in junk/*; do echo "From a@b.example Mon Jan  1 10:00:00 2024"; cat $f; echo; done | gzip > junk.mbox.gz
echo label,text > sms.csv
for f in lists/*; do echo "ham,$(tail -n 1 $f | tr -d ',"')"; done >> sms.csv
for w in watch car house phone boat holiday loan pills; do echo "spam,win a $w"; echo "spam,free $w $w today"; done >> sms.csv
mv sa/ham/0* sa/easy-ham-1; mv sa/ham/1* sa/easy-ham-2; mv sa/ham/* sa/hard-ham-1
mv sa/spam/0* sa/spam-1; mv sa/spam/* sa/spam-2
rmdir sa/ham sa/spam
mkdir enron
for n in 1 2 3 4 5 6; do cp -r mail enron/enron$n; done
cp lists/01.eml message
cp -r mail/ham inbox
cp mail/ham/2* lists
echo 'model = "bernoulli"' > chaff.toml
printf 'term,weight\n(bias),-1\nbody:casino,2\n' > weights.csv
-- readme.sh --
set -e
chaff train --ham inbox --spam junk -m spam.model > trained
mkdir -p .local/share/chaff && cp spam.model .local/share/chaff/model
`)
	for _, command := range shownCommands(t, page) {
		if strings.Contains(command, "--exit-code") {
			command = "{ " + strings.SplitN(command, "#", 2)[0] + "; } || test $? -le 2"
		}
		script.WriteString(command + "\n")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "readme.txtar")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := scriptParams(t)
	p.Files = []string{file}
	testscript.Run(t, p)
}
