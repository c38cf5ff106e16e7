package filter

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/internal/logfile"
	"chaff/models"
	"chaff/test/corpustest"
	"chaff/test/testmain"
)

// logReason reports whether an error is a reason for not using a log.
func logReason(err error) bool {
	return slices.ContainsFunc([]error{logfile.ErrDamaged, logfile.ErrNotLog, logfile.ErrTruncated, logfile.ErrVersion, logfile.ErrOtherModel}, func(is error) bool { return errors.Is(err, is) })
}

// states returns a pupil that has learned some messages, one of them, and the verdict on that before the first record and after each.
func states(t *testing.T, model string, records int) (p *pupil, raw []byte, ends []int, all []Classification) {
	p = newPupil(t, fitted(t, corpustest.Mailbox(1, 20, "ham", "spam"), model, "ham", "spam"))
	mail := letters(records)
	raw = []byte(mail[0])
	ends, all = []int{len(p.log)}, []Classification{p.want().Classify(raw)}
	for i, m := range mail {
		p.learn(m, i%2)
		ends, all = append(ends, len(p.log)), append(all, p.want().Classify(raw))
	}
	return p, raw, ends, all
}

func TestAReaderOfALogThatIsCutJudgesAsAfterTheLastWholeRecord(t *testing.T) {
	p, raw, ends, want := states(t, "multinomial", 4)
	first := bytes.Index(p.log, []byte("{}")) + 2
	for _, step := range []int{1, 41} {
		from, to := 0, len(p.log)
		if step == 1 { // each byte of the last record's end
			from = to - 60
		}
		for cut := from; cut <= to; cut += step {
			noError(t, os.WriteFile(p.path+LogSuffix, p.log[:cut], 0o600))
			for how, open := range openers(p.path) {
				f, err := open()
				noError(t, err)
				got, err := classify(f, raw)
				noError(t, err)
				whole := len(ends) - 1
				for whole > 0 && ends[whole] > cut {
					whole--
				}
				if got != want[whole] {
					t.Errorf("cut at %d, %s: got %+v, want that after %d records", cut, how, got, whole)
				}
				if err := f.LogErr(); cut > ends[0] && err != nil || cut < first && cut > 0 && !logReason(err) {
					t.Errorf("cut at %d, %s: %v", cut, how, err)
				}
				f.Close()
			}
		}
	}
}

func TestAReaderOfALogWithAChangedByteJudgesByAllOfItOrNone(t *testing.T) {
	p, raw, _, want := states(t, "multinomial", 3)
	bare, learned := want[0], want[len(want)-1]
	if bare == learned {
		t.Fatal("it learned nothing")
	}
	for at := 0; at < len(p.log); at += 7 {
		data := bytes.Clone(p.log)
		data[at] ^= 1 << (at % 8)
		noError(t, os.WriteFile(p.path+LogSuffix, data, 0o600))
		for how, open := range openers(p.path) {
			f, err := open()
			noError(t, err)
			got, err := classify(f, raw)
			noError(t, err)
			if used := f.LogErr() == nil; used && got != learned || !used && (got != bare || !logReason(f.LogErr())) {
				t.Errorf("byte %d, %s: got %+v, %v", at, how, got, f.LogErr())
			}
			f.Close()
		}
	}
}

// A reader that needs a part of a section need not notice a changed byte elsewhere, but never judges by it.
func TestAChangedByteOfWhatAModelKnowsChangesNoVerdict(t *testing.T) {
	p, raw, _, want := states(t, "multinomial", 3)
	bare, learned := want[0], want[len(want)-1]
	good, err := os.ReadFile(p.path)
	noError(t, err)
	for _, name := range []string{"GLOB", "NONE", "ROWS", "STAT"} {
		start, size := sectionIn(t, good, name)
		refused := 0
		for at := start; at < start+size; at += max(1, size/60) {
			data := bytes.Clone(good)
			data[at] ^= 1 << (at % 8)
			noError(t, os.WriteFile(p.path, data, 0o600))
			for how, open := range openers(p.path) {
				f, err := open()
				noError(t, err)
				got, err := classify(f, raw)
				noError(t, err)
				switch used := f.LogErr() == nil; {
				case used && got == learned && name == "STAT" && how != "learned":
				case !used && got == bare && strings.HasPrefix(AboutLog("FILE", f.LogErr()).Error(), "FILE: model is damaged: section "+name):
					refused++
				default:
					t.Errorf("byte %d of %s, %s: got %+v, %v", at-start, name, how, got, f.LogErr())
				}
				f.Close()
			}
		}
		if refused == 0 {
			t.Errorf("%s: no damage was found", name)
		}
	}
}

func TestALogOfAModelThatCannotLearnLeavesTheModel(t *testing.T) {
	f := spamFilter(t)
	path := filepath.Join(t.TempDir(), "model")
	file, err := os.Create(path)
	noError(t, err)
	identity, err := f.SaveTo(file, false)
	noError(t, errors.Join(err, file.Close()))
	log, data := logfile.Log{Key: secret()}, logfile.AppendHeader(nil, secret(), []byte("{}"))
	at := int64(len(data))
	data = log.Append(data, at, logfile.Record{Op: logfile.Checkpoint, Key: identity}, nil, nil)
	raw := []byte(knownLetter)
	want := f.Classify(raw)
	for name, rows := range map[string]logfile.Rows{
		"records without rows": {},
		"records with rows":    {IDs: []uint32{1}, Rows: []byte("row"), Globals: []byte("globals")},
	} {
		r := logfile.Record{Op: 1, Model: identity, Checkpoint: at, Number: 1}
		noError(t, os.WriteFile(path+LogSuffix, log.Append(bytes.Clone(data), int64(len(data)), r, rows.Append(nil), []byte("a message")), 0o600))
		for how, open := range openers(path) {
			f, err := open()
			noError(t, err)
			if got, err := classify(f, raw); got != want || err != nil || !errors.Is(f.LogErr(), ErrNotLearning) {
				t.Errorf("%s, %s: got %+v, %v, %v", name, how, got, err, f.LogErr())
			}
			f.Close()
		}
	}
	one, err := OpenToLearn(path)
	noError(t, err)
	defer one.Close()
	if err := one.Know(nil); err != nil {
		t.Error(err)
	}
	if one.Learns() {
		t.Error("it learns")
	}
}

// Correct checksums do not make sections right: whoever can write a model can also write these.
func TestForgedSectionsOfWhatAModelKnowsAreErrorsAndNoPanic(t *testing.T) {
	for _, name := range []string{"multinomial", "votes", "perceptron"} {
		if !slices.Contains(models.Names(), name) {
			continue
		}
		p := newPupil(t, fitted(t, corpustest.Mailbox(1, 10, "ham", "spam"), name, "ham", "spam"))
		for i, m := range letters(3) {
			p.learn(m, i%2)
		}
		good, err := os.ReadFile(p.path)
		noError(t, err)
		random := rand.New(rand.NewPCG(9, 9))
		forge := func(data []byte) []byte {
			data = bytes.Clone(data)
			switch random.IntN(5) {
			case 0:
				return data[:random.IntN(len(data)+1)]
			case 1:
				return append(data, make([]byte, 1+random.IntN(40))...)
			case 2:
				return nil
			}
			for range 1 + random.IntN(8) {
				if len(data) > 0 {
					data[random.IntN(min(len(data), 64<<random.IntN(8)))] = byte(random.Uint32())
				}
			}
			return data
		}
		used, forgeries := 0, 25
		if testmain.IsLong() {
			forgeries = 150
		}
		for range forgeries {
			target := []string{"GLOB", "NONE", "ROWS", "STAT"}[random.IntN(4)]
			data := withSections(t, good, func(name string, data []byte) []byte {
				if name == target {
					return forge(data)
				}
				return data
			})
			one, err := oneIn(data)
			noError(t, err)
			if err := one.Know(p.rows); err == nil {
				_, err := one.Classify([]byte(knownLetter))
				noError(t, err)
				if one.LogErr() == nil {
					used++
				}
			}
			whole, err := Decode(data)
			noError(t, err)
			whole.file = modelFile{Reader: one.file.Reader}
			if err := whole.learn(p.rows); err == nil {
				whole.Classify([]byte(knownLetter))
			}
		}
		if used == forgeries {
			t.Errorf("%s: no forged section was refused", name)
		}
	}
}

func TestRowsOfIDsThatAModelLacksAreDamage(t *testing.T) {
	p := newPupil(t, spamFilter(t))
	p.learn(letters(1)[0], 1)
	good, err := os.ReadFile(p.path)
	noError(t, err)
	one, err := oneIn(good)
	noError(t, err)
	ids, size := one.ids(), p.whole.TermSize()
	for name, tt := range map[string]struct {
		ids, entries int
		refused      bool
	}{
		"an id behind the last one": {ids + 1, 0, false},
		"a block less":              {ids, -1, true},
		"a block more":              {ids, 1, true},
	} {
		if ids%blockIDs == 0 {
			t.Fatal("the last block is full: the test proves nothing")
		}
		var index []byte
		for first := 0; first < tt.ids; first += blockIDs {
			n := min(blockIDs, tt.ids-first)
			index = appendBlockEntry(index, 1<<n-1, first, make([]byte, n*size))
		}
		data := withSections(t, good, func(name string, data []byte) []byte {
			switch name {
			case "STAT":
				return make([]byte, tt.ids*size)
			case "ROWS":
				return append(index, make([]byte, blockEntry)...)[:len(index)+tt.entries*blockEntry]
			}
			return data
		})
		one, err := oneIn(data)
		noError(t, err)
		if err := one.Know(p.rows); tt.refused != errors.Is(err, ErrDamaged) {
			t.Errorf("%s, in parts: %v", name, err)
		}
		whole, err := Decode(data)
		noError(t, err)
		if err := whole.learn(p.rows); tt.refused != errors.Is(err, ErrDamaged) {
			t.Errorf("%s, whole: %v", name, err)
		}
	}
}
