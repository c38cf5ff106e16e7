package message

import (
	"bytes"
	"math"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// pdfText is the text that content streams show.
type pdfText struct {
	pdf         *pdfReader
	out, hidden []byte

	font      *pdfObject
	glyphs    *glyphMap
	size      float64 // of the font
	scale     float64 // of the text, by its matrix
	invisible bool

	x, y           float64 // where the text at hand starts
	moved          bool    // and nothing has been shown there
	shownX, shownY float64 // where the text before it starts
	shown          int     // how many glyphs that has
	glyphsShown    int     // in all
	blanksShown    int     // of these
}

// isFull reports whether the message may have no more text.
func (t *pdfText) isFull() bool { return len(t.out)+len(t.hidden) > t.pdf.d.textLeft }

// read takes up the text of a content stream: what its operators show, from the operands before them.
func (t *pdfText) read(content []byte) {
	if !bytes.Contains(content, []byte("BT")) {
		return
	}
	t.size, t.scale, t.invisible = 1, 1, false
	lex := pdfLexer{data: content}
	var numbers [6]float64                          // the last operands, the last one at the end
	var name []byte                                 // the last one
	start, hiddenStart := len(t.out), len(t.hidden) // of what the operator at hand would show
	dicts, inArray := 0, false
	for token := lex.next(); token != pdfEnd && !t.isFull(); token = lex.next() {
		switch token {
		case pdfName:
			name = append(name[:0], lex.text...)
			continue
		case pdfNumberToken:
			copy(numbers[:], numbers[1:])
			numbers[len(numbers)-1] = lex.number
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
			t.blank('\n')
		default:
			t.out, t.hidden = t.out[:start], t.hidden[:hiddenStart]
			t.operator(word, name, &numbers, &lex)
		}
		start, hiddenStart = len(t.out), len(t.hidden)
		dicts, inArray = 0, false
	}
	t.out, t.hidden = t.out[:start], t.hidden[:hiddenStart]
	t.blank('\n')
}

// operator carries out an operator that shows no text.
func (t *pdfText) operator(word string, name []byte, numbers *[6]float64, lex *pdfLexer) {
	last := numbers[len(numbers)-1]
	switch word {
	case "BT":
		t.x, t.y, t.scale, t.moved = 0, 0, 1, true
	case "T*":
		t.blank('\n')
	case "Tf":
		t.size = math.Abs(last)
		t.useFont(name)
	case "Tr":
		t.invisible = last == 3 || last == 7
		t.blank(' ') // it takes as much room as if it were seen
	case "Td", "TD":
		t.x, t.y, t.moved = t.x+numbers[4]*t.scale, t.y+last*t.scale, true
	case "Tm":
		t.scale = math.Hypot(numbers[0], numbers[1])
		t.x, t.y, t.moved = numbers[4], last, true
	case "ID": // the bytes of a picture
		end := bytes.Index(lex.data[lex.at:], []byte("EI"))
		if end < 0 {
			end = len(lex.data) - lex.at
		}
		lex.at += end
	}
}

// arrive sets words apart if the text at hand does not start where the text before it ends. Without the widths of glyphs that
// can only be guessed: some programs place each glyph; others each part of a word that is kerned, and show blanks as glyphs.
func (t *pdfText) arrive() {
	const (
		widest = 1.1 // of one glyph, in sizes of the font
		wide   = 0.7 // of several, on average
	)
	em := t.size * t.scale
	x, y := t.x-t.shownX, math.Abs(t.y-t.shownY)
	hasBlanks := t.blanksShown*20 > t.glyphsShown
	switch {
	case y > em/2:
		t.blank('\n')
	case x < 0, t.shown == 1 && x > widest*em, t.shown > 1 && (!hasBlanks || x > (float64(t.shown)*wide+widest)*em):
		t.blank(' ')
	}
	t.shownX, t.shownY, t.shown, t.moved = t.x, t.y, 0, false
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
	to := &t.out
	if t.invisible {
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
