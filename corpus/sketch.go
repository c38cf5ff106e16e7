package corpus

import (
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
	words    []uint64
	shingles []uint64
	kept     []uint64
}

// Add appends a text in UTF-8.
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

// Sketch returns the fingerprints of the added texts in ascending order, and empties the sketcher. A text without words has none.
func (s *Sketcher) Sketch() []uint64 {
	s.hashShingles()
	s.keepSmallest()
	s.words = s.words[:0]
	slices.Sort(s.kept)
	return slices.Clone(slices.Compact(s.kept))
}

// hashShingles hashes each shingle, or all words if there are too few for one. The hash is a polynomial of the words, which rolls from
// one shingle to the next (Karp and Rabin), mixed so that its order is random.
func (s *Sketcher) hashShingles() {
	const base = 0x9e3779b97f4a7c15 // any odd number
	oldest := uint64(1)             // the factor of the word that leaves: base to the power shingleWords
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

// keepSmallest keeps the smallest shingle of each window, the last one if several are equal.
func (s *Sketcher) keepSmallest() {
	s.kept = s.kept[:0]
	smallest, last := -windowSize, -1 // indices of the smallest in the window (none yet) and of the one kept last
	for i, hash := range s.shingles {
		switch {
		case smallest <= i-windowSize: // the smallest has left the window
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

// cutWord returns the hash (FNV-1a, 64 bits) and the size of the word at the start of text. Without a word, the size is 0.
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

// isWholeWord reports whether r belongs to a script without spaces: those of East Asia (U+2E80, radicals, to U+D7FF, Hangul, where it
// does no harm), Thai, Lao, Myanmar and Khmer.
func isWholeWord(r rune) bool {
	return r >= 0x2e80 && r <= 0xd7ff || r >= 0x20000 || r >= 0x0e00 && r <= 0x0eff || r >= 0x1000 && r <= 0x109f || r >= 0x1780 && r <= 0x17ff
}
