package tokenize

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// leftward is RIGHT-TO-LEFT OVERRIDE: what follows it is shown from right to left, whatever it is.
const leftward = "\u202e"

// maxTurns is how many changes of direction inside of each other are followed.
const maxTurns = 8

// turns are the changes of direction that are open, as in the bidirectional algorithm (UAX #9, X1 to X8), as far as they
// matter to letters that are read from left to right.
type turns struct {
	open    [maxTurns]turn
	depth   int
	ignored int // that are open inside of the deepest one
}

// turn is a change of direction.
type turn struct {
	start int  // of what is inside
	back  bool // whether it is shown from right to left
	turns bool // whether that is not so around it
}

func (s *turns) back() bool { return s.depth > 0 && s.open[s.depth-1].back }

func (s *turns) push(start int, back bool) {
	if s.depth == maxTurns {
		s.ignored++
		return
	}
	s.open[s.depth] = turn{start: start, back: back, turns: back != s.back()}
	s.depth++
}

// pop ends the innermost change of direction, and turns what is inside of it round in text.
func (s *turns) pop(text []byte) {
	switch {
	case s.ignored > 0:
		s.ignored--
	case s.depth > 0:
		s.depth--
		if inner := s.open[s.depth]; inner.turns {
			turnRound(text[inner.start:])
		}
	}
}

// inOrder returns text in the order in which it is shown, if that is changed in it.
func (t *Tokenizer) inOrder(text []byte) []byte {
	if !bytes.Contains(text, []byte(leftward)) {
		return text
	}
	var open turns
	dst := t.ordered[:0]
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch r {
		case 0x202a, 0x202b, 0x202d, 0x2066, 0x2067, 0x2068: // embeddings, the other override, isolates
			dst = append(dst, text[:size]...)
			open.push(len(dst), false)
		case 0x202e:
			dst = append(dst, text[:size]...)
			open.push(len(dst), true)
		case 0x202c, 0x2069: // ends
			open.pop(dst)
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	for open.depth > 0 {
		open.ignored = 0
		open.pop(dst)
	}
	t.ordered = dst
	return dst
}

// turnRound reverses the characters of text, each with the marks on it, unless text is written from right to left.
func turnRound(text []byte) {
	if bytes.ContainsFunc(text, func(r rune) bool { s := scriptOf(r); return s == hebrew || s == arabic }) {
		return
	}
	for rest := text; len(rest) > 0; {
		_, size := utf8.DecodeRune(rest)
		for size < len(rest) {
			r, n := utf8.DecodeRune(rest[size:])
			if !unicode.IsMark(r) {
				break
			}
			size += n
		}
		slices.Reverse(rest[:size])
		rest = rest[size:]
	}
	slices.Reverse(text)
}
