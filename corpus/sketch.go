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
	s.shingles = s.shingles[:0]
	for i := 0; i == 0 || i+shingleWords <= len(s.words); i++ {
		hash := uint64(0)
		for _, word := range s.words[i:min(i+shingleWords, len(s.words))] {
			hash = mix(hash ^ word)
		}
		s.shingles = append(s.shingles, hash)
	}
	s.kept = s.kept[:0]
	if len(s.words) > 0 {
		s.keepSmallest()
	}
	s.words = s.words[:0]
	slices.Sort(s.kept)
	return slices.Clone(slices.Compact(s.kept))
}

// keepSmallest keeps the smallest shingle of each window.
func (s *Sketcher) keepSmallest() {
	last := -1 // index of the one kept last
	for end := min(windowSize, len(s.shingles)); end <= len(s.shingles); end++ {
		start := max(0, end-windowSize)
		smallest := start
		for i := start + 1; i < end; i++ {
			if s.shingles[i] <= s.shingles[smallest] {
				smallest = i
			}
		}
		if smallest != last {
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
