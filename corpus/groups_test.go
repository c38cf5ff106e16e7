package corpus

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// writer invents texts: sentences whose words differ from text to text.
type writer struct{ r *rand.Rand }

func newWriter(seed uint64) writer { return writer{rand.New(rand.NewPCG(seed, 0))} }

func (w writer) text(words int) string {
	var s strings.Builder
	for range words {
		for range 2 + w.r.IntN(6) {
			s.WriteByte(byte('a' + w.r.IntN(26)))
		}
		s.WriteByte(' ')
	}
	return s.String()
}

func sketchesOf(texts []string) [][]uint64 {
	var s Sketcher
	var all [][]uint64
	for _, text := range texts {
		s.Add([]byte(text))
		all = append(all, s.Sketch())
	}
	return all
}

func nearDuplicates(sketches [][]uint64, similarity float64) []int {
	return NearDuplicates(len(sketches), func(i int) []uint64 { return sketches[i] }, similarity)
}

// Senders can choose fingerprints, because they know how sketches are made.
func TestNearDuplicatesOfChosenFingerprintsAreFoundInLinearTime(t *testing.T) {
	const fingerprints, slower = 1 << 16, 8
	random := rand.New(rand.NewPCG(1, 0))
	honest := timeOfSketch(fingerprints, func(uint64) uint64 { return random.Uint64() })
	for name, chosen := range map[string]func(i uint64) uint64{
		"that end alike":   func(i uint64) uint64 { return i << 32 },
		"that begin alike": func(i uint64) uint64 { return i },
	} {
		if took := timeOfSketch(fingerprints, chosen); took > slower*honest {
			t.Errorf("fingerprints %s take %v, others %v", name, took, honest)
		}
	}
}

// timeOfSketch returns the least time for comparing two sketches of so many fingerprints.
func timeOfSketch(n int, of func(i uint64) uint64) time.Duration {
	sketch := make([]uint64, n)
	for i := range sketch {
		sketch[i] = of(uint64(i))
	}
	least := time.Hour
	for range 5 {
		start := time.Now()
		nearDuplicates([][]uint64{sketch, sketch}, 0.5)
		least = min(least, time.Since(start))
	}
	return least
}

func TestNearDuplicates(t *testing.T) {
	w := newWriter(1)
	letter, other, footer := w.text(80), w.text(80), w.text(30)
	list := func(n int, size func(i int) int) []string {
		var texts []string
		for i := range n {
			texts = append(texts, w.text(size(i))+footer)
		}
		return texts
	}
	alone := func(n int) []int {
		var groups []int
		for i := range n {
			groups = append(groups, i)
		}
		return groups
	}
	tests := []struct {
		about string
		texts []string
		want  []int
	}{
		{"equal texts are one group", []string{letter, other, letter}, []int{0, 1, 0}},
		{"case, digits and signs do not count", []string{letter, strings.ToUpper(letter) + " 4711 !!!"}, []int{0, 0}},
		{"a campaign that changes names and adds nonsense is one group", []string{
			"Dear ann, " + letter + w.text(10), "Dear bob, " + letter + w.text(20), other,
		}, []int{0, 0, 2}},
		{"an answer that quotes a letter belongs to it", []string{letter, w.text(60) + "\n> " + strings.ReplaceAll(letter, " a", "\n> a")}, []int{0, 0}},
		{"a short quotation is not enough", []string{letter, other + letter[:80]}, []int{0, 1}},
		{"groups join through a member they share", []string{letter, other, letter + other}, []int{0, 0, 0}},
		{"the footer of a list joins nobody", list(20, func(int) int { return 60 }), alone(20)},
		{"nor does it where some letters are shorter than it", list(40, func(i int) int { return 20 + 60*min(1, i%4) }), alone(40)},
		{"short texts must be equal", []string{"see you at nine", "see you at nine", "see you at ten"}, []int{0, 0, 2}},
		{"texts without words are alone", []string{"", "123", "!"}, []int{0, 1, 2}},
		{"scripts without spaces are compared by characters", []string{
			"我们的产品质量非常好价格也很便宜欢迎您来电咨询购买", "您好我们的产品质量非常好价格也很便宜欢迎您来电咨询购买", "明天下午三点在办公室开会请带上你的报告",
		}, []int{0, 0, 2}},
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			if got := nearDuplicates(sketchesOf(tt.texts), 0.5); !slices.Equal(got, tt.want) {
				t.Errorf("got groups %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTextsThatShareNineWordsInARowShareAFingerprint(t *testing.T) {
	w := newWriter(2)
	for i := range 200 {
		common := w.text(shingleWords + windowSize - 1)
		s := sketchesOf([]string{w.text(i%37) + common + w.text(i%11), w.text(i%23) + common + w.text(i%41)})
		if !slices.ContainsFunc(s[0], func(f uint64) bool { return slices.Contains(s[1], f) }) {
			t.Fatalf("text %d: no fingerprint in common", i)
		}
	}
}

func TestASketchIsAscendingAndBounded(t *testing.T) {
	text := newWriter(3).text(3 * sketchWords)
	sketch := sketchesOf([]string{text})[0]
	if len(sketch) < sketchWords/windowSize || len(sketch) > sketchWords {
		t.Errorf("got %d fingerprints", len(sketch))
	}
	if !slices.IsSorted(sketch) || len(slices.Compact(slices.Clone(sketch))) != len(sketch) {
		t.Error("the fingerprints do not ascend")
	}
}

func TestASketcherStartsAnew(t *testing.T) {
	var s Sketcher
	s.Add([]byte("one two three four five"))
	first := s.Sketch()
	s.Add([]byte("one two three four five"))
	if second := s.Sketch(); !slices.Equal(first, second) {
		t.Errorf("got %x, then %x", first, second)
	}
	if got := s.Sketch(); len(got) != 0 {
		t.Errorf("got %x of no text", got)
	}
}

// sketchSlowly implements the documentation of Sketcher.
func sketchSlowly(text []byte) (all []uint64) {
	var words, shingles []uint64
	var word []byte
	end := func() {
		if len(word) > 0 {
			h := fnv.New64a()
			h.Write(word)
			words, word = append(words, h.Sum64()), nil
		}
	}
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case isWholeWord(r):
			end()
			words = append(words, mix(uint64(r)))
		case 'A' <= r && r <= 'Z':
			word = append(word, byte(r)+'a'-'A')
		case r < utf8.RuneSelf && (r < 'a' || r > 'z'):
			end()
		default:
			word = append(word, text[:size]...)
		}
		text = text[size:]
	}
	end()
	words = words[:min(len(words), sketchWords)]
	for i := range max(len(words)-shingleWords, 0) + 1 {
		polynomial := uint64(0)
		for _, word := range words[i:min(i+shingleWords, len(words))] {
			polynomial = polynomial*0x9e3779b97f4a7c15 + word
		}
		shingles = append(shingles, mix(polynomial))
	}
	if len(words) == 0 {
		return nil
	}
	for i := range max(len(shingles)-windowSize, 0) + 1 {
		all = append(all, slices.Min(shingles[i:min(i+windowSize, len(shingles))]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func FuzzSketch(f *testing.F) {
	f.Add([]byte("one two three four five six seven"))
	f.Add([]byte(newWriter(4).text(60)))
	f.Add([]byte("我们的产品 a\xff\xfeb ยินดี"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := sketchesOf([]string{string(text)})[0]
		if want := sketchSlowly(text); !slices.Equal(s, want) {
			t.Errorf("got %x, want %x", s, want)
		}
		upper := slices.Clone(text)
		for i, c := range upper {
			if 'a' <= c && c <= 'z' {
				upper[i] = c - 0x20
			}
		}
		if got := sketchesOf([]string{string(upper)})[0]; !slices.Equal(s, got) {
			t.Error("case counts")
		}
		if got := nearDuplicates([][]uint64{s, s}, 1); len(s) > 0 && got[1] != 0 {
			t.Error("a text is not like itself")
		}
	})
}

func TestEachMessageIsTestedInOneFold(t *testing.T) {
	const folds, n = 5, 10_000
	for fp := range uint64(n) {
		var count [3]int
		for round := range folds {
			count[Fold(1, fp, round, folds)]++
		}
		if count != [3]int{folds - 2, 1, 1} {
			t.Fatalf("message %d: train, development and test %v times", fp, count)
		}
	}
}

func BenchmarkNearDuplicates(b *testing.B) {
	w := newWriter(4)
	var texts []string
	for i := range 5000 {
		if i%3 == 0 && i > 0 {
			texts = append(texts, texts[w.r.IntN(len(texts))]+w.text(10))
		} else {
			texts = append(texts, w.text(100)+fmt.Sprint("footer of list number ", i%7, " which is always the same as it was"))
		}
	}
	sketches := sketchesOf(texts)
	b.ReportAllocs()
	for b.Loop() {
		nearDuplicates(sketches, 0.5)
	}
}

func BenchmarkSketch(b *testing.B) {
	text := []byte(newWriter(5).text(2000))
	var s Sketcher
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Add(text)
		s.Sketch()
	}
}
