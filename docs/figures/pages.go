package main

import (
	"errors"
	"fmt"
	"strings"
)

// A block is what stands between its begin and its end, each a line of its own.
const (
	beginPrefix = "<!-- figures: "
	beginSuffix = " -->"
	endMarker   = "<!-- end of figures -->"
)

// What can be wrong with the markers of a page.
var (
	errNoEnd   = errors.New("the block has no end")
	errNoBegin = errors.New("an end without a block")
)

// figures makes the content of a block.
type figures func() (string, error)

// page is a file with blocks in it.
type page struct {
	file  string
	parts []part
}

// part is the content of a block or, without a name, what stands around blocks, their markers included.
type part struct{ name, text string }

// split divides the text of a page into its parts, which together are that text again.
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

// text is the page as a whole.
func (p page) text() string {
	var b strings.Builder
	for _, at := range p.parts {
		b.WriteString(at.text)
	}
	return b.String()
}

// names are the names of the blocks, in their order.
func (p page) names() []string {
	var names []string
	for _, at := range p.parts {
		if at.name != "" {
			names = append(names, at.name)
		}
	}
	return names
}

// fill makes the content of the wanted blocks that of known, with an empty line before and after it, and returns the names
// of those that were something else.
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
