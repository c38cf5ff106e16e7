package corpus

import (
	"math"
	"slices"
	"unicode/utf8"
)

const (
	shingleWords = 4    // words in a shingle
	windowSize   = 6    // at least one of so many shingles in a row is kept
	sketchWords  = 4096 // words of a message that count, which bounds a sketch to about 12 KB
)

// Sketcher makes sketches of texts, sets of fingerprints: the more runs of words two texts share, the more fingerprints they share. It is
// winnowing (Schleimer, Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003, section
// 3): a shingle is the hash of four words in a row, and of six shingles in a row the smallest is kept. Two texts that share nine
// words in a row share a fingerprint.
//
// A word is a run of letters, in any case in ASCII. In scripts without spaces each character is a word. Digits and signs do not
// count, because copies of a letter to many people differ in them.
//
// The zero value is ready. A Sketcher reuses its memory and belongs to one goroutine.
type Sketcher struct {
	words  []uint64
	kept   []uint64
	sorted []uint64
}

// Add appends a text in UTF-8. The hash of a word is FNV-1a with 64 bits.
func (s *Sketcher) Add(text []byte) {
	const offset, prime = 14695981039346656037, 1099511628211
	for i := 0; i < len(text) && len(s.words) < sketchWords; {
		start, hash := i, uint64(offset)
	word:
		for i < len(text) {
			switch c := text[i]; {
			case c|0x20-'a' < 26:
				hash = (hash ^ uint64(c|0x20)) * prime
				i++
			case c < utf8.RuneSelf:
				break word
			default:
				r, size := utf8.DecodeRune(text[i:])
				if isWholeWord(r) {
					if i == start {
						hash, i = mix(uint64(r)), i+size
					}
					break word
				}
				for _, c := range text[i : i+size] {
					hash = (hash ^ uint64(c)) * prime
				}
				i += size
			}
		}
		if i == start {
			i++
			continue
		}
		s.words = append(s.words, hash)
	}
}

// Sketch returns the fingerprints of the added texts in ascending order, and empties the sketcher. A text without words has none.
func (s *Sketcher) Sketch() []uint64 {
	s.keepSmallest()
	s.sort()
	s.words = s.words[:0]
	return slices.Clone(slices.Compact(s.sorted))
}

// keepSmallest keeps the smallest shingle of each window. The hash of a shingle, or of all words if there are too few for one, is a polynomial
// of its words, which rolls from one shingle to the next (Karp and Rabin), mixed so that its order is random.
func (s *Sketcher) keepSmallest() {
	const base = 0x9e3779b97f4a7c15 // any odd number
	oldest := uint64(1)             // the factor of the word that leaves: base to the power shingleWords
	for range shingleWords {
		oldest *= base
	}
	s.kept = s.kept[:0]
	last := len(s.words) - 1
	polynomial := uint64(0)
	const none = math.MaxUint64
	before, smallest := uint64(none), uint64(none) // the shingle before, and the smallest of the window before
	pairs := [4]uint64{none, none, none, none}     // the smaller one of the last shingle and the one before it, and so on
	for i, word := range s.words {
		polynomial = polynomial*base + word
		if i >= shingleWords {
			polynomial -= oldest * s.words[i-shingleWords]
		}
		if i < shingleWords-1 && i < last {
			continue
		}
		shingle := mix(polynomial)
		pair := min(shingle, before)
		window := min(pair, pairs[1], pairs[3])
		before, pairs = shingle, [4]uint64{pair, pairs[0], pairs[1], pairs[2]}
		if full := i >= shingleWords+windowSize-2 || i == last; full && (window != smallest || len(s.kept) == 0) {
			s.kept, smallest = append(s.kept, window), window
		}
	}
}

// sort sorts the shingles that are kept: by their first bytes, which are random, and then those with the same first byte.
func (s *Sketcher) sort() {
	var end [256]int // of the shingles with this first byte
	for _, shingle := range s.kept {
		end[shingle>>56]++
	}
	sum := 0
	for b, n := range end {
		end[b], sum = sum, sum+n
	}
	s.sorted = slices.Grow(s.sorted[:0], len(s.kept))[:len(s.kept)]
	for _, shingle := range s.kept {
		b := shingle >> 56
		s.sorted[end[b]] = shingle
		end[b]++
	}
	start := 0
	for _, end := range end {
		if end > start+1 {
			slices.Sort(s.sorted[start:end])
		}
		start = end
	}
}

// isWholeWord reports whether r belongs to a script without spaces: those of East Asia (U+2E80, radicals, to U+D7FF, Hangul, where it
// does no harm), Thai, Lao, Myanmar and Khmer.
func isWholeWord(r rune) bool {
	return r >= 0x2e80 && r <= 0xd7ff || r >= 0x20000 || r >= 0x0e00 && r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff
}
