package mailbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus/sources"
	"chaff/filter"
	"chaff/store"
)

// learnAt learns what the mailbox says at a time, with the default options.
func (b *tree) learnAt(now time.Time) (a Account) {
	b.Helper()
	synctest.Test(b.T, func(t *testing.T) {
		in := *b
		in.T = t // of the bubble
		time.Sleep(time.Until(now))
		box, err := Open(b.dir)
		in.must(err)
		s := in.open()
		defer s.Close()
		a, err = box.Learn(t.Context(), s, LearnOptions{Options: DefaultOptions()})
		in.must(err)
	})
	return a
}

func TestHamThatWasOnlyReadCountsAfterADay(t *testing.T) {
	begin := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	type step struct {
		after   time.Duration
		do      func(b *tree)
		want    []string
		waiting int
	}
	arrives := func(b *tree) { b.write("new/1.a", b.notSpam(0)) }
	reads := func(b *tree) { b.move("new/1.a", "cur/1.a:2,S") }
	nothing := func(*tree) {}
	for name, steps := range map[string][]step{
		"it is read, and stays": {
			{0, arrives, nil, 0}, {time.Hour, reads, nil, 1}, {24 * time.Hour, nothing, nil, 1},
			{25 * time.Hour, nothing, []string{"learned ham cur/1.a:2,S"}, 0}, {26 * time.Hour, nothing, nil, 0},
		},
		"it was read before it was seen": {
			{0, func(b *tree) { b.write("cur/1.a:2,S", b.notSpam(0)) }, nil, 1}, {24 * time.Hour, nothing, []string{"learned ham cur/1.a:2,S"}, 0},
		},
		"the clock was a year ahead": {
			{365 * 24 * time.Hour, func(b *tree) { b.write("cur/1.a:2,S", b.notSpam(0)) }, nil, 1}, {0, nothing, nil, 1},
			{23 * time.Hour, nothing, nil, 1}, {24 * time.Hour, nothing, []string{"learned ham cur/1.a:2,S"}, 0},
		},
		"the server gives it another name": {
			{0, func(b *tree) { b.write("cur/1.a:2,S", b.notSpam(0)) }, nil, 1},
			{23 * time.Hour, func(b *tree) { b.move("cur/1.a:2,S", "cur/1.z:2,S") }, nil, 1}, {24 * time.Hour, nothing, []string{"learned ham cur/1.z:2,S"}, 0},
		},
		"it is answered": {
			{0, arrives, nil, 0}, {time.Hour, reads, nil, 1},
			{2 * time.Hour, func(b *tree) { b.move("cur/1.a:2,S", "cur/1.a:2,RS") }, []string{"learned ham cur/1.a:2,RS"}, 0},
		},
		"it is flagged": {{0, func(b *tree) { b.write("cur/1.a:2,FS", b.notSpam(0)) }, []string{"learned ham cur/1.a:2,FS"}, 0}},
		"it is filed": {
			{0, arrives, nil, 0}, {time.Hour, reads, nil, 1},
			{2 * time.Hour, func(b *tree) { b.move("cur/1.a:2,S", ".Lists/cur/1.b:2,S") }, []string{"learned ham .Lists/cur/1.b:2,S"}, 0},
		},
		"it is filed, and mbsync gives it another name": { // else it would be forgotten if it is deleted within a week
			{0, arrives, nil, 0}, {time.Hour, func(b *tree) { b.move("new/1.a", ".Lists/cur/1.b:2,S") }, []string{"learned ham .Lists/cur/1.b:2,S"}, 0},
			{2 * time.Hour, func(b *tree) { b.move(".Lists/cur/1.b:2,S", ".Lists/cur/1.b,U=7:2,S") }, nil, 0},
		},
		"it counts, and mbsync gives it another name": {
			{0, func(b *tree) { b.write("cur/1.a:2,S", b.notSpam(0)) }, nil, 1}, {24 * time.Hour, nothing, []string{"learned ham cur/1.a:2,S"}, 0},
			{25 * time.Hour, func(b *tree) { b.move("cur/1.a:2,S", "cur/1.a,U=7:2,S") }, nil, 0},
		},
		"it is moved to Junk instead": {
			{0, arrives, nil, 0}, {time.Hour, reads, nil, 1},
			{2 * time.Hour, func(b *tree) { b.move("cur/1.a:2,S", ".Junk/cur/1.b:2,S") }, []string{"learned spam .Junk/cur/1.b:2,S"}, 0},
		},
		"it is deleted before it counts": {
			{0, arrives, nil, 0}, {time.Hour, reads, nil, 1}, {2 * time.Hour, func(b *tree) { b.move("cur/1.a:2,S", ".Trash/cur/1.a:2,S") }, nil, 0},
			{48 * time.Hour, nothing, nil, 0},
		},
		"nobody reads it": {{0, arrives, nil, 0}, {72 * time.Hour, nothing, nil, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTree(t)
			b.learn()
			for i, step := range steps {
				step.do(b)
				a := b.learnAt(begin.Add(step.after))
				if diff := cmp.Diff(step.want, b.said(a)); diff != "" || a.Waiting != step.waiting {
					t.Errorf("step %d: %d wait, want %d (-want +got):\n%s", i, a.Waiting, step.waiting, diff)
				}
			}
		})
	}
}

func TestReadHamThatIsThrownAwayWithinAWeekIsTakenBack(t *testing.T) {
	begin := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		days      int
		to        string
		takenBack int
	}{
		"after three days, to the trash":      {3, ".Trash/cur/1.b:2,S", 1},
		"after three days, for ever":          {3, "", 1},
		"after nine days":                     {9, ".Trash/cur/1.b:2,S", 0},
		"after three days, to another folder": {3, ".Lists/cur/1.b:2,S", 0},
		"with a copy that nobody has read":    {3, "new/2.a", 1},
		"with a copy that was read":           {3, ".Lists/cur/2.a:2,S", 0},
		"while a folder cannot be read":       {3, "shut", 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTree(t)
			b.learn()
			b.write("cur/1.a:2,S", b.notSpam(0))
			b.learnAt(begin)
			if a := b.learnAt(begin.Add(day)); a.Count(store.Learned) != 1 {
				t.Fatalf("learned %v", b.said(a))
			}
			switch {
			case strings.Contains(tt.to, "2.a"): // the sender has sent it twice
				b.write(tt.to, b.notSpam(0))
				b.learnAt(begin.Add(2 * day))
				tt.to = ""
			case tt.to == "shut":
				b.shut(".Lists")
				tt.to = ""
			}
			switch tt.to {
			case "":
				b.must(os.Remove(filepath.Join(b.dir, "cur/1.a:2,S")))
			default:
				b.move("cur/1.a:2,S", tt.to)
			}
			a := b.learnAt(begin.Add(time.Duration(tt.days) * day))
			s := b.open()
			defer s.Close()
			entries, err := s.Entries()
			b.must(err)
			known := slices.ContainsFunc(entries, func(e store.Entry) bool { return e.Fingerprint == s.Fingerprint([]byte(b.notSpam(0))) })
			if a.TakenBack != tt.takenBack || known == (tt.takenBack > 0) {
				t.Errorf("%d taken back, want %d; known: %v", a.TakenBack, tt.takenBack, known)
			}
		})
	}
}

// TestAPhishThatIsOpenedDoesNotLetItsCampaignPass opens the first message of a campaign, and judges the next ones.
func TestAPhishThatIsOpenedDoesNotLetItsCampaignPass(t *testing.T) {
	b := newTree(t)
	b.learn()
	variant := func(i int) string {
		return "Subject: your account\n\nspama spamb spamc verify account " + strings.Repeat("now ", i)
	}
	verdicts := func() (all []filter.Verdict) {
		f, err := filter.OpenLearned(b.model)
		b.must(err)
		defer f.Close()
		for i := range 10 {
			all = append(all, f.Classify([]byte(variant(i))).Verdict)
		}
		return all
	}
	before := verdicts()
	b.write("cur/1.a:2,S", variant(3))
	b.learnAt(time.Now())
	b.move("cur/1.a:2,S", ".Trash/cur/1.a:2,S") // once it is seen for what it is
	b.learnAt(time.Now().Add(30 * day))
	if diff := cmp.Diff(before, verdicts()); diff != "" {
		t.Errorf("the next ones are judged in another way (-before +after):\n%s", diff)
	}
}

func TestWhatTheFilterFiledTeachesNothingUntilItIsMoved(t *testing.T) {
	const spam = "Subject: x\n\nspama spamb spamc spamd spame spamf spamg spamh"
	begin := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		first, then string // where the message is
		raw         string
		filed       int
		want        []string // afterwards
	}{
		"it stays in Junk":                       {".Junk/new/1.a", ".Junk/cur/1.a:2,S", spam, 1, nil},
		"unread, it is moved to the inbox":       {".Junk/new/1.a", "new/1.b", spam, 1, []string{"learned ham new/1.b"}},
		"unread, under its name":                 {".Junk/new/1.a", "new/1.a", spam, 1, []string{"learned ham new/1.a"}},
		"read, it is moved to a folder":          {".Junk/new/1.a", ".Lists/cur/1.b:2,S", spam, 1, []string{"learned ham .Lists/cur/1.b:2,S"}},
		"chaff imap moves it, unread":            {"new/1.a", ".Junk/new/1.b", spam, 0, nil},
		"chaff imap moves it, with its flags":    {"cur/1.a:2,", ".Junk/cur/1.a:2,", spam, 0, nil},
		"it is missed, and moved unread":         {"new/1.a", ".Junk/new/1.b", "", 0, []string{"learned spam .Junk/new/1.b"}},
		"it was in the inbox, unread":            {"new/1.a", ".Junk/cur/1.b:2,S", spam, 0, []string{"learned spam .Junk/cur/1.b:2,S"}},
		"it was in the inbox, read":              {"cur/1.a:2,S", ".Junk/cur/1.b:2,S", spam, 0, []string{"learned spam .Junk/cur/1.b:2,S"}},
		"it is moved to another folder of spam":  {".Junk/new/1.a", ".Junk.Old/cur/1.b:2,S", spam, 1, []string{"learned spam .Junk.Old/cur/1.b:2,S"}},
		"the filter did not call it spam itself": {"tmp/1.a", ".Junk/cur/1.b:2,S", "", 0, []string{"learned spam .Junk/cur/1.b:2,S"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTree(t)
			b.learn()
			if tt.raw == "" {
				tt.raw = b.notSpam(0)
			}
			b.write(tt.first, tt.raw)
			a := b.learnAt(begin)
			if len(a.Changes) > 0 || a.Filed != tt.filed {
				t.Errorf("at first it learns %v, and %d are filed", b.said(a), a.Filed)
			}
			s := b.open() // a fit leaves what it needs to know later
			_, err := s.Retrain(t.Context(), nil, store.RetrainOptions{})
			b.must(err)
			b.must(s.Close())
			b.move(tt.first, tt.then)
			a = b.learnAt(begin.Add(time.Hour))
			if diff := cmp.Diff(tt.want, b.said(a)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if stays := tt.want == nil; (a.Filed == 1) != stays {
				t.Errorf("later %d are filed", a.Filed)
			}
		})
	}
}

// TestAMessageThatComesTwiceHasNotMoved lets the sender of spam send it again, on another way.
func TestAMessageThatComesTwiceHasNotMoved(t *testing.T) {
	const spam = "Subject: x\n\nspama spamb spamc spamd spame spamf spamg spamh"
	begin := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		first, then string // where the two are
		label       string // that is given by hand to the first one
		leaves      bool   // the first one, before the other comes
	}{
		"the first is in Junk":                      {".Junk/new/1.a", "new/1.b", "", false},
		"the first is in the inbox":                 {"cur/1.a:2,S", ".Lists/cur/1.b:2,S", "", false},
		"the first is spam by hand":                 {"new/1.a", "new/1.b", "spam", false},
		"the first is spam by hand and was deleted": {"new/1.a", "new/1.b", "spam", true},
		"the first is ham by hand and was deleted":  {"new/1.a", ".Junk/new/1.b", "ham", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTree(t)
			b.learn()
			b.write(tt.first, spam)
			b.learnAt(begin)
			if tt.label != "" {
				s := b.open()
				_, err := s.Learn(store.Message{Raw: []byte(spam), Label: tt.label, Way: store.ByServer})
				b.must(errors.Join(err, s.Close()))
			}
			if tt.leaves {
				b.must(os.Remove(filepath.Join(b.dir, tt.first)))
				b.learnAt(begin.Add(time.Hour))
			}
			b.write(tt.then, "Received: from relay.example\n"+spam)
			if a := b.learnAt(begin.Add(2 * time.Hour)); len(a.Changes) > 0 {
				t.Errorf("it learns %v", b.said(a))
			}
		})
	}
}

// TestALabelGivenByHandOutlastsReading opens a phish that was called spam by hand, leaves it in the inbox, and deletes it later.
func TestALabelGivenByHandOutlastsReading(t *testing.T) {
	begin := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for _, label := range []string{"ham", "spam"} {
		for _, way := range []store.Way{store.ByHand, store.ByServer} {
			b := newTree(t)
			b.learn()
			b.write("new/1.a", b.notSpam(0))
			b.learnAt(begin)
			s := b.open()
			_, err := s.Learn(store.Message{Raw: []byte(b.notSpam(0)), Label: label, Way: way})
			b.must(errors.Join(err, s.Close()))
			b.move("new/1.a", "cur/1.a:2,S")
			for days, do := range []func(){func() {}, func() {}, func() {}, func() { b.must(os.Remove(filepath.Join(b.dir, "cur/1.a:2,S"))) }} {
				do()
				if a := b.learnAt(begin.Add(time.Duration(days) * day)); len(a.Changes)+a.TakenBack > 0 {
					t.Errorf("%s %v: after %d days it learns %v and takes back %d", label, way, days, b.said(a), a.TakenBack)
				}
			}
		}
	}
}

func TestTrainingAndLearningCountFoldersAlike(t *testing.T) {
	b := newTree(t)
	for name, n := range map[string]int{"new/1.a": 1, ".Lists/cur/1.b:2,S": 2, ".Lists/cur/1.c:2,": 3, ".Lists/new/1.d": 4, ".Junk/new/1.e": 5, ".Trash/cur/1.f:2,S": 6, ".Drafts/cur/1.g:2,": 7} {
		b.write(name, b.notSpam(n))
	}
	b.must(os.MkdirAll(filepath.Join(b.dir, ".Archive/cur"), 0o700))
	b.must(os.MkdirAll(filepath.Join(b.dir, ".Archive/new"), 0o700))
	for i, name := range []string{".Archive/cur/1.h:2,", ".Archive/new/1.i"} { // which nobody has marked
		b.write(name, b.notSpam(10+i))
	}
	plan, err := sources.MaildirTree(b.dir)
	b.must(err)
	used, leftOut := 0, plan.Deleted
	for _, f := range plan.Folders {
		if f.Label == sources.LeftOut {
			leftOut += f.Messages
		} else {
			used += f.Messages
		}
	}
	a := b.learn()
	if a.Messages != used || a.LeftOut != leftOut || used != 84 {
		t.Errorf("learning uses %d messages and leaves out %d, training %d and %d", a.Messages, a.LeftOut, used, leftOut)
	}
	if n := a.Count(store.Learned); n != used-80 {
		t.Errorf("learned %d of %d new messages", n, used-80)
	}
	b.write(".Archive/new/1.j", b.notSpam(12))
	if a := b.learn(); len(a.Changes) > 0 {
		t.Errorf("later it learns %q", b.said(a))
	}
}
