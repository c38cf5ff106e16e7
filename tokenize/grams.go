package tokenize

import (
	"chaff/message"
)

// Grams calls emit with each four neighbouring bytes of the header and of the beginning of the text, the first byte lowest, as
// far as the options say; a run that occurs twice is emitted twice. The header is its fields as they are decoded, `NAME: VALUE` and a line
// end, so that a message has the same runs however its lines end.
//
// Source: G. V. Cormack, University of Waterloo Participation in the TREC 2007 Spam Track, for runs of four bytes of a
// message as the features of a linear filter.
func (t *Tokenizer) Grams(m *message.Message, emit func(gram uint32)) {
	if !t.options.Grams {
		return
	}
	g := grams{left: t.options.GramHeaderBytes, emit: emit}
	for _, f := range m.Header {
		if t.plans.plan(f.Name).grams {
			g.add(f.Name)
			g.add([]byte(": "))
			g.add(f.Value)
			g.add([]byte("\n"))
		}
	}
	g = grams{left: t.options.GramTextBytes, emit: emit}
	for i := range m.Parts {
		g.add(m.Parts[i].Text)
	}
}

// grams are the runs of four bytes of a text that comes piece by piece.
type grams struct {
	left  int    // bytes of the text that are still looked at
	bytes uint32 // the last four
	read  int    // how many there were
	emit  func(gram uint32)
}

func (g *grams) add(piece []byte) {
	piece = piece[:min(len(piece), g.left)]
	g.left -= len(piece)
	for _, c := range piece {
		g.bytes = g.bytes>>8 | uint32(c)<<24
		if g.read++; g.read >= 4 {
			g.emit(g.bytes)
		}
	}
}
