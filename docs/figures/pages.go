package main

import (
	"errors"
	"fmt"
	"strings"
)

// A block is the text between two marker lines.
const (
	beginPrefix = "<!-- figures: "
	beginSuffix = " -->"
	endMarker   = "<!-- end of figures -->"
)

// Errors in the markers of a page.
var (
	errNoEnd   = errors.New("the block has no end")
	errNoBegin = errors.New("an end without a block")
)

// figures returns the content of a block.
type figures func() (string, error)

// page is a file with blocks.
type page struct {
	file  string
	parts []part
}

// part is the content of a block, or the text around blocks, which has no name.
type part struct{ name, text string }

// split divides the text of a page into parts.
func split(text string) ([]part, error) {
	var parts []part
	var at part
	for line := range strings.Lines(text) {
		marker := strings.TrimRight(line, "\r\n")
		name, begins := strings.CutPrefix(marker, beginPrefix)
		name, closed := strings.CutSuffix(name, beginSuffix)
		switch begins = begins && closed; {
		case begins && at.name != "":
			return nil, fmt.Errorf("figures %q: %w", at.name, errNoEnd)
		case begins:
			at.text += line
			parts = append(parts, at)
			at = part{name: name}
			continue
		case marker == endMarker && at.name == "":
			return nil, errNoBegin
		case marker == endMarker:
			parts = append(parts, at)
			at = part{}
		}
		at.text += line
	}
	if at.name != "" {
		return nil, fmt.Errorf("figures %q: %w", at.name, errNoEnd)
	}
	return append(parts, at), nil
}

// text returns the whole page.
func (p page) text() string {
	var b strings.Builder
	for _, at := range p.parts {
		b.WriteString(at.text)
	}
	return b.String()
}

// names returns the names of the blocks in order.
func (p page) names() []string {
	var names []string
	for _, at := range p.parts {
		if at.name != "" {
			names = append(names, at.name)
		}
	}
	return names
}

// fill replaces the content of the wanted blocks, between empty lines, and returns the names of those that change.
func (p page) fill(known map[string]figures, wanted func(name string) bool) (changed []string, err error) {
	for i, at := range p.parts {
		if at.name == "" || !wanted(at.name) {
			continue
		}
		content, err := known[at.name]()
		if err != nil {
			return nil, fmt.Errorf("figures %q: %w", at.name, err)
		}
		content = "\n" + content + "\n"
		if at.text != content {
			changed = append(changed, at.name)
			p.parts[i].text = content
		}
	}
	return changed, nil
}
