package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// readmeCommands returns the lines of README.md's shell blocks that run chaff, and those that say with what.
func readmeCommands(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	inShell := false
	for line := range strings.Lines(string(readme)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inShell = line == "```sh"
		case inShell && (strings.Contains(line, "chaff ") && !strings.HasPrefix(line, "go ") || strings.Contains(line, "=\"")):
			commands = append(commands, line)
		}
	}
	if len(commands) < 10 {
		t.Fatalf("README.md has only %d commands", len(commands))
	}
	return commands
}

// TestReadmeCommandsRun runs every command of the README, in its order, with mail in the places it names.
func TestReadmeCommandsRun(t *testing.T) {
	var script strings.Builder
	script.WriteString(`[!exec:sh] skip 'this needs a shell: install sh'
samplemail Maildir maildir
easymail mail
easymail sa
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
echo 'model = "bernoulli"' > chaff.toml
printf 'term,weight\n(bias),-1\nbody:casino,2\n' > weights.csv
-- readme.sh --
set -e
`)
	for _, command := range readmeCommands(t) {
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
	p := scriptParams()
	p.Files = []string{file}
	testscript.Run(t, p)
}
