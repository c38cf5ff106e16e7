package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chaff/corpus/corpustest"
	"chaff/features"
	"chaff/internal/journal"
	"chaff/internal/sections"
	"chaff/internal/testmain"
	"chaff/models"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// later returns a time at which a new file is settled.
func later() time.Time { return time.Now().Add(time.Hour) }

// pupil learns messages in the way a store does, and in a learner of all terms.
type pupil struct {
	t       testing.TB
	path    string
	whole   models.Online
	added   []uint64
	journal []byte // with the base
	// summaries is after how many records there is a summary.
	summaries int
}

// newPupil saves a model and an empty store for it.
func newPupil(t testing.TB, f *Filter) *pupil {
	t.Helper()
	p := &pupil{t: t, path: filepath.Join(t.TempDir(), "model"), summaries: 7}
	if err := f.Save(p.path); err != nil {
		t.Fatal(err)
	}
	opened, err := Open(p.path)
	noError(t, err)
	p.journal = journal.Begin(baseOf(t, f), opened.Identity())
	noError(t, opened.Close())
	p.whole, err = f.Learner()
	noError(t, err)
	p.save()
	return p
}

// baseOf returns the base of a store of a model, without messages.
func baseOf(t testing.TB, f *Filter) []byte {
	t.Helper()
	var base sections.Memory
	w := journal.BaseFormat().NewWriter(&base, 1+LearnedSections)
	w.Begin("LEDG")
	w.Write([]byte("of no interest here"))
	noError(t, f.SaveLearned(w))
	_, _, err := w.Close()
	noError(t, err)
	return base
}

func (p *pupil) save() {
	p.t.Helper()
	if err := os.WriteFile(p.path+storeSuffix, p.journal, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// open opens the model for one message, as if it were settled.
func (p *pupil) open() *One {
	p.t.Helper()
	f, err := openOne(p.path, later())
	if err == nil {
		err = f.JournalErr()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

// learn appends a record of the message to the store.
func (p *pupil) learn(raw string, class int) {
	p.t.Helper()
	store := bytes.NewReader(p.journal)
	j, err := journal.Open(store, store.Size(), false)
	noError(p.t, err)
	f, err := OpenToLearn(p.path, j)
	noError(p.t, err)
	defer f.Close()
	reader, err := NewReader(f.settings.Reading(), ReaderOptions{Grams: true, Names: true})
	if err != nil {
		p.t.Fatal(err)
	}
	reader.Read([]byte(raw))
	document := reader.Bag().Document()
	part, err := f.Partial(&document, nil, false)
	if err != nil {
		p.t.Fatal(err)
	}
	x := part.Vector
	part.Learner.Learn(x, class)
	p.whole.Learn(features.Vector{IDs: part.IDs, Values: x.Values, Groups: x.Groups}, class)
	r := journal.Record{Meta: []byte(raw), IDs: part.IDs, Globals: part.Learner.AppendGlobals(nil)}
	for _, term := range part.New {
		text := fmt.Appendf(nil, "message:%016x", term.Hash)
		if f.kind != features.Whole {
			text = reader.Bag().Text(term.Index)
		}
		r.New, r.Texts = append(r.New, term.Hash), journal.AppendText(r.Texts, text)
	}
	p.added = append(p.added, r.New...)
	for i, id := range part.IDs {
		r.Rows = part.Learner.AppendTerm(r.Rows, i)
		if own, want := r.Rows[i*part.Learner.TermSize():], p.whole.AppendTerm(nil, int(id)); !bytes.Equal(own, want) {
			p.t.Fatalf("%q: the row of term %d is % x, want % x", raw, id, own, want)
		}
	}
	size := len(p.journal)
	p.journal = journal.Append(p.journal, j.Next(), r)
	if j.Add(p.journal[size:]); j.Len()%p.summaries == 0 {
		store.Reset(p.journal)
		size := len(p.journal)
		summary, err := j.Summary(f.Terms())
		noError(p.t, err)
		p.journal = journal.Append(p.journal, j.Next(), summary)
		j.Add(p.journal[size:])
		hint, at := j.Hint()
		copy(p.journal[at:], hint)
	}
	p.save()
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

func TestAReaderOfAJournalJudgesAsTheWholeLearner(t *testing.T) {
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
				if err != nil || learned.JournalErr() != nil || learned.files.journal.Len() != 16 {
					t.Fatalf("opened with %d records: %v, %v", learned.files.journal.Len(), err, learned.JournalErr())
				}
				again, err := Decode(encode(t, learned))
				if err != nil {
					t.Fatal(err)
				}
				parts := p.open()
				defer parts.Close()
				whole, err := openOne(p.path, time.Now().Add(-time.Hour)) // before the file was settled
				noError(t, err)
				defer whole.Close()
				changed := 0
				for _, raw := range append(mail, "", "\nnothing of this is known") {
					judged := want.Classify([]byte(raw))
					if trained.Classify([]byte(raw)).Score != judged.Score {
						changed++
					}
					for name, f := range map[string]opened{"in parts": parts, "whole": whole, "learned": learned, "saved again": again} {
						if got, err := classify(f, []byte(raw)); got != judged || err != nil || f.JournalErr() != nil {
							t.Errorf("%q, %s: got %+v, %v, %v, want %+v", raw, name, got, err, f.JournalErr(), judged)
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

func TestAnEmptyJournalCostsAReaderNothing(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	files, err := openPair(p.path)
	if err != nil || files.journal.Len() > 0 || files.unused != nil {
		t.Errorf("it has records: %v, %v", err, files.unused)
	}
	noError(t, files.Close())
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
	document := reader.Bag().Document()
	for _, forgotten := range []*features.Document{nil, &document} {
		if _, err := f.Partial(&document, forgotten, true); !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v, want %v", err, ErrDamaged)
		}
	}
	if _, err := f.Partial(nil, &document, true); !errors.Is(err, ErrDamaged) {
		t.Errorf("forgetting: got %v, want %v", err, ErrDamaged)
	}
}

func TestRowsOfWhichNothingWasLearnedTakeNoRoom(t *testing.T) {
	f := fitted(t, corpustest.Mailbox(1, 20, "ham", "spam"), "votes", "ham", "spam")
	data := baseOf(t, f)
	if cells := features.CellCount; len(data) > cells {
		t.Errorf("%d bytes for %d cells", len(data), cells)
	}
	data = journal.Begin(data, 1)
	j, err := journal.Open(bytes.NewReader(data), int64(len(data)), false)
	noError(t, err)
	l, err := f.Learner()
	noError(t, err)
	k, err := readKnowledge(l.Terms(), j)
	noError(t, err)
	rows, err := k.allRows()
	noError(t, err)
	for w := range l.Terms() {
		if got, want := rows[w*l.TermSize():][:l.TermSize()], l.AppendTerm(nil, w); !bytes.Equal(got, want) {
			t.Fatalf("row %d is % x, want % x", w, got, want)
		}
	}
}

func TestTermsOfAJournalAreExplained(t *testing.T) {
	for _, model := range []string{"multinomial", "votes"} {
		p := newPupil(t, fitted(t, corpustest.Mailbox(1, 20, "ham", "spam"), model, "ham", "spam"))
		for range 3 {
			p.learn("Subject: xylophone\n\nspama xylophones for everyone", SpamClass)
		}
		learned, err := OpenLearned(p.path)
		if err != nil {
			t.Fatal(err)
		}
		one := p.open()
		defer one.Close()
		raw := []byte("Subject: hama\n\nspamb xylophones unheard")
		want, err := learned.Explain(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, err := one.Explain(raw)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Contributions) != fmt.Sprint(want.Contributions) || !slices.Equal(got.UnknownTerms, want.UnknownTerms) {
			t.Errorf("%s: for one message\n%v %v\nwant\n%v %v", model, got.Contributions, got.UnknownTerms, want.Contributions, want.UnknownTerms)
		}
		at := slices.IndexFunc(got.Contributions, func(c Contribution) bool { return c.Term == "body:xylophon" })
		if at < 0 || got.Contributions[at].Contribution <= 0 || slices.Contains(got.UnknownTerms, "body:xylophon") {
			t.Errorf("%s: %v, unknown %v", model, got.Contributions, got.UnknownTerms)
		}
		if !slices.Contains(got.UnknownTerms, "body:unheard") {
			t.Errorf("%s: unknown %v", model, got.UnknownTerms)
		}
		texts, _ := termsOf(t, learned)
		if len(texts) != learned.Vocabulary().Len() || !slices.Contains(texts, "subject:xylophon") {
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
	for how, open := range openers(p.path) {
		explained := func() string {
			f, err := open()
			noError(t, err)
			defer f.Close()
			e, err := f.Explain(raw)
			noError(t, err)
			noError(t, f.JournalErr())
			return fmt.Sprint(e.Score, e.Contributions)
		}
		want := explained()
		model, err := os.ReadFile(p.path)
		noError(t, err)
		noError(t, os.WriteFile(p.path, withFlippedBits(t, model, 1<<30, "TEXT"), 0o600))
		whole := bytes.Clone(p.journal)
		p.journal[bytes.Index(p.journal, []byte("body:newslett"))] ^= 1 // with the texts of a record
		p.save()
		if got := explained(); got != want {
			t.Errorf("%s: got %s, want %s", how, got, want)
		}
		p.journal = whole
		p.save()
		noError(t, os.WriteFile(p.path, model, 0o600))
	}
}

func TestAStoreThatCannotBeUsedLeavesTheModel(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	mail := letters(4)
	for i, raw := range mail[:3] {
		p.learn(raw, i%2)
	}
	third := len(p.journal) // the end of its rows
	p.learn(mail[3], 1)
	good, raw := p.journal, []byte(mail[2]+"hamc of which only the base has a row\n")
	store, err := journal.Open(bytes.NewReader(good), int64(len(good)), false)
	noError(t, err)
	start := store.Base().Size()
	opened, err := Open(p.path)
	if err != nil {
		t.Fatal(err)
	}
	bare, learned := opened.Classify(raw), p.want().Classify(raw)
	if bare == learned {
		t.Fatal("it learned nothing")
	}
	changed := func(at int64) []byte {
		data := bytes.Clone(good)
		data[at] ^= 1
		return data
	}
	base, err := journal.BaseFormat().Open(bytes.NewReader(good))
	noError(t, err)
	// with returns the store with sections of the base as change returns them, under correct checksums; without those it returns nil for.
	with := func(change func(name string, data []byte) []byte) []byte {
		var all []sections.Section
		for _, name := range []string{"GLOB", "NONE", "ROWS", "STAT"} {
			data, err := base.Section(name)
			noError(t, err)
			if data = change(name, data); data != nil {
				all = append(all, sections.Section{Name: name, Data: data})
			}
		}
		return append(journal.BaseFormat().Encode(all), good[start:]...)
	}
	cut := func(which string, size int) []byte {
		return with(func(name string, data []byte) []byte {
			if name == which {
				return data[:size]
			}
			return data
		})
	}
	for name, tt := range map[string]struct {
		store []byte
		want  Classification
		err   error
	}{
		"a good store":             {good, learned, nil},
		"no store":                 {nil, bare, nil},
		"no record":                {good[:start+int64(journal.BeginSize)], bare, nil},
		"a torn record at the end": {append(bytes.Clone(good), good[start+int64(journal.BeginSize):][:100]...), learned, nil},
		"another file":             {bytes.Repeat([]byte("text "), 100), bare, journal.ErrNotStore},
		"a base alone":             {good[:start], bare, journal.ErrTruncated},
		"half a base":              {good[:start/2], bare, journal.ErrTruncated},
		"a store of another model": {changed(start + 8), bare, ErrOtherModel},
		"a damaged record":         {changed(start + int64(journal.BeginSize)), bare, journal.ErrDamaged},
		"a damaged row":            {changed(int64(third) - 1), bare, journal.ErrDamaged},
		"a model that learns not":  {with(func(string, []byte) []byte { return nil }), bare, ErrNotLearning},
		"a row of nothing":         {cut("NONE", 1), bare, ErrVersion},
		"no row of nothing":        {cut("NONE", 0), bare, journal.ErrDamaged},
		"rows of other terms":      {cut("ROWS", 16), bare, journal.ErrDamaged},
		"half a block of rows":     {cut("ROWS", 8), bare, journal.ErrDamaged},
		"no rows":                  {cut("STAT", 0), bare, journal.ErrDamaged},
		"damaged rows of the base": {with(func(name string, data []byte) []byte {
			if name == "STAT" {
				for i := range data {
					data[i] ^= 1
				}
			}
			return data
		}), bare, journal.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.store == nil {
				os.Remove(p.path + storeSuffix)
			} else if err := os.WriteFile(p.path+storeSuffix, tt.store, 0o600); err != nil {
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
				if err := f.JournalErr(); !errors.Is(err, tt.err) {
					t.Errorf("%s: got %v, want %v", how, err, tt.err)
				}
				f.Close()
			}
		})
	}
}

func TestADamagedSummaryLeavesTheModel(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	p.summaries = 3
	mail := letters(4)
	for i, raw := range mail[:3] {
		p.learn(raw, i%2)
	}
	end := len(p.journal)
	p.learn(mail[3], 1)
	good, raw := p.journal, []byte(mail[2])
	j, err := journal.Open(bytes.NewReader(good), int64(len(good)), false)
	noError(t, err)
	hint, _ := j.Hint()
	start := int(j.Base().Size()) + int(binary.LittleEndian.Uint64(hint))
	opened, err := Open(p.path)
	noError(t, err)
	defer opened.Close()
	bare, learned := opened.Classify(raw), p.want().Classify(raw)
	if bare == learned {
		t.Fatal("it learned nothing")
	}
	found := map[string]int{}
	tried := 0
	for at := start; at < end; at += 7 { // each part of the summary, at each place in a number
		tried++
		damaged := bytes.Clone(good)
		damaged[at] ^= 1
		noError(t, os.WriteFile(p.path+storeSuffix, damaged, 0o600))
		for how, open := range openers(p.path) {
			f, err := open()
			noError(t, err)
			got, failed := classify(f, raw)
			switch err := f.JournalErr(); {
			case failed != nil:
				t.Errorf("%s, byte %d: %v", how, at-start, failed)
			case err == nil && got == learned: // it was not needed
			case errors.Is(err, journal.ErrDamaged) && got == bare:
				found[how]++
			default:
				t.Errorf("%s, byte %d: got %+v, %v", how, at-start, got, err)
			}
			f.Close()
		}
	}
	for how := range openers(p.path) {
		if n := found[how]; n < tried/4 {
			t.Errorf("%s: %d of %d changed bytes were found", how, n, tried)
		}
	}
}

// TestAReaderOfAFoldGetsFilesThatBelongTogether folds again and again, beside readers.
func TestAReaderOfAFoldGetsFilesThatBelongTogether(t *testing.T) {
	raw := []byte(letters(1)[0])
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	type state struct{ model, store []byte }
	var states []state
	verdicts := make(map[Classification]bool)
	for seed := range uint64(2) {
		p := newPupil(t, fitted(t, corpustest.Mailbox(seed, 20, "ham", "spam"), "multinomial", "ham", "spam"))
		for i, raw := range letters(3) {
			p.learn(raw, i%2)
		}
		model, err := os.ReadFile(p.path)
		noError(t, err)
		states = append(states, state{model, p.journal})
		verdicts[p.want().Classify(raw)] = true
		bare, err := Open(p.path)
		noError(t, err)
		if verdicts[bare.Classify(raw)] {
			t.Fatal("nothing was learned")
		}
	}
	put := func(name string, data []byte) {
		err := os.WriteFile(filepath.Join(dir, "temporary"), data, 0o600)
		if err == nil {
			err = os.Rename(filepath.Join(dir, "temporary"), name)
		}
		if err != nil {
			t.Error(err)
		}
	}
	put(path, states[0].model)
	put(path+storeSuffix, states[0].store)
	read := func() {
		for how, open := range openers(path) {
			f, err := open()
			noError(t, err)
			if got, err := classify(f, raw); !verdicts[got] || err != nil || f.JournalErr() != nil {
				t.Errorf("%s: got %+v, %v, %v", how, got, err, f.JournalErr())
			}
			f.Close()
		}
	}
	for _, step := range []func(){
		func() { put(path+nextSuffix, states[1].model) },
		func() { put(path+storeSuffix, states[1].store) },
		func() { noError(t, os.Rename(path+nextSuffix, path)) },
	} {
		step()
		read()
	}
	stop := make(chan struct{})
	var folds sync.WaitGroup
	folds.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			to := states[n%2]
			put(path+nextSuffix, to.model)
			put(path+storeSuffix, to.store)
			if err := os.Rename(path+nextSuffix, path); err != nil {
				t.Error(err)
			}
			// A writer is killed in the middle of a record, and the next one cuts it off.
			store, err := os.OpenFile(path+storeSuffix, os.O_WRONLY|os.O_APPEND, 0)
			if err == nil {
				_, err = store.Write(to.store[len(to.store)-200:])
			}
			if err == nil {
				err = store.Truncate(int64(len(to.store)))
			}
			if err != nil {
				t.Error(err)
			}
			store.Close()
		}
	})
	for range 200 {
		read()
	}
	close(stop)
	folds.Wait()
}
