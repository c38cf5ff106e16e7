package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/google/go-cmp/cmp"

	"chaff/corpus/sample"
)

// postbox is a mailbox of anna on an IMAP server, and a model.
type postbox struct {
	*testing.T
	user           *imapmemserver.User
	account, model string
	environ        []string
}

func newPostbox(t *testing.T) *postbox {
	t.Helper()
	b := &postbox{T: t, user: imapmemserver.NewUser("anna", "geheim"), model: filepath.Join(t.TempDir(), "model"), environ: []string{"CHAFF_IMAP_PASSWORD=geheim"}}
	memory := imapmemserver.New()
	memory.AddUser(b.user)
	server := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return memory.NewSession(), nil, nil
		},
		Caps:         imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapMove: {}},
		InsecureAuth: true,
		Logger:       log.New(io.Discard, "", 0),
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	b.account = "imap://anna@" + l.Addr().String()
	must(t, b.user.Create("INBOX", nil))
	b.chaff(0, "learn", "--begin", "--model", "multinomial")
	return b
}

type literalText struct{ *strings.Reader }

func (l literalText) Size() int64 { return l.Reader.Size() }

// put puts messages about a subject into a folder.
func (b *postbox) put(folder, subject string, n int, flags ...imap.Flag) {
	b.Helper()
	for i := range n {
		text := fmt.Sprintf("From: A <a@b.example>\r\nSubject: %s\r\n\r\n", subject)
		if n > 1 { // so that no two messages are of one campaign
			text = fmt.Sprintf("From: <%[2]c%[2]c@%[2]c%[2]c.example>\r\nSubject: %[1]s %[2]c%[2]c\r\n\r\n", subject, 'a'+i)
		}
		for k := range 12 {
			text += fmt.Sprintf("%s %c%c%c ", strings.Fields(subject)[k%2], 'a'+i, 'a'+k, 'a'+i)
		}
		_, err := b.user.Append(folder, literalText{strings.NewReader(text)}, &imap.AppendOptions{Flags: flags})
		must(b.T, err)
	}
}

// chaff runs a command with the model, and returns what it prints.
func (b *postbox) chaff(code int, args ...string) (out, errs string) {
	b.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(b.Context(), append(args, "-m", b.model), b.environ, nil, &stdout, &stderr); got != code {
		b.Fatalf("%q: exit code %d: %s%s", args, got, &stdout, &stderr)
	}
	host := strings.TrimPrefix(b.account, "imap://")
	return strings.ReplaceAll(stdout.String(), host, "ACCOUNT"), strings.ReplaceAll(stderr.String(), host, "ACCOUNT")
}

// imap runs chaff imap and checks what it prints.
func (b *postbox) imap(name string, args []string, want string) {
	b.Helper()
	out, errs := b.chaff(0, append([]string{"imap", "--account", b.account}, args...)...)
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), out+errs); diff != "" {
		b.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestAMailboxByIMAP(t *testing.T) {
	t.Parallel()
	b := newPostbox(t)
	b.put("INBOX", "meeting agenda", 60, imap.FlagSeen)
	b.imap("without a folder for spam", []string{"--learn", "--limit", "2"}, `
learned     2: 2 ham
known       0 already; left out: 0
later       58 messages over the limit (--limit)
chaff: warning: ACCOUNT has no folder for spam, so all mail in it counts as ham: --junk NAME says which it is
`)
	must(t, b.user.Create("Junk", nil))
	must(t, b.user.Create("List\u202e", nil))
	b.put("Junk", "casino pills", 20)
	b.put("List\u202e", "meeting list", 1, imap.FlagSeen)
	b.imap("the first lesson", []string{"--learn"}, `
learned     79: 59 ham, 20 spam
known       2 already; left out: 0
fitted      to all 81 messages
`)
	b.put("INBOX", "casino pills\x1b[2J", 1)
	b.put("INBOX", "meeting minutes agenda", 2)
	b.imap("a dry run", nil, `
spam    P(spam) 0.868  A <a@b.example>  casino pills\x1b[2J
judged      3 new messages: 2 ham, 0 unsure, 1 spam
moved       0: this is a dry run, --move moves spam to Junk
`)
	b.imap("in earnest", []string{"--move", "--learn"}, `
nothing new in ACCOUNT: 81 messages are known, 3 left out
spam    P(spam) 0.868  A <a@b.example>  casino pills\x1b[2J
judged      3 new messages: 2 ham, 0 unsure, 1 spam
moved       1 to Junk
`)
	b.imap("nothing is new", []string{"--move", "--learn", "--quiet"}, "")
	out, _ := b.chaff(0, "imap", "--account", b.account, "--json", "--learn", "--move")
	for _, part := range []string{`"account": "ACCOUNT"`, `"junk": "Junk"`, `"dry_run": false`, `"judged": 0`, `"in_ham_and_spam": 0`} {
		if !strings.Contains(out, part) {
			t.Errorf("the JSON has no %s: %s", part, out)
		}
	}
}

func TestAMailboxByIMAPNamesMessagesThatLookMislabelled(t *testing.T) {
	t.Parallel()
	b := newPostbox(t)
	mail := filepath.Join("..", "..", "corpus", "sample", "mail")
	b.chaff(0, "train", "--replace", "--ham", filepath.Join(mail, "ham"), "--spam", filepath.Join(mail, "spam"))
	must(t, b.user.Create("Junk", nil))
	raw, err := sample.Message("spam/03-hair-tonic.eml")
	must(t, err)
	_, err = b.user.Append("INBOX", literalText{strings.NewReader(string(raw) + "once more")}, &imap.AppendOptions{Flags: []imap.Flag{imap.FlagAnswered, imap.FlagSeen}})
	must(t, err)
	b.imap("a spam that was answered", []string{"--learn"}, `
learned     1: 1 ham
known       0 already; left out: 0
doubtful    1 message looks mislabelled: move each that is in the wrong folder
            ham: Is your hair getting thin?  […  127.0.0.1/INBOX#1
`)
}

func TestAMailboxByIMAPThatCannotBeFiltered(t *testing.T) {
	t.Parallel()
	b := newPostbox(t)
	open, secret := filepath.Join(t.TempDir(), "open"), filepath.Join(t.TempDir(), "secret")
	must(t, errors.Join(os.WriteFile(open, []byte("geheim\n"), 0o644), os.Chmod(open, 0o644))) // whatever the umask is
	must(t, os.WriteFile(secret, []byte("falsch\n"), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "chaff: no account given\nchaff: hint: chaff imap --account imaps://USER@HOST --password-file FILE\n"},
		{[]string{"--account", "imaps://anna:geheim@h"}, "chaff: --account has a password, which other users of this machine can see\n"},
		{[]string{"--account", b.account, "--limit", "0"}, "chaff: --limit is 0: must be at least 1\n"},
		{[]string{"--account", b.account, "--password-file", open}, "chaff: --password-file OPEN: others can read the password\nchaff: hint: chmod 600 OPEN\n"},
		{[]string{"--account", b.account, "--password-file", open + "x"}, "chaff: --password-file OPENx: no such file or directory\n"},
		{[]string{"--account", b.account, "--password-command", "exit 3"}, "chaff: --password-command: exit status 3\n"},
		{[]string{"--account", b.account, "--password-command", "true"}, "chaff: the password is empty\n"},
		{[]string{"--account", b.account, "--password-file", secret}, "chaff: log in to 127.0.0.1: the server refuses the user or the password: the server says: Authentication failed (AUTHENTICATIONFAILED)\nchaff: hint: many providers want a password made for one program, or an access token (--oauth)\n"},
		{[]string{"--account", b.account, "--move"}, "chaff: the mailbox has no folder for spam\nchaff: hint: make one in your mail program, or name it: --junk NAME\n"},
		{[]string{"--account", b.account, "--junk", "No\x1b"}, "chaff: list the folders of ACCOUNT: there is no folder No\\x1b\n"},
	} {
		_, errs := b.chaff(1, append([]string{"imap"}, c.args...)...)
		if got := strings.ReplaceAll(errs, open, "OPEN"); got != c.want {
			t.Errorf("%q:\ngot  %s\nwant %s", c.args, got, c.want)
		}
	}
	b.environ = nil
	if _, errs := b.chaff(1, "imap", "--account", b.account); !strings.HasPrefix(errs, "chaff: no password given\nchaff: hint: ") {
		t.Errorf("without a password: %s", errs)
	}
	b.imap("an empty mailbox", []string{"--password-command", "echo geheim"}, "judged      0 new messages: 0 ham, 0 unsure, 0 spam\n")
}
