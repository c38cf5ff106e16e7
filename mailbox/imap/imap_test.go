package imap

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/mailbox"
	"chaff/message"
	"chaff/store"
	"chaff/test/testmain"
	"chaff/train"
)

func TestMain(m *testing.M) {
	testmain.Prepare()
	goleak.VerifyTestMain(m)
}

// provider is a server with a mailbox of anna, whose password is "geheim".
type provider struct {
	*testing.T
	user  *imapmemserver.User
	model string // path
	said  bytes.Buffer
	mu    sync.Mutex
	Account
	options Options
}

// Write notes what clients and the server say.
func (p *provider) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.Write(data)
}

func (p *provider) heard() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// newProvider starts a server with the folders INBOX, Junk, Trash and Lists.
func newProvider(t *testing.T, change func(*imapserver.Options)) *provider {
	t.Helper()
	p := &provider{T: t, user: imapmemserver.NewUser("anna", "geheim"), model: filepath.Join(t.TempDir(), "model"), options: DefaultOptions()}
	for _, folder := range []string{"INBOX", "Junk", "Lists", "Trash"} {
		p.must(p.user.Create(folder, nil))
	}
	memory := imapmemserver.New()
	memory.AddUser(p.user)
	o := &imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return memory.NewSession(), nil, nil
		},
		Caps:         imap.CapSet{imap.CapIMAP4rev1: {}, imap.CapMove: {}, imap.CapUIDPlus: {}},
		InsecureAuth: true,
		Logger:       log.New(io.Discard, "", 0),
		DebugWriter:  p,
	}
	if change != nil {
		change(o)
	}
	server := imapserver.New(o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	p.must(err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.Serve(l)
	}()
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	p.Account = accountAt(l)
	return p
}

func accountAt(l net.Listener) Account {
	host, port, _ := net.SplitHostPort(l.Addr().String())
	return Account{Host: host, Port: port, User: "anna", Plain: true}
}

func (p *provider) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// put puts a message into a folder.
func (p *provider) put(folder, text string, flags ...imap.Flag) {
	p.Helper()
	_, err := p.user.Append(folder, literal{strings.NewReader(text)}, &imap.AppendOptions{Flags: flags})
	p.must(err)
}

type literal struct{ *strings.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

func (p *provider) dial() *Client {
	p.Helper()
	c, err := Dial(p.Context(), p.Account, Secret{Text: "geheim"}, p.options)
	p.must(err)
	p.Cleanup(c.Close)
	return c
}

// mail returns a message with a subject.
func mail(subject string) string {
	return "From: a@b.example\r\nSubject: " + subject + "\r\nDate: Mon, 1 Jan 2024 10:00:00 +0000\r\n\r\ntext of " + subject + "\r\n"
}

// classify calls messages about casinos spam.
func classify(raw []byte) filter.Classification {
	if bytes.Contains(raw, []byte("casino")) {
		return filter.Classification{Class: "spam", Verdict: filter.Spam}
	}
	return filter.Classification{Class: "ham", Verdict: filter.Ham}
}

// judge judges what is new, and returns the subjects with what was done.
func (p *provider) judge(c *Client, move bool) (Run, []string) {
	p.Helper()
	r, done, err := p.tryJudge(c, move)
	p.must(err)
	return r, done
}

func (p *provider) tryJudge(c *Client, move bool) (Run, []string, error) {
	p.Helper()
	s, err := OpenState(p.model, move)
	p.must(err)
	defer s.Close()
	var done []string
	r, err := c.Judge(p.Context(), s, classify, move)
	for _, j := range r.Messages {
		what := string(j.Verdict)
		if j.Moved {
			what = "moved"
		} else if j.CameBack {
			what = "came back"
		}
		done = append(done, what+" "+j.Subject)
	}
	r.Messages = nil
	return r, done, err
}

// folder returns the subjects in a folder, with "*" before those that are seen.
func (p *provider) folder(name string) []string {
	p.Helper()
	c := p.dial()
	p.must(c.refresh(name, true))
	all := []string{}
	uids, err := c.search(1, imap.SearchCriteria{})
	p.must(err)
	seen, err := c.search(1, imap.SearchCriteria{Flag: []imap.Flag{imap.FlagSeen}})
	p.must(err)
	for _, uid := range uids {
		raw, err := c.fetch(uid)
		p.must(err)
		_, subject, _ := strings.Cut(string(raw), "Subject: ")
		subject, _, _ = strings.Cut(subject, "\r\n")
		if slices.Contains(seen, uid) {
			subject = "*" + subject
		}
		all = append(all, subject)
	}
	return all
}

func (p *provider) wantFolder(name string, want ...string) {
	p.Helper()
	if diff := cmp.Diff(append([]string{}, want...), p.folder(name)); diff != "" {
		p.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// userReads marks a message as read.
func (p *provider) userReads(subject, folder string) {
	p.Helper()
	c := p.dial()
	uid := p.find(c, subject, folder)
	p.must(c.client.Store(imap.UIDSetNum(uid), &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagSeen}}, nil).Close())
}

// find selects a folder and returns the number of the message about a subject.
func (p *provider) find(c *Client, subject, folder string) imap.UID {
	p.Helper()
	p.must(c.refresh(folder, false))
	uids, err := c.search(1, imap.SearchCriteria{Header: []imap.SearchCriteriaHeaderField{{Key: "Subject", Value: subject}}})
	p.must(err)
	if len(uids) != 1 {
		p.Fatalf("%d messages about %s in %s", len(uids), subject, folder)
	}
	return uids[0]
}

// userMoves moves the message with a subject as a mail program does.
func (p *provider) userMoves(subject, from, to string) {
	p.Helper()
	c := p.dial()
	_, err := c.client.Move(imap.UIDSetNum(p.find(c, subject, from)), to).Wait()
	p.must(err)
}

func want[T any](t *testing.T, name string, want, got T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestNothingChangesUnlessSpamIsToBeMoved(t *testing.T) {
	p := newProvider(t, nil)
	p.put("INBOX", mail("casino read"), imap.FlagSeen)
	p.put("INBOX", mail("casino deleted"), imap.FlagDeleted)
	p.put("INBOX", mail("casino one"))
	p.put("INBOX", mail("lunch"))
	c := p.dial()
	for range 2 {
		r, done := p.judge(c, false)
		want(t, "the run", Run{Judged: 2, Spam: 1}, r)
		want(t, "the messages", []string{"spam casino one", "ham lunch"}, done)
	}
	p.wantFolder("INBOX", "*casino read", "casino one", "lunch")
	p.wantFolder("Junk")
	for _, word := range []string{" STORE ", " COPY ", " MOVE ", " EXPUNGE", " SELECT INBOX", "BODY[]<0.", " 1:*"} {
		if strings.Contains(p.heard(), word) {
			t.Errorf("the client says %s", word)
		}
	}
	if _, err := os.Stat(p.model + Suffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a dry run writes a state: %v", err)
	}
}

func TestSpamIsMovedOnce(t *testing.T) {
	for name, caps := range map[string]imap.CapSet{
		"with MOVE":                    {imap.CapIMAP4rev1: {}, imap.CapMove: {}},
		"with IMAP4rev2, which has it": {imap.CapIMAP4rev2: {}},
		"with UIDPLUS":                 {imap.CapIMAP4rev1: {}, imap.CapUIDPlus: {}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t, func(o *imapserver.Options) { o.Caps = caps })
			p.put("INBOX", mail("casino deleted by the user"), imap.FlagDeleted)
			p.put("INBOX", mail("casino one"))
			p.put("INBOX", mail("lunch"))
			p.put("INBOX", mail("casino two"))
			c := p.dial()
			r, done := p.judge(c, true)
			want(t, "the run", Run{Judged: 3, Spam: 2, Moved: 2}, r)
			want(t, "the messages", []string{"moved casino one", "ham lunch", "moved casino two"}, done)
			p.wantFolder("INBOX", "lunch")
			p.wantFolder("Junk", "casino one", "casino two")
			p.must(c.refresh(inbox, true))
			if c.selected.NumMessages != 2 {
				t.Error("a message that the user has marked as deleted is removed")
			}

			r, _ = p.judge(c, true)
			want(t, "a second run", Run{}, r)

			p.userMoves("casino one", "Junk", "INBOX")
			r, done = p.judge(p.dial(), true)
			want(t, "a message that came back", Run{Judged: 1, Spam: 1}, r)
			want(t, "a message that came back", []string{"came back casino one"}, done)

			p.put("INBOX", strings.Replace(mail("casino one"), "From:", "Received: again\r\nFrom:", 1))
			r, _ = p.judge(p.dial(), true)
			want(t, "the same spam, sent again", Run{Judged: 1, Spam: 1, Moved: 1}, r)
		})
	}
}

func TestAServerThatCanOnlyDeleteMovesNothing(t *testing.T) {
	p := newProvider(t, func(o *imapserver.Options) {
		o.Caps = imap.CapSet{imap.CapIMAP4rev1: {}}
	})
	p.put("INBOX", mail("casino one"))
	if _, _, err := p.tryJudge(p.dial(), true); !errors.Is(err, ErrCannotMove) {
		t.Errorf("got the error %v", err)
	}
	p.wantFolder("INBOX", "casino one")
	p.wantFolder("Junk")
}

func TestNothingIsRemovedThatWasNotCopied(t *testing.T) {
	for _, answers := range []map[string]string{
		{"UID COPY": "@ NO no room\r\n"},
		{"UID STORE": "@ NO not yours\r\n"},
	} {
		answers["CAPABILITY"] = "* CAPABILITY IMAP4rev1 UIDPLUS\r\n@ OK done\r\n"
		a, stop := scripted(t, strings.Replace(ready, "MOVE", "UIDPLUS", 1), usual(answers))
		c, err := Dial(t.Context(), a, Secret{Text: "geheim"}, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		state, err := OpenState(filepath.Join(t.TempDir(), "model"), true)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Judge(t.Context(), state, classify, true)
		state.Close()
		c.Close()
		said, refused := stop(), err != nil && strings.Contains(err.Error(), "move spam to Junk: the server says: no")
		if _, isCopy := answers["UID COPY"]; !refused || strings.Contains(said, "EXPUNGE") || isCopy && strings.Contains(said, "STORE") {
			t.Errorf("%v: got the error %v after\n%s", answers, err, said)
		}
	}
}

func TestAProgramSaysItsNameToNetEase(t *testing.T) {
	a, stop := scripted(t, strings.Replace(ready, "MOVE", "ID UIDPLUS X-CM-EXT-1", 1), usual(map[string]string{
		"CAPABILITY": "* CAPABILITY IMAP4rev1 ID UIDPLUS X-CM-EXT-1\r\n@ OK done\r\n",
		"ID":         "* ID (\"name\" \"Coremail Imap\" \"TransID\" \"x\")\r\n@ OK done\r\n",
	}))
	c, err := Dial(t.Context(), a, Secret{Text: "geheim"}, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	err = c.refresh(inbox, true)
	c.Close()
	said := stop()
	if id := strings.Index(said, `ID ("name" "chaff")`); err != nil || id < 0 || id > strings.Index(said, "EXAMINE") {
		t.Errorf("got the error %v after\n%s", err, said)
	}
}

func TestAMoveThatFailsIsTriedAgain(t *testing.T) {
	p := newProvider(t, nil)
	p.put("INBOX", mail("casino one"))
	c := p.dial()
	p.must(p.user.Delete("Junk"))
	if _, _, err := p.tryJudge(c, true); err == nil || !strings.Contains(err.Error(), "move spam to Junk: the server says: No such mailbox (TRYCREATE)") {
		t.Errorf("got the error %v", err)
	}
	p.wantFolder("INBOX", "casino one")
	if _, _, err := p.tryJudge(p.dial(), true); !errors.Is(err, ErrNoJunk) {
		t.Errorf("without a folder: %v", err)
	}
	p.must(p.user.Create("Junk", nil))
	r, _ := p.judge(p.dial(), true)
	want(t, "with the folder again", Run{Judged: 1, Spam: 1, Moved: 1}, r)
}

// breaking is a session that ends the connection at a move, before or after it.
type breaking struct {
	imapserver.SessionIMAP4rev2
	conn    *imapserver.Conn
	breaks  *atomic.Bool
	isMoved bool
}

func (b breaking) Move(w *imapserver.MoveWriter, set imap.NumSet, to string) error {
	if b.breaks.Load() {
		defer b.conn.NetConn().Close()
		if !b.isMoved {
			return nil
		}
	}
	return b.SessionIMAP4rev2.Move(w, set, to)
}

func TestTheConnectionBreaksAtAMove(t *testing.T) {
	for name, isMoved := range map[string]bool{"before the server has moved": false, "after it": true} {
		t.Run(name, func(t *testing.T) {
			var breaks atomic.Bool
			p := newProvider(t, func(o *imapserver.Options) {
				usual := o.NewSession
				o.NewSession = func(c *imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
					s, greeting, err := usual(c)
					return breaking{s.(imapserver.SessionIMAP4rev2), c, &breaks, isMoved}, greeting, err
				}
			})
			p.put("INBOX", mail("casino one"))
			breaks.Store(true)
			if _, _, err := p.tryJudge(p.dial(), true); err == nil {
				t.Error("no error")
			}
			breaks.Store(false)
			want(t, "what was moved teaches", []string{}, p.learn(p.dial()))
			left := Run{Judged: 1, Spam: 1, Moved: 1}
			if isMoved {
				left = Run{}
			}
			r, _ := p.judge(p.dial(), true)
			want(t, "the next run", left, r)
			p.wantFolder("INBOX")
			p.wantFolder("Junk", "casino one")
			p.userMoves("casino one", "Junk", "INBOX")
			_, done := p.judge(p.dial(), true)
			want(t, "a message that came back", []string{"came back casino one"}, done)
		})
	}
}

// blocking is a session in which no state can be written from a move on, as on a full disk.
type blocking struct {
	imapserver.SessionIMAP4rev2
	state *atomic.Pointer[string]
}

func (b blocking) Move(w *imapserver.MoveWriter, set imap.NumSet, to string) error {
	return errors.Join(os.Remove(*b.state.Load()), os.Mkdir(*b.state.Load(), 0o700), b.SessionIMAP4rev2.Move(w, set, to))
}

func TestWhatWasMovedIsSaidWhenTheStateCannotBeWritten(t *testing.T) {
	var state atomic.Pointer[string]
	p := newProvider(t, func(o *imapserver.Options) {
		usual := o.NewSession
		o.NewSession = func(c *imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			s, greeting, err := usual(c)
			return blocking{s.(imapserver.SessionIMAP4rev2), &state}, greeting, err
		}
	})
	file := p.model + Suffix
	state.Store(&file)
	p.put("INBOX", mail("casino one"))
	r, done, err := p.tryJudge(p.dial(), true)
	if err == nil {
		t.Error("no error")
	}
	want(t, "the run", Run{Judged: 1, Spam: 1, Moved: 1}, r)
	want(t, "the messages", []string{"moved casino one"}, done)
}

func TestALimitLeavesTheRestForLater(t *testing.T) {
	p := newProvider(t, nil)
	for i := range 120 {
		p.put("INBOX", mail(fmt.Sprint("casino ", i)))
	}
	p.options.Limit = 70
	r, _ := p.judge(p.dial(), true)
	want(t, "the first run", Run{Judged: 70, Spam: 70, Moved: 70, Later: 50}, r)
	r, _ = p.judge(p.dial(), true)
	want(t, "the second run", Run{Judged: 50, Spam: 50, Moved: 50}, r)
}

func TestNumbersThatAreNoLongerValidMeanNothing(t *testing.T) {
	p := newProvider(t, nil)
	for i := range 5 {
		p.put("INBOX", mail(fmt.Sprint("lunch ", i)))
	}
	p.put("INBOX", mail("casino one"))
	p.judge(p.dial(), true)
	p.userMoves("casino one", "Junk", "INBOX")
	s, err := OpenState(p.model, true)
	p.must(err)
	s.of(p.Account).Validity++
	s.of(p.Account).Moved[0].UID = p.find(p.dial(), "casino one", "INBOX")
	p.must(s.save())
	s.Close()
	r, done := p.judge(p.dial(), true)
	want(t, "the inbox is another one", Run{Judged: 6, Spam: 1}, r)
	want(t, "a message that came back", "came back casino one", done[5])
}

func TestAStateHasOneWriter(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	s, err := OpenState(model, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(model, true); !errors.Is(err, ErrRunning) {
		t.Errorf("a second one: %v", err)
	}
	if _, err := OpenState(model, false); err != nil {
		t.Errorf("a reader: %v", err)
	}
	s.Close()
	for _, text := range []string{"{", "null", `{"a":null}`, `[]`, "\x00"} {
		os.WriteFile(model+Suffix, []byte(text), 0o600)
		if _, err := OpenState(model, true); err == nil || !strings.Contains(err.Error(), "remove it to begin anew") {
			t.Errorf("the file %q: %v", text, err)
		}
	}
}

func TestMovedMessagesAreForgottenInTheEnd(t *testing.T) {
	var r remembered
	for i := range maxMoved + 10 {
		r.add([]moved{{Hash: fmt.Sprintf("%032d", i), UID: imap.UID(1000000 + i)}})
	}
	if last := fmt.Sprintf("%032d", 10); len(r.Moved) != maxMoved || r.Moved[0].Hash != last {
		t.Errorf("it has %d from %s", len(r.Moved), r.Moved[0].Hash)
	}
	model := filepath.Join(t.TempDir(), "model")
	s, err := OpenState(model, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		s.accounts[fmt.Sprint("imaps://user", i, "@mail.example")] = &r
	}
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	if s, err := OpenState(model, false); err != nil || len(s.accounts) != 20 {
		t.Errorf("the state of twenty accounts that have moved much: %v", err)
	}
}

// learn learns what the mailbox says, as the command does, and returns what changed.
func (p *provider) learn(c *Client) []string {
	p.Helper()
	if _, err := os.Stat(p.model); err != nil {
		p.must(store.Begin(p.Context(), p.model, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), store.DefaultOptions()))
	}
	s, err := OpenState(p.model, true)
	p.must(err)
	defer s.Close()
	box, err := c.Mailbox(p.Context(), s)
	p.must(err)
	view, err := store.Look(p.model)
	p.must(err)
	o := mailbox.LearnOptions{Workers: 1, Filed: box.Filed}
	preview, err := box.Preview(p.Context(), view, o)
	p.must(errors.Join(err, box.Err()))
	learned, err := store.Open(p.Context(), p.model, store.DefaultOptions())
	p.must(err)
	defer learned.Close()
	account, err := box.Learn(p.Context(), learned, o)
	p.must(errors.Join(err, box.Err()))
	if len(preview.Changes) != len(account.Changes) {
		p.Errorf("the preview has %d changes, then there are %d", len(preview.Changes), len(account.Changes))
	}
	changes := []string{}
	for _, change := range account.Changes {
		_, place, _ := strings.Cut(change.Path, "/")
		changes = append(changes, strings.Join(strings.Fields(fmt.Sprint(change.Result, " ", change.Before, " ", change.Label, " ", place)), " "))
	}
	return changes
}

func TestFoldersTeach(t *testing.T) {
	p := newProvider(t, nil)
	p.put("INBOX", mail("unread"))
	p.put("INBOX", mail("lunch"), imap.FlagSeen)
	p.put("INBOX", mail("deleted"), imap.FlagSeen, imap.FlagDeleted)
	p.put("Lists", mail("patch"), imap.FlagSeen)
	p.put("Lists", mail("unread, by a rule"))
	p.put("Trash", mail("gone"))
	p.put("Junk", mail("pills"), imap.FlagSeen)
	p.put("Junk", mail("casino"))
	c := p.dial()
	want(t, "at first", []string{"learned ham INBOX#2", "learned spam Junk#2", "learned spam Junk#1", "learned ham Lists#1"}, p.learn(c))
	before := strings.Count(p.heard(), "BODY.PEEK")
	want(t, "again", []string{}, p.learn(c))
	if n := strings.Count(p.heard(), "BODY.PEEK"); n != before {
		t.Errorf("it reads %d messages again", n-before)
	}
	p.userMoves("lunch", "INBOX", "Junk")
	p.userMoves("pills", "Junk", "Lists")
	want(t, "the user moves two", []string{"relabelled ham spam Junk#3", "relabelled spam ham Lists#3"}, p.learn(p.dial()))
	if strings.Contains(p.heard(), "BODY[]<0.") || strings.Contains(p.heard(), "SELECT Trash") {
		t.Error("it marks messages as seen or reads the trash")
	}
}

// The library puts the conditions of OR into parentheses, which some servers do not understand.
func TestWhatWasAnsweredOrFlaggedIsFoundWithoutOR(t *testing.T) {
	p := newProvider(t, nil)
	p.put("INBOX", mail("read"), imap.FlagSeen)
	p.put("INBOX", mail("answered"), imap.FlagSeen, imap.FlagAnswered)
	p.put("INBOX", mail("flagged"), imap.FlagSeen, imap.FlagFlagged)
	c := p.dial()
	rows, err := (&Listing{client: c}).list(c.folders[0])
	p.must(err)
	var acted []bool // the newest first
	for _, f := range rows[0].Files {
		acted = append(acted, f.Acted)
	}
	want(t, "whether somebody did something", []bool{true, true, false}, acted)
	if strings.Contains(p.heard(), " OR ") {
		t.Error("the client says OR")
	}
}

func TestWhatIsMovedTeachesNothingUntilTheUserMovesIt(t *testing.T) {
	p := newProvider(t, nil)
	p.put("INBOX", mail("casino one"))
	p.put("INBOX", mail("casino two"))
	p.judge(p.dial(), true)
	for range 2 {
		want(t, "what was moved", []string{}, p.learn(p.dial()))
	}
	p.userMoves("casino one", "Junk", "INBOX")
	want(t, "unread, it says nothing", []string{}, p.learn(p.dial()))
	p.userMoves("casino one", "INBOX", "Lists")
	want(t, "unread elsewhere, neither", []string{}, p.learn(p.dial()))
	p.userReads("casino one", "Lists")
	want(t, "read, it is ham", []string{"learned ham Lists#1"}, p.learn(p.dial()))
	p.userMoves("casino one", "Lists", "Junk")
	want(t, "the user moves it to Junk", []string{"relabelled ham spam Junk#3"}, p.learn(p.dial()))
}

func TestAccounts(t *testing.T) {
	for address, want := range map[string]string{
		"imaps://anna@imap.example.org":             "anna imap.example.org 993 false anna@imap.example.org",
		"imap://anna@imap.example.org":              "anna imap.example.org 143 true anna@imap.example.org",
		"imaps://anna@example.org@imap.example.org": "anna@example.org imap.example.org 993 false anna@example.org@imap.example.org",
		"imaps://anna%40b@h:1993/":                  "anna@b h 1993 false anna@b@h:1993",
		"imap://anna@[::1]:1143":                    "anna ::1 1143 true anna@[::1]:1143",
	} {
		a, err := ParseAccount(address)
		if got := fmt.Sprint(a.User, " ", a.Host, " ", a.Port, " ", a.Plain, " ", a); got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", address, got, err, want)
		}
	}
	for address, want := range map[string]string{
		"":                               "must be imaps://",
		"anna@imap.example.org":          "must be imaps://",
		"imaps://imap.example.org":       "must be imaps://",
		"imaps://anna@":                  "must be imaps://",
		"http://anna@imap.example.org":   "must be imaps://",
		"imaps://anna@h/INBOX":           "must be imaps://",
		"imaps://anna:secret@h":          "has a password",
		"imaps://an%0d%0ana@h":           "control characters",
		"imaps://anna@h:secret of anna!": "must be imaps://",
	} {
		_, err := ParseAccount(address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got the error %v", address, err)
		}
	}
}

// certificate returns a configuration for a server and one for its clients.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: pool}
}

func TestTheConnectionIsEncrypted(t *testing.T) {
	server, client := certificate(t)
	p := newProvider(t, func(o *imapserver.Options) { o.TLSConfig, o.InsecureAuth = server, false })
	if _, err := Dial(t.Context(), p.Account, Secret{Text: "geheim"}, p.options); err == nil || !strings.Contains(err.Error(), "accepts no passwords") {
		t.Errorf("without encryption, on this machine: %v", err)
	}
	conn, err := net.Dial("tcp", net.JoinHostPort(p.Host, p.Port))
	p.must(err)
	c := &Client{Account: p.Account, options: p.options, conn: &bounded{Conn: elsewhere{conn}}, stop: func() bool { return true }}
	if err := c.begin(Secret{Text: "geheim"}); !errors.Is(err, ErrPlain) {
		t.Errorf("without encryption, on another machine: %v", err)
	}
	c.Close()
	if strings.Contains(p.heard(), "geheim") {
		t.Error("the password is sent before the connection is encrypted")
	}

	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	p.must(err)
	defer l.Close()
	go func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			io.WriteString(conn, "* PREAUTH ready\r\n")
			answerAll(conn, nil)
		}
	}()
	a := accountAt(l)
	a.Plain = false
	if _, err := Dial(t.Context(), a, Secret{Text: "geheim"}, p.options); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate of nobody: %v", err)
	}
	o := p.options
	o.TLS = client
	if c, err = Dial(t.Context(), a, Secret{Text: "geheim"}, o); err != nil {
		t.Fatalf("imaps: %v", err)
	}
	c.Close()
}

// TestAMessageThatIsTooLargeHoldsUpNoOther has records of TLS, which count for the limit of what a server may send.
func TestAMessageThatIsTooLargeHoldsUpNoOther(t *testing.T) {
	server, client := certificate(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", server)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	const size = message.MaxSize + 1
	answers := usual(map[string]string{
		"UID SEARCH":   "* SEARCH 8 9\r\n@ OK done\r\n",
		"UID FETCH 8 ": fmt.Sprintf("* 1 FETCH (UID 8 BODY[]<0> {%d}\r\n%s)\r\n@ OK done\r\n", size, strings.Repeat("x", size)),
	})
	go func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			io.WriteString(conn, ready)
			answerAll(inPieces{conn}, answers)
		}
	}()
	a, o := accountAt(l), DefaultOptions()
	a.Plain, o.TLS = false, client
	c, err := Dial(t.Context(), a, Secret{Text: "geheim"}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p := &provider{T: t, model: filepath.Join(t.TempDir(), "model")}
	if run, _, err := p.tryJudge(c, false); err != nil || !cmp.Equal(run, Run{Judged: 1, Spam: 1, TooLarge: 1}) {
		t.Errorf("got %+v, %v", run, err)
	}
}

// Exchange says BAD or NO to a message that it cannot convert.
func TestAMessageThatTheServerCannotGiveHoldsUpNoOther(t *testing.T) {
	reads := func(uid string) string {
		return "* 1 FETCH (UID " + uid + " BODY[]<0> {8}\r\ncasino\r\n)\r\n@ OK done\r\n"
	}
	for name, c := range map[string]struct {
		seven, nine string // what the server answers
		last        imap.UID
		moved       int
	}{
		"one before others":      {"@ BAD Command Error. 12\r\n", reads("9"), 9, 2},
		"one behind others":      {reads("7"), "@ NO cannot be converted\r\n", 8, 2},
		"the first and the last": {"@ NO later\r\n", "@ NO later\r\n", 8, 1},
	} {
		t.Run(name, func(t *testing.T) {
			client := connected(t, DefaultOptions(), map[string]string{
				"UID SEARCH": "* SEARCH 7 8 9\r\n@ OK done\r\n", "UID FETCH 7 ": c.seven, "UID FETCH 8 ": reads("8"), "UID FETCH 9 ": c.nine,
			})
			p := &provider{T: t, model: filepath.Join(t.TempDir(), "model")}
			run, _, err := p.tryJudge(client, true)
			if err == nil || !strings.Contains(err.Error(), "of the inbox: the server says: ") || run.Moved != c.moved {
				t.Errorf("%d messages are moved, with the error %v", run.Moved, err)
			}
			s, err := OpenState(p.model, true)
			p.must(err)
			defer s.Close()
			if got := s.of(client.Account).Last; got != c.last {
				t.Errorf("the last message that counts as judged is %d", got)
			}
			box, err := client.Mailbox(t.Context(), s)
			p.must(err)
			p.must(store.Begin(t.Context(), p.model, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), store.DefaultOptions()))
			log, err := store.Open(t.Context(), p.model, store.DefaultOptions())
			p.must(err)
			defer log.Close()
			account, err := box.Learn(t.Context(), log, mailbox.LearnOptions{Workers: 1})
			p.must(errors.Join(err, box.Err()))
			if len(account.Changes) == 0 {
				t.Error("no message is learned or refused")
			}
		})
	}
}

func TestMessagesThatTheServerCannotGiveHoldUpNoOtherBatch(t *testing.T) {
	answers := map[string]string{}
	found := "* SEARCH"
	for uid := range 50 {
		found += fmt.Sprint(" ", uid+1)
		answers[fmt.Sprintf("UID FETCH %d ", uid+1)] = "@ NO cannot be converted\r\n"
	}
	answers["UID SEARCH"] = found + " 51\r\n@ OK done\r\n"
	answers["UID FETCH 51 "] = "* 1 FETCH (UID 51 BODY[]<0> {8}\r\ncasino\r\n)\r\n@ OK done\r\n"
	client := connected(t, DefaultOptions(), answers)
	p := &provider{T: t, model: filepath.Join(t.TempDir(), "model")}
	run, _, err := p.tryJudge(client, true)
	if err == nil || !strings.Contains(err.Error(), "message 1 of the inbox: the server says: ") || run.Moved != 1 {
		t.Errorf("%d messages are moved, with the error %v", run.Moved, err)
	}
}

func TestAReplyThatNobodyUnderstandsEndsTheConnection(t *testing.T) {
	client := connected(t, DefaultOptions(), map[string]string{"UID SEARCH": "* SEARCH 8 9\r\n@ OK done\r\n", "UID FETCH 9 ": "* 1 FETCH UID 9\r\n"})
	if err := client.refresh(inbox, true); err != nil {
		t.Fatal(err)
	}
	if _, err := client.fetch(9); err == nil || client.conn.failure() == nil {
		t.Errorf("the message is read with the error %v, and the connection has the error %v", err, client.conn.failure())
	}
}

// inPieces is a connection that sends 4 kB at once, as many servers do.
type inPieces struct{ net.Conn }

func (c inPieces) Write(p []byte) (n int, err error) {
	for piece := range slices.Chunk(p, 4096) {
		m, err := c.Conn.Write(piece)
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// elsewhere is a connection that seems to lead to another machine.
type elsewhere struct{ net.Conn }

func (e elsewhere) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 143} }

func TestAWrongPasswordIsRefused(t *testing.T) {
	p := newProvider(t, nil)
	_, err := Dial(t.Context(), p.Account, Secret{Text: "falsch"}, p.options)
	if !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "falsch") {
		t.Errorf("got the error %v", err)
	}
	_, err = Dial(t.Context(), p.Account, Secret{Text: "x", Token: true}, p.options)
	if err == nil || !strings.Contains(err.Error(), "accepts no access tokens") {
		t.Errorf("a token: got the error %v", err)
	}
	p.Port = "1"
	_, err = Dial(t.Context(), p.Account, Secret{Text: "x"}, p.options)
	if err == nil || err.Error() != "connect to 127.0.0.1: connection refused" {
		t.Errorf("no server: got the error %v", err)
	}
}

// scripted is a server that answers each command of a client with a text. It returns what the client said.
func scripted(t *testing.T, greeting string, answer map[string]string) (Account, func() string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(conn, greeting)
		said.WriteString(answerAll(conn, answer))
	}()
	stop := func() string {
		l.Close()
		<-ended
		return said.String()
	}
	t.Cleanup(func() { stop() })
	return accountAt(l), stop
}

// answerAll answers the commands of a client by their first words. The answer "" is none, one with NUL behind it the last, and without one the command
// succeeds.
func answerAll(conn net.Conn, answer map[string]string) (said string) {
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		said += lines.Text() + "\n"
		tag, command, _ := strings.Cut(lines.Text(), " ")
		reply := tag + " OK done\r\n"
		for begin, text := range answer {
			if strings.HasPrefix(command, begin) {
				reply = strings.ReplaceAll(text, "@", tag)
			}
		}
		reply, isLast := strings.CutSuffix(reply, "\x00")
		if _, err := io.WriteString(conn, reply); err != nil || isLast {
			break
		}
	}
	return said
}

const ready = "* OK [CAPABILITY IMAP4rev1 MOVE] ready\r\n"

// connected returns a client of a server that answers as usual but for what is given.
func connected(t *testing.T, o Options, answers map[string]string) *Client {
	t.Helper()
	a, _ := scripted(t, ready, usual(answers))
	c, err := Dial(t.Context(), a, Secret{Text: "geheim"}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// usual are the answers of a server with a message.
func usual(change map[string]string) map[string]string {
	all := map[string]string{
		"CAPABILITY":        "* CAPABILITY IMAP4rev1 MOVE\r\n@ OK done\r\n",
		"LIST":              "* LIST () \"/\" INBOX\r\n* LIST () \"/\" Junk\r\n@ OK done\r\n",
		"EXAMINE":           "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 10] x\r\n@ OK [READ-ONLY] done\r\n",
		"SELECT":            "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 10] x\r\n@ OK done\r\n",
		"UID SEARCH":        "* SEARCH 9\r\n@ OK done\r\n",
		"UID FETCH 9 ":      "* 1 FETCH (UID 9 BODY[]<0> {8}\r\ncasino\r\n)\r\n@ OK done\r\n",
		"AUTHENTICATE":      "@ NO no\r\n",
		"LOGIN anna geheim": "@ OK done\r\n",
	}
	for command, text := range change {
		all[command] = text
	}
	return all
}

func TestAHostileServer(t *testing.T) {
	many := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(line, "NUMBER", strconv.Itoa(i+1)))
		}
		return b.String()
	}
	downwards := func(n int) string {
		var b strings.Builder
		for ; n > 0; n-- {
			fmt.Fprint(&b, " ", 1_000_000+2*n)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		greeting string
		change   map[string]string
		want     string // of the error; empty for none
	}{
		"the usual":                     {},
		"no greeting":                   {greeting: "x", want: "does not answer"},
		"a greeting without an end":     {greeting: "* OK " + strings.Repeat("x", 1<<20), want: "sends too much"},
		"a refusal":                     {greeting: "* BYE go away\r\n", want: "the server says: go away"},
		"a panic of the library":        {greeting: "* \r\n", want: "connect to 127.0.0.1"},
		"a login without an answer":     {change: map[string]string{"LOGIN": ""}, want: "log in to 127.0.0.1: the server does not answer"},
		"a refused login":               {change: map[string]string{"LOGIN": "@ NO [AUTHENTICATIONFAILED] \x1b[31mno\r\n"}, want: "refuses the user"},
		"many folders":                  {change: map[string]string{"LIST": many(600, "* LIST () \"/\" fNUMBER\r\n") + "@ OK done\r\n"}, want: "600 folders"},
		"folders without end":           {change: map[string]string{"LIST": many(1<<16, "* LIST () \"/\" folderNUMBER\r\n")}, want: "sends too much"},
		"a folder name without end":     {change: map[string]string{"LIST": "* LIST () \"/\" \"" + strings.Repeat("x", 2<<20)}, want: "sends too much"},
		"a folder name in bad encoding": {change: map[string]string{"LIST": "* LIST () \"/\" \"&x\"\r\n@ OK done\r\n"}},
		"no lasting numbers":            {change: map[string]string{"EXAMINE": "* 1 EXISTS\r\n@ OK done\r\n"}, want: "UIDVALIDITY"},
		"numbers without end":           {change: map[string]string{"UID SEARCH": "* SEARCH" + many(1<<18, " NUMBER00") + "\r\n"}, want: "sends too much"},
		"all numbers there are":         {change: map[string]string{"UID SEARCH": "* ESEARCH (TAG \"@\") UID ALL 1:4294967295\r\n@ OK done\r\n", "UID FETCH": "@ OK done\r\n"}},
		"a message that is none":        {change: map[string]string{"UID FETCH 9 ": "* 1 FETCH (UID 9 BODY[]<0> NIL)\r\n@ OK done\r\n"}},
		"another message":               {change: map[string]string{"UID FETCH 9 ": "* 2 FETCH (UID 8 BODY[]<0> {6}\r\ncasino)\r\n@ OK done\r\n"}},
		"two bodies":                    {change: map[string]string{"UID FETCH 9 ": "* 1 FETCH (UID 9 BODY[]<0> {1}\r\nx BODY[] {6}\r\ncasino)\r\n* 1 FETCH (UID 9 BODY[] {1}\r\ny)\r\n@ OK done\r\n"}},
		"an end within a message":       {change: map[string]string{"UID FETCH 9 ": "* 1 FETCH (UID 9 BODY[]<0> {900}\r\nx\x00"}, want: "read message 9 of the inbox: the server ended the connection"},
		"a message that is too large":   {change: map[string]string{"UID FETCH 9 ": "* 1 FETCH (UID 9 BODY[]<0> {99999999999}\r\nx"}, want: "read message 9 of the inbox: the server does not answer"},
		"a broken reply":                {change: map[string]string{"UID FETCH 9 ": "* 1 FETCH (UID 9 BODY[]<0> {1}\r\nx{{\r\n"}, want: "read message 9 of the inbox"},
		"an end":                        {change: map[string]string{"UID FETCH 9 ": "* BYE\r\n"}, want: "does not answer"},
		"too many connections":          {change: map[string]string{"LOGIN": "@ NO [UNAVAILABLE] too many\r\n"}, want: "log in to 127.0.0.1: the server says: too many (UNAVAILABLE)"},
		"a list of capabilities":        {greeting: "* OK [CAPABILITY IMAP4rev1] hello (here)\r\n* CAPABILITY (x\r\n", want: "do not belong there"},
		"a list in a code":              {greeting: "* OK [CAPABILITY (x\r\n", want: "do not belong there"},
		"a code without an end":         {change: map[string]string{"UID FETCH 9 ": "* OK [X\r\n* 1 FETCH {99999}\r\n]\r\n* 1 FETCH (UID 9 BODYSTRUCTURE " + strings.Repeat("(", 50_000) + "\r\n"}, want: "do not belong there"},
		"nested lists after a number":   {change: map[string]string{"UID FETCH 9 ": "* 5 OK {99999}\r\n* 1 FETCH (UID 9 BODYSTRUCTURE " + strings.Repeat("(", 50_000) + "\r\n"}, want: "do not belong there"},
		"a literal before a space":      {change: map[string]string{"UID FETCH 9 ": "* 1 FETCH (UID 9 BODY[]<0> {6} \r\n\"(casi BODYSTRUCTURE " + strings.Repeat("(", 50_000) + "\r\n"}, want: "do not belong there"},
		"nested lists in a text":        {change: map[string]string{"UID FETCH 9 ": "* OK {99999}\r\n* 1 FETCH (UID 9 BODYSTRUCTURE " + strings.Repeat("(", 50_000) + "\r\n"}, want: "do not belong there"},
		"nested lists in a string":      {change: map[string]string{"UID FETCH 9 ": "* 1 FETCH (UID 9 BODY[]<0> \"{99999}\r\n\" BODYSTRUCTURE " + strings.Repeat("(", 50_000)}, want: "do not belong there"},
		"numbers from the last one on":  {change: map[string]string{"EXAMINE": "* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n@ OK done\r\n", "UID SEARCH": "* SEARCH" + downwards(20_000) + "\r\n@ OK done\r\n", "UID FETCH": "@ OK done\r\n"}},
		"nested lists":                  {change: map[string]string{"UID FETCH 9 ": "* 1 FETCH (UID 9 BODYSTRUCTURE " + strings.Repeat("(", 50_000) + "\r\n"}, want: "read message 9 of the inbox: the server sends lists that do not belong"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.greeting == "" {
				c.greeting = ready
			}
			a, _ := scripted(t, c.greeting, usual(c.change))
			o := DefaultOptions()
			if strings.Contains(c.want, "does not answer") {
				o.Timeout, o.Fetch = 200*time.Millisecond, 200*time.Millisecond
			}
			p := &provider{T: t, model: filepath.Join(t.TempDir(), "model")}
			client, err := Dial(t.Context(), a, Secret{Text: "geheim"}, o)
			var run Run
			if err == nil {
				run, _, err = p.tryJudge(client, false)
				client.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got the error %.300v, want %q", err, c.want)
			}
			if name == "the usual" && !cmp.Equal(run, Run{Judged: 1, Spam: 1}) {
				t.Errorf("got %+v", run)
			}
		})
	}
}

func TestTheServerSaysWhatFoldersAreFor(t *testing.T) {
	list := `* LIST () "." INBOX
* LIST (\NoSelect) "." Odd
* LIST (\Junk) "." &ZeVnLIqe-
* LIST (\Trash) "." Old
* LIST (\All) "." Everything
* LIST (\Flagged) "." Stars
* LIST () "." Junk
* LIST () "." Lists.Junk.2020
* LIST () NIL Sent
@ OK done
`
	c := connected(t, DefaultOptions(), map[string]string{"LIST": strings.ReplaceAll(list, "\n", "\r\n")})
	var got []string
	for _, f := range c.folders {
		got = append(got, fmt.Sprint(f.Name, " ", f.Label, " ", f.Incoming))
	}
	want(t, "the folders", []string{"INBOX ham true", "Everything left out false", "Junk spam false", "Lists.Junk.2020 spam false",
		"Old left out false", "Sent ham false", "Stars left out false", "日本語 spam false"}, got)
	if c.Junk() != "日本語" {
		t.Errorf("spam goes to %s", c.Junk())
	}
	for _, name := range []string{"Lists.Junk.2020", "Sent"} {
		a, _ := scripted(t, ready, usual(map[string]string{"LIST": strings.ReplaceAll(list, "\n", "\r\n")}))
		o := DefaultOptions()
		o.Junk = name
		c, err := Dial(t.Context(), a, Secret{Text: "geheim"}, o)
		if err != nil || c.Junk() != name {
			t.Errorf("the user says %s: %v", name, err)
			continue
		}
		c.Close()
	}
	for name, why := range map[string]string{"inbox": "there is no folder inbox", "INBOX": "cannot be the folder for spam", "None": "there is no folder None"} {
		a, _ := scripted(t, ready, usual(map[string]string{"LIST": strings.ReplaceAll(list, "\n", "\r\n")}))
		o := DefaultOptions()
		o.Junk = name
		if _, err := Dial(t.Context(), a, Secret{Text: "geheim"}, o); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("the user says %s: %v", name, err)
		}
	}
}

// Proton Mail Bridge has spam and deleted mail in its folder of all mail, too.
func TestOnlyGmailHasMailInAllMailThatIsInNoOtherFolder(t *testing.T) {
	for ability, want := range map[string]sources.Use{
		"ID":         {Label: sources.LeftOut, Reason: "messages of other folders"},
		"X-GM-EXT-1": {Label: sources.Ham, Incoming: true},
	} {
		c := connected(t, DefaultOptions(), map[string]string{
			"CAPABILITY": "* CAPABILITY IMAP4rev1 MOVE " + ability + "\r\n@ OK done\r\n",
			"LIST":       "* LIST (\\All) \"/\" \"All Mail\"\r\n@ OK done\r\n",
		})
		if got := c.folders[0].Use; got != want {
			t.Errorf("a server with %s: got %+v", ability, got)
		}
	}
}

func TestAFolderThatIsRefusedHoldsUpNoOther(t *testing.T) {
	answers := usual(map[string]string{
		"CAPABILITY":             "* CAPABILITY IMAP4rev1 MOVE NAMESPACE\r\n@ OK done\r\n",
		"NAMESPACE":              "* NAMESPACE ((\"\" \".\")) ((\"user.\" \".\")) NIL\r\n@ OK done\r\n",
		"LIST":                   "* LIST () \".\" INBOX\r\n* LIST () \".\" \"R&D\"\r\n* LIST () \".\" Junk\r\n* LIST () \".\" user.bert.Secret\r\n@ OK done\r\n",
		`EXAMINE "R&-D"`:         "@ NO Mailbox does not exist\r\n",
		`EXAMINE "user.bert.Sec`: "@ NO Permission denied\r\n",
	})
	answers[`EXAMINE INBOX`], answers[`EXAMINE "Junk"`] = answers["EXAMINE"], answers["EXAMINE"]
	delete(answers, "EXAMINE")
	a, _ := scripted(t, ready, answers)
	p := &provider{T: t, model: filepath.Join(t.TempDir(), "model"), Account: a, options: DefaultOptions()}
	c := p.dial()
	s, err := OpenState(p.model, false)
	p.must(err)
	box, err := c.Mailbox(t.Context(), s)
	p.must(err)
	if n, _ := box.Messages(); n != 2 {
		t.Errorf("there are %d messages of ham and spam", n)
	}
	p.must(store.Begin(t.Context(), p.model, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), store.DefaultOptions()))
	view, err := store.Look(p.model)
	p.must(err)
	defer view.Close()
	account, err := box.Preview(t.Context(), view, mailbox.LearnOptions{Workers: 1})
	p.must(err)
	want(t, "the problems", []string{"R&D cannot be read: the server says: Mailbox does not exist"}, account.Problems)
}

// What the servers send is allowed, but for the flags.
func TestOddReplies(t *testing.T) {
	const body = "BODY[]<0> {8}\r\ncasino\r\n"
	for name, change := range map[string]map[string]string{
		"the number comes behind the message": {"UID FETCH 9 ": "* 1 FETCH (" + body + " UID 9)\r\n@ OK done\r\n"},
		"flags come before it":                {"UID FETCH 9 ": "* 1 FETCH (FLAGS ([x]) UID 9)\r\n* 1 FETCH (UID 9 " + body + ")\r\n@ OK done\r\n"},
		"flags come behind it":                {"UID FETCH 9 ": "* 1 FETCH (UID 9 " + body + ")\r\n* 1 FETCH (UID 9 FLAGS (a]b \"c\" ))\r\n@ OK done\r\n"},
		"another message comes, too":          {"UID FETCH 9 ": "* 2 FETCH (BODY[] {1}\r\nx UID 8)\r\n* 1 FETCH (" + body + " UID 9)\r\n* 2 FETCH (BODY[] {1}\r\nx UID 8)\r\n@ OK done\r\n"},
		"a folder has odd flags":              {"EXAMINE": "* FLAGS (\\Seen [x])\r\n* OK [PERMANENTFLAGS (a]b \\*)] x\r\n* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n@ OK done\r\n"},
		"the message comes as a string":       {"UID FETCH 9 ": "* 1 FETCH (UID 9 BODY[]<0> \"casino\")\r\n@ OK done\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &provider{T: t, model: filepath.Join(t.TempDir(), "model")}
			r, _ := p.judge(connected(t, DefaultOptions(), change), false)
			want(t, "the run", Run{Judged: 1, Spam: 1}, r)
		})
	}
}

func TestAConnectionThatEndsBetweenTwoCommandsIsCalledEnded(t *testing.T) {
	ours, theirs := net.Pipe()
	theirs.Close()
	b := &bounded{Conn: ours}
	b.allow(1, 0)
	b.Read(make([]byte, 1))
	if err := (&Client{conn: b}).do(1, time.Second, nil); err != errEnded {
		t.Errorf("got the error %v", err)
	}
}

func TestAnEmptyFolderIsNotSearched(t *testing.T) {
	c := connected(t, DefaultOptions(), map[string]string{
		"EXAMINE":    "* 0 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n@ OK done\r\n",
		"UID SEARCH": "@ NO no such message\r\n",
	})
	p := &provider{T: t, model: filepath.Join(t.TempDir(), "model")}
	r, _ := p.judge(c, false)
	want(t, "the run", Run{}, r)
}

// The spaces are those that Dovecot, Courier and Cyrus have.
func TestSpamGoesToNoFolderOfOthers(t *testing.T) {
	for name, c := range map[string]struct {
		spaces, folders, named, want string
	}{
		"a public folder with the only name":  {`(("" "/")) (("shared/" "/")) (("Public/" "/"))`, `() Public/Spam`, "", ""},
		"a public folder that is named":       {`(("" "/")) (("shared/" "/")) (("Public/" "/"))`, `() Public/Spam`, "Public/Spam", "Public/Spam"},
		"a folder of somebody else is marked": {`(("" "/")) (("shared/" "/")) NIL`, `() "Spam mail"|(\Junk) shared/b/Junk`, "", "Spam mail"},
		"own folders have a prefix":           {`(("INBOX." ".")) NIL (("#shared." ".")("shared." "."))`, `() shared.Spam|() INBOX.Junk`, "", "INBOX.Junk"},
		"only own folders have a prefix":      {`(("INBOX." ".")) (("user." ".")) (("" "."))`, `() Spam|() INBOX.Spam`, "", "INBOX.Spam"},
		"a public folder with an accent":      {`(("" "/")) NIL (("&ANY-ffentlich/" "/"))`, `() &ANY-ffentlich/Spam`, "", ""},
		"the server refuses to say":           {"", `() Public/Spam`, "", "Public/Spam"},
		"nothing is said":                     {`NIL NIL NIL`, `() Public/Spam`, "", "Public/Spam"},
	} {
		t.Run(name, func(t *testing.T) {
			between := `) "/" `
			if strings.Contains(c.spaces, `"."`) {
				between = `) "." `
			}
			list := ""
			for _, folder := range strings.Split("() INBOX|"+c.folders, "|") {
				list += "* LIST " + strings.Replace(folder, ") ", between, 1) + "\r\n"
			}
			said := "* NAMESPACE " + c.spaces + "\r\n@ OK done\r\n"
			if c.spaces == "" {
				said = "@ NO not now\r\n"
			}
			o := DefaultOptions()
			o.Junk = c.named
			client := connected(t, o, map[string]string{
				"CAPABILITY": "* CAPABILITY IMAP4rev1 MOVE NAMESPACE\r\n@ OK done\r\n",
				"NAMESPACE":  said,
				"LIST":       list + "@ OK done\r\n",
			})
			if got := client.Junk(); got != c.want {
				t.Errorf("spam goes to %q, want %q", got, c.want)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	for name, c := range map[string]struct{ caps, want string }{
		"OAUTHBEARER": {"AUTH=OAUTHBEARER AUTH=XOAUTH2 SASL-IR", "AUTHENTICATE OAUTHBEARER bixhPWFubmEsAWF1dGg9QmVhcmVyIHRva2VuAQE="},
		"XOAUTH2":     {"AUTH=XOAUTH2 SASL-IR", "AUTHENTICATE XOAUTH2 dXNlcj1hbm5hAWF1dGg9QmVhcmVyIHRva2VuAQE="},
	} {
		t.Run(name, func(t *testing.T) {
			caps := "IMAP4rev1 " + c.caps
			a, stop := scripted(t, "* OK [CAPABILITY "+caps+"] ready\r\n", usual(map[string]string{
				"AUTHENTICATE": "@ OK [CAPABILITY " + caps + "] done\r\n", "CAPABILITY": "* CAPABILITY " + caps + "\r\n@ OK done\r\n"}))
			client, err := Dial(t.Context(), a, Secret{Text: "token", Token: true}, DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			client.Close()
			if said := stop(); !strings.Contains(said, c.want) {
				t.Errorf("the client says %s", said)
			}
		})
	}
}

func TestTheConnectionBreaksWhileMailIsRead(t *testing.T) {
	o := DefaultOptions()
	o.Fetch = 100 * time.Millisecond
	c := connected(t, o, map[string]string{"UID SEARCH": "* SEARCH 9 8\r\n@ OK done\r\n", "UID FETCH 8 ": "* BYE\r\n"})
	p := &provider{T: t, model: filepath.Join(t.TempDir(), "model")}
	p.must(store.Begin(t.Context(), p.model, []string{"ham", "spam"}, "multinomial", train.DefaultCollectOptions(), train.DefaultOptions(), store.DefaultOptions()))
	s, err := OpenState(p.model, true)
	p.must(err)
	defer s.Close()
	box, err := c.Mailbox(t.Context(), s)
	p.must(err)
	view, err := store.Look(p.model)
	p.must(err)
	if _, err := box.Preview(t.Context(), view, mailbox.LearnOptions{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if err := box.Err(); !errors.Is(err, ErrSilent) {
		t.Errorf("got the error %v", err)
	}
}

// here is a connection that seems to lead to this machine.
type here struct{ net.Conn }

func (here) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 143} }

// FuzzServer lets a server say anything after its greeting. The client ends within its limits.
func FuzzServer(f *testing.F) {
	for _, answer := range usual(nil) {
		f.Add(strings.ReplaceAll(answer, "@", "T1"))
	}
	f.Add("T1 OK\r\n* LIST () \"/\" INBOX\r\nT2 OK\r\n* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\nT3 OK\r\n* SEARCH 9\r\nT4 OK\r\n* 1 FETCH (UID 9 BODY[]<0> {2}\r\nxx)\r\nT5 OK\r\n")
	f.Fuzz(func(t *testing.T, said string) {
		ours, theirs := net.Pipe()
		go func() {
			go io.Copy(io.Discard, theirs)
			io.WriteString(theirs, ready+said)
			theirs.Close()
		}()
		c := &Client{Account: Account{Host: "h", User: "anna", Plain: true}, options: DefaultOptions(), conn: &bounded{Conn: here{ours}}, stop: func() bool { return true }}
		c.options.Timeout, c.options.Fetch = time.Second, time.Second
		if err := c.begin(Secret{Text: "geheim"}); err == nil {
			p := &provider{T: t, model: filepath.Join(t.TempDir(), "model")}
			p.tryJudge(c, false)
		}
		c.Close()
	})
}
