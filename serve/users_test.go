package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"chaff/filter"
	"chaff/store"
)

func TestNamesOfUsersCannotLeaveTheirFolder(t *testing.T) {
	for name, want := range map[string]string{
		"alice": "alice", "Alice@Example.ORG": "alice@example.org", "a.b-c_d+e@f": "a.b-c_d+e@f", "9": "9", strings.Repeat("a", 254): strings.Repeat("a", 254),
		"": "", ".": "", "..": "", ".hidden": "", "a/b": "", "../a": "", "a\x00": "", "a b": "", "a\nb": "", "a\x7f": "", `a\b`: "", "\xe9": "",
		"é": "%c3%a9", "a:b": "a%3ab", "~": "%7e", "o'brien@example.org": "o%27brien@example.org", "a%2e": "a%252e", strings.Repeat("a", 255): "", strings.Repeat("é", 43): "",
	} {
		got, err := folderOf(name)
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ErrUser) {
			t.Errorf("%q: got %q, %v, want %q", name, got, err, want)
		}
	}
}

func FuzzNamesOfUsers(f *testing.F) {
	for _, name := range []string{"alice", "..", "a/../../b", "A@b", "\x00"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		folder, err := folderOf(name)
		if err != nil {
			return
		}
		if !filepath.IsLocal(folder) || filepath.Base(filepath.Join("users", folder)) != folder || filepath.Dir(filepath.Join("users", folder)) != "users" {
			t.Errorf("%q is the folder %q", name, folder)
		}
	})
}

// TestARecordNamesNoOtherUser judges mail for names that no user may have: whoever teaches it from the history teaches nobody else.
func TestARecordNamesNoOtherUser(t *testing.T) {
	e, _ := startUsers(t, func(o *Options) { o.KeepHistory = 10 })
	long := strings.Repeat("a", 254)
	learn(t, e, "anna", mail("spam", 50), "spam")
	learn(t, e, long, mail("spam", 50), "spam")
	for name, may := range map[string]bool{"anna\xff": false, long + "b": false, long + "\xc3": false, strings.Repeat("a", 253) + "é": false, long: true, "anna": true} {
		if _, err := e.Judge(t.Context(), Origin{User: name}, mail("ham", 51)); err != nil {
			t.Fatal(err)
		}
		k, _, err := e.Kept.Get(e.Kept.all[len(e.Kept.all)-1].Key)
		if err != nil {
			t.Fatal(err)
		}
		own, errOwn := folderOf(name)
		of, err := folderOf(k.User)
		if (errOwn == nil) != may || may && of != own || err == nil && !may && (of == "anna" || of == long) {
			t.Errorf("%q is remembered as %q, %v", name, k.User, err)
		}
	}
}

// startUsers starts an engine with a folder of users.
func startUsers(t testing.TB, change func(*Options)) (*Engine, *testLog) {
	return start(t, newModelOf(t, "votes", 20), func(o *Options) {
		o.Users = t.TempDir()
		if change != nil {
			change(o)
		}
	})
}

func learn(t testing.TB, e *Engine, user string, raw []byte, label string) {
	t.Helper()
	if o, err := e.Learn(t.Context(), Origin{User: user}, raw, label); err != nil || o.What != store.Learned {
		t.Fatalf("%s learned %q as %s: got %+v, %v", user, raw, label, o, err)
	}
}

func TestAUserTeachesAModelOfTheirOwn(t *testing.T) {
	e, log := startUsers(t, nil)
	offer := []byte("Subject: weekly offer\n\nprinters and paper from a shop\n")
	other := []byte("Subject: weekly news\n\nhouses and gardens in the town\n")
	before := judge(t, e, "alice", offer)
	learn(t, e, "alice", offer, "spam")
	after := judge(t, e, "Alice", []byte("Subject: weekly offer\n\nprinters and paper from a shop, again\n"))
	if !(after.Score > before.Score+0.1) || after.User <= 0 || math.Abs(after.Shared+after.User-after.Score) > 1e-9 {
		t.Errorf("the score went from %+v to %+v", before, after)
	}
	if got := judge(t, e, "bob", offer); got.User != 0 || got.Score != before.Score {
		t.Errorf("another user: got %+v, want %+v", got, before)
	}
	if got := judge(t, e, "", offer); got.Score != before.Score {
		t.Errorf("nobody: got %+v, want %+v", got, before)
	}
	// One class alone says nothing of other mail.
	if got := judge(t, e, "alice", other); math.Abs(got.User) > after.User/2 {
		t.Errorf("what alice taught adds %v to other mail, and %v to mail like it", got.User, after.User)
	}
	if o, err := e.Forget(t.Context(), Origin{User: "alice"}, offer); err != nil || o.What != store.Forgotten {
		t.Errorf("forget: got %+v, %v", o, err)
	}
	for _, name := range []string{"../evil", ".hidden", ""} {
		if got := judge(t, e, name, offer); got.User != 0 {
			t.Errorf("%q: got %+v", name, got)
		}
	}
	if _, err := e.Learn(t.Context(), Origin{User: "../evil"}, offer, "spam"); !errors.Is(err, ErrUser) {
		t.Errorf("a name that leaves the folder: got %v", err)
	}
	if want := "note: began a model for the user alice"; log.String() != want {
		t.Errorf("log: %s, want %s", log, want)
	}
	info, err := os.Stat(filepath.Join(e.options.Users, "alice"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of alice: %v, %v", info, err)
	}
	if s, err := e.Status("alice"); err != nil || s.Store == nil || s.Store.Messages != 0 {
		t.Errorf("status of alice: %+v, %v", s, err)
	}
	if s, err := e.Status("bob"); err != nil || s.Store != nil {
		t.Errorf("status of bob: %+v, %v", s, err)
	}
}

func TestForgettingBeginsNoModel(t *testing.T) {
	e, _ := startUsers(t, nil)
	if o, err := e.Forget(t.Context(), Origin{User: "alice"}, mail("spam", 1)); err != nil || o.What != store.Refused || o.Reason != store.NeverKnown {
		t.Errorf("got %+v, %v", o, err)
	}
	if all, err := os.ReadDir(e.options.Users); err != nil || len(all) != 0 {
		t.Errorf("the folder of users has %v, %v", all, err)
	}
}

func TestWithoutAFolderAllTeachTheSharedModel(t *testing.T) {
	e, _ := start(t, newModel(t, 5), nil)
	raw := mail("ham", 50)
	before := judge(t, e, "bob", raw)
	learn(t, e, "alice", raw, "spam")
	if after := judge(t, e, "bob", raw); !(after.Score > before.Score) || after.User != 0 {
		t.Errorf("the score went from %+v to %+v", before, after)
	}
}

func TestTheNumberOfUsersIsLimited(t *testing.T) {
	e, _ := startUsers(t, func(o *Options) { o.MaxUsers = 2 })
	learn(t, e, "alice", mail("spam", 70), "spam")
	learn(t, e, "bob", mail("spam", 71), "spam")
	if _, err := e.Learn(t.Context(), Origin{User: "carol"}, mail("spam", 72), "spam"); !errors.Is(err, ErrUsers) {
		t.Errorf("a third user: got %v", err)
	}
	learn(t, e, "alice", mail("spam", 73), "spam") // who has a model
	for _, user := range []string{"alice", "bob", "alice"} {
		if v := judge(t, e, user, mail("spam", 70)); v.User == 0 {
			t.Errorf("%s: got %+v", user, v)
		}
	}
}

func TestOnlyUsersWhoHaveTaughtHaveAModel(t *testing.T) {
	e, _ := startUsers(t, nil)
	learn(t, e, "alice", mail("spam", 70), "spam")
	for user, want := range map[string]bool{"": false, "Alice": true, "bob": false, "../alice": false} {
		if got := e.HasModel(user); got != want {
			t.Errorf("%q: got %v", user, got)
		}
	}
}

// Reading all of a model and scoring the mail of the shared one takes as long as forty messages.
func TestAModelOfAUserIsMeasuredWhenItChanges(t *testing.T) {
	e, _ := startUsers(t, nil)
	learn(t, e, "alice", mail("spam", 70), "spam")
	want := judge(t, e, "alice", mail("spam", 70))
	path, _ := e.users.pathOf("alice")
	known, _ := e.users.known.Load(path)
	known.(*user).offset -= 3
	if got := judge(t, e, "alice", mail("spam", 70)); math.Abs(got.User-want.User-3) > 1e-9 {
		t.Errorf("it was measured again: the user adds %v, and before %v", got.User, want.User)
	}
	learn(t, e, "alice", mail("spam", 71), "spam")
	if got := judge(t, e, "alice", mail("spam", 70)); math.Abs(got.User-want.User) > 1 {
		t.Errorf("it was not measured again: the user adds %v, and before %v", got.User, want.User)
	}
	known.(*user).offset -= 3
	if err := e.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := judge(t, e, "alice", mail("spam", 70)); math.Abs(got.User-want.User) > 1 {
		t.Errorf("after a reload: the user adds %v, and before %v", got.User, want.User)
	}
}

func TestAModelOfAUserCountsWhileItLearns(t *testing.T) {
	e, log := startUsers(t, nil)
	learn(t, e, "alice", mail("spam", 70), "spam")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 10 {
			class := []string{"ham", "spam"}[n%2]
			if _, err := e.Learn(t.Context(), Origin{User: "alice"}, mail(class, 80+n), class); err != nil {
				t.Error(err)
			}
		}
	}()
	for learning := true; learning; {
		select {
		case <-done:
			learning = false
		default:
		}
		if v := judge(t, e, "alice", mail("spam", 70)); v.User == 0 {
			t.Errorf("the model of the user does not count: %+v", v)
		}
	}
	if strings.Contains(log.String(), "warning") {
		t.Errorf("log: %s", log)
	}
}

func TestADamagedModelOfAUserIsLeftOut(t *testing.T) {
	e, log := startUsers(t, nil)
	learn(t, e, "alice", mail("spam", 70), "spam")
	want := judge(t, e, "alice", mail("spam", 70))
	path, _ := e.users.pathOf("alice")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{[]byte("damaged"), whole[:len(whole)/2]} {
		exchange(t, path, damaged)
		if v := judge(t, e, "alice", mail("spam", 70)); v.User != 0 {
			t.Errorf("with a damaged model: got %+v", v)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(path)), "bob"), nil, 0o600); err != nil { // root may look into any folder
		t.Fatal(err)
	}
	for range 2 {
		if v := judge(t, e, "bob", mail("spam", 70)); v.User != 0 {
			t.Errorf("with a folder that cannot be opened: got %+v", v)
		}
	}
	if _, isKept := e.users.known.Load(filepath.Join(e.options.Users, "bob", "model")); isKept {
		t.Error("a name without a model is kept, so that clients could fill the memory with names")
	}
	if n := strings.Count(log.String(), "going on without the model of the user"); n != 3 {
		t.Errorf("%d warnings, want 3: %s", n, log)
	}
	exchange(t, path, whole)
	if got := judge(t, e, "alice", mail("spam", 70)); got.Classification != want.Classification {
		t.Errorf("after the repair: got %+v, want %+v", got, want)
	}
}

// TestADamagedModelIsNotReadAllTheTime holds for errors that only another file ends. Reading twenty models a second took half a core.
func TestADamagedModelIsNotReadAllTheTime(t *testing.T) {
	var x trouble
	for _, tt := range []struct {
		err error
		due bool
	}{{nil, false}, {errOtherReading, false}, {&fs.PathError{Op: "open", Path: "model", Err: syscall.EMFILE}, true}, {nil, false}} {
		if x.isNew(tt.err); x.isDue() != tt.due {
			t.Errorf("%v: due %v", tt.err, !tt.due)
		}
	}
	x.isNew(errOtherReading)
	if x.at = x.at.Add(-2 * time.Minute); !x.isDue() {
		t.Error("it is never tried again")
	}
}

func TestASharedModelThatIsFittedAgainKeepsItsUsers(t *testing.T) {
	e, log := startUsers(t, nil)
	learn(t, e, "alice", mail("ham", 70), "spam")
	judge(t, e, "alice", mail("ham", 70))
	before := e.shared.current().background
	s, err := store.Open(t.Context(), e.options.Model, store.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Retrain(t.Context(), nil, store.RetrainOptions{}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := e.Reload(); err != nil {
		t.Fatal(err)
	}
	if v := judge(t, e, "alice", mail("ham", 70)); v.User <= 0 {
		t.Errorf("got %+v", v)
	}
	if e.shared.current().background == before {
		t.Error("mail is compared with what the model before was fitted to")
	}
	if strings.Contains(log.String(), "warning") {
		t.Errorf("log: %s", log)
	}
}

func TestAnExplanationAddsUp(t *testing.T) {
	e, _ := startUsers(t, nil)
	learn(t, e, "alice", mail("ham", 70), "spam")
	for _, user := range []string{"", "alice"} {
		raw := append(mail("ham", 70), "unheardof"...)
		x, err := e.Explain(t.Context(), user, raw)
		if err != nil {
			t.Fatal(err)
		}
		v := judge(t, e, user, raw)
		sum := x.Bias
		for _, c := range x.Contributions {
			sum += c.Contribution
		}
		if x.Verdict != v.Verdict || x.Score != v.Score || math.Abs(x.Margin-v.Score) > 1e-6 || math.Abs(sum-v.Score) > 1e-6 {
			t.Errorf("user %q: score %v, explained as %v with the margin %v and the sum %v", user, v.Score, x.Score, x.Margin, sum)
		}
		if len(x.UnknownTerms) == 0 || len(x.UnknownTerms) != v.Unknown && user == "" {
			t.Errorf("user %q: %d unknown terms: %q", user, v.Unknown, x.UnknownTerms)
		}
	}
}

func TestAUserOfASharedModelWithoutMailNeedsBothClasses(t *testing.T) {
	e, _ := start(t, newModelOf(t, "votes", 0), func(o *Options) { o.Users = t.TempDir() })
	for n := range enoughAlone {
		learn(t, e, "alice", mail("spam", n), "spam")
	}
	if v := judge(t, e, "alice", mail("ham", 50)); v.Verdict != filter.Unsure || v.User != 0 {
		t.Errorf("with spam alone: got %+v", v)
	}
	for n := range enoughAlone {
		learn(t, e, "alice", mail("ham", n), "ham")
	}
	if v := judge(t, e, "alice", mail("spam", 50)); v.Class != "spam" || v.User <= 0 {
		t.Errorf("with both: got %+v", v)
	}
}

func TestTheUserOfAnAddress(t *testing.T) {
	for address, want := range map[string]string{
		"anna@lab.example": "anna@lab.example", "anna+lists+a@lab.example": "anna@lab.example", "anna+a": "anna", "+a@lab.example": "+a@lab.example",
		`"a+b@c"@lab.example`: `"a@lab.example`, "": "", "a@b+c": "a@b+c",
	} {
		if got := UserOf(address); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func TestAModelThatCannotBeFittedYetIsLeftAsItIs(t *testing.T) {
	e, log := startUsers(t, func(o *Options) { o.Store.RetrainAfter = 1 })
	path, err := e.users.pathOf("anna")
	if err != nil {
		t.Fatal(err)
	}
	fits := func() int { return strings.Count(log.String(), "fitted "+path) }
	for n := range 3 {
		learn(t, e, "anna", mail("spam", 100+n), "spam")
		e.learner.retrain(t.Context(), path)
	}
	learn(t, e, "anna", mail("ham", 100), "ham")
	e.learner.retrain(t.Context(), path)
	if before := log.String(); strings.Contains(before, "too few") || strings.Contains(before, "training") || fits() > 1 {
		t.Errorf("the log is:\n%s", before)
	}
	before := fits()
	for n := range 30 {
		for _, class := range []string{"spam", "ham"} {
			raw := mail(class, 110+n)
			for w := range 30 { // copies of a message count as one
				raw = fmt.Appendf(raw, "%s%dof%d ", class, w, n)
			}
			learn(t, e, "anna", raw, class)
		}
	}
	if e.learner.retrain(t.Context(), path); fits() != before+1 {
		t.Errorf("with enough messages it is not fitted:\n%s", log)
	}
}

func TestTheFolderOfUsersIsThereAndNotThatOfTheModel(t *testing.T) {
	o := DefaultOptions()
	o.Model = newModel(t, 5)
	for users, want := range map[string]string{
		filepath.Dir(o.Model) + "/.": "is that of the model", o.Model: "folder of users: ", filepath.Join(t.TempDir(), "typo"): "there is none",
		"no name\x00": "folder of users: stat",
	} {
		o.Users = users
		if _, err := open(o, &testLog{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", users, err, want)
		}
	}
}

// BenchmarkAUser measures a message for a user with a model, after that has changed and otherwise, beside one for nobody.
func BenchmarkAUser(b *testing.B) {
	e, _ := startUsers(b, nil)
	for n := range 200 {
		learn(b, e, "alice", mail([]string{"ham", "spam"}[n%2], n), []string{"ham", "spam"}[n%2])
	}
	path, _ := e.users.pathOf("alice")
	raw := append(mail("spam", 7), strings.Repeat("plain words of a message that nobody has to read\r\n", 60)...)
	for _, user := range []string{"", "alice", "alice, changed"} {
		b.Run(cmp.Or(user, "nobody"), func(b *testing.B) {
			name, changed, _ := strings.Cut(user, ", ")
			for b.Loop() {
				if changed != "" {
					e.users.known.Delete(path)
				}
				judge(b, e, name, raw)
			}
		})
	}
}
