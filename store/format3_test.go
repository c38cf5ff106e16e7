package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"chaff/features"
	"chaff/filter"
	"chaff/internal/logfile"
	"chaff/test/testmain"
)

// copyEarlier copies a model and its store of format 3, and returns the path of the copy.
func copyEarlier(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	for _, suffix := range []string{"", earlierSuffix} {
		noError(t, os.WriteFile(path+suffix, contents(t, filepath.Join("testdata", "format3", name)+suffix), 0o600))
	}
	return path
}

// sampleMail returns a message of the sample mail by the beginning of its name.
func sampleMail(t *testing.T, name string) Message {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "corpus", "sample", "mail", name+"*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return Message{Raw: contents(t, files[0]), Label: strings.Split(name, "/")[0], Way: ByHand}
}

func TestAStoreOfAnEarlierVersionIsTurnedIntoALog(t *testing.T) {
	for name, want := range map[string]struct {
		model     string
		ham, spam int
		ways      string
	}{
		"votes":     {"votes", 6, 6, "map[by hand:3 training:9]"},
		"bernoulli": {"bernoulli", 46, 7, "map[by hand:42 mailbox:2 training:9]"}, // with a summary
		"hybrid":    {"votes", 6, 6, "map[by hand:3 training:9]"},
	} {
		t.Run(name, func(t *testing.T) {
			path := copyEarlier(t, name)
			if _, err := Later(path); !errors.Is(err, ErrEarlier) {
				t.Errorf("what a training would drop: %v", err)
			}
			if _, err := Look(path); !errors.Is(err, ErrEarlier) {
				t.Errorf("a reader gets %v", err)
			}
			s := opened(t, path)
			if !errors.Is(s.Finish(), errTurned) || s.Model != want.model {
				t.Errorf("the model %s, with the warning %v", s.Model, s.Finish())
			}
			if _, err := os.Stat(path + earlierSuffix); !errors.Is(err, os.ErrNotExist) {
				t.Error("the store is still there")
			}
			v, err := Look(path)
			noError(t, err)
			defer v.Close()
			status := v.Status(time.Now())
			if got := fmt.Sprint(status.Ways); got != want.ways || status.Classes[0].Messages != want.ham || status.Classes[1].Messages != want.spam {
				t.Errorf("ways %s, classes %+v", got, status.Classes)
			}
			judged := 0
			for _, e := range v.Entries() {
				if e.isJudged() {
					judged++
				}
				if e.Learned.Year() != 2026 || e.Origin != "" || len(documentOf(t, v, e).Terms) == 0 {
					t.Errorf("an entry is %+v", e)
				}
			}
			if hand := status.Ways["by hand"] + status.Ways["mailbox"]; judged != hand {
				t.Errorf("%d messages were judged before they were learned, want %d", judged, hand)
			}
			texts := map[uint64]string{}
			noError(t, v.eachTerm(func(hash uint64, text []byte) error {
				texts[hash] = string(text)
				return nil
			}))
			reader, err := filter.NewReader(s.filter.Settings().Reading, filter.ReaderOptions{Grams: true, Names: true})
			noError(t, err)
			for _, known := range []string{"spam/06", "spam/02", "ham/05"} {
				m := sampleMail(t, known)
				if o := learned(t, s, m); o.What != Known {
					t.Errorf("%s is %s, want known", known, o.What)
				}
				reader.Read(m.Raw) // today's program makes the same terms, and nearly the same cells
				e, err := v.find(s.Fingerprint(m.Raw))
				noError(t, err)
				want, got := reader.Bag.Document(), documentOf(t, v, e)
				for i, hash := range want.Terms {
					k := slices.Index(got.Terms, hash)
					if k < 0 || got.Counts[k] != want.Counts[i] || got.Marks[k] != want.Marks[i] || texts[hash] != string(reader.Bag.Text(i)) {
						t.Errorf("%s: the term %q, %d times, is %q at %d", known, reader.Bag.Text(i), want.Counts[i], texts[hash], k)
					}
				}
				common := slices.DeleteFunc(want.Cells, func(cell uint32) bool { return !slices.Contains(got.Cells, cell) })
				if len(common) < 380 {
					t.Errorf("%s has %d cells in common with today's", known, len(common))
				}
			}
			if o := learned(t, s, sampleMail(t, "spam/07")); o.What != Relabelled || o.Before != "ham" {
				t.Errorf("a message that moved is %+v", o)
			}
			if o := learned(t, s, sampleMail(t, "ham/01")); o.What != Learned {
				t.Errorf("a message that was forgotten is %s, want learned", o.What)
			}
			if name == "bernoulli" && len(v.ledger.seen) != 1 {
				t.Errorf("it knows %d mailboxes", len(v.ledger.seen))
			}
			for _, files := range v.ledger.seen {
				labels := map[int]int{}
				for f := range maps.Values(files) {
					labels[int(f.Label)]++
				}
				if labels[0] != 1 || labels[1] != 1 {
					t.Errorf("of a mailbox it knows files of %v", labels)
				}
			}
			s.Close()
			if again := opened(t, path); again.Finish() != nil {
				t.Errorf("the second time: %v", again.Finish())
			}
		})
	}
}

// documentOf returns the document of a message.
func documentOf(t *testing.T, v *View, e Entry) *features.Document {
	t.Helper()
	d, _, err := v.document(e)
	noError(t, err)
	return &d
}

func TestADamagedStoreOfAnEarlierVersionIsLeftAsItIs(t *testing.T) {
	for suffix, places := range map[string][]int{"": {0, 9, 100}, earlierSuffix: {0, 9, 100, 600, 5000, 6000, 29_050, 40_000, 53_000, 80_000}} {
		path := copyEarlier(t, "votes")
		whole := contents(t, path+suffix)
		for _, at := range places {
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1
			noError(t, os.WriteFile(path+suffix, damaged, 0o600))
			_, err := Open(t.Context(), path, DefaultOptions())
			if _, e := os.Stat(path + Suffix); err == nil || e == nil || !bytes.Equal(contents(t, path+suffix), damaged) {
				t.Errorf("%q, byte %d: %v, and a file has changed", suffix, at, err)
			}
		}
	}
}

func TestTheJournalOfAnEarlierVersionIsReadToItsLastWholeRecord(t *testing.T) {
	for name, want := range map[string]int{"votes": 0, "bernoulli": 47, "hybrid": 0} {
		path := copyEarlier(t, name)
		store := contents(t, path+earlierSuffix)
		at := bytes.Index(store, []byte("CHJOUR1\n"))
		var records []int
		for place := at + 24; place < len(store); {
			_, size := earlierRecord(store[at:], place-at)
			if size == 0 {
				t.Fatalf("%s: no record at %d of %d", name, place, len(store))
			}
			records = append(records, place)
			place += size
		}
		if len(records) != want {
			t.Errorf("%s has %d records", name, len(records))
		}
		converted := func(store []byte) error {
			path := copyEarlier(t, name)
			noError(t, os.WriteFile(path+earlierSuffix, store, 0o600))
			s, err := Open(t.Context(), path, DefaultOptions())
			if err != nil {
				return err
			}
			defer s.Close()
			return nil
		}
		for i, place := range records {
			if !testmain.IsLong() && i%16 != 0 && i < len(records)-2 {
				continue
			}
			for _, field := range []int{0, 8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 72} {
				damaged := bytes.Clone(store)
				damaged[place+field] ^= 1
				if err := converted(damaged); i < len(records)-1 && !errors.Is(err, logfile.ErrDamaged) || i == len(records)-1 && err != nil {
					t.Errorf("%s: byte %d of record %d of %d: %v", name, field, i, len(records), err)
				}
			}
		}
		if len(records) == 0 {
			continue
		}
		last := records[len(records)-1]
		for _, end := range []int{last, last + 1, last + 63, len(store) - 1} {
			if err := converted(store[:end]); err != nil {
				t.Errorf("%s: torn at %d of %d: %v", name, end-last, len(store)-last, err)
			}
		}
	}
}

// appendEarlier appends a record to a store of format 3 that has a meta only.
func appendEarlier(store, meta []byte) []byte {
	le, start := binary.LittleEndian, len(store)
	journal := store[bytes.Index(store, []byte("CHJOUR1\n")):]
	store = append(store, make([]byte, 64)...)
	store = append(append(store, meta...), make([]byte, -len(meta)&7)...)
	record := store[start:]
	le.PutUint32(record[16:], 0x43524843)
	le.PutUint32(record[40:], uint32(len(meta)))
	le.PutUint64(record[8:], xxhash.Sum64(record[64:]))
	le.PutUint64(record, xxhash.Sum64(record[8:64])^(le.Uint64(journal[8:])+uint64(len(journal))))
	return store
}

func TestAnEarlierJournalForgetsAndRefuses(t *testing.T) {
	before := opened(t, copyEarlier(t, "bernoulli"))
	path := copyEarlier(t, "bernoulli")
	store := contents(t, path+earlierSuffix)
	sizes := make([]byte, 16)
	for name, what := range map[string]op{"spam/06": forget, "spam/02": forget, "ham/05": refuse} {
		e := Entry{Learned: time.Unix(1.8e9, 0)}
		e.Fingerprint = before.Fingerprint(sampleMail(t, name).Raw)
		store = appendEarlier(store, slices.Concat([]byte{byte(what), 7: 0}, appendEntry(nil, e), sizes))
	}
	noError(t, os.WriteFile(path+earlierSuffix, store, 0o600))
	s := opened(t, path)
	for name, want := range map[string]What{"spam/06": Learned, "spam/02": Learned, "ham/05": Known} {
		if o := learned(t, s, sampleMail(t, name)); o.What != want {
			t.Errorf("%s is %s, want %s", name, o.What, want)
		}
	}
}

func TestTheModelOfAnEarlierStoreIsKnownByItsJournal(t *testing.T) {
	path, other := copyEarlier(t, "votes"), copyEarlier(t, "bernoulli")
	noError(t, os.Rename(path, path+".next")) // as a crash between two renames left them
	noError(t, os.WriteFile(path, contents(t, other), 0o600))
	s := opened(t, path)
	if s.Model != "votes" {
		t.Errorf("the model is %s", s.Model)
	}
	path = copyEarlier(t, "votes")
	noError(t, os.WriteFile(path, contents(t, other), 0o600))
	if _, err := Open(t.Context(), path, DefaultOptions()); !errors.Is(err, logfile.ErrDamaged) {
		t.Errorf("with the model of another store: %v", err)
	}
}

// FuzzEarlier reads any bytes as the meta of a record of an old journal, and as a document.
func FuzzEarlier(f *testing.F) {
	path := copyEarlier(f, "votes")
	file, err := os.Open(path + earlierSuffix)
	noError(f, err)
	defer file.Close()
	store := contents(f, path+earlierSuffix)
	f.Add(store[len(store)-3000:], []byte{1})
	f.Add(append([]byte{1}, make([]byte, 200)...), []byte{4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 0, 5, 0})
	cut := binary.LittleEndian.AppendUint32(append([]byte{byte(learn)}, make([]byte, 7+entrySize+4)...), 70_000) // hashes of terms, and nothing behind them
	cut = append(cut, make([]byte, 8)...)
	for hash := range uint64(70_000) {
		cut = binary.LittleEndian.AppendUint64(cut, hash)
	}
	f.Add(cut, []byte{})
	f.Fuzz(func(t *testing.T, data, document []byte) {
		l := newLedger(recipe{names: names{Classes: []string{"ham", "spam"}}}, facts{}, features.NewDocuments(0))
		w := l.documents.NewWriter()
		defer w.Close()
		journal := append([]byte("CHJOUR1\n0123456701234567"), data...)
		if err := l.readJournal(journal, w); err != nil && !errors.Is(err, logfile.ErrDamaged) {
			t.Fatal(err)
		}
		l.enterEarlier(data, w)
		l.sawEarlier(data)
		doc, _, ok := earlierDocument(document, make([]byte, 80), make([]byte, 10))
		if ok && len(doc.Terms) != len(doc.Counts) {
			t.Errorf("%d terms, %d counts", len(doc.Terms), len(doc.Counts))
		}
	})
}

func TestSizesInAStoreOfAnEarlierVersionMayBeAnyNumber(t *testing.T) {
	le := binary.LittleEndian
	for _, size := range []uint32{1000, 1 << 29, 1 << 31, 1<<32 - 1} {
		if _, _, ok := earlierDocument(le.AppendUint32([]byte{0, 0, 0, 0}, size), nil, nil); ok {
			t.Errorf("a document has %d cells", size)
		}
		for place := range 3 { // the sizes of the sketch, of the terms and of the cells
			record := make([]byte, 8+entrySize+16)
			record[0] = byte(learn)
			le.PutUint32(record[8+entrySize+4*place:], size)
			if new(ledger).enterEarlier(record, nil) {
				t.Errorf("a record has %d at place %d", size, place)
			}
		}
	}
}
