package filter

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chaff/features"
	"chaff/internal/logfile"
	"chaff/internal/sections"
	"chaff/models"
	"chaff/test/corpustest"
	"chaff/test/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// later returns a time at which a new file is settled.
func later() time.Time { return time.Now().Add(time.Hour) }

// pupil learns messages in the way a store does, and in a learner of all terms.
type pupil struct {
	t        testing.TB
	path     string
	whole    *models.Online
	added    []uint64
	log      []byte
	identity uint64 // of the model, as is checkpoint
	at       int64
	number   uint32
	lists    []logfile.Record
	rows     []logfile.Rows
}

// secret is the key of the logs.
func secret() []byte { return make([]byte, logfile.KeySize) }

// newPupil saves a model and an empty log for it.
func newPupil(t testing.TB, f *Filter) *pupil {
	t.Helper()
	p := &pupil{t: t, path: filepath.Join(t.TempDir(), "model"), log: logfile.AppendHeader(nil, secret(), []byte("{}"))}
	file, err := os.Create(p.path)
	noError(t, err)
	p.identity, err = f.SaveTo(file, true)
	noError(t, errors.Join(err, file.Close()))
	p.whole = f.learner
	log := logfile.Log{Key: secret()}
	p.at = int64(len(p.log))
	p.log = log.Append(p.log, p.at, logfile.Record{Op: logfile.Checkpoint, Key: p.identity}, nil, nil)
	p.save()
	return p
}

func (p *pupil) save() {
	p.t.Helper()
	noError(p.t, os.WriteFile(p.path+LogSuffix, p.log, 0o600))
}

// open opens the model for one message, as if it were settled.
func (p *pupil) open() *One {
	p.t.Helper()
	f, err := openOne(p.path, true, later())
	if err == nil {
		err = f.LogErr()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

// learn appends a record of the message to the log.
func (p *pupil) learn(raw string, class int) {
	p.t.Helper()
	f, err := OpenToLearn(p.path)
	noError(p.t, err)
	defer f.Close()
	noError(p.t, f.Know(p.rows))
	reader, err := NewReader(f.settings.Reading, ReaderOptions{Grams: true, Names: true})
	if err != nil {
		p.t.Fatal(err)
	}
	reader.Read([]byte(raw))
	document := reader.Bag.Document()
	part, err := f.Partial(&document, nil, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	x := part.Vector
	r := part.Learn(-1, class)
	if want := uint32(f.ids() + len(p.added)); len(r.New) > 0 && r.First != want {
		p.t.Fatalf("%q: the first new term is %d, want %d", raw, r.First, want)
	}
	ids := slices.Clone(x.IDs)
	for i, id := range ids {
		ids[i] = r.IDs[id]
	}
	p.whole.Learn(features.Vector{IDs: ids, Values: x.Values, Groups: x.Groups}, class)
	p.added = append(p.added, r.New...)
	for i, id := range r.IDs {
		if own, want := r.Rows[i*part.Learner.TermSize():], p.whole.AppendTerm(nil, int(id)); !bytes.Equal(own[:len(want)], want) {
			p.t.Fatalf("%q: the row of term %d is % x, want % x", raw, id, own, want)
		}
	}
	p.append(r, []byte(raw))
	p.save()
}

// append appends a record, with the rows of the lists that it ends.
func (p *pupil) append(rows logfile.Rows, body []byte) {
	p.number++
	kept := len(p.lists) - bits.TrailingZeros32(p.number)
	for i := len(p.lists) - 1; i >= kept; i-- {
		rows = rows.After(p.rows[i])
	}
	r := logfile.Record{Op: 1, Model: p.identity, Checkpoint: p.at, Number: p.number, At: int64(len(p.log))}
	if kept > 0 {
		r.Previous = p.lists[kept-1].At
	}
	log := logfile.Log{Key: secret()}
	p.log = log.Append(p.log, r.At, r, rows.Append(nil), body)
	p.lists, p.rows = append(p.lists[:kept], r), append(p.rows[:kept], rows)
}

// want returns the filter of the learner of all terms.
func (p *pupil) want() *Filter {
	p.t.Helper()
	opened, err := Open(p.path)
	if err != nil {
		p.t.Fatal(err)
	}
	linear, err := p.whole.Linear()
	if err != nil {
		p.t.Fatal(err)
	}
	f, err := New(Parts{Settings: opened.settings, Vocabulary: opened.vocabulary.Extended(p.added), Linear: linear})
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

// letters are messages of known and of new words.
func letters(n int) []string {
	random := rand.New(rand.NewPCG(3, 3))
	words := strings.Fields("spama spamb spamc hama hamb shareda sharedb sharedc neither news newsletter offer invoice")
	var all []string
	for i := range n {
		var b strings.Builder
		for range 5 + random.IntN(10) {
			b.WriteString(words[random.IntN(len(words))] + " ")
		}
		if random.IntN(2) == 0 {
			fmt.Fprintf(&b, "only%c%c", 'a'+i%26, 'a'+random.IntN(3))
		}
		all = append(all, fmt.Sprintf("From: a%d@b.example\nSubject: %s\n\n%s\n", i%4, words[random.IntN(len(words))], b.String()))
	}
	return all
}

func TestAReaderOfALogJudgesAsTheWholeLearner(t *testing.T) {
	for _, classes := range [][]string{{"ham", "spam"}, {"golang", "poetry", "rowing"}} {
		for _, name := range models.Names() {
			t.Run(fmt.Sprintf("%s of %d classes", name, len(classes)), func(t *testing.T) {
				trained := fitted(t, corpustest.Mailbox(1, 10, classes...), name, classes...)
				if trained.learner == nil {
					t.Fatal("it cannot learn on")
				}
				p := newPupil(t, trained)
				mail := letters(24)
				for i, raw := range mail[:16] {
					p.learn(raw, i%5%len(classes))
				}
				want := p.want()
				learned, err := OpenLearned(p.path)
				if err != nil || learned.LogErr() != nil || learned.learner == nil {
					t.Fatalf("opened: %v, %v", err, learned.LogErr())
				}
				again, err := Decode(encode(t, learned))
				if err != nil {
					t.Fatal(err)
				}
				parts := p.open()
				defer parts.Close()
				whole, err := openOne(p.path, true, time.Now().Add(-time.Hour)) // before the file was settled
				noError(t, err)
				defer whole.Close()
				changed := 0
				for _, raw := range append(mail, "", "\nnothing of this is known") {
					judged := want.Classify([]byte(raw))
					if trained.Classify([]byte(raw)).Score != judged.Score {
						changed++
					}
					for name, f := range map[string]opened{"in parts": parts, "whole": whole, "learned": learned, "saved again": again} {
						if got, err := classify(f, []byte(raw)); got != judged || err != nil || f.LogErr() != nil {
							t.Errorf("%q, %s: got %+v, %v, %v, want %+v", raw, name, got, err, f.LogErr(), judged)
						}
					}
				}
				if changed == 0 {
					t.Error("it learned nothing")
				}
			})
		}
	}
}

func TestATailWithoutRecordsCostsAReaderNothing(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	model, err := openModel(p.path, true)
	if err != nil || len(model.tail) > 0 || model.unused != nil {
		t.Errorf("it has records: %v, %v", err, model.unused)
	}
	noError(t, model.Close())
}

func TestADamagedModelLearnsNothing(t *testing.T) {
	p := newPupil(t, fitted(t, corpustest.Mailbox(3, 30, "ham", "spam"), "votes", "ham", "spam"))
	p.learn(letters(1)[0], 1)
	data, err := os.ReadFile(p.path)
	noError(t, err)
	noError(t, os.WriteFile(p.path, withFlippedBits(t, data, 64, "TERM"), 0o600))
	f := p.open()
	defer f.Close()
	reader := f.newReader()
	reader.Read([]byte(knownLetter))
	document := reader.Bag.Document()
	for _, forgotten := range []*features.Document{nil, &document} {
		if _, err := f.Partial(&document, forgotten, 1); !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v, want %v", err, ErrDamaged)
		}
	}
	if _, err := f.Partial(nil, &document, 1); !errors.Is(err, ErrDamaged) {
		t.Errorf("forgetting: got %v, want %v", err, ErrDamaged)
	}
}

func TestRowsOfWhichNothingWasLearnedTakeNoRoom(t *testing.T) {
	f := fitted(t, corpustest.Mailbox(1, 20, "ham", "spam"), "votes", "ham", "spam")
	p := newPupil(t, f)
	info, err := os.Stat(p.path)
	noError(t, err)
	if cells := features.CellCount; info.Size() > int64(len(encode(t, f))+cells) {
		t.Errorf("%d bytes more for %d cells", info.Size()-int64(len(encode(t, f))), cells)
	}
	l := f.learner
	one, err := OpenToLearn(p.path)
	noError(t, err)
	defer one.Close()
	noError(t, one.Know(nil))
	var ids []uint32
	for w := range l.Terms() {
		ids = append(ids, uint32(w))
	}
	read, err := one.learner(ids)
	noError(t, err)
	for w := range l.Terms() {
		if got, want := read.AppendTerm(nil, w), l.AppendTerm(nil, w); !bytes.Equal(got, want) {
			t.Fatalf("row %d is % x, want % x", w, got, want)
		}
	}
}

func TestTermsOfALogAreExplained(t *testing.T) {
	for _, model := range []string{"multinomial", "votes"} {
		p := newPupil(t, fitted(t, corpustest.Mailbox(1, 20, "ham", "spam"), model, "ham", "spam"))
		for range 3 {
			p.learn("Subject: xylophone\n\nspama xylophones for everyone", SpamClass)
		}
		learned, err := OpenLearned(p.path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := learned.Explain([]byte("Subject: hama\n\nspamb xylophones unheard"))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(got.Contributions, func(c Contribution) bool { return c.Term == "body:xylophon" })
		if at < 0 || got.Contributions[at].Contribution <= 0 || slices.Contains(got.UnknownTerms, "body:xylophon") {
			t.Errorf("%s: %v, unknown %v", model, got.Contributions, got.UnknownTerms)
		}
		if !slices.Contains(got.UnknownTerms, "body:unheard") {
			t.Errorf("%s: unknown %v", model, got.UnknownTerms)
		}
		texts, _ := termsOf(t, learned)
		if len(texts) != learned.Vocabulary().Len() || texts[len(texts)-1] != "" {
			t.Errorf("%s: %d texts of %d terms", model, len(texts), learned.Vocabulary().Len())
		}
	}
}

func TestAnExplanationReadsNoTextsOfTheModel(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	for i, raw := range letters(3) {
		p.learn(raw, i%2)
	}
	raw := []byte(letters(3)[2])
	explained := func() string {
		f, err := OpenLearned(p.path)
		noError(t, err)
		defer f.Close()
		e, err := f.Explain(raw)
		noError(t, err)
		noError(t, f.LogErr())
		return fmt.Sprint(e.Score, e.Contributions)
	}
	want := explained()
	model, err := os.ReadFile(p.path)
	noError(t, err)
	noError(t, os.WriteFile(p.path, withFlippedBits(t, model, 1<<30, "TEXT"), 0o600))
	if got := explained(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestALogThatCannotBeUsedLeavesTheModel(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	mail := letters(4)
	ends := []int{len(p.log)}
	for i, raw := range mail {
		p.learn(raw, i%2)
		ends = append(ends, len(p.log))
	}
	good, raw := p.log, []byte(mail[2]+"hamc of which only the model has a row\n")
	opened, err := Open(p.path)
	noError(t, err)
	defer opened.Close()
	bare, learned := opened.Classify(raw), p.want().Classify(raw)
	if bare == learned {
		t.Fatal("it learned nothing")
	}
	changed := func(at int) []byte {
		data := bytes.Clone(good)
		data[at] ^= 1
		return data
	}
	with := func(rows logfile.Rows) []byte { // the log with another record
		other := *p
		other.log, other.lists, other.rows = slices.Clip(p.log), slices.Clone(p.lists), slices.Clone(p.rows)
		other.append(rows, nil)
		return other.log
	}
	size := p.whole.TermSize()
	log := logfile.Log{Key: secret()}
	for name, tt := range map[string]struct {
		log  []byte
		want Classification
		err  error
	}{
		"a good log":                          {good, learned, nil},
		"no log":                              {nil, bare, nil},
		"no record":                           {good[:ends[0]], bare, nil},
		"half a record at the end":            {append(bytes.Clone(good), good[ends[0]:][:100]...), learned, nil},
		"another file":                        {bytes.Repeat([]byte("text "), 100), bare, logfile.ErrNotLog},
		"half a header":                       {good[:20], bare, logfile.ErrTruncated},
		"a log of a later version":            {changed(8), bare, logfile.ErrVersion},
		"a damaged header":                    {changed(16), bare, logfile.ErrDamaged},
		"the log of another model":            {log.Append(bytes.Clone(good), int64(len(good)), logfile.Record{Op: 1, Model: 7, Number: 1}, nil, nil), bare, logfile.ErrOtherModel},
		"the log of a later model":            {log.Append(bytes.Clone(good), int64(len(good)), logfile.Record{Op: logfile.Checkpoint, Key: 7}, nil, nil), bare, logfile.ErrOtherModel},
		"a damaged record":                    {changed(ends[3] + 30), bare, logfile.ErrDamaged},
		"a damaged list":                      {changed(ends[3] + 200), bare, logfile.ErrDamaged},
		"a damaged record that is not needed": {changed(ends[0] + 200), learned, nil},
		"an id that the model lacks":          {with(logfile.Rows{IDs: []uint32{1 << 30}, Rows: make([]byte, size), Globals: []byte{1}}), bare, logfile.ErrDamaged},
		"rows of another size":                {with(logfile.Rows{IDs: []uint32{1}, Rows: make([]byte, size+1), Globals: []byte{1}}), bare, logfile.ErrDamaged},
		"new terms of another model":          {with(logfile.Rows{New: []uint64{1}, First: 1, IDs: []uint32{1}, Rows: make([]byte, size)}), bare, logfile.ErrDamaged},
		"globals of another model":            {with(logfile.Rows{IDs: []uint32{1}, Rows: make([]byte, size), Globals: []byte{1}}), bare, models.ErrState},
		"a checkpoint of a model that was never put in place": {log.Append(bytes.Clone(good), int64(len(good)),
			logfile.Record{Op: logfile.Checkpoint, Key: 7, Model: p.identity, Checkpoint: p.at, Number: 4, Previous: int64(ends[3])}, nil, nil), learned, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.log == nil {
				os.Remove(p.path + LogSuffix)
			} else if err := os.WriteFile(p.path+LogSuffix, tt.log, 0o600); err != nil {
				t.Fatal(err)
			}
			for how, open := range openers(p.path) {
				f, err := open()
				if err != nil {
					t.Fatal(err)
				}
				if got, err := classify(f, raw); got != tt.want || err != nil {
					t.Errorf("%s: got %+v, %v, want %+v", how, got, err, tt.want)
				}
				if err := f.LogErr(); !errors.Is(err, tt.err) {
					t.Errorf("%s: got %v, want %v", how, err, tt.err)
				}
				f.Close()
			}
		})
	}
}

func TestDamageOfWhatAModelKnowsCostsOnlyLearning(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	raw := []byte(letters(3)[2] + "hamc\n")
	model, err := os.ReadFile(p.path)
	noError(t, err)
	opened, err := Open(p.path)
	noError(t, err)
	defer opened.Close()
	bare := opened.Classify(raw)
	p.learn(letters(1)[0], 1)
	for _, name := range []string{"GLOB", "NONE", "ROWS", "STAT"} {
		put := func(path string) {
			noError(t, os.WriteFile(path, withFlippedBits(t, model, 1, name), 0o600))
		}
		put(p.path)
		for how, open := range openers(p.path) {
			f, err := open()
			noError(t, err)
			if got, err := classify(f, raw); got != bare || err != nil || !errors.Is(f.LogErr(), ErrDamaged) {
				t.Errorf("%s, %s: got %+v, %v, %v", name, how, got, err, f.LogErr())
			}
			f.Close()
		}
		alone := filepath.Join(t.TempDir(), "model")
		put(alone)
		f, err := OpenOne(alone)
		noError(t, err)
		if got, err := f.Classify(raw); got != bare || err != nil || f.LogErr() != nil {
			t.Errorf("%s, without a log: got %+v, %v, %v", name, got, err, f.LogErr())
		}
		f.Close()
	}
}

// TestAReaderBesideALearnerGetsOneOfItsStates writes a model anew again and again, beside readers.
func TestAReaderBesideALearnerGetsOneOfItsStates(t *testing.T) {
	raw := []byte(letters(1)[0])
	p := newPupil(t, fitted(t, corpustest.Mailbox(1, 20, "ham", "spam"), "multinomial", "ham", "spam"))
	path, verdicts := p.path, &sync.Map{}
	judge := func() {
		verdicts.Store(p.want().Classify(raw), true)
	}
	judge()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for how, open := range openers(path) {
					f, err := open()
					if err != nil {
						t.Error(how, err)
						return
					}
					got, err := classify(f, raw)
					if _, known := verdicts.Load(got); !known || err != nil || f.LogErr() != nil {
						t.Errorf("%s: got %+v, %v, %v", how, got, err, f.LogErr())
					}
					f.Close()
				}
			}
		})
	}
	for n := range 30 {
		p.learnThen(letters(n + 1)[n], n%2, judge)
		if n%5 == 4 {
			p.write()
		}
	}
	close(stop)
	readers.Wait()
}

// learnThen learns a message, and calls before when it is known and not yet in the file.
func (p *pupil) learnThen(raw string, class int, before func()) {
	p.t.Helper()
	path := p.path
	p.path = filepath.Join(p.t.TempDir(), "model")
	model, err := os.ReadFile(path)
	noError(p.t, err)
	noError(p.t, os.WriteFile(p.path, model, 0o600))
	p.learn(raw, class)
	before()
	p.path = path
	file, err := os.OpenFile(path+LogSuffix, os.O_WRONLY, 0)
	noError(p.t, err)
	_, err = file.WriteAt(p.log, 0) // the same bytes, and the new record
	noError(p.t, errors.Join(err, file.Close()))
}

// write writes the model with all that was learned, as a store does: the checkpoint first.
func (p *pupil) write() {
	p.t.Helper()
	f, err := OpenLearned(p.path)
	noError(p.t, err)
	defer f.Close()
	next := filepath.Join(filepath.Dir(p.path), "next")
	file, err := os.Create(next)
	noError(p.t, err)
	identity, err := f.SaveTo(file, true)
	noError(p.t, errors.Join(err, file.Close()))
	log, at := logfile.Log{Key: secret()}, int64(len(p.log))
	r := logfile.Record{Op: logfile.Checkpoint, Key: identity, Model: p.identity, Checkpoint: p.at, Number: p.number, Previous: p.lists[len(p.lists)-1].At}
	p.log = log.Append(p.log, at, r, nil, nil)
	logged, err := os.OpenFile(p.path+LogSuffix, os.O_WRONLY, 0)
	noError(p.t, err)
	_, err = logged.WriteAt(p.log, 0)
	noError(p.t, errors.Join(err, logged.Close(), os.Rename(next, p.path)))
	p.identity, p.at, p.number, p.lists, p.rows, p.added = identity, at, 0, nil, nil, nil
}

// Finite numbers may be too large for a finite score. Such a model, which only somebody who forges it can make, learns nothing.
func TestAModelWhoseScoreIsNotFiniteLearnsNothing(t *testing.T) {
	p := newPupil(t, fitted(t, corpustest.Mailbox(3, 30, "ham", "spam"), "perceptron", "ham", "spam"))
	p.learn(knownLetter, 0)
	large := p.rows[0]
	large.Rows = bytes.Repeat(sections.Bytes([]float64{math.MaxFloat64}), len(large.Rows)/8)
	f, err := OpenToLearn(p.path)
	noError(t, err)
	defer f.Close()
	noError(t, f.Know([]logfile.Rows{large}))
	reader := f.newReader()
	reader.Read([]byte(knownLetter))
	document := reader.Bag.Document()
	if p, err := f.Partial(&document, nil, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("got the verdict %+v, error %v", p.Verdict, err)
	}
}
