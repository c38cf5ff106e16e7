package sources

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"chaff/corpus"
)

func TestLikenessOfFromLines(t *testing.T) {
	for want, lines := range map[likeness]map[string]string{
		likeDated: {
			"as in RFC 4155":           "From ann@example.org Thu Aug 22 12:36:23 2002",
			"two blanks":               "From ann@example.org  Thu Aug 22 12:36:23 2002",
			"CR at the end":            "From ann@example.org Thu Aug 22 12:36:23 2002\r",
			"no seconds":               "From ann@example.org Thu Aug 22 12:36 2002",
			"a zone before the year":   "From ann@example.org Thu Aug 22 12:36:23 EDT 2002",
			"a zone at the end":        "From ann@example.org Thu Aug 22 12:36:23 2002 +0200",
			"in the order of RFC 5322": "From ann@example.org Thu, 22 Aug 2002 12:36:23 +0000 (UTC)",
			"a sender without a host":  "From MAILER-DAEMON Thu Aug 22 12:36:23 2002",
			"a dash for the sender":    "From - Thu Aug 22 12:36:23 2002",
			"no sender":                "From  Thu Aug 22 12:36:23 2002",
			"what Gmail exports":       "From 1783@xxx Thu Aug 22 12:36:23 +0000 2002",
			"Eudora":                   "From ???@??? Thu Aug 22 12:36:23 2002",
			"UUCP":                     "From ann Thu Aug 22 12:36:23 2002 remote from host",
			"a number and a date":      "From 1844347792267117871 Thu Aug 22 12:36:23 +0000 2002",
			"German":                   "From ann@example.org Do Aug 22 12:36:23 2002",
			"French":                   "From - jeu. août 22 12:36:23 2002",
			"Japanese":                 "From ann@example.org 2002年 8月 22日 木曜日 12:36:23 JST",
			"ISO 8601":                 "From ann@example.org 2002-08-22T12:36:23Z",
			"ISO 8601 with a blank":    "From - 2002-08-22 12:36:23 +02:00",
			"slashes":                  "From ann@example.org 8/22/2002 12:36:23 PM",
		},
		likeSender: {
			"nothing":                 "From ",
			"nothing and CR":          "From \r",
			"a dash":                  "From -",
			"an address":              "From ann@example.org",
			"a number":                "From 1844347792267117871",
			"what Gmail exports":      "From 1844347792267117871@xxx",
			"the seconds of Unix":     "From MAILER-DAEMON 1029931200",
			"only a year":             "From ann@example.org 2002",
			"a day":                   "From ann@example.org 2002-08-22",
			"no year":                 "From ann@example.org Thu Aug 22 12:36:23",
			"a sender in words":       `From "Ann Lee" <ann@example.org> Thu Aug 22 12:36:23 2002`,
			"a day with prepositions": "From ann@example.org jueves 22 de agosto de 2002 12:36:23",
			"a date and no sender":    "From 2002-08-22 12:36:23",
			"seconds with a fraction": "From 1029931200.123",
			"years":                   "From 2002 - 2003",
			"prose with a date":       "From Berlin at 12:30 on 22 Aug 2002",
		},
		likePatch: {
			"a commit":            "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001",
			"a commit by SHA-256": "From 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef Mon Sep 17 00:00:00 2001\r",
		},
		likeText: {
			"prose":                         "From here on it is easy",
			"prose of one word":             "From memory",
			"prose with an address":         "From the chairman ben@example.net",
			"prose before a colon":          "From ben@example.net:",
			"prose with a time":             "From Monday 10:30 the office is open",
			"prose that ends in a time":     "From the office we go at 10:30",
			"prose that ends in a year":     "From the beginning until May 2003",
			"prose that begins with a year": "From 2002 to 2003",
			"an agenda":                     "From 9:00 to 17:30",
			"a field":                       "From: ann@example.org Thu Aug 22 12:36:23 2002",
			"quoted":                        ">From ann@example.org Thu Aug 22 12:36:23 2002",
			"no blank":                      "From",
		},
	} {
		for about, line := range lines {
			if got := likenessOf([]byte(line)); got != want {
				t.Errorf("%s: got %v, want %v", about, got, want)
			}
		}
	}
}

func TestWhatLooksLikeAMessageAndWasTakenForTextIsSaid(t *testing.T) {
	const from = "From ann@example.org Thu Aug 22 12:36:23 2002\nA: b\n\n"
	root := tree(t, map[string]string{
		"one":  from + "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: a\n",
		"two":  from + "From Ann\nSubject: a\n\nFrom Ben\nSubject: b\n",
		"bare": from + "a\nFrom \nSubject: a\n",
		"none": from + "From here\non\n\nFrom ann@example.org\n\n" + from,
	})
	for about, want := range map[string][]string{
		"one":  {"ham! " + root + "/one has a line that looks like the beginning of a message and was taken for text: \"From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:\""},
		"two":  {"ham! " + root + "/two has 2 lines that look like the beginning of a message and were taken for text, the first: \"From Ann\""},
		"bare": {"ham! " + root + "/bare has a line that looks like the beginning of a message and was taken for text: \"From \""},
		"none": nil,
	} {
		var got []string
		for item, err := range listMbox(system{}, root+"/"+about, "ham") {
			if err != nil {
				got = append(got, item.Label+"! "+err.Error())
			}
			if err != nil && !corpus.IsRemark(err) {
				t.Errorf("%v is no remark", err)
			}
		}
		check(t, about, got, want)
	}
}

// TestCasesOfMailboxes reads mailboxes that broke other programs; see test/cases.
func TestCasesOfMailboxes(t *testing.T) {
	cases := filepath.Join("..", "..", "test", "cases")
	letters := []string{"letter 1", "letter 2", "letter 3"}
	for _, tt := range []struct {
		path     string
		subjects []string
		text     string // of the first message
	}{
		{"01-thunderbird-bare-from/Inbox", letters, "The text number 1."},
		{"03-takeout-no-date/takeout.mbox", letters, "The text number 1."},
		{"07-patch-in-mbox/patches.mbox", []string{"my patch follows", "second"}, "[PATCH] fix it"},
		{"10-partial-emlx/mail", letters, "The text number 1."},
		{"08-title-lines-that-begin-with-from/box.mbox", []string{"one", "two"}, "\nFrom the chairman ben@example.net\ncame a note.\n\nFrom memory, it was 2023\n"},
	} {
		for _, format := range []Format{"", Mbox} {
			if format == Mbox && isFolder(system{}, filepath.Join(cases, tt.path)) {
				continue
			}
			var subjects []string
			first := ""
			for item, err := range open(t, filepath.Join(cases, tt.path), format) {
				if err != nil {
					if !corpus.IsRemark(err) {
						t.Error(err)
					}
					continue
				}
				raw := string(read(t, item))
				if first == "" {
					first = raw
				}
				_, subject, _ := strings.Cut(raw, "\nSubject: ")
				subject, _, _ = strings.Cut(subject, "\n")
				subjects = append(subjects, strings.TrimSpace(subject))
			}
			check(t, tt.path, subjects, tt.subjects)
			if !strings.Contains(first, tt.text) {
				t.Errorf("%s: got %q, want %q in it", tt.path, first, tt.text)
			}
		}
	}
}

// TestAppleMailIsReadFromEachFolder reads the mail of case 10 from each folder that holds it, without Info.plist.
func TestAppleMailIsReadFromEachFolder(t *testing.T) {
	root := t.TempDir()
	must(t, os.CopyFS(root, os.DirFS(filepath.Join("..", "..", "test", "cases", "10-partial-emlx", "mail"))))
	must(t, os.Remove(filepath.Join(root, "V10", "ABCD", "INBOX.mbox", "Info.plist")))
	dir := root
	for _, sub := range []string{"", "V10", "ABCD", "INBOX.mbox", "EF01", "Data", "3", "1", "Messages"} {
		dir = filepath.Join(dir, sub)
		if n := len(itemsOf(t, open(t, dir, ""))); n != 3 {
			t.Errorf("%s: got %d messages, want 3", dir, n)
		}
	}
}

// TestAReaderMayStopAtEachMessageOfADoubtfulMbox stops at the last one too, behind which there is a remark.
func TestAReaderMayStopAtEachMessageOfADoubtfulMbox(t *testing.T) {
	const from, patch = "From ann@example.org Thu Aug 22 12:36:23 2002\nSubject: x\n\n", "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: x\n\n"
	fsys := fstest.MapFS{"mail/one.mbox": {Data: []byte(from + patch)}, "mail/three.mbox": {Data: []byte(from + patch + from + from)}}
	for name, source := range map[string]Source{"one": listMbox(fsys, "mail/one.mbox", ""), "three": listMbox(fsys, "mail/three.mbox", ""), "folder": FromFS(fsys, "mail", "")} {
		all, remarks := 0, 0
		for _, err := range source {
			if all++; corpus.IsRemark(err) {
				remarks++
			}
		}
		if remarks == 0 {
			t.Errorf("%s: no remark", name)
		}
		for n := range all {
			for range source {
				if n--; n < 0 {
					break
				}
			}
		}
	}
}
