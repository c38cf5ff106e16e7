package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"chaff/corpus"
	"chaff/corpus/sources"
	"chaff/message"
	"chaff/store"
	"chaff/test/corpustest"
	"chaff/test/testmain"
	"chaff/train"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// tree is a mailbox of 40 ham in the inbox and 40 spam in .Junk, and a model that was trained on it, with its log.
type tree struct {
	*testing.T
	dir, model string
	options    store.Options
	mailbox    Options // of a watch
}

func newTree(t *testing.T) *tree {
	t.Helper()
	return treeOf(t, "invented", corpustest.Mailbox(1, 40, "ham", "spam"))
}

// trees have the model and the log of a tree by the name of its mail, which is always the same: it is trained on once.
var trees = struct {
	sync.Mutex
	of map[string][2][]byte
}{of: make(map[string][2][]byte)}

// treeOf is a tree of other mail, which has a name.
func treeOf(t *testing.T, name string, mail corpus.Source) *tree {
	t.Helper()
	b := &tree{t, filepath.Join(t.TempDir(), "Maildir"), filepath.Join(t.TempDir(), "model"), store.DefaultOptions(), Options{}}
	for _, folder := range []string{"", ".Junk", ".Junk.Old", ".Trash", ".Lists", ".Drafts"} {
		for _, sub := range []string{"cur", "new", "tmp"} {
			b.must(os.MkdirAll(filepath.Join(b.dir, folder, sub), 0o700))
		}
	}
	n := 0
	for item, err := range mail {
		b.must(err)
		raw, err := item.Read(nil)
		b.must(err)
		folder := map[string]string{"ham": "", "spam": ".Junk"}[item.Label]
		b.write(filepath.Join(folder, "cur", fmt.Sprintf("%d.%s.host:2,S", 1200000000+n, item.Label)), string(raw))
		n++
	}
	trees.Lock()
	defer trees.Unlock()
	files, known := trees.of[name]
	if !known {
		b.train()
	}
	for i, path := range []string{b.model, b.model + store.Suffix} {
		if known {
			b.must(os.WriteFile(path, files[i], 0o600))
			continue
		}
		data, err := os.ReadFile(path)
		b.must(err)
		files[i] = data
	}
	trees.of[name] = files
	return b
}

// train trains the model on the mailbox.
func (b *tree) train() {
	b.Helper()
	plan, err := sources.MaildirTree(b.dir)
	b.must(err)
	o := train.DefaultCollectOptions()
	c, err := train.Collect(b.Context(), plan.Source(), []string{"ham", "spam"}, o)
	b.must(err)
	trained, err := train.Fit(b.Context(), c, "multinomial", train.DefaultOptions())
	b.must(err)
	f, _, err := c.Refit(b.Context(), trained, train.DefaultOptions())
	b.must(err)
	b.must(store.Create(b.Context(), b.model, c.Mail, f, train.Refitted{}, store.DefaultOptions(), false))
}

func (b *tree) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *tree) write(name, text string) {
	b.Helper()
	b.must(os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
}

// ham and spam return the path of message i in the mailbox as it was at first.
func (b *tree) ham(i int) string { return fmt.Sprintf("cur/%d.ham.host:2,S", 1200000000+i) }
func (b *tree) spam(i int) string {
	return fmt.Sprintf(".Junk/cur/%d.spam.host:2,S", 1200000040+i)
}

func (b *tree) move(from, to string) {
	b.Helper()
	b.must(os.Rename(filepath.Join(b.dir, from), filepath.Join(b.dir, to)))
}

func (b *tree) copy(from, to string) {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, from))
	b.must(err)
	b.write(to, string(data))
}

func (b *tree) open() *store.Store {
	b.Helper()
	s, err := store.Open(b.Context(), b.model, b.options)
	b.must(err)
	return s
}

func (b *tree) learn() Account {
	b.Helper()
	box, err := Open(b.dir)
	b.must(err)
	s := b.open()
	defer s.Close()
	a, err := box.Learn(b.Context(), s, LearnOptions{Workers: 2})
	b.must(err)
	return a
}

func (b *tree) preview() Account {
	b.Helper()
	box, err := Open(b.dir)
	b.must(err)
	v, err := store.Look(b.model)
	b.must(err)
	a, err := box.Preview(b.Context(), v, LearnOptions{})
	b.must(err)
	return a
}

// said returns what an account says in a line for each change, such as "relabelled ham spam .Junk/cur/name".
func (b *tree) said(a Account) []string {
	var lines []string
	for _, c := range a.Changes {
		path, err := filepath.Rel(b.dir, c.Path)
		b.must(err)
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprint(c.Result, " ", c.Before, " ", c.Label, " ", path)), " "))
	}
	return lines
}

// wantLearned checks what the mailbox says, that Preview says the same, and that there is nothing to learn afterwards.
func (b *tree) wantLearned(name string, want ...string) Account {
	b.Helper()
	if diff := cmp.Diff(want, b.said(b.preview())); diff != "" {
		b.Errorf("%s: the preview (-want +got):\n%s", name, diff)
	}
	a := b.learn()
	if diff := cmp.Diff(want, b.said(a)); diff != "" {
		b.Errorf("%s (-want +got):\n%s", name, diff)
	}
	if again := b.learn(); len(again.Changes) > 0 {
		b.Errorf("%s: the same again learns %v", name, b.said(again))
	}
	return a
}

func TestAMailboxSaysWhatChangedSinceItWasCompared(t *testing.T) {
	const text = "Subject: new\n\nhamb hamc spamd"
	b := newTree(t)
	if a := b.wantLearned("what was trained is known"); a.Messages != 80 || a.Read != 80 {
		t.Errorf("read %d of %d messages, want 80 of 80", a.Read, a.Messages)
	}
	if a := b.learn(); a.Read != 0 {
		t.Errorf("then it read %d messages again", a.Read)
	}
	for _, step := range []struct {
		name string
		do   func()
		read int // messages that are read
		want []string
	}{
		{"new spam is learned", func() { b.write(".Junk/new/1.a", text) }, 1, []string{"learned spam .Junk/new/1.a"}},
		{"unread mail of the inbox is not", func() { b.write("new/1.b", text+"b") }, 1, nil},
		{"once it is answered it is", func() { b.move("new/1.b", "cur/1.b:2,RS") }, 1, []string{"learned ham cur/1.b:2,RS"}},
		{"a flag is no news", func() { b.move("cur/1.b:2,RS", "cur/1.b:2,FRS") }, 0, nil},
		{"a message that moves under its name changes its label", func() { b.move(b.ham(0), ".Junk/cur/"+filepath.Base(b.ham(0))) }, 1,
			[]string{"relabelled ham spam .Junk/cur/1200000000.ham.host:2,S"}},
		{"so does one that gets another name", func() { b.move(b.spam(0), "cur/1.c:2,S") }, 1, []string{"relabelled spam ham cur/1.c:2,S"}},
		{"a folder within Junk is junk", func() { b.move(b.ham(1), ".Junk.Old/cur/1.d:2,S") }, 1, []string{"relabelled ham spam .Junk.Old/cur/1.d:2,S"}},
		{"from one folder of ham to another is no change", func() { b.move(b.ham(2), ".Lists/cur/1.e:2,S") }, 1, nil},
		{"known spam that gets another name is known", func() { b.move(b.spam(2), ".Junk/cur/1.n:2,S") }, 1, nil},
		{"junk in the trash stays spam", func() { b.move(b.spam(1), ".Trash/cur/1.f:2,S") }, 0, nil},
		{"from the trash to the inbox it is ham", func() { b.move(".Trash/cur/1.f:2,S", "cur/1.g:2,S") }, 1, []string{"relabelled spam ham cur/1.g:2,S"}},
		{"junk that is marked as deleted says nothing", func() { b.move("cur/1.g:2,S", ".Junk/cur/1.h:2,ST") }, 0, nil},
		{"drafts say nothing", func() { b.write(".Drafts/cur/1.i:2,S", text+"i") }, 0, nil},
		{"a message that is gone stays learned", func() { b.must(os.Remove(filepath.Join(b.dir, b.ham(3)))) }, 0, nil},
		{"a copy in another folder of ham is the same message", func() { b.copy(b.ham(4), ".Lists/cur/1.j:2,S") }, 1, nil},
		{"a copy in a folder of spam leaves the label", func() { b.copy(b.ham(5), ".Junk/cur/1.k:2,S") }, 1, nil},
		{"two new copies are learned once", func() { b.write(".Junk/new/1.l", text+"l"); b.write(".Junk/new/1.m", text+"l") }, 3,
			[]string{"learned spam .Junk/new/1.l"}}, // the copy of before is read again
	} {
		step.do()
		a := b.wantLearned(step.name, step.want...)
		if a.Read != step.read || a.Filed != 0 {
			t.Errorf("%s: read %d messages, want %d; %d were filed", step.name, a.Read, step.read, a.Filed)
		}
	}
	if a := b.learn(); a.Ambiguous != 1 {
		t.Errorf("%d messages are in folders of ham and of spam, want 1", a.Ambiguous)
	}
	b.must(os.Remove(filepath.Join(b.dir, b.ham(5))))
	b.wantLearned("once only one copy is left, it counts", "relabelled ham spam .Junk/cur/1.k:2,S")
}

func TestEachMessageIsCountedOnce(t *testing.T) {
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	const text = "Subject: x\n\nonly this message has these words"
	for _, tt := range []struct {
		name           string
		do             func(b *tree)
		known, leftOut int
	}{
		{"nothing is new", func(*tree) {}, 80, 0},
		{"an unread copy of a message in folders of ham and spam is left out", func(b *tree) {
			b.write("cur/1.a:2,S", text)
			b.write(".Junk/cur/1.b:2,S", text)
			b.write("new/1.c", text)
		}, 80, 1},
		{"a copy in a folder of spam of mail that was only read", func(b *tree) {
			b.write("cur/1.d:2,S", b.notSpam(1))
			b.copy(b.ham(0), "cur/1.e:2,S")
			b.copy(b.ham(0), ".Junk/cur/1.f:2,S")
		}, 80, 0},
		{"an unread file that is no mail is left out", func(b *tree) { b.write("new/1.g", "%PDF-1.4") }, 80, 1},
		{"an unread message of a folder of spam that is renamed is left out", func(b *tree) {
			b.move(b.spam(0), ".Junk/new/1.i")
			b.move(".Junk", ".Heap")
		}, 40, 1},
		{"a message that moves from spam to the inbox unread is learned", func(b *tree) { b.move(b.spam(0), "new/1.h") }, 79, 0},
	} {
		b := newTree(t)
		b.learnAt(now)
		tt.do(b)
		if a := b.learnAt(now.Add(time.Hour)); a.Known() != tt.known || a.LeftOut != tt.leftOut {
			t.Errorf("%s: %d are known and %d left out, want %d and %d: %+v", tt.name, a.Known(), a.LeftOut, tt.known, tt.leftOut, a)
		}
	}
}

func TestAFolderForSpamThatIsRenamedDoesNotMakeItsMailHam(t *testing.T) {
	b := newTree(t)
	b.learn()
	b.must(os.RemoveAll(filepath.Join(b.dir, ".Junk.Old")))
	b.move(".Junk", ".Heap")
	for _, sub := range []string{".Junk/cur", ".Junk/new", ".Junk/tmp", ".Receipts/cur", ".Receipts/new", ".Receipts/tmp"} {
		b.must(os.MkdirAll(filepath.Join(b.dir, sub), 0o700)) // as servers and mail programs do
	}
	if a := b.wantLearned("it was renamed"); a.Filed != 40 {
		t.Errorf("%d messages say nothing", a.Filed)
	}
	b.must(os.RemoveAll(filepath.Join(b.dir, ".Junk")))
	b.move(".Heap", ".Junk")
	b.wantLearned("it has its name again")
	b.move(b.spam(0), "cur/1.a:2,S")
	b.wantLearned("a message is moved", "relabelled spam ham cur/1.a:2,S")
	b.move(b.spam(1), ".Receipts/cur/1.b:2,S")
	b.must(os.RemoveAll(filepath.Join(b.dir, ".Junk", "cur")))
	b.must(os.Mkdir(filepath.Join(b.dir, ".Junk", "cur"), 0o700))
	b.wantLearned("one is moved into a new folder, and the others are deleted", "relabelled spam ham .Receipts/cur/1.b:2,S")
}

func TestAPersonMayMoveMuchSpamAtOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		before func(b *tree) // the first comparison
		to     string
		only   bool // the rest of the spam is deleted
	}{
		"into a new folder, and the rest stays":            {func(*tree) {}, ".Receipts", false},
		"into a folder that had mail, the rest is deleted": {func(b *tree) { b.move(b.ham(0), ".Lists/cur/1.x:2,S") }, ".Lists", true},
		"into the inbox, which was empty, the rest deleted": {func(b *tree) {
			b.move("cur", ".Lists/all")
			b.move(".Lists/cur", "cur")
			b.move(".Lists/all", ".Lists/cur")
		}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTree(t)
			tt.before(b)
			b.learn()
			b.must(os.MkdirAll(filepath.Join(b.dir, tt.to, "cur"), 0o700))
			b.must(os.MkdirAll(filepath.Join(b.dir, tt.to, "new"), 0o700))
			for i := range 40 {
				if i <= renamedSize {
					b.move(b.spam(i), filepath.Join(tt.to, "cur", fmt.Sprintf("%d.y:2,S", i)))
				} else if tt.only {
					b.must(os.Remove(filepath.Join(b.dir, b.spam(i))))
				}
			}
			if a := b.learn(); a.Count(store.Relabelled) != renamedSize+1 {
				t.Errorf("learned %q", b.said(a))
			}
		})
	}
}

func TestAFileMayGoWhileTheMailboxIsCompared(t *testing.T) {
	for name, tt := range map[string]struct {
		file           string
		isRead, folder bool // it goes once it was read; a folder takes its place
		want           []string
	}{
		"once it was listed":                             {"cur/1.a:2,RS", false, false, nil},
		"once it was read":                               {"cur/1.a:2,RS", true, false, nil},
		"for one that cannot be read":                    {"cur/1.a:2,RS", false, true, []string{"refused ham cur/1.a:2,RS"}},
		"once it was read, for one that cannot be read":  {"cur/1.a:2,RS", true, true, []string{"refused ham cur/1.a:2,RS"}},
		"for one that cannot be read, and is unread yet": {"new/1.a", false, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTree(t)
			b.learn()
			b.write(tt.file, b.notSpam(0))
			box, err := Open(b.dir)
			b.must(err)
			s := b.open()
			defer s.Close()
			goes := func(int, int) {
				b.must(os.Remove(filepath.Join(b.dir, tt.file)))
				if tt.folder {
					b.must(os.Mkdir(filepath.Join(b.dir, tt.file), 0o700))
				}
			}
			var o LearnOptions
			if o.Progress = goes; !tt.isRead {
				o.Progress = nil
				goes(0, 0)
			}
			a, err := box.Learn(t.Context(), s, o)
			b.must(err)
			if diff := cmp.Diff(tt.want, b.said(a)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, c := range a.Changes {
				if c.Reason == "" {
					t.Errorf("%s has no reason", c.Path)
				}
			}
		})
	}
}

// TestCorrectionsByHandAreLearned moves 50 messages as people and servers do.
func TestCorrectionsByHandAreLearned(t *testing.T) {
	b := newTree(t)
	b.learn()
	for i := range 25 {
		name := filepath.Base(b.ham(i))
		if i%2 == 0 {
			name = fmt.Sprintf("%d.M%dP1.imap,S=1:2,S", 1300000000+i, i) // the name that a server gives
		}
		b.move(b.ham(i), ".Junk/cur/"+name)
		name = filepath.Base(b.spam(i))
		if i%2 != 0 {
			name = fmt.Sprintf("%d.M%dP2.imap,S=1:2,S", 1300000000+i, i)
		}
		b.move(b.spam(i), "cur/"+name)
	}
	a := b.learn()
	if got := a.Count(store.Relabelled); got != 50 || len(a.Changes) != 50 || a.Read != 50 {
		t.Errorf("%d of 50 corrections are learned, with %d changes and %d messages read", got, len(a.Changes), a.Read)
	}
	if a := b.learn(); len(a.Changes) != 0 || a.Read != 0 {
		t.Errorf("then it learns %v and reads %d messages", b.said(a), a.Read)
	}
	v, err := store.Look(b.model)
	b.must(err)
	if got := len(v.Entries()); got != 80 {
		t.Errorf("the store has %d messages, want 80", got)
	}
}

func TestAForgottenMessageStaysForgotten(t *testing.T) {
	b := newTree(t)
	b.learn()
	raw, err := os.ReadFile(filepath.Join(b.dir, b.ham(0)))
	b.must(err)
	s := b.open()
	_, err = s.Forget(raw)
	b.must(err)
	_, err = s.Retrain(t.Context(), nil, store.RetrainOptions{})
	b.must(errors.Join(err, s.Close()))
	b.wantLearned("its file says nothing new")
	b.move(b.ham(0), ".Junk/cur/1.a:2,S")
	b.wantLearned("moved, it does", "learned spam .Junk/cur/1.a:2,S")
}

func TestMessagesThatLeftAStoreOfLimitedSizeStayAway(t *testing.T) {
	b := newTree(t)
	b.options.MaxMessages = 40 // of each class
	b.learn()
	for i := range 5 {
		b.write(fmt.Sprintf(".Junk/new/160000000%d.a", i), fmt.Sprint("Subject: x\n\nspama spamb", i))
	}
	if a := b.learn(); a.Count(store.Learned) != 5 {
		t.Errorf("it learns %v", b.said(a))
	}
	s := b.open()
	_, err := s.Retrain(t.Context(), nil, store.RetrainOptions{})
	b.must(err)
	entries, err := s.Entries()
	b.must(errors.Join(err, s.Close()))
	if len(entries) != 80 {
		t.Fatalf("the store has %d messages, want 80", len(entries))
	}
	b.wantLearned("what left it is still in the mailbox")
}

func TestALabelGivenByHandOutlastsTheFolder(t *testing.T) {
	b := newTree(t)
	b.learn()
	raw, err := os.ReadFile(filepath.Join(b.dir, b.ham(0)))
	b.must(err)
	s := b.open()
	_, err = s.Learn(store.Message{Raw: raw, Label: "spam", Way: store.ByHand})
	b.must(err)
	b.must(s.Close())
	b.wantLearned("the folder is the same as before")
	b.move(b.ham(0), ".Lists/cur/1.a:2,S")
	b.wantLearned("another folder of ham says nothing new")
	b.move(".Lists/cur/1.a:2,S", ".Junk/cur/1.b:2,S")
	b.wantLearned("spam it is already")
	b.move(".Junk/cur/1.b:2,S", ".Lists/cur/1.c:2,S")
	b.wantLearned("a folder of the other class says something new", "relabelled spam ham .Lists/cur/1.c:2,S")
	raw, err = os.ReadFile(filepath.Join(b.dir, b.ham(1)))
	b.must(err)
	s = b.open()
	_, err = s.Learn(store.Message{Raw: raw, Label: "spam", Way: store.ByHand})
	b.must(errors.Join(err, s.Close()))
	unread := strings.TrimSuffix(b.ham(1), "S")
	b.move(b.ham(1), unread)
	b.wantLearned("marked as unread it says nothing")
	b.move(unread, b.ham(1))
	b.wantLearned("read again, it says what it said before")
}

func TestALabelGivenByHandOutlastsTheFirstComparison(t *testing.T) {
	b := newTree(t)
	raw, err := os.ReadFile(filepath.Join(b.dir, b.ham(0)))
	b.must(err)
	s := b.open()
	_, err = s.Learn(store.Message{Raw: raw, Label: "spam", Way: store.ByHand})
	b.must(errors.Join(err, s.Close()))
	b.wantLearned("no message has moved")
	b.move(b.ham(0), ".Junk/cur/1.a:2,S")
	b.wantLearned("spam it is already")
	b.move(".Junk/cur/1.a:2,S", b.ham(0))
	b.wantLearned("back in a folder of ham", "relabelled spam ham "+b.ham(0))
}

func TestUnreadMailIsNoHam(t *testing.T) {
	b := newTree(t)
	b.learn()
	b.write(".Lists/new/1.a", "Subject: x\n\nspama by a rule")
	b.write(".Lists/cur/1.b:2,F", "Subject: x\n\nspamb by a rule")
	b.write(".Lists/cur/1.c:2,S", b.notSpam(1))
	if a := b.wantLearned("nobody has read it", "learned ham .Lists/cur/1.c:2,S"); a.LeftOut != 2 {
		t.Errorf("%d are left out, want 2", a.LeftOut)
	}
	b.move(".Lists/new/1.a", ".Lists/cur/1.a:2,S")
	b.wantLearned("once it was read, it counts", "learned ham .Lists/cur/1.a:2,S")
}

func TestAnEmptyFileIsNoMessage(t *testing.T) {
	b := newTree(t)
	b.learn()
	b.write(".Junk/cur/1.a:2,S", "")
	if a := b.wantLearned("nothing is in it"); a.Silent != 1 {
		t.Errorf("%d files say nothing, want 1", a.Silent)
	}
}

func TestAFileThatIsNoMailIsCountedOnceAndNotLearned(t *testing.T) {
	b := newTree(t)
	b.learn()
	b.write(".Junk/cur/1.a:2,S", "%PDF-1.4")
	if a := b.wantLearned("a PDF is no mail"); a.Silent != 1 || a.NoMail["PDF"] != 1 {
		t.Errorf("got %+v, want 1 PDF that says nothing", a)
	}
	if a := b.wantLearned("it was seen"); a.Read != 0 || len(a.NoMail) > 0 {
		t.Errorf("got %+v, want nothing read", a)
	}
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	b := newTree(t)
	b.learn()
	b.write(".Junk/cur/1.a:2,S", "")
	b.must(os.Truncate(filepath.Join(b.dir, ".Junk/cur/1.a:2,S"), message.MaxSize+1))
	a := b.learn()
	if a.Count(store.Refused) != 1 || !strings.Contains(a.Changes[0].Reason, "too large") {
		t.Errorf("got %+v, want one message that is too large", a.Changes)
	}
}

func TestAStoreOfOtherClassesHasNoMailbox(t *testing.T) {
	b := newTree(t)
	box, err := Open(b.dir)
	b.must(err)
	if _, err := box.compare(t.Context(), otherClasses{}, LearnOptions{}, nil); err != ErrClasses {
		t.Errorf("got the error %v, want %v", err, ErrClasses)
	}
}

type otherClasses struct{ known }

func (otherClasses) Classes() []string { return []string{"private", "work"} }

func TestNothingInAMailboxIsWritten(t *testing.T) {
	b := newTree(t)
	b.write(".Junk/new/1.a", "Subject: x\n\nspama")
	before := b.state()
	b.learn()
	if diff := cmp.Diff(before, b.state()); diff != "" {
		t.Errorf("the mailbox has changed (-before +after):\n%s", diff)
	}
}

// state returns the names, sizes and times of all files and folders.
func (b *tree) state() []string {
	var all []string
	b.must(filepath.WalkDir(b.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		all = append(all, fmt.Sprint(name, info.Size(), info.ModTime(), info.Mode()))
		return nil
	}))
	return all
}

// shut makes a folder one that cannot be read, also for root.
func (b *tree) shut(folder string) {
	b.Helper()
	cur := filepath.Join(b.dir, folder, "cur")
	b.must(errors.Join(os.Rename(cur, cur+"-away"), os.Symlink(cur, cur)))
}

func TestAMessageThatMovesWhileTheFolderForSpamCannotBeReadCounts(t *testing.T) {
	b := newTree(t)
	b.learn()
	b.must(os.RemoveAll(filepath.Join(b.dir, ".Junk.Old")))
	b.move(b.spam(0), "cur/1.a:2,S")
	b.shut(".Junk")
	b.wantLearned("its folder cannot be read", "relabelled spam ham cur/1.a:2,S")
}

// What begins only then waits for a day: it would count as it stands for ever.
func TestAFirstComparisonEndsThoughAFolderCannotBeRead(t *testing.T) {
	b := newTree(t)
	b.shut(".Lists")
	box, err := Open(b.dir)
	b.must(err)
	s := b.open()
	_, err = box.Learn(t.Context(), s, LearnOptions{Limit: 20, Options: DefaultOptions()})
	b.must(errors.Join(err, s.Close()))
	b.learnAt(time.Now())
	b.write("cur/1.a:2,S", b.notSpam(0))
	if a := b.learnAt(time.Now()); len(a.Changes) > 0 || a.Waiting != 1 {
		t.Errorf("%d messages wait, and learned: %q", a.Waiting, b.said(a))
	}
}

func TestAFolderThatCannotBeReadHidesNoOther(t *testing.T) {
	b := newTree(t)
	b.shut(".Lists")
	b.write(".Junk/cur/1300000000.new.host:2,S", "Subject: new\n\npills\n")
	a := b.learn()
	if a.Count(store.Learned) != 1 || len(a.Problems) != 1 || !strings.Contains(a.Problems[0], ".Lists") {
		t.Errorf("got %v and the problems %q, want one message and a problem of .Lists", b.said(a), a.Problems)
	}
}

// TestWhatAnInterruptLeavesIsLearnedTheNextTime interrupts learning before its first message.
func TestWhatAnInterruptLeavesIsLearnedTheNextTime(t *testing.T) {
	moved := "relabelled spam ham cur/1.a:2,S"
	for name, tt := range map[string]struct {
		isKnown bool // the mailbox
		want    []string
	}{
		"a message still moves from where it was":         {true, []string{moved}}, // the filter itself may have filed the other one
		"a mailbox that is new still counts as it stands": {false, []string{moved, "learned spam .Junk/cur/1.b:2,S"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTree(t)
			if tt.isKnown {
				b.learn()
			}
			b.move(b.spam(0), "cur/1.a:2,S")
			b.write(".Junk/cur/1.b:2,S", "Subject: x\n\nspama spamb spamc spamd spame spamf spamg spamh")
			box, err := Open(b.dir)
			b.must(err)
			s := b.open()
			ctx, interrupt := context.WithCancel(t.Context())
			_, err = box.Learn(ctx, s, LearnOptions{Options: DefaultOptions(), Filed: func([]byte) bool { interrupt(); return false }})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, want an interrupt", err)
			}
			b.must(s.Close())
			if diff := cmp.Diff(tt.want, b.said(b.learnAt(time.Now()))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAMessageBeyondTheLimitStillMovesTheNextTime(t *testing.T) {
	b := newTree(t)
	b.learn()
	b.move(b.spam(0), "cur/1.a:2,S")
	b.move(b.spam(1), "cur/1.b:2,S")
	for i, want := range []string{"relabelled spam ham cur/1.a:2,S", "relabelled spam ham cur/1.b:2,S"} {
		box, err := Open(b.dir)
		b.must(err)
		s := b.open()
		a, err := box.Learn(t.Context(), s, LearnOptions{Limit: 1, Options: DefaultOptions()})
		b.must(errors.Join(err, s.Close()))
		if said := b.said(a); len(said) != 1 || said[0] != want {
			t.Errorf("run %d: got %q, want %q", i, said, want)
		}
	}
}

// What the filter has filed teaches nothing in a mailbox that is known, though a comparison had a limit.
func TestOnlyAFirstComparisonGoesOn(t *testing.T) {
	for _, limits := range [][3]int{{1000, 0, 0}, {0, 1, 0}} {
		b := newTree(t)
		a := Account{}
		for i, limit := range limits {
			if i == 1 {
				for _, name := range []string{"a", "b"} {
					b.write(".Junk/new/1."+name, "Subject: "+name+"\n\nspama spamb spamc spamd spame spamf spamg spamh")
				}
			}
			box, err := Open(b.dir)
			b.must(err)
			s := b.open()
			a, err = box.Learn(t.Context(), s, LearnOptions{Limit: limit})
			b.must(errors.Join(err, s.Close()))
		}
		if len(a.Changes) > 0 || a.Filed != 2 {
			t.Errorf("limits %v: learned %q, and %d are filed", limits, b.said(a), a.Filed)
		}
	}
}

// Count returns the number of changes with a result.
func (a Account) Count(result store.What) int {
	n := 0
	for _, c := range a.Changes {
		if c.Result == result {
			n++
		}
	}
	return n
}
