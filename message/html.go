package message

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"chaff/internal/css"
)

const (
	// maxUnclosed is how many tags and comments without an end are repaired in a page.
	maxUnclosed = 16
	// sniffBytes is how much of a text is searched for signs of HTML.
	sniffBytes = 1 << 10
)

// visibleText returns the visible text of HTML and its hidden text: entities decoded, blanks where elements separate words,
// the texts of images included. It adds links and marks to the message, and counts the images and the markup of part.
//
// QUIRK: HTML is well-formed. In mail, tags, attributes, comments and scripts are left open, and tags that do not exist
// stand inside of words, where browsers ignore them (html.eml, html-unclosed.eml).
func (d *Decoder) visibleText(source []byte, part *Part) (text, hidden []byte) {
	start, hiddenStart := len(d.arena), len(d.hidden)
	links, linkBytes, frames, marks := len(d.msg.Links), len(d.links), len(d.frames), d.msg.Marks
	d.sheets.Start(len(source))
	d.hasCR = bytes.IndexByte(source, '\r') >= 0
	d.hasHyphen = bytes.Contains(source, []byte(softHyphen))
	h := d.readPage(source, false)
	if h.lateSheet { // the rules of the sheet are for the content before it, too
		d.arena, d.hidden = d.arena[:start], d.hidden[:hiddenStart]
		d.msg.Links, d.links, d.frames, d.msg.Marks = d.msg.Links[:links], d.links[:linkBytes], d.frames[:frames], marks
		h = d.readPage(source, true)
	}
	if d.sheets.WasCut {
		d.msg.Repairs.add(CutStyles)
	}
	addBase(d.msg.Links[links:], h.base)
	part.Markup += len(source) - h.textBytes
	part.Images += h.images
	if h.numericLetters >= minNumericLetters {
		d.msg.Marks.add(NumericEntity)
	}
	return d.arena[start:len(d.arena):len(d.arena)], d.hidden[hiddenStart:len(d.hidden):len(d.hidden)]
}

// readPage reads HTML. If it reads a page again, it knows the style sheets from the start.
func (d *Decoder) readPage(source []byte, again bool) *htmlState {
	h := &d.state
	d.sheets.Rewind(len(source))
	*h = htmlState{start: len(d.arena), anchor: -1, link: css.LinkColour, rereads: again}
	h.page.open = d.open[:0]
	h.page.base.appearance = css.NewAppearance()
	d.after = d.after[:0]
	d.restyle(h)
	for rest := source; len(rest) > 0; {
		rest = rest[d.readToken(rest, h):]
	}
	open := len(h.page.open)
	h.page.open = h.page.open[:0]
	d.addTextsAfter(h, open)
	d.endAnchor(h)
	d.reverseTo(h, 0)
	d.open = h.page.open
	return h
}

// htmlState is the state of a page between two tokens.
type htmlState struct {
	page      page
	start     int  // where the text of the page begins in the arena
	script    bool // inside of a script, or of a style sheet for other media
	style     bool // inside of a style sheet
	unclosed  int  // how many tags and comments had no end so far
	textBytes int  // how much of the source is text
	images    int

	numericLetters int // letters written as numeric character references

	anchor      int // index of the link whose text is being read, -1 if there is none
	anchorStart int // where its text begins in the arena

	base []byte // the URL that relative links are relative to, nil if there is none

	pendingMark Mark // the mark, if a letter follows at pendingAt
	pendingAt   int  // an offset in the arena; 0 if there is no such mark
	inlineStart int  // the length of the arena at the last start of an inline element

	rereads    bool // the page is read again, with its style sheets known
	hasContent bool // an element or text has come that a rule may be for
	lateSheet  bool // a style sheet came after content

	rawElement string // the name of the element whose content, which has no tags, comes next, or ""

	reversals    uint8                     // how often the order of letters is reversed at the end of the arena
	reversedFrom [css.MaxReversals + 1]int // where each reversal begins
	hiddenAt     int                       // the length of the arena at the last hidden text
	link         css.Colour                // the colour of links
}

// readToken reads the token at the start of source, which is not empty. It returns how much of source is done.
func (d *Decoder) readToken(source []byte, h *htmlState) (read int) {
	if h.rawElement != "" {
		read = rawLength(source, h.rawElement)
		if read > 0 {
			d.htmlText(source[:read], h)
		}
		h.rawElement = ""
		return read
	}
	kind, read := d.cutToken(source)
	raw := source[:read]
	switch kind {
	case textToken:
		d.htmlText(raw, h)
	case startTagToken:
		if !h.script && !h.style {
			name := tagName(&d.tag, raw[len("<"):])
			h.rawElement = rawElement(name)
			d.startTag(name, h)
		}
	case endTagToken:
		d.endTag(tagName(&d.tag, raw[len("</"):]), h)
	case brokenTagToken:
		return d.brokenTag(source, h)
	case commentToken:
		d.noteInWord(h, CommentInWord)
		if read == len(source) || read == maxTokenBytes {
			return d.lastComment(source, read, h)
		}
	}
	return read
}

// htmlText adds the text between two tags.
func (d *Decoder) htmlText(raw []byte, h *htmlState) {
	switch {
	case h.script:
		d.scriptLinks(raw)
		return
	case h.style:
		d.cssLinks(raw)
		if !h.rereads {
			d.sheets.Add(raw)
			h.lateSheet = h.lateSheet || h.hasContent && d.sheets.HasRules()
			if !h.lateSheet {
				d.restyle(h)
			}
		}
		return
	}
	if h.lateSheet {
		return
	}
	h.textBytes += len(raw)
	hasReference := bytes.IndexByte(raw, '&') >= 0
	text := raw
	if h.rawElement == "" {
		var numericLetters int
		d.unescaped = d.unescaped[:0]
		if text, numericLetters = d.replaceReferences(raw, false); numericLetters > 0 && !d.inAddress(h) {
			h.numericLetters += numericLetters
		}
	}
	top := h.page.top()
	if !h.hasContent && (top.key == 0 || top.key == keyHTML || top.key == keyHead) {
		h.hasContent = hasWord(text) // text outside of the head starts a body without a tag
	}
	if top.hiddenBy == 0 {
		if h.pendingAt > 0 && h.pendingAt == len(d.arena) && startsInLetter(text) {
			d.msg.Marks.add(h.pendingMark)
		}
		h.pendingAt = 0
		if (d.hasHyphen || hasReference) && softHyphenInWord(text) {
			d.msg.Marks.add(BreakInWord)
		}
	}
	d.addText(text, top.hiddenBy, top.appearance.Reversals, h)
}

// addText adds text to the visible text, or to the hidden text if there is a reason.
func (d *Decoder) addText(text []byte, why Marks, reversals uint8, h *htmlState) {
	if why != 0 {
		d.hide(text, why, h)
		return
	}
	d.reverseTo(h, reversals)
	d.arena = append(d.arena, text...)
}

// hide adds text to the hidden text.
func (d *Decoder) hide(text []byte, why Marks, h *htmlState) {
	if h.hiddenAt != len(d.arena) { // words from different places stay apart
		d.hidden = append(d.hidden, '\n')
		h.hiddenAt = len(d.arena)
	}
	d.hidden = append(d.hidden, text...)
	if hasWord(text) {
		d.msg.Marks |= why
	}
}

// separateWords starts a new line in the text.
func (d *Decoder) separateWords(h *htmlState) {
	if h.page.top().hiddenBy != 0 {
		d.hidden = append(d.hidden, '\n')
		return
	}
	d.reverseTo(h, 0)
	d.arena = append(d.arena, '\n')
}

// hasWord reports whether text contains a letter or digit.
func hasWord(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// brokenTag reads a tag without an end, or one that is too long, at the start of source. Most such tags have an open quote,
// so the tag ends at its first ">". The tag is kept as text, where its links are found, unless it is too long. brokenTag
// returns how much of source is done.
func (d *Decoder) brokenTag(source []byte, h *htmlState) (read int) {
	read = bytes.IndexByte(source, '>') + 1
	if h.unclosed++; read == 0 || h.unclosed > maxUnclosed {
		read = len(source)
	}
	switch {
	case len(source) > maxTokenBytes:
		d.msg.Repairs.add(CutMarkup)
	case !h.script && !h.style:
		d.msg.Repairs.add(UnclosedTag)
		h.textBytes += read
		if h.page.top().hiddenBy != 0 {
			d.hidden = append(d.hidden, source[:read]...)
			break
		}
		d.reverseTo(h, 0)
		d.arena = append(d.arena, source[:read]...)
	}
	return read
}

// lastComment reads a comment at the start of source that ends with the source, or is too long. Its first length bytes have
// been searched for its end. lastComment returns how much of source is done.
//
// QUIRK: a comment ends with "-->". Some end with ">", which old browsers accepted (html-unclosed.eml). Each such comment
// has been searched to the end of the source in vain, so their number is limited.
func (d *Decoder) lastComment(source []byte, length int, h *htmlState) (read int) {
	raw := source[:length]
	if length == maxTokenBytes {
		d.msg.Repairs.add(CutMarkup)
		for length < len(source) && !utf8.RuneStart(source[length]) {
			length++ // a character that the limit cut in two
		}
		return length
	}
	end := bytes.IndexByte(raw, '>') + 1
	if end == length || !bytes.HasPrefix(raw, []byte("<!--")) || bytes.HasSuffix(raw, []byte("-->")) ||
		bytes.HasSuffix(raw, []byte("--!>")) {
		return length
	}
	d.msg.Repairs.add(UnclosedTag)
	if h.unclosed++; end == 0 || h.unclosed > maxUnclosed {
		return length
	}
	return end
}

// rawElement returns the name of an element whose content is text without tags, and "" for other elements. To browsers,
// title, textarea, iframe, noembed, noframes and noscript contain such text as well. Mail readers, which run no scripts and
// show no frames, show it as HTML. If such an element is never closed, the markup after it must not become words.
func rawElement(name []byte) string {
	for _, raw := range [...]string{"plaintext", "script", "style", "xmp"} {
		if string(name) == raw {
			return raw
		}
	}
	return ""
}

// startTag handles a start tag, whose attributes are in d.current.
func (d *Decoder) startTag(name []byte, h *htmlState) {
	switch string(name) {
	case "script":
		h.script = true
		return
	case "style":
		h.style = true
		h.script = !d.sheets.ForScreen(d.value("media"))
		return
	case "img", "image":
		h.images++
	}
	if h.lateSheet { // the page will be read again
		return
	}
	has := traitsOf(name)
	open := len(h.page.open)
	h.page.implied(name, has)
	d.addTextsAfter(h, open)
	if d.sheets.HasRules() {
		d.openImplied(name, h)
	}
	switch {
	case has&separate != 0:
		d.separateWords(h)
	case string(name) == "wbr":
		d.noteInWord(h, BreakInWord)
	case has&inline != 0:
		h.inlineStart = len(d.arena)
	case isUnknown(name, has):
		d.noteInWord(h, TagInWord)
	}
	e := h.page.child(name)
	if len(d.current.Attributes) > 0 || d.sheets.HasRules() || hasOwnLook(name) {
		d.applyStyles(&e, name, h)
	}
	h.hasContent = h.hasContent || !isBeforeStyle(name, len(d.current.Attributes))
	if has&void == 0 {
		h.page.push(e)
	}
}

// isBeforeStyle reports whether no rule of a later style sheet needs to know of an element of that name.
func isBeforeStyle(name []byte, given int) bool {
	switch string(name) {
	case "html":
		return given == 0
	case "head", "title", "meta", "link", "base":
		return true
	}
	return false
}

// hasOwnLook reports whether browsers hide or reorder the content of an element by default.
func hasOwnLook(name []byte) bool {
	switch string(name) {
	case "bdo", "datalist", "details", "dialog", "rp", "template":
		return true
	}
	return false
}

// applyStyles applies the attributes of e and the style sheets to its appearance.
func (d *Decoder) applyStyles(e *element, name []byte, h *htmlState) {
	s := css.NewStyle()
	switch string(name) {
	case "datalist", "rp", "template":
		s.Set(css.DisplayNone, true)
	case "dialog":
		_, open := d.current.Value("open")
		s.Set(css.DisplayNone, !open)
	case "details":
		_, open := d.current.Value("open")
		e.closed = !open
	case "bdo":
		s.Set(css.BidiOverride, true)
	}
	frames := len(d.frames)
	shown := d.attributes(name, &s, e, h)
	if s != css.NewStyle() {
		e.appearance = e.appearance.Inside(&s)
		e.hiddenBy = marksOf(e.appearance.Reasons())
	}
	if d.sheets.HasMatches() && traitsOf(name)&void == 0 {
		d.addTextsAround(e, h)
	}
	d.showAttribute(shown, e, h)
	if e.closed {
		e.hiddenBy.add(HiddenByStyle)
		e.hiddenBy.add(HiddenText)
	}
	d.hideFrames(frames, e)
}

// endTag handles an end tag.
func (d *Decoder) endTag(name []byte, h *htmlState) {
	switch string(name) {
	case "script", "style":
		h.script, h.style = false, false
		return
	case "a":
		d.endAnchor(h)
	}
	if h.script || h.style || h.lateSheet {
		return
	}
	has := traitsOf(name)
	open, hasTexts := len(h.page.open), len(d.after) > 0
	if has&separate != 0 && !hasTexts {
		d.separateWords(h)
	}
	h.page.end(name)
	d.addTextsAfter(h, open)
	if has&separate != 0 && hasTexts {
		d.separateWords(h)
	}
	if isUnknown(name, has) || has&inline != 0 && h.inlineStart == len(d.arena) {
		d.noteInWord(h, TagInWord)
	}
}

// isUnknown reports whether HTML has no such element. Elements with a namespace, as office programs write them, count as
// known.
func isUnknown(name []byte, has traits) bool { return has == 0 && bytes.IndexByte(name, ':') < 0 }

// looksLikeHTML reports whether a text begins like an HTML document.
//
// QUIRK: HTML is declared as text/html. It is also sent as text/plain (html-as-plain.eml).
func looksLikeHTML(text []byte) bool { return hasTag(text, "html", "body") }

// hasTag reports whether a text has a tag, or the document type, of one of these elements near its start.
func hasTag(text []byte, names ...string) bool {
	text = text[:min(len(text), sniffBytes)]
	for {
		tag := bytes.IndexByte(text, '<')
		if tag < 0 {
			return false
		}
		text = text[tag+1:]
		var lower [css.MaxName]byte
		name := tagName(&lower, text)
		if string(name) == "!doctype" {
			name = tagName(&lower, bytes.TrimLeft(text[len(name):], " \t\r\n"))
		}
		for _, wanted := range names {
			if string(name) == wanted {
				return true
			}
		}
	}
}
