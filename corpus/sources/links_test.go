//go:build linux

package sources

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"chaff/internal/replace"
)

// Who owns a Maildir can put links there, to what only root can read.
func TestRootFollowsLinksOfAUserToFilesOfThatUserOnly(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of other users: run the tests as root")
	}
	const anna = 12345
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
		must(t, errors.Join(os.Symlink(target, filepath.Clean(at(name))), os.Lchown(filepath.Clean(at(name)), anna, anna)))
	}
	plan, err := MaildirTree(at("Maildir"))
	must(t, err)
	misleads := " is a link that cannot be followed: it is a link of a user to a file of another user"
	junk := "spam! " + at("Maildir/.Junk/cur") + "/"
	checkPlan(t, plan, []string{
		"INBOX: 1 ham", "INBOX: 0 left out, not seen yet", ".Junk: 4 spam, spam", ".Spam: 0 left out, cannot be read: it is a link of a user to a file of another user",
		".Work: 0 left out, cannot be read: it is a link of a user to a file of another user",
	}, []string{"ham: ham", junk + "1" + misleads, "spam: of anna", junk + "3" + misleads, junk + "4" + misleads})
	for _, path := range []string{at("link"), at("Maildir/.Junk/cur/1"), at("Maildir/.Junk/cur/4")} {
		if _, err := find(system{}, path, nil); !errors.Is(err, replace.ErrLink) {
			t.Errorf("root follows %s: %v", path, err)
		}
	}
	// It may become a link after it was listed.
	inbox := at("Maildir/cur/1.a:2,S")
	must(t, errors.Join(os.Remove(inbox), os.Symlink(at("bob"), inbox), os.Lchown(inbox, anna, anna)))
	if _, err := plan.Folders[0].Files[0].Read(nil); !errors.Is(err, replace.ErrLink) {
		t.Errorf("root follows a link that came later: %v", err)
	}
}
