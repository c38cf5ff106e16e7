package message

import (
	"bytes"

	"chaff/internal/ascii"
	"chaff/internal/css"
)

// page is one HTML document. It is read once, from its start: its style sheets are collected before. It reuses its memory for the next
// page. Its texts stay valid until reset.
type page struct {
	scanner
	stack       stack
	sheets      css.Sheets
	links       *linkList
	runsScripts bool // it is a file, which a browser opens

	text, hidden []byte // of all pages since reset
	from         int    // where the text of this page begins
	hiddenAt     int    // the length of text at the last hidden text
	inlineStart  int    // the length of text at the last start of an inline element
	reversals    reversals
	inWord       inWord
	hasHyphen    bool // it has a soft hyphen
	anchor       anchor
	linkColour   css.Colour
	base         []byte // the URL that relative links are relative to, nil if there is none
	found        findings
}

// anchor is the link whose text is being read.
type anchor struct {
	isOpen      bool
	link, start int // its index, and where its text begins
}

// findings is what a page says beside its text.
type findings struct {
	marks          Marks
	frames         []frame
	images         int
	textBytes      int // how much of the source is text
	numericLetters int // letters written as numeric character references
}

// reset forgets the texts of all pages.
func (p *page) reset() { p.text, p.hidden = p.text[:0], p.hidden[:0] }

// read reads a page. It returns its visible text and its hidden text: entities decoded, blanks where elements separate words, the texts of
// images included.
func (p *page) read(source []byte) (text, hidden []byte) {
	const large = 1 << 20
	if len(p.text) > large { // old text must not be copied each time the memory grows
		p.text = nil
	}
	p.from, p.hiddenAt, p.inlineStart = len(p.text), 0, 0
	p.reversals, p.inWord, p.anchor, p.base, p.linkColour = reversals{}, inWord{}, anchor{}, nil, css.LinkColour
	p.found = findings{frames: p.found.frames[:0]}
	p.hasHyphen = bytes.Contains(source, []byte(softHyphen))
	hiddenFrom, linksFrom := len(p.hidden), len(p.links.all)
	p.collectSheets(source)
	p.stack.open, p.stack.base = p.stack.open[:0], element{look: css.NewAppearance()}
	p.openImplied("html", &p.stack.base)
	p.openImplied("body", &p.stack.base)
	for p.start(source); len(p.rest) > 0; {
		p.token(p.next())
	}
	p.endAnchor()
	p.reversals.to(0, p.text)
	addBase(p.links.all[linksFrom:], p.base)
	if p.found.numericLetters >= minNumericLetters {
		p.found.marks.add(NumericEntity)
	}
	if p.sheets.WasCut {
		p.repairs.add(CutStyles)
	}
	return p.text[p.from:len(p.text):len(p.text)], p.hidden[hiddenFrom:len(p.hidden):len(p.hidden)]
}

// collectSheets reads the style sheets of a page. Their rules are for the content before them, too.
func (p *page) collectSheets(source []byte) {
	p.sheets.Start(len(source))
	last := lastStyle(source)
	for p.start(source); len(p.rest) > 0 && len(source)-len(p.rest) <= last; {
		kind, _ := p.next()
		if kind == startTagToken && p.raw == "style" && p.sheets.ForScreen(p.value("media")) {
			p.sheets.Add(p.rest[:rawLength(p.rest, "style")])
		}
	}
}

// lastStyle returns the offset of the last start of a style sheet, -1 if there is none.
func lastStyle(source []byte) int {
	for at := len(source); at >= 0; {
		if at = bytes.LastIndexByte(source[:at], '<'); at >= 0 && ascii.HasPrefixFold(source[at:], "<style") {
			return at
		}
	}
	return -1
}

// token adds the next token.
func (p *page) token(kind tokenKind, raw []byte) {
	switch kind {
	case textToken:
		p.addSource(raw)
	case rawToken:
		switch {
		case p.raw == "style" && p.sheets.ForScreen(p.value("media")):
			p.links.cssLinks(raw)
		case p.raw == "style", p.raw == "script":
			p.scriptLinks(raw)
		default:
			p.addSource(raw)
		}
	case startTagToken:
		p.startTag()
	case endTagToken:
		p.endTag()
	case brokenTagToken:
		p.found.textBytes += len(raw)
		if p.stack.top().hiddenBy != 0 {
			p.hidden = append(p.hidden, raw...)
			break
		}
		p.reversals.to(0, p.text)
		p.text = append(p.text, raw...)
	case commentToken:
		p.noteInWord(CommentInWord)
	}
}

// addSource adds the text between two tags.
func (p *page) addSource(raw []byte) {
	p.found.textBytes += len(raw)
	text := raw
	if !p.isInRaw {
		var numericLetters int
		p.unescaped = p.unescaped[:0]
		if text, numericLetters = p.replaceReferences(raw, false); numericLetters > 0 && !p.inAddress() {
			p.found.numericLetters += numericLetters
		}
	}
	top := p.stack.top()
	if top.hiddenBy != 0 {
		p.hide(text, top.hiddenBy)
		return
	}
	if p.inWord.at > 0 && p.inWord.at == len(p.text) && startsInLetter(text) {
		p.found.marks.add(p.inWord.mark)
	}
	p.inWord.at = 0
	if (p.hasHyphen || bytes.IndexByte(raw, '&') >= 0) && softHyphenInWord(text) {
		p.found.marks.add(BreakInWord)
	}
	p.reversals.to(top.reversals, p.text)
	p.text = append(p.text, text...)
}

// hide adds text to the hidden text.
func (p *page) hide(text []byte, why Marks) {
	if p.hiddenAt != len(p.text) { // words from different places stay apart
		p.hidden = append(p.hidden, '\n')
		p.hiddenAt = len(p.text)
	}
	p.hidden = append(p.hidden, text...)
	if hasWord(text) {
		p.found.marks |= why
	}
}

// separateWords starts a new line in the text.
func (p *page) separateWords() {
	if p.stack.top().hiddenBy != 0 {
		p.hidden = append(p.hidden, '\n')
		return
	}
	p.reversals.to(0, p.text)
	p.text = append(p.text, '\n')
}

// startTag handles a start tag.
func (p *page) startTag() {
	name := p.name
	switch string(name) {
	case "script", "style":
		return
	case "img", "image":
		p.found.images++
	}
	has := traitsOf(name)
	p.stack.implied(name, has)
	switch {
	case has&separate != 0:
		p.separateWords()
	case string(name) == "wbr":
		p.noteInWord(BreakInWord)
	case has&inline != 0:
		p.inlineStart = len(p.text)
	case isUnknown(name, has):
		p.noteInWord(TagInWord)
	}
	e := p.stack.child(name)
	if len(p.attributes) > 0 || p.sheets.HasRules() || hasOwnLook(name) {
		p.applyStyles(&e)
	}
	if has&void == 0 {
		p.stack.push(e)
	}
}

// openImplied gives e the style of an element that every page has, whether or not it has its tags.
func (p *page) openImplied(name string, e *element) {
	if !p.sheets.HasRules() {
		return
	}
	var s css.Style
	p.unescaped = append(p.unescaped[:0], name...)
	e.met = p.sheets.Match(&s, &css.Element{Name: p.unescaped}, &e.met)
	e.setLook(e.look.Inside(&s))
}

// setLook sets how an element is shown. Nothing else says why text is hidden.
func (e *element) setLook(look css.Appearance) {
	e.look, e.hiddenBy = look, marksOf(look.HiddenBy(css.Words))
}

// applyStyles applies the attributes of e and the style sheets to its appearance.
func (p *page) applyStyles(e *element) {
	var s css.Style
	_, isOpen := p.given("open")
	switch string(p.name) {
	case "datalist", "rp", "template", "video", "noframes":
		s.Set(css.Display, 1)
	case "defs":
		if p.stack.has(keySVG) {
			s.Set(css.Display, 1)
		}
	case "dialog", "details":
		if e.closed = !isOpen; e.closed {
			s.Set(css.Display, 1)
		}
	case "bdo":
		isTurned := e.reversals%2 == 1
		if ascii.EqualFold(p.value("dir"), "rtl") != isTurned && e.reversals < maxReversals {
			e.reversals++
		}
	case "html", "head", "title", "body": // the body around them is a guess
		if len(p.stack.open) == 0 {
			e.setLook(css.NewAppearance())
		}
	}
	frames := len(p.found.frames)
	label := p.addAttributes(&s)
	const maxClass = 1 << 10 // bytes of a class attribute that are read
	class, inline := p.value("class"), p.value("style")
	around := e.met
	e.met = p.sheets.Match(&s, &css.Element{Name: p.name, Class: class[:min(len(class), maxClass)], ID: p.value("id")}, &around)
	p.links.cssLinks(inline)
	p.sheets.Inline(&s, inline)
	if s != (css.Style{}) {
		e.setLook(e.look.Inside(&s))
	}
	p.showLabel(label, e)
	if e.look.HiddenBy(css.Label) != 0 {
		for i := range p.found.frames[frames:] {
			p.found.frames[frames+i].hiddenBy = e.hiddenBy
		}
	}
}

// hasOwnLook reports whether browsers hide or reorder the content of an element by default.
func hasOwnLook(name []byte) bool {
	switch string(name) {
	case "bdo", "datalist", "defs", "details", "dialog", "noframes", "rp", "template", "video":
		return true
	}
	return false
}

// endTag handles an end tag.
func (p *page) endTag() {
	name := p.name
	has := traitsOf(name)
	switch {
	case string(name) == "script", string(name) == "style":
		return
	case string(name) == "a":
		p.endAnchor()
	case has&separate != 0:
		p.separateWords()
	}
	p.stack.end(name)
	if isUnknown(name, has) || has&inline != 0 && p.inlineStart == len(p.text) {
		p.noteInWord(TagInWord)
	}
}
