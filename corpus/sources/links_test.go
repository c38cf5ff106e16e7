//go:build linux

package sources

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chaff/internal/replace"
)

// anna is a user without any rights.
const anna = 12345

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of other users: run the tests as root")
	}
}

// link makes a link of a user.
func link(t *testing.T, target, path string, user int) {
	t.Helper()
	must(t, errors.Join(os.Symlink(target, path), os.Lchown(path, user, user)))
}

// Who owns a Maildir can put links there, to what only root can read.
func TestRootFollowsLinksOfAUserToFilesOfThatUserOnly(t *testing.T) {
	needRoot(t)
	root := tree(t, map[string]string{
		"Maildir/cur/1.a:2,S": "ham", "Maildir/new/": "", "Maildir/.Junk/cur/": "", "Maildir/.Junk/new/": "", "anna": "of anna",
		"bob": "secret", "bobs/cur/2.b:2,S": "secret", "bobs/new/": "",
	})
	at := func(name string) string { return filepath.Join(root, name) }
	must(t, os.Chown(at("anna"), anna, anna))
	for name, target := range map[string]string{
		"Maildir/.Junk/cur/1": at("bob"), "Maildir/.Junk/cur/2": at("anna"), "Maildir/.Junk/cur/3": "/proc/kmsg", "Maildir/.Junk/cur/4": "/dev/null",
		"Maildir/.Spam": at("bobs"), "Maildir/.Work/": at("bobs/new"), "link": at("bobs"),
	} {
		link(t, target, filepath.Clean(at(name)), anna)
	}
	plan, err := MaildirTree(at("Maildir"))
	must(t, err)
	misleads := " is a link that cannot be followed: a link of a user leads to what belongs to another user"
	junk := "spam! " + at("Maildir/.Junk/cur") + "/"
	checkPlan(t, plan, []string{
		"INBOX: 1 ham", "INBOX: 0 left out, not seen yet", ".Junk: 4 spam, spam", ".Spam: 0 left out, cannot be read: a link of a user leads to what belongs to another user",
		".Work: 0 left out, cannot be read: a link of a user leads to what belongs to another user",
	}, []string{"ham: ham", junk + "1" + misleads, "spam: of anna", junk + "3" + misleads, junk + "4" + misleads})
	for _, path := range []string{at("link"), at("Maildir/.Junk/cur/1"), at("Maildir/.Junk/cur/4")} {
		if _, err := find(system{}, path, nil); !errors.Is(err, replace.ErrLink) {
			t.Errorf("root follows %s: %v", path, err)
		}
	}
	// It may become a link after it was listed.
	inbox := at("Maildir/cur/1.a:2,S")
	must(t, os.Remove(inbox))
	link(t, at("bob"), inbox, anna)
	if _, err := plan.Folders[0].Files[0].Read(nil); !errors.Is(err, replace.ErrLink) {
		t.Errorf("root follows a link that came later: %v", err)
	}
}

// homes makes the folders of anna and bob, and of root all others.
func homes(t *testing.T, files map[string]string) (at func(name string) string) {
	root := tree(t, files)
	at = func(name string) string { return filepath.Join(root, name) }
	for name, user := range map[string]int{"anna": anna, "bob": anna + 1} {
		must(t, filepath.WalkDir(at(name), func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Lchown(path, user, user))
		}))
	}
	return at
}

// A folder on the way can be a link as well, also above what is given.
func TestRootFollowsLinksToFoldersOfTheSameUserOnly(t *testing.T) {
	needRoot(t)
	const secret = "Subject: a\n\nsecret"
	at := homes(t, map[string]string{
		"anna/mine/cur/1:2,S": "Subject: a\n\nham", "anna/mine/new/": "", "srv/anna/": "",
		"bob/cur/1:2,S": secret, "bob/new/": "", "bob/.Junk/cur/2:2,S": secret, "bob/.Junk/new/": "",
	})
	link(t, "../anna/./mine/", at("anna/own"), anna)
	link(t, at("anna/own"), at("srv/anna/own"), 0)
	link(t, at("bob"), at("srv/bob"), 0)
	link(t, at("bob"), at("anna/Maildir"), anna)
	link(t, at("srv/bob"), at("anna/far"), anna)
	link(t, "/dev", at("anna/dev"), anna)
	link(t, "round", at("anna/round"), anna)
	for name, messages := range map[string]int{"anna/own": 1, "srv/anna/own": 1, "srv/bob": 2} {
		plan, err := MaildirTree(at(name))
		must(t, err)
		if mail := contents(plan.Source()); len(mail) != messages || strings.Contains(mail[0], at("")) {
			t.Errorf("%s: %q", name, mail)
		}
	}
	for _, name := range []string{"anna/Maildir", "anna/far", "anna/Maildir/.Junk", "anna/Maildir/cur/1:2,S", "anna/far/cur/1:2,S", "anna/dev/zero"} {
		if _, err := find(system{}, at(name), nil); !errors.Is(err, replace.ErrLink) {
			t.Errorf("root follows %s: %v", name, err)
		}
	}
	if _, err := find(system{}, at("anna/round/cur"), nil); !errors.Is(err, unix.ELOOP) {
		t.Errorf("links that lead round: %v", err)
	}
}

func TestRootTakesNeitherAPipeNorAnIndexOfAUser(t *testing.T) {
	needRoot(t)
	at := homes(t, map[string]string{"bob/1": "Subject: a\n\nsecret", "anna/": ""})
	index, pipe := at("anna/Maildir"), makePipe(t, at("anna/pipe"))
	must(t, os.WriteFile(index, []byte("spam "+at("bob/1")+"\n"), 0o600))
	writer, err := os.OpenFile(pipe, os.O_RDWR, 0)
	must(t, err)
	defer writer.Close()
	must(t, errors.Join(os.Chown(pipe, anna, anna), os.Chown(index, anna, anna)))
	soon(t, func() {
		for _, path := range []string{index, pipe} {
			if _, err := OpenLabelled(path, Options{}); err == nil {
				t.Errorf("root takes %s", path)
			}
		}
	})
	if _, err := OpenLabelled(index, Options{Format: Index}); err != nil { // as it was asked for
		t.Error(err)
	}
}

func TestAMailboxOfTooManyFoldersInFoldersIsReadToSomeDepth(t *testing.T) {
	deep := "cur/" // and new
	files := map[string]string{"cur/1:2,S": "a", "new/": ""}
	for range 200 {
		deep = "a/" + deep
	}
	files[deep] = ""
	plan, err := MaildirTree(tree(t, files))
	must(t, err)
	if last := plan.Folders[len(plan.Folders)-1]; !last.Unreadable || len(plan.dirs) > 2*maxNameParts {
		t.Errorf("%d folders were searched, and the last row is %+v", len(plan.dirs), last)
	}
}

func TestNoExchangeOfAFolderLeadsRootToFilesOfOthers(t *testing.T) {
	needRoot(t)
	files := map[string]string{"anna/Maildir/cur/": "", "anna/Maildir/new/": "", "anna/Maildir/.Junk/new/": "", "bob/new/": ""}
	for i := range 20 {
		files[fmt.Sprintf("anna/Maildir/.Junk/cur/%d:2,S", i)] = "Subject: a\n\nspam"
		files[fmt.Sprintf("bob/cur/%d:2,S", i)] = "Subject: a\n\nsecret"
	}
	at := homes(t, files)
	link(t, "Maildir", at("anna/own"), anna)
	link(t, at("bob"), at("anna/link"), anna)
	if _, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_PATH, Resolve: unix.RESOLVE_NO_SYMLINKS}); err != nil {
		t.Skipf("this system does not know openat2, so that exchanges can come between: %v", err)
	}
	exchange := func() error {
		return unix.Renameat2(unix.AT_FDCWD, at("anna/link"), unix.AT_FDCWD, at("anna/Maildir/.Junk"), unix.RENAME_EXCHANGE)
	}
	if err := exchange(); err != nil {
		t.Skipf("the file system exchanges no files: %v", err)
	}
	var stop atomic.Bool
	stopped := make(chan error)
	go func() {
		var err error
		for err == nil && !stop.Load() {
			err = exchange()
		}
		stopped <- err
	}()
	read, misled, leaked := 0, 0, 0
	for start := time.Now(); time.Since(start) < 500*time.Millisecond || (read == 0 || misled == 0) && time.Since(start) < 20*time.Second; {
		for _, name := range []string{"anna/Maildir", "anna/own"} {
			plan, _ := MaildirTree(at(name))
			for item := range plan.Source() {
				switch raw, err := item.Read(nil); {
				case strings.HasSuffix(string(raw), "secret"):
					leaked++
				case err == nil:
					read++
				case errors.Is(err, replace.ErrLink):
					misled++
				}
			}
		}
	}
	stop.Store(true)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if read == 0 || misled == 0 || leaked > 0 {
		t.Errorf("root read %d messages of the user and %d of another one, and met %d links", read, leaked, misled)
	}
}
