//go:build linux

package maillab

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestPagesAreReadAsFilesAndCommands(t *testing.T) {
	steps, err := parsePage("# How?\n\nRun `true`.\n\n`~/.rc`:\n\n```\na\n\nb\n```\n\nThen add to `/etc/x`:\n\n```\nc\n```\n\n```sh\nd\n```\n\nAs you are, as root:\n\n```sh\ne\n```\n")
	want := []step{
		{file: "~/.rc", text: "a\n\nb\n"},
		{file: "/etc/x", add: true, text: "c\n"},
		{commands: true, text: "d\n"},
		{commands: true, asRoot: true, text: "e\n"},
	}
	if err != nil || !reflect.DeepEqual(steps, want) {
		t.Errorf("got %+v, %v, want %+v", steps, err, want)
	}
	for page, want := range map[string]string{
		"nothing":                    "nothing to follow",
		"The file `x`:\n```\na\n```": "neither a file nor commands, below: The file `x`:",
	} {
		if _, err := parsePage(page); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", page, err, want)
		}
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	t.Setenv("TEST_MAILLAB", t.TempDir())
	got := whyNot([]Package{{"there", os.Args[0]}, {"mta", "/nowhere/mta"}, {"reader", "/nowhere/reader"}, Exim})
	want := "programs are missing: apt-get install --no-install-recommends mta reader; in the folder TEST_MAILLAB: apt-get download exim4-daemon-heavy"
	if os.Geteuid() != 0 {
		want = "a lab needs root: its programs become other users"
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
