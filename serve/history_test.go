package serve

import (
	"encoding/json"
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

func openTestHistory(t *testing.T, path string, records int) *History {
	t.Helper()
	o := DefaultOptions()
	o.Model, o.History = path, records
	h, err := openHistory(folderOfModel(t, path), o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func folderOfModel(t *testing.T, path string) *folder {
	t.Helper()
	dir, err := openFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// ids returns the ids of records.
func ids(all []*Record) string {
	var text []string
	for _, r := range all {
		text = append(text, r.ID)
	}
	return strings.Join(text, " ")
}

func TestTheHistorySurvivesARestart(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "model"), time.Now()
	h := openTestHistory(t, path, 3)
	if got := h.All(); len(got) != 0 {
		t.Errorf("a new history has %v", got)
	}
	for n := range 5 {
		h.add(&Record{Time: now, ID: fmt.Sprint(n)})
		if n%2 == 0 {
			if err := h.flush(now); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := ids(h.All()); got != "4 3 2" {
		t.Errorf("got %s", got)
	}
	if info, err := os.Stat(path + historySuffix); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if got := ids(openTestHistory(t, path, 3).All()); got != "4 3 2" {
		t.Errorf("after a restart: got %s", got)
	}
	if got := ids(openTestHistory(t, path, 2).All()); got != "4 3" {
		t.Errorf("after a restart with a smaller one: got %s", got)
	}
}

func TestTheFileOfTheHistoryStaysSmall(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "model"), time.Now()
	h := openTestHistory(t, path, 10)
	for n := range 1000 {
		h.add(&Record{Time: now, ID: fmt.Sprint(n)})
		if err := h.flush(now); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path + historySuffix)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(string(data), "\n"); lines > 20 {
			t.Fatalf("the file has %d lines", lines)
		}
	}
}

func TestWhatIsTooOldLeavesTheHistory(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "model"), time.Now()
	h := openTestHistory(t, path, 10)
	h.add(&Record{Time: now.Add(-31 * 24 * time.Hour), ID: "old"})
	h.add(&Record{Time: now, ID: "new"})
	if got := ids(h.All()); got != "new" {
		t.Errorf("got %s", got)
	}
	if err := h.flush(now); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path + historySuffix)
	if err != nil || strings.Contains(string(data), "old") || !strings.Contains(string(data), "new") {
		t.Errorf("the file has %s, %v", data, err)
	}
}

func TestATornLineOfTheHistoryIsLeftOut(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "model"), time.Now()
	line, err := json.Marshal(Record{Time: now, ID: "whole"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(line) + "\nno JSON\n" + string(line[:len(line)/2])
	if err := os.WriteFile(path+historySuffix, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	h := openTestHistory(t, path, 10)
	h.add(&Record{Time: now, ID: "next"})
	if err := h.flush(now); err != nil {
		t.Fatal(err)
	}
	if got := ids(openTestHistory(t, path, 10).All()); got != "next whole" {
		t.Errorf("got %s", got)
	}
}

func TestAHistoryThatCannotBeWrittenIsReportedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	h := openTestHistory(t, path, 10)
	if err := errors.Join(os.Remove(path+historySuffix), os.Mkdir(path+historySuffix, 0o700)); err != nil {
		t.Fatal(err)
	}
	h.add(&Record{Time: time.Now(), ID: "one"})
	for n, want := range []bool{true, false} {
		if err := h.flush(time.Now()); err == nil || h.trouble.isNew(err) != want {
			t.Errorf("attempt %d: got %v, new: %v", n+1, err, !want)
		}
	}
	if got := ids(h.All()); got != "one" {
		t.Errorf("got %s", got)
	}
}

func TestManyMayAddToTheHistory(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "model"), time.Now()
	h := openTestHistory(t, path, 2000)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500 {
				h.add(&Record{Time: now})
			}
		})
	}
	for range 20 {
		if err := h.flush(now); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if err := h.flush(now); err != nil {
		t.Fatal(err)
	}
	if got := len(openTestHistory(t, path, 2000).All()); got != 2000 {
		t.Errorf("%d records in the file, want 2000", got)
	}
}

func TestARecordHasWhatTheOptionsAllow(t *testing.T) {
	raw := []byte("Received: from a\r\n by b\r\nSubject: =?utf-8?q?gr=C3=BC=C3=9Fe?=\r\n and more\r\nFrom: Eve <eve@example.org>\r\n" +
		"message-ID : <1@a>\r\nSubject: second\r\n\r\nMessage-ID: <body>\r\n")
	for _, subjects := range []bool{false, true} {
		e, _ := start(t, newModel(t, 2), func(o *Options) { o.HistorySubjects = subjects })
		if _, err := e.Judge(From(t.Context(), Origin{QueueID: "4ABC"}), "bob", raw); err != nil {
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
	if _, err := e.Judge(t.Context(), "", mail("spam", 1)); err == nil {
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
		j := &judgement{ctx: t.Context(), raw: raw}
		r := newRecord(j, time.Now(), nil, true)
		for _, text := range []string{r.ID, r.Subject, r.From} {
			if len(text) > maxHistoryText || strings.ToValidUTF8(text, "") != text {
				t.Errorf("%d bytes: %q", len(text), text)
			}
		}
	})
}

func TestOnlyTheOwnerReadsTheHistoryAndUnsureMessages(t *testing.T) {
	o := DefaultOptions()
	o.Model, o.KeepUnsure = filepath.Join(t.TempDir(), "model"), 1
	history, folder := o.Model+historySuffix, o.Model+UnsureSuffix
	for _, err := range []error{os.WriteFile(o.Model, nil, 0o600), os.WriteFile(history, nil, 0o644), os.Mkdir(folder, 0o755), os.Chmod(folder, 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	openBoth := func() error {
		_, err1 := openHistory(folderOfModel(t, o.Model), o)
		_, err2 := openUnsure(t, o)
		return errors.Join(err1, err2)
	}
	if err := openBoth(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{history: 0o600, folder: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root: only root can give files to others")
	}
	const nobody = 65534
	if err := errors.Join(os.Chmod(filepath.Dir(o.Model), 0o777|fs.ModeSticky), os.Chown(history, nobody, nobody), os.Chown(folder, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	if err := openBoth(); err == nil || strings.Count(err.Error(), errNotOurs.Error()) != 2 {
		t.Errorf("files that another user put there: got %v", err)
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
	h := openTestHistory(t, o.Model, 3)
	for _, target := range []string{secret, o.Model} { // outside the folder, and in it
		os.Remove(o.Model + historySuffix)
		if err := os.Symlink(target, o.Model+historySuffix); err != nil {
			t.Skip("this system has no links")
		}
		h.add(&Record{Time: time.Now()})
		if err := h.flush(time.Now()); !errors.Is(err, errNotOurs) {
			t.Errorf("%s: a history that has become a link: got %v", target, err)
		}
		if _, err := openHistory(folderOfModel(t, o.Model), o); !errors.Is(err, errNotOurs) {
			t.Errorf("%s: a history that is a link at the start: got %v", target, err)
		}
	}
	if info, err := os.Stat(o.Model); err != nil || info.Size() > 0 {
		t.Errorf("the model has become a history: %v, %v", info, err)
	}
	for _, keep := range []int{0, 3} {
		os.Remove(o.Model + UnsureSuffix)
		if err := os.Symlink(elsewhere, o.Model+UnsureSuffix); err != nil {
			t.Fatal(err)
		}
		o.KeepUnsure = keep
		if _, err := openUnsure(t, o); keep > 0 && err == nil {
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
	if _, err := openFolder(filepath.Join(dir, "model")); !errors.Is(err, errRoot) {
		t.Errorf("got %v", err)
	}
}
