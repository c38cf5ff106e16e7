package corpus

import (
	"slices"
	"unicode/utf8"
)

const (
	shingleWords = 4 // how many words in a row make a shingle
	windowSize   = 6 // of so many shingles in a row at least one is kept
	// sketchWords is how many words of a message are looked at: enough to tell any two letters apart, and a bound on
	// memory of about 12 KB a message.
	sketchWords = 4096
)

// Sketcher makes sketches of texts: sets of fingerprints of which two texts share the more the more runs of words they
// share. It is winnowing (Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting",
// SIGMOD 2003, section 3): each four words in a row are hashed, and of each six hashes in a row the smallest is kept. So
// any nine words in a row that two texts have in common give them a fingerprint in common, wherever they stand.
//
// A word is a run of letters, without regard to case in ASCII; in scripts without spaces each character is one. Digits
// and signs do not count: they are what the copies of a letter to many people differ in.
//
// The zero value is ready. A Sketcher reuses its memory and belongs to one goroutine.
type Sketcher struct {
	words    []uint64
	shingles []uint64
	kept     []uint64
}

// Add takes up a text in UTF-8, after those that were added before it.
func (s *Sketcher) Add(text []byte) {
	for len(text) > 0 && len(s.words) < sketchWords {
		hash, size := cutWord(text)
		if size == 0 {
			text = text[1:]
			continue
		}
		s.words = append(s.words, hash)
		text = text[size:]
	}
}

// Sketch returns the fingerprints of what was added, ascending, and starts anew. A text without words has none.
func (s *Sketcher) Sketch() []uint64 {
	s.hashShingles()
	s.keepSmallest()
	s.words = s.words[:0]
	slices.Sort(s.kept)
	return slices.Clone(slices.Compact(s.kept))
}

// hashShingles hashes each few words in a row, or all if there are fewer: as a polynomial of the words, of which the
// next follows from the one before by adding a word in front and taking one off (Karp and Rabin), mixed so that its
// order is chance.
func (s *Sketcher) hashShingles() {
	const base = 0x9e3779b97f4a7c15 // odd, and as good as any
	oldest := uint64(1)             // what the word that is taken off counts for: base to the power shingleWords
	for range shingleWords {
		oldest *= base
	}
	s.shingles = s.shingles[:0]
	polynomial := uint64(0)
	for i, word := range s.words {
		polynomial = polynomial*base + word
		if i >= shingleWords {
			polynomial -= oldest * s.words[i-shingleWords]
		}
		if i >= shingleWords-1 || i == len(s.words)-1 {
			s.shingles = append(s.shingles, mix(polynomial))
		}
	}
}

// keepSmallest keeps the smallest shingle of each window, the last one of equals.
func (s *Sketcher) keepSmallest() {
	s.kept = s.kept[:0]
	smallest, last := -windowSize, -1 // indices of the smallest of the window (none yet), and of the one kept last
	for i, hash := range s.shingles {
		switch {
		case smallest <= i-windowSize: // it has left the window
			smallest = i
			for j := i - 1; j > max(i-windowSize, -1); j-- {
				if s.shingles[j] < s.shingles[smallest] {
					smallest = j
				}
			}
		case hash <= s.shingles[smallest]:
			smallest = i
		}
		full := i >= windowSize-1 || i == len(s.shingles)-1
		if full && smallest != last {
			s.kept = append(s.kept, s.shingles[smallest])
			last = smallest
		}
	}
}

// cutWord returns the hash (FNV-1a, 64 bits) and the size of the word that text starts with; the size is 0 if it starts
// with none.
func cutWord(text []byte) (hash uint64, size int) {
	const offset, prime = 14695981039346656037, 1099511628211
	hash = offset
	for size < len(text) {
		c := text[size]
		switch {
		case c < utf8.RuneSelf:
			if c |= 0x20; c < 'a' || c > 'z' {
				return hash, size
			}
			hash = (hash ^ uint64(c)) * prime
			size++
		default:
			r, width := utf8.DecodeRune(text[size:])
			if isWholeWord(r) {
				if size > 0 {
					return hash, size
				}
				return mix(uint64(r)), width
			}
			for _, c := range text[size : size+width] {
				hash = (hash ^ uint64(c)) * prime
			}
			size += width
		}
	}
	return hash, size
}

// isWholeWord reports whether r belongs to a script that writes no spaces: those of East Asia (from U+2E80, radicals, to
// U+D7FF, Hangul, for which it does no harm), and Thai, Lao, Myanmar and Khmer.
func isWholeWord(r rune) bool {
	return r >= 0x2e80 && r <= 0xd7ff || r >= 0x20000 || r >= 0x0e00 && r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff
}
