package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// ids returns the ids of records.
func ids(all []*Record) string {
	var text []string
	for _, r := range all {
		text = append(text, r.ID)
	}
	return strings.Join(text, " ")
}

func TestAHistoryHasTheLastRecords(t *testing.T) {
	o := DefaultOptions()
	o.History = 3
	h := newHistory(o, nil)
	h.add(&Record{Time: time.Now().Add(-31 * 24 * time.Hour), ID: "old"})
	if got := h.All(); len(got) != 0 {
		t.Errorf("it has an old record: %v", got)
	}
	var all sync.WaitGroup
	for n := range 500 {
		all.Go(func() { h.add(&Record{Time: time.Now(), ID: fmt.Sprint(n)}) })
	}
	all.Wait()
	for n := range 10 {
		h.add(&Record{Time: time.Now(), ID: fmt.Sprint(n)})
	}
	if got := ids(h.All()); got != "9 8 7" {
		t.Errorf("got %s", got)
	}
}

func TestAStartBeginsWithTheRecordsOfKeptMessages(t *testing.T) {
	for subjects, want := range map[bool]string{false: "", true: "sold"} {
		model := newModel(t, 2)
		change := func(o *Options) { o.KeepHistory, o.HistorySubjects = 10, subjects }
		e, _ := start(t, model, change)
		for n := range 3 {
			judge(t, e, "", []byte(fmt.Sprintf("Message-ID: %d\nSubject: sold\n\nwords of the message %d\n", n, n)))
		}
		before, now := ids(e.History.All()), e.History.All()[0]
		if kept, _, err := e.Kept.Get(now.Key); err != nil || kept.Subject != "sold" || now.Subject != want {
			t.Errorf("the subject is %q and that of the kept message %q, want %q and sold: %v", now.Subject, kept.Subject, want, err)
		}
		if err := e.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		e, _ = start(t, model, change)
		all := e.History.All()
		if got := ids(all); got != before || got != "2 1 0" {
			t.Errorf("after a restart it has %q, before %q", got, before)
		}
		if all[0].Subject != want {
			t.Errorf("the subject is %q, want %q", all[0].Subject, want)
		}
	}
}

func TestARecordHasWhatTheOptionsAllow(t *testing.T) {
	raw := []byte("Received: from a\r\n by b\r\nSubject: =?utf-8?q?gr=C3=BC=C3=9Fe?=\r\n and more\r\nFrom: Eve <eve@example.org>\r\n" +
		"message-ID : <1@a>\r\nSubject: second\r\n\r\nMessage-ID: <body>\r\n")
	for _, subjects := range []bool{false, true} {
		e, _ := start(t, newModel(t, 2), func(o *Options) { o.HistorySubjects = subjects })
		if _, err := e.Judge(t.Context(), Origin{QueueID: "4ABC", User: "bob"}, raw); err != nil {
			t.Fatal(err)
		}
		all := e.History.All()
		if len(all) != 1 {
			t.Fatalf("got %+v", all)
		}
		r := all[0]
		if r.ID != "<1@a>" || r.QueueID != "4ABC" || r.User != "bob" || r.Size != len(raw) || r.Verdict == "" || r.Seconds <= 0 {
			t.Errorf("got %+v", r)
		}
		wantSubject, wantFrom := "", ""
		if subjects {
			wantSubject, wantFrom = "grüße and more", "Eve <eve@example.org>"
		}
		if r.Subject != wantSubject || r.From != wantFrom {
			t.Errorf("subject %q from %q, want %q from %q", r.Subject, r.From, wantSubject, wantFrom)
		}
	}
}

func TestAnUnjudgedMessageIsInTheHistory(t *testing.T) {
	e, _ := start(t, newModel(t, 1), func(o *Options) { o.MaxMessage = 10 })
	if v, err := e.Judge(t.Context(), Origin{}, mail("spam", 1)); err != nil || v.Unjudged == nil {
		t.Fatal("a message over the limit is judged")
	}
	if all := e.History.All(); len(all) != 1 || all[0].Unjudged != "too_large" || all[0].Verdict != "" {
		t.Errorf("got %+v", all)
	}
	e, _ = start(t, newModel(t, 1), func(o *Options) { o.History = 0 })
	judge(t, e, "", mail("spam", 1))
	if all := e.History.All(); len(all) != 0 {
		t.Errorf("a history that is switched off has %+v", all)
	}
}

// FuzzRecords holds that no message makes a record large or slow, or text that is not UTF-8.
func FuzzRecords(f *testing.F) {
	f.Add([]byte("Subject: a\n b\nFrom: =?x?\nMessage-ID: \xff\n\n"))
	f.Add([]byte(" \n:\nSubject\x00:\r\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		id := newRecord(Origin{}, raw, Verdict{}, time.Now(), nil).ID
		for _, text := range []string{id, readable(HeaderField(raw, "subject")), readable(HeaderField(raw, "from"))} {
			if len(text) > maxHistoryText || strings.ToValidUTF8(text, "") != text {
				t.Errorf("%d bytes: %q", len(text), text)
			}
		}
	})
}

func TestOnlyTheOwnerReadsUnsureMessages(t *testing.T) {
	o := DefaultOptions()
	o.Model, o.KeepUnsure = filepath.Join(t.TempDir(), "model"), 1
	folder := o.Model + KeptSuffix
	for _, err := range []error{os.WriteFile(o.Model, nil, 0o600), os.Mkdir(folder, 0o755), os.Chmod(folder, 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	earlier := o.Model + ".unsure"
	if err := errors.Join(os.Mkdir(earlier, 0o700), os.WriteFile(filepath.Join(earlier, "a"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := openShelf(o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(earlier); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the messages that an earlier version kept are still there: %v", err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: %v, %v", folder, info.Mode(), err)
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root: only root can give files to others")
	}
	const nobody = 65534
	if err := errors.Join(os.Chmod(filepath.Dir(o.Model), 0o777|fs.ModeSticky), os.Chown(folder, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	if _, err := openShelf(o); !errors.Is(err, errNotOurs) {
		t.Errorf("a folder that another user put there: got %v", err)
	}
}

// Whoever can write in the folder of the model can put links there, also while the daemon runs.
func TestNoLinkLeadsTheDaemonToAnotherFile(t *testing.T) {
	elsewhere, o := t.TempDir(), DefaultOptions()
	o.Model = filepath.Join(t.TempDir(), "model")
	secret, kept := filepath.Join(elsewhere, "secret"), filepath.Join(elsewhere, strings.Repeat("a", 2*keySize))
	for _, path := range []string{o.Model, secret, kept} {
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	mustBeLeft := func() {
		t.Helper()
		for path, mode := range map[string]fs.FileMode{secret: 0o644, kept: 0o644, elsewhere: fs.ModeDir | 0o755} {
			if info, err := os.Stat(path); err != nil || info.Mode() != mode || !info.IsDir() && info.Size() > 0 {
				t.Errorf("%s: %v, %v", path, info, err)
			}
		}
	}
	if err := os.Chmod(elsewhere, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, keep := range []int{0, 3} {
		os.Remove(o.Model + KeptSuffix)
		if err := os.Symlink(elsewhere, o.Model+KeptSuffix); err != nil {
			t.Skip("this system has no links")
		}
		o.KeepUnsure = keep
		if _, err := openShelf(o); keep > 0 && err == nil {
			t.Error("unsure messages are kept behind a link")
		}
	}
	mustBeLeft()
}

func TestRootServesNoFolderOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root: only root can give folders to others")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if err := checkRoot(dir); !errors.Is(err, errRoot) {
		t.Errorf("got %v", err)
	}
}
