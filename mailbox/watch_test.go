package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"chaff/store"
	"chaff/test/corpustest"
	"chaff/train"
)

// watched is a tree that is watched. Its clock is that of a bubble of package synctest.
type watched struct {
	*tree
	o      WatchOptions
	events chan fsnotify.Event
	errors chan error
	dirs   []string // that the watch follows
	closed string   // a folder that cannot be read
	mutex  sync.Mutex
	said   []string
	stop   func()
	ended  chan error
}

// watchTree watches a tree whose changes the test reports.
func watchTree(t *testing.T, b *tree) *watched {
	t.Helper()
	in := *b
	in.T = t // of the bubble
	w := &watched{tree: &in, o: DefaultWatchOptions(), events: make(chan fsnotify.Event), errors: make(chan error), ended: make(chan error, 1)}
	w.o.Model, w.o.Store = b.model, b.options
	w.o.Compared = func(a Account) { w.say("compared %d", a.Messages) }
	w.o.Mailbox = b.mailbox
	w.o.Learned = func(a Account) {
		if a.TakenBack > 0 {
			w.say("taken back %d", a.TakenBack)
		}
	}
	w.o.Changed = func(c Change) { w.say("%s %s", c.Result, strings.TrimPrefix(c.Path, b.dir+"/")) }
	w.o.Retrained = func(r train.Refitted) { w.say("retrained %d", r.Messages) }
	w.o.Trouble = func(err error) { w.say("trouble %v", err != nil) }
	return w
}

func (w *watched) say(format string, args ...any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// take returns what was said since the last time.
func (w *watched) take() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	said := w.said
	w.said = nil
	return said
}

// start starts the watch. It runs until the test ends.
func (w *watched) start() {
	w.Helper()
	box, err := Open(w.dir)
	w.must(err)
	ctx, stop := context.WithCancel(w.Context())
	n := notifier{
		events: w.events, errors: w.errors,
		add: func(dir string) error {
			_, err := os.Stat(dir)
			if dir == w.closed {
				err = fs.ErrPermission
			}
			if err == nil && !strings.HasSuffix(dir, ".Loop/cur") { // which is watched by another name
				w.dirs = append(w.dirs, dir)
			}
			return err
		},
		remove: func(dir string) error {
			w.dirs = slices.DeleteFunc(w.dirs, func(d string) bool { return d == dir })
			return nil
		},
		list: func() []string { return w.dirs },
	}
	go func() { w.ended <- newWatch(box, w.o, n).run(ctx) }()
	w.stop = func() {
		stop()
		if err := <-w.ended; err != nil {
			w.Errorf("the watch ended with %v", err)
		}
	}
}

// event reports that a file of the mailbox has changed.
func (w *watched) event(name string, op fsnotify.Op) {
	w.events <- fsnotify.Event{Name: filepath.Join(w.dir, name), Op: op}
}

// want checks what the watch has said since the last time, after so long.
func (w *watched) want(name string, after time.Duration, lines ...string) {
	w.Helper()
	time.Sleep(after)
	synctest.Wait()
	if diff := cmp.Diff(lines, w.take()); diff != "" {
		w.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// notSpam returns message n of those that the filter does not call spam: where they are, a person has put them.
func (b *tree) notSpam(n int) string {
	b.Helper()
	for item, err := range corpustest.Mailbox(9, n+1, "ham") {
		raw, readErr := item.Read(nil)
		b.must(errors.Join(err, readErr))
		if n--; n < 0 {
			return string(raw)
		}
	}
	return ""
}

func TestAWatchLearnsWhatWasReadADayAgoAndForgetsWhatIsThenDeleted(t *testing.T) {
	b := newTree(t)
	b.mailbox = DefaultOptions()
	b.options.RetrainAfter = 1
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.start()
		w.want("at first the mailbox is compared", 0, "compared 80")
		w.write("cur/1.a:2,S", w.notSpam(0))
		w.event("cur/1.a:2,S", fsnotify.Create)
		w.want("it waits for most of a day", 23*time.Hour+30*time.Minute)
		w.want("and counts, without an event", time.Hour, "learned cur/1.a:2,S", "retrained 81")
		w.move("cur/1.a:2,S", ".Trash/cur/1.a:2,S")
		w.event("cur/1.a:2,S", fsnotify.Rename)
		w.want("in the trash it is forgotten", time.Minute, "taken back 1", "retrained 80")
		w.stop()
	})
}

func TestAWatchLearnsWhatChangesOnceItIsQuiet(t *testing.T) {
	b := newTree(t)
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.start()
		w.want("at first the mailbox is compared", 0, "compared 80")
		if !slices.Contains(w.dirs, filepath.Join(b.dir, ".Junk/cur")) || slices.Contains(w.dirs, filepath.Join(b.dir, ".Trash/cur")) {
			t.Errorf("it follows %q", w.dirs)
		}

		w.write(".Junk/new/1.a", w.notSpam(0))
		w.event(".Junk/new/1.a", fsnotify.Create)
		w.want("it waits", time.Second)
		w.move(".Junk/new/1.a", ".Junk/cur/1.a:2,S")
		w.event(".Junk/new/1.a", fsnotify.Rename)
		w.event(".Junk/cur/1.a:2,S", fsnotify.Create)
		w.want("until nothing has happened for two seconds", 1900*time.Millisecond)
		w.want("", 200*time.Millisecond, "learned .Junk/cur/1.a:2,S")

		w.move(w.ham(0), ".Junk/cur/1.b:2,S")
		w.event(w.ham(0), fsnotify.Rename)
		w.event(".Junk/cur/1.b:2,S", fsnotify.Create)
		w.want("a move changes the label", 3*time.Second, "relabelled .Junk/cur/1.b:2,S")

		w.move(w.spam(0), "new/1.x")
		w.event(w.spam(0), fsnotify.Rename)
		w.event("new/1.x", fsnotify.Create)
		w.want("so does one that leaves Junk unread", 3*time.Second, "relabelled new/1.x")

		w.move(w.ham(1), "cur/"+strings.TrimPrefix(w.ham(1), "cur/")+"R")
		w.event("cur/x", fsnotify.Rename)
		w.event(".Junk/cur/1.b:2,S", fsnotify.Chmod)
		w.want("flags are no news", 3*time.Second)

		for i := range 30 {
			name := fmt.Sprintf(".Junk/cur/2.%02d:2,S", i)
			w.move(w.ham(i+2), name)
			w.event(w.ham(i+2), fsnotify.Rename)
			w.event(name, fsnotify.Create)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if n := len(w.take()); n < 15 {
			t.Errorf("a mailbox that is never quiet: after 30 seconds %d messages are learned", n)
		}
		w.stop()
	})
}

func TestAWatchMissesNothing(t *testing.T) {
	b := newTree(t)
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.start()
		w.want("", 0, "compared 80")

		w.write(".Junk/cur/1.a:2,S", w.notSpam(0))
		w.errors <- fsnotify.ErrEventOverflow
		w.want("events were lost", 3*time.Second, "learned .Junk/cur/1.a:2,S")

		w.must(os.MkdirAll(filepath.Join(w.dir, ".Spam/cur"), 0o700))
		w.must(os.MkdirAll(filepath.Join(w.dir, ".Spam/new"), 0o700))
		w.write(".Spam/cur/1.b:2,S", w.notSpam(1))
		w.event(".Spam", fsnotify.Create)
		w.want("a folder appears", 3*time.Second, "learned .Spam/cur/1.b:2,S")
		w.write(".Spam/cur/1.c:2,S", w.notSpam(2))
		w.event(".Spam/cur/1.c:2,S", fsnotify.Create)
		w.want("its messages are seen", 3*time.Second, "learned .Spam/cur/1.c:2,S")
		w.move(".Spam", ".Later")
		w.event(".Spam", fsnotify.Rename)
		w.want("a folder that is renamed changes all labels", 3*time.Second, "relabelled .Later/cur/1.b:2,S", "relabelled .Later/cur/1.c:2,S")
		if slices.Contains(w.dirs, filepath.Join(b.dir, ".Spam/cur")) {
			t.Error("it still follows the old folder")
		}

		w.write(".Junk/cur/1.d:2,S", w.notSpam(3))
		w.want("no event comes: the mailbox is listed now and then", 16*time.Minute, "learned .Junk/cur/1.d:2,S")
		w.stop()
	})
}

func TestAWatchGoesOnAfterTrouble(t *testing.T) {
	b := newTree(t)
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.start()
		w.want("", 0, "compared 80")

		hidden := b.dir + ".away"
		w.must(os.Rename(b.dir, hidden))
		w.event("", fsnotify.Rename)
		w.want("the mailbox is away, which is said once", time.Minute, "trouble true")
		w.must(os.WriteFile(filepath.Join(hidden, ".Junk/cur/1.a:2,S"), []byte(w.notSpam(0)), 0o600))
		w.must(os.Rename(hidden, b.dir))
		w.want("it is back", time.Minute, "learned .Junk/cur/1.a:2,S", "trouble false")

		w.must(os.Rename(b.model+store.Suffix, b.model+".away"))
		w.write(".Junk/cur/1.b:2,S", w.notSpam(1))
		w.event(".Junk/cur/1.b:2,S", fsnotify.Create)
		w.want("the store is away", time.Minute, "trouble true")
		w.must(os.Rename(b.model+".away", b.model+store.Suffix))
		w.want("it is back", time.Minute, "learned .Junk/cur/1.b:2,S", "trouble false")
		w.stop()
	})
}

func TestAWatchFitsTheModelWhenItIsIdle(t *testing.T) {
	b := newTree(t)
	b.options.RetrainAfter = 2
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.start()
		w.want("", time.Minute, "compared 80")
		w.write(".Junk/cur/1.a:2,S", w.notSpam(0))
		w.event(".Junk/cur/1.a:2,S", fsnotify.Create)
		w.want("one change is not enough", time.Minute, "learned .Junk/cur/1.a:2,S")
		w.write(".Junk/cur/1.b:2,S", w.notSpam(1))
		w.event(".Junk/cur/1.b:2,S", fsnotify.Create)
		w.want("two are", 20*time.Second, "learned .Junk/cur/1.b:2,S")
		w.want("after a while", 20*time.Second, "retrained 82")
		s := w.open() // nobody has it open in between
		changed := s.Changed()
		if w.must(s.Close()); changed != 0 {
			t.Errorf("%d changes since the fit", changed)
		}
		w.stop()
	})
}

func TestWhatIsRefusedIsSaidOnce(t *testing.T) {
	b := newTree(t)
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.start()
		w.want("", 0, "compared 80")
		w.must(os.Symlink("nowhere", filepath.Join(w.dir, ".Junk/cur/1.a:2,S")))
		w.event(".Junk/cur/1.a:2,S", fsnotify.Create)
		w.want("", 3*time.Second, "refused .Junk/cur/1.a:2,S")
		w.write(".Junk/cur/1.b:2,S", w.notSpam(0))
		w.event(".Junk/cur/1.b:2,S", fsnotify.Create)
		w.want("", 3*time.Second, "learned .Junk/cur/1.b:2,S")
		w.stop()
	})
}

func TestAWatchThatCannotBeginSaysWhy(t *testing.T) {
	b := newTree(t)
	o := watchTree(t, b).o
	if err := Watch(t.Context(), b.dir+"/nowhere", o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no mailbox: got the error %v", err)
	}
	o.Model += ".none"
	if err := Watch(t.Context(), b.dir, o); !errors.Is(err, store.ErrNone) {
		t.Errorf("no store: got the error %v", err)
	}
}

func TestAFolderThatCannotBeReadEndsNoWatch(t *testing.T) {
	b := newTree(t)
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.closed = filepath.Join(w.dir, ".Lists/cur")
		w.start()
		w.want("the others", 0, "compared 80")
		w.write(".Junk/cur/1.a:2,S", w.notSpam(0))
		w.event(".Junk/cur/1.a:2,S", fsnotify.Create)
		w.want("a message in another folder", 3*time.Second, "learned .Junk/cur/1.a:2,S")
		w.stop()
	})
}

func TestALinkToTheMailboxInItEndsNoWatch(t *testing.T) {
	b := newTree(t)
	b.must(os.Symlink(".", filepath.Join(b.dir, ".Loop")))
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.start()
		w.want("each message twice", 0, "compared 120")
		w.stop()
	})
}

func TestAWatchDoubtsAFolderThatTheScoreContradicts(t *testing.T) {
	b := newTree(t)
	synctest.Test(t, func(t *testing.T) {
		w := watchTree(t, b)
		w.o.Learned = func(a Account) {
			for _, c := range a.Changes {
				w.say("%s: doubtful is %v", c.Folder, c.Doubt > 0)
			}
		}
		w.start()
		w.want("at first the mailbox is compared", 0, "compared 80")
		spam := "Subject: new\n\n"
		for letter := 'a'; letter <= 'z'; letter++ {
			spam += "spam" + string(letter) + " "
		}
		for name, raw := range map[string]string{"cur/1.c:2,FS": b.notSpam(0), "cur/1.d:2,FS": spam} {
			want := fmt.Sprintf("INBOX: doubtful is %v", raw == spam)
			w.write(name, raw)
			w.event(name, fsnotify.Create)
			w.want(name, 3*time.Second, "learned "+name, want)
		}
		w.stop()
	})
}

// TestTheSystemReportsChanges watches a mailbox with the events of the system.
func TestTheSystemReportsChanges(t *testing.T) {
	b := newTree(t)
	w := watchTree(t, b)
	said := make(chan string, 10)
	w.o.Settle = 10 * time.Millisecond
	w.o.Compared = func(Account) { said <- "compared" }
	w.o.Learned = func(Account) {}
	w.o.Changed = func(c Change) { said <- strings.TrimPrefix(c.Path, b.dir+"/") }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Watch(ctx, b.dir, w.o) }()
	expect := func(want string) {
		t.Helper()
		select {
		case got := <-said:
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		case err := <-ended:
			t.Fatalf("it ended: %v", err)
		case <-time.After(20 * time.Second):
			t.Fatalf("%q does not come", want)
		}
	}
	expect("compared")
	b.write(".Junk/tmp/1.a", b.notSpam(0))
	b.move(".Junk/tmp/1.a", ".Junk/new/1.a")
	expect(".Junk/new/1.a")
	b.move(b.ham(0), ".Junk/cur/1.b:2,S")
	expect(".Junk/cur/1.b:2,S")
	b.must(os.MkdirAll(filepath.Join(b.dir, "tmp/x/cur"), 0o700))
	b.must(os.Mkdir(filepath.Join(b.dir, "tmp/x/new"), 0o700))
	b.move("tmp/x", ".Spam")
	b.write(".Spam/cur/1.c:2,S", b.notSpam(2))
	expect(".Spam/cur/1.c:2,S")
	stop()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestAWatchOfTooMuchSaysWhatHelps(t *testing.T) {
	err := fmt.Errorf("watch: %w", syscall.EMFILE)
	if isOfLinux := strings.Contains(fmt.Sprint(tooMany(err)), "fs.inotify"); isOfLinux != (runtime.GOOS == "linux") {
		t.Errorf("got %v", tooMany(err))
	}
}
