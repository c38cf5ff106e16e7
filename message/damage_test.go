package message_test

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"chaff/corpus/sample"
	"chaff/message"
	"chaff/test/corpustest"
	"chaff/test/testmain"
)

// goodMail is a message that needs no repair, and the words in it.
type goodMail struct {
	name, raw string
	words     wordCounts
}

// asGoodMail makes a message with LF as its line end and no mbox line before it, if it needs no repair.
func asGoodMail(d *message.Decoder, name string, raw []byte) (m goodMail, ok bool) {
	text := strings.ReplaceAll(string(raw), "\r\n", "\n")
	if strings.HasPrefix(text, "From ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	decoded := d.Decode([]byte(text))
	if decoded.Repairs != 0 {
		return goodMail{}, false
	}
	return goodMail{name, text, wordsOf(decoded, unicode.IsLetter)}, true
}

// sampleMail returns the messages of the sample corpus that need no repair.
func sampleMail(t *testing.T) (mails []goodMail) {
	t.Helper()
	d := message.NewDecoder(message.DefaultOptions())
	for item, raw := range corpustest.Each(t, sample.Source()) {
		if m, ok := asGoodMail(d, item.Origin, raw); ok {
			mails = append(mails, m)
		}
	}
	return mails
}

// realMail returns messages of the corpora that need no repair, one from each stretch of them.
func realMail(t *testing.T) (mails []goodMail) {
	t.Helper()
	const each = 420 // of a corpus, if there is one in each stretch
	d := message.NewDecoder(message.DefaultOptions())
	dir := corporaDir(t)
	for _, c := range corpora() {
		files := corpusFiles(t, dir, c.folders)
		stretch := len(files) / each
		for start := 0; start+stretch <= len(files) && len(files) > 0; start += stretch {
			for _, file := range files[start : start+stretch] {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if m, ok := asGoodMail(d, file, raw); ok {
					mails = append(mails, m)
					break
				}
			}
		}
	}
	return mails
}

// TestWordsSurviveDamage damages good mail in one way at a time and counts the words that are still found. Words are of
// any script. Of a fault that takes words away, as a cut does, those count that remain.
func TestWordsSurviveDamage(t *testing.T) {
	most := 60 // messages for each fault: those of the sample resemble each other
	if testmain.IsLong() {
		most = 110
	}
	checkFaults(t, sampleMail(t), 150, most, func(t *testing.T, applied int) {
		if applied == 0 {
			t.Error("the fault is in no message")
		}
	})
}

// TestWordsOfRealMailSurviveDamage does the same with real mail, in which some faults have no place.
func TestWordsOfRealMailSurviveDamage(t *testing.T) {
	checkFaults(t, realMail(t), 500, math.MaxInt, func(*testing.T, int) {})
}

// checkFaults tries each fault on at least so many messages, applies it to at most so many of them in random order, and passes on to how
// many it was applied.
func checkFaults(t *testing.T, mails []goodMail, least, most int, check func(t *testing.T, applied int)) {
	t.Helper()
	if len(mails) < least {
		t.Errorf("%d messages need no repair, want %d or more", len(mails), least)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(mails), func(i, j int) { mails[i], mails[j] = mails[j], mails[i] })
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			check(t, checkFault(t, f, mails, most))
		})
	}
}

// checkFault applies a fault to mail until it was applied to the given number of messages. It returns how many these are.
func checkFault(t *testing.T, f fault, mails []goodMail, most int) (applied int) {
	const want = 0.99
	d := message.NewDecoder(message.DefaultOptions())
	words, missing := 0, 0
	var losses []loss
	for _, m := range mails {
		if applied == most {
			break
		}
		damaged := f.apply(m.raw)
		if damaged == m.raw {
			continue
		}
		good := m.words
		if f.remains != nil {
			good = wordsOf(d.Decode([]byte(f.remains(m.raw))), unicode.IsLetter)
		}
		lost := good.without(wordsOf(d.Decode([]byte(damaged)), unicode.IsLetter))
		applied++
		words += good.total()
		if n := lost.total(); n > 0 {
			missing += n
			losses = append(losses, loss{m.name, good.total(), lost})
		}
	}
	survive := 1 - float64(missing)/float64(max(words, 1))
	t.Logf("%.3f%% of %d words in %d messages survive", 100*survive, words, applied)
	if survive >= want {
		return applied
	}
	t.Errorf("%.3f%% of the words survive, want %.0f%%", 100*survive, 100*want)
	slices.SortFunc(losses, func(a, b loss) int { return cmp.Compare(b.missing.total(), a.missing.total()) })
	for _, l := range losses[:min(len(losses), 5)] {
		t.Logf("%s: %d of %d are missing: %.200q", l.file, l.missing.total(), l.words, slices.Sorted(maps.Keys(l.missing)))
	}
	return applied
}
