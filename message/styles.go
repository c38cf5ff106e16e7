package message

import "chaff/internal/css"

// addTextsAfter adds the ::after texts of the elements that were closed since before elements were open.
func (d *Decoder) addTextsAfter(h *htmlState, before int) {
	if len(d.after) == 0 {
		return
	}
	for i := before - 1; i >= len(h.page.open); i-- {
		if e := &h.page.open[:before][i]; e.afterFrom < e.afterTo {
			d.addText(d.after[e.afterFrom:e.afterTo], e.afterHiddenBy, e.appearance.Reversals, h)
		}
	}
}

// addTextsAround adds the ::before text of an element that starts, and keeps its ::after text.
func (d *Decoder) addTextsAround(e *element, h *htmlState) {
	before, why := d.addedText(css.Before, e)
	if len(before) > 0 {
		d.addText(before, why, e.appearance.Reversals, h)
	}
	after, why := d.addedText(css.After, e)
	if len(after) > 0 {
		start := len(d.after)
		d.after = append(d.after, after...)
		e.afterFrom, e.afterTo, e.afterHiddenBy = start, len(d.after), why
	}
}

// addedText returns the text that style sheets add before or after an element, and why it is hidden.
func (d *Decoder) addedText(where css.Target, e *element) (text []byte, why Marks) {
	text, style := d.sheets.Text(where)
	if len(text) > 0 {
		why = marksOf(e.appearance.Inside(&style).Reasons())
	}
	return text, why
}

// restyle applies new style sheets to the elements that are open.
func (d *Decoder) restyle(h *htmlState) {
	open := h.page.open
	if !d.sheets.HasRules() || !d.sheets.Restart(len(open)) {
		return
	}
	h.page.open = open[:0]
	for _, e := range open {
		d.impliedName = e.key.appendName(d.impliedName[:0])
		d.startImplied(h)
	}
}

// openImplied opens the parents of an element that browsers add when their tags are missing.
func (d *Decoder) openImplied(name []byte, h *htmlState) {
	top := h.page.top().key
	switch string(name) {
	case "html":
		return
	case "head", "title", "meta", "link", "base":
		if len(h.page.open) == 0 {
			d.startNamed("html", h)
		}
		return
	case "tr":
		if top == keyTable {
			d.startNamed("tbody", h)
		}
		return
	case "td", "th":
		if top == keyTable {
			d.startNamed("tbody", h)
			top = keyTBody
		}
		if top == keyTBody || top == keyTHead || top == keyTFoot {
			d.startNamed("tr", h)
		}
		return
	}
	if top == keyHead {
		h.page.close(keyHead)
		top = h.page.top().key
	}
	if len(h.page.open) == 0 {
		d.startNamed("html", h)
		top = keyHTML
	}
	if top == keyHTML && string(name) != "body" && string(name) != "frameset" {
		d.startNamed("body", h)
	}
}

// startImplied opens the element named d.impliedName, without attributes.
func (d *Decoder) startImplied(h *htmlState) {
	given := d.current.Attributes
	d.current.Attributes = nil
	e := h.page.child(d.impliedName)
	d.applyStyles(&e, d.impliedName, h)
	h.page.push(e)
	d.current.Attributes = given
}

func (d *Decoder) startNamed(name string, h *htmlState) {
	d.impliedName = append(d.impliedName[:0], name...)
	d.startImplied(h)
}
