package pdftext

import (
	"bytes"
	"math"
	"slices"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// content collects the text that content streams show.
type content struct {
	*reader
	out, hidden []byte

	glyphs    *glyphMap // of the font, nil if its codes are those of windows-1252
	size      float64   // of the font
	scale     float64   // of the text matrix
	state     state
	wasHidden bool      // the text before was hidden
	saved     [32]state // deeper states are not restored
	depth     int

	x, y         float64 // where the current text begins
	moved        bool    // it begins at a new place
	lastX, lastY float64 // where the text before it begins
	lastGlyphs   int     // the number of its glyphs
	glyphCount   int     // of all text
	blankCount   int     // of all text
}

// state is the graphics state that "q" saves and "Q" restores.
type state struct {
	zoom      float64 // of the page matrix
	x, y      float64 // the origin of the page matrix
	invisible bool
	light     bool // text is nearly white
}

// isHidden reports whether nobody can read the current text: it is not drawn, smaller than four points, or nearly white.
// White text counts as visible, since what is below it, such as a button, is unknown.
func (c *content) isHidden() bool {
	const smallest = 4 // points
	return c.state.invisible || c.state.light || c.size*c.scale*c.state.zoom < smallest
}

// isFull reports whether the limit of text is reached.
func (c *content) isFull() bool { return len(c.out)+len(c.hidden) > c.limits.Text }

// read adds the text of a content stream.
func (c *content) read(stream []byte) {
	if !bytes.Contains(stream, []byte("BT")) {
		return
	}
	c.size, c.scale, c.state, c.depth = 12, 1, state{zoom: 1}, 0
	lex := lexer{data: stream}
	var numbers [6]float64                          // the last operands, in order
	var name []byte                                 // the last name
	start, hiddenStart := len(c.out), len(c.hidden) // where the text of the current operator begins
	operands, inDictionary := 0, false
	for t := lex.next(); t != tokenEnd; t = lex.next() {
		if c.isFull() {
			return
		}
		switch t {
		case tokenName:
			name = append(name[:0], lex.text...)
		case tokenNumber:
			copy(numbers[:], numbers[1:])
			numbers[len(numbers)-1] = lex.number
			operands++
			const gap = -180 // in thousandths of the font size
			if lex.number < gap {
				c.blank(' ')
			}
		case tokenString:
			if !inDictionary {
				c.show(lex.text)
			}
		case tokenWord:
			switch word := string(lex.text); word {
			case "<<", ">>":
				inDictionary = word == "<<"
				continue
			case "[", "]":
				continue
			case "Tj", "TJ":
			case "'", "\"":
				c.out = slices.Insert(c.out, start, '\n')
			default:
				c.out, c.hidden = c.out[:start], c.hidden[:hiddenStart]
				c.operator(word, name, numbers[len(numbers)-min(operands, len(numbers)):], &lex)
				numbers = [6]float64{}
			}
			start, hiddenStart = len(c.out), len(c.hidden)
			operands, inDictionary = 0, false
		}
	}
	c.out, c.hidden = c.out[:start], c.hidden[:hiddenStart]
	c.blank('\n')
}

// operator executes an operator that shows no text. Operands are the numbers before it, at most six.
func (c *content) operator(word string, name []byte, operands []float64, lex *lexer) {
	switch n := len(operands); word {
	case "BT":
		c.x, c.y, c.scale, c.moved = 0, 0, 1, true
	case "T*":
		c.blank('\n')
	case "Tf":
		if n > 0 {
			c.size = math.Abs(operands[n-1])
		}
		c.useFont(name)
	case "Tr":
		c.state.invisible = n > 0 && (operands[n-1] == 3 || operands[n-1] == 7)
	case "Td", "TD":
		if n >= 2 {
			c.x, c.y, c.moved = c.x+operands[n-2]*c.scale, c.y+operands[n-1]*c.scale, true
		}
	case "Tm":
		if n == 6 {
			c.scale = math.Hypot(operands[0], operands[1])
			c.x, c.y, c.moved = operands[4], operands[5], true
		}
	case "cm":
		if n == 6 {
			c.state.x += c.state.zoom * operands[4]
			c.state.y += c.state.zoom * operands[5]
			c.state.zoom *= math.Hypot(operands[0], operands[1])
		}
	case "q":
		if c.depth < len(c.saved) {
			c.saved[c.depth] = c.state
		}
		c.depth++
	case "Q":
		if c.depth--; c.depth < 0 {
			c.depth = 0
		} else if c.depth < len(c.saved) {
			c.state = c.saved[c.depth]
		}
	case "g", "rg", "k", "sc", "scn":
		c.state.light = isNearlyWhite(operands)
	case "ID": // inline image data follows
		_, rest, _ := bytes.Cut(lex.data[lex.at:], []byte("EI"))
		lex.at = len(lex.data) - len(rest)
	}
}

// isNearlyWhite reports whether a colour of one, three or four components (grey, RGB, CMYK) is nearly, but not quite, white.
func isNearlyWhite(colour []float64) bool {
	lightness := 0.0
	switch len(colour) {
	case 1, 3:
		lightness = slices.Min(colour)
	case 4:
		lightness = 1 - slices.Max(colour)
	}
	return lightness >= 0.8 && lightness < 0.99
}

// separate adds a blank or a line end if the current text does not begin where the text before it ends. Without widths of
// glyphs this is a guess: some programs place each glyph; others place kerned parts of words, and show blanks as glyphs.
func (c *content) separate() {
	const (
		widest = 1.1 // of one glyph, in font sizes
		wide   = 0.6 // of several glyphs, on average
		narrow = 0.15
	)
	zoom := c.state.zoom
	em, n := c.size*c.scale*zoom, float64(c.lastGlyphs)
	startX, startY := c.state.x+c.x*zoom, c.state.y+c.y*zoom
	x, y := startX-c.lastX, math.Abs(startY-c.lastY)
	hasBlanks := c.blankCount*20 > c.glyphCount
	switch {
	case y > em/2:
		c.blank('\n')
	case x < n*narrow*em, c.lastGlyphs == 1 && x > widest*em, c.lastGlyphs > 1 && (!hasBlanks || x > (n*wide+wide)*em):
		c.blank(' ')
	}
	c.lastX, c.lastY, c.lastGlyphs, c.moved = startX, startY, 0, false
}

// blank separates words.
func (c *content) blank(b byte) {
	if len(c.out) > 0 && c.out[len(c.out)-1] > ' ' {
		c.out = append(c.out, b)
	}
	if len(c.hidden) > 0 && c.hidden[len(c.hidden)-1] > ' ' {
		c.hidden = append(c.hidden, ' ')
	}
}

// show adds the text of a string in the current font.
func (c *content) show(text []byte) {
	if c.moved && len(text) > 0 {
		c.separate()
	}
	hidden := c.isHidden()
	if hidden != c.wasHidden { // hidden text takes up room, too
		c.wasHidden = hidden
		c.blank(' ')
	}
	to := &c.out
	if hidden {
		to = &c.hidden
	}
	if c.glyphs == nil {
		for _, b := range text {
			if b >= ' ' {
				c.glyph(to, string(charmap.Windows1252.DecodeByte(b)))
			}
		}
		return
	}
	width := c.glyphs.width
	for ; len(text) >= width; text = text[width:] {
		c.glyph(to, c.glyphs.text[glyphCode(text[:width])])
	}
}

// glyph adds a glyph.
func (c *content) glyph(to *[]byte, text string) {
	if c.isFull() {
		return
	}
	*to = append(*to, text...)
	c.lastGlyphs++
	c.glyphCount++
	if text == " " {
		c.blankCount++
	}
}

// useFont sets the current font.
func (c *content) useFont(name []byte) {
	c.glyphs = nil
	font := c.fonts[string(name)]
	if font == nil {
		return
	}
	if o := c.byNumber[font.toUnicode]; o != nil {
		if !o.isRead {
			o.isRead, o.glyphs = true, c.glyphMap(c.unpack(o))
		}
		c.glyphs = o.glyphs
	}
	if c.glyphs == nil && font.isWide {
		c.glyphs = &glyphMap{width: 2} // which shows nothing
	}
}

// glyphMap maps the codes of a font to text.
type glyphMap struct {
	width int // bytes of a code
	text  map[rune]string
}

// glyphMap reads a ToUnicode CMap. It returns nil if the map is empty.
func (r *reader) glyphMap(data []byte) *glyphMap {
	m := &glyphMap{width: 1, text: map[rune]string{}}
	lex := lexer{data: data}
	var codes [2]rune // of the current line
	n, wanted := 0, 0 // how many codes were read, and how many precede the text
	inWidths, inArray := false, false
	for t := lex.next(); t != tokenEnd; t = lex.next() {
		switch t {
		case tokenWord:
			switch word := string(lex.text); word {
			case "beginbfchar", "beginbfrange", "begincodespacerange", "endbfchar", "endbfrange", "endcodespacerange":
				inWidths, n, inArray = word == "begincodespacerange", 0, false
				wanted = map[string]int{"beginbfchar": 1, "beginbfrange": 2}[word]
			case "[":
				inArray = true
			case "]":
				n, inArray = 0, false
			}
		case tokenString:
			switch {
			case inWidths && len(lex.text) > 1:
				m.width = 2
			case n < wanted:
				codes[n] = glyphCode(lex.text)
				n++
			case wanted == 2 && inArray:
				r.mapGlyphs(m, codes[0], codes[0], lex.text)
				codes[0]++
			case wanted > 0:
				r.mapGlyphs(m, codes[0], codes[wanted-1], lex.text)
				n = 0
			}
		}
	}
	if len(m.text) == 0 {
		return nil
	}
	return m
}

// mapGlyphs maps a range of codes to text in UTF-16. Its last character increases by one for each code.
func (r *reader) mapGlyphs(m *glyphMap, from, to rune, text []byte) {
	const longest = 16 // bytes for a glyph
	decoded, _ := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().String(string(text[:min(len(text), longest)&^1]))
	runes := []rune(decoded)
	for code := from; code <= to && len(runes) > 0 && r.glyphsLeft > 0; code++ {
		r.glyphsLeft--
		if last := runes[len(runes)-1]; last >= ' ' {
			m.text[code] = string(runes)
		}
		runes[len(runes)-1]++
	}
}

// glyphCode returns the code of a glyph.
func glyphCode(text []byte) (code rune) {
	for _, c := range text {
		code = code<<8 | rune(c)
	}
	return code
}
