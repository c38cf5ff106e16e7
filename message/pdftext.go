package message

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// pdfText is the text that content streams show.
type pdfText struct {
	pdf         *pdfReader
	out, hidden []byte

	font   *pdfObject
	glyphs *glyphMap
	size   float64 // of the font
	scale  float64 // of the text, by its matrix
	state  pdfState
	hides  bool         // the text before was hidden
	saved  [32]pdfState // deeper ones are not restored
	depth  int

	x, y           float64 // where the text at hand starts
	moved          bool    // and nothing has been shown there
	shownX, shownY float64 // where the text before it starts
	shown          int     // how many glyphs that has
	glyphsShown    int     // in all
	blanksShown    int     // of these
}

// pdfState is what "q" saves and "Q" restores.
type pdfState struct {
	zoom      float64 // of the page, by its matrix
	x, y      float64 // where it starts
	invisible bool
	light     bool // text is nearly as light as paper
}

// isHidden reports whether nobody can read the text at hand: it is not drawn, in letters of less than four points, or in a grey
// that is nearly white. White text counts as seen: what is drawn below it, such as a button, is not known.
func (t *pdfText) isHidden() bool {
	const smallest = 4 // points
	return t.state.invisible || t.state.light || t.size*t.scale*t.state.zoom < smallest
}

// isFull reports whether the message may have no more text.
func (t *pdfText) isFull() bool { return len(t.out)+len(t.hidden) > t.pdf.d.textLeft }

// read takes up the text of a content stream: what its operators show, from the operands before them.
func (t *pdfText) read(content []byte) {
	if !bytes.Contains(content, []byte("BT")) {
		return
	}
	t.size, t.scale, t.state, t.depth = 12, 1, pdfState{zoom: 1}, 0
	lex := pdfLexer{data: content}
	var numbers [6]float64                          // the last operands, the last one at the end
	var name []byte                                 // the last one
	start, hiddenStart := len(t.out), len(t.hidden) // of what the operator at hand would show
	dicts, operands, inArray := 0, 0, false
	for token := lex.next(); token != pdfEnd && !t.isFull(); token = lex.next() {
		switch token {
		case pdfName:
			name = append(name[:0], lex.text...)
			continue
		case pdfNumberToken:
			copy(numbers[:], numbers[1:])
			numbers[len(numbers)-1] = lex.number
			operands++
			const gap = -180 // in thousandths of the size of the font
			if inArray && lex.number < gap {
				t.blank(' ')
			}
			continue
		case pdfString:
			if dicts == 0 {
				t.show(lex.text)
			}
			continue
		}
		switch word := string(lex.text); word {
		case "<<":
			dicts++
			continue
		case ">>":
			dicts = max(dicts-1, 0)
			continue
		case "[", "]":
			inArray = word == "["
			continue
		case "Tj", "TJ":
		case "'", "\"":
			t.out = slices.Insert(t.out, start, '\n')
		default:
			t.out, t.hidden = t.out[:start], t.hidden[:hiddenStart]
			t.operator(word, name, numbers[len(numbers)-min(operands, len(numbers)):], &lex)
			numbers = [6]float64{}
		}
		start, hiddenStart = len(t.out), len(t.hidden)
		dicts, operands, inArray = 0, 0, false
	}
	t.out, t.hidden = t.out[:start], t.hidden[:hiddenStart]
	t.blank('\n')
}

// operator carries out an operator that shows no text; operands are the last numbers before it, six at most.
func (t *pdfText) operator(word string, name []byte, operands []float64, lex *pdfLexer) {
	switch n := len(operands); word {
	case "BT":
		t.x, t.y, t.scale, t.moved = 0, 0, 1, true
	case "T*":
		t.blank('\n')
	case "Tf":
		if n > 0 {
			t.size = math.Abs(operands[n-1])
		}
		t.useFont(name)
	case "Tr":
		t.state.invisible = n > 0 && (operands[n-1] == 3 || operands[n-1] == 7)
	case "Td", "TD":
		if n >= 2 {
			t.x, t.y, t.moved = t.x+operands[n-2]*t.scale, t.y+operands[n-1]*t.scale, true
		}
	case "Tm":
		if n == 6 {
			t.scale = math.Hypot(operands[0], operands[1])
			t.x, t.y, t.moved = operands[4], operands[5], true
		}
	case "cm":
		if n == 6 {
			t.state.x += t.state.zoom * operands[4]
			t.state.y += t.state.zoom * operands[5]
			t.state.zoom *= math.Hypot(operands[0], operands[1])
		}
	case "q":
		if t.depth < len(t.saved) {
			t.saved[t.depth] = t.state
		}
		t.depth++
	case "Q":
		if t.depth--; t.depth < 0 {
			t.depth = 0
		} else if t.depth < len(t.saved) {
			t.state = t.saved[t.depth]
		}
	case "g", "rg", "k", "sc", "scn":
		t.state.light = isLight(operands)
	case "ID": // the bytes of a picture
		end := bytes.Index(lex.data[lex.at:], []byte("EI"))
		if end < 0 {
			end = len(lex.data) - lex.at
		}
		lex.at += end
	}
}

// isLight reports whether a colour of one, three or four parts (grey, RGB, CMYK) is nearly white, and not white.
func isLight(colour []float64) bool {
	const light, white = 0.8, 0.99
	isWhite := true
	if len(colour) != 1 && len(colour) != 3 && len(colour) != 4 {
		return false
	}
	for _, part := range colour {
		if len(colour) == 4 {
			part = 1 - part
		}
		if part < light {
			return false
		}
		isWhite = isWhite && part >= white
	}
	return !isWhite
}

// arrive sets words apart if the text at hand does not start where the text before it ends. Without the widths of glyphs that
// can only be guessed: some programs place each glyph; others each part of a word that is kerned, and show blanks as glyphs.
func (t *pdfText) arrive() {
	const (
		widest = 1.1 // of one glyph, in sizes of the font
		wide   = 0.6 // of several, on average
		narrow = 0.15
	)
	zoom := t.state.zoom
	em, n := t.size*t.scale*zoom, float64(t.shown)
	startX, startY := t.state.x+t.x*zoom, t.state.y+t.y*zoom
	x, y := startX-t.shownX, math.Abs(startY-t.shownY)
	hasBlanks := t.blanksShown*20 > t.glyphsShown
	switch {
	case y > em/2:
		t.blank('\n')
	case x < n*narrow*em, t.shown == 1 && x > widest*em, t.shown > 1 && (!hasBlanks || x > (n*wide+wide)*em):
		t.blank(' ')
	}
	t.shownX, t.shownY, t.shown, t.moved = startX, startY, 0, false
}

// blank sets words apart.
func (t *pdfText) blank(c byte) {
	if len(t.out) > 0 && t.out[len(t.out)-1] != ' ' && t.out[len(t.out)-1] != '\n' {
		t.out = append(t.out, c)
	}
	if len(t.hidden) > 0 && t.hidden[len(t.hidden)-1] != ' ' {
		t.hidden = append(t.hidden, ' ')
	}
}

// show appends the characters that a string stands for in the font at hand.
func (t *pdfText) show(text []byte) {
	if t.moved && len(text) > 0 {
		t.arrive()
	}
	hidden := t.isHidden()
	if hidden != t.hides { // it takes as much room as if it were seen
		t.hides = hidden
		t.blank(' ')
	}
	to := &t.out
	if hidden {
		to = &t.hidden
	}
	if t.glyphs == nil {
		if t.font != nil && t.font.isWide {
			return
		}
		for _, c := range text {
			if c >= ' ' {
				*to = utf8.AppendRune(*to, charmap.Windows1252.DecodeByte(c))
				t.count(c == ' ')
			}
		}
		return
	}
	width := t.glyphs.width
	for ; len(text) >= width && !t.isFull(); text = text[width:] {
		code := rune(text[0])
		if width == 2 {
			code = code<<8 | rune(text[1])
		}
		glyph := t.glyphs.text[code]
		*to = append(*to, glyph...)
		t.count(glyph == " ")
	}
}

// count counts a glyph that is shown.
func (t *pdfText) count(isBlank bool) {
	t.shown++
	t.glyphsShown++
	if isBlank {
		t.blanksShown++
	}
}

// useFont makes the font of that name the one at hand.
func (t *pdfText) useFont(name []byte) {
	p := t.pdf
	t.font, t.glyphs = nil, nil
	i, ok := p.fonts[string(name)]
	if !ok {
		return
	}
	t.font = &p.objects[i]
	number := t.font.toUnicode
	if number == 0 {
		return
	}
	glyphs, known := p.maps[number]
	if !known {
		if i, ok := p.byNumber[number]; ok && p.objects[i].stream != nil {
			glyphs = p.glyphMap(p.unpacked(&p.objects[i], nil))
		}
		p.maps[number] = glyphs
	}
	t.glyphs = glyphs
}

// glyphMap maps the codes of a font to text.
type glyphMap struct {
	width int // of a code, in bytes
	text  map[rune]string
}

// glyphMap reads a map of codes to Unicode (a ToUnicode CMap), nil if it holds none.
func (p *pdfReader) glyphMap(data []byte) *glyphMap {
	m := &glyphMap{width: 1, text: map[rune]string{}}
	lex := pdfLexer{data: data}
	var section string
	var codes [2]rune // read so far of a line
	n := 0
	inArray := false
	for token := lex.next(); token != pdfEnd && p.left > 0; token = lex.next() {
		switch token {
		case pdfWord:
			switch word := string(lex.text); word {
			case "beginbfchar", "beginbfrange", "begincodespacerange", "endbfchar", "endbfrange", "endcodespacerange":
				section, n, inArray = word, 0, false
			case "[":
				inArray = true
			case "]":
				n, inArray = 0, false
			}
		case pdfString:
			switch section {
			case "begincodespacerange":
				if len(lex.text) > 1 {
					m.width = 2
				}
			case "beginbfchar":
				if n == 0 {
					codes[0], n = glyphCode(lex.text), 1
					continue
				}
				n = 0
				p.mapGlyphs(m, codes[0], codes[0], lex.text)
			case "beginbfrange":
				switch {
				case n < 2:
					codes[n] = glyphCode(lex.text)
					n++
				case inArray:
					p.mapGlyphs(m, codes[0], codes[0], lex.text)
					codes[0]++
				default:
					p.mapGlyphs(m, codes[0], codes[1], lex.text)
					n = 0
				}
			}
		}
	}
	if len(m.text) == 0 {
		return nil
	}
	return m
}

// mapGlyphs maps a range of codes to text, in UTF-16, whose last character goes on by one for each code.
func (p *pdfReader) mapGlyphs(m *glyphMap, from, to rune, text []byte) {
	const longest = 8 // of what one glyph stands for, in units of UTF-16
	var units [longest]uint16
	n := 0
	for ; n < longest && len(text) >= 2; text = text[2:] {
		units[n] = uint16(text[0])<<8 | uint16(text[1])
		n++
	}
	if len(text) == 1 && n == 0 {
		units[0], n = uint16(text[0]), 1
	}
	runes := utf16.Decode(units[:n])
	for code := from; code <= to && len(runes) > 0 && p.left > 0; code++ {
		p.left--
		if last := runes[len(runes)-1]; last >= ' ' {
			m.text[code] = string(runes)
		}
		runes[len(runes)-1]++
	}
}

// glyphCode returns the code of a glyph, of two bytes at most.
func glyphCode(text []byte) (code rune) {
	for _, c := range text[:min(len(text), 2)] {
		code = code<<8 | rune(c)
	}
	return code
}
