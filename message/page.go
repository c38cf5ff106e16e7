package message

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"chaff/internal/ascii"
	"chaff/internal/css"
	"chaff/internal/weburl"
)

// page is one HTML document. It is read once, from its start: its style sheets are collected before. It reuses its memory for the next
// page. Its texts stay valid until those of all pages are forgotten.
type page struct {
	scanner
	stack       stack
	sheets      css.Sheets
	out         *texts // what is made of the message
	runsScripts bool   // it is a file, which a browser opens

	text, hidden []byte // of all pages of the message
	from         int    // where the text of this page begins
	hiddenAt     int    // the length of text at the last hidden text
	inlineStart  int    // the length of text at the last start of an inline element
	reversals    reversals
	inWord       inWord
	anchor       anchor
	linkColour   css.Colour
	base         []byte  // the URL that relative links are relative to, nil if there is none
	depth        int     // how many frames it is in
	frames       []frame // in it, and in those
	images       int

	numericLetters int // letters written as numeric character references
}

// anchor is the link whose text is being read.
type anchor struct {
	isOpen      bool
	link, start int // its index, and where its text begins
	end         int // where the text of the last one ends, 0 if it has none
}

// read reads a page. It returns its visible text and its hidden text: entities decoded, blanks where elements separate words, the texts of
// images included.
func (p *page) read(source []byte) (text, hidden []byte) {
	const minNumericLetters = 5  // letters make a mark: a few may be an accident
	if len(p.text) > LargeSize { // old text must not be copied each time the memory grows
		p.text = nil
	}
	p.out.renew(len(source))
	p.from, p.hiddenAt, p.inlineStart = len(p.text), 0, 0
	p.reversals, p.inWord, p.anchor, p.base, p.linkColour = reversals{}, inWord{}, anchor{}, nil, css.LinkColour
	p.images, p.numericLetters = 0, 0
	hiddenFrom, linksFrom := len(p.hidden), len(p.out.msg.Links)
	p.collectSheets(source)
	p.stack = stack{open: p.stack.open[:0], base: element{look: css.Usual()}}
	base := &p.stack.base
	for i := range impliedNames {
		var s css.Style
		base.met = p.sheets.Match(&s, &css.Element{Name: impliedNames[i]}, &base.met)
		base.setLook(base.look.Inside(&s))
	}
	for p.start(source); len(p.rest) > 0; {
		p.token(p.next())
	}
	p.endAnchor()
	p.reversals.to(0, p.text)
	if u := weburl.Cut(p.base); len(u.Scheme) > 0 && len(u.Host) > 0 {
		links := p.out.msg.Links[linksFrom:]
		for i := range links {
			if l := &links[i]; weburl.IsRelative(l.URL) {
				l.Base = p.base
			}
		}
	}
	if p.numericLetters >= minNumericLetters {
		p.out.msg.Marks.Add(NumericEntity)
	}
	if p.sheets.WasCut {
		p.out.msg.Repairs.Add(CutStyles)
	}
	return p.text[p.from:len(p.text):len(p.text)], p.hidden[hiddenFrom:len(p.hidden):len(p.hidden)]
}

// impliedNames are the elements that every page has, whether or not it has their tags.
var impliedNames = [][]byte{[]byte("html"), []byte("body")}

// collectSheets reads the style sheets of a page. Their rules are for the content before them, too. Those in templates count nothing.
func (p *page) collectSheets(source []byte) {
	p.sheets.Start(len(source))
	last := len(source) // the offset of the last one, -1 without any
	for last >= 0 && !ascii.HasPrefixFold(source[last:], "<style") {
		last = bytes.LastIndexByte(source[:last], '<')
	}
	templates := 0
	for p.start(source); len(p.rest) > 0 && len(source)-len(p.rest)-len(p.after) <= last; {
		kind, _ := p.next()
		isTemplate := string(p.name) == "template" && !p.isForeign()
		switch {
		case kind == startTagToken && isTemplate:
			templates++
		case kind == endTagToken && isTemplate:
			templates = max(0, templates-1)
		case kind == startTagToken && templates == 0 && p.isSheet():
			p.sheets.Add(p.rest[:p.rawLength()])
		}
	}
}

// isSheet reports whether the current tag begins a style sheet that counts, or has begun it.
func (p *page) isSheet() bool {
	kind := p.value("type")
	return p.raw == "style" && p.after == nil && (len(kind) == 0 || ascii.EqualFold(kind, "text/css")) && p.sheets.ForScreen(p.value("media"))
}

// token adds the next token.
func (p *page) token(kind tokenKind, raw []byte) {
	switch kind {
	case textToken:
		p.addSource(raw)
	case rawToken:
		switch {
		case p.isSheet():
			p.out.cssLinks(raw)
		case p.raw == "style", p.raw == "script":
			p.scriptLinks(raw)
		default:
			p.addSource(bytes.TrimSuffix(raw, []byte(sectionEnd)))
		}
	case startTagToken:
		p.startTag()
	case endTagToken:
		p.endTag()
	case openToken: // which no reader sees
		p.out.msg.Repairs.Add(UnclosedTag)
		p.add(raw, true)
	case commentToken:
		p.noteInWord(CommentInWord)
	}
}

// addSource adds the text between two tags.
func (p *page) addSource(raw []byte) {
	text := raw
	if !p.isInRaw {
		// QUIRK: only deceivers write letters as numeric references. Programs that hide addresses from harvesters do so, too, in a link to a
		// mail address and its text (html-address.eml).
		inAddress := p.anchor.isOpen && bytes.HasPrefix(p.out.msg.Links[p.anchor.link].URL, []byte("mailto:"))
		var numericLetters int
		p.unescaped = p.unescaped[:0]
		if text, numericLetters = p.replaceReferences(raw, false); !inAddress {
			p.numericLetters += numericLetters
		}
	}
	top := p.stack.around(0)
	if top.hiddenBy != 0 {
		if p.hiddenAt != len(p.text) { // words from different places stay apart
			p.hidden = append(p.hidden, '\n')
			p.hiddenAt = len(p.text)
		}
		p.hidden = append(p.hidden, text...)
		if hasWord(text) {
			p.out.msg.Marks |= top.hiddenBy
		}
		return
	}
	if w := p.inWord; w.at > 0 && w.at == len(p.text) && isLetterOfWords(utf8.DecodeRune(text)) {
		// QUIRK: a blank parts a link from the text beside it. In mail it may be missing.
		isAtLink := p.anchor.end == w.from || p.anchor.isOpen && p.anchor.start >= w.from
		if w.from == w.at || !isAtLink {
			p.out.msg.Marks.Add(w.mark)
			p.text = p.text[:w.from]
		}
	}
	p.inWord.at = 0
	if softHyphenInWord(text) {
		p.out.msg.Marks.Add(BreakInWord)
	}
	p.reversals.to(top.reversals, p.text)
	p.text = append(p.text, text...)
}

// add adds text to the visible or the hidden text, in reading order.
func (p *page) add(text []byte, isHidden bool) {
	if isHidden {
		p.hidden = append(p.hidden, text...)
		return
	}
	p.reversals.to(0, p.text)
	p.text = append(p.text, text...)
}

// startTag handles a start tag.
func (p *page) startTag() {
	name, has := p.name, traitsOf(p.name)
	switch string(name) {
	case "script", "style":
		return
	case "img", "image":
		p.images++
	}
	open := p.stack.open
	counts := p.stack.implied(name, has, len(p.attributes) > 0)
	e := p.stack.child(name, has)
	var label []byte
	if len(p.attributes) > 0 || p.sheets.HasRules || has&ownLook != 0 {
		label = p.applyStyles(&e)
	}
	isHidden := p.stack.around(0).hiddenBy != 0
	switch {
	case p.separate(has, e.isApart && counts, open[len(p.stack.open):], isHidden):
	case string(name) == "wbr":
		p.noteInWord(BreakInWord)
	case has&inline != 0:
		p.inlineStart = len(p.text)
	case has&unknown != 0:
		p.noteInWord(TagInWord)
	}
	if len(label) > 0 {
		isHidden = e.look.HiddenBy(true) != 0
		p.add([]byte{' '}, isHidden)
		p.add(label, isHidden)
		p.add([]byte{' '}, isHidden)
	}
	if counts && has&void == 0 && !(e.isForeign && p.closes) {
		p.stack.open = append(p.stack.open[:min(len(p.stack.open), maxOpenElements-1)], e)
	}
}

// setLook sets how an element is shown. Nothing else says why text is hidden.
func (e *element) setLook(look css.Appearance) {
	e.look, e.hiddenBy = look, 0
	if reasons := look.HiddenBy(false); reasons != 0 {
		e.hiddenBy = 1<<HiddenText | Marks(reasons)<<HiddenByStyle // both are in the same order
	}
}

// applyStyles applies the attributes of e and the style sheets to its appearance. It returns the text that the element itself shows.
func (p *page) applyStyles(e *element) (label []byte) {
	var s css.Style
	switch {
	case e.has&separate == 0: // it stands in a line
		s.Set(css.Display, 2)
	case e.has&(part|isTable) != 0:
		s.Set(css.Display, 3)
	}
	isRemoved := false
	switch string(p.name) {
	case "datalist", "rp", "video", "noframes":
		isRemoved = true
	case "template":
		mode := p.value("shadowrootmode")
		isRemoved = !ascii.EqualFold(mode, "open") && !ascii.EqualFold(mode, "closed") // else it is what is shown
	case "defs":
		isRemoved = e.isForeign
	case "input":
		isRemoved = ascii.EqualFold(p.value("type"), "hidden")
	case "dialog", "details":
		e.closed = !slices.ContainsFunc(p.attributes, func(a attribute) bool { return string(a.name) == "open" })
		isRemoved = e.closed
	case "bdo":
		isTurned := e.reversals%2 == 1
		if ascii.EqualFold(p.value("dir"), "rtl") != isTurned && e.reversals < maxReversals {
			e.reversals++
		}
	case "html", "title", "body": // the body around them is a guess
		if len(p.stack.open) == 0 {
			e.setLook(css.Usual())
		}
	}
	if isRemoved {
		s.Set(css.Display, 1)
	}
	label = p.addAttributes(&s)
	const maxClass = 1 << 10 // bytes of a class attribute that are read
	seen := css.Element{Name: p.name, Class: p.value("class"), ID: p.value("id"), Style: p.value("style")}
	seen.Class = seen.Class[:min(len(seen.Class), maxClass)]
	around := e.met
	e.met = p.sheets.Match(&s, &seen, &around)
	p.out.cssLinks(seen.Style)
	if s != (css.Style{}) {
		e.setLook(e.look.Inside(&s))
	}
	// Of closed <details>, which are removed as well, the summary is shown.
	e.isApart = e.isApart && (!s.IsRemoved() || string(p.name) == "details")
	if source := p.value("srcdoc"); source != nil && string(p.name) == "iframe" { // read after the page, so that nested frames need no stack
		f := frame{content: bytes.Clone(source), depth: p.depth + 1}
		if e.look.HiddenBy(true) != 0 {
			f.hiddenBy = e.hiddenBy
		}
		p.frames = append(p.frames, f)
	}
	return label
}

// hasWord reports whether text contains a letter or digit.
func hasWord(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// endTag handles an end tag.
func (p *page) endTag() {
	name, has := p.name, traitsOf(p.name)
	switch {
	case string(name) == "script", string(name) == "style":
		return
	case string(name) == "a":
		p.endAnchor()
	case string(name) == "p", string(name) == "br":
		p.stack.endForeign()
	}
	open, isHidden := p.stack.open, p.stack.around(0).hiddenBy != 0
	p.stack.end(name, has)
	ended := open[len(p.stack.open):]
	p.separate(has, string(name) == "p" && len(ended) == 0 || string(name) == "br", ended, isHidden)
	if has&unknown != 0 || has&inline != 0 && p.inlineStart == len(p.text) {
		p.noteInWord(TagInWord)
	}
}

// maxReversals is how often the order of letters may be reversed inside of each other.
const maxReversals = 8

// reversals says how often the order of letters is reversed at the end of a text, and where each reversal begins.
type reversals struct {
	n    uint8
	from [maxReversals + 1]int
}

// to notes that text appended from here on is reversed that many times. It reverses the text of levels that end (Unicode
// Bidirectional Algorithm, UAX #9, rule L2).
//
// QUIRK: text is written in reading order. With bdo, letters written backwards are shown forwards, so that none of their words is in
// the source (html-turned.eml).
func (r *reversals) to(n uint8, text []byte) {
	for ; r.n > n; r.n-- {
		turned := text[r.from[r.n]:]
		for at := 0; at < len(turned); {
			_, length := utf8.DecodeRune(turned[at:])
			slices.Reverse(turned[at : at+length])
			at += length
		}
		slices.Reverse(turned)
	}
	for r.n < n {
		r.n++
		r.from[r.n] = len(text)
	}
}

// inWord is the mark of what follows the last letter, if another letter follows.
type inWord struct {
	mark     Mark
	from, at int // the length of the text up to that letter, and with the line ends that separate nothing; 0 if there is no such mark
}

// noteInWord notes that something follows the last letter. It becomes a mark if another letter follows.
func (p *page) noteInWord(what Mark) {
	end := len(p.text)
	if p.stack.around(0).hiddenBy == 0 && (p.inWord.at != end || what != TagInWord) && isLetterOfWords(utf8.DecodeLastRune(p.text[p.from:])) {
		p.inWord.mark, p.inWord.from, p.inWord.at = what, end, end
	}
}

// separate adds the line end that the tag of an element that stands apart means, or that of one that it has ended, if there is such. If the tag
// does not count, or the element is not shown, the line end separates nothing, and is taken back between two letters.
func (p *page) separate(has traits, isApart bool, ended []element, isHidden bool) bool {
	for _, e := range ended {
		isApart, isHidden = isApart || e.isApart, isHidden && !(e.isApart && e.hiddenBy == 0)
	}
	if !isApart && has&separate == 0 {
		return false
	}
	if !isApart && !isHidden {
		p.noteInWord(TagInWord)
		if p.inWord.at == len(p.text) && p.inWord.at > 0 {
			p.inWord.at++
		}
	}
	p.add([]byte{'\n'}, isHidden)
	return true
}

// softHyphenInWord reports whether text contains a soft hyphen between two letters.
func softHyphenInWord(text []byte) bool {
	const softHyphen = "\u00ad"
	for {
		before, after, found := bytes.Cut(text, []byte(softHyphen))
		if !found || isLetterOfWords(utf8.DecodeLastRune(before)) && isLetterOfWords(utf8.DecodeRune(after)) {
			return found
		}
		text = after
	}
}

// isLetterOfWords reports whether r is a digit or a letter of a script that separates words by blanks and does not join
// letters. In other scripts, breaks within a word are normal.
func isLetterOfWords(r rune, _ int) bool {
	if r < utf8.RuneSelf {
		return ascii.IsAlphanumeric(byte(r))
	}
	return unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
}
