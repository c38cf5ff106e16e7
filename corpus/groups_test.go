package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"chaff/internal/indices"
	"chaff/test/lineartest"
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

// pairsOf returns the pairs of neighbouring words of each text, as numbers, and how many numbers there are.
func pairsOf(texts []string) (numbers int, all [][]uint32) {
	known := map[string]uint32{}
	for _, text := range texts {
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
		var pairs []uint32
		for i := range max(len(words)-1, 0) {
			pair := words[i] + " " + words[i+1]
			if _, is := known[pair]; !is {
				known[pair] = uint32(len(known))
			}
			pairs = append(pairs, known[pair])
		}
		slices.Sort(pairs)
		all = append(all, slices.Compact(pairs))
	}
	return len(known), all
}

func nearDuplicates(texts []string, similarity float64) []int {
	numbers, pairs := pairsOf(texts)
	first, err := NearDuplicates(len(pairs), numbers, func(i int) []uint32 { return pairs[i] }, similarity)
	if err != nil {
		panic(err)
	}
	return first
}

// Senders choose words. TestNearDuplicatesOfChosenWordsAreFoundInLinearTime has messages of 40 numbers, of which 20 or 36 are among 64 that
// all share, each in another combination. The 20 are taken for a footer, the 36 are not.
func TestNearDuplicatesOfChosenWordsAreFoundInLinearTime(t *testing.T) {
	for _, shared := range []int{20, 36} {
		lineartest.Check(t, func(size int) func() {
			n := size / 16 // many more than a message is compared with
			random := rand.New(rand.NewPCG(1, 0))
			all := make([][]uint32, n)
			for i := range all {
				for _, number := range random.Perm(64)[:shared] {
					all[i] = append(all[i], uint32(number))
				}
				slices.Sort(all[i])
				for k := range 40 - shared {
					all[i] = append(all[i], uint32(64+20*i+k))
				}
			}
			return func() { NearDuplicates(n, 64+20*n, func(i int) []uint32 { return all[i] }, 0.5) }
		})
	}
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
	}
	for _, tt := range tests {
		t.Run(tt.about, func(t *testing.T) {
			if got := nearDuplicates(tt.texts, 0.5); !slices.Equal(got, tt.want) {
				t.Errorf("got groups %v, want %v", got, tt.want)
			}
		})
	}
}

func TestHowManyNumbersNearDuplicatesShare(t *testing.T) {
	from := func(first, n uint32) []uint32 { return indices.Below[uint32](int(first + n))[first:] }
	for _, tt := range []struct {
		about string
		texts [][]uint32
		want  []int
	}{
		{"half of those of the shorter one", [][]uint32{from(0, 12), from(6, 12)}, []int{0, 0}},
		{"less than half", [][]uint32{from(0, 13), from(7, 13)}, []int{0, 1}},
		{"half of the shorter one, which is the first", [][]uint32{from(0, 12), from(6, 60)}, []int{0, 0}},
		{"half of the shorter one, which is the second", [][]uint32{from(6, 60), from(0, 12)}, []int{0, 0}},
		{"half, but five", [][]uint32{from(0, 10), from(5, 10)}, []int{0, 1}},
		{"two, which are all", [][]uint32{from(0, 2), from(0, 2)}, []int{0, 0}},
		{"two, which are all of the first", [][]uint32{from(0, 2), from(0, 3)}, []int{0, 1}},
		{"two, which are all of the second", [][]uint32{from(0, 3), from(0, 2)}, []int{0, 1}},
		{"all, behind one that shares one", [][]uint32{from(0, 12), from(11, 12), from(0, 12)}, []int{0, 1, 0}},
		{"four each, which are not added up", [][]uint32{from(0, 8), from(4, 8), from(0, 4)}, []int{0, 1, 2}},
	} {
		got, err := NearDuplicates(len(tt.texts), 100, func(i int) []uint32 { return tt.texts[i] }, 0.5)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got groups %v, want %v: %v", tt.about, got, tt.want, err)
		}
	}
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
	numbers, pairs := pairsOf(texts)
	b.ReportAllocs()
	for b.Loop() {
		NearDuplicates(len(pairs), numbers, func(i int) []uint32 { return pairs[i] }, 0.5)
	}
}

func TestMoreTextThanListsCanHoldIsAnError(t *testing.T) {
	if got, err := ends([]uint32{3, 1, 1<<32 - 4}); err != nil || !slices.Equal(got, []uint32{0, 3, 3, 1<<32 - 1}) {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := ends([]uint32{3, 1, 1<<32 - 3, 2}); err != ErrTooMuchText {
		t.Errorf("one message more: got %v, want %v", err, ErrTooMuchText)
	}
}
