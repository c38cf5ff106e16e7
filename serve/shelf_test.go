package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chaff/filter"
)

// unsureRecord returns a record and the bytes of an unsure message at a time.
func unsureRecord(n int, at time.Time) (*Record, []byte) {
	raw := fmt.Appendf(nil, "Subject: %d\n\ntext\n", n)
	return &Record{Time: at, ID: fmt.Sprint(n), Verdict: filter.Unsure, Size: len(raw)}, raw
}

func keptIDs(u *Shelf) string {
	var ids []string
	for _, k := range u.all {
		ids = append(ids, k.ID)
	}
	return strings.Join(ids, " ")
}

func filesIn(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return len(entries)
}

func TestUnsureMessagesLeaveByNumberAndByAge(t *testing.T) {
	o := DefaultOptions()
	o.Model, o.KeepUnsure, o.HistoryDays = filepath.Join(t.TempDir(), "model"), 3, 7
	u, err := openShelf(o)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Second)
	keep := func(n int, age time.Duration) {
		t.Helper()
		r, raw := unsureRecord(n, now.Add(-age))
		if err := u.keep(r, raw); err != nil {
			t.Fatal(err)
		}
	}
	day := 24 * time.Hour
	for n := range 4 {
		keep(n, 7*day-time.Duration(n+1)*time.Hour)
	}
	if got := keptIDs(u); got != "1 2 3" {
		t.Errorf("of four: kept %q", got)
	}
	keep(1, 0) // again
	if got := keptIDs(u); got != "2 3 1" {
		t.Errorf("one that came again: kept %q", got)
	}
	u.clean(now.Add(3*time.Hour - time.Second))
	if got := keptIDs(u); got != "2 3 1" {
		t.Errorf("just before the end: kept %q", got)
	}
	u.clean(now.Add(3 * time.Hour))
	if got := keptIDs(u); got != "3 1" || filesIn(t, o.Model+KeptSuffix) != 2 {
		t.Errorf("at the end: kept %q in %d files", got, filesIn(t, o.Model+KeptSuffix))
	}

	if err := os.WriteFile(filepath.Join(o.Model+KeptSuffix, strings.Repeat("a", 2*keySize)), []byte("cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Model+KeptSuffix, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// The start reads records, and not what follows.
	large := filepath.Join(o.Model+KeptSuffix, strings.Repeat("b", 2*keySize))
	line := `{"time":"2026-11-26T05:00:00Z","size":2000000000}` + "\n"
	if err := errors.Join(os.WriteFile(large, []byte(line), 0o600), os.Truncate(large, int64(len(line))+2e9)); err != nil {
		t.Fatal(err)
	}
	again, err := openShelf(o)
	if err != nil {
		t.Fatal(err)
	}
	if got := keptIDs(again); got != "3 1" || filesIn(t, o.Model+KeptSuffix) != 3 {
		t.Errorf("after a restart: kept %q in %d files", got, filesIn(t, o.Model+KeptSuffix))
	}
	k, raw, err := again.read(again.all[0].Key, true)
	if want, bytes := unsureRecord(3, k.Time); err != nil || string(raw) != string(bytes) || k.ID != want.ID {
		t.Errorf("read again: %q, %v", raw, err)
	}

	o.KeepUnsure = 0
	if off, err := openShelf(o); err != nil || len(off.all) > 0 || filesIn(t, o.Model+KeptSuffix) != 1 {
		t.Errorf("switched off: %d files are left, %v", filesIn(t, o.Model+KeptSuffix), err)
	}
}

func TestWhichMessagesAreKept(t *testing.T) {
	o := DefaultOptions()
	o.Model, o.KeepUnsure, o.KeepHistory = filepath.Join(t.TempDir(), "model"), 3, 2
	s, err := openShelf(o)
	if err != nil {
		t.Fatal(err)
	}
	if !s.keeps(filter.Unsure, maxKept) || s.keeps(filter.Unsure, maxKept+1) || !s.keeps(filter.Ham, maxKept) {
		t.Error("a message of 1 MiB is not kept, or a larger one is")
	}
	for n := range 12 {
		r, raw := unsureRecord(n, time.Now())
		r.Verdict = []filter.Verdict{filter.Ham, filter.Unsure, filter.Spam}[n%3]
		if err := s.keep(r, raw); err != nil {
			t.Fatal(err)
		}
	}
	if got := keptIDs(s); got != "4 7 9 10 11" {
		t.Errorf("kept %q", got)
	}
	if s := (&Shelf{most: map[bool]int{true: 1}}); s.keeps(filter.Spam, 1) {
		t.Error("spam is kept with unsure messages")
	}
}

func TestTroubleWithKeepingIsReportedOnce(t *testing.T) {
	type message struct {
		record *Record
		raw    []byte
	}
	for name, spoil := range map[string]func(folder string, all []message) error{
		"the folder is gone": func(folder string, _ []message) error { return os.Remove(folder) },
		"files cannot get their names": func(folder string, all []message) error {
			return errors.Join(os.Mkdir(filepath.Join(folder, keyOf("", all[0].raw)), 0o700), os.Mkdir(filepath.Join(folder, keyOf("", all[1].raw)), 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := DefaultOptions()
			o.Model, o.KeepUnsure = filepath.Join(t.TempDir(), "model"), 3
			u, err := openShelf(o)
			if err != nil {
				t.Fatal(err)
			}
			var all []message
			for n := range 2 {
				r, raw := unsureRecord(n, time.Now())
				all = append(all, message{r, raw})
			}
			if err := spoil(o.Model+KeptSuffix, all); err != nil {
				t.Fatal(err)
			}
			for n, m := range all {
				if err := u.keep(m.record, m.raw); err == nil || u.trouble.isNew(err) != (n == 0) {
					t.Errorf("attempt %d: %v, new %v", n, err, n != 0)
				}
			}
		})
	}
}

// shelfOfOne returns a shelf with a message.
func shelfOfOne(t *testing.T) (o Options, u *Shelf, r *Record, raw []byte) {
	o = DefaultOptions()
	o.Model, o.KeepUnsure = filepath.Join(t.TempDir(), "model"), 3
	u, err := openShelf(o)
	if err != nil {
		t.Fatal(err)
	}
	r, raw = unsureRecord(1, time.Now())
	if err := u.keep(r, raw); err != nil {
		t.Fatal(err)
	}
	return o, u, r, raw
}

// A message that comes again while the disk is full stays as it was kept.
func TestAMessageThatCannotBeWrittenLosesNone(t *testing.T) {
	o, u, r, raw := shelfOfOne(t)
	full := filepath.Join(o.Model+KeptSuffix, unfinished)
	for n := 1; n <= 2; n++ {
		if err := os.Symlink("/dev/full", full); err != nil { // which is outside, so that nothing can be written either
			t.Fatal(err)
		}
		again, other := unsureRecord(n, time.Now())
		if err := u.keep(again, other); err == nil {
			t.Fatal("the disk is not full")
		}
	}
	if _, kept, err := u.Get(r.Key); err != nil || string(kept) != string(raw) || keptIDs(u) != "1" {
		t.Errorf("kept %q and %q, %v", keptIDs(u), kept, err)
	}
	if n := filesIn(t, o.Model+KeptSuffix); n != 1 {
		t.Errorf("%d files are left", n)
	}
	if err := os.WriteFile(full, []byte("cut"), 0o600); err != nil { // by a daemon that was killed
		t.Fatal(err)
	}
	if again, err := openShelf(o); err != nil || keptIDs(again) != "1" || filesIn(t, o.Model+KeptSuffix) != 1 {
		t.Errorf("after a restart: %d files, %v", filesIn(t, o.Model+KeptSuffix), err)
	}
}

// The system may have no more open files, or a server of files not answer.
func TestAMessageThatCannotBeReadNowStaysKept(t *testing.T) {
	o, u, r, raw := shelfOfOne(t)
	file := filepath.Join(o.Model+KeptSuffix, r.Key)
	if err := errors.Join(os.Rename(file, file+".aside"), os.Mkdir(file, 0o700)); err != nil { // which opens, and cannot be read
		t.Fatal(err)
	}
	if _, _, err := u.Get(r.Key); err == nil || errors.Is(err, ErrNotKept) {
		t.Errorf("a message that cannot be read: %v", err)
	}
	if err := errors.Join(os.Remove(file), os.Rename(file+".aside", file)); err != nil {
		t.Fatal(err)
	}
	if _, got, err := u.Get(r.Key); err != nil || string(got) != string(raw) {
		t.Errorf("later: %q, %v", got, err)
	}
}

func TestADamagedMessageIsNoLongerKept(t *testing.T) {
	for about, damage := range map[string]func(data []byte) []byte{
		"cut":     func(data []byte) []byte { return data[:len(data)-1] },
		"longer":  func(data []byte) []byte { return append(data, 'x') },
		"changed": func(data []byte) []byte { data[len(data)-2] ^= 1; return data },
	} {
		o, u, r, _ := shelfOfOne(t)
		file := filepath.Join(o.Model+KeptSuffix, r.Key)
		data, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, damage(data), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if again, err := openShelf(o); err != nil || (keptIDs(again) == "") != (about != "changed") {
			t.Errorf("%s: a start keeps %q, %v", about, keptIDs(again), err)
		}
		if _, raw, err := u.Get(r.Key); !errors.Is(err, ErrNotKept) || u.Has(r.Key) {
			t.Errorf("%s: got %q, %v", about, raw, err)
		}
	}
}

func TestSubjectsOfTheHistoryAreDecodedAsMailIs(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"hello", "hello"},
		{"=?utf-8?q?caf=C3=A9?=", "café"},
		{"=?gb2312?B?1tC5+g==?=", "中国"},
		{"caf\xe9 cr\xe8me", "café crème"},
		{"", ""},
	} {
		if got := readable([]byte(tt.value)); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.value, got, tt.want)
		}
	}
}
